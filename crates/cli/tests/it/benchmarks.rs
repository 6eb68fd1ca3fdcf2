//! The published benchmark problems against the values of an independent computation, and campaigns
//! against themselves.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tandem::assemble::assemble;
use tandem::criteria::CriteriaValues;
use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem_studies::bench::multi_axial::{self, Variant};
use tandem_studies::bench::single_actuator::{Benchmark, References};
use tandem_studies::bench::{Estimate, goals, specimen};
use tandem_studies::campaign::engine::Shard;
use tandem_studies::campaign::table::Status;
use tandem_studies::campaign::{Campaign, CampaignError};
use tandem_test_support::plans::{self, AS_WRITTEN};
use tandem_test_support::{
    cells, data, data_for_part, done, example, json, numbers, python, refused,
};

use crate::TANDEM;
use tandem_quantity::index;

/// The ground motion that the figures of others belong to; the shipped record of the same
/// earthquake has no quiet seconds before and after it.
const EL_CENTRO: &str = "benchmarks/ground_motion_el_centro_1940.csv";

fn single(case: usize, controller: &str, noise: bool) -> Benchmark {
    Benchmark {
        case,
        controller: controller.into(),
        record: "el-centro".into(),
        noise,
        prediction: true,
        seed: 1,
    }
}

fn first(criteria: &CriteriaValues, number: u8) -> f64 {
    criteria.get(number)[0]
}

/// Expected: an independent computation in Python that reproduces the published table; without
/// noise to the last digit.
#[test]
fn the_sample_controller_of_the_single_actuator_problem() {
    if data(EL_CENTRO).is_none() {
        return;
    }
    let run = single(1, "pi", false)
        .run(0, 1, &References::default())
        .unwrap();
    let criteria = run.outcome.unwrap().criteria;
    for (name, expected) in [(1, 4.64), (2, 10.14), (3, 10.74), (4, 35.90), (5, 17.52)] {
        let found = first(&criteria, name);
        assert!(
            (found - expected).abs() < 0.02,
            "{name}: {found} for {expected}"
        );
    }
}

/// Expected: the same computation with its own noise, which moves the peaks of the first floor (J3,
/// J5) by one per cent of the reference.
#[test]
fn the_published_table_of_the_sample_controller() {
    if data(EL_CENTRO).is_none() {
        return;
    }
    let rows = [
        [4.64, 10.37, 11.35, 36.03, 18.26, 32.22, 32.34, 14.78, 14.74],
        [4.64, 9.80, 10.92, 33.04, 17.34, 30.45, 30.53, 15.23, 15.18],
        [4.64, 9.03, 10.00, 49.82, 36.60, 49.76, 49.77, 35.48, 35.51],
        [4.64, 10.46, 11.18, 72.51, 34.99, 68.46, 68.61, 33.38, 33.24],
    ];
    for (case, row) in (1..).zip(rows) {
        let run = single(case, "pi", true).run(0, 1, &References::default());
        let criteria = run.unwrap().outcome.unwrap().criteria;
        for (number, expected) in (1..).zip(row) {
            let found = first(&criteria, number);
            let bound = match number {
                1 => 0.01,
                3 | 5 => 1.0,
                _ => 0.05 + 1e-3 * expected,
            };
            assert!(
                (found - expected).abs() < bound,
                "case {case} J{number}: {found} for {expected}"
            );
        }
    }
}

/// Without transfer system the divided frame is the undivided one. Expected: nothing.
#[test]
fn the_ideal_partition_of_the_multi_axial_problem() {
    let (difference, dof) = multi_axial::Benchmark::ideal("el-centro").unwrap();
    assert!(difference < 1e-9, "{difference}");
    // All but the rotations of the two pinned bases, which are inside the specimen.
    assert_eq!(dof, 27);
}

/// The folder of the multi-axial problem's package.
fn package() -> Option<PathBuf> {
    let file = data("benchmarks/marths_K_reference.csv")?;
    file.parent().map(Path::to_owned)
}

/// A table of the multi-axial problem's package.
fn table(folder: &Path, name: &str) -> Vec<Vec<f64>> {
    let rows = cells(&folder.join(format!("marths_{name}.csv")));
    rows.iter().map(|row| numbers(row)).collect()
}

