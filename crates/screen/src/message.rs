//! What the two ends of a socket say to each other, as JSON with the key `type`; rows go as binary
//! frames ([`wire`](crate::wire)).

use serde::{Deserialize, Serialize};

use crate::controls::{ControlRequest, View};
use crate::scene::Scene;
use crate::source::Happening;
use crate::status::{Action, Status};

/// What a page or a watcher says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Said {
    /// Who it is; nothing else is heard before.
    Hello(Hello),
    /// Which channels it wants to see.
    Subscribe {
        /// Columns of the scene, in the order in which their bins come.
        channels: Vec<usize>,
    },
    /// What the operator wants of the test.
    Act {
        /// What.
        action: Action,
        /// Running number.
        n: u64,
        /// Signature of number and action.
        mac: String,
    },
    /// What the operator wants of the controls.
    Controls {
        /// What.
        wish: ControlRequest,
        /// Running number.
        n: u64,
        /// Signature of number and wish.
        mac: String,
    },
    /// Somebody still watches.
    Alive,
}

/// How a page greets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The browser.
    pub client: String,
    /// One load of the page: a duplicated tab has the client of the other, but not this.
    #[serde(default)]
    pub page: String,
    /// What other people call it.
    #[serde(default)]
    pub name: String,
    /// What proves that it has the token; empty without.
    #[serde(default)]
    pub proof: String,
    /// Never wants the controls.
    #[serde(default)]
    pub watch: bool,
}

/// What the screen tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Told {
    /// The first word: what a proof must be made of.
    Challenge {
        /// Fresh for every connection.
        nonce: String,
        /// Whether watching needs the token, too.
        guarded: bool,
    },
    /// The greeting was good.
    Welcome {
        /// Whether the token was proven.
        trusted: bool,
        /// Where the test stands.
        state: Status,
    },
    /// What does not change during the test.
    Scene(Scene),
    /// Where the test stands.
    Status {
        /// Everything of the test itself.
        #[serde(flatten)]
        status: Status,
        /// How many are watching.
        watchers: usize,
    },
    /// What has happened since the last of these messages.
    Events {
        /// The oldest first.
        list: Vec<Happening>,
    },
    /// Who holds the controls.
    Controls(View),
    /// What became of the command with this number.
    Answer {
        /// Its number.
        n: u64,
        /// Whether it was heard.
        ok: bool,
        /// Why not.
        text: String,
    },
    /// All bins come anew.
    Reset,
    /// The connection ends.
    Refused {
        /// Why.
        text: String,
    },
}
