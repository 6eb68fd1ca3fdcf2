//! Scripts of a line or two, evaluated by Tcl and Python themselves and by the importer. What the
//! importer makes of them is the same, or is listed: nothing is misread in silence.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tandem_test_support::python as python_with;

use super::{Language, missing, places, python, tcl};

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

const PYTHON: &[&str] = &[
    "=> sorted([3, 1, 2], reverse=True)[0]",
    "=> sorted([3, 1, 2], key=lambda v: -v)[0]",
    "=> sorted(['b', 'a'])[0] == 'a'",
    "=> list(enumerate([5, 6], start=1))[0][0]",
    "=> list(enumerate([5, 6], 3))[1][0]",
    "=> np.linspace(0, 1, 5, endpoint=False)[1]",
    "=> np.linspace(0, 1, num=11)[3]",
    "=> sum(np.linspace(0.1, 0.7, 7))",
    "=> max([1, 5, 3], key=lambda v: -v)",
    "=> min(3, 2, 5) + max([], default=7)",
    "=> sum([1, 2], start=10)",
    "? => int('11', base=2)",
    "? => np.array([[1, 2], [3, 4]]).sum(axis=0)[1]",
    "=> (np.array([1., 2., 3.]) * 2)[1]",
    "a = np.array([1., 2.]) => len(a + a)",
    "a = np.array([1., 2.]) => (a + [1, 2])[1]",
    "a = np.array([1, 2]) => (a / 2)[0]",
    "a = np.array([[1, 2], [3, 4]]) => (a * np.array([10, 1]))[1][0]",
    "a = np.array([[1, 2], [3, 4]]) => a[1, 0] + a.T[1][0] + a.shape[1]",
    "a = np.array([1., 2.]); b = a; b += 1 => a[0]",
    "a = np.zeros(3); a[1] = 4 => a.sum()",
    "a = np.zeros((2, 3)); a[1][2] = 4 => a[1, 2] + a[0, 2]",
    "? a = np.array([1, 2]); a[0] = 1.5 => a[0]",
    "? a = np.arange(4.); b = a[1:]; b[0] = 9 => a[1]",
    "? a = np.array([1., 2.]) => 1 if (a > 1)[0] else 2",
    "=> -np.array([1, 2])[1] + np.ones(3).sum() + np.abs(np.array([-2.]))[0]",
    "=> np.arange(0, 1, 0.1)[3] + len(np.arange(0, 1, 0.1))",
    "=> np.arange(5)[4] + np.arange(1, 7, 2)[1]",
    "=> np.cumsum([1, 2, 3])[2] + np.cumsum(np.array([.1, .2]))[1]",
    "=> np.sqrt([4., 9.])[1] + np.sqrt(16)",
    "=> np.round(2.675, 2) + np.round(np.array([1.25]), 1)[0]",
    "=> np.concatenate(([1, 2], [3.5]))[2] + np.append([1], 4)[1]",
    "=> np.diff([1, 4, 9])[1] + np.dot([1, 2], [3, 4]) + np.mean([1, 2])",
    "i = 5 => 1 if 0 < i < 3 else 2",
    "i = 2 => 1 if 3 > i != 2 else 2",
    "=> 1 < 2 == True",
    "=> (1 < 3 in [3]) + 0",
    "c = [1]; c2 = c; c2 += [2, 3] => len(c)",
    "c = (1,); c2 = c; c2 += (2, 3) => len(c)",
    "c = [1]; c2 = c; c2 = c2 + [2] => len(c)",
    "c = [1]; c2 = c; c2 *= 3 => len(c)",
    "d = {'a': 1}; e = d; e['b'] = 2 => len(d)",
    "def f(v, l=[]):\n    l.append(v)\n    return len(l)\nf(1) => f(2)",
    "n = 3\ndef f(v=n):\n    return v\nn = 4 => f()",
    "def f(*args, **kw):\n    return len(args) * 10 + kw['b'] => f(1, 2, b=3)",
    "def f(a, *, b=2, c):\n    return a * 100 + b * 10 + c => f(1, c=5)",
    "def f(a, b):\n    return a - b => f(**{'b': 1, 'a': 5})",
    "? def f(a):\n    return a => f(1, c=2)",
    "def f():\n    x = 1\n    def g():\n        return x\n    return g()\nx = 2 => f()",
    "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 5\n    g()\n    return x\n\
    x = 2\ny = f() => x * 10 + y",
    "x = 1\ndef f():\n    global x\n    x = 7\nf() => x",
    "x = 5; y = [x for x in range(3)] => x",
    "=> len([a * b for a in range(3) for b in range(a)])",
    "=> [v for r in [[1, 2], [3]] for v in r if v > 1 if v < 3][0]",
    "=> {k: v * 2 for k, v in {'a': 2}.items()}['a']",
    "s = 0\nfor k, (a, b) in {'x': (1, 2)}.items():\n    s += a * 10 + b => s",
    "s = 0\nfor i, (a, (b, c)) in enumerate([(1, (2, 3))]):\n    s += c => s",
    "f = lambda a, b=2: a * b => f(4)",
    "=> list(map(lambda v: v * v, [1, 2, 3]))[2]",
    "x = 0\nif __name__ == '__main__':\n    x = 3 => x",
    "x = 0\ntry:\n    x = 4\nexcept ValueError:\n    x = 5\nelse:\n    x += 1\n\
    finally:\n    x += 10 => x",
    "x = 1\nif x == 2: x = 5; x = 6 => x",
    "=> round(2.675, 2)",
    "=> round(2.5) + round(3.5) + round(-0.5)",
    "=> round(1250, -2) + round(1350.5, -2) + round(0.125, 2)",
    "=> round(1.005, 2) + round(5.015, 2) + round(1e22, 3)",
    "=> -7 // 2 + -7 % 3 + 7 % -3 + 7 // -2",
    "=> -7.5 // 2 + -7.5 % 2 + 7.5 % -2",
    "=> 0.3 % 0.1",
    "=> 1 // 0.1",
    "=> -2 ** 2 + 2 ** -1 + 2 ** 3 ** 2",
    "=> True + True + (not 0)",
    "=> [1, 2, 3, 4, 5][::-2][1] + [1, 2, 3][-2:][0] + [1, 2, 3, 4][3:0:-1][2]",
    "=> 'abcdef'[1:4] == 'bcd'",
    "=> {'a': 1, 'a': 2}['a']",
    "=> {'a': 1, 'b': [2]} == {'b': [2], 'a': 1}",
    "=> ([1, 2] == (1, 2)) + 0",
    "=> ([1, 2] < [1, 3]) + 0",
    "=> ((1, 2) + (3,))[2] + len('ab' * 3)",
    "a = [1]; b = [1] => (a is b) * 10 + (a is a)",
    "x = None => 1 if x is None else 2",
    "x = None => 1 if x is not None else 2",
    "=> 3 if 'b' not in {'a': 1} else 4",
    "=> len(r'a\\nb') + len('a\\nb')",
    "? => len('\\x41')",
    "=> float('1e3') + int(-2.7) + int('12') + float(' 2 ')",
    "=> abs(-3) + pow(2, 3) + divmod(7, 2)[0] if False else 9",
    "=> math.floor(-1.5) + math.ceil(1.2) + math.log(8, 2) + math.hypot(3, 4)",
    "l = [3, 1, 2]; l.sort(); l.insert(1, 9); l.pop(); l.reverse() => l[0] * 100 + l[1] * 10 + \
    l[2]",
    "l = [1, 2]; l.extend(l) => len(l) + l.index(2) + l.count(1)",
    "d = {}; d.setdefault('a', []).append(3); d.update({'b': 4}) => d['a'][0] + d['b'] + \
    d.get('c', 5)",
    "=> len('a,b,,c'.split(',')) + len('-'.join(['a', 'b']))",
    "=> int(str(1e-5) == '1e-05') + int(str(1e16) == '1e+16') + int(f'{2.0}x{3}' == '2.0x3')",
    "a, b = 1, 2; a, b = b, a => a * 10 + b",
    "x = y = [1]; x.append(2) => len(y)",
    "=> any([0, 2]) + all([1, 0]) * 2",
    "=> dict(a=1, b=2)['b'] + len(tuple([1, 2])) + list(reversed([1, 2]))[0]",
    "x = 0\nfor i in range(10, 0, -3):\n    x += i => x",
    "x = 0\nwhile x < 10:\n    x += 3\n    if x == 6: continue\n    if x > 8: break => x",
    "? x = 0\nfor i in range(3):\n    x += i\nelse:\n    x += 100 => x",
    "? => len({1, 2, 2})",
    "? => len('%d' % 12)",
    "? a, *b = [1, 2, 3] => len(b)",
    "? => 0x10 + 0b11",
    "? x = 1_000 => x",
    "? l = [1, 2, 3]; l[0:2] = [9] => len(l)",
    "? import local_units => 1",
    "? x = 5\nx = undefined(3) => x",
    "import sys\nops.node(2, 7, 0)\nsys.exit()\nops.node(3, 8, 0) => 4",
];