/// Stiffness and mass of the frame in the examples, entry by entry, against the published matrices.
#[test]
fn the_multi_axial_frame_is_the_published_one() {
    let Some(folder) = package() else {
        return;
    };
    let table = |name: &str| table(&folder, name);
    let frame = multi_axial::Benchmark::frame().unwrap();
    assert_eq!(frame.properties().dof(), 29);
    let labels = &frame.properties().labels;
    let find = |node: &str, direction: &str| {
        let found = labels
            .iter()
            .position(|label| label.starts_with(node) && label.contains(direction));
        found.unwrap_or_else(|| panic!("{node} {direction}: {labels:?}"))
    };
    // Place and sign of each published equation; rotations are clockwise there, and a floor is
    // named by its first node.
    let mut places = [(0, 0.0); 29];
    for row in table("joints") {
        let axis = ['A', 'B', 'C', 'D'][index((row[1] / 0.762).round())];
        let level = (row[2] / 0.635).round();
        let node = format!("{axis}{level}");
        for (equation, direction, sign) in [
            (row[3], " ux", 1.0),
            (row[4], " uy", 1.0),
            (row[5], " r", -1.0),
        ] {
            if equation > 0.0 {
                let node = if direction == " ux" {
                    format!("A{level}")
                } else {
                    node.clone()
                };
                places[index(equation) - 1] = (find(&node, direction), sign);
            }
        }
    }
    for (name, matrix) in [
        ("K_reference", &frame.properties().stiffness),
        ("M_reference", &frame.properties().mass),
    ] {
        let published = table(name);
        let largest = published
            .iter()
            .flatten()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        for (i, row) in published.iter().enumerate() {
            for (j, expected) in row.iter().enumerate() {
                let ((a, s), (b, t)) = (places[i], places[j]);
                let found = s * t * matrix.get(a, b);
                // Of a pair of degrees of freedom, over what each resists with by itself.
                let scale = (published[i][i] * published[j][j])
                    .abs()
                    .sqrt()
                    .max(1e-12 * largest);
                assert!(
                    (found - expected).abs() < 1e-7 * scale,
                    "{name} {i} {j}: {found} for {expected}"
                );
            }
        }
    }
}

/// Tracking of the true displacement within 0.3 %, against the reference within 0.5 %, at the noise
/// floor of the sensor, on the nominal plant and on a random one.
#[test]
fn our_controller_on_the_single_actuator_problem() {
    let published = data_for_part("the noise floor of the benchmark's record", EL_CENTRO).is_some();
    let references = References::default();
    for draw in [0, 7] {
        let run = single(4, "adaptive-inverse", true)
            .run(draw, 1, &references)
            .unwrap();
        let outcome = run.outcome.as_ref().unwrap();
        let free = &outcome.criteria_noise_free;
        assert!(first(free, 2) < 0.15, "{free:?}");
        assert!(first(free, 4) < 0.5, "{free:?}");
        // Noise alone: 16 µm over what is wanted; 2.00 % under the benchmark's record.
        let wanted = &run.signals.target[0];
        let square: f64 = wanted.iter().map(|x| x * x).sum();
        let noise = 100.0 * 16e-6 / (square / wanted.len() as f64).sqrt();
        let found = first(&outcome.criteria, 2);
        assert!((found - noise).abs() < 0.05, "{found} for {noise}");
        assert!(!published || (found - 2.0).abs() < 0.05, "{found}");
        // Its own estimate knows nothing of the noise.
        let estimated = first(&outcome.criteria_estimated, 2);
        assert!(
            outcome.estimate == Estimate::Controller && estimated < 0.15,
            "{estimated}"
        );
    }
}

