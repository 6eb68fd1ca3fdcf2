//! The tests of the tree: how long each takes, and which mutants it reaches.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::list::Mutant;
use super::tree;
use crate::peers::{self, Install, Peers};
use crate::{Result, root};

/// A test whose own run takes longer is left out.
const LONGEST: Duration = Duration::from_secs(30);

/// One test: it runs in a process of its own.
pub struct Test {
    pub name: String,
    program: PathBuf,
    folder: PathBuf,
    package: String,
    pub seconds: f64,
    /// Mutants that it comes past.
    pub reaches: Vec<bool>,
}

/// How a test ended.
#[derive(PartialEq, Eq)]
pub enum End {
    Passed,
    Failed,
    TimedOut,
}

impl Test {
    /// Runs it alone with these variables.
    pub fn run(&self, peers: &Peers, variables: &[(&str, String)], limit: Duration) -> Result<End> {
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .args(["--exact", &self.name])
            .env("CARGO_PKG_NAME", &self.package)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        peers.export(&mut command);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let told = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let mut child = command.process_group(0).spawn().map_err(told)?;
        // A mutant that takes memory without end is the first that the system ends.
        let first = format!("/proc/{}/oom_score_adj", child.id());
        let _ = std::fs::write(first, "1000");
        let start = Instant::now();
        let end = loop {
            if let Some(status) = child.try_wait().map_err(told)? {
                let passed = status.success();
                break if passed { End::Passed } else { End::Failed };
            }
            if start.elapsed() > limit {
                break End::TimedOut;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        if end != End::Passed {
            // With the programs that it has started and can no longer end.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill")
                .args(["-KILL", "--", &group])
                .stderr(Stdio::null())
                .status();
            child.wait().map_err(told)?;
        }
        Ok(end)
    }
}

/// Does something for every number below `count`, on all cores.
pub fn everywhere(count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    if let Err(error) = work(number) {
                        next.store(count, Ordering::Relaxed);
                        *failed
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    failed
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .map_or(Ok(()), Err)
}

/// Builds the tests of these packages, or of the whole tree where none is named, runs each once,
/// and keeps those that pass and reach a mutant.
pub fn all(mutants: &[Mutant], packages: &[String]) -> Result<Vec<Test>> {
    let peers = peers::install(Install::LeaveSystem)?;
    let list = build(packages)?;
    println!("{} tests", list.len());
    let folder = root().join("target/mutants/reached");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let done = Mutex::new(Vec::new());
    everywhere(list.len(), |number| {
        let test = &list[number];
        if number % 100 == 0 {
            println!("{number} of {}", list.len());
        }
        let file = folder.join(number.to_string());
        let variables = [("MUTANTS_REACHED", file.to_string_lossy().into_owned())];
        let start = Instant::now();
        let end = test.run(&peers, &variables, LONGEST)?;
        let seconds = start.elapsed().as_secs_f64();
        if end != End::Passed {
            let why = if end == End::Failed {
                "fails"
            } else {
                "takes too long"
            };
            println!(
                "left out: {} {} {why} without a mutant",
                test.package, test.name
            );
            return Ok(());
        }
        let mut reaches = vec![false; mutants.len()];
        for line in std::fs::read_to_string(&file).unwrap_or_default().lines() {
            if let Some(reached) = line
                .trim()
                .parse()
                .ok()
                .and_then(|n: usize| reaches.get_mut(n))
            {
                *reached = true;
            }
        }
        if reaches.contains(&true) {
            let mut done = done
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            done.push(Test {
                name: test.name.clone(),
                program: test.program.clone(),
                folder: test.folder.clone(),
                package: test.package.clone(),
                seconds,
                reaches,
            });
        }
        Ok(())
    })?;
    let mut tests = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let seconds = tests.iter().map(|test| test.seconds).sum::<f64>();
    println!("{} of them reach a mutant, in {seconds:.0} s", tests.len());
    Ok(tests)
}

/// Builds and lists.
fn build(packages: &[String]) -> Result<Vec<Test>> {
    let mut command = Command::new("cargo");
    command
        .current_dir(tree())
        .env_remove("CARGO_TARGET_DIR")
        .args(["test", "--no-run", "--lib", "--bins", "--tests"]);
    if packages.is_empty() {
        command.args(["--workspace", "--exclude", "xtask"]);
        command.args(["--exclude", "tandem-bench"]);
    }
    for package in packages {
        command.args(["--package", package]);
    }
    let output = command
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the tests with the mutants do not build (see above)".into());
    }
    let mut tests = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(row) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let (Some(program), Some(manifest)) =
            (row["executable"].as_str(), row["manifest_path"].as_str())
        else {
            continue;
        };
        if row["profile"]["test"] != true {
            continue;
        }
        let folder = Path::new(manifest).parent().unwrap_or(Path::new("/"));
        let text = std::fs::read_to_string(manifest).map_err(|error| error.to_string())?;
        let name = text.lines().find_map(|line| line.strip_prefix("name = "));
        let package = name.unwrap_or_default().trim_matches('"').to_owned();
        let list = Command::new(program)
            .current_dir(folder)
            .args(["--list", "--format", "terse"])
            .output()
            .map_err(|error| format!("{program}: {error}"))?;
        for line in String::from_utf8_lossy(&list.stdout).lines() {
            let Some(name) = line.strip_suffix(": test") else {
                continue;
            };
            tests.push(Test {
                name: name.to_owned(),
                program: program.into(),
                folder: folder.into(),
                package: package.clone(),
                seconds: 0.0,
                reaches: Vec::new(),
            });
        }
    }
    Ok(tests)
}
