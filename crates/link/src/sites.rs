//! A rig whose specimens live elsewhere: OpenSees `adapter` models, actor sites of OpenFresco,
//! LabVIEW controllers.
//!
//! ```text
//!  command ─┬─▶ site 1 ─┐  all are sent the command first,
//!           ├─▶ site 2 ─┤  then all answers are gathered:
//!           └─▶ site 3 ─┴─▶ measured motion and force
//! ```
//!
//! A site that does not answer within its time-out, refuses or goes away is lost, and its values
//! are no numbers from then on: the safety gate holds the command of *all* sites in the same tick.
//! Between two exchanges a closed connection is seen in every tick, and while the clock waits for a
//! driver; a site that stands for longer than its watchdog is asked for its measurement, so that
//! one that has fallen silent is missed too.

use crate::labview::LabViewClient;
use crate::openfresco::client::{Adapter, Element, Shadow};
use crate::remote::RemoteSpecimen;
use crate::socket;
use std::io;
use std::time::{Duration, Instant};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Motion, Range, Settings, Values, choice, settings,
    snapshot,
};
use tandem_transfer::rig::{Build, Measured, Released, Rig, RigContext, RigProperties, RigView};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "sites",
        summary: "specimens at other addresses: OpenSees adapter models, OpenFresco sites, LabVIEW \
            controllers",
        reference: "OpenSees adapter, OpenFresco 2.8 ActorSite, NEESit TR-2004-58; \
            docs/opensees.md",
        parameters: SitesSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct SitesSettings {
        /// the sites; their degrees of freedom follow each other in the order of the interface
        site: Vec<SiteSettings> = tables(SiteSettings::PARAMETERS)
            .within(Range::between(1.0, 64.0)),
    }
}

settings! {
    struct SiteSettings {
        /// adapter: a model of OpenSees with an adapter, actuator or corotActuator element; actor:
        /// an actor site of OpenFresco; element: an element or site server; labview: a controller
        /// of the ASCII protocol
        protocol: Language = choice(Language::WORDS),
        /// host and port, such as "127.0.0.1:44000"
        address: String = text(),
        /// degrees of freedom at this site
        dof: usize = integer().or("1").within(Range::between(1.0, 100.0)),
        /// how long an answer may take before the site counts as lost and all sites hold
        timeout: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        /// how long a site may stand without an exchange, while the test waits or holds, before it
        /// is asked whether it is there; default: its timeout
        watchdog: Option<f64> = number(Dimension::TIME).positive(),
        /// how long to try to reach the site at the start
        connect_timeout: f64 = number(Dimension::TIME).or("\"30 s\"").positive(),
        /// version that an actor site expects
        openfresco_version: f64 = number(Dimension::NONE).or("2.8"),
    }
}

choice! {
    enum Language {
        Adapter = "adapter",
        Actor = "actor",
        Element = "element",
        LabView = "labview",
    }
}

/// One site with what is known of its connection.
struct Site {
    language: Language,
    address: String,
    timeout: Duration,
    watchdog: Duration,
    connect_timeout: Duration,
    version: f64,
    first: usize,
    dof: usize,
    remote: Option<Box<dyn RemoteSpecimen>>,
    /// The same once it has failed.
    failed: Option<Box<dyn RemoteSpecimen>>,
    /// A command is on its way and its answer has not been read.
    outstanding: bool,
    /// When it last answered.
    heard: Instant,
    command: Motion,
    measured: Measured,
}

/// The rig. Waits for its sites, each at most its time-out: for stepped time and slow tests.
pub struct DistributedRig {
    sites: Vec<Site>,
    actuators: usize,
    lost: Option<String>,
}

fn build(values: &Values, context: &RigContext<'_>) -> Result<Box<dyn Rig>, BuildError> {
    let settings = SitesSettings::read(values)?;
    let mut sites = Vec::new();
    let mut first = 0;
    for (i, settings) in settings.site.into_iter().enumerate() {
        let (language, dof) = (settings.protocol, settings.dof);
        if language == Language::LabView && dof > 6 {
            return Err(BuildError::new(
                format!("site.{i}.dof"),
                "a LabVIEW controller has one control point with up to six axes",
                "name several sites",
            ));
        }
        let time = |s: f64| Duration::from_secs_f64(s.min(1e6));
        let timeout = time(settings.timeout);
        sites.push(Site {
            language,
            address: settings.address,
            timeout,
            watchdog: settings.watchdog.map_or(timeout, time),
            connect_timeout: time(settings.connect_timeout),
            version: settings.openfresco_version,
            first,
            dof,
            remote: None,
            failed: None,
            outstanding: false,
            heard: Instant::now(),
            command: Motion::at_rest(dof),
            measured: Measured::at_rest(dof),
        });
        first += dof;
    }
    if first != context.common.actuators {
        return Err(BuildError::new(
            "site",
            format!(
                "the sites have {first} degrees of freedom, the test {} actuators",
                context.common.actuators
            ),
            "let the sites' dof add up to the interface degrees of freedom",
        ));
    }
    Ok(Box::new(DistributedRig {
        sites,
        actuators: first,
        lost: None,
    }))
}

