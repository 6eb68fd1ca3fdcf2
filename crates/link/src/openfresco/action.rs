//! What a peer wants: the first double of every vector.

use crate::Matrix;

/// An action code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// 1: nothing is answered.
    Open,
    /// 2: nothing is answered.
    Setup,
    /// 3: a new trial motion; not answered.
    Trial,
    /// 4: nothing is answered.
    Execute,
    /// 5: the last trial is accepted; not answered.
    Commit,
    /// 6: all that was measured; answered with all that the session's sizes name.
    Measurement,
    /// 7 to 11: measured motion, force or time; answered like 6.
    Feedback,
    /// 12 to 15: answered with a matrix, column by column.
    Matrix(Matrix),
    /// 4.1: has the controller switched to correction? (Simulink)
    CorrectionBegun,
    /// 4.2: the new target is taken; not answered. (Simulink)
    TargetTaken,
    /// 4.3: has the controller switched back to prediction? (Simulink)
    PredictionBegun,
    /// 98, 99: the end.
    End,
}

/// Fractional codes are compared with this tolerance: 4.1 is not a double.
const TOLERANCE: f64 = 1e-6;

impl Action {
    /// The action of a code; none for an unknown one.
    pub fn of(code: f64) -> Option<Self> {
        let is = |x: f64| (code - x).abs() < TOLERANCE;
        const WHOLE: [(f64, Action); 17] = [
            (1.0, Action::Open),
            (2.0, Action::Setup),
            (3.0, Action::Trial),
            (4.0, Action::Execute),
            (5.0, Action::Commit),
            (6.0, Action::Measurement),
            (7.0, Action::Feedback),
            (8.0, Action::Feedback),
            (9.0, Action::Feedback),
            (10.0, Action::Feedback),
            (11.0, Action::Feedback),
            (12.0, Action::Matrix(Matrix::InitialStiffness)),
            (13.0, Action::Matrix(Matrix::TangentStiffness)),
            (14.0, Action::Matrix(Matrix::Damping)),
            (15.0, Action::Matrix(Matrix::Mass)),
            (98.0, Action::End),
            (99.0, Action::End),
        ];
        const FRACTIONAL: [(f64, Action); 3] = [
            (4.1, Action::CorrectionBegun),
            (4.2, Action::TargetTaken),
            (4.3, Action::PredictionBegun),
        ];
        let mut known = WHOLE.iter().chain(&FRACTIONAL);
        known.find(|(x, _)| is(*x)).map(|(_, action)| *action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_wire() {
        assert_eq!(Action::of(3.0), Some(Action::Trial));
        assert_eq!(
            Action::of(f64::from_bits(0x4010_6666_6666_6666)),
            Some(Action::CorrectionBegun)
        );
        assert_eq!(
            Action::of(13.0),
            Some(Action::Matrix(Matrix::TangentStiffness))
        );
        for nonsense in [0.0, -3.0, 3.4, 16.0, 97.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Action::of(nonsense), None, "{nonsense}");
        }
    }
}
