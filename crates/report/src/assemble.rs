//! What the report of a run says, and in which order.

use std::path::Path;

use tandem_coordinator::channels::TIME;
use tandem_coordinator::recorder::{Level, RecorderError, RunReader, read_events};

use super::against_reference::against_reference;
use super::criteria::criteria;
use super::dictionary::dictionary;
use super::drill_table::drill_table;
use super::indicators::{coefficients, monitors};
use super::overlay::{Pair, overlay};
use super::sections::{
    file_list, ground_motion, interface, model, response, table_of_figures, timing,
};
use super::splitting_section::splitting;
use super::transfer_function::transfer_function;
use super::{
    EventRow, KeyValue, LoopStage, Page, PageItem, Section, Severity, StageKind, Verdict, render,
};
use tandem::assemble::Test;
use tandem::plan::Plan;
use tandem::run::files;
use tandem::sections::{InterfaceSettings, ROOT};
use tandem::summary::{Outcome, Summary};
use tandem_quantity::{Setting as _, Settings as _, ValueKind, format_number, settings};

settings! {
    /// What a plan says of itself to people.
    #[derive(Default)]
    pub struct About {
        /// what the test is for
        pub description: Option<String> = text(),
    }
}

impl About {
    /// What this plan says; nothing where it says nothing.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self::read(&plan.values).unwrap_or_default()
    }
}

/// The report of the run in `folder` as one HTML text, beside its `rehearsal` where one is given.
pub fn of_run(
    folder: &Path,
    plan: &Plan,
    test: &Test,
    figures: &Summary,
    rehearsal: Option<&RunReader>,
) -> Result<String, RecorderError> {
    let run = RunReader::open(&folder.join(files::RUN))?;
    let reference = RunReader::open(&folder.join(files::REFERENCE)).ok();
    let time = run.read(TIME)?;
    let events = event_rows(folder);
    let mut sections = Vec::new();
    if test.is_shaken() {
        sections.push(ground_motion(test, &run, &time)?);
    }
    if let Some(rehearsal) = rehearsal {
        let pair = Pair {
            first: rehearsal,
            second: &run,
            names: ["rehearsal", "test"],
        };
        let intro = "What was expected, and what came.";
        sections.extend(overlay(&pair, "Rehearsal and test", intro)?);
    }
    for actuator in 1..=test.physical.actuators {
        sections.push(interface(&run, test, &time, actuator)?);
    }
    if let Some(reference) = &reference {
        sections.extend(against_reference(&run, reference, test, figures)?);
    }
    if !test.characterises() {
        sections.push(response(&run, reference.as_ref(), test, &time)?);
    }
    sections.extend(splitting(&run, test, &time)?);
    sections.extend(monitors(&run, &time, figures, &events)?);
    sections.extend(transfer_function(&run, test)?);
    sections.extend(coefficients(&run, &time, test)?);
    sections.extend(criteria(figures));
    sections.push(table_of_figures(figures));
    if test.has_structure() {
        sections.push(model(test));
    }
    sections.push(Section {
        title: "Events".into(),
        blocks: vec![PageItem::Events(events)],
        ..Section::default()
    });
    sections.push(timing(figures));
    sections.extend(drill_table(folder));
    sections.push(dictionary(&run));
    sections.push(file_list(folder));

    let header = run.header();
    let mut facts = vec![
        KeyValue::new("Plan", test.name.clone()),
        KeyValue::new("Date", header.created.clone()),
        KeyValue::new("Tandem", header.tandem_version.clone()),
        KeyValue::new("Seed", header.seed.to_string()),
    ];
    if test.is_shaken() {
        facts.extend([
            KeyValue::new("Ground motion", test.outline.record.name.clone()),
            KeyValue::new("Source of the record", test.outline.record.source.clone()),
        ]);
    }
    facts.push(KeyValue::new(
        "Time scale",
        format_number(test.outline.timing.time_scale),
    ));
    facts.extend(
        test.outline
            .notes
            .iter()
            .map(|text| KeyValue::new("Note", text.clone())),
    );
    facts.extend(
        test.warnings
            .iter()
            .map(|text| KeyValue::new("Warning", text.clone()).tone(Severity::Caution)),
    );
    Ok(render(&Page {
        title: test.name.clone(),
        subtitle: About::of(plan).description.unwrap_or_else(|| {
            let kind = if test.characterises() {
                "Characterisation of actuators"
            } else {
                "Virtual hybrid test"
            };
            kind.to_owned()
        }),
        verdict: verdict(figures, run.complete()),
        facts,
        figures: cards(figures),
        loop_diagram: loop_diagram(plan, test),
        sections,
    }))
}

/// What happened, for the event list and for the time axes.
fn event_rows(folder: &Path) -> Vec<EventRow> {
    let events = read_events(&folder.join(files::EVENTS))
        .map(|(events, _)| events)
        .unwrap_or_default();
    let rows = events.into_iter().map(|event| EventRow {
        time_s: event.time_s,
        tone: match event.level {
            Level::Info => Severity::Neutral,
            Level::Warn => Severity::Caution,
            Level::Error => Severity::Bad,
        },
        source: event.code,
        message: event.text,
    });
    rows.collect()
}

