//! The same script in OpenSees and here: statics, modes and earthquake histories of frames.
//!
//! `opensees/run.py` runs a script in OpenSees (openseespy, and for Tcl scripts Python's own Tcl); the importer makes a
//! model of it here. Both languages, several sets of units and most elements take part.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;

use tandem::import::script::Weight;
use tandem::import::units::Units;
use tandem::import::{Imported, read};
use tandem::plan::{self, Source};
use tandem_coordinator::run_reference;
use tandem_integrator::{GroundMotion, METHODS, Problem, SLOT};
use tandem_quantity::{Entry, Kind, Parameter, STANDARD_GRAVITY};
use tandem_signal::record;
use tandem_structure::model::{
    Dof, LoadCase, Model, StaticAnalysis, StaticSettings, apply_gravity,
};
use tandem_structure::modes::modes;

/// What OpenSees made of a script.
struct Peer {
    modes: Vec<f64>,
    rest: Vec<f64>,
    history: Vec<Vec<f64>>,
}

/// A folder with the script and the ground motion it names.
fn folder(script: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opensees");
    let path = folder.path().join(script);
    for name in [script, "fibre-frame.tcl"] {
        std::fs::copy(scripts.join(name), folder.path().join(name)).unwrap();
    }
    let motion = record::shipped("el-centro-1940").unwrap();
    let lines: Vec<String> = motion
        .acceleration
        .iter()
        .map(|a| format!("{}", a / STANDARD_GRAVITY))
        .collect();
    std::fs::write(folder.path().join("el-centro.txt"), lines.join("\n")).unwrap();
    (folder, path)
}

