//! `[integration] driver`: another program integrates, and Tandem is its specimen.

use super::source::{Connected, Outline, Read, TargetSource, Targets};
use super::{Test, without_structure};
use crate::sections::{RecordSettings, Section};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tandem_coordinator::{Limits, Timing};
use tandem_integrator::{make_estimator, not_stepped};
use tandem_link::driver::{
    DriverSession, EventSink, ExternalIntegrator, Mailbox, SpecimenInfo, TrialRestartRig,
};
use tandem_link::openfresco::{Endpoint, Protocol};
use tandem_link::{Ended, labview, openfresco};
use tandem_model::interface::InterfaceSettings;
use tandem_model::{excitation, structure};
use tandem_quantity::{
    BuildError, Conditional, Dimension, Entry, Method, Range, Registry, Settings, SpecimenMatrices,
    Value, Values, choice, settings,
};
use tandem_structure::Linear;
use tandem_transfer::command;
use tandem_transfer::rig::Rig;

/// The method's name; a plan that names a driver need not write it.
pub const NAME: &str = "outside";

/// What the plan writes.
pub const METHOD: Entry<tandem_integrator::Build> = Entry {
    method: Method {
        name: NAME,
        summary: "another program integrates and connects here; this test is its specimen",
        reference: "OpenSees genericClient and OpenFresco 2.8; NEESit TR-2004-58; docs/opensees.md",
        parameters: OutsideSettings::PARAMETERS,
    },
    build: &not_stepped,
};

/// Name of the kind of structure that another program has.
pub const STRUCTURE_NAME: &str = "outside";

/// What a plan with an external integrator has; it need not be written.
pub const STRUCTURE: Entry<tandem_structure::Build> = Entry {
    method: Method {
        name: STRUCTURE_NAME,
        summary: "in the program that drives the test ([integration] driver); need not be written",
        reference: "docs/opensees.md",
        parameters: &[],
    },
    build: &|_, _| {
        Err(BuildError::new(
            "kind",
            "no program drives this test, so that there is no structure",
            "write integration.driver = \"opensees\", or describe the structure",
        ))
    },
};

choice! {
    /// Which program it is.
    enum Program {
        OpenSees = "opensees",
        LabView = "labview",
    }
}

choice! {
    /// How a peer of OpenFresco talks.
    enum Role {
        Element = "element",
        Simulink = "simulink",
        Actor = "actor",
    }
}

choice! {
    /// The tangent stiffness that the driver is told.
    enum Tangent {
        Model = "model",
        Initial = "initial",
        Estimated = "estimated",
    }
}

choice! {
    /// What several trials of one step do to the specimen.
    enum Trials {
        Restart = "restart",
        Path = "path",
    }
}

settings! {
    struct OutsideSettings {
        /// opensees: genericClient of OpenSees, elements and controls of OpenFresco; labview: the
        /// ASCII protocol of NEESgrid (LNTCP)
        driver: Program = choice(Program::WORDS),
        /// address to listen on; anything but loopback lets other machines move the specimen
        address: String = text().or("\"127.0.0.1\""),
        /// port of the only element; 0 takes any
        port: Conditional<usize> = integer().or("8090").within(Range::between(0.0, 65535.0)),
        /// degrees of freedom of the only element
        dof: Conditional<usize> = integer().or("1").within(Range::between(1.0, 100.0)),
        /// several elements, each on its own port, instead of `port` and `dof`
        element: Vec<ElementSettings> = tables(ElementSettings::PARAMETERS)
            .optional()
            .within(Range::between(1.0, 64.0)),
        /// control points of a LabVIEW driver, whose parameters are the degrees of freedom in
        /// order; default: those of its first proposal
        control_point: Vec<ControlPointSettings> = tables(ControlPointSettings::PARAMETERS)
            .optional()
            .within(Range::between(1.0, 12.0)),
        /// how an OpenFresco peer talks: to an element server (also site server and GenericTCP), to
        /// a Simulink controller, to an actor site
        role: Role = choice(Role::WORDS).or("\"element\""),
        /// version that a shadow site says
        openfresco_version: Conditional<f64> = number(Dimension::NONE).or("2.8"),
        /// datagrams (genericClient -udp) instead of a stream
        udp: bool = boolean().or("false"),
        /// structural time that the way to a new target takes; usually the driver's step
        dt: f64 = number(Dimension::TIME).or("\"10 ms\"").positive(),
        /// λ: wall time over structural time of that way
        time_scale: f64 = number(Dimension::NONE).or("1.0").within(Range::between(1e-3, 1e5)),
        /// tangent stiffness that the driver is told: of the rig's model where it has one, else the
        /// initial one; or estimated from what was measured (Broyden)
        tangent: Tangent = choice(Tangent::WORDS).or("\"model\""),
        /// measure the initial stiffness before the test, with displacements of ± this much;
        /// default: interface.stiffness, or the rig's model
        measure_stiffness: Option<f64> = number(Dimension::LENGTH).positive(),
        /// restart: trials of one step all start from the accepted state, as in a numerical element
        /// (an ideal virtual rig only); path: the specimen goes through all of them; default:
        /// restart where the rig can
        trials: Option<Trials> = choice(Trials::WORDS),
        /// how long to wait for the driver before giving up; default: for ever
        wait: Option<f64> = number(Dimension::TIME).positive(),
    }
}

