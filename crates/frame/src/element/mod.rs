//! Elements between two nodes: members of frames, bars, springs, dampers and bearings.
//!
//! Every element takes the motion of its two nodes (3 degrees of freedom each in a plane frame:
//! u_x, u_y, θ_z; 6 in a space frame) and gives nodal forces, positive where they resist. A trial
//! starts from the committed state. Members are a transformation (see [`crate::transformation`])
//! and a body in basic deformations; [`crate::model::ModelBuilder`] makes them all.

pub(crate) mod body;
mod choice;
pub(crate) mod directions;
mod displacement_based;
mod elastic_beam;
mod elastomeric_bearing;
mod force_based;
mod force_based_state;
mod friction_pendulum;
mod hinged_beam;
mod member;
mod motion;
mod mr_damper;
mod quadrature;
mod sliding;
mod springs;
mod truss;

pub use crate::small::{MOST_DOFS, SmallMatrix};
pub(crate) use body::SectionLaw;
pub use choice::Element;
pub use displacement_based::DisplacementBased;
pub use elastic_beam::ElasticBeam;
pub use elastomeric_bearing::{ElastomericBearing, ElastomericShear};
pub use force_based::{Determination, ForceBased};
pub use friction_pendulum::{FrictionPendulum, PendulumShear};
pub use hinged_beam::HingedBeam;
pub use member::{Body2d, Body3d, Member2d, Member3d};
pub use motion::Motion;
pub use mr_damper::{MrDamper, MrDamperLaw};
pub use quadrature::Quadrature;
pub use springs::Springs;
pub use truss::Truss;
