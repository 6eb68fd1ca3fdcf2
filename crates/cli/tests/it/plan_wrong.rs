//! Wrong plans: each is refused at the right line and column, in words that say what to do.

use crate::plan_demo::{BASE, line, read};

/// (what, plan, line, column, part of the message, part of the remedy)
type Case = (
    &'static str,
    String,
    usize,
    usize,
    &'static str,
    &'static str,
);

fn more(text: &str) -> String {
    format!("{BASE}{text}")
}

#[rustfmt::skip] // one case per line
fn syntax_cases() -> Vec<Case> {
    vec![
        ("unit without quotes", line(6, "dt = 4 ms"), 6, 6, "TOML syntax", "dt = \"4 ms\""),
        ("text without quotes", line(5, "method = alpha-os"), 5, 10, "TOML syntax", "method = \
            \"alpha-os\""),
        ("open quotes", line(6, "dt = \"4 ms"), 6, 11, "TOML syntax", "close the quotes"),
        ("open bracket", line(4, "[integration"), 4, 13, "TOML syntax", "`[name]`"),
        ("key twice", line(7, "dt = \"2 ms\""), 7, 1, "given twice", "keep one"),
        ("section twice", more("[structure]\n"), 8, 2, "given twice", "only once"),
        ("no value", line(6, "dt ="), 6, 5, "TOML syntax", "key = value"),
    ]
}

#[rustfmt::skip] // one case per line
fn key_cases() -> Vec<Case> {
    vec![
        ("misspelt key", line(6, "dtt = \"4 ms\""), 6, 1, "unknown key `dtt` in \
            [integration]", "did you mean `dt`?"),
        ("list of keys", more("[excitation]\nxyz = 1\n"), 9, 1, "unknown key `xyz`", "`record`, \
            `scale`, `direction`"),
        ("misspelt section", more("[excitatoin]\n"), 8, 2, "unknown key `excitatoin` in the \
            plan", "`excitation`"),
        ("another section", more("[excitation]\nmasses = 3\n"), 9, 1, "unknown key \
            `masses`", "belongs in [structure]"),
        ("another method", line(7, "order = 3"), 7, 1, "unknown key `order`", "[compensator] with \
            method = \"polynomial\""),
        ("another method of this slot", line(5, "method = \"explicit-newmark\"").replace("4 \
            ms\"", "4 ms\"\nalpha = -0.1"), 7, 1, "with method = \"explicit-newmark\"", "belongs \
                to the method `alpha-os`"),
        ("key missing", line(6, ""), 4, 1, "`dt` is missing in [integration]", "dt = \"4 ms\""),
        ("section missing", "[structure]\nmasses = []\n".into(), 3, 1, "[integration] is \
            missing", "add `[integration]`"),
        ("method missing", line(5, ""), 4, 1, "`method` is missing", "alpha-os: operator \
            splitting"),
        ("unknown method", line(5, "method = \"alpha_so\""), 5, 10, "unknown method \
            `alpha_so`", "did you mean `alpha-os`?"),
        ("part of a method", line(5, "method = \"newmark\""), 5, 10, "unknown method", "did you \
            mean `explicit-newmark`?"),
        ("misspelt selector", line(5, "metod = \"alpha-os\""), 5, 1, "unknown key `metod`", "did \
            you mean `method`?"),
        ("misspelt selector with a default", more("[compensator]\nmetod = \"polynomial\"\n\
            delay = \"8 ms\""), 9, 1, "unknown key `metod`", "did you mean `method`?"),
        ("key of a method that is not the default", more("[compensator]\n\
            delay = \"8 ms\""), 9, 1, "with method = \"none\" (the default)", "add `method = \
                \"polynomial\"` to choose it"),
        ("method as number", line(5, "method = 3"), 5, 10, "`method` is a whole number", "choose \
            one of"),
        ("key missing in a list", more("[[rig.actuators]]\nforce = \"1 kN\"\n"), 8, 1, "`stroke` \
            is missing in [rig.actuators.0]", "120 mm"),
        ("top key below a section", more("rig = { actuators = [ {} ] }\n"), 8, 1, "unknown key \
            `rig` in [integration]", "the top of the plan"),
    ]
}

