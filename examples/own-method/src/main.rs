//! Runs the plan of this folder, whose compensator, specimen and monitor are those of this folder.

#![allow(clippy::print_stdout, reason = "it says what came of it")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let summary = own_method::run(&folder.path().join("run"))?;
    println!("{}", serde_json::to_string_pretty(&summary)?);
    Ok(())
}
