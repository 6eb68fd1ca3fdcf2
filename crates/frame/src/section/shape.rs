//! Layouts of common shapes, centred on the origin: rectangle, I, ring, reinforced concrete.
//!
//! Dimensions in metres, y is the height. For plane frames one fibre across the width is enough;
//! for space frames give divisions along z as well.

use super::error::{SectionError, positive};
use super::layout::{FibreLayout, Ring};
use crate::material::Material;

/// A rectangle of one material.
pub fn rectangle(
    material: &Material,
    width: f64,
    height: f64,
    divisions: (usize, usize),
) -> Result<FibreLayout, SectionError> {
    positive("width", width)?;
    positive("height", height)?;
    let (y, z) = (0.5 * height, 0.5 * width);
    FibreLayout::new().rectangle(material, divisions, (-y, -z), (y, z))
}

/// Dimensions of an I without fillets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IShape {
    /// Height over all, m.
    pub height: f64,
    /// Width of the flanges, m.
    pub width: f64,
    /// Thickness of the web, m.
    pub web: f64,
    /// Thickness of the flanges, m.
    pub flange: f64,
}

/// An I of one material, bent about its strong axis by M_z; `flange` and `web` are divisions (along
/// y, along z).
pub fn i_shape(
    material: &Material,
    shape: IShape,
    flange: (usize, usize),
    web: (usize, usize),
) -> Result<FibreLayout, SectionError> {
    positive("width of the flanges", shape.width)?;
    positive("thickness of the web", shape.web)?;
    positive("thickness of the flanges", shape.flange)?;
    positive("height of the web", shape.height - 2.0 * shape.flange)?;
    let (top, inner) = (0.5 * shape.height, 0.5 * shape.height - shape.flange);
    let (edge, web_edge) = (0.5 * shape.width, 0.5 * shape.web);
    FibreLayout::new()
        .rectangle(material, flange, (-top, -edge), (-inner, edge))?
        .rectangle(material, web, (-inner, -web_edge), (inner, web_edge))?
        .rectangle(material, flange, (inner, -edge), (top, edge))
}

/// A round tube or, with inner radius zero, a round bar; divisions (around, along the radius).
pub fn ring(
    material: &Material,
    inner_radius: f64,
    outer_radius: f64,
    divisions: (usize, usize),
) -> Result<FibreLayout, SectionError> {
    FibreLayout::new().ring(material, divisions, Ring::whole(inner_radius, outer_radius))
}

/// A row of reinforcing bars across the width of the core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarRow {
    /// Height of the row from the middle of the section, m.
    pub y: f64,
    /// Number of bars, from one side of the core to the other.
    pub count: usize,
    /// Area of one bar, m².
    pub bar_area: f64,
}

/// A rectangular reinforced-concrete section: confined core, unconfined cover all around, rows of
/// bars.
#[derive(Clone, Debug, PartialEq)]
pub struct ReinforcedConcrete {
    /// Width over all, m.
    pub width: f64,
    /// Height over all, m.
    pub height: f64,
    /// Thickness of the cover, to the edge of the core, m.
    pub cover: f64,
    /// Confined concrete.
    pub core_concrete: Material,
    /// Unconfined concrete.
    pub cover_concrete: Material,
    /// Reinforcement.
    pub steel: Material,
    /// Rows of bars.
    pub rows: Vec<BarRow>,
    /// Layers of the core (and of the cover beside it) and of the cover above and below it.
    pub layers: (usize, usize),
    /// Divisions of the core along z (1 for plane frames); the side covers get one each.
    pub across: usize,
}

impl ReinforcedConcrete {
    /// The fibres.
    pub fn layout(&self) -> Result<FibreLayout, SectionError> {
        positive("cover", self.cover)?;
        positive("width of the core", self.width - 2.0 * self.cover)?;
        positive("height of the core", self.height - 2.0 * self.cover)?;
        let (y, z) = (0.5 * self.height, 0.5 * self.width);
        let (core_y, core_z) = (y - self.cover, z - self.cover);
        let (core_layers, cover_layers) = self.layers;
        let unconfined = &self.cover_concrete;
        let mut layout = FibreLayout::new()
            .rectangle(
                &self.core_concrete,
                (core_layers, self.across),
                (-core_y, -core_z),
                (core_y, core_z),
            )?
            .rectangle(
                unconfined,
                (cover_layers, self.across),
                (core_y, -z),
                (y, z),
            )?
            .rectangle(
                unconfined,
                (cover_layers, self.across),
                (-y, -z),
                (-core_y, z),
            )?
            .rectangle(
                unconfined,
                (core_layers, 1),
                (-core_y, -z),
                (core_y, -core_z),
            )?
            .rectangle(unconfined, (core_layers, 1), (-core_y, core_z), (core_y, z))?;
        for row in &self.rows {
            layout = layout.straight_layer(
                &self.steel,
                row.count,
                row.bar_area,
                (row.y, -core_z),
                (row.y, core_z),
            )?;
        }
        Ok(layout)
    }
}