settings! {
    /// An element of several.
    struct ElementSettings {
        /// port of this element; 0 takes any
        port: usize = integer().within(Range::between(0.0, 65535.0)),
        /// degrees of freedom of this element
        dof: usize = integer().or("1").within(Range::between(1.0, 100.0)),
    }
}

settings! {
    /// A control point of a LabVIEW driver.
    struct ControlPointSettings {
        /// name on the wire
        name: String = text().or("\"MDL-00-01\""),
        /// its control parameters, such as ["x displacement", "z rotation"]
        axes: Vec<String> = texts(),
    }
}

/// The driver's side of a test: where it connects, and what it is told.
pub struct Driver {
    mailbox: Arc<Mailbox>,
    labview: bool,
    /// Control points of a LabVIEW driver, where the plan names them.
    points: Vec<labview::Point>,
    doors: Vec<Endpoint>,
    given: Arc<Mutex<Option<SpecimenInfo>>>,
    dof: usize,
    /// How long to wait for it, s; none: for ever.
    wait: Option<f64>,
}

/// Leads a session at a desk.
type Serve = Box<dyn FnMut(&mut DriverSession) -> Ended + Send>;

/// A server at work.
pub struct Serving {
    /// Where it listens.
    pub addresses: Vec<SocketAddr>,
    /// Ends with the driver.
    pub thread: JoinHandle<Ended>,
    /// Set it, and the session is given up.
    pub stop: Arc<AtomicBool>,
}

