//! The program `tandem`.
#![allow(rustdoc::broken_intra_doc_links)] // help for terminals names [sections] of plans

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    let code = cli::main();
    // A thread may still hold an FMU.
    tandem_fmi::binding::leaving();
    code
}