#[rustfmt::skip] // one case per line
fn number_cases() -> Vec<Case> {
    vec![
        ("unit missing", line(6, "dt = 0.004"), 6, 6, "unit of `dt` is missing", "\"0.004 s\" or \
            \"4 ms\""),
        ("unit missing in text", line(6, "dt = \"0.004\""), 6, 6, "unit of `dt` is missing", "\"4 \
            ms\""),
        ("unit missing, SI is usual", more("[excitation]\nuntil = 30"), 9, 9, "unit of \
            `until`", "\"30 s\" if it is in SI"),
        ("unknown unit", line(6, "dt = \"4 msec\""), 6, 6, "unknown unit `msec`", "did you mean \
            `ms`, as in \"4 ms\"?"),
        ("decimal comma", line(6, "dt = \"0,004 s\""), 6, 6, "unknown unit", "decimal point: \
            \"0.004 s\""),
        ("unit in wrong case", more("[[rig.actuators]]\nstroke = \"1 m\"\n\
            force = \"9 kn\""), 10, 9, "unknown unit `kn`", "`kN`"),
        ("wrong dimension", line(6, "dt = \"4 mm\""), 6, 6, "`4 mm` is a length, but `dt` is a \
            time", "\"4 ms\""),
        ("unit where none belongs", more("[excitation]\nscale = \"4 mm\""), 9, 9, "is a \
            length", "leave the unit out"),
        ("no number", line(6, "dt = \"four ms\""), 6, 6, "does not start with a number", "dt = \"4 \
            ms\""),
        ("too large", line(6, "dt = \"3 s\""), 6, 6, "`dt` is 3 s, which is out of range", "at \
            most 100 ms"),
        ("zero", line(6, "dt = \"0 s\""), 6, 6, "`dt` is 0 s", "greater than 0 s, at most 100 ms"),
        ("number out of range", line(7, "alpha = -0.5"), 7, 9, "`alpha` is -0.5", "from -0.34 to \
            0"),
        ("not a number", line(7, "alpha = nan"), 7, 9, "not a finite number", "1e308"),
        ("infinite", line(7, "alpha = -inf"), 7, 9, "not a finite number", "1e308"),
        ("overflow", line(7, "alpha = 1e999"), 7, 9, "not a finite number", "1e308"),
        ("overflow with unit", line(6, "dt = \"1e999 s\""), 6, 6, "not a finite number", "1e308"),
        ("number as boolean", line(7, "alpha = true"), 7, 9, "`alpha` is true or false", "alpha = \
            0.5"),
        ("number as list", line(6, "dt = [\"4 ms\"]"), 6, 6, "`dt` is a list", "one value, not a \
            list"),
        ("fraction", line(3, "storeys = 2.5"), 3, 11, "2.5, which is not a whole number", "write 2 \
            or 3"),
        ("integer in quotes", line(3, "storeys = \"2\""), 3, 11, "`storeys` is a text", "without \
            quotes"),
        ("integer out of range", line(3, "storeys = 51"), 3, 11, "`storeys` is 51", "from 1 to 50"),
        ("huge integer", line(3, "storeys = 123456789012345678901"), 3, 11, "too large", "9e15"),
        ("huge hexadecimal", line(3, "storeys = 0xffffffffffffffffff"), 3, 11, "not a finite \
            number", "1e308"),
        ("unusual dimension", more("[[rig.actuators]]\nstroke = \"1 m\"\n[rig]\n\
            drag = 3"), 11, 8, "unit of `drag`", "3 kg/m"),
    ]
}

