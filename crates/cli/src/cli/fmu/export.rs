//! `tandem fmu export`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;
use tandem::fmu::{Content, Kinds, Request, What, export};
use tandem_fmi::Version;
use tandem_fmi::models::Variant;

use crate::cli::{Failure, PlanArgs, say};

/// The library of this program: the binary of every exported FMU.
pub static LIBRARY: &[u8] = include_bytes!(env!("TANDEM_LIBRARY"));

/// Write a part of a plan as an FMU that other tools can use; nothing but this program is needed
/// for it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem fmu export my.toml --what numerical --fmi 2 --kind both -o frame.fmu
  tandem fmu export my.toml --what rig --fmi 3 --kind cs -o rig.fmu

Ports, units and the order of calls: docs/fmi.md.")]
pub struct Export {
    #[command(flatten)]
    plan: PlanArgs,
    /// Which part of the plan.
    #[arg(long, value_enum)]
    what: WhatArg,
    /// Version of the standard: 2 or 3.
    #[arg(long, value_name = "2|3", default_value = "2", value_parser = ["2", "3"])]
    fmi: String,
    /// Interfaces; model exchange needs continuous states (structures and specimens have them).
    #[arg(long, value_enum, default_value = "cs")]
    kind: KindArg,
    /// Velocities that travel: a, of all degrees of freedom; b, of the interface.
    #[arg(long, value_enum, default_value = "b")]
    variant: VariantArg,
    /// Newmark's gamma; default 0.5.
    #[arg(long)]
    gamma: Option<f64>,
    /// Newmark's beta; default 0.25, for a physical part 0.
    #[arg(long)]
    beta: Option<f64>,
    /// Step, s; default: that of the plan.
    #[arg(long, value_name = "DT")]
    step: Option<f64>,
    /// File to write.
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum WhatArg {
    /// The numerical substructure.
    Numerical,
    /// The specimen as a substructure.
    Physical,
    /// The undivided structure.
    Whole,
    /// The coupling of the two substructures.
    Coupling,
    /// Actuators, specimen and sensors.
    Rig,
    /// The compensator.
    Compensator,
    /// The servo controller of an axis.
    Servo,
    /// The monitors.
    Monitors,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindArg {
    /// Co-Simulation.
    Cs,
    /// Model Exchange.
    Me,
    /// Both.
    Both,
}

#[derive(Clone, Copy, ValueEnum)]
enum VariantArg {
    /// Velocities of all degrees of freedom.
    A,
    /// Velocities of the interface.
    B,
}

impl Export {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let plan = self.plan.read()?;
        let what = match self.what {
            WhatArg::Numerical => What::Numerical,
            WhatArg::Physical => What::Physical,
            WhatArg::Whole => What::Whole,
            WhatArg::Coupling => What::Coupling,
            WhatArg::Rig => What::Rig,
            WhatArg::Compensator => What::Compensator,
            WhatArg::Servo => What::Servo,
            WhatArg::Monitors => What::Monitors,
        };
        let variant = match self.variant {
            VariantArg::A => Variant::A,
            VariantArg::B => Variant::B,
        };
        let mut content = Content::of(&plan, what, variant)
            .map_err(|errors| Failure::Plan(Box::new(plan.refuse(errors))))?;
        for (name, given, place) in [
            ("--gamma", self.gamma, &mut content.gamma),
            ("--beta", self.beta, &mut content.beta),
            ("--step", self.step, &mut content.dt),
        ] {
            if let Some(value) = given {
                if !(value.is_finite() && value >= 0.0) {
                    return Err(Failure::Usage(format!(
                        "{name} {value}: give a number that is not negative"
                    )));
                }
                *place = value;
            }
        }
        let kinds = Kinds {
            co_simulation: !matches!(self.kind, KindArg::Me),
            model_exchange: !matches!(self.kind, KindArg::Cs),
        };
        let version = if self.fmi == "3" {
            Version::Three
        } else {
            Version::Two
        };
        let request = Request {
            content: &content,
            version,
            kinds,
            binary: LIBRARY,
        };
        export(request, &self.out)?;
        say(&if self.json {
            json!({
                "file": self.out,
                "what": content.what,
                "fmi": self.fmi,
                "co_simulation": kinds.co_simulation,
                "model_exchange": kinds.model_exchange,
                "step_s": content.dt,
                "dof": content.dof,
                "token": content.token(),
            })
            .to_string()
        } else {
            format!("{} written.", self.out.display())
        });
        Ok(ExitCode::SUCCESS)
    }
}
