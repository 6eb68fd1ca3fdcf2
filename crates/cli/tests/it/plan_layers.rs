//! Layers of a plan: overrides, `extends`, places of keys, errors of builders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::plan_demo::{GOOD, ROOT, read};
use tandem::plan::{self, Place, Plan, PlanErrors, Source};
use tandem::sections;
use tandem_quantity::{BuildError, Value};

/// A fresh directory with these files.
fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("plan-{name}"));
    fs::create_dir_all(&path).unwrap();
    for (file, text) in files {
        fs::create_dir_all(path.join(file).parent().unwrap()).unwrap();
        fs::write(path.join(file), text).unwrap();
    }
    path
}

fn open(path: &Path) -> Result<Plan, PlanErrors> {
    plan::read(ROOT, Source::File(path), &[])
}

#[test]
fn overrides_are_written_as_in_toml_or_bare() {
    let set = [
        "integration.dt=2ms",
        "excitation.scale = 0.5",
        "excitation.record=el-centro-1940",
        "excitation.reverse=true",
        "structure.masses=[1,2,\"t\"]",
        "structure.storeys=4",
        "structure.labels.1=\"roof\"",
        "rig.actuators.1.stroke=90 mm",
        "rig.actuators.0.servo.gain=7",
        "monitor.0.limit=\"3 J\"",
        "name=2024-05-06",
        "structure.ratios.1=7%",
    ];
    let values = read(GOOD, &set).unwrap().values.clone();
    let table = |name| values.table(name).unwrap();
    assert_eq!(table("integration").number("dt").unwrap(), 0.002);
    assert_eq!(table("excitation").number("scale").unwrap(), 0.5);
    assert_eq!(
        table("excitation").text("record").unwrap(),
        "el-centro-1940"
    );
    assert!(table("excitation").boolean("reverse").unwrap());
    assert_eq!(
        table("structure").numbers("masses").unwrap(),
        [1000.0, 2000.0]
    );
    assert_eq!(table("structure").count("storeys").unwrap(), 4);
    assert_eq!(
        table("structure").get("labels"),
        Some(&Value::List(vec![
            Value::Text("first".into()),
            Value::Text("roof".into())
        ]))
    );
    assert_eq!(
        table("rig").tables("actuators")[1]
            .number("stroke")
            .unwrap(),
        0.09
    );
    assert_eq!(
        table("rig").tables("actuators")[0]
            .table("servo")
            .unwrap()
            .number("gain")
            .unwrap(),
        7.0
    );
    assert_eq!(values.tables("monitor")[0].number("limit").unwrap(), 3.0);
    assert_eq!(values.text("name").unwrap(), "2024-05-06");
    assert_eq!(table("structure").numbers("ratios").unwrap(), [0.02, 0.07]);
}

#[test]
fn a_changed_method_drops_the_keys_of_the_old_one() {
    let values = read(GOOD, &["compensator.method=none"])
        .unwrap()
        .values
        .clone();
    assert!(!values.table("compensator").unwrap().has("delay"));
    // The order of the overrides does not matter, and keys that both methods know stay.
    let values = read(
        GOOD,
        &["integration.dt=1ms", "integration.method=explicit-newmark"],
    )
    .unwrap()
    .values
    .clone();
    assert_eq!(
        values.table("integration").unwrap().number("dt").unwrap(),
        0.001
    );
    // A key that was set on purpose for the wrong method is not dropped silently.
    let refusal = read(GOOD, &["compensator.order=2", "compensator.method=none"]).unwrap_err();
    assert!(
        refusal.problems()[0]
            .help
            .contains("belongs to the method `polynomial`"),
        "{}",
        refusal.to_text()
    );
    // A slot that is not in the plan at all.
    let bare = GOOD.replace(
        "[compensator]\nmethod = \"polynomial\"\ndelay = \"8 ms\"\n",
        "",
    );
    let values = read(
        &bare,
        &["compensator.delay=3ms", "compensator.method=polynomial"],
    )
    .unwrap()
    .values
    .clone();
    assert_eq!(
        values
            .table("compensator")
            .unwrap()
            .number("delay")
            .unwrap(),
        0.003
    );
}