fn opensees(path: &Path, modes: usize, wanted: &[(usize, usize)]) -> Option<Peer> {
    let Some(python) = std::env::var_os("TANDEM_PYTHON") else {
        println!("skipped: TANDEM_PYTHON is not set, so there is no OpenSees to compare with");
        return None;
    };
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opensees/run.py");
    let out = Command::new(python)
        .arg(runner)
        .arg(path)
        .arg(modes.to_string())
        .args(wanted.iter().map(|(node, dof)| format!("{node}:{dof}")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    let line = said.lines().find(|line| line.starts_with("{\"modes\""));
    let line = line.unwrap_or_else(|| panic!("OpenSees failed:\n{said}\n{told}"));
    let json: serde_json::Value = serde_json::from_str(line).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        let list = value.as_array().unwrap().iter();
        list.map(|x| x.as_f64().unwrap()).collect()
    };
    Some(Peer {
        modes: numbers(&json["modes"]),
        rest: numbers(&json["rest"]),
        history: json["history"]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect(),
    })
}

/// The script here: everything in it was understood.
fn imported(path: &Path, units: &str) -> Imported {
    let imported = read(path, Units::parse(units).unwrap()).unwrap();
    let missing: Vec<_> = imported.remarks(Weight::Missing).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    imported
}

/// The frame under its constant loads.
fn at_rest(imported: &Imported) -> Model {
    let (frame, loads, steps) = imported.frame().unwrap();
    let mut model = frame.build().unwrap();
    if !loads.is_empty() {
        apply_gravity(&mut model, &loads, steps).unwrap();
    }
    model.refresh();
    model
}

/// Compares the state at rest with OpenSees, in the units of the script.
fn same_at_rest(
    script: &str,
    units: &str,
    wanted: &[(usize, Dof)],
    tolerance: f64,
) -> Option<(Model, Peer)> {
    let (_folder, path) = folder(script);
    let mine = imported(&path, units);
    let model = at_rest(&mine);
    let numbers: Vec<(usize, usize)> = wanted
        .iter()
        .map(|(node, dof)| (*node, mine.dof_number(*dof).unwrap()))
        .collect();
    let modes = if script == "portal.tcl" { 6 } else { 0 };
    let peer = opensees(&path, modes, &numbers)?;
    let length = Units::parse(units)
        .unwrap()
        .factor(tandem_quantity::Dimension::LENGTH);
    let is_length = |dof: Dof| matches!(dof, Dof::Ux | Dof::Uy | Dof::Uz);
    for ((node, dof), theirs) in wanted.iter().zip(&peer.rest) {
        let ours = model.node_displacement(*node, *dof).unwrap();
        let theirs = if is_length(*dof) {
            theirs * length
        } else {
            *theirs
        };
        let error = (ours - theirs).abs() / theirs.abs();
        assert!(
            error < tolerance,
            "{script} node {node} {dof}: {ours} instead of {theirs}"
        );
    }
    Some((model, peer))
}

#[test]
fn portal_statics_and_modes() {
    let wanted = [
        (2, Dof::Ux),
        (2, Dof::Uy),
        (2, Dof::Rz),
        (3, Dof::Ux),
        (3, Dof::Rz),
    ];
    let Some((model, peer)) = same_at_rest("portal.tcl", "N, m, s", &wanted, 1e-10) else {
        return;
    };
    let found = modes(&model, 6).unwrap();
    assert_eq!(peer.modes.len(), 6);
    for (ours, theirs) in found.frequencies_hz.iter().zip(&peer.modes) {
        assert!(
            (ours - theirs).abs() < 1e-9 * theirs,
            "{ours} instead of {theirs} Hz"
        );
    }
}

#[test]
fn column_with_p_delta() {
    let wanted = [(5, Dof::Ux), (5, Dof::Uy), (5, Dof::Rz), (3, Dof::Ux)];
    same_at_rest("pdelta.py", "kN, m, s", &wanted, 1e-9);
}

#[test]
fn roll_up_of_a_cantilever() {
    let wanted = [(12, Dof::Ux), (12, Dof::Uy), (12, Dof::Rz), (6, Dof::Uy)];
    same_at_rest("rollup.py", "N, mm, s", &wanted, 1e-8);
}

/// Runs the ground motion of the script and gives the largest difference over the largest displacement, for each
/// history asked for.
fn shaken(script: &str, units: &str, wanted: &[(usize, Dof)]) -> Option<Vec<f64>> {
    static ROOT: &[Parameter] = &[Parameter::of("integration", Kind::Slot(&SLOT), "")];
    let (_folder, path) = folder(script);
    let mine = imported(&path, units);
    let model = at_rest(&mine);
    let numbers: Vec<(usize, usize)> = wanted
        .iter()
        .map(|(node, dof)| (*node, mine.dof_number(*dof).unwrap()))
        .collect();
    let peer = opensees(&path, 0, &numbers)?;
    let (dt, steps) = mine.model.analysis.transient.unwrap();
    let factor = mine.model.motions[0].series.factor
        * Units::parse(units)
            .unwrap()
            .factor(tandem_quantity::Dimension::ACCELERATION)
        / STANDARD_GRAVITY;
    let motion = record::shipped("el-centro-1940").unwrap().scaled(factor);
    let free: Vec<usize> = wanted
        .iter()
        .map(|(node, dof)| model.free_dof(*node, *dof).unwrap())
        .collect();
    let text = format!(
        "[integration]\nmethod = \"newmark-iterated\"\ndt = \"{dt} s\"\ntolerance = 1e-12\n"
    );
    let source = Source::Text {
        name: "integration",
        text: &text,
    };
    let resolved = plan::read(ROOT, source, &[]).unwrap();
    let values = resolved.values.table("integration").unwrap();
    let loading = GroundMotion::new(&model, move |time| motion.at(time));
    let problem = Problem::all_numerical(Box::new(model), dt);
    let entry = Entry::find(METHODS, "newmark-iterated").unwrap();
    let integrator = (entry.build)(values, problem, &loading).unwrap();
    let count = peer.history.len();
    assert!(
        (steps - count as f64).abs() < 0.5,
        "{steps} steps, {count} in OpenSees"
    );
    let run = run_reference(integrator, &loading, count as u64, 1);
    let length = Units::parse(units)
        .unwrap()
        .factor(tandem_quantity::Dimension::LENGTH);
    let errors = free.iter().enumerate().map(|(k, free)| {
        let scale = if matches!(wanted[k].1, Dof::Ux | Dof::Uy | Dof::Uz) {
            length
        } else {
            1.0
        };
        let ours = run.history(*free);
        let theirs: Vec<f64> = peer.history.iter().map(|row| row[k] * scale).collect();
        let peak = theirs.iter().fold(0.0_f64, |peak, x| peak.max(x.abs()));
        let worst = ours[1..]
            .iter()
            .zip(&theirs)
            .fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        println!(
            "{script} {:?}: peak {peak:.6e}, difference {:.2e} of it",
            wanted[k],
            worst / peak
        );
        worst / peak
    });
    Some(errors.collect())
}

#[test]
fn frame_with_hinged_columns_under_el_centro() {
    let Some(errors) = shaken("lnec.tcl", "kN, m, s", &[(30, Dof::Ux)]) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-6), "{errors:?}");
}

