//! Resolved plans read back to the same values, and no text makes the reader panic.

use std::fs;
use std::path::{Path, PathBuf};

use crate::plan_demo::{GOOD, ROOT, read};
use proptest::prelude::*;
use tandem::plan::{self, Source};

/// Numbers with a unit, as people write them.
fn quantity(units: &'static [&'static str]) -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (1u32..100_000).prop_map(|n| n.to_string()),
        (1e-3..1e3f64).prop_map(|x| x.to_string()),
        (1e-3..1e3f64).prop_map(|x| format!("{x:e}")),
    ];
    (number, prop::sample::select(units), prop::bool::ANY).prop_map(|(n, u, space)| {
        if space {
            format!("\"{n} {u}\"")
        } else {
            format!("\"{n}{u}\"")
        }
    })
}

fn excitation() -> impl Strategy<Value = String> {
    let record = prop::sample::select(
        &[
            "el-centro-1940",
            "./a b.AT2",
            "dir/x.txt",
            "/abs/y.V2",
            "q\\\"uote.txt",
            "tab\\t.txt",
        ][..],
    );
    let scale = prop_oneof![
        (-10.0..10.0f64).prop_map(|x| format!("{x:?}")),
        Just("\"35 %\"".to_owned()),
        Just("3".to_owned())
    ];
    let until = prop::option::of(quantity(&["s", "min", "ms"]));
    (record, scale, prop::bool::ANY, until).prop_map(|(record, scale, reverse, until)| {
        let until = until.map_or_else(String::new, |u| format!("until = {u}\n"));
        format!(
            "[excitation]\nrecord = \"{record}\"\nscale = {scale}\nreverse = {reverse}\n{until}"
        )
    })
}

fn structure() -> impl Strategy<Value = String> {
    let masses = prop_oneof![
        prop::collection::vec(quantity(&["kg", "t", "lb"]), 0..4)
            .prop_map(|m| format!("[{}]", m.join(", "))),
        prop::collection::vec(1e-6..1e9f64, 1..4)
            .prop_map(|m| format!("{m:?}").replace(']', ", \"t\"]")),
    ];
    let stiffness = (1usize..4)
        .prop_flat_map(|n| prop::collection::vec(prop::collection::vec(-1e9..1e9f64, n), n));
    let label = prop::collection::vec("[^\\p{C}\"\\\\]{0,8}", 1..4);
    (masses, prop::option::of(stiffness), label, 1i64..50).prop_map(
        |(masses, stiffness, labels, storeys)| {
            let stiffness = stiffness.map_or_else(String::new, |k| {
                let rows: Vec<String> = k.iter().map(|r| format!("{r:?}")).collect();
                format!("stiffness = [{}, \"kip/in\"]\n", rows.join(", "))
            });
            let labels: Vec<String> = labels.iter().map(|l| format!("\"{l}\"")).collect();
            format!(
                "[structure]\nmasses = {masses}\n{stiffness}labels = [{}]\nstoreys = {storeys}.0\n",
                labels.join(", ")
            )
        },
    )
}