/// The estimate of a controller is its own, and the measurement where it has none; J4 is coded as
/// J1, printed with the estimate.
#[test]
fn the_estimated_output_is_that_of_the_controller() {
    let pi = single(1, "pi", true).run(0, 1, &References::default());
    let pi = pi.unwrap().outcome.unwrap();
    assert_eq!(pi.estimate, Estimate::Measurement);
    assert_eq!(pi.criteria_estimated, pi.criteria);
    assert_eq!(
        serde_json::to_value(&pi).unwrap()["estimate"],
        "measurement"
    );
    for (controller, own) in [("rls", false), ("lqg", true), ("adaptive-inverse", true)] {
        let prepared = multi(Variant::Consistent, controller).prepare().unwrap();
        let outcome = prepared.run(0, 1).unwrap().outcome.unwrap();
        let theirs = outcome.estimate == Estimate::Controller;
        assert_eq!(theirs, own, "{controller}");
        let of = |form: &CriteriaValues, number: u8| form.get(number).to_vec();
        let (coded, printed, estimated) = (
            &outcome.criteria,
            &outcome.criteria_rms,
            &outcome.criteria_estimated,
        );
        assert_eq!(of(coded, 4), of(coded, 1), "{controller}");
        assert_eq!(of(printed, 4), of(estimated, 1), "{controller}");
        // The force is computed from the estimate: J5 to J10 are of it in every form but that of
        // the true displacement.
        for name in [5, 7, 8, 10] {
            assert_eq!(of(coded, name), of(estimated, name), "{controller} {name}");
        }
        let better = of(estimated, 2)[0] < 0.9 * of(coded, 2)[0];
        assert_eq!(better, own, "{controller}: {coded:?} {estimated:?}");
        // The filter of the linear-quadratic controller lags by a sample less than the sensors: the
        // printed J4 is not J1.
        let apart = of(printed, 4) != of(printed, 1);
        assert_eq!(apart, controller == "lqg", "{printed:?}");
    }
}

/// All values of a criterion, of which there are some.
fn below(criteria: &CriteriaValues, number: u8, bound: f64) -> bool {
    let found = criteria.get(number);
    !found.is_empty() && found.iter().all(|x| *x < bound)
}

fn multi(variant: Variant, controller: &str) -> multi_axial::Benchmark {
    multi_axial::Benchmark {
        variant,
        controller: controller.into(),
        record: "el-centro".into(),
        noise: true,
        seed: 1,
    }
}

/// Expected: rows of an independent computation (another sequence of noise).
#[test]
fn controllers_of_the_multi_axial_problem() {
    if data(EL_CENTRO).is_none() {
        return;
    }
    let close = |criteria: &CriteriaValues, name: u8, expected: &[f64], bound: f64| {
        let found = criteria.get(name);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found / expected - 1.0).abs() < bound,
                "{name}: {found} for {expected}"
            );
        }
    };
    // The noise that is taken where none is asked for.
    let coded = multi(Variant::AsCoded, "rls").prepare().unwrap();
    let criteria = coded.run(0, multi_axial::SEED).unwrap();
    let criteria = criteria.outcome.unwrap().criteria;
    close(&criteria, 2, &[3.19, 1.76], 0.03);
    close(&criteria, 5, &[2.05, 2.86], 0.03);
    close(&criteria, 7, &[9.68, 7.73], 0.01);
    close(&criteria, 8, &[6.59, 5.82, 6.20, 5.87], 0.01);
    let rls = multi(Variant::Consistent, "rls").prepare().unwrap();
    let criteria = rls.run(0, multi_axial::SEED).unwrap();
    let criteria = criteria.outcome.unwrap().criteria;
    close(&criteria, 2, &[2.89, 1.65], 0.03);
    close(&criteria, 5, &[1.90, 2.69], 0.03);
    close(&criteria, 7, &[1.99, 2.37], 0.03);
    close(&criteria, 8, &[0.66, 0.67, 0.66, 0.68], 0.03);
    // The LQG stand-in of the independent computation: feedback of the filter's displacement,
    // sampled as it stands.
    for (variant, rows) in [
        (
            Variant::Consistent,
            [
                (2, &[4.59, 3.48][..]),
                (5, &[3.49, 3.37]),
                (7, &[3.47, 3.09]),
                (8, &[1.16, 1.17, 1.16, 1.16]),
            ],
        ),
        (
            Variant::AsCoded,
            [
                (2, &[4.80, 3.56]),
                (5, &[3.57, 3.42]),
                (7, &[8.82, 6.80]),
                (8, &[6.87, 6.39, 6.58, 6.40]),
            ],
        ),
    ] {
        let lqg = multi(variant, "lqg").prepare().unwrap();
        let criteria = lqg.run(0, 1).unwrap().outcome.unwrap().criteria;
        for (name, expected) in rows {
            close(&criteria, name, expected, 0.01);
        }
    }
    // Noise moves the adaptive controller by some per cent: the mean over sequences is what can be
    // compared.
    let runs: Vec<_> = (1..=20)
        .map(|seed| rls.run(0, seed).unwrap().outcome.unwrap().criteria)
        .collect();
    for (name, expected) in [
        (2, &[2.89, 1.65][..]),
        (5, &[1.90, 2.69]),
        (7, &[1.99, 2.37]),
        (8, &[0.66, 0.67, 0.66, 0.68]),
    ] {
        for (i, expected) in expected.iter().enumerate() {
            let mean = runs.iter().map(|run| run.get(name)[i]).sum::<f64>() / 20.0;
            assert!(
                (mean / expected - 1.0).abs() < 0.03,
                "{name}: {mean} for {expected}"
            );
        }
    }
    let ideal = multi(Variant::Consistent, "one-sample-delay")
        .prepare()
        .unwrap();
    let outcome = ideal.run(0, 1).unwrap().outcome.unwrap();
    let criteria = &outcome.criteria;
    // It asks for the targets' own velocity: 77 mm/s and more at the second actuator.
    assert!(outcome.demand[1].velocity > 0.07, "{:?}", outcome.demand);
    close(criteria, 7, &[1.34, 1.22], 0.01);
    close(criteria, 8, &[0.60, 0.60, 0.60, 0.60], 0.01);
}

