//! Parts of the loop that somebody else has made, and that may fail in ways of their own.

/// A part of the loop whose work is done outside of it, such as a model of another tool. When it is
/// lost its outputs are no numbers from then on, so that the safety gate ends the test; what
/// happened is told here.
pub trait ExternalModel {
    /// What went wrong, in words for the operator; none while all is well.
    fn fault_message(&self) -> Option<&str>;

    /// Whether the loop waits for another process in it: no real-time loop can do that.
    fn waits(&self) -> bool;

    /// Longest time that a step of it has taken so far, s.
    fn slowest_step(&self) -> f64;
}