#[test]
fn fibre_frame_under_weight_and_el_centro() {
    let wanted = [(30, Dof::Ux), (10, Dof::Ux), (31, Dof::Rz)];
    let Some(errors) = shaken("fibre-shake.tcl", "N, m, s", &wanted) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-5), "{errors:?}");
}

#[test]
fn fibre_frame_under_weight_is_pushed() {
    let (_folder, path) = folder("fibre-push.tcl");
    let mine = read(&path, Units::default()).unwrap();
    let missing: Vec<_> = mine.remarks(Weight::Missing).collect();
    assert_eq!(missing.len(), 1, "{missing:#?}");
    assert!(missing[0].reason.contains("push"), "{missing:#?}");
    let mut model = at_rest(&mine);
    let wanted = [
        (30, Dof::Ux),
        (20, Dof::Ux),
        (10, Dof::Ux),
        (33, Dof::Uy),
        (11, Dof::Rz),
    ];
    let numbers = wanted.map(|(node, dof)| (node, mine.dof_number(dof).unwrap()));
    let Some(peer) = opensees(&path, 0, &numbers) else {
        return;
    };
    let mut loads = LoadCase::new();
    for (node, force) in [(10, 1e3), (20, 2e3), (30, 3e3)] {
        loads = loads.nodal(node, Dof::Ux, force);
    }
    let mut push = StaticAnalysis::new(&model, &loads, StaticSettings::default()).unwrap();
    let start = model.node_displacement(30, Dof::Ux).unwrap();
    for step in 1..=50 {
        push.push_to(&mut model, 30, Dof::Ux, 0.005 * f64::from(step))
            .unwrap();
    }
    assert!((model.node_displacement(30, Dof::Ux).unwrap() - start - 0.25).abs() < 1e-9);
    for ((node, dof), theirs) in wanted.iter().zip(&peer.rest) {
        let ours = model.node_displacement(*node, *dof).unwrap();
        let error = (ours - theirs).abs() / theirs.abs();
        assert!(
            error < 1e-6,
            "node {node} {dof}: {ours} instead of {theirs}"
        );
    }
}

#[test]
fn frame_in_space_with_stiff_floors_under_two_motions() {
    let wanted = [(20, Dof::Ux), (20, Dof::Uy), (20, Dof::Rz), (10, Dof::Ux)];
    let Some(errors) = shaken("space.py", "N, m, s", &wanted) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-6), "{errors:?}");
}

#[test]
fn fibre_columns_in_space_under_weight_and_two_motions() {
    let Some(errors) = shaken(
        "space-fibre.tcl",
        "N, m, s",
        &[(10, Dof::Ux), (10, Dof::Uy)],
    ) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-5), "{errors:?}");
}