/// On the nominal plant and on a random one, in both variants.
#[test]
fn our_controller_on_the_multi_axial_problem() {
    let own = multi(Variant::Consistent, "adaptive-inverse")
        .prepare()
        .unwrap();
    // Noises under which a shorter span of the derivatives bursts while the coefficients are young,
    // in both variants.
    let coded = multi(Variant::AsCoded, "adaptive-inverse")
        .prepare()
        .unwrap();
    for (prepared, seed) in [(&own, 11), (&own, 32), (&own, 72), (&coded, 3), (&coded, 5)] {
        let outcome = prepared.run(0, seed).unwrap().outcome.unwrap();
        let free = &outcome.criteria_noise_free;
        assert!(below(free, 2, 0.3), "{seed}: {free:?}");
        assert!(outcome.demand.iter().all(|d| d.command < 7e-3), "{seed}");
    }
    for draw in [0, 3] {
        let outcome = own.run(draw, 1).unwrap().outcome.unwrap();
        let free = &outcome.criteria_noise_free;
        assert!(below(free, 2, 0.6), "{free:?}");
        assert!(below(&outcome.criteria, 7, 1.0), "{free:?}");
        assert!(below(&outcome.criteria, 8, 0.4), "{free:?}");
    }
}

/// The frame of the single-actuator problem from its members, condensed: the published stiffness,
/// entry by entry.
#[test]
fn the_single_actuator_frame_from_its_members() {
    let path = example("single-actuator-benchmark/members.toml");
    let test = plans::test_file(&path, AS_WRITTEN);
    let published = [
        [
            26_054_883.879_603_837,
            -23_133_938.877_108_198,
            5_937_035.463_339_146,
        ],
        [
            -23_133_938.877_108_198,
            32_560_774.186_380_334,
            -14_419_970.777_236_981,
        ],
        [
            5_937_035.463_339_146,
            -14_419_970.777_236_981,
            9_267_275.506_224_312,
        ],
    ];
    assert_eq!(test.outline.whole.properties().dof(), 3);
    for (i, row) in published.iter().enumerate() {
        for (j, expected) in row.iter().enumerate() {
            let found = test.outline.whole.properties().stiffness.get(i, j);
            let off = (found / expected - 1.0).abs();
            assert!(off < 1e-13, "{i} {j}: {found} for {expected}");
        }
        assert!((test.outline.whole.properties().mass.get(i, i) - 1000.0).abs() < 1e-9);
    }
}

/// A run that leaves its reference is no completed one: with a delay that the loop does not bear,
/// nothing is measured of it.
#[test]
fn a_run_that_goes_astray_is_unstable() {
    let none = Benchmark {
        case: 4,
        controller: "none".into(),
        record: "el-centro".into(),
        noise: false,
        prediction: false,
        seed: 1,
    };
    let run = none.run(0, 1, &References::default());
    assert!(run.unwrap().outcome.is_none());
    let reference = [0.0, 2.0, -3.0, 1.0];
    for (way, astray) in [
        ([0.1, 2.0, -5.9, 1.0], false),
        ([0.1, 2.0, -6.1, 1.0], true),
        ([0.0, f64::NAN, -3.0, 1.0], true),
    ] {
        assert_eq!(tandem::run::is_astray(&way, &reference), astray);
    }
}

