//! `[structure.reduction]`: a large linear structure with few coordinates.

use serde::Serialize;
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Settings, SlotOf, Value, Values, settings,
};
use tandem_structure::modes::{massless, modes};
use tandem_structure::reduction::{condense, condense_structure, craig_bampton};
use tandem_structure::{Linear, Structure, StructureError, StructureProperties};

use crate::dof::{self, Named};

/// A linear structure with fewer coordinates: degrees of freedom that were kept, and amplitudes of
/// inner modes.
pub struct Reduction {
    /// The reduced structure.
    pub structure: Linear,
    /// Coordinate of each degree of freedom at the interface.
    pub interface: Vec<usize>,
    method: &'static str,
    /// Motion of all degrees of freedom for a unit of each coordinate.
    columns: Vec<Vec<f64>>,
    /// Number of degrees of freedom before.
    from: usize,
    bound: Option<Bound>,
    compared: Result<Option<Compared>, StructureError>,
}

/// What Craig and Bampton's method promises.
struct Bound {
    modes: usize,
    band_hz: f64,
    truncated_hz: f64,
    error: f64,
}

/// The lowest frequencies before and after.
struct Compared {
    modes: usize,
    highest_hz: f64,
    error: f64,
}

/// How many frequencies are compared.
const COMPARED: usize = 5;

type Build = fn(&Values, &StructureProperties, &[usize]) -> Result<Reduction, BuildError>;

static METHODS: &[Entry<Build>] = &[STATIC, CRAIG_BAMPTON];

static SLOT: SlotOf<Build> = SlotOf::new("reduction", "method", None, || METHODS);

settings! {
    /// The reduction of a structure, of any kind.
    pub(crate) struct Reducible {
        /// fewer coordinates for a linear structure, or for the linear rest of one whose nonlinear
        /// members are the specimen
        reduction: Option<Values> = slot(&SLOT),
    }
}

settings! {
    /// What stays, whatever the method.
    struct Keep {
        /// degrees of freedom that stay, beside those of the interface: counted from 1, or by name
        /// such as "B1 ux"
        keep: Option<Vec<Value>> = names().within(Range::between(1.0, 1e6)),
    }
}

const STATIC: Entry<Build> = Entry {
    method: Method {
        name: "static",
        summary: "the others follow statically: exact where they have no mass; without `keep`, \
            those with mass stay",
        reference: "Guyan 1965",
        parameters: Keep::PARAMETERS,
    },
    build: |values, structure, stay| {
        let mut stay = stay.to_vec();
        let free = structure.dof();
        if Keep::read(values)?.keep.is_none() {
            let without = massless(&structure.mass);
            stay.extend((0..free).filter(|dof| without.binary_search(dof).is_err()));
        }
        let removed: Vec<usize> = (0..free).filter(|dof| !stay.contains(dof)).collect();
        let (mass, damping) = (&structure.mass, &structure.damping);
        let condensed = condense(mass, damping, &structure.stiffness, &removed)
            .map_err(|error| refuse(&error))?;
        let reduced = condense_structure(structure, &removed).map_err(|error| refuse(&error))?;
        Ok(Reduction {
            interface: places(&condensed.kept, &stay),
            columns: unit_motions(reduced.properties().dof(), |unit| condensed.expand(unit)),
            structure: reduced,
            method: "static",
            from: free,
            bound: None,
            compared: Ok(None),
        })
    },
};

const CRAIG_BAMPTON: Entry<Build> = Entry {
    method: Method {
        name: "craig-bampton",
        summary: "the degrees of freedom that stay, and the lowest modes of the rest with these \
            held; the error is told",
        reference: "Craig and Bampton 1968",
        parameters: <(Keep, CraigBampton)>::PARAMETERS,
    },
    build: |values, structure, stay| {
        let settings = CraigBampton::read(values)?;
        let band_hz = settings.band;
        if stay.is_empty() {
            return Err(BuildError::new(
                "keep",
                "nothing stays: the modes need something to be held at",
                "name degrees of freedom, such as keep = [\"A1 ux\"]",
            ));
        }
        let reduced = craig_bampton(structure, stay, band_hz, settings.modes)
            .map_err(|error| refuse(&error))?;
        Ok(Reduction {
            interface: (0..stay.len()).collect(),
            columns: unit_motions(reduced.structure.properties().dof(), |unit| {
                reduced.expand(unit)
            }),
            method: "craig-bampton",
            from: structure.dof(),
            bound: Some(Bound {
                modes: reduced.modes,
                band_hz,
                truncated_hz: reduced.truncated_hz,
                error: reduced.error_estimate,
            }),
            structure: reduced.structure,
            compared: Ok(None),
        })
    },
};

settings! {
    struct CraigBampton {
        /// highest frequency of interest; modes up to twice as high are kept
        band: f64 = number(Dimension::FREQUENCY).positive(),
        /// instead: number of modes that are kept
        modes: Option<usize> = integer().within(Range::between(0.0, 1e5)),
    }
}

fn refuse(error: &StructureError) -> BuildError {
    BuildError::new(
        "",
        error.to_string(),
        "keep other degrees of freedom: those that stay must hold the rest, and move its mass",
    )
}

fn places(kept: &[usize], wanted: &[usize]) -> Vec<usize> {
    let place = |dof: &usize| kept.iter().position(|own| own == dof);
    wanted.iter().filter_map(place).collect()
}

