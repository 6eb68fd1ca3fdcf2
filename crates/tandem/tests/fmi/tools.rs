//! Other tools: their FMUs in our importer, ours in their master.

use crate::common::*;

/// PythonFMU (FMI 2.0) and PythonFMU3 (FMI 3.0) through `fmu simulate`; an exported oscillator in libcosim.
#[test]
fn fmus_of_other_tools_run_here_and_ours_run_there() {
    judged_by_python(include_str!("tools.py"));
}