fn rest() -> impl Strategy<Value = String> {
    let integration = prop_oneof![
        Just("[integration]\nmethod = \"explicit-newmark\"\ndt = \"1 ms\"\n".to_owned()),
        (-0.34..0.0f64, quantity(&["us"])).prop_map(|(a, dt)| format!(
            "[integration]\nmethod = \"alpha-os\"\nalpha = {a:?}\ndt = {dt}\n"
        )),
    ]
    // 0.1 s is the largest step.
    .prop_filter("range", |t| {
        read(&format!("[structure]\nmasses = []\n{t}"), &[]).is_ok()
    });
    let compensator = prop::sample::select(
        &[
            "",
            "[compensator]\nmethod = \"polynomial\"\ndelay = \"3ms\"\n",
            "[compensator]\n",
        ][..],
    );
    let rig = prop::collection::vec(quantity(&["mm", "in", "m"]), 0..4).prop_map(|strokes| {
        strokes
            .iter()
            .map(|s| {
                format!("[[rig.actuators]]\nstroke = {s}\n[rig.actuators.servo]\ngain = 0.1\n")
            })
            .collect::<String>()
    });
    let monitor = prop::sample::select(
        &[
            "",
            "[[monitor]]\nkind = \"energy\"\n[[monitor]]\nkind = \"tracking\"\n",
        ][..],
    );
    (integration, compensator, rig, monitor).prop_map(|(a, b, c, d)| format!("{a}{b}{c}{d}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None,
        ..ProptestConfig::default() })]
    #[test]
    fn resolved_plans_read_back_to_the_same_values(
        a in excitation(), b in structure(), c in rest()) {
        let text = format!("name = \"x \\u0001 \\\" ä\"\n{a}{b}{c}");
        let first = read(&text, &[]).map_err(|e| TestCaseError::fail(format!("{text}\n\
            {}", e.to_text())))?;
        let written = first.to_toml();
        let second = read(&written, &[]).map_err(|e| TestCaseError::fail(format!("{written}\n\
            {}", e.to_text())))?;
        prop_assert_eq!(&first.values, &second.values, "{}", written);
        // Everything is written now: a third round changes nothing but the marks of defaults.
        prop_assert_eq!(written.replace("  # default", ""), second.to_toml());
    }
}