impl Driver {
    /// Opens the doors and waits for the driver in a thread of its own.
    pub fn start(&self, tell: EventSink) -> std::io::Result<Serving> {
        let given = self.given.lock().ok().and_then(|mut given| given.take());
        let given =
            given.ok_or_else(|| std::io::Error::other("the driver has been started before"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let desk = DriverSession::new(
            Arc::clone(&self.mailbox),
            self.dof,
            given,
            Arc::clone(&stop),
            tell,
        );
        let (addresses, mut serve): (_, Serve) = if self.labview {
            let mut server = labview::Server::bind(self.doors[0].address)?;
            if !self.points.is_empty() {
                server = server.with_points(self.points.clone());
            }
            let address = server.address();
            (vec![address], Box::new(move |desk| server.serve(desk)))
        } else {
            let mut server = openfresco::Server::bind(&self.doors)?;
            let addresses = server.addresses();
            (addresses, Box::new(move |desk| server.serve(desk)))
        };
        let thread = std::thread::Builder::new()
            .name("driver".to_owned())
            .spawn(move || {
                let mut desk = desk;
                let ended = serve(&mut desk);
                desk.close(&ended);
                ended
            })?;
        Ok(Serving {
            addresses,
            thread,
            stop,
        })
    }

    /// How long it is waited for, s: for ever, unless the plan says otherwise.
    pub fn patience(&self) -> f64 {
        self.wait.unwrap_or(f64::INFINITY)
    }

    /// Says that the test is over: the driver is answered with the last good force until it ends.
    pub fn close(&self) {
        self.mailbox.close();
    }

    /// Whether a driver that is lost to the test is still connected, so that it must be answered to
    /// its end.
    pub fn wants_answers(&self) -> bool {
        self.mailbox.has_given_up()
    }

    /// Steps that the driver has accepted.
    pub fn steps(&self) -> u64 {
        self.mailbox.commits()
    }
}

fn doors(settings: &OutsideSettings) -> Result<Vec<Endpoint>, BuildError> {
    let address = &settings.address;
    let ip = address.parse().map_err(|_| {
        BuildError::new(
            "address",
            format!("`{address}` is no numeric address"),
            "write 127.0.0.1 for this machine, or 0.0.0.0 for all its networks",
        )
    })?;
    let protocol = match settings.role {
        Role::Simulink => Protocol::Simulink,
        Role::Actor => Protocol::Actor {
            version: settings.openfresco_version.read()?,
        },
        Role::Element => Protocol::Element,
    };
    let endpoint = |port: usize, dof: usize| Endpoint {
        address: SocketAddr::new(ip, u16::try_from(port).unwrap_or(0)),
        dof,
        protocol,
        udp: settings.udp,
    };
    let elements = &settings.element;
    if elements.is_empty() {
        return Ok(vec![endpoint(settings.port.read()?, settings.dof.read()?)]);
    }
    if settings.driver == Program::LabView && elements.len() > 1 {
        return Err(BuildError::new(
            "element",
            "a LabVIEW client has one connection",
            "name one element with all degrees of freedom",
        ));
    }
    let doors: Vec<Endpoint> = elements.iter().map(|e| endpoint(e.port, e.dof)).collect();
    for (i, endpoint) in doors.iter().enumerate() {
        let port = endpoint.address.port();
        if port != 0 && doors[..i].iter().any(|d| d.address.port() == port) {
            return Err(BuildError::new(
                format!("element.{i}.port"),
                format!("port {port} is taken by another element"),
                "give every element a port of its own",
            ));
        }
    }
    Ok(doors)
}

/// The control points that the plan names for a LabVIEW driver of so many degrees of freedom;
/// empty: none.
fn control_points(
    settings: &OutsideSettings,
    dof: usize,
) -> Result<Vec<labview::Point>, BuildError> {
    let is_labview = settings.driver == Program::LabView;
    if dof > labview::MOST_PARAMETERS && is_labview {
        return Err(BuildError::new(
            "dof",
            format!(
                "a LabVIEW driver proposes at most {} parameters",
                labview::MOST_PARAMETERS
            ),
            "take fewer degrees of freedom, or another driver",
        ));
    }
    if settings.control_point.is_empty() {
        return Ok(Vec::new());
    }
    if !is_labview {
        return Err(BuildError::new(
            "control_point",
            "only a LabVIEW driver has control points",
            "remove this key, or write driver = \"labview\"",
        ));
    }
    let mut points = Vec::new();
    for (i, point) in settings.control_point.iter().enumerate() {
        let axes: Vec<&str> = point.axes.iter().map(AsRef::as_ref).collect();
        let point = labview::Point::new(&point.name, &axes).map_err(|error| {
            BuildError::new(
                format!("control_point.{i}.axes"),
                error.to_string(),
                "write x, y or z and displacement or rotation, such as \"z rotation\", each once",
            )
        })?;
        points.push(point);
    }
    let found: usize = points.iter().map(|point| point.axes.len()).sum();
    if found != dof {
        return Err(BuildError::new(
            "control_point",
            format!(
                "the control points have {found} parameters, the test {dof} degrees of freedom"
            ),
            "let `dof` be the number of all axes",
        ));
    }
    Ok(points)
}

/// Whether another program integrates.
pub(super) fn selected_by(plan: &Values) -> bool {
    Section::Integration.selected(plan, &tandem_integrator::SLOT) == Some(NAME)
}

/// Refuses what the driver has itself: structure, ground motion, and the time that it takes.
fn refuse_its_own(plan: &Values, registry: &Registry) -> Result<(), BuildError> {
    without_structure::refuse_degrees_of_freedom(
        &InterfaceSettings::read(Section::Interface.of(plan))?,
        "the structure lives in the driver",
        "integration.dof or integration.element say how many there are",
    )?;
    without_structure::refuse_reference(&RecordSettings::read(Section::Record.of(plan))?)?;
    if Section::Structure.selected(plan, &structure::SLOT) != Some(STRUCTURE_NAME) {
        return Err(BuildError::new(
            "structure.kind",
            "the structure lives in the driver",
            "remove [structure]",
        ));
    }
    if Section::Excitation.selected(plan, &excitation::SLOT) != Some(excitation::NONE) {
        return Err(BuildError::new(
            "excitation.kind",
            "the ground motion is the driver's",
            "remove [excitation]",
        ));
    }
    // A plan that was written out as resolved has its keys.
    excitation::build(Section::Excitation.of(plan), registry)
        .map_err(|error| error.within("excitation"))?;
    let record = RecordSettings::read(Section::Record.of(plan))?;
    let timing = command::Timing::read(Section::Command.of(plan))?;
    if timing.answer.read()?.answer_time.is_some() {
        return Err(BuildError::new(
            "command.answer_time",
            "the driver takes the time that it takes: there is none to rehearse",
            "remove this key; limits.stale_target says how late a target may be",
        ));
    }
    if record.energy_error_dof.read()?.is_some() {
        return Err(BuildError::new(
            "record.energy_error_dof",
            "the structure lives in the driver, and nobody here knows its energy",
            "remove this key",
        ));
    }
    Ok(())
}

/// Reads such a plan.
pub(super) fn read(plan: &Values, registry: &Registry) -> Result<Read, BuildError> {
    let settings = OutsideSettings::read(Section::Integration.of(plan))?;
    refuse_its_own(plan, registry)?;
    let doors = doors(&settings).map_err(|e| e.within("integration"))?;
    let dof: usize = doors.iter().map(|endpoint| endpoint.dof).sum();
    let is_labview = settings.driver == Program::LabView;
    let points = control_points(&settings, dof).map_err(|e| e.within("integration"))?;
    let (dt, time_scale) = (settings.dt, settings.time_scale);
    let period = match command::Timing::read(Section::Command.of(plan))?.rate {
        Some(rate) => 1.0 / rate,
        None => dt * time_scale,
    };
    if time_scale * dt / period < 1.0 - 1e-9 {
        return Err(BuildError::new(
            "command.rate",
            "less than one tick on the way to a target",
            "take a higher rate, or a longer integration.dt",
        ));
    }
    let labels = doors.iter().enumerate().flat_map(|(i, endpoint)| {
        (1..=endpoint.dof).map(move |dof| format!("element {} dof {dof}", i + 1))
    });
    let whole = without_structure::interface(labels.collect(), "interface to another program")?;
    let timing = Timing {
        period,
        time_scale,
        steps: u64::MAX,
    };
    let mailbox = Mailbox::new(dof);
    let given = Arc::new(Mutex::new(None));
    let outline = Outline {
        method: format!("{} (outside)", settings.driver.word()),
        record: without_structure::no_ground_motion()?,
        whole: Box::new(whole.clone()),
        interface: (0..dof).collect(),
        timing,
        dt,
        energy_error_dof: 0,
        notes: Vec::new(),
        targets: Targets::External(Box::new(Driver {
            mailbox: Arc::clone(&mailbox),
            labview: is_labview,
            points,
            doors,
            given: Arc::clone(&given),
            dof,
            wait: settings.wait,
        })),
        described: None,
    };
    let source = External {
        whole,
        mailbox,
        given,
        settings,
    };
    Ok((outline, Box::new(source)))
}

/// The other program's side of the loop.
struct External {
    whole: Linear,
    mailbox: Arc<Mailbox>,
    given: Arc<Mutex<Option<SpecimenInfo>>>,
    settings: OutsideSettings,
}

impl TargetSource for External {
    fn connect(
        self: Box<Self>,
        plan: &Values,
        test: &mut Test,
        rig: Box<dyn Rig>,
    ) -> Result<Connected, BuildError> {
        let settings = self.settings;
        let dof = test.outline.interface.len();
        let ideal = rig.properties().is_instantaneous;
        let restart = match settings.trials {
            Some(Trials::Restart) if !ideal => {
                return Err(BuildError::new(
                    "integration.trials",
                    "only an ideal virtual rig can start again from an earlier state",
                    "write \"path\", or remove the key",
                ));
            }
            Some(trials) => trials == Trials::Restart,
            None => ideal,
        };
        let probe = settings.measure_stiffness;
        let known = test.physical.specimen.stiffness.iter().any(|k| *k != 0.0);
        if !known && probe.is_none() {
            test.warnings.push(
                "Nothing is known of the specimen's stiffness: the driver is told zero. Give \
                 interface.stiffness, or integration.measure_stiffness."
                    .to_owned(),
            );
        }
        let estimate = match settings.tangent {
            Tangent::Estimated => {
                let values = Values::new().with("estimator", Value::Text("broyden".to_owned()));
                Some(make_estimator(
                    &values,
                    &test.physical.specimen.stiffness,
                    dof,
                )?)
            }
            Tangent::Model | Tangent::Initial => None,
        };
        let limits = Limits::read(Section::Limits.of(plan))?;
        let way = test.outline.dt * test.outline.timing.time_scale;
        let given = SpecimenInfo {
            initial: probe
                .is_none()
                .then(|| test.physical.specimen.stiffness.clone()),
            other: SpecimenMatrices::none(dof),
            model_tangent: settings.tangent == Tangent::Model,
            estimate,
            stroke: limits.stroke,
            velocity: limits.velocity.map(|velocity| (velocity, way)),
        };
        if let Ok(mut place) = self.given.lock() {
            *place = Some(given);
        }
        let mailbox = self.mailbox;
        // An ideal rig is asked for its tangent, and can start again; a linkage would turn both
        // into something else.
        let rig: Box<dyn Rig> = if ideal && !test.physical.linked {
            Box::new(TrialRestartRig::new(rig, Arc::clone(&mailbox), restart))
        } else {
            rig
        };
        Connected::without_structure(test, self.whole, rig, |problem| {
            let driver = ExternalIntegrator::new(
                mailbox,
                problem,
                probe,
                settings.driver == Program::OpenSees,
            );
            Ok(Box::new(driver))
        })
    }
}