/// A table on the command line is the whole table: nothing of the plan's own is left in it. A layer
/// of `extends` adds key by key.
#[test]
fn a_table_that_is_set_replaces_the_whole() {
    let scale = |values: &tandem_quantity::Values| {
        let table = values.table("excitation").unwrap();
        assert_eq!(table.text("record").unwrap(), "el-centro-1940");
        table.number("scale").unwrap()
    };
    let set = |text: &str| scale(&read(GOOD, &[text]).unwrap().values);
    assert_eq!(set("excitation.record=el-centro-1940"), 0.4);
    assert_eq!(set("excitation={record=\"el-centro-1940\"}"), 1.0);
    let top = "extends = \"base.toml\"\n[excitation]\nrecord = \"el-centro-1940\"\n";
    let layered = directory("replaced", &[("base.toml", GOOD), ("top.toml", top)]);
    let merged = open(&layered.join("top.toml")).unwrap().values.clone();
    assert_eq!(scale(&merged), 0.4);
}

#[test]
fn wrong_overrides_show_themselves() {
    // (override, column, message, remedy)
    let cases = [
        (
            "integration.dtt=2ms",
            13,
            "unknown key `dtt`",
            "did you mean `dt`?",
        ),
        (
            "integrator.dt=2ms",
            1,
            "unknown key `integrator`",
            "`integration`",
        ),
        ("integration.dt=2", 16, "unit of `dt` is missing", "2 s"),
        ("integration.dt= 2 mm", 17, "is a length", "4 ms"),
        ("integration.dt", 1, "has no `=`", "integration.dt=2ms"),
        (
            "integration.dt=",
            16,
            "value is missing",
            "integration.dt=value",
        ),
        ("integration..dt=1", 13, "part of the key is empty", "dots"),
        ("=1", 1, "part of the key is empty", "dots"),
        ("structure.masses=[1, 2", 23, "cannot be read", "as in TOML"),
        (
            "rig.actuators.7.stroke=1mm",
            15,
            "`actuators` has 2 elements",
            "actuators.0 to actuators.1",
        ),
        (
            "rig.actuators.x.stroke=1mm",
            15,
            "none is `x`",
            "counted from 0",
        ),
        (
            "structure.fixed.0=1",
            17,
            "`fixed` has 0 elements",
            "whole list",
        ),
        (
            "structure.stiffness.0=1",
            11,
            "the plan gives no `stiffness`",
            "in the plan file",
        ),
        (
            "integration.dt.x=1",
            16,
            "`dt` is a text, it has no `x`",
            "set `dt` itself",
        ),
        (
            "integration.method=alpha",
            20,
            "unknown method `alpha`",
            "alpha-os: operator splitting",
        ),
        (
            "extends=x.toml",
            1,
            "`extends` cannot be set",
            "in the plan file",
        ),
        (
            "structure.storeys=2.5",
            19,
            "not a whole number",
            "write 2 or 3",
        ),
        (
            "excitation=3",
            12,
            "`excitation` is a whole number",
            "[excitation]",
        ),
    ];
    for (text, column, message, remedy) in cases {
        let plan = GOOD.replace("stiffness", "# ");
        let refusal = read(&plan, &[text]).unwrap_err();
        let report = refusal.to_text();
        assert_eq!(refusal.problems().len(), 1, "{text}\n{report}");
        let problem = &refusal.problems()[0];
        assert_eq!(
            (problem.file.as_str(), problem.line, problem.column),
            ("--set", 1, column),
            "{text}\n{report}"
        );
        assert!(
            problem.message.contains(message) && problem.help.contains(remedy),
            "{text}\n{report}"
        );
        assert!(report.contains(&format!("1 | {text}")), "{report}");
    }
}

#[test]
fn a_plan_builds_on_another_key_by_key() {
    let dir = directory(
        "extends",
        &[
            ("base/base.toml", GOOD),
            (
                "mid.toml",
                "extends = \"base/base.toml\"\nname = \"mid\"\n[integration]\ndt = \"1 ms\"\n",
            ),
            (
                "top.toml",
                "extends = \"mid.toml\"\n[compensator]\nmethod = \"none\"\n[excitation]\n\
                scale = 2\n[[monitor]]\nkind = \"tracking\"\n",
            ),
        ],
    );
    let plan = open(&dir.join("top.toml")).unwrap();
    assert_eq!(plan.values.text("name").unwrap(), "mid");
    assert_eq!(
        plan.values
            .table("integration")
            .unwrap()
            .number("dt")
            .unwrap(),
        0.001
    );
    assert_eq!(
        plan.values
            .table("excitation")
            .unwrap()
            .number("scale")
            .unwrap(),
        2.0
    );
    assert_eq!(
        plan.values
            .table("excitation")
            .unwrap()
            .text("direction")
            .unwrap(),
        "y"
    );
    assert!(!plan.values.table("compensator").unwrap().has("delay"));
    assert_eq!(plan.values.tables("monitor").len(), 1);
    // A path holds from the file that wrote it.
    let record = plan
        .values
        .table("excitation")
        .unwrap()
        .text("record")
        .unwrap();
    assert_eq!(Path::new(record), dir.join("base/records/kobe.AT2"));
    // Each key knows its file.
    let place = plan.locate("integration.dt");
    assert_eq!(
        (Path::new(&place.file), place.line, place.column),
        (dir.join("mid.toml").as_path(), 4, 6)
    );
    let place = plan.locate("structure.masses.1");
    assert_eq!(
        (Path::new(&place.file), place.line, place.column),
        (dir.join("base/base.toml").as_path(), 9, 17)
    );
}

