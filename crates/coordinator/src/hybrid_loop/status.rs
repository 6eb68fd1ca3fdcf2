//! Whether the target of a segment is there, as it stands in the record.

use super::HybridLoop;
use tandem_integrator::Readiness;

/// Why a target is not there, as it stands in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetStatus {
    /// It is there.
    There = 0,
    /// The integration is at work in a thread of its own.
    Elsewhere = 1,
    /// The driver has not sent it yet, or keeps it back.
    Awaited = 2,
    /// The driver is gone.
    Lost = 3,
    /// The driver has ended the test.
    Finished = 4,
}

impl TargetStatus {
    /// From its number in the record.
    pub fn from_word(word: f64) -> Self {
        let all = [Self::Elsewhere, Self::Awaited, Self::Lost, Self::Finished];
        let found = all.into_iter().find(|p| (word - p.word()).abs() < 0.5);
        found.unwrap_or(Self::There)
    }

    /// Its number in the record.
    #[inline]
    pub fn word(self) -> f64 {
        f64::from(self as u8)
    }
}

impl HybridLoop {
    /// Whether the target of this segment is there, and why not.
    #[inline]
    pub(super) fn target_status(&self) -> TargetStatus {
        if !self.segment.pending {
            return TargetStatus::There;
        }
        match self.segment.readiness {
            Readiness::Lost => TargetStatus::Lost,
            Readiness::Finished => TargetStatus::Finished,
            _ if self.method.is_threaded => TargetStatus::Elsewhere,
            _ => TargetStatus::Awaited,
        }
    }
}