fn script(language: Language, case: &str) -> String {
    let case = case.trim_start_matches("? ");
    let (before, value) = case.split_once("=> ").unwrap();
    let before = before.trim_end();
    match language {
        Language::Tcl => format!("model basic -ndm 2 -ndf 3\n{before}\nnode 1 {value} 0\n"),
        Language::Python => format!(
            "import openseespy.opensees as ops\nimport math, numpy as np\n\
            ops.model('basic', '-ndm', 2, '-ndf', 3)\n{before}\nops.node(1, {value}, 0)\n"
        ),
    }
}

#[test]
fn scripts_mean_what_they_mean_in_their_language() {
    let Some(peer) = python_with(&["tkinter", "numpy"]) else {
        return;
    };
    let cases: Vec<(Language, &str)> = TCL
        .iter()
        .map(|case| (Language::Tcl, *case))
        .chain(PYTHON.iter().map(|case| (Language::Python, *case)))
        .collect();
    let given: Vec<serde_json::Value> = cases
        .iter()
        .map(|(language, case)| {
            let name = match language {
                Language::Tcl => "tcl",
                Language::Python => "python",
            };
            serde_json::json!([name, script(*language, case)])
        })
        .collect();
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
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    for ((language, case), answer) in cases.iter().zip(&answers) {
        let script = script(*language, case);
        let imported = match language {
            Language::Tcl => tcl(&script),
            Language::Python => python(&script),
        };
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
    println!("{} scripts of Tcl, {} of Python", TCL.len(), PYTHON.len());
    assert!(
        wrong.is_empty(),
        "{} misread:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
