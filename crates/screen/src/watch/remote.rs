//! A test on a screen, seen through its address.

use crate::client::{Client, Heard};
use crate::{Said, Scene, Told, wire};
use tandem_quantity::number::readable_unit;

use super::{POINTS, StatusSource, StatusView, WatchError};

/// A screen somewhere.
pub struct RemoteView {
    client: Client,
    scene: Option<Scene>,
    /// Columns that were asked for, by name.
    columns: Vec<String>,
    now: Vec<f32>,
    view: StatusView,
}

impl RemoteView {
    /// Connects to an address as the program printed it.
    ///
    /// # Errors
    /// [`WatchError`].
    pub fn connect(address: &str) -> Result<Self, WatchError> {
        Ok(Self {
            client: Client::connect(address, "tandem watch")?,
            scene: None,
            columns: Vec::new(),
            now: Vec::new(),
            view: StatusView::default(),
        })
    }

    fn take_scene(&mut self, scene: Scene) -> Result<(), WatchError> {
        let mut names = Vec::new();
        for (i, actuator) in scene.actuators.iter().enumerate() {
            for name in [
                "target",
                "measured_displacement",
                "command",
                "measured_force",
            ] {
                names.push(format!("{name}/{}", i + 1));
            }
            names.extend(
                actuator
                    .limits
                    .iter()
                    .flat_map(|l| l.channels.iter().cloned()),
            );
        }
        names.extend(scene.indicators.iter().map(|i| i.channel.clone()));
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()) && scene.column(name).is_some());
        let numbers: Vec<usize> = names.iter().filter_map(|n| scene.column(n)).collect();
        self.client.say(&Said::Subscribe { channels: numbers })?;
        self.columns = names;
        self.view = StatusView::of_scene(&scene);
        self.scene = Some(scene);
        Ok(())
    }

    fn take_frame(&mut self, frame: &wire::Read) {
        if frame.channels != self.columns.len() {
            return;
        }
        if frame.kind == wire::NOW {
            self.now.clone_from(&frame.values);
        } else if frame.level == 2 {
            let unit = self
                .scene
                .as_ref()
                .and_then(|s| s.actuators.first())
                .map_or("m", |a| &a.unit);
            let factor = readable_unit(unit).1;
            for (bin, time) in frame.times.iter().enumerate() {
                let value = |column: usize| {
                    let at = (bin * frame.channels + column) * 3 + 2;
                    factor * frame.values.get(at).copied().map_or(f64::NAN, f64::from)
                };
                self.view.target.push((*time, value(0)));
                self.view.measured.push((*time, value(1)));
            }
            for curve in [&mut self.view.target, &mut self.view.measured] {
                let surplus = curve.len().saturating_sub(POINTS);
                curve.drain(..surplus);
            }
        }
    }
}

impl StatusSource for RemoteView {
    fn look(&mut self) -> Result<&StatusView, WatchError> {
        // Everything that has come, but no longer than a moment.
        let until = std::time::Instant::now() + std::time::Duration::from_millis(150);
        loop {
            match self.client.accept()? {
                Heard::Told(told) => match *told {
                    Told::Scene(scene) => self.take_scene(scene)?,
                    Told::Status { status, .. } => self.view.status = status,
                    Told::Events { list } => {
                        self.view
                            .events
                            .extend(list.into_iter().map(|h| (h.time_s, h.tone, h.text)));
                        let surplus = self.view.events.len().saturating_sub(200);
                        self.view.events.drain(..surplus);
                    }
                    Told::Reset => {
                        self.view.target.clear();
                        self.view.measured.clear();
                    }
                    _ => {}
                },
                Heard::Frame(frame) => self.take_frame(&frame),
                Heard::Nothing => break,
            }
            if std::time::Instant::now() > until {
                break;
            }
        }
        if let Some(scene) = &self.scene {
            let place = |name: &str| self.columns.iter().position(|c| c == name);
            let at = |name: &str, part: usize| {
                let value = place(name).and_then(|column| self.now.get(3 * column + part));
                value.copied().map_or(f64::NAN, f64::from)
            };
            self.view.take(scene, &|name| at(name, 2), &|name| {
                at(name, 0).abs().max(at(name, 1).abs())
            });
        }
        Ok(&self.view)
    }
}