/// Where this report draws its lines, in % RMS; our own choice, no standard says it.
const GOOD_PERCENT: f64 = 5.0;
const BAD_PERCENT: f64 = 20.0;

fn judge(percent: f64) -> Severity {
    if percent <= GOOD_PERCENT {
        Severity::Good
    } else if percent <= BAD_PERCENT {
        Severity::Caution
    } else {
        Severity::Bad
    }
}

fn verdict(figures: &Summary, complete: bool) -> Verdict {
    if figures.outcome == Outcome::Stopped {
        let reason = figures.reason.as_deref();
        let reason = reason.unwrap_or("the run was interrupted");
        let at = figures.stopped_at_s.unwrap_or(0.0);
        return Verdict::Bad(format!("The test was stopped at {at:.3} s: {reason}."));
    }
    if !complete {
        return Verdict::Caution("The record is not closed: the program ended early.".into());
    }
    if let Some(sw) = figures.stability_warning().filter(|sw| *sw >= 100.0) {
        let text = format!(
            "All steps were done, but the stability warning reached {} %: the specimen fed in more \
            energy than the structure dissipated.",
            format_number(sw)
        );
        return Verdict::Bad(text);
    }
    let (tracking, reference) = (figures.worst_tracking(), figures.worst_against_reference());
    if let (Some(error), true) = (tracking, figures.characterises) {
        return Verdict::Note(format!(
            "The signals were driven to their end. Measured and target differ by {} % (RMS): what \
            that says of the actuators, `tandem identify` tells from this folder.",
            format_number(error)
        ));
    }
    match (reference, tracking) {
        (Some(error), tracking) => {
            let sentence = format!(
                "All steps were done. The specimen followed its target within {} % (RMS) and the \
                response differs from the undivided structure by {} %.",
                format_number(tracking.unwrap_or(0.0)),
                format_number(error)
            );
            match judge(error) {
                Severity::Good => Verdict::Good(sentence),
                Severity::Caution => Verdict::Caution(sentence),
                _ => Verdict::Bad(sentence),
            }
        }
        (None, Some(error)) => {
            let sentence = format!(
                "All steps were done. The specimen followed its target within {} % (RMS).",
                format_number(error)
            );
            match judge(error) {
                Severity::Good => Verdict::Good(sentence),
                Severity::Caution => Verdict::Caution(sentence),
                _ => Verdict::Bad(sentence),
            }
        }
        (None, None) => Verdict::Good("All steps were done.".into()),
    }
}

fn cards(figures: &Summary) -> Vec<KeyValue> {
    let mut cards = Vec::new();
    let tracking = figures.tracking.as_ref();
    // How an actuator follows is what is asked, not how good the test was.
    let judge = |percent: f64| {
        if figures.characterises {
            Severity::Neutral
        } else {
            judge(percent)
        }
    };
    let mut percent = |label: &str, value: Option<f64>, note: &str| {
        if let Some(value) = value {
            cards.push(
                KeyValue::new(label, format_number(value))
                    .unit("%")
                    .tone(judge(value.abs()))
                    .note(note),
            );
        }
    };
    percent(
        "Error against the reference",
        figures.worst_against_reference(),
        "RMS, measured displacement",
    );
    percent(
        "Tracking error",
        figures.worst_tracking(),
        "RMS, measured against target",
    );
    percent(
        "Peak tracking error",
        tracking.and_then(|of| Summary::worst(&of.peak_percent)),
        "of the largest target",
    );
    if let Some(error) = figures.reference.as_ref().and_then(|of| of.global_percent) {
        percent("Global error", Some(error), "RMS, all degrees of freedom");
    }
    if let Some(delay) = tracking.and_then(|of| Summary::worst(&of.delay_ms)) {
        cards.push(
            KeyValue::new("Remaining delay", format_number(delay))
                .unit("ms")
                .note(
                    tracking
                        .and_then(|of| of.words.first())
                        .map_or("positive: the specimen lags", String::as_str),
                ),
        );
    }
    if let Some(sw) = figures.stability_warning() {
        let tone = if sw < 50.0 {
            Severity::Good
        } else if sw < 100.0 {
            Severity::Caution
        } else {
            Severity::Bad
        };
        cards.push(
            KeyValue::new("Stability warning", format_number(round_small(sw)))
                .unit("%")
                .tone(tone)
                .note("largest SW; from 100 % on more is fed in than dissipated"),
        );
    }
    if let Some(factor) = figures.realtime_factor {
        cards.push(
            KeyValue::new("Speed", format_number(factor))
                .unit("× real time")
                .note("rehearsal, with recording"),
        );
    }
    cards
}

/// Per cent below what anybody would call an effect are zero.
fn round_small(percent: f64) -> f64 {
    if percent.abs() < 5e-3 { 0.0 } else { percent }
}

