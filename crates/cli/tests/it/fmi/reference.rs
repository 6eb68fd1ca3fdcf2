//! FMUs that other people made to be judged by: the Reference FMUs of the Modelica Association, and
//! what OpenModelica and MapleSim export.

use super::common::*;

/// Closed forms, the results that were published with them, scipy and FMPy.
#[test]
fn reference_fmus_give_their_closed_forms_and_their_published_results() {
    let Some(python) = tandem_test_support::python(&["fmpy", "scipy"]) else {
        return;
    };
    if tandem_test_support::fmus().is_some() {
        judged_by(&python, include_str!("reference.py"));
    }
}
