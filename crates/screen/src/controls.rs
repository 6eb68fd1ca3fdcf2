//! Who holds the controls: at most one browser, and another only when the holder hands them over,
//! lets go, or is gone.

use serde::{Deserialize, Serialize};

/// What a browser wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlRequest {
    /// Have the controls; asks the holder where there is one.
    Take,
    /// Let go.
    Release,
    /// Hand over to whoever asked.
    Grant,
    /// Keep them: whoever asked is told.
    Keep,
}

impl ControlRequest {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Take => "take",
            Self::Release => "release",
            Self::Grant => "grant",
            Self::Keep => "keep",
        }
    }
}

/// Seconds for which the controls of a browser that vanished stay its own: a reload takes less.
pub const GRACE_S: f64 = 5.0;

#[derive(Clone, Debug, PartialEq)]
struct Seat {
    client: String,
    name: String,
    /// When it was lost; none while it is there.
    lost_at: Option<f64>,
}

/// The state; pure, time comes as an argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    holder: Option<Seat>,
    asking: Option<(String, String)>,
}

/// What the pages are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Name of the holder.
    pub holder: Option<String>,
    /// Whether it is away.
    pub away: bool,
    /// Whether it is the one that is told.
    pub yours: bool,
    /// Name of who asks for the controls.
    pub asking: Option<String>,
    /// Whether the one that is told asks.
    pub you_ask: bool,
}

