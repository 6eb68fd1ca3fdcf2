//! The runs that the examples promise in their `expected.json`, and how each is started.

use std::io::{BufRead, BufReader, Error, Read, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// One run of an example: its plan with overrides, what must be there first, and who drives it.
pub struct ExampleRun {
    /// Folder of the example.
    pub folder: PathBuf,
    /// Entry of `expected.json`: `plan`, `set`, `exit_code`, `serve`, `client`, and what is
    /// expected.
    pub entry: Value,
}

/// All runs of all examples, in the order of their names.
///
/// # Errors
/// Where an example has no readable `expected.json`.
pub fn example_runs() -> Result<Vec<ExampleRun>> {
    let mut folders = std::fs::read_dir(crate::root().join("examples"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort_unstable();
    let mut runs = Vec::new();
    for folder in folders {
        let file = folder.join("expected.json");
        let told = |error: String| Error::other(format!("{}: {error}", file.display()));
        let text = std::fs::read_to_string(&file).map_err(|error| told(error.to_string()))?;
        let all: Value = serde_json::from_str(&text).map_err(|error| told(error.to_string()))?;
        let entries = all["runs"].as_array();
        for entry in entries.ok_or_else(|| told("no list `runs`".into()))? {
            runs.push(ExampleRun {
                folder: folder.clone(),
                entry: entry.clone(),
            });
        }
    }
    Ok(runs)
}

/// The texts of a list; none where there is no list.
fn texts(list: &Value) -> Result<Vec<&str>> {
    let list = list.as_array().into_iter().flatten();
    list.map(text).collect()
}

fn text(value: &Value) -> Result<&str> {
    let told = || Error::other(format!("expected.json: {value} is no text"));
    value.as_str().ok_or_else(told)
}

/// The address in the next `listening on ADDRESS` that a program says.
fn listening(said: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    while said.read_line(&mut line)? > 0 {
        if let Some(address) = line.trim().strip_prefix("listening on ") {
            return Ok(address.to_owned());
        }
        line.clear();
    }
    Err(Error::other("it ended before it was listening"))
}

impl ExampleRun {
    /// Example, plan and overrides.
    #[must_use]
    pub fn name(&self) -> String {
        let folder = self.folder.file_name().unwrap_or_default();
        let plan = self.entry["plan"].as_str().unwrap_or("?");
        let sets = texts(&self.entry["set"]).unwrap_or_default();
        let sets: Vec<_> = sets.iter().map(|set| format!(" --set {set}")).collect();
        format!("{}/{plan}{}", folder.to_string_lossy(), sets.concat())
    }

    /// Whether a script of OpenSees drives it.
    #[must_use]
    pub fn needs_python(&self) -> bool {
        !self.entry["client"].is_null()
    }

    /// Runs it into a folder, with the published records where there are some; `python` drives
    /// those that need one.
    ///
    /// # Errors
    /// Where a program cannot be started, or the script that drives it fails.
    pub fn run(
        &self,
        program: &Path,
        data: Option<&Path>,
        python: Option<&Path>,
        out: &Path,
    ) -> Result<Output> {
        let mut sites = Vec::new();
        for words in self.entry["serve"].as_array().into_iter().flatten() {
            sites.push(Site::start(program, &texts(words)?)?);
        }
        let mut command = Command::new(program);
        let plan = self.folder.join(text(&self.entry["plan"])?);
        command
            .arg("run")
            .arg(plan)
            .args(["--json", "--out"])
            .arg(out);
        for set in texts(&self.entry["set"])? {
            command.args(["--set", set]);
        }
        match data {
            Some(data) => command.env("TANDEM_DATA", data),
            None => command.env_remove("TANDEM_DATA"),
        };
        let output = match (self.needs_python(), python) {
            (false, _) => command.output(),
            (true, None) => Err(Error::other("it needs a Python with openseespy")),
            (true, Some(python)) => self.driven(&mut command, python),
        };
        // They end with their client; after a failure nobody waits for them.
        if output.is_ok() {
            for site in &mut sites {
                site.process.0.wait()?;
            }
        }
        output
    }

    /// Starts the program, reads its ports, and lets the example's script drive it.
    fn driven(&self, command: &mut Command, python: &Path) -> Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running(command.spawn()?);
        let (out, err) = (process.0.stdout.take(), process.0.stderr.take());
        let (Some(mut out), Some(err)) = (out, err) else {
            return Err(Error::other("no pipe"));
        };
        let client = &self.entry["client"];
        let words = texts(&client["words"])?;
        let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let ports: usize = words.iter().map(|word| word.matches('{').count()).sum();
        let mut said = BufReader::new(err);
        for number in 0..ports {
            let address = listening(&mut said)?;
            let port = address.rsplit(':').next().unwrap_or_default();
            for word in &mut words {
                *word = word.replace(&format!("{{{number}}}"), port);
            }
        }
        // Its messages are read while it runs: a full pipe would hold it.
        let rest = std::thread::spawn(move || {
            let mut text = Vec::new();
            said.read_to_end(&mut text).map(|_| text)
        });
        let script = self.folder.join(text(&client["script"])?);
        let driver = Command::new(python).arg(script).args(&words).output()?;
        if !driver.status.success() {
            return Err(Error::other(String::from_utf8_lossy(&driver.stderr)));
        }
        let mut stdout = Vec::new();
        out.read_to_end(&mut stdout)?;
        let stderr = rest.join().map_err(|_| Error::other("a reader ended"))??;
        Ok(Output {
            status: process.0.wait()?,
            stdout,
            stderr,
        })
    }
}

/// A process that does not outlive whoever gives it up.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A site of the program's own that the test talks to.
struct Site {
    process: Running,
    // What it says is kept open: it would end at a closed pipe.
    _out: BufReader<std::process::ChildStdout>,
}

impl Site {
    fn start(program: &Path, words: &[&str]) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("serve").args(words).stdout(Stdio::piped());
        let mut process = Running(command.stderr(Stdio::null()).spawn()?);
        let out = process.0.stdout.take().ok_or(Error::other("no pipe"))?;
        let mut out = BufReader::new(out);
        listening(&mut out)?;
        Ok(Self { process, _out: out })
    }
}
