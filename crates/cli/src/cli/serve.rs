//! `tandem serve`: a specimen on the wire without a plan, for a first try.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::{Args, Subcommand, ValueEnum};
use tandem_link::openfresco::{Endpoint, Protocol, VERSION};
use tandem_link::{Ended, Notice, SimpleSpecimen, labview, openfresco};

use super::{Failure, complain, leave, say};

/// A number that a specimen can have.
fn positive(text: &str) -> Result<f64, &'static str> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("give a finite number above zero"),
    }
}

/// Be the specimen of OpenSees, OpenFresco or UI-SimCor without a plan: springs that follow at
/// once.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem serve openfresco --port 8090 --specimen spring --k 500
  tandem serve openfresco --port 8090 --k 500 --fy 8 --b 0.02 --udp
  tandem serve openfresco --port 8090 --stiffness-matrix K.txt
  tandem serve labview --port 44000 --k 2.8 --stroke 0.05

In OpenSees: element('genericClient', tag, '-node', 2, '-dof', 1, '-server', 8090, '127.0.0.1')
The program ends when its client ends. The units are the client's. Exit codes: 0 the client ended \
its session, 3 it was lost,
4 Ctrl-C, 2 a wrong call, 1 other failure. A test with actuators, limits and a record needs a plan:
[integration] driver = \"opensees\", see docs/opensees.md.")]
pub struct Serve {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Element server of OpenFresco: for genericClient of OpenSees, and OpenFresco's own elements
    /// and controls.
    Openfresco(OpenFresco),
    /// Controller of the LabVIEW (LNTCP) protocol: for OpenFresco's LabVIEW control and UI-SimCor.
    Labview(LabView),
}

#[derive(Args)]
struct Common {
    /// Port to listen on; 0 takes any free one.
    #[arg(long)]
    port: u16,
    /// Address to listen on. Anything but loopback lets other machines move the specimen.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// What the specimen is.
    #[arg(long, value_enum, default_value_t = Specimen::Spring)]
    specimen: Specimen,
    /// Stiffness of the spring at each degree of freedom.
    #[arg(long, value_name = "STIFFNESS", allow_negative_numbers = true, value_parser = positive)]
    k: Option<f64>,
    /// Yield force of the spring; without it the spring is linear.
    #[arg(long, value_name = "FORCE", allow_negative_numbers = true, value_parser = positive)]
    fy: Option<f64>,
    /// Stiffness behind the yield force, as a share of k.
    #[arg(long, value_name = "RATIO")]
    b: Option<f64>,
    /// Instead of k: a file with n rows of n numbers.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["k", "fy", "b"])]
    stiffness_matrix: Option<PathBuf>,
    /// Number of degrees of freedom.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..),
        conflicts_with = "stiffness_matrix")]
    dof: u16,
    /// Largest displacement; beyond it the specimen stays where it is.
    #[arg(long, value_name = "DISPLACEMENT", allow_negative_numbers = true,
        value_parser = positive)]
    stroke: Option<f64>,
    /// Wait for the next client when one has ended; Ctrl-C ends.
    #[arg(long)]
    repeat: bool,
    /// Print one JSON object at the end, and nothing else, on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Specimen {
    /// Springs from the ground to each degree of freedom, or a stiffness matrix.
    Spring,
}