impl Controls {
    /// A wish of a trusted browser, known by its id. The error is a sentence for it.
    pub fn wish(
        &mut self,
        client: &str,
        name: &str,
        wish: ControlRequest,
    ) -> Result<(), &'static str> {
        let holds = self.holds(client);
        match wish {
            ControlRequest::Take if holds => {}
            ControlRequest::Take if self.holder.is_none() => self.seat(client, name),
            ControlRequest::Take => match &self.asking {
                Some((other, _)) if other != client => {
                    return Err("somebody else has already asked for the controls");
                }
                _ => self.asking = Some((client.to_owned(), name.to_owned())),
            },
            ControlRequest::Release if holds => {
                self.holder = None;
                if let Some((client, name)) = self.asking.take() {
                    self.seat(&client, &name);
                }
            }
            ControlRequest::Grant if holds => match self.asking.take() {
                Some((client, name)) => self.seat(&client, &name),
                None => return Err("nobody asks for the controls"),
            },
            ControlRequest::Keep if holds => self.asking = None,
            _ => return Err("another browser holds the controls"),
        }
        Ok(())
    }

    fn seat(&mut self, client: &str, name: &str) {
        self.asking = self.asking.take().filter(|(other, _)| other != client);
        self.holder = Some(Seat {
            client: client.to_owned(),
            name: name.to_owned(),
            lost_at: None,
        });
    }

    /// Whether this browser may command.
    pub fn holds(&self, client: &str) -> bool {
        self.holder
            .as_ref()
            .is_some_and(|seat| seat.client == client)
    }

    /// A browser has come (back). The first one that may command gets the controls.
    pub fn arrive(&mut self, client: &str, name: &str) {
        match &mut self.holder {
            Some(seat) if seat.client == client => seat.lost_at = None,
            Some(_) => {}
            None => self.seat(client, name),
        }
    }

    /// A browser has gone.
    pub fn leave(&mut self, client: &str, now_s: f64) {
        if let Some(seat) = self.holder.as_mut().filter(|seat| seat.client == client) {
            seat.lost_at = Some(now_s);
        }
        self.asking = self.asking.take().filter(|(asking, _)| asking != client);
    }

    /// Lets the controls go that were left behind for too long; true when that happened.
    pub fn expire(&mut self, now_s: f64) -> bool {
        let gone = self
            .holder
            .as_ref()
            .and_then(|seat| seat.lost_at)
            .is_some_and(|at| now_s - at > GRACE_S);
        if gone {
            self.holder = None;
            if let Some((client, name)) = self.asking.take() {
                self.seat(&client, &name);
            }
        }
        gone
    }

    /// Whether somebody holds the controls and is there.
    pub fn present(&self) -> bool {
        self.holder
            .as_ref()
            .is_some_and(|seat| seat.lost_at.is_none())
    }

    /// What a browser is told.
    pub fn view(&self, client: &str) -> View {
        View {
            holder: self.holder.as_ref().map(|seat| seat.name.clone()),
            away: self
                .holder
                .as_ref()
                .is_some_and(|seat| seat.lost_at.is_some()),
            yours: self.holds(client),
            asking: self.asking.as_ref().map(|(_, name)| name.clone()),
            you_ask: self
                .asking
                .as_ref()
                .is_some_and(|(asking, _)| asking == client),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_holds_and_hands_over_explicitly() {
        let mut controls = Controls::default();
        controls.arrive("a", "A");
        controls.arrive("b", "B");
        assert!(controls.holds("a") && !controls.holds("b"));
        assert!(
            controls.wish("b", "B", ControlRequest::Grant).is_err(),
            "not b's to give"
        );
        controls.wish("b", "B", ControlRequest::Take).unwrap();
        assert!(controls.holds("a"), "asking is not having");
        assert!(controls.wish("c", "C", ControlRequest::Take).is_err());
        controls.wish("a", "A", ControlRequest::Keep).unwrap();
        assert_eq!(controls.view("b").asking, None);
        controls.wish("b", "B", ControlRequest::Take).unwrap();
        controls.wish("a", "A", ControlRequest::Grant).unwrap();
        assert!(controls.holds("b") && !controls.holds("a"));
        controls.wish("b", "B", ControlRequest::Release).unwrap();
        assert!(!controls.present());
        controls.wish("a", "A", ControlRequest::Take).unwrap();
        assert!(controls.holds("a"), "free controls need no hand-over");
    }

    #[test]
    fn a_reload_keeps_the_controls_and_a_lost_browser_does_not() {
        let mut controls = Controls::default();
        controls.arrive("a", "A");
        controls.leave("a", 10.0);
        assert!(!controls.present() && controls.holds("a"));
        controls.arrive("b", "B");
        assert!(!controls.holds("b"), "not while a may come back");
        assert!(!controls.expire(12.0));
        controls.arrive("a", "A");
        assert!(controls.present());
        controls.leave("a", 20.0);
        controls.wish("b", "B", ControlRequest::Take).unwrap();
        assert!(controls.expire(20.0 + GRACE_S + 0.1));
        assert!(controls.holds("b"), "who asked gets what was left behind");
    }

    /// Every sequence of three browsers and all wishes up to length five: never two holders, never
    /// a holder nobody knows.
    #[test]
    fn explored() {
        let clients = ["a", "b", "c"];
        let mut states = vec![Controls::default()];
        for _ in 0..5 {
            let mut next: Vec<Controls> = Vec::new();
            for state in &states {
                for client in clients {
                    for step in 0..7 {
                        let mut s = state.clone();
                        match step {
                            0 => s.arrive(client, client),
                            1 => s.leave(client, 1.0),
                            2 => drop(s.wish(client, client, ControlRequest::Take)),
                            3 => drop(s.wish(client, client, ControlRequest::Release)),
                            4 => drop(s.wish(client, client, ControlRequest::Grant)),
                            5 => drop(s.wish(client, client, ControlRequest::Keep)),
                            _ => drop(s.expire(100.0)),
                        }
                        assert!(clients.iter().filter(|c| s.holds(c)).count() <= 1);
                        // Nobody takes the controls from a holder who is there and did not agree.
                        let agreed = step == 3 || step == 4;
                        for other in clients {
                            if state.present() && state.holds(other) && !(agreed && client == other)
                            {
                                assert!(s.holds(other));
                            }
                        }
                        if !next.contains(&s) {
                            next.push(s);
                        }
                    }
                }
            }
            states = next;
        }
        // Nobody, or one of three who is there or away, with none or one of the two others asking.
        assert_eq!(states.len(), 1 + 3 * 2 * 3);
    }
}
