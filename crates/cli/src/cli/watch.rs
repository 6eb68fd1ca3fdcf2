//! `tandem watch`.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use ratatui::crossterm::event::{self, Event, KeyCode};
use tandem_screen::watch::{Folder, RemoteView, StatusSource, StatusView, draw};

use super::{Failure, say};

/// Watch a test in the terminal: state, progress, limits, curves, events. It commands nothing.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem watch runs/quick-start-20261115-093000            the folder of a run, finished or growing
  tandem watch 127.0.0.1:8787                              the address of a screen (tandem run \
  --screen)
  tandem watch 'http://rack:8080/#token=…'                 one that needs its token
  tandem watch RUN --once                                  print what there is, and end

q or Esc leaves.")]
pub struct Watch {
    /// Folder of a run, or address of a screen.
    #[arg(value_name = "RUN|ADDRESS")]
    what: String,
    /// Print one look as text and end; also when the output is no terminal.
    #[arg(long)]
    once: bool,
    /// Print one look as one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Watch {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let path = Path::new(&self.what);
        let mut source: Box<dyn StatusSource> = if path.is_dir() {
            Box::new(Folder::open(path)?)
        } else if path.exists() || !self.what.contains(':') {
            return Err(Failure::Usage(format!(
                "{} is neither the folder of a run nor an address with its port (127.0.0.1:8787)",
                self.what
            )));
        } else {
            Box::new(RemoteView::connect(&self.what)?)
        };
        if self.json || self.once || !std::io::stdout().is_terminal() {
            // A screen needs a moment to send its first frames.
            let mut text = String::new();
            for _ in 0..20 {
                let glance = source.look()?;
                text = if self.json {
                    serde_json::to_string(glance).unwrap_or_default()
                } else {
                    glance.text()
                };
                if !glance.status.state.is_empty() {
                    break;
                }
            }
            say(&text);
            return Ok(ExitCode::SUCCESS);
        }
        let mut terminal = ratatui::init();
        let result = watch(&mut terminal, source.as_mut());
        ratatui::restore();
        // The last word of a test that has ended stays on the terminal.
        if let Some(glance) = result? {
            say(&glance.text());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Shows until somebody leaves, or until the test has ended: then what it was at the end.
fn watch(
    terminal: &mut ratatui::DefaultTerminal,
    source: &mut dyn StatusSource,
) -> Result<Option<StatusView>, Failure> {
    let fail = |error: std::io::Error| Failure::Other(error.to_string());
    let mut last: Option<StatusView> = None;
    loop {
        let glance = match (source.look(), last.take()) {
            (Ok(glance), _) => glance.clone(),
            (Err(_), Some(glance)) if glance.status.outcome.is_some() => return Ok(Some(glance)),
            (Err(why), _) => return Err(why.into()),
        };
        terminal.draw(|frame| draw(frame, &glance)).map_err(fail)?;
        last = Some(glance);
        while event::poll(Duration::from_millis(100)).map_err(fail)? {
            if let Event::Key(key) = event::read().map_err(fail)?
                && matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
            {
                return Ok(None);
            }
        }
    }
}
