//! `--screen` of `tandem run` and `tandem replay`.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tandem::plan::Plan;
use tandem_coordinator::{Console, RunControls, tap};
use tandem_screen::feed::{self, Finished, Live};
use tandem_screen::{Screen, Severity};

use super::check::Driver;
use super::{Failure, complain};
use tandem_quantity::index;

/// The operator's screen.
#[derive(Args, Clone)]
pub struct ScreenArgs {
    /// Show the operator's screen in a browser; ADDRESS is a port or an address with its port.
    /// Default: 127.0.0.1:8787.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "")]
    screen: Option<String>,
    /// Token that lets a browser command (better in TANDEM_TOKEN, where other users do not see it);
    /// default: a random one, printed with the address.
    #[arg(long, value_name = "TOKEN", requires = "screen")]
    token: Option<String>,
    /// With --screen: begin at once instead of waiting for Start and Next.
    #[arg(long, requires = "screen")]
    start_now: bool,
}

/// A screen that shows a test, and where its end is told.
pub struct Shown {
    screen: Screen,
    finished: Finished,
}

impl ScreenArgs {
    /// Whether the test will wait for an operator.
    pub fn is_attended(&self) -> bool {
        self.screen.is_some() && !self.start_now
    }

    /// Where to listen; none without `--screen`.
    fn options(&self) -> Result<Option<tandem_screen::Options>, Failure> {
        let Some(address) = &self.screen else {
            return Ok(None);
        };
        let token = self
            .token
            .clone()
            .or_else(|| std::env::var("TANDEM_TOKEN").ok());
        let options = feed::options(address, token.as_deref())
            .map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Some(options))
    }

    /// Shows the test that is about to run through these run_controls.
    pub fn attach(
        &self,
        plan: &Plan,
        run_controls: &mut RunControls,
        console: &Console,
        realtime: bool,
    ) -> Result<Option<Shown>, Failure> {
        let Some(options) = self.options()? else {
            return Ok(None);
        };
        let test = plan.assemble()?;
        let Ok(hybrid) = test.hybrid() else {
            return Err(Failure::Usage(
                "the plan has no specimen, so it is computed at once: there is nothing to watch"
                    .to_owned(),
            ));
        };
        let executor = match (realtime, run_controls.pace) {
            (true, _) => "real time".to_owned(),
            (false, Some(pace)) => format!("virtual, pace {pace}"),
            (false, None) => "virtual, unpaced".to_owned(),
        };
        let scene = feed::of_test(plan, &test, &executor);
        let monitors = hybrid.parts().monitors.iter().map(|(name, _)| *name);
        // Two seconds of rows: the screen drains them 25 times a second.
        let rows = index((2.0 * scene.rate_hz).clamp(1024.0, 65_536.0));
        let (loop_end, watch) = tap(scene.channels.len(), rows);
        let finished = Finished::default();
        let outside = Driver::of(plan)?.map(|driver| driver.driver);
        let source = Live::new(
            watch,
            console.clone(),
            Arc::clone(&run_controls.recording),
            monitors.collect(),
            finished.clone(),
            &scene,
            run_controls.pace,
            realtime,
            outside,
        );
        run_controls.tap = Some(loop_end);
        run_controls.attended = self.is_attended();
        let screen = Screen::start(options, scene, Box::new(source))
            .map_err(|error| Failure::Other(error.to_string()))?;
        complain(&format!("Operator's screen: {}", screen.url()));
        if run_controls.attended {
            complain("The test waits for Start there. Without the token a page only watches.");
        }
        Ok(Some(Shown { screen, finished }))
    }

    /// Plays a record on the screen until Ctrl-C; false without `--screen`.
    pub fn play(&self, folder: &std::path::Path, pace: f64) -> Result<bool, Failure> {
        let Some(options) = self.options()? else {
            return Ok(false);
        };
        let screen = feed::play(folder, options, pace, self.start_now)?;
        complain(&format!("Operator's screen: {}", screen.url()));
        complain("A record is shown; Start plays it. Ctrl-C ends.");
        let (gone, wait) = std::sync::mpsc::channel();
        let _ = ctrlc::set_handler(move || {
            let _ = gone.send(());
        });
        let _ = wait.recv();
        drop(screen);
        Ok(true)
    }
}

impl Shown {
    /// Tells the pages how the test ended (`event`: in the list of events), and closes.
    pub fn finish(self, text: &str, event: &str, good: bool) {
        let tone = if good { Severity::Good } else { Severity::Bad };
        self.finished.tell(text, event, tone);
        // Whoever is about to connect (a page that reloads) still sees the end.
        if self.screen.watchers() > 0 {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}
