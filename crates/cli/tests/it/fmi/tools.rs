//! Other tools: their FMUs in our importer, ours in their master.

use super::common::*;
use std::process::Command;
use tandem_test_support::{python, skip};

/// PythonFMU (FMI 2.0) and PythonFMU3 (FMI 3.0) through `fmu simulate`.
#[test]
fn fmus_of_other_tools_run_here() {
    let Some(python) = python(&["pythonfmu", "pythonfmu3"]) else {
        return;
    };
    let shared = "import os, sysconfig\nof = sysconfig.get_config_var\n\
                  assert '.so' in of('INSTSONAME')\n\
                  assert os.path.exists(os.path.join(of('LIBDIR'), of('INSTSONAME')))";
    let asked = Command::new(&python).args(["-c", shared]).output();
    if !asked.unwrap().status.success() {
        return skip(
            "no Python as a shared library, which PythonFMU needs; Debian: libpython3-dev",
        );
    }
    judged_by(&python, include_str!("tools.py"));
}

/// An exported oscillator in libcosim.
#[test]
fn ours_run_in_a_master_of_others() {
    if let Some(python) = python(&["fmpy", "libcosimpy"]) {
        judged_by(&python, include_str!("libcosim.py"));
    }
}
