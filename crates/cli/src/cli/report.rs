//! `tandem report`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use serde_json::json;
use tandem::run::files;

use super::{Failure, say};

/// Write the report of a run again, also of one that was killed; with two runs, the page that
/// compares them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem report runs/quick-start-20261115-093000
  tandem report runs/test --rehearsal runs/rehearsal     both in the same plots
  tandem report runs/a runs/b                            compare two runs: comparison.html
  tandem report runs/a --drill                           with the faults that its plan can meet, \
  tried in rehearsal
  tandem report runs/a --pdf                             also on paper, by Chromium")]
pub struct Report {
    /// Folder of the run.
    run: PathBuf,
    /// Folder of another run to compare with.
    other: Option<PathBuf>,
    /// Lay this run under the test: what was expected.
    #[arg(long, value_name = "FOLDER", conflicts_with = "other")]
    rehearsal: Option<PathBuf>,
    /// Where the comparison goes; default: comparison.html in the folder of the second run.
    #[arg(long, value_name = "FILE", requires = "other")]
    out: Option<PathBuf>,
    /// Drill the plan of the run first (as `tandem drill`), and show the table in the report.
    #[arg(long, conflicts_with = "other")]
    drill: bool,
    /// Print the page to a PDF beside it. Needs Chromium (or TANDEM_BROWSER with its path).
    #[arg(long)]
    pdf: bool,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Report {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let (path, mut found) = match &self.other {
            Some(other) => {
                let page = self
                    .out
                    .clone()
                    .unwrap_or_else(|| other.join("comparison.html"));
                let figures = tandem_report::compare_runs(&self.run, other, &page)?;
                let found = json!({ "comparison": page, "first": self.run, "second": other,
                    "figures": figures });
                (page, found)
            }
            None => {
                if self.drill {
                    tandem::drill::drill_run(&self.run)?;
                }
                let (path, figures) =
                    tandem_report::report_again(&self.run, self.rehearsal.as_deref())?;
                if figures.was_interrupted() && !self.json {
                    say(&format!(
                        "The run was interrupted; the record ends at {} s.",
                        figures.simulated_s
                    ));
                }
                let found = json!({
                    "report": path,
                    "outcome": figures.outcome,
                    "stopped_at_s": figures.stopped_at_s,
                });
                (path, found)
            }
        };
        let mut written = vec![path.clone()];
        if self.pdf {
            let pdf = match &self.other {
                Some(_) => path.with_extension("pdf"),
                None => self.run.join(files::PDF),
            };
            print(&path, &pdf)?;
            found["pdf"] = json!(pdf);
            written.push(pdf);
        }
        if self.json {
            say(&found.to_string());
        } else {
            for path in written {
                say(&format!("{} written.", path.display()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints a page to a PDF with a Chromium, without a network.
fn print(page: &Path, pdf: &Path) -> Result<(), Failure> {
    let browser = browser().ok_or_else(|| {
        Failure::Other(
            "--pdf needs Chromium: install it (Debian: apt-get install chromium) or set \
            TANDEM_BROWSER to its path"
                .to_owned(),
        )
    })?;
    let other = |error: std::io::Error| Failure::Other(format!("{}: {error}", browser.display()));
    let page = page.canonicalize().map_err(other)?;
    let profile = std::env::temp_dir().join(format!("tandem-pdf-{}", std::process::id()));
    let _ = std::fs::remove_file(pdf);
    let output = Command::new(&browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--no-pdf-header-footer",
        ])
        .args([
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=5000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(file_url(&page))
        .stdin(Stdio::null())
        .output();
    let _ = std::fs::remove_dir_all(&profile);
    let output = output.map_err(other)?;
    if !pdf.is_file() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("it said nothing").to_owned();
        return Err(Failure::Other(format!(
            "{} did not write {}: {last}",
            browser.display(),
            pdf.display()
        )));
    }
    Ok(())
}

/// The address of a file, with every byte encoded that means something in an address.
fn file_url(path: &Path) -> String {
    let mut url = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                url.push(char::from(*byte));
            }
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

/// `TANDEM_BROWSER`, or a Chromium where systems put it.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("TANDEM_BROWSER").map(PathBuf::from);
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    named
        .into_iter()
        .chain(known.map(PathBuf::from))
        .find(|path| path.exists())
}
