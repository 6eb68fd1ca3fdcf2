//! Scripts of OpenSees: the languages, what is understood, what is listed, and hostile input.

mod languages;
mod recorder;

use std::time::{Duration, Instant};

use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem_model::frame::FrameModel;
use tandem_opensees::script::Weight;
use tandem_opensees::units::Units;
use tandem_opensees::{Imported, Options, emit, read_tcl};
use tandem_test_support::seeded;

fn tcl(text: &str) -> Imported {
    read_tcl(text, "model.tcl", &Options::default()).unwrap()
}

/// Lines of what was not understood, with the reasons.
fn missing(imported: &Imported) -> Vec<(usize, String)> {
    imported
        .remarks(Weight::Missing)
        .map(|remark| (remark.place.line, remark.reason.clone()))
        .collect()
}

/// x of every node, in the order of their numbers.
fn places(imported: &Imported) -> Vec<(i64, f64)> {
    let nodes = imported.model.nodes.iter();
    nodes.map(|(tag, node)| (*tag, node.at[0])).collect()
}

#[test]
fn tcl_words_variables_and_expressions() {
    let imported = tcl(r#"
model basic -ndm 2 -ndf 3 ;# a comment; with a semicolon
# a comment that goes on \
  node 99 0 0
set a 2.0 ; set b(2) 7
set {odd name} 3
node 1 $a 0.0
node 2 [expr $a*3 + 7/2] 0.0
node 3 [expr {pow($a, 3) > 7.5 ? -1.5e1 : 0}] \
    0.0
node 4 $b([expr {1 + 1}]) 0.0
node 5 ${odd name} 0.0
node 6 [lindex {1 {2 3} 4} 1 1] [llength {a {b c}}]
node 7 "[expr {int(7.9)}]" 0
node [format "%d%02d" 1 8] [expr -7/2] [expr {abs(-2) + sqrt(16) + 2**3}]
eval "node 9 [list 1.25 0.5]"
"#);
    assert_eq!(missing(&imported), vec![]);
    let expected = [
        (1, 2.0),
        (2, 9.0),
        (3, -15.0),
        (4, 7.0),
        (5, 3.0),
        (6, 3.0),
        (7, 7.0),
        (9, 1.25),
        (108, -4.0),
    ];
    assert_eq!(places(&imported), expected);
    assert_eq!(imported.model.nodes[&108].at[1], 14.0);
}

#[test]
fn tcl_loops_conditions_and_procedures() {
    let imported = tcl(r"
model basic -ndm 2 -ndf 3
set count 0
proc place {tag x {y 0.0}} {
    global count
    incr count
    node $tag $x $y
    return [expr {$tag + 1}]
}
for {set i 1} {$i <= 4} {incr i} {
    if {$i == 2} { continue } elseif {$i == 4} break
    place $i [expr {10.0 * $i}]
}
foreach {tag x} {11 1.0 12 2.0} y {5 6} { place $tag $x $y }
set n 0
while {$n < 2} { incr n }
place [place 20 $n] $count 0.5
switch $n { 1 { node 31 1 1 } 2 - 3 { node 32 2 2 } default { node 33 3 3 } }
puts $count
");
    assert_eq!(missing(&imported), vec![]);
    let expected = [
        (1, 10.0),
        (3, 30.0),
        (11, 1.0),
        (12, 2.0),
        (20, 2.0),
        (21, 5.0),
        (32, 2.0),
    ];
    assert_eq!(places(&imported), expected);
    assert_eq!(imported.model.nodes[&12].at[1], 6.0);
    assert_eq!(imported.remarks(Weight::Ignored).count(), 1);
}

#[test]
fn what_is_not_understood_is_listed_with_its_line_and_the_rest_goes_on() {
    let imported = tcl("model basic -ndm 2 -ndf 3
node 1 0 0
node 2 $nowhere 0
node 3 3 0
uniaxialMaterial Pinching4 1 1 2 3
element truss 1 1 3 0.01 1
for {set i 0} {$i < 5} {incr i} {
    frobnicate $i
}
section Fiber 4 {
    patch rect 1 2 2 -0.1
    fiber 0.0 0.0 0.01 1
}
element elasticBeamColumn 2 1 3 0.01 2e11 1e-5 9
exec rm -rf /
");
    let list = missing(&imported);
    let lines: Vec<usize> = list.iter().map(|item| item.0).collect();
    assert_eq!(lines, [3, 5, 8, 11, 14, 15]);
    assert!(list[0].1.contains("nowhere"), "{}", list[0].1);
    assert!(list[1].1.contains("Pinching4"), "{}", list[1].1);
    let frobnicate = imported.remarks(Weight::Missing).nth(2).unwrap();
    assert_eq!(
        (frobnicate.times, frobnicate.command.as_str()),
        (5, "frobnicate $i")
    );
    assert!(list[4].1.contains("transformation 9"), "{}", list[4].1);
    assert!(list[5].1.contains("runs no programs"), "{}", list[5].1);
    assert!(imported.is_useful());
}

#[test]
fn a_wipe_begins_another_model_and_the_one_analysed_last_is_kept() {
    let spring = |stiffness: f64, rest: &str| {
        format!(
            "wipe
model basic -ndm 1 -ndf 1
node 1 0
node 2 1 -mass 2.0
fix 1 1
uniaxialMaterial Elastic 1 {stiffness}
element truss 1 1 2 1.0 1
{rest}
"
        )
    };
    let script = [
        spring(100.0, ""),
        spring(200.0, "integrator LoadControl 1\nanalyze 1\nfrobnicate"),
        spring(300.0, "grumble"),
        "wipe\n".to_owned(),
    ]
    .concat();
    let taken = |model: Option<usize>| {
        let options = Options {
            model,
            ..Options::default()
        };
        read_tcl(&script, "model.tcl", &options)
    };
    for (model, stiffness, trouble) in [
        (None, 200.0, Some("frobnicate")),
        (Some(1), 100.0, None),
        (Some(3), 300.0, Some("grumble")),
    ] {
        let imported = taken(model).unwrap();
        let plan = emit::structure(&imported.model, &imported.units);
        assert!(
            plan.contains(&format!("modulus = \"{stiffness} Pa\"")),
            "{plan}"
        );
        let listed: Vec<&str> = imported
            .remarks(Weight::Missing)
            .map(|remark| remark.command.as_str())
            .collect();
        assert_eq!(listed, trouble.into_iter().collect::<Vec<_>>());
        let said = imported.remarks(Weight::Assumed).next().unwrap();
        assert!(said.reason.contains("builds 3 models"), "{}", said.reason);
    }
    let refused = taken(Some(4)).unwrap_err().to_string();
    assert!(refused.contains("no model 4"), "{refused}");
    // A wipe before anything is there, or at the end, is no other model.
    let one = tcl(&format!("{}wipe\n", spring(1.0, "")));
    assert_eq!(one.model.nodes.len(), 2);
    assert!(
        one.remarks(Weight::Assumed)
            .all(|r| !r.reason.contains("builds"))
    );
}

#[test]
fn implausible_units_are_pointed_out() {
    let script = "model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 3000
geomTransf Linear 1
element elasticBeamColumn 1 1 2 5000 210000 4e7 1
";
    let said: Vec<String> = tcl(script)
        .remarks(Weight::Assumed)
        .map(|remark| remark.reason.clone())
        .collect();
    assert!(
        said.iter()
            .any(|text| text.contains("--units \"N, mm, s\"")),
        "{said:?}"
    );
    let millimetres = Options {
        units: Units::parse("N, mm, s").unwrap(),
        ..Options::default()
    };
    let imported = read_tcl(script, "model.tcl", &millimetres).unwrap();
    assert_eq!(imported.remarks(Weight::Assumed).count(), 0);
}

#[test]
fn a_bound_is_reported_where_it_is_reached() {
    let imported = tcl("set a 1\nset b 2\nwhile {1} {\n    incr a\n}\n");
    assert_eq!(missing(&imported)[0].0, 4, "{:?}", missing(&imported));
    let imported = tcl("proc f {} {\n    f\n}\n\nf\n");
    assert_eq!(missing(&imported)[0].0, 2, "{:?}", missing(&imported));
    // Bodies of `switch` keep their lines.
    let imported = tcl("switch -- a {\n  b {}\n  a {\n    frobnicate\n  }\n}\n");
    assert_eq!(missing(&imported)[0].0, 4, "{:?}", missing(&imported));
}

#[test]
fn the_integration_may_be_written_into_the_element() {
    let head = "model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 3
geomTransf Linear 5
uniaxialMaterial Elastic 1 2.1e11
section Fiber 1 {
 patch rect 1 10 1 -0.1 -0.05 0.1 0.05
}
beamIntegration Lobatto 3 1 4
beamIntegration Legendre 4 1 3
";
    let same = [
        ("forceBeamColumn", "5 3", "5 \"Lobatto 1 4\""),
        ("dispBeamColumn", "5 4", "5 \"Legendre 1 3\" -mass 20.0"),
        ("forceBeamColumn", "5 4", "5 Legendre 1 3"),
    ];
    for (name, by_tag, written) in same {
        let one = tcl(&format!("{head}element {name} 7 1 2 {by_tag} -mass 20.0\n"));
        let mass = if written.contains("-mass") {
            ""
        } else {
            " -mass 20.0"
        };
        let other = tcl(&format!("{head}element {name} 7 1 2 {written}{mass}\n"));
        assert_eq!(missing(&one), vec![]);
        assert_eq!(missing(&other), vec![], "{written}");
        assert_eq!(one.model.elements[&7].kind, other.model.elements[&7].kind);
    }
    let odd = tcl(&format!(
        "{head}element forceBeamColumn 7 1 2 5 \"HingeRadau 1 0.1 1 0.1 1\"\n"
    ));
    assert!(
        missing(&odd)[0].1.contains("HingeRadau"),
        "{:?}",
        missing(&odd)
    );
}

#[test]
fn what_a_plan_can_say_by_hand_is_named() {
    let head = "model basic -ndm 2 -ndf 3\nnode 1 0 0\nnode 2 0 0\n";
    for (line, named) in [
        ("pattern MultipleSupport 1 {\n}", "motion"),
        (
            "element singleFPBearing 1 1 2 1 2.0 1e6 -P 1 -Mz 1",
            "friction-pendulum",
        ),
        (
            "element beamWithHinges 1 1 2 1 0.1 1 0.1 2e11 0.01 1e-4 1",
            "start_hinge",
        ),
    ] {
        let list = missing(&tcl(&format!("{head}{line}\n")));
        assert!(list[0].1.contains(named), "{list:?}");
    }
}

#[test]
fn the_cost_of_a_script_is_bounded() {
    let big = "set big [lrepeat 400000 12345678]\n";
    for (script, word) in [
        // Every step goes through all that the steps before have made.
        (
            "set x 10.0\nwhile {[lindex $x end] >= 0.1} {lappend x [lindex $x end]}".to_owned(),
            "takes more than 60 s",
        ),
        (
            format!("{big}for {{set i 0}} {{$i < 1000}} {{incr i}} {{set a($i) $big}}"),
            "variables of the script hold more than 64 MB",
        ),
        (
            format!("{big}proc f {{x n}} {{f $x $n}}\nf $big 1"),
            "variables of the script hold more than 64 MB",
        ),
        (
            format!(
                "{big}for {{set i 1}} {{$i < 1000}} {{incr i}} \
                 {{timeSeries Path $i -dt 0.01 -values $big}}"
            ),
            "commands of the script say more than 64 MB",
        ),
        (
            format!("{big}lsearch $big [join [lrepeat 1000 *1] {{}}]"),
            "more than 1000 letters",
        ),
    ] {
        let since = Instant::now();
        let listed = missing(&tcl(&format!("{script}\n")));
        let told = listed.iter().any(|(_, why)| why.contains(word));
        assert!(told, "{script}: {listed:?}");
        assert!(since.elapsed() < Duration::from_secs(90), "{script}");
    }
}

#[test]
fn damping_of_a_part_and_other_integrators_are_listed() {
    let listed = missing(&tcl("model basic -ndm 2 -ndf 3
region 1 -ele 1 2 -rayleigh 0.1 0 0 0
region 2 -node 1 2
integrator TRBDF2
remove recorders
remove element 3
integrator HHT 0.9
"));
    let lines: Vec<usize> = listed.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 4, 6], "{listed:?}");
}

#[test]
fn hostile_scripts_end_in_a_message() {
    let deep =
        |open: &str, close: &str| format!("set a {}1{}", open.repeat(5000), close.repeat(5000));
    let scripts = [
        "while {1} {set a 1}".to_owned(),
        "proc f {} {f}\nf".to_owned(),
        "set a x\nwhile {1} {append a $a}".to_owned(),
        "set a [lrepeat 1000000 [lrepeat 1000000 x]]".to_owned(),
        deep("[expr ", "]"),
        format!("set a [expr {}1{}]", "(".repeat(50_000), ")".repeat(50_000)),
        format!("set a [expr 1{}]", "**1".repeat(50_000)),
        format!("set a [expr 1{}]", "?1:1".repeat(50_000)),
        deep("{", ""),
        "set a \"".to_owned(),
        "set a [expr 9223372036854775807 * 2]".to_owned(),
        "set a [expr 1 / 0]".to_owned(),
        "set a $b($c($d".to_owned(),
        "foreach {} {1 2} {}".to_owned(),
        "set d {}\ndict set d {*}[lrepeat 100000 a]".to_owned(),
        "proc f {} {uplevel 1 f}\nf".to_owned(),
        "proc f {} {upvar 9 a b}\nf".to_owned(),
        "switch -- a".to_owned(),
        "\u{0}\u{fffd} \\".to_owned(),
        "node 1e30 nan inf".to_owned(),
        "source /etc/passwd".to_owned(),
        "source ../../../secret.tcl".to_owned(),
    ];
    for script in scripts {
        let imported = tcl(&format!("{script}\n"));
        assert!(
            !missing(&imported).is_empty(),
            "{}",
            &script[..script.len().min(60)]
        );
    }
}

#[test]
fn mutated_scripts_never_panic() {
    let scripts = [
        include_str!("opensees/lnec.tcl"),
        include_str!("opensees/space-fibre.tcl"),
    ];
    let mut pick = seeded(11);
    let (mut flawed, mut useful, mut built) = (0, 0, 0);
    for round in 0..300 {
        let text = scripts[round % scripts.len()];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=pick(4) {
            let at = pick(bytes.len());
            match pick(6) {
                0 => {
                    bytes.remove(at);
                }
                1 => bytes[at] = u8::try_from(pick(256)).unwrap(),
                2 => bytes[at] = b"{}[]()\"$;\\\n"[pick(11)],
                3 => {
                    let end = (at + pick(80)).min(bytes.len());
                    bytes.drain(at..end);
                }
                4 => {
                    let end = (at + pick(80)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = pick(bytes.len());
                    bytes.splice(to..to, part);
                }
                _ => {
                    let number =
                        ["-1", "0", "1e308", "1e-308", "99999999999999999999", "5"][pick(6)];
                    bytes.splice(at..at, number.bytes());
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut imported = read_tcl(&text, "mutated", &Options::default()).unwrap();
        // What comes out is a plan, or is refused as any other wrong plan.
        let written = emit::plan(&mut imported, None).plan;
        let source = Source::Text {
            name: "mutated.toml",
            text: &written,
        };
        match plan::read(ROOT, source, &[]) {
            Ok(resolved) => {
                let structure = resolved.values.table("structure").unwrap();
                built += usize::from(FrameModel::read(structure, 0.01).is_ok());
            }
            Err(refusal) => assert!(refusal.to_text().contains("mutated.toml:"), "{written}"),
        }
        flawed += usize::from(!missing(&imported).is_empty());
        useful += usize::from(imported.is_useful());
    }
    assert!(
        flawed > 100 && useful > 100 && built > 100,
        "{flawed} flawed, {useful} useful, {built} built"
    );
}
