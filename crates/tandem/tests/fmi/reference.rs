//! FMUs that other people made to be judged by: the Reference FMUs of the Modelica Association, and what OpenModelica and MapleSim export.

use crate::common::*;

/// Closed forms, the results that were published with them, scipy and FMPy.
#[test]
fn reference_fmus_give_their_closed_forms_and_their_published_results() {
    if std::env::var_os("TANDEM_FMUS").is_none() {
        println!("skipped: TANDEM_FMUS is not set (cargo xtask test fetches them and sets it)");
        return;
    }
    judged_by_python(include_str!("reference.py"));
}