#[test]
fn a_wrong_chain_of_plans_is_refused_at_its_place() {
    let mut files: Vec<(String, String)> = vec![
        (
            "a.toml".into(),
            "name = \"a\"\nextends = \"b.toml\"\n".into(),
        ),
        ("b.toml".into(), "extends = \"./a.toml\"\n".into()),
        ("self.toml".into(), "extends = \"self.toml\"\n".into()),
        ("lost.toml".into(), "extends = \"nowhere.toml\"\n".into()),
        ("broken.toml".into(), "extends = \"bad.toml\"\n".into()),
        ("bad.toml".into(), "\nname = x\n".into()),
    ];
    files.extend((0..20).map(|i| {
        (
            format!("c{i}.toml"),
            format!("extends = \"c{}.toml\"\n", i + 1),
        )
    }));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let dir = directory("chain", &files);
    let cases = [
        ("a.toml", "b.toml", 1, 11, "in a circle"),
        ("self.toml", "self.toml", 1, 11, "in a circle"),
        ("lost.toml", "lost.toml", 1, 11, "cannot read"),
        ("broken.toml", "bad.toml", 2, 8, "TOML syntax"),
        ("c0.toml", "c15.toml", 1, 11, "longer than 16"),
    ];
    for (file, place, line, column, message) in cases {
        let refusal = open(&dir.join(file)).unwrap_err();
        let report = refusal.to_text();
        assert_eq!(refusal.problems().len(), 1, "{report}");
        let problem = &refusal.problems()[0];
        assert_eq!(
            (Path::new(&problem.file), problem.line, problem.column),
            (dir.join(place).as_path(), line, column),
            "{report}"
        );
        assert!(problem.message.contains(message), "{report}");
    }
}

/// Two fragments on one plan, both built on a common base: the later one wins, the plan itself wins
/// over both.
#[test]
fn a_plan_extends_several() {
    let dir = directory(
        "several",
        &[
            ("base.toml", GOOD),
            (
                "first.toml",
                "extends = \"base.toml\"\nname = \"first\"\n[excitation]\nscale = 2\n",
            ),
            (
                "second.toml",
                "extends = \"base.toml\"\nname = \"second\"\n[integration]\ndt = \"2 ms\"\n",
            ),
            (
                "top.toml",
                "extends = [\"first.toml\", \"second.toml\"]\n[integration]\ndt = \"3 ms\"\n",
            ),
            ("wrong.toml", "extends = [\"first.toml\", 3]\n"),
        ],
    );
    let plan = open(&dir.join("top.toml")).unwrap();
    assert_eq!(plan.values.text("name").unwrap(), "second");
    let dt = plan.values.table("integration").unwrap().number("dt");
    assert!((dt.unwrap() - 3e-3).abs() < 1e-15);
    let refusal = open(&dir.join("wrong.toml")).unwrap_err();
    let problem = &refusal.problems()[0];
    assert_eq!((problem.line, problem.column), (1, 26));
    assert!(problem.message.contains("a whole number"));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let dir = directory("unreadable", &[]);
    fs::write(dir.join("latin.toml"), b"name = \"x\"\n# caf\xe9\n").unwrap();
    let refusal = open(&dir.join("latin.toml")).unwrap_err();
    assert_eq!(
        (refusal.problems()[0].line, refusal.problems()[0].column),
        (2, 6)
    );
    assert!(refusal.problems()[0].message.contains("UTF-8"));
    for path in [dir.join("nothing.toml"), dir.clone()] {
        let report = open(&path).unwrap_err().to_text();
        assert!(
            report.starts_with(&format!("{}:1:1: cannot read", path.display())),
            "{report}"
        );
    }
    let huge = dir.join("huge.toml");
    fs::write(&huge, vec![b'\n'; (16 << 20) + 1]).unwrap();
    assert!(
        open(&huge)
            .unwrap_err()
            .to_text()
            .contains("larger than 16 MB")
    );
    fs::remove_file(huge).unwrap();
}