fn unit_motions(count: usize, expand: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let mut unit = vec![0.0; count];
    let mut columns = Vec::with_capacity(count);
    for place in 0..count {
        unit[place] = 1.0;
        columns.push(expand(&unit));
        unit[place] = 0.0;
    }
    columns
}

impl Reduction {
    /// Reduces a structure as `[structure.reduction]` asks, if it does. `interface` stays, in any
    /// case; degrees of freedom may have names besides their labels.
    ///
    /// # Errors
    /// [`BuildError`] where the structure cannot be reduced so.
    pub fn read(
        values: &Values,
        structure: &StructureProperties,
        interface: &[usize],
        named: Named<'_>,
    ) -> Result<Option<Self>, BuildError> {
        let wrong = |error: BuildError| error.within("reduction").within("structure");
        let Some(table) = &Reducible::read(values)?.reduction else {
            return Ok(None);
        };
        if !structure.is_linear {
            return Err(wrong(BuildError::new(
                "method",
                "only a linear structure can be reduced, whose supports all move with the ground",
                "make its members elastic and their geometry linear, or make the nonlinear ones \
                the specimen (interface.members)",
            )));
        }
        let mut stay = interface.to_vec();
        let keep = Keep::read(table).map_err(wrong)?.keep.unwrap_or_default();
        for dof in dof::read(&keep, "keep", structure, named).map_err(wrong)? {
            if !stay.contains(&dof) {
                stay.push(dof);
            }
        }
        let entry = SLOT.find(table).map_err(wrong)?;
        let mut reduced = (entry.build)(table, structure, &stay).map_err(wrong)?;
        reduced.interface.truncate(interface.len());
        reduced.compared = compare(structure, reduced.structure.properties());
        Ok(Some(reduced))
    }

    /// Motion of all degrees of freedom from the coordinates.
    pub fn expand(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.from];
        for (column, amplitude) in self.columns.iter().zip(coordinates) {
            for (sum, motion) in all.iter_mut().zip(column) {
                *sum += amplitude * motion;
            }
        }
        all
    }

    /// What it does and how good it is, for people.
    pub fn note(&self) -> String {
        let mut text = format!(
            "Reduced from {} degrees of freedom to {} coordinates ({}).",
            self.from,
            self.structure.properties().dof(),
            self.method
        );
        if let Some(bound) = &self.bound {
            if bound.truncated_hz.is_finite() {
                text += &format!(
                    " {} inner modes; the first that is left out has {:.4} Hz, so that the \
                    apparent mass up to {:.4} Hz is off by {:.2e} at most.",
                    bound.modes, bound.truncated_hz, bound.band_hz, bound.error
                );
            } else {
                text += " All inner modes are kept.";
            }
        }
        match &self.compared {
            Ok(Some(compared)) => {
                text += &format!(
                    " Its {} lowest frequencies, up to {:.4} Hz, are right to {:.1e}.",
                    compared.modes, compared.highest_hz, compared.error
                );
            }
            Ok(None) => {}
            Err(error) => {
                text += &format!(" Its frequencies were not compared: {error}.");
            }
        }
        text
    }

    /// The same for programs.
    #[must_use]
    pub fn summary(&self) -> ReductionSummary {
        ReductionSummary {
            method: self.method,
            dof_before: self.from,
            coordinates: self.structure.properties().dof(),
            bound: self.bound.as_ref().map(|bound| BoundSummary {
                inner_modes: bound.modes,
                band_hz: bound.band_hz,
                truncated_hz: bound.truncated_hz,
                apparent_mass_error: bound.error,
            }),
            compared: self
                .compared
                .as_ref()
                .ok()
                .and_then(Option::as_ref)
                .map(|compared| ComparedSummary {
                    compared_modes: compared.modes,
                    frequency_error: compared.error,
                }),
        }
    }
}

/// How a structure was reduced, and what that costs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReductionSummary {
    /// How.
    pub method: &'static str,
    /// Degrees of freedom before.
    pub dof_before: usize,
    /// Coordinates after.
    pub coordinates: usize,
    /// The bound of its error.
    #[serde(flatten)]
    pub bound: Option<BoundSummary>,
    /// The error of its frequencies.
    #[serde(flatten)]
    pub compared: Option<ComparedSummary>,
}

/// The bound of the error of a reduction with inner modes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BoundSummary {
    /// Modes that are kept.
    pub inner_modes: usize,
    /// Up to which frequency the bound holds, Hz.
    pub band_hz: f64,
    /// The first frequency that is left out, Hz; infinite (null in JSON) where none is.
    pub truncated_hz: f64,
    /// Relative error of the apparent mass.
    pub apparent_mass_error: f64,
}

/// Frequencies before and after.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ComparedSummary {
    /// How many were compared.
    pub compared_modes: usize,
    /// Largest relative difference.
    pub frequency_error: f64,
}

/// Largest relative difference of the lowest frequencies; none where one of them is zero (a part
/// that cannot stand by itself).
fn compare(
    before: &StructureProperties,
    after: &StructureProperties,
) -> Result<Option<Compared>, StructureError> {
    let before = modes(before, COMPARED)?.frequencies_hz;
    let after = modes(after, COMPARED)?.frequencies_hz;
    let pairs = || before.iter().zip(&after);
    if pairs().any(|(f, _)| *f <= 0.0) {
        return Ok(None);
    }
    let error = pairs()
        .map(|(f, g)| (g / f - 1.0).abs())
        .fold(0.0, f64::max);
    Ok(pairs().next_back().map(|(highest, _)| Compared {
        modes: pairs().count(),
        highest_hz: *highest,
        error,
    }))
}