/// A page that has no place is refused before anything runs.
#[test]
fn a_page_needs_the_name_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().to_str().unwrap();
    let new = format!("{there}/new/");
    for words in [
        &["bench", "multi-axial", "--report", there][..],
        &["bench", "single-actuator", "--report", &new],
        &["check", PLAN, "--report", there],
        &["compare-methods", "--report", &new],
    ] {
        let said = refused(&TANDEM.says(words), 2);
        assert!(said.contains("give the name of a file"), "{said}");
    }
}

/// Every component has its histogram with its name and unit, and the page says what was asked for.
#[test]
fn the_page_of_the_multi_axial_problem() {
    let folder = tempfile::tempdir().unwrap();
    let words = "bench multi-axial --runs 3 --seed 7 --report bench.html";
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = TANDEM.command(&words);
    command.current_dir(&folder).env_remove("TANDEM_DATA");
    done(&command.output().unwrap());
    let page = std::fs::read_to_string(folder.path().join("bench.html")).unwrap();
    for title in [
        "J2, actuator 1",
        "J2, actuator 2",
        "J7, interface, x",
        "J7, interface, rotation",
        "J8, floor 2, x",
        "J8, floor 3, rotation",
    ] {
        assert!(page.contains(&format!("<h3>{title}</h3>")), "{title}");
        assert!(page.contains(&format!("{title} (%)")), "{title}");
    }
    for (name, value) in [
        ("Seed", "7"),
        ("Random plants", "3"),
        ("Variant", "consistent"),
    ] {
        let fact = format!("<dt>{name}</dt><dd>{value}</dd>");
        assert!(page.contains(&fact), "{fact}");
    }
}

/// The multi-axial problem as a plan, in the ordinary loop: figures near those of the bench, on the
/// nominal plant and on random ones.
#[test]
fn the_multi_axial_problem_as_a_plan() {
    let published = data_for_part("the noise floor of the benchmark's record", EL_CENTRO).is_some();
    let campaign = Campaign::new(&example("multi-axial-benchmark/campaign.toml"), &[], 1).unwrap();
    let names = campaign.figure_names();
    for number in [1, 2] {
        let row = campaign.run(number);
        assert_eq!(row.status, Status::Completed, "{}", row.reason);
        let figures = &row.values[row.values.len() - names.len()..];
        let of = |name: &str| figures[names.iter().position(|n| n == name).unwrap()];
        for axis in ["1", "2"] {
            let figure = |name: &str| of(&format!("{name}/{axis}"));
            assert!(figure("J2_noise_free") < 0.6, "{}", figure("J2_noise_free"));
            // At the interface, behind the linkage: strokes would be off by 30 and 150 %.
            assert!(figure("J7_noise_free") < 1.0, "{}", figure("J7_noise_free"));
            assert!(figure("J7_estimated") < 1.0, "{}", figure("J7_estimated"));
        }
        // The same noise on both: the strokes have it, the translation too, the rotation has none.
        let [first, second] = [of("J2/1"), of("J2/2")];
        let right = (first - 2.34).abs() < 0.05 && (second - 1.22).abs() < 0.1;
        assert!(!published || right, "{first} {second}");
        assert!(!published || of("J7/1") > 1.5, "{}", of("J7/1"));
        assert!((of("J7/2") - of("J7_noise_free/2")).abs() < 1e-6);
        assert!((1..=4).all(|i| of(&format!("J8/{i}")) < 0.4));
    }
}

