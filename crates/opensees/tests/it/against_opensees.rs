//! The same script in OpenSees and here: statics, modes and earthquake histories of frames.
//!
//! `opensees/run.py` runs a script in OpenSees (openseespy, and for Tcl scripts Python's own Tcl);
//! the importer makes a model of it here. Both languages, several sets of units and most elements
//! take part.

use std::path::{Path, PathBuf};
use std::process::Command;

use tandem::plan::Plan;
use tandem_frame::model::{Dof, LoadCase, Model, StaticAnalysis, StaticSettings};
use tandem_model::frame::FrameModel;
use tandem_opensees::script::Weight;
use tandem_opensees::units::Units;
use tandem_opensees::{Imported, Options, emit, read};
use tandem_quantity::{Dimension, STANDARD_GRAVITY};
use tandem_signal::record;
use tandem_structure::{Structure, modes::modes};
use tandem_test_support::{apart, example, json_numbers, last_json, plans, python};

/// What OpenSees made of a script.
struct Peer {
    modes: Vec<f64>,
    rest: Vec<f64>,
    history: Vec<Vec<f64>>,
}

/// Folder of the scripts.
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/opensees");

/// A folder with the script, those beside it, and the ground motion they name.
fn folder(script: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for scripts in [HERE.into(), example("opensees-import")] {
        for entry in std::fs::read_dir(scripts).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let motion = record::shipped("el-centro-1940").unwrap();
    let lines: Vec<String> = motion
        .acceleration
        .iter()
        .map(|a| format!("{}", a / STANDARD_GRAVITY))
        .collect();
    std::fs::write(folder.path().join("el-centro.txt"), lines.join("\n")).unwrap();
    let path = folder.path().join(script);
    (folder, path)
}

fn opensees(path: &Path, modes: usize, wanted: &[(usize, usize)]) -> Option<Peer> {
    let modules: &[&str] = match path.extension() {
        Some(ending) if ending == "tcl" => &["openseespy.opensees", "tkinter"],
        _ => &["openseespy.opensees"],
    };
    let out = Command::new(python(modules)?)
        .arg(Path::new(HERE).join("run.py"))
        .arg(path)
        .arg(modes.to_string())
        .args(wanted.iter().map(|(node, dof)| format!("{node}:{dof}")))
        .output()
        .unwrap();
    let said = last_json(&out);
    let history = said["history"].as_array().unwrap().iter();
    Some(Peer {
        modes: json_numbers(&said["modes"]),
        rest: json_numbers(&said["rest"]),
        history: history.map(json_numbers).collect(),
    })
}

/// The script as a plan: everything in it was understood, but for `missing` lines.
fn imported(path: &Path, units: &str, missing: usize) -> (Imported, Plan) {
    let options = Options {
        units: Units::parse(units).unwrap(),
        python: std::env::var_os("TANDEM_PYTHON").map(PathBuf::from),
        ..Options::default()
    };
    let mut imported = read(path, &options).unwrap();
    let at = path.with_extension("toml");
    let written = emit::plan(&mut imported, Some(&at));
    std::fs::write(&at, &written.plan).unwrap();
    let list: Vec<_> = imported.remarks(Weight::Missing).collect();
    assert_eq!(list.len(), missing, "{list:#?}");
    (imported, plans::plan_file(&at, plans::AS_WRITTEN))
}

/// The frame under its constant loads.
fn frame(plan: &Plan) -> FrameModel {
    let read = FrameModel::read(plan.values.table("structure").unwrap(), 0.01);
    read.unwrap_or_else(|error| panic!("{}: {}", error.key, error.message))
}

/// Number of a node by the one in the script, as the model counts.
fn node(model: &Model, tag: usize) -> usize {
    model.node_named(&tag.to_string()).unwrap()
}

/// Nodes and degrees of freedom as the script counts them, from 1.
fn numbers(imported: &Imported, wanted: &[(usize, Dof)]) -> Vec<(usize, usize)> {
    let own = imported.model.dofs();
    let number = |dof: Dof| own.iter().position(|six| Dof::ALL[*six] == dof).unwrap() + 1;
    wanted
        .iter()
        .map(|(tag, dof)| (*tag, number(*dof)))
        .collect()
}

/// Factor from the script's units to SI.
fn to_si(units: &str, dof: Dof) -> f64 {
    match dof {
        Dof::Ux | Dof::Uy | Dof::Uz => Units::parse(units).unwrap().factor(Dimension::LENGTH),
        _ => 1.0,
    }
}

/// Compares the state at rest with OpenSees.
fn same_at_rest(
    script: &str,
    units: &str,
    wanted: &[(usize, Dof)],
    tolerance: f64,
) -> Option<(Model, Peer)> {
    let (_folder, path) = folder(script);
    python(&["openseespy.opensees"])?;
    let (mine, plan) = imported(&path, units, 0);
    let mut model = frame(&plan).model;
    model.refresh();
    let modes = if script == "portal.tcl" { 6 } else { 0 };
    let peer = opensees(&path, modes, &numbers(&mine, wanted))?;
    assert_eq!(peer.rest.len(), wanted.len());
    for ((tag, dof), theirs) in wanted.iter().zip(&peer.rest) {
        let ours = model.node_displacement(node(&model, *tag), *dof).unwrap();
        let theirs = theirs * to_si(units, *dof);
        let error = (ours - theirs).abs() / theirs.abs();
        assert!(
            error < tolerance,
            "{script} node {tag} {dof}: {ours} instead of {theirs}"
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
    let found = modes(model.properties(), 6).unwrap();
    assert_eq!(peer.modes.len(), 6);
    for (ours, theirs) in found.frequencies_hz.iter().zip(&peer.modes) {
        assert!(
            (ours - theirs).abs() < 1e-9 * theirs,
            "{ours} instead of {theirs} Hz"
        );
    }
}

#[test]
fn frame_with_next_to_no_mass_elsewhere() {
    // Periods of seven storeys as two other programs give them, in the verification manual.
    let published = [1.2732, 0.4313, 0.2420, 0.1602, 0.1190, 0.0951, 0.0795];
    let Some(_) = python(&["openseespy.opensees"]) else {
        return;
    };
    let (_folder, path) = folder("tiny-masses.py");
    let (_, plan) = imported(&path, "kip, in, s", 0);
    let Some(peer) = opensees(&path, 7, &[]) else {
        return;
    };
    let found = modes(frame(&plan).model.properties(), 7).unwrap();
    for ((ours, theirs), period) in found.frequencies_hz.iter().zip(&peer.modes).zip(published) {
        assert!(
            (ours - theirs).abs() < 1e-8 * theirs,
            "{ours} instead of {theirs} Hz"
        );
        assert!((1.0 / ours - period).abs() < 6e-5, "{} s", 1.0 / ours);
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

/// Runs the plan and gives the largest difference over the largest displacement, for each history
/// asked for.
fn shaken(script: &str, units: &str, wanted: &[(usize, Dof)]) -> Option<Vec<f64>> {
    let (_folder, path) = folder(script);
    python(&["openseespy.opensees"])?;
    let (mine, plan) = imported(&path, units, 0);
    let peer = opensees(&path, 0, &numbers(&mine, wanted))?;
    let test = plans::test_file(&path.with_extension("toml"), plans::AS_WRITTEN);
    let steps = usize::try_from(test.outline.timing.steps).unwrap();
    assert_eq!(steps, peer.history.len());
    let run = test.reference().unwrap();
    let frame = frame(&plan);
    let errors = wanted.iter().enumerate().map(|(k, (tag, dof))| {
        let free = frame.dof(&format!("{tag} {dof}")).unwrap();
        let ours = run.history(free);
        let scale = to_si(units, *dof);
        let theirs: Vec<f64> = peer.history.iter().map(|row| row[k] * scale).collect();
        let error = apart(&ours[1..], &theirs);
        println!("{script} {tag} {dof}: {error:.2e} of the peak");
        error
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
fn the_example() {
    let Some(errors) = shaken("frame.tcl", "kN, m, s", &[(21, Dof::Ux), (12, Dof::Uy)]) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-7), "{errors:?}");
}

#[test]
fn a_bar_of_every_material() {
    let wanted: Vec<(usize, Dof)> = (101..=121).map(|tag| (tag, Dof::Ux)).collect();
    let Some(errors) = shaken("materials.tcl", "kip, in, s", &wanted) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-6), "{errors:?}");
}

#[test]
fn concrete_without_strength_in_tension() {
    let wanted = [(102, Dof::Ux), (103, Dof::Ux)];
    let Some(errors) = shaken("concrete.tcl", "kip, in, s", &wanted) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-9), "{errors:?}");
}

#[test]
fn elements_and_sections_side_by_side() {
    let tops = [11, 21, 31, 41, 51, 61, 71, 81, 22, 91, 101];
    let wanted: Vec<(usize, Dof)> = tops.map(|tag| (tag, Dof::Ux)).to_vec();
    let Some(errors) = shaken("elements.tcl", "kip, in, s", &wanted) else {
        return;
    };
    assert!(errors.iter().all(|error| *error < 1e-6), "{errors:?}");
}

#[test]
fn fibre_frame_under_weight_is_pushed() {
    let (_folder, path) = folder("fibre-push.tcl");
    // The push itself and its loads have no place in a plan.
    let (mine, plan) = imported(&path, "N, m, s", 2);
    let mut model = frame(&plan).model;
    let wanted = [
        (30, Dof::Ux),
        (20, Dof::Ux),
        (10, Dof::Ux),
        (33, Dof::Uy),
        (11, Dof::Rz),
    ];
    let Some(peer) = opensees(&path, 0, &numbers(&mine, &wanted)) else {
        return;
    };
    assert_eq!(peer.rest.len(), wanted.len());
    let by_tag = model.clone();
    let at = |tag: usize| node(&by_tag, tag);
    let mut loads = LoadCase::new();
    for (node, force) in [(10, 1e3), (20, 2e3), (30, 3e3)] {
        loads = loads.nodal(at(node), Dof::Ux, force);
    }
    let mut push = StaticAnalysis::new(&model, &loads, StaticSettings::default()).unwrap();
    let start = model.node_displacement(at(30), Dof::Ux).unwrap();
    for step in 1..=50 {
        push.push_to(&mut model, at(30), Dof::Ux, 0.005 * f64::from(step))
            .unwrap();
    }
    assert!((model.node_displacement(at(30), Dof::Ux).unwrap() - start - 0.25).abs() < 1e-9);
    for ((node, dof), theirs) in wanted.iter().zip(&peer.rest) {
        let ours = model.node_displacement(at(*node), *dof).unwrap();
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