#[rustfmt::skip] // one case per line
fn other_cases() -> Vec<Case> {
    vec![
        ("boolean in quotes", more("[excitation]\nreverse = \"true\""), 9, 11, "`reverse` is a \
            text", "without quotes"),
        ("text as number", format!("name = 5\n{BASE}"), 1, 8, "`name` is a whole number", "in \
            quotes"),
        ("text as date", format!("name = 2024-01-01\n{BASE}"), 1, 8, "`name` is a date", "in \
            quotes"),
        ("path as number", more("[excitation]\nrecord = 7"), 9, 10, "`record` is a whole \
            number", "in quotes"),
        ("choice", more("[excitation]\ndirection = \"diagnal\""), 9, 13, "not a choice", "did you \
            mean \"diagonal\"?"),
        ("choice, far off", more("[excitation]\ndirection = \"north\""), 9, 13, "one of `x`, `y`, \
            `diagonal`", "direction = \"x\""),
        ("list as scalar", line(2, "masses = \"3 kg\""), 2, 10, "a text, not a list", "masses = \
            [\"3 kg\"]"),
        ("list without unit", line(2, "masses = [1, 2]"), 2, 11, "unit of `masses` is \
            missing", "[1, 2, \"kg\"]"),
        ("list with unknown unit", line(2, "masses = [1, \"kgs\"]"), 2, 14, "unknown unit \
            `kgs`", "did you mean `kg`"),
        ("list with wrong unit", line(2, "masses = [1, \"kN\"]"), 2, 14, "`kN` is a force, but \
            `masses` is a mass", "1000 kg"),
        ("element with wrong unit", line(2, "masses = [\"1 kg\", \"2 kN\"]"), 2, 19, "`2 kN` is a \
            force", "kg"),
        ("element that is no number", line(2, "masses = [\"1 kg\", \"two kg\"]"), 2, 19, "`two kg` \
            does not start", "kg"),
        ("element out of range", line(2, "masses = [1, -2, \"kg\"]"), 2, 14, "`masses.1` is -2 \
            kg", "greater than 0 kg"),
        ("element not finite", line(2, "masses = [1, inf, \"kg\"]"), 2, 14, "`masses.1` is not a \
            finite", "1e308"),
        ("nested list", line(2, "masses = [[1, 2], \"kg\"]"), 2, 11, "`masses.0` is a list", "one \
            value"),
        ("unit alone", line(2, "masses = [\"kg\"]"), 2, 11, "`kg` does not start with a \
            number", "1000 kg"),
        ("ragged rows", line(3, "stiffness = [[1, 2], [3], \"N/m\"]"), 3, 22, "row 1 has 1 \
            numbers, row 0 has 2", "same number"),
        ("flat matrix", line(3, "stiffness = [1, 2, \"N/m\"]"), 3, 14, "row 0 is a whole \
            number", "[[2, -1], [-1, 1], \"N/m\"]"),
        ("matrix without unit", line(3, "stiffness = [[1]]"), 3, 15, "unit of `stiffness.0` is \
            missing", "\"N/m\"]"),
        ("matrix with wrong unit", line(3, "stiffness = [[1], \"N\"]"), 3, 19, "`N` is a \
            force", "N/m"),
        ("integers", line(3, "fixed = [0, 1.5]"), 3, 13, "`fixed.1` is 1.5", "write 1 or 2"),
        ("integers negative", line(3, "fixed = [0, -1]"), 3, 13, "`fixed.1` is -1", "at least 0"),
        ("texts", line(3, "labels = [\"a\", 2]"), 3, 16, "`labels.1` is a whole number", "in \
            quotes"),
        ("no tables", more("[rig]\nactuators = []"), 9, 13, "`actuators` has 0 elements", "give \
            from 1 to 8 elements"),
        ("too many texts", line(3, "labels = [\"a\", \"b\", \"c\", \"d\"]"), 3, 10, "`labels` has \
            4 elements", "from 1 to 3"),
        ("scalar as section", format!("structure = 3\n{}", BASE.replace("[structure]\n\
            masses = [1, \"kg\"]", "")), 1, 13, "`structure` is a whole number", "[structure]"),
        ("method as text", format!("compensator = \"none\"\n{BASE}"), 1, 15, "`compensator` is a \
            text", "compensator = { method = \"none\" }"),
        ("one bracket", more("[rig.actuators]\nstroke = \"1 m\""), 8, 1, "is a table, not a \
            list", "[[rig.actuators]]"),
        ("list of no tables", format!("monitor = [3]\n{BASE}"), 1, 12, "`monitor.0` is a whole \
            number", "kind"),
        ("unknown kind in a list", more("[[monitor]]\nkind = \"enrgy\""), 9, 8, "unknown kind \
            `enrgy`", "did you mean `energy`?"),
        ("extends is no text", format!("extends = 3\n{BASE}"), 1, 11, "`extends` is a whole \
            number", "extends = \"base.toml\""),
    ]
}

#[test]
fn wrong_plans_are_refused_at_the_right_place_with_a_remedy() {
    let cases = [syntax_cases(), key_cases(), number_cases(), other_cases()].concat();
    assert!(read(BASE, &[]).is_ok());
    let mut failed = Vec::new();
    for (what, text, line, column, message, remedy) in &cases {
        let Err(refusal) = read(text, &[]) else {
            failed.push(format!("{what}: not refused"));
            continue;
        };
        let report = refusal.to_text();
        let problem = &refusal.problems()[0];
        let report_of = &refusal.reports()[0];
        let right = refusal.problems().len() == 1
            && (problem.line, problem.column) == (*line, *column)
            && report_of.message.contains(message)
            && problem.help.contains(remedy)
            && report.contains(&format!("demo.toml:{line}:{column}: "));
        if !right {
            failed.push(format!(
                "{what}: expected {line}:{column} {message} / {remedy}\n{report}"
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
