//! `cargo xtask test`: installs what the tests need, runs them all, and says at the end what was
//! skipped and where the time went.

use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::peers::{self, Install};
use crate::{Result, root};

/// Runs the tests; an error where one fails. What is none of our own words goes to `cargo test`.
pub fn run(words: &[&str]) -> Result<()> {
    let given = |word: &str| words.contains(&word);
    let own = ["--require-all", "--only-skipped", "--yes", "--no-system"];
    let rest = words.iter().filter(|word| !own.contains(word));
    let mut selection: Vec<String> = rest.map(|word| (*word).to_owned()).collect();
    let chosen = |word: &String| {
        word.starts_with("-p") || word.starts_with("--package") || word == "--workspace"
    };
    if !selection.iter().any(chosen) {
        selection.insert(0, "--workspace".into());
    }
    if !selection.iter().any(|word| word == "--no-fail-fast") {
        selection.insert(0, "--no-fail-fast".into());
    }
    let file = root().join("target/skipped.txt");
    if given("--only-skipped") {
        if !file.exists() {
            return Err("nothing is known of a last run; run `cargo xtask test` first".into());
        }
        let before = Skips::read(&file).tests();
        if before.is_empty() {
            println!("The last run skipped nothing.\n0 passed, 0 failed, 0 skipped");
            return Ok(());
        }
        if selection.iter().any(|word| word == "--") {
            return Err("--only-skipped names the tests itself: leave out `--`".into());
        }
        // Documentation skips nothing.
        selection.extend(["--lib", "--bins", "--tests", "--", "--exact"].map(str::to_owned));
        selection.extend(before);
    }
    let mut times = Vec::new();
    let start = Instant::now();
    let peers = peers::install(Install::of(words))?;
    times.push(("peers".to_owned(), start.elapsed()));
    // Cargo builds documentation's tests while it runs them.
    if !given("--doc") {
        build(&selection, &mut times)?;
    }

    std::fs::write(&file, "").map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = Command::new("cargo");
    command
        .current_dir(root())
        .arg("test")
        .args(&selection)
        .env("TANDEM_SKIPPED", &file);
    peers.export(&mut command);
    if given("--require-all") {
        command.env("TANDEM_REQUIRE_ALL", "1");
    }
    let (came_to_end, found) = suites(&mut command)?;
    times.extend(found.times);
    let skips = Skips::read(&file);
    print_times(&times);
    skips.print();
    for name in &found.failures {
        println!("failed: {name}");
    }
    let (failed, skipped) = (found.failed, skips.whole.len());
    let passed = found.passed.saturating_sub(skipped);
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    match (failed, came_to_end) {
        (0, true) if given("--only-skipped") && passed + skipped == 0 => {
            Err("none of the tests that were skipped is there any more: run all of them".into())
        }
        (0, true) => Ok(()),
        (0, false) => Err("a suite did not come to its end (see above)".into()),
        (_, _) => Err("tests failed".into()),
    }
}

/// Builds all that the tests are made of, with Cargo's own progress on the terminal.
fn build(selection: &[String], times: &mut Vec<(String, Duration)>) -> Result<()> {
    let start = Instant::now();
    let before_tests = selection.iter().take_while(|word| *word != "--");
    let over = AtomicBool::new(false);
    let linking = std::thread::scope(|scope| {
        let linking = scope.spawn(|| time_of_linkers(&over));
        let built = crate::run(
            Command::new("cargo")
                .current_dir(root())
                .args(["test", "--no-run"])
                .args(before_tests),
        );
        over.store(true, Ordering::Relaxed);
        built.map(|()| linking.join().unwrap_or_default())
    })?;
    times.push(("build".into(), start.elapsed()));
    if !linking.is_zero() {
        times.push(("  while a linker ran".into(), linking));
    }
    Ok(())
}

/// How long some linker of this machine was at work, by looks at the list of processes (Linux).
fn time_of_linkers(over: &AtomicBool) -> Duration {
    const BETWEEN: Duration = Duration::from_millis(100);
    let links = || {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter_map(|entry| std::fs::read_to_string(entry.path().join("comm")).ok())
            .any(|name| matches!(name.trim(), "ld" | "ld.lld" | "rust-lld" | "lld" | "mold"))
    };
    let mut sum = Duration::ZERO;
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(BETWEEN);
        if links() {
            sum += BETWEEN;
        }
    }
    sum
}

/// What the suites said.
#[derive(Default)]
struct Found {
    passed: usize,
    failed: usize,
    failures: Vec<String>,
    times: Vec<(String, Duration)>,
}

/// Runs `cargo test`, shows what it says while it says it, and counts; whether it ended well.
fn suites(command: &mut Command) -> Result<(bool, Found)> {
    if std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let start = Instant::now();
    let text = format!("{command:?}");
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| format!("{text}: {error}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let mut found = Found::default();
    let starts = std::thread::scope(|scope| {
        let starts = scope.spawn(|| {
            let mut starts = Vec::new();
            let mut package = String::new();
            pass_on(err, &mut std::io::stderr(), |line| {
                if let Some(name) = suite(line, &mut package) {
                    starts.push((name, Instant::now()));
                }
            });
            starts
        });
        pass_on(out, &mut std::io::stdout(), |line| found.count(line));
        starts.join().unwrap_or_default()
    });
    let ended = child.wait().map_err(|error| format!("{text}: {error}"))?;
    let mut ends = starts.iter().skip(1).map(|(_, at)| *at);
    for (name, at) in &starts {
        let end = ends.next().unwrap_or_else(Instant::now);
        found.times.push((name.clone(), end - *at));
    }
    found.times.push(("all suites".into(), start.elapsed()));
    Ok((ended.success(), found))
}

impl Found {
    /// Takes in a line of the harness.
    fn count(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += before(counts, " passed");
            self.failed += before(counts, " failed");
        }
        let test = line.strip_prefix("test ");
        if let Some(name) = test.and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failures.push(name.to_owned());
        }
    }
}