/// A share of `cargo xtask study problems`, against the same goals: six random plants, each under
/// another case and record; and a goal that is missed is told.
#[test]
fn random_plants_meet_the_goals() {
    let references = References::default();
    let go = AtomicBool::new(false);
    let mut cases = vec![(3, "el-centro")];
    let others = "other ground motions than El Centro";
    if data_for_part(others, "benchmarks/ground_motion_kobe_1995.csv").is_some() {
        cases.extend([(1, "kobe"), (2, "morgan-hill")]);
    }
    for (case, record) in cases {
        let problem = Benchmark {
            record: record.into(),
            ..single(case, "adaptive-inverse", true)
        };
        let nominal = problem.run(0, 1, &references).unwrap().outcome.unwrap();
        let runs = problem.runs(2, 2, &references, || {}, &go).unwrap();
        let missed = goals::missed_single(&nominal, &runs);
        assert!(missed.is_empty(), "case {case}, {record}: {missed:?}");
    }
    let prepared = multi(Variant::Consistent, "adaptive-inverse").prepare();
    let runs = prepared.unwrap().runs(6, 2, || {}, &go).unwrap();
    let missed = goals::missed_multi(&runs);
    assert!(missed.is_empty(), "{missed:?}");
    // The published controllers miss them, and an unstable run is a goal missed.
    let pi = single(1, "pi", true).run(0, 1, &references);
    let missed = goals::missed_single(&pi.unwrap().outcome.unwrap(), &[None]);
    assert_eq!(missed.len(), 3, "{missed:?}");
    let rls = multi(Variant::Consistent, "rls").prepare().unwrap();
    let missed = goals::missed_multi(&rls.runs(1, 1, || {}, &go).unwrap());
    assert!(missed.len() >= 6, "{missed:?}");
    assert!(!goals::missed_multi(&[]).is_empty());
}

/// Matrices of the specimen from its sections against the published ones.
#[test]
fn the_specimen_of_the_multi_axial_problem() {
    let Some(folder) = package() else {
        return;
    };
    let file = |name: &str| table(&folder, name);
    let specimen = specimen::Specimen::new(true).unwrap();
    for (matrix, name) in specimen.matrices().iter().zip(["M", "C", "K"]) {
        let expected = file(&format!("specimen5_{name}"));
        let largest = expected
            .iter()
            .flatten()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        for i in 0..5 {
            for j in 0..5 {
                assert!(
                    (matrix[i][j] - expected[i][j]).abs() < 1e-7 * largest,
                    "{name} {i} {j}"
                );
            }
        }
    }
    // The file counts rotations clockwise and lists the other joint second.
    let order = [0, 2, 1];
    for (matrix, name) in specimen::removed_as_coded().iter().zip(["M", "C", "K"]) {
        let expected = file(&format!("removed_{name}"));
        for i in 0..3 {
            for j in 0..3 {
                let sign = if (i == 0) == (j == 0) { 1.0 } else { -1.0 };
                let found = sign * matrix[order[i]][order[j]];
                assert!(
                    (found - expected[i][j]).abs() < 1e-7 * expected[0][0],
                    "{name} {i} {j}"
                );
            }
        }
    }
}

const PLAN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/single-actuator-benchmark/campaign.toml"
);

/// The shipped record, so that the tests need no data.
fn short() -> Vec<String> {
    vec![
        "integration.duration=1.5s".into(),
        "excitation={record=\"el-centro-1940\",scale=0.4}".into(),
    ]
}

/// Threads, shards, a kill in between and another engine: the same bits.
#[test]
fn a_campaign_does_not_depend_on_who_computes_it() {
    let folder = tempfile::tempdir().unwrap();
    let campaign = Campaign::new(Path::new(PLAN), &short(), 5).unwrap();
    let runs = 7;
    let all: Vec<usize> = (1..=runs).collect();
    let go = AtomicBool::new(false);
    let table = |name: &str| std::fs::read(folder.path().join(name).join("table.parquet")).unwrap();
    let finish = |name: &str| {
        let path = folder.path().join(name);
        let gathered = campaign.gather(&path, runs).unwrap();
        let mut figures = campaign.finish(&path, &gathered).unwrap();
        figures.folder = PathBuf::new();
        serde_json::to_string(&figures).unwrap()
    };
    for (name, jobs) in [("one", 1), ("two", 2)] {
        let path = folder.path().join(name).join("runs.csv");
        assert!(campaign.rows(&all, jobs, &path, |_| {}, &go).unwrap());
    }
    let expected = finish("one");
    assert_eq!(finish("two"), expected);
    assert_eq!(table("one"), table("two"));
    for number in 0..3 {
        let shard = Shard { number, of: 3 };
        let path = shard.file(&folder.path().join("parts"));
        assert!(
            campaign
                .rows(&shard.runs(runs), 1, &path, |_| {}, &go)
                .unwrap()
        );
    }
    assert_eq!(finish("parts"), expected);
    // A kill in the middle of a line.
    let path = folder.path().join("killed/runs.csv");
    let whole = std::fs::read(folder.path().join("one/runs.csv")).unwrap();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let mut first = None;
    campaign
        .rows(
            &all,
            2,
            &path,
            |done| {
                first.get_or_insert(done);
            },
            &go,
        )
        .unwrap();
    assert!(first.unwrap() > 0, "what was there is not computed again");
    assert_eq!(finish("killed"), expected);
    // Another seed is another campaign.
    let other = Campaign::new(Path::new(PLAN), &short(), 6).unwrap();
    let refused = other
        .rows(&all, 1, &path, |_| {}, &go)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("another campaign"), "{refused}");
}