impl Site {
    /// Calls until somebody answers or the time is over: a model of OpenSees listens only when its
    /// analysis has begun.
    fn connect(&mut self) -> io::Result<()> {
        if self.remote.is_some() {
            return Ok(());
        }
        let start = Instant::now();
        loop {
            let tried = self.try_connect();
            match tried {
                Ok(remote) => {
                    self.remote = Some(remote);
                    return Ok(());
                }
                Err(error)
                    if error.kind() == io::ErrorKind::ConnectionRefused
                        && start.elapsed() < self.connect_timeout =>
                {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn try_connect(&self) -> io::Result<Box<dyn RemoteSpecimen>> {
        let address = socket::resolve(&self.address)?;
        Ok(match self.language {
            Language::Adapter => Box::new(Adapter::connect(address, self.dof, self.timeout)?),
            Language::Actor => Box::new(Shadow::connect(
                address,
                self.dof,
                Some(self.version),
                self.timeout,
            )?),
            Language::Element => Box::new(Element::connect(address, self.dof, self.timeout)?),
            Language::LabView => Box::new(LabViewClient::connect(address, self.dof, self.timeout)?),
        })
    }

    fn begin(&mut self, command: &Motion) -> io::Result<()> {
        let own = self.first..self.first + self.dof;
        for (to, from) in [
            (&mut self.command.displacement, &command.displacement),
            (&mut self.command.velocity, &command.velocity),
            (&mut self.command.acceleration, &command.acceleration),
        ] {
            if let Some(from) = from.get(own.clone()) {
                to.copy_from_slice(from);
            }
        }
        if let Some(remote) = &mut self.remote {
            remote.begin(&self.command)?;
            self.outstanding = true;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.outstanding) {
            return Ok(());
        }
        match &mut self.remote {
            Some(remote) => {
                remote.finish(&mut self.measured)?;
                self.heard = Instant::now();
                remote.is_present()
            }
            None => Ok(()),
        }
    }

    /// Looks whether the site is there while it is not asked for anything: at its socket always, by
    /// a question when its watchdog wants it.
    fn look_after(&mut self) -> io::Result<()> {
        let Some(remote) = self.remote.as_mut().filter(|_| !self.outstanding) else {
            return Ok(());
        };
        remote.is_present()?;
        if self.heard.elapsed() >= self.watchdog {
            remote.measure(&mut self.measured)?;
            self.heard = Instant::now();
        }
        Ok(())
    }

    /// No longer asked; said goodbye to at the end, for whoever is hung up on may spin for ever.
    fn lose(&mut self) {
        if self.failed.is_none() {
            self.failed = self.remote.take();
        }
        self.remote = None;
        self.outstanding = false;
        self.measured.force.fill(f64::NAN);
    }
}

impl DistributedRig {
    fn lost(&mut self, site: usize, error: &io::Error) {
        let Some(place) = self.sites.get_mut(site) else {
            return;
        };
        place.lose();
        if self.lost.is_none() {
            let how = match error.kind() {
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                    format!("did not answer within {} s", place.timeout.as_secs_f64())
                }
                io::ErrorKind::InvalidData => format!("cannot go on: {error}"),
                _ => format!("is lost: {error}"),
            };
            let (site, address) = (site + 1, &place.address);
            self.lost = Some(format!("site {site} at {address} {how}; all sites hold"));
        }
    }
}

impl Rig for DistributedRig {
    fn properties(&self) -> RigProperties {
        RigProperties {
            waits: true,
            ..RigProperties::of(self.actuators)
        }
    }

    fn read(&mut self, measured: &mut Measured) {
        for i in 0..self.sites.len() {
            if let Err(error) = self.sites[i].finish() {
                self.lost(i, &error);
            }
            let site = &self.sites[i];
            let own = site.first..site.first + site.dof;
            for (to, from) in [
                (
                    &mut measured.motion.displacement,
                    &site.measured.motion.displacement,
                ),
                (
                    &mut measured.motion.velocity,
                    &site.measured.motion.velocity,
                ),
                (
                    &mut measured.motion.acceleration,
                    &site.measured.motion.acceleration,
                ),
                (&mut measured.force, &site.measured.force),
            ] {
                if let Some(to) = to.get_mut(own.clone()) {
                    to.copy_from_slice(from);
                }
            }
        }
    }

    fn write(&mut self, command: Released<'_>) {
        // Who cannot be reached holds the others before they have moved; and once one is lost, the
        // others stand where they are.
        for i in 0..self.sites.len() {
            if self.lost.is_none()
                && let Err(error) = self.sites[i].connect()
            {
                self.lost(i, &error);
            }
        }
        if self.lost.is_some() {
            self.check_connection();
            return;
        }
        for i in 0..self.sites.len() {
            if let Err(error) = self.sites[i].begin(&command) {
                self.lost(i, &error);
            }
        }
    }

    fn idle(&mut self) {
        self.check_connection();
    }

    fn check_connection(&mut self) -> bool {
        for i in 0..self.sites.len() {
            if let Err(error) = self.sites[i].look_after() {
                self.lost(i, &error);
            }
        }
        self.lost.is_none()
    }

    fn observe(&self) -> &dyn RigView {
        self
    }
}

impl RigView for DistributedRig {
    fn fault_message(&self) -> Option<&str> {
        self.lost.as_deref()
    }
}

impl Drop for DistributedRig {
    /// Says goodbye to every site in good order.
    fn drop(&mut self) {
        for site in &mut self.sites {
            let _ = site.finish();
            for remote in [&mut site.remote, &mut site.failed].into_iter().flatten() {
                remote.end();
            }
        }
    }
}

// A specimen elsewhere has no state here.
snapshot!(DistributedRig {});
