//! Reports of refused plans: several problems at once, carets, graphical and plain, hostile plans.

use crate::plan_demo::{GOOD, line, read};

#[test]
fn all_problems_come_at_once_and_in_order() {
    let text = "nme = \"x\"\n[structure]\nmasses = [1, -2, \"kN\"]\nstoreys = 2.5\n[integration]\n\
        method = \"alpha-os\"\ndt = 4\nalpha = 7\n\
                [[rig.actuators]]\n[[rig.actuators]]\nstroke = \"-1 mm\"\nfoo = 1\n[[monitor]]\n";
    let refusal = read(text, &[]).unwrap_err();
    let lines: Vec<usize> = refusal.problems().iter().map(|p| p.line).collect();
    assert_eq!(
        lines,
        [1, 3, 4, 7, 8, 9, 11, 12, 13],
        "{}",
        refusal.to_text()
    );
    let keys: Vec<&str> = refusal.problems().iter().map(|p| p.key.as_str()).collect();
    assert_eq!(
        keys[4..],
        [
            "integration.alpha",
            "rig.actuators.0.stroke",
            "rig.actuators.1.stroke",
            "rig.actuators.1.foo",
            "monitor.0.kind"
        ]
    );
    assert!(refusal.to_string().contains("9 errors"));
}

#[test]
fn several_errors_of_syntax_are_reported_together() {
    let refusal = read(
        "[structure]\nmasses = 1 kg\n[integration]\ndt = 4 ms\n",
        &[],
    )
    .unwrap_err();
    let lines: Vec<usize> = refusal.problems().iter().map(|p| p.line).collect();
    assert_eq!(lines, [2, 4], "{}", refusal.to_text());
}

#[test]
fn repeated_keys_do_not_hide_other_problems() {
    let refusal = read(&line(7, "dt = \"2 ms\"\nalpha = 9"), &[]).unwrap_err();
    let lines: Vec<usize> = refusal.problems().iter().map(|p| p.line).collect();
    assert_eq!(lines, [7, 8], "{}", refusal.to_text());
}

#[test]
fn the_graphical_report_shows_place_caret_and_help() {
    let refusal = read(&line(6, "dt = 0.004"), &[]).unwrap_err();
    let mut out = String::new();
    let theme = miette::GraphicalTheme::unicode_nocolor();
    miette::GraphicalReportHandler::new_themed(theme)
        .render_report(&mut out, &refusal)
        .unwrap();
    for part in [
        "demo.toml:6:6",
        "dt = 0.004",
        "expected a time",
        "help: write \"0.004 s\" or \"4 ms\"",
    ] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
}

#[test]
fn the_graphical_report_can_show_every_place() {
    // The end of the file, an empty file, a file without a last newline.
    for text in [
        "",
        "\n",
        "name = \"x\"",
        "name = \"x\"\n",
        "# ä\r\n",
        "\u{feff}name = 3",
    ] {
        let refusal = read(text, &[]).unwrap_err();
        let mut out = String::new();
        let theme = miette::GraphicalTheme::unicode_nocolor();
        miette::GraphicalReportHandler::new_themed(theme)
            .render_report(&mut out, &refusal)
            .unwrap();
        assert!(
            out.contains("[integration] is missing") && out.contains("demo.toml:"),
            "{text:?}:\n{out}"
        );
    }
}

#[test]
fn plain_text_puts_the_caret_under_the_value() {
    let refusal = read(&line(6, "dt = \"4 mm\"   # µ"), &[]).unwrap_err();
    let report = refusal.to_text();
    let lines: Vec<&str> = report.lines().collect();
    assert!(lines[0].starts_with("demo.toml:6:6: "), "{report}");
    assert_eq!(lines[1], "  6 | dt = \"4 mm\"   # µ");
    assert_eq!(lines[2], "    |      ^^^^^^");
    assert!(lines[3].starts_with("  help: "), "{report}");
}

#[test]
fn whole_numbers_may_be_written_as_floats_and_ratios_with_a_percent_sign() {
    let plan = read(&GOOD.replace("labels", "storeys = 3.0\nlabels"), &[]).unwrap();
    assert_eq!(
        plan.values
            .table("structure")
            .unwrap()
            .count("storeys")
            .unwrap(),
        3
    );
    assert_eq!(
        plan.values
            .table("excitation")
            .unwrap()
            .number("scale")
            .unwrap(),
        0.4
    );
    assert_eq!(
        plan.values
            .table("structure")
            .unwrap()
            .numbers("ratios")
            .unwrap(),
        [0.02, 0.05]
    );
    let k = plan
        .values
        .table("structure")
        .unwrap()
        .matrix("stiffness")
        .unwrap();
    assert_eq!(k, [[2e6, -1e6], [-1e6, 1e6]]);
}

#[test]
fn hostile_plans_are_refused_calmly() {
    let deep = format!("name = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let dotted = format!("{} = 1", vec!["a"; 100_000].join("."));
    let tables = (0..5000).map(|i| format!("[x{i}]\n")).collect::<String>();
    let header = format!("[{}]", vec!["a"; 100_000].join("."));
    let huge = format!("name = \"{}\"", "x".repeat(17 << 20));
    let long_key = format!("{} = 1", "k".repeat(1 << 20));
    for text in [deep, dotted, tables, header, huge, long_key] {
        let refusal = read(&text, &[]).unwrap_err();
        assert!(!refusal.problems().is_empty() && refusal.problems().len() <= 100);
        assert!(refusal.to_text().contains("demo.toml:"));
        let mut out = String::new();
        miette::GraphicalReportHandler::new()
            .render_report(&mut out, &refusal)
            .unwrap();
    }
}
