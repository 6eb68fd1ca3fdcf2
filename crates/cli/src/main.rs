//! The program `tandem`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    let code = cli::main();
    // A thread may still hold an FMU.
    tandem_fmi::binding::leaving();
    code
}