/// What a run is counted as: a limit on the way of the structure is no instability, a motion that
/// did not take place neither; a plan that no draw could build is refused before anything runs.
#[test]
fn runs_of_a_campaign_are_counted_as_what_they_are() {
    let of = |set: &[&str]| {
        let mut all = short();
        all.extend(set.iter().map(|word| (*word).to_owned()));
        Campaign::new(Path::new(PLAN), &all, 5)
    };
    let vary = |table: &str| format!("campaign.vary=[{table}]");
    let row = of(&["limits.force=20N", "integration.duration=7s"])
        .unwrap()
        .run(1);
    assert_eq!((row.status, row.reason.as_str()), (Status::Limit, "force"));
    let late = of(&[
        "compensator={method=\"none\"}",
        "limits={}",
        "excitation.scale=8",
        "integration.duration=9s",
    ]);
    assert_eq!(late.unwrap().run(1).status, Status::Unstable);
    let quiet = of(&["excitation.scale=0"]).unwrap().run(1);
    assert_eq!(quiet.status, Status::Completed, "{}", quiet.reason);
    // A nominal run at rest cannot name the criteria of those that move.
    let shaken =
        vary("{key=\"excitation.scale\",distribution=\"uniform\",minimum=0.2,maximum=0.4}");
    let Some(CampaignError::Plan(refusal)) =
        of(&["excitation.scale=0", "integration.duration=7s", &shaken]).err()
    else {
        panic!("a nominal run at rest is taken");
    };
    assert!(
        refusal
            .to_text()
            .contains("nothing moves in the nominal run")
    );
    // Other figures than those of the nominal run belong into no column.
    let other = vary("{key=\"record.criteria\",distribution=\"values\",values=[\"none\"]}");
    let row = of(&[&other, "limits={}"]).unwrap().run(1);
    assert_eq!(row.status, Status::Refused, "{}", row.reason);
    assert!(row.reason.contains("figures"), "{}", row.reason);
    for (table, said) in [
        (
            "{key=\"rig.plant.stifness\",mean=1,deviation=0.1}",
            "stifness",
        ),
        (
            "{key=\"rig.plant.stiffness\",mean=1,deviation=0.1,unit=\"kg\"}",
            "kg",
        ),
        ("{key=\"seed\",mean=1,deviation=0.1}", "drawn already"),
        (
            "{key=\"rig.plant.stiffness\",mean=1190,deviation=50,unit=\"kN/m\"},\
             {key=\"rig.plant\",distribution=\"values\",values=['{kind=\"benchmark-single\"}']}",
            "lie within each other",
        ),
    ] {
        let Some(CampaignError::Plan(refusal)) = of(&[&vary(table)]).err() else {
            panic!("{table} is taken");
        };
        let refused = refusal.to_text();
        assert!(refused.contains(said), "{refused}");
    }
    let whole =
        vary("{key=\"rig.plant.stiffness\",mean=1190,deviation=50,unit=\"kN/m\",whole=true}");
    let row = of(&[&whole, "excitation.scale=0.4"]).unwrap().run(1);
    assert_eq!(row.status, Status::Completed, "{}", row.reason);
}

