//! A thousand mutated plans: never a panic, always a message that names the place.

use tandem::plan::audit;
use tandem::registry::standard;
use tandem::sections::ROOT;
use tandem_test_support::plans::{self, AS_WRITTEN, QUICK_START};
use tandem_test_support::seeded;

const PLANS: [&str; 5] = [
    QUICK_START,
    concat!(
        include_str!("../../../../examples/single-actuator-benchmark/frame.toml"),
        "\n[rig.actuator]\nmethod = \"delay\"\nsamples = 4\n\n[rig.specimen]\n\
        stiffness = [\"1.19e6 N/m\"]\n\
         damping = [\"114.6 N*s/m\"]\nmass = [\"29.1 kg\"]\n\n[monitor.stability_warning]\n\
         action = \"warn\"\n"
    ),
    include_str!("../../../../examples/multi-axial-benchmark/plan.toml"),
    concat!(
        include_str!("plans/lnec.toml"),
        "\n[interface]\nmembers = [\"Exp\", \"base\"]\ndof = [\"A1 ux\"]\n\n[rig]\n"
    ),
    include_str!("../../../../examples/characterise/pair.toml"),
];

#[test]
fn the_declaration_of_the_plan_is_sound() {
    assert_eq!(audit(ROOT, standard()), Vec::<String>::new());
}

#[test]
fn a_thousand_mutated_plans_never_panic() {
    let mut pick = seeded(7);
    let (mut refused, mut built) = (0, 0);
    for round in 0..1000 {
        let mut lines: Vec<String> = PLANS[round % PLANS.len()]
            .lines()
            .map(str::to_owned)
            .collect();
        for _ in 0..=pick(3) {
            let at = pick(lines.len());
            match pick(8) {
                0 => {
                    lines.remove(at);
                }
                1 => lines.insert(at, lines[at].clone()),
                2 => lines[at] = lines[at].replace('=', ""),
                3 => lines[at] = lines[at].replace("\"", ""),
                4 => {
                    lines[at] = digits(
                        &lines[at],
                        ["-1", "0", "1e308", "1e-308", "nan", "99999999999999999999"][pick(6)],
                    );
                }
                5 => {
                    let from = pick(lines.len());
                    lines[at] = lines[from].clone();
                }
                6 => {
                    let mut bytes = lines[at].clone().into_bytes();
                    if !bytes.is_empty() {
                        let i = pick(bytes.len());
                        bytes[i] = pick(256) as u8;
                    }
                    lines[at] = String::from_utf8_lossy(&bytes).into_owned();
                }
                _ => lines[at] = lines[at].replace(['m', 'k', 'N'], "s"),
            }
        }
        let text = lines.join("\n");
        match plans::attempt(&text, AS_WRITTEN) {
            Ok(_) => built += 1,
            Err(refusal) => {
                refused += 1;
                let said = refusal.to_text();
                assert!(
                    said.lines().any(|line| line.starts_with("test:")),
                    "round {round}: no place in\n{said}\nfor\n{text}"
                );
            }
        }
    }
    assert!(
        refused > 300 && built > 50,
        "{refused} refused, {built} built: the mutations are one-sided"
    );
}

/// Replaces the first number of a line.
fn digits(line: &str, with: &str) -> String {
    let Some(start) = line.find(|c: char| c.is_ascii_digit()) else {
        return line.to_owned();
    };
    let rest = line[start..]
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(line.len(), |n| start + n);
    format!("{}{with}{}", &line[..start], &line[rest..])
}
