//! Beyond one machine: shards of a campaign for engines that exist.
//!
//! A shard is the runs i, i + n, i + 2n, … of n shards, in a file of its own. Whoever computes it,
//! the files merge to the same bits.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::CampaignError;

const SCRIPT: &str = include_str!("hyperqueue.py");

/// One of several shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From zero.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// Why a word is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Not a number and a count.
    #[error(
        "--shard {0}: expected a number and a count, such as 0/16 (the first of sixteen), \
         or auto/16"
    )]
    Form(String),
    /// `auto` outside of an engine.
    #[error("--shard {0}: neither HQ_TASK_ID nor SLURM_ARRAY_TASK_ID is set; write the number")]
    NoTask(String),
}

impl Shard {
    /// From `3/16`, or `auto/16`: the number is then that of the engine's task.
    ///
    /// # Errors
    /// [`ShardError`].
    pub fn read(text: &str) -> Result<Self, ShardError> {
        let wrong = || ShardError::Form(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let of: usize = of.parse().map_err(|_| wrong())?;
        let number = if number == "auto" {
            let known = ["HQ_TASK_ID", "SLURM_ARRAY_TASK_ID"];
            let found = known.iter().find_map(|key| std::env::var(key).ok());
            let number = found.and_then(|text| text.parse().ok());
            number.ok_or_else(|| ShardError::NoTask(text.to_owned()))?
        } else {
            number.parse().map_err(|_| wrong())?
        };
        if number >= of {
            return Err(wrong());
        }
        Ok(Self { number, of })
    }

    /// Its runs of 1 … `runs`.
    #[must_use]
    pub fn runs(self, runs: usize) -> Vec<usize> {
        (1..=runs).skip(self.number).step_by(self.of).collect()
    }

    /// Its file in the folder of the campaign.
    #[must_use]
    pub fn file(self, folder: &Path) -> PathBuf {
        folder.join(format!("shard-{}-of-{}.csv", self.number, self.of))
    }
}

/// The Python that has the engine's package.
fn python() -> PathBuf {
    std::env::var_os("TANDEM_PYTHON").map_or_else(|| "python3".into(), PathBuf::from)
}

/// Runs the commands of all shards on HyperQueue and waits for them: on the server of
/// $HQ_SERVER_DIR or of this user, else on a local cluster that lives as long as the campaign.
///
/// # Errors
/// [`CampaignError::Engine`] with all that the engine and its tasks said. Returns what is worth
/// knowing. `done` hears how many runs are there.
pub fn hyperqueue(
    name: &str,
    folder: &Path,
    commands: &[Vec<String>],
    mut done: impl FnMut(usize),
) -> Result<Vec<String>, CampaignError> {
    let failed = |text: String| CampaignError::Engine(text);
    let python = python();
    let remedy = "install it with `pip install hyperqueue` and set TANDEM_PYTHON to that Python";
    let mut child = Command::new(&python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(format!("{}: {error}; {remedy}", python.display())))?;
    let cwd = std::env::current_dir().unwrap_or_default();
    let work = json!({
        "server_dir": std::env::var("HQ_SERVER_DIR").ok(),
        "cwd": cwd,
        "name": name,
        "logs": folder,
        "commands": commands,
    });
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not listen has gone, and says why.
        let _ = stdin.write_all(work.to_string().as_bytes());
    }
    let mut said = child.stderr.take();
    let listener = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = &mut said {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    });
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {
                done(rows_there(folder, commands.len()));
                std::thread::sleep(LOOK_AGAIN);
            }
            Err(error) => return Err(failed(format!("the engine ended: {error}"))),
        }
    };
    let stderr = listener.join().unwrap_or_default();
    let text = String::from_utf8_lossy(&stderr);
    if status.success() {
        let notes = text.lines().filter_map(|line| line.strip_prefix("note: "));
        return Ok(notes.map(str::to_owned).collect());
    }
    // Where a package is missing, the way there through our script helps nobody.
    let missing = text.lines().find(|line| line.contains("No module named"));
    if let Some(line) = missing {
        let line = line.trim_start_matches("ModuleNotFoundError: ");
        return Err(failed(format!(
            "HyperQueue cannot be used: {} says {line}; {remedy}",
            python.display()
        )));
    }
    // A task's own words stand in its file.
    let mut said = format!("HyperQueue failed:\n{}", text.trim_end());
    for number in 0..commands.len() {
        let path = folder.join(format!("shard-{number}.err"));
        let words = std::fs::read_to_string(&path).unwrap_or_default();
        if !words.trim().is_empty() {
            let _ = write!(said, "\n{}:\n{}", path.display(), words.trim_end());
        }
    }
    Err(failed(said))
}

/// How often the files of shards are looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(300);

/// Rows in the files of all shards, less the two lines of their headings.
fn rows_there(folder: &Path, shards: usize) -> usize {
    let lines = (0..shards).map(|number| {
        let path = Shard { number, of: shards }.file(folder);
        let bytes = std::fs::read(path).unwrap_or_default();
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        lines.saturating_sub(2)
    });
    lines.sum()
}

/// A word for the shell.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The script of a Slurm array with one task for each shard; `command` is the campaign without
/// `--shard`.
#[must_use]
pub fn slurm(name: &str, folder: &Path, shards: usize, command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    let line = words.join(" ");
    let name: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(60)
        .collect();
    // Slurm reads its lines with quotes as a shell does, and % as the beginning of a pattern.
    let log = |ending: &str| {
        let folder = folder.to_string_lossy().replace('%', "%%");
        quoted(&format!("{folder}/shard-%a.{ending}"))
    };
    let script = quoted(&folder.join(SLURM_SCRIPT).to_string_lossy());
    format!(
        "#!/bin/sh\n#SBATCH --job-name={name}\n#SBATCH --array=0-{}\n#SBATCH --ntasks=1\n\
        #SBATCH --cpus-per-task=1\n\
         #SBATCH --output={}\n#SBATCH --error={}\n\
         # Submit with: sbatch {script}\n\
         # When all tasks are done, merge them: {line} --merge\n\
         exec {line} --jobs 1 --shard auto/{shards}\n",
        shards.saturating_sub(1),
        log("out"),
        log("err"),
    )
}

/// Its name in the folder of the campaign.
pub const SLURM_SCRIPT: &str = "campaign.sbatch";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_runs_once() {
        let mut all: Vec<usize> = (0..7)
            .flat_map(|number| Shard { number, of: 7 }.runs(100))
            .collect();
        all.sort_unstable();
        assert_eq!(all, (1..=100).collect::<Vec<_>>());
        assert!(Shard::read("7/7").is_err() && Shard::read("x").is_err());
        assert_eq!(Shard::read("2/7"), Ok(Shard { number: 2, of: 7 }));
    }

    #[test]
    fn the_script_quotes_its_words() {
        let words = ["tandem", "campaign", "it's a plan.toml"].map(str::to_owned);
        let script = slurm("A plan", Path::new("my 50 % out"), 16, &words);
        assert!(script.contains("#SBATCH --output='my 50 %% out/shard-%a.out'\n"));
        assert!(script.contains("sbatch 'my 50 % out/campaign.sbatch'\n"));
        assert!(script.contains("tandem campaign 'it'\\''s a plan.toml' --jobs 1 --shard auto/16"));
        assert!(script.contains("--array=0-15"));
    }
}