/// A burst of the commands that a limit ends before the pistons have followed is unstable, as one
/// that goes on is.
#[test]
fn a_burst_that_a_limit_ends_is_unstable() {
    let path = example("multi-axial-benchmark/campaign.toml");
    // The shortest span of the derivatives, on the nominal plant, with a noise that it does not
    // bear.
    let set = [
        "compensator.smoothing=2ms",
        "campaign={vary=[{key=\"rig.plant.draw\",distribution=\"values\",values=[\"0\"]}]}",
    ];
    let campaign = Campaign::new(&path, &set.map(str::to_owned), 5).unwrap();
    // Under the benchmark's record, and under the shipped one.
    let record = "benchmarks/ground_motion_el_centro_1940.csv";
    let run = match data_for_part("the run under the benchmark's record", record) {
        Some(_) => 29,
        None => 222,
    };
    let row = campaign.run(run);
    assert_eq!(row.status, Status::Unstable, "{}", row.reason);
    assert_eq!(row.reason, "stuck");
}

/// A plant that has a name, on both sides.
const PLANTS: &str =
    "[compensator.plant]\nkind = \"benchmark-single\"\n[rig.plant]\nkind = \"benchmark-single\"\n";

/// A plan that only names its plant gets the controller for it, and the instant that the
/// time-stepping method commands for.
#[test]
fn a_named_plant_is_enough() {
    let frame = example("single-actuator-benchmark/frame.toml");
    let ahead = |integration: &str, more: &str| {
        let text = format!(
            "extends = {frame:?}\n[integration]\n{integration}\n[compensator]\n{more}\n{PLANTS}"
        );
        let plan = plans::plan(&text, AS_WRITTEN);
        let table = plan.values.table("compensator").unwrap();
        assert_eq!(table.text("method").unwrap(), "adaptive-inverse");
        table.count("ahead").unwrap()
    };
    assert_eq!(ahead("force = \"held\"", ""), 0);
    assert_eq!(ahead("force = \"held\"", "ahead = 1"), 1);
    assert_eq!(ahead("method = \"newmark-explicit\"", ""), 1);
    // Of every method that takes this rig: commands are for the instant exactly where the method
    // gives the motion of the instant.
    let mut seen = 0;
    for entry in tandem_integrator::METHODS {
        let set = format!(
            "integration={{method=\"{}\",dt=\"0.244140625ms\"}}",
            entry.method.name
        );
        let text = format!("extends = {frame:?}\n{PLANTS}");
        let source = Source::Text {
            name: "named",
            text: &text,
        };
        let plan = plan::read(ROOT, source, &[set]);
        let Ok(plan) = plan else { continue };
        let Ok(test) = assemble(&plan.values, plan.registry()) else {
            continue;
        };
        let Ok(hybrid) = test.hybrid() else { continue };
        let instant = !hybrid.parts().integrator.properties().looks_ahead;
        let table = plan.values.table("compensator").unwrap();
        assert_eq!(
            table.count("ahead").unwrap() == 0,
            instant,
            "{}",
            entry.method.name
        );
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

/// The same campaign from the command line on a local cluster of the real HyperQueue.
#[test]
fn a_campaign_on_hyperqueue() {
    if python(&["hyperqueue"]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let command = |engine: &str, out: &str| {
        let words = "campaign --runs 4 --seed 5 --shards 2 --json --engine";
        let mut command = TANDEM.command(&words.split(' ').collect::<Vec<_>>());
        command.args([engine, PLAN, "--out", out]);
        command.args(short().iter().flat_map(|set| ["--set", set]));
        command.current_dir(&folder);
        command
    };
    let go = |engine: &str| -> Value {
        let output = command(engine, engine).output().unwrap();
        done(&output);
        let mut figures = json(&output);
        assert_eq!(figures["completed"], 4, "{figures}");
        figures["folder"] = Value::Null;
        figures["wall_s"] = Value::Null;
        figures
    };
    let found = go("hyperqueue");
    assert_eq!(found, go("local"));
    // Whoever computes next finds all rows: nothing is left for the engine, which is not even
    // looked for.
    let rows = std::fs::read_to_string(folder.path().join("hyperqueue/runs.csv")).unwrap();
    assert_eq!(rows.lines().count(), 2 + 4);
    let mut again = command("hyperqueue", "local");
    done(
        &again
            .env("TANDEM_PYTHON", "/nowhere/python")
            .output()
            .unwrap(),
    );
}
