//! Scripts of a line or two, evaluated by Tcl itself and by the importer. What the importer makes
//! of them is the same, or is listed: nothing is misread in silence.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tandem_test_support::python;

use super::{missing, places, tcl};

/// What is worked out stands behind `=>`; in front of it what goes before. With `?` it may also be
/// listed.
const TCL: &[&str] = &[
    "=> [expr {7/2}]",
    "=> [expr {-7/2}]",
    "=> [expr {-7 % 3}]",
    "=> [expr {7.0/2}]",
    "=> [expr {2**-1}]",
    "=> [expr {(-1)**-3}]",
    "=> [expr {-2**2}]",
    "=> [expr {2**3**2}]",
    "=> [expr {010 + 1}]",
    "=> [expr {0x1F + 0b11 + 0o17}]",
    "=> 010",
    "set a 2.00 => [expr {$a eq \"2.0\"}]",
    "set a 2.00 => [expr {\"$a\" == \"2\"}]",
    "set braced yes => [expr {$braced == \"yes\"}]",
    "set braced yes => [expr {$braced eq \"yes\" ? 5 : 6}]",
    "set on true => [expr {$on == 1}]",
    "set on true => [expr {$on && 1}]",
    "set i 3 => [expr {\"row$i\" eq \"row3\"}]",
    "=> [expr {5 == 5 eq 1}]",
    "=> [expr {3 in {1 2 3}}]",
    "=> [expr {\"3.0\" ni {1 2 3}}]",
    "=> [expr {1 < 2 < 2}]",
    "=> [expr {round(-2.5)}]",
    "=> [expr {int(-2.7) + ceil(1.2) + floor(-0.5)}]",
    "=> [expr {fmod(-7, 3)}]",
    "=> [expr {max(1, 2.5, 2) + min(3, 2)}]",
    "=> [expr {pow(2, 3) / 16}]",
    "=> [expr {!1 + 1}]",
    "=> [expr {abs(-3) / 2}]",
    "=> [expr {1 ? 2 : 1/0}]",
    "=> [expr {0 && [nothing]}]",
    "set i 2; set j 3; set a(2,3) 7 => [expr {$a($i,$j) * 2}]",
    "set a(x) 4; set k x => $a($k)",
    "set n 5; switch -- $n { 5 {set r 1} default {set r 2} } => $r",
    "set r 0; switch -exact -- abc { a* {set r 1} abc {set r 2} } => $r",
    "set r 0; switch -glob abc { x* {set r 1} a* {set r 2} default {set r 3} } => $r",
    "set r 0; switch default { a {set r 1} default {set r 2} b {set r 3} } => $r",
    "set r 0; switch b { default {set r 1} b {set r 2} } => $r",
    "set r 0; switch a { a - b {set r 4} default {set r 5} } => $r",
    "set r 0; switch -1 { -1 {set r 4} default {set r 5} } => $r",
    "set r 0; switch 2 1 {set r 1} 2 {set r 2} => $r",
    "? set r 0; switch -regexp abc { ^a.c$ {set r 1} default {set r 2} } => $r",
    "proc f {name} {upvar $name x; set x 9}; set y 1; f y => $y",
    "proc f {name} {upvar 1 $name x; return [expr {$x(2) + 1}]}; set y(2) 3 => [f y]",
    "proc f {} {upvar #0 z q; incr q 4}; set z 1; f => $z",
    "proc f {} {uplevel 1 {set v 6}}; proc g {} {set v 1; f; return $v}; set v 0 => [g]",
    "proc f {} {uplevel #0 set v 6}; set v 0; f => $v",
    "proc f {} {set v 5}; set v 1; f => $v",
    "proc f {args} {llength $args} => [f a {b c} d]",
    "proc f {a {b 3}} {expr {$a * $b}} => [f 2]",
    "array set m {a 1 b 2}; set s 0; foreach k [array names m] {incr s $m($k)} => $s",
    "array set m {a 1 b 2 ab 5} => [llength [array names m a*]][array size m]",
    "array set m {a 1 b 2}; unset m => [array exists m]",
    "set s 0; array set m {1 2 3 4}; foreach {k v} [array get m] {incr s [expr {$k * $v}]} => $s",
    "=> [lindex [lsort -real {3 1e1 2.5}] 0]",
    "=> [lindex [lsort {10 9 2}] 0]",
    "=> [lindex [lsort -integer -decreasing {3 10 2}] 0]",
    "=> [llength [lsort -unique -integer {3 3 2}]]",
    "? => [lindex [lsort -index 1 {{a 2} {b 1}}] 0 1]",
    "=> [lindex [lreverse {1 2 3}] 0]",
    "lassign {4 5 6} a b => $b[llength [lassign {4 5 6} a b]]",
    "set l {1 2 3}; lset l 1 9 => [lindex $l 1]",
    "=> [lindex [linsert {1 2 3} 1 8] 1]",
    "=> [lindex [linsert {1 2 3} end 8] end]",
    "=> [llength {1 2 \\\n 3 4}]",
    "set s 0; foreach {a b} {1 2 \\\n 3 4} {incr s $b} => $s",
    "=> [lsearch {ab cd} c*]",
    "=> [lsearch -exact {ab cd} c*]",
    "=> [lindex {a {5 6}} 1 0]",
    "=> [lindex {1 2 3} end-1]",
    "set d [dict create a 1 b 2]; dict set d c 7 => [dict get $d c]",
    "set d {}; dict set d a b 4; dict set d a c 5 => [dict get $d a b]",
    "set d {a 1 b 2}; set s 0; dict for {k v} $d {incr s $v} => $s",
    "set d {a 1 b 2} => [dict exists $d b][dict exists $d c][dict size $d]",
    "set d {a 1}; dict incr d a 4 => [dict get $d a]",
    "=> [format %d 010]",
    "? => [format %d 3.7]",
    "=> [format %g 1.23456789]",
    "=> [format %.3g 1234.5]",
    "=> [format %5.1f 2.25]",
    "=> [format %05.1f 2.3]",
    "=> [format %.2e 12345.678]",
    "=> [string match a?c abc]",
    "=> [string equal -nocase ABC abc]",
    "=> [string compare abc abd]",
    "=> [string first c abcabc]",
    "=> [string length [string range abcdef 1 3]]",
    "set x 3; time {set x 4} => $x",
    "? namespace eval here {set ::x 3} => $::x",
    "set a 1; set b $a; append b 2 => $b",
    "set x 5; if {$x > 3} then {set y 1} else {set y 2} => $y",
    "set x 0; while 1 {incr x; if {$x > 4} break} => $x",
    "? set a 5; catch {set a [nothing]} => $a",
    "? proc f {} {return -code error bad} => [catch {f}]",
    "set x abc => [llength [split a,b,,c ,]]",
    "=> [expr {[llength [list a {} {b c}]] * 2}]",
    "=> [lindex [concat {1 2} {3 4}] 2]",
    "=> \"[expr {1+1}]\"",
    "set v {1 2 3} => [lindex $v [expr {[llength $v]-1}]]",
    "set x 08 => [string length $x]",
    "? set x 08 => [expr {$x + 1}]",
    "? => [expr {1.5 % 2}]",
    "? => [expr {int(3.9) << 70}]",
];