/// The number that stands before a word.
fn before(line: &str, word: &str) -> usize {
    let number = line
        .split(word)
        .next()
        .and_then(|text| text.rsplit(' ').next());
    number.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Shows every line as soon as it is there.
fn pass_on(from: Option<impl Read>, to: &mut impl Write, mut line: impl FnMut(&str)) {
    let Some(from) = from else { return };
    let mut from = BufReader::new(from);
    let mut bytes = Vec::new();
    while from.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
        // Nobody to tell where the terminal is gone.
        let _ = to.write_all(&bytes).and_then(|()| to.flush());
        line(String::from_utf8_lossy(&bytes).trim_end());
        bytes.clear();
    }
}

/// The suite that a line of Cargo says to start: `Running tests/it/main.rs (target/…/it-0f3a)`.
/// Unit tests name their package; the integration tests after them belong to the same.
fn suite(line: &str, package: &mut String) -> Option<String> {
    let plain = without_colours(line);
    let plain = plain.trim_start();
    if let Some(name) = plain.strip_prefix("Doc-tests ") {
        return Some(format!("{name}, documentation"));
    }
    let rest = plain.strip_prefix("Running ")?;
    let (source, program) = rest.rsplit_once(" (")?;
    let program = Path::new(program.trim_end_matches(')'))
        .file_name()?
        .to_str()?;
    let name = program.rsplit_once('-').map_or(program, |(name, _)| name);
    if source.starts_with("unittests") {
        name.clone_into(package);
        return Some(format!(
            "{name}, {}",
            source.trim_start_matches("unittests ")
        ));
    }
    Some(format!("{package}, {source}"))
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or("", |(_, rest)| rest)
    })
}

/// Where the time went; suites of less than a second are put together.
fn print_times(times: &[(String, Duration)]) {
    println!("\nwhere the time went, in seconds");
    let (long, short): (Vec<_>, Vec<_>) = times
        .iter()
        .partition(|(_, time)| *time >= Duration::from_secs(1));
    for (name, time) in long {
        println!("  {:7.1}  {name}", time.as_secs_f64());
    }
    let rest: Duration = short.iter().map(|(_, time)| *time).sum();
    println!("  {:7.1}  {} shorter ones", rest.as_secs_f64(), short.len());
    println!();
}

/// What the tests have skipped: lines as `tandem-test-support` writes them.
#[derive(Default)]
struct Skips {
    whole: Vec<String>,
    parts: Vec<String>,
}

impl Skips {
    fn read(file: &PathBuf) -> Self {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        let all = |start: &str| -> Vec<String> {
            let found = lines.iter().filter_map(|line| line.strip_prefix(start));
            found.map(str::to_owned).collect()
        };
        let mut whole = all("skipped: ");
        // A test that lacks two things is one test.
        whole.dedup_by(|next, kept| test(next) == test(kept));
        Self {
            whole,
            parts: all("skipped in part: "),
        }
    }

    /// Paths of the tests, as the harness takes them.
    fn tests(&self) -> Vec<String> {
        let all = self.whole.iter().chain(&self.parts);
        let mut tests: Vec<String> = all
            .filter_map(|line| test(line).split_once(' '))
            .map(|(_package, path)| path.to_owned())
            .collect();
        tests.sort_unstable();
        tests.dedup();
        tests
    }

    fn print(&self) {
        for line in &self.whole {
            println!("skipped: {line}");
        }
        for line in &self.parts {
            println!("skipped in part: {line}");
        }
    }
}

/// Package and path of the test in the line of a skip.
fn test(line: &str) -> &str {
    line.split(": ").next().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_named_by_their_package() {
        let mut package = String::new();
        let mut named = |line: &str| suite(line, &mut package);
        let unit = "     Running unittests src/lib.rs (target/debug/deps/tandem_signal-0f3a)";
        assert_eq!(named(unit).as_deref(), Some("tandem_signal, src/lib.rs"));
        let coloured = "\u{1b}[1m\u{1b}[92m     Running\u{1b}[0m tests/it/main.rs (target/it-0f3a)";
        assert_eq!(
            named(coloured).as_deref(),
            Some("tandem_signal, tests/it/main.rs")
        );
        let docs = "   Doc-tests tandem_signal";
        assert_eq!(named(docs).as_deref(), Some("tandem_signal, documentation"));
        assert_eq!(named("   Compiling tandem v0.1.0"), None);
    }

    #[test]
    fn results_are_counted() {
        let mut found = Found::default();
        found.count("test a::b ... FAILED");
        found.count("test a::c ... ok");
        found.count(
            "test result: FAILED. 11 passed; 2 failed; 0 ignored; 0 measured; 1 filtered out",
        );
        assert_eq!((found.passed, found.failed), (11, 2));
        assert_eq!(found.failures, ["a::b"]);
    }

    #[test]
    fn a_test_that_lacks_two_things_is_skipped_once() {
        let file = std::env::temp_dir().join(format!("tandem-skips-{}", std::process::id()));
        let lines = "skipped: tandem a::b: no data x\nskipped: tandem a::b: no data y\n\
                     skipped: tandem a::b: no data x\nskipped in part: tandem c: half: no data x\n";
        std::fs::write(&file, lines).unwrap();
        let skips = Skips::read(&file);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(skips.whole, ["tandem a::b: no data x"]);
        assert_eq!(skips.tests(), ["a::b", "c"]);
    }
}