#[derive(Args)]
struct OpenFresco {
    #[command(flatten)]
    common: Common,
    /// Datagrams (genericClient -udp) instead of a stream.
    #[arg(long)]
    udp: bool,
    /// Who connects.
    #[arg(long, value_enum, default_value_t = Role::Element)]
    role: Role,
    /// Version of OpenFresco that a shadow site says.
    #[arg(long, default_value_t = VERSION)]
    openfresco_version: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Role {
    /// genericClient, elements of OpenFresco made with -server, expControl GenericTCP.
    Element,
    /// expControl SimSimulink.
    Simulink,
    /// expSite ShadowSite.
    Actor,
}

#[derive(Args)]
struct LabView {
    #[command(flatten)]
    common: Common,
}

impl Serve {
    /// Whether standard output is for one JSON object.
    pub fn run(self) -> Result<ExitCode, Failure> {
        let (common, openfresco) = match self.what {
            What::Openfresco(verb) => {
                let protocol = match verb.role {
                    Role::Element => Protocol::Element,
                    Role::Simulink => Protocol::Simulink,
                    Role::Actor => Protocol::Actor {
                        version: verb.openfresco_version,
                    },
                };
                (verb.common, Some((protocol, verb.udp)))
            }
            What::Labview(verb) => (verb.common, None),
        };
        let operator = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&operator);
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                leave(4);
            }
        });
        let alarms = Arc::new(AtomicU64::new(0));
        let mut specimen = specimen(&common, &operator, &alarms)?;
        let dof = tandem_link::SpecimenService::dof(&specimen);
        if openfresco.is_none() && dof > labview::MOST_PARAMETERS {
            return Err(Failure::Usage(format!(
                "{dof} degrees of freedom, and a LabVIEW client proposes at most {}: give a \
                smaller --dof",
                labview::MOST_PARAMETERS
            )));
        }
        let address = SocketAddr::new(common.bind, common.port);
        let cannot =
            |error: std::io::Error| Failure::Other(format!("cannot listen on {address}: {error}"));
        let mut sessions = 0_u64;
        let mut serve: Box<dyn FnMut(&mut SimpleSpecimen) -> Ended> = match openfresco {
            Some((protocol, udp)) => {
                let endpoint = Endpoint {
                    address,
                    dof,
                    protocol,
                    udp,
                };
                let mut server = openfresco::Server::bind(&[endpoint]).map_err(cannot)?;
                listening(&server.addresses(), common.json);
                Box::new(move |specimen| server.serve(specimen))
            }
            None => {
                let mut server = labview::Server::bind(address).map_err(cannot)?;
                listening(&[server.address()], common.json);
                Box::new(move |specimen| server.serve(specimen))
            }
        };
        let ended = loop {
            let ended = serve(&mut specimen);
            sessions += u64::from(ended != Ended::Here);
            if let Ended::Lost(text) = &ended {
                complain(&format!("warning: {text}"));
            }
            if !common.repeat || ended == Ended::Here {
                break ended;
            }
            specimen.reset();
        };
        if common.json {
            let outcome = match ended {
                Ended::ByPeer => "completed",
                Ended::Lost(_) | Ended::Here => "stopped",
            };
            let alarms = alarms.load(Ordering::Relaxed);
            say(
                &serde_json::json!({ "outcome": outcome, "sessions": sessions, "alarms": alarms })
                    .to_string(),
            );
        }
        Ok(ExitCode::from(match (ended, common.repeat) {
            (Ended::Here, false) => 4,
            (Ended::Lost(_), _) => 3,
            _ => 0,
        }))
    }
}

/// Says where it listens, before anybody is accepted.
pub(super) fn listening(addresses: &[SocketAddr], json: bool) {
    for address in addresses {
        let text = format!("listening on {address}");
        if json {
            complain(&text);
        } else {
            say(&text);
        }
        if !address.ip().is_loopback() {
            complain(
                "warning: other machines can reach this address; nothing on the wire asks who they \
                are",
            );
        }
    }
}

fn specimen(
    common: &Common,
    operator: &Arc<AtomicBool>,
    alarms: &Arc<AtomicU64>,
) -> Result<SimpleSpecimen, Failure> {
    let Specimen::Spring = common.specimen;
    let wrong = |error: tandem_quantity::BuildError| {
        Failure::Usage(format!("{} ({})", error.message, error.help))
    };
    if let (Some(b), None) = (common.b, common.fy) {
        return Err(Failure::Usage(format!(
            "--b {b} is the stiffness behind a yield force, and there is none: give --fy 8, or \
            leave --b out"
        )));
    }
    let built = match (&common.stiffness_matrix, common.k) {
        (Some(path), _) => {
            let (rows, n) = matrix(path)?;
            SimpleSpecimen::linear(rows, n).map_err(wrong)?
        }
        (None, Some(k)) if k.is_finite() => {
            let springs = SimpleSpecimen::springs(k, usize::from(common.dof)).map_err(wrong)?;
            match common.fy {
                Some(fy) => springs
                    .yielding(fy, common.b.unwrap_or(0.0))
                    .map_err(wrong)?,
                None => springs,
            }
        }
        _ => {
            return Err(Failure::Usage(
                "the specimen has no stiffness: give --k 500, or --stiffness-matrix FILE"
                    .to_owned(),
            ));
        }
    };
    let (operator, alarms) = (Arc::clone(operator), Arc::clone(alarms));
    Ok(built
        .within(common.stroke.unwrap_or(f64::INFINITY))
        .watched(
            move |notice| {
                alarms.fetch_add(
                    u64::from(matches!(notice, Notice::Alarm(..))),
                    Ordering::Relaxed,
                );
                complain(&tandem::driven::words(notice));
            },
            move || !operator.load(Ordering::Relaxed),
        ))
}

fn matrix(path: &Path) -> Result<(Vec<f64>, usize), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))?;
    let rows = tandem_structure::matrices::parse_csv(&text)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
    let n = rows.len();
    if n == 0 || n > 100 || rows.iter().any(|row| row.len() != n) {
        return Err(Failure::Usage(format!(
            "{} holds {n} rows that are no square matrix: expected n rows of n numbers, n up to \
            100",
            path.display()
        )));
    }
    Ok((rows.concat(), n))
}