/// The boxes of the loop with the settings as the plan writes them.
pub(super) fn loop_diagram(plan: &Plan, test: &Test) -> Vec<LoopStage> {
    let written = Written {
        plan,
        text: plan.to_toml(),
    };
    let mut integration = written.stage(
        ["Integration", "integration", "", "target"],
        StageKind::Numerical,
    );
    let structure = test.outline.whole.properties();
    integration
        .settings
        .insert(0, format!("{} dof, {}", structure.dof(), structure.kind));
    let mut stages = vec![written.excitation(test), integration];
    if !test.outline.interface.is_empty() {
        stages.extend(written.commands(test.physical.linked));
        stages.extend(written.rig());
        if plan.values.optional_table("conditioning").is_some() {
            let names = ["Conditioning", "conditioning", "none", "force"];
            stages.push(written.stage(names, StageKind::Transfer));
        }
    }
    stages
}

/// A plan as it is written out, from which the boxes take their settings.
struct Written<'a> {
    plan: &'a Plan,
    text: String,
}

impl Written<'_> {
    /// What stands in a section, line by line.
    fn lines(&self, section: &str) -> Vec<String> {
        let mut inside = false;
        let mut lines = Vec::new();
        for line in self.text.lines() {
            if line.starts_with('[') {
                inside = line.trim_matches(['[', ']']) == section;
            } else if inside && line.contains('=') {
                lines.push(line.split(" #").next().unwrap_or(line).trim().to_owned());
            }
        }
        lines
    }

    /// The method that a section chooses, by the slots that are declared on the way to it.
    fn method(&self, section: &str) -> Option<&str> {
        let mut declared = ROOT;
        let mut values = &self.plan.values;
        let mut chosen = None;
        for key in section.split('.') {
            let parameter = declared.iter().find(|parameter| parameter.key == key)?;
            let ValueKind::Slot(slot) = parameter.kind else {
                return None;
            };
            values = values.optional_table(key)?;
            let name = slot.chosen(values)?;
            let mut methods = self.plan.registry().methods(slot).into_iter();
            declared = methods.find(|method| method.name == name)?.parameters;
            chosen = Some(name);
        }
        chosen
    }

    /// A box: its name, its section, the method where the section names none, and what it gives.
    fn stage(&self, [slot, section, fallback, output]: [&str; 4], kind: StageKind) -> LoopStage {
        let mut settings = self.lines(section);
        settings.retain(|line| {
            !line.starts_with("method") && !line.starts_with("kind") && line.len() < 60
        });
        settings.truncate(5);
        LoopStage {
            slot: slot.into(),
            method: self.method(section).unwrap_or(fallback).to_owned(),
            settings,
            output: output.into(),
            kind,
        }
    }

    fn excitation(&self, test: &Test) -> LoopStage {
        let names = ["Excitation", "excitation", "record", "ground motion"];
        let mut excitation = self.stage(names, StageKind::Excitation);
        if test.is_shaken() {
            excitation.settings.push(format!(
                "peak {} g",
                format_number(test.outline.record.peak() / tandem_quantity::STANDARD_GRAVITY)
            ));
        }
        if test.characterises() {
            excitation.output = "signals".into();
            excitation.settings.clone_from(&test.outline.notes);
            excitation.settings.truncate(5);
        }
        excitation
    }

    /// From the target to the command that the rig gets.
    fn commands(&self, linked: bool) -> Vec<LoopStage> {
        let mut stages = Vec::new();
        if linked {
            let names = ["Kinematics", "kinematics", "none", "strokes"];
            stages.push(self.stage(names, StageKind::Transfer));
        }
        for (names, kind) in [
            (
                ["Command", "command", "direct", "trajectory"],
                StageKind::Transfer,
            ),
            (
                ["Compensator", "compensator", "none", "command"],
                StageKind::Transfer,
            ),
            (
                ["Safety gate", "limits", "limits", "command"],
                StageKind::Guard,
            ),
        ] {
            stages.push(self.stage(names, kind));
        }
        stages
    }

    fn rig(&self) -> Vec<LoopStage> {
        let physical = |names| self.stage(names, StageKind::Physical);
        let rig = self.plan.values.optional_table("rig");
        let has = |key: &str| rig.is_some_and(|rig| rig.has(key));
        let mut stages = Vec::new();
        if has("servo") {
            stages.push(physical(["Servo", "rig.servo", "none", "drive"]));
        }
        let with_plant = has("plant");
        stages.push(physical(if with_plant {
            ["Plant", "rig.plant", "ideal", "force"]
        } else {
            ["Actuator", "rig.actuator", "ideal", "motion"]
        }));
        if !with_plant || has("specimen") {
            let names = ["Specimen", "rig.specimen", "members of the frame", "force"];
            let mut specimen = physical(names);
            let interface = InterfaceSettings::at(&self.plan.values, "interface").ok();
            let members = interface.and_then(|interface| interface.members);
            specimen.settings.extend(members.into_iter().flatten());
            stages.push(specimen);
        }
        stages
    }
}