fn script(case: &str) -> String {
    let case = case.trim_start_matches("? ");
    let (before, value) = case.split_once("=> ").unwrap();
    let before = before.trim_end();
    format!("model basic -ndm 2 -ndf 3\n{before}\nnode 1 {value} 0\n")
}

#[test]
fn scripts_mean_what_they_mean_in_tcl() {
    let Some(peer) = python(&["tkinter"]) else {
        return;
    };
    let given: Vec<String> = TCL.iter().map(|case| script(case)).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runner = here.join("tests/it/scripts/peer.py");
    let mut child = Command::new(peer)
        .arg(runner)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = serde_json::to_string(&given).unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    let answers: Vec<serde_json::Value> = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(answers.len(), TCL.len());
    let mut wrong = Vec::new();
    for (case, answer) in TCL.iter().zip(&answers) {
        let imported = tcl(&script(case));
        let listed = missing(&imported);
        let own = places(&imported);
        let mut expected: Vec<(i64, f64)> = match answer.as_array() {
            Some(list) => list
                .iter()
                .map(|pair| (pair[0].as_i64().unwrap(), pair[1].as_f64().unwrap()))
                .collect(),
            None => Vec::new(),
        };
        expected.sort_by_key(|pair| pair.0);
        let may_be_listed = case.starts_with("? ");
        let fails_there = answer.is_string();
        let good = match (listed.is_empty(), fails_there) {
            (true, false) => own == expected,
            (true, true) => false,
            (false, _) => may_be_listed,
        };
        if !good {
            wrong.push(format!(
                "{case}\n    there: {answer}, here: {own:?}, listed: {listed:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} misread:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
