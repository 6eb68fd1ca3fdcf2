//! The project's chores: `cargo xtask help` lists them.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program for developers' terminals

mod architecture;
mod bench;
mod compare;
mod mutants;
mod package;
mod peers;
mod problems;
mod study;
mod supply;
mod test;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask test [--require-all] [--only-skipped] [--yes] [--no-system] [WORDS OF cargo test]
                        install what the tests need (Python peers, FMUs of other tools, Playwright
                        into target/; a browser, Node and libraries of OpenSees from Debian, named
                        first: --yes does not ask, --no-system leaves the system alone), run all
                        tests and list what was skipped; --require-all fails instead of skipping,
                        --only-skipped runs what the last run skipped
cargo xtask architecture [--check | --habits]
                        crates and modules know only what is below them, as ARCHITECTURE.md lists
                        it; pure rooms touch nothing of the world; no crate is too large, no line
                        too long. Draws docs/architecture.svg; --check fails where that is old,
                        --habits counts what is to go
cargo xtask peers [--yes] [--no-system]
                        install them only, and print the variables by which `cargo test` finds them
cargo xtask compare OLD NEW [--examples | --benches] [--map FILE] [--only WORD] [--turns N] [--json]
                        two programs, by their paths or as commits to be built: every value of every
                        channel of every example by its bits, then the benches in alternation;
                        --map names a file with a line `old = new` for each renamed channel
cargo xtask bench [WHAT] [--json]
                        measure beside a peer; WHAT is `loop` (default: beside the same loop in
                        numpy), `integrators`, `monitors`, `opensees` (its genericClient against our
                        server), `rt` (the real-time loop beside cyclictest), `screen` (the loop
                        with none and three browsers), `structure` (frames beside OpenSees),
                        `transfer`, `problems` (beside numba) or `fmi` (an FMU beside FMPy and a C
                        loop)
cargo xtask study kills [RUNS]
                        runs killed at random moments: does every file open, how much is missing?
cargo xtask study problems [RUNS] [--json]
                        the benchmark problems with random plants, all cases and records: the tables
                        of docs/benchmarks.md; fails where a goal is missed
cargo xtask study stability-warning [CASES [SEED [BOUND]]] [--json]
                        random tests with the stability verdict on: the table of
                        docs/stability-warning.md
cargo xtask study tangent-stiffness [models | window | rules | errors | moment] [--json]
                        the models of Hung and El-Tawil 2009: the tables and figures of
                        docs/tangent-stiffness.md
cargo xtask mutants [CRATE …] [--seed N] [--budget SECONDS] [--missed] [--own]
                        would the tests notice if the code were wrong? The table of docs/testing.md;
                        --missed tries what no run has noticed so far, --own by the crates' own
                        tests alone; cargo-mutants is installed where it is missing
cargo xtask third-party [--check]
                        THIRD_PARTY.md: licences of all crates that the program is made of
cargo xtask deny        licences, versions that are there twice, sources and advisories, by
                        deny.toml; cargo-deny is installed where it is missing
cargo xtask machete     dependencies that nobody uses; cargo-machete is installed likewise
cargo xtask package [--no-verify] [CRATE …]
                        packs every library as the registry would take it, after a look at what it
                        says of itself and includes, and builds what is in the packages
cargo xtask semver --baseline REVISION
                        has what others call of the libraries changed since that commit, beyond what
                        their version lets expect? cargo-semver-checks is installed likewise
cargo xtask screenshots     the pictures of the README: the operator's screen and the report, light
                        and dark, into docs/
";

/// What went wrong, in a sentence.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test", rest @ ..] => test::run(rest),
        ["architecture", rest @ ..] => architecture::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["third-party", rest @ ..] => supply::third_party(rest),
        ["deny"] => supply::deny(),
        ["machete"] => supply::machete(),
        ["package", rest @ ..] => package::package(rest),
        ["semver", rest @ ..] => package::semver(rest),
        ["compare", rest @ ..] => compare::run(rest),
        ["mutants", rest @ ..] => mutants::run(rest),
        ["peers", rest @ ..] => peers::show(rest),
        ["study", rest @ ..] => study::run(rest),
        ["screenshots"] => screenshots(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("unknown chore `{}`\n\n{HELP}", words.join(" "))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Takes the pictures of the README with the program in its release build.
fn screenshots() -> Result<()> {
    let program = bench::release("tandem")?;
    run(peers::script("screenshots.mjs", &program)?.arg(root().join("docs")))
}

/// Runs a command and waits; its output goes to the terminal.
fn run(command: &mut Command) -> Result<()> {
    let text = format!("{command:?}");
    let status = command
        .status()
        .map_err(|error| format!("{text}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{text} failed ({status})"))
    }
}