#[test]
fn the_resolved_plan_is_complete_and_keeps_units() {
    let plan = read(GOOD, &["integration.dt=2ms"]).unwrap();
    let text = plan.to_toml();
    for line in [
        "# The plan as it was resolved",
        "dt = \"2 ms\"\n",
        "alpha = -0.05  # default",
        "masses = [2000, 1500, \"kg\"]",
        "force = \"10 kN\"  # default",
        "stroke = \"5 in\"",
        "[rig.actuators.servo]  # default",
        "kind = \"pid\"  # default",
        "order = 3  # default",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(read(&text, &[]).unwrap().values, plan.values);
    assert!(
        plan.to_toml_from(Path::new("/lab"))
            .contains("record = \"/lab/records/kobe.AT2\"")
    );
    let shipped = read(GOOD, &["excitation.record=kobe"]).unwrap();
    assert!(
        shipped
            .to_toml_from(Path::new("/lab"))
            .contains("record = \"kobe\"")
    );
}

#[test]
fn a_plan_of_defaults_resolves() {
    let text = "[structure]\nmasses = []\n[integration]\nmethod = \"alpha-os\"\ndt = \"1 ms\"\n";
    let plan = read(text, &[]).unwrap();
    assert_eq!(
        plan.values
            .table("compensator")
            .unwrap()
            .text("method")
            .unwrap(),
        "none"
    );
    assert!(!plan.values.has("rig"));
    assert_eq!(read(&plan.to_toml(), &[]).unwrap().values, plan.values);
}

/// A small generator (Marsaglia's xorshift64), so that every failure can be run again.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

const SPICE: &[&str] = &[
    "1e999",
    "nan",
    "-inf",
    "99999999999999999999999",
    "0xffffffffffffffffff",
    "\"\"",
    "\"µs\"",
    "\"1 m^99\"",
    "[[[]]]",
    "{}",
    "[]",
    "''",
    "\"\"\"",
    "#",
    "=",
    ".",
    "[",
    "]]",
    "ä",
    "\u{202e}",
    "\u{0}",
    "\r",
    "\u{feff}",
    "1979-05-27",
    "a.b.c",
    "method",
    "kind",
    "true",
    "\"kN/m\"",
    "-0",
    "1_0",
    "\\u",
    "extends = \"x\"\n",
    "[rig]\n",
    "[[monitor]]\n",
    "[structure.masses]\n",
    "\"\\ud800\"",
];

fn mutate(seed: &mut Seeded) -> Vec<u8> {
    let mut bytes = GOOD.as_bytes().to_vec();
    for _ in 0..=seed.below(3) {
        let at = seed.below(bytes.len());
        match seed.below(7) {
            0 => bytes[at] ^= 1 << seed.below(8),
            1 => {
                let end = (at + seed.below(12)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 | 3 => {
                let spice = SPICE[seed.below(SPICE.len())];
                bytes.splice(at..at, spice.bytes());
            }
            4 => {
                // Swap two tokens.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut tokens: Vec<&str> = text.split_inclusive(' ').collect();
                let (i, j) = (seed.below(tokens.len()), seed.below(tokens.len()));
                tokens.swap(i, j);
                bytes = tokens.concat().into_bytes();
            }
            5 => {
                // Repeat a line somewhere else.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let (i, j) = (seed.below(lines.len()), seed.below(lines.len()));
                lines.insert(j, lines[i]);
                bytes = lines.concat().into_bytes();
            }
            _ => {
                // Replace the value of a line.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let i = seed.below(lines.len());
                if let Some((key, _)) = lines[i].clone().split_once('=') {
                    lines[i] = format!("{key}= {}", SPICE[seed.below(SPICE.len())]);
                }
                bytes = lines.join("\n").into_bytes();
            }
        }
        if bytes.is_empty() {
            bytes.push(b'\n');
        }
    }
    bytes
}

#[test]
fn a_thousand_mutilated_plans_resolve_or_are_refused_with_their_place() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plan-mutations");
    fs::create_dir_all(&dir).unwrap();
    let path: PathBuf = dir.join("mutant.toml");
    let mut seed = Seeded(0x9e37_79b9_7f4a_7c15);
    let (mut good, mut bad) = (0, 0);
    for round in 0..1000 {
        let bytes = mutate(&mut seed);
        fs::write(&path, &bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match plan::read(ROOT, Source::File(&path), &[]) {
            Ok(plan) => {
                good += 1;
                let written = plan.to_toml();
                let again = read(&written, &[]).unwrap_or_else(|e| {
                    panic!("round {round}:\n{text}\n{written}\n{}", e.to_text())
                });
                assert_eq!(again.values, plan.values, "round {round}:\n{text}");
            }
            Err(refusal) => {
                bad += 1;
                let lines = text.lines().count() + 1;
                assert!(!refusal.problems().is_empty(), "round {round}:\n{text}");
                let report = refusal.to_text();
                for problem in refusal.problems() {
                    assert!(
                        (1..=lines).contains(&problem.line),
                        "round {round}:\n{text}\n{report}"
                    );
                    assert!(
                        !problem.message.is_empty() && !problem.help.is_empty(),
                        "round {round}:\n{report}"
                    );
                    let place = format!("{}:{}:{}: ", path.display(), problem.line, problem.column);
                    assert!(report.contains(&place), "round {round}:\n{report}");
                }
                let mut out = String::new();
                miette::GraphicalReportHandler::new()
                    .render_report(&mut out, &refusal)
                    .unwrap();
            }
        }
    }
    // Both ways must be taken often, or the test tests nothing.
    assert!(good > 50 && bad > 500, "{good} resolved, {bad} refused");
}

#[test]
fn mutilated_overrides_never_panic() {
    let mut seed = Seeded(77);
    let base = [
        "integration.dt=2ms",
        "rig.actuators.1.servo.gain=[1, 2]",
        "structure.masses={a=1}",
        "compensator.method=none",
    ];
    for round in 0..500 {
        let mut text = base[seed.below(base.len())].to_owned();
        for _ in 0..=seed.below(2) {
            let mut at = seed.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, SPICE[seed.below(SPICE.len())]);
        }
        if let Err(refusal) = read(GOOD, &[&text]) {
            assert!(
                refusal.problems().iter().any(|p| p.file == "--set"),
                "round {round}: {text}\n{}",
                refusal.to_text()
            );
        }
    }
}