#[test]
fn errors_of_builders_find_their_line() {
    let plan = read(GOOD, &["excitation.scale=3"]).unwrap();
    let at = |key: &str| {
        let Place { file, line, column } = plan.locate(key);
        (file, line, column)
    };
    let demo = || "demo.toml".to_owned();
    assert_eq!(at("structure.masses"), (demo(), 9, 10));
    assert_eq!(at("rig.actuators.1.stroke"), (demo(), 25, 10));
    assert_eq!(at("rig.actuators.1.servo.gain"), (demo(), 26, 18));
    assert_eq!(at("rig.actuators.0.delay"), (demo(), 21, 1));
    assert_eq!(at("integration.alpha"), (demo(), 13, 1));
    assert_eq!(at("excitation.scale"), ("--set".to_owned(), 1, 18));
    assert_eq!(at("limits.stroke"), (demo(), 31, 1));
    assert_eq!(at(""), (demo(), 1, 1));
    let errors = vec![
        BuildError::new("masses", "2 masses for 3 storeys", "give 3").within("structure"),
        BuildError::new(
            "dt",
            "above the stability limit of 3 ms",
            "take dt = \"2 ms\"",
        )
        .within("integration"),
    ];
    let refusal = plan.refuse(errors);
    let json = serde_json::to_value(refusal.reports()).unwrap();
    assert_eq!(json[0]["key"], "structure.masses");
    assert_eq!(
        (&json[1]["file"], &json[1]["line"], &json[1]["column"]),
        (&"demo.toml".into(), &15.into(), &6.into())
    );
    assert_eq!(json[1]["help"], "take dt = \"2 ms\"");
    assert!(
        refusal
            .to_text()
            .contains("demo.toml:15:6: above the stability limit of 3 ms")
    );
}

#[test]
fn a_base_may_be_incomplete_and_wrong_keys_in_it_are_shown_there() {
    let top = "extends = \"base.toml\"\n[structure]\nmasses = [1, \"kg\"]\n";
    let base = "[integration]\nmethod = \"alpha-os\"\ndt = \"4 mm\"\n[structure]\nstoreys = 0\n";
    let dir = directory("incomplete", &[("top.toml", top), ("base.toml", base)]);
    let refusal = open(&dir.join("top.toml")).unwrap_err();
    let places: Vec<(&str, usize)> = refusal
        .problems()
        .iter()
        .map(|p| (p.key.as_str(), p.line))
        .collect();
    assert_eq!(
        places,
        [("integration.dt", 3), ("structure.storeys", 5)],
        "{}",
        refusal.to_text()
    );
    assert!(
        refusal
            .problems()
            .iter()
            .all(|p| Path::new(&p.file) == dir.join("base.toml"))
    );
}

/// A plan of another format is refused by name at its place, wherever it stands in the chain, and
/// nothing else is said of it: what its keys mean is anybody's guess.
#[test]
fn a_plan_of_another_format_is_refused() {
    let files = [
        ("later.toml", "# later\nformat = 2\nunheard = \"of\"\n"),
        ("top.toml", "format = 1\nextends = \"later.toml\"\n"),
    ];
    let dir = directory("format", &files);
    for file in ["later.toml", "top.toml"] {
        let read = plan::read(sections::ROOT, Source::File(&dir.join(file)), &[]);
        let refusal = read.unwrap_err();
        let report = refusal.to_text();
        assert_eq!(refusal.problems().len(), 1, "{report}");
        let problem = &refusal.problems()[0];
        assert_eq!((problem.line, problem.column), (2, 10), "{report}");
        assert!(problem.file.ends_with("later.toml"), "{report}");
        for words in [
            "has format 2",
            "does not know",
            "expected format = 1",
            "version",
        ] {
            assert!(report.contains(words), "{words}: {report}");
        }
    }
    let quick = include_str!("../../../../examples/quick-start/plan.toml");
    let read = |set: &[String]| {
        let name = "quick";
        plan::read(sections::ROOT, Source::Text { name, text: quick }, set)
    };
    let written = read(&[]).unwrap().to_toml();
    assert!(written.contains("\nformat = 1"), "{written}");
    let refusal = read(&["format=2".to_owned()]).unwrap_err().to_text();
    assert!(refusal.contains("expected 1"), "{refusal}");
    assert!(read(&["format=1".to_owned()]).is_ok());
}
