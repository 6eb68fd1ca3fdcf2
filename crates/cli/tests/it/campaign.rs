//! `tandem campaign` from the command line: kills, two at once, shards of Slurm and HyperQueue,
//! foreign files, what the page and the table say.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tandem_test_support::{done, example, json, python, refused};

use crate::TANDEM;
use tandem_quantity::format_number;

const PLAN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/single-actuator-benchmark/campaign.toml"
);

/// The shipped record, so that the tests need no data; short and strong.
fn campaign(plan: &Path, out: &Path, runs: usize) -> Command {
    let mut command = TANDEM.command(&["campaign"]);
    command
        .env_remove("TANDEM_DATA")
        .arg(plan)
        .args(["--runs", &runs.to_string(), "--seed", "5", "--json"])
        .args(["--set", "integration.duration=5s"])
        .arg("--out")
        .arg(out);
    command
}

/// The figures without what may differ: where it stands and how long it took.
fn figures(output: &Output) -> Value {
    let mut figures = json(output);
    figures["folder"] = Value::Null;
    figures["wall_s"] = Value::Null;
    figures
}

fn table(out: &Path) -> Vec<u8> {
    std::fs::read(out.join("table.parquet")).unwrap()
}

/// A campaign that is at work: some of its runs are written down.
fn at_work(mut command: Command, out: &Path) -> Child {
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let lines = || std::fs::read_to_string(out.join("runs.csv")).map_or(0, |t| t.lines().count());
    while lines() < 5 {
        assert!(begin.elapsed() < Duration::from_secs(60), "no run is done");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

/// Two at once: the second is told who is at work. After kill -9 the same command goes on, and the
/// table is that of one that was left alone.
#[test]
fn a_killed_campaign_goes_on_and_two_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    let runs = 40;
    let mut first = campaign(Path::new(PLAN), &killed, runs);
    first.args(["--jobs", "1"]);
    let mut child = at_work(first, &killed);
    let second = campaign(Path::new(PLAN), &killed, runs).output().unwrap();
    let said = refused(&second, 2);
    assert!(said.contains(&format!("process {}", child.id())), "{said}");
    child.kill().unwrap();
    child.wait().unwrap();
    let there = std::fs::read_to_string(killed.join("runs.csv")).unwrap();
    assert!(there.lines().count() < runs, "it was killed too late");
    assert!(killed.join("campaign.lock").exists());
    let again = campaign(Path::new(PLAN), &killed, runs).output().unwrap();
    let alone = campaign(Path::new(PLAN), &whole, runs).output().unwrap();
    assert_eq!(figures(&again), figures(&alone));
    assert_eq!(table(&killed), table(&whole));
    assert!(!killed.join("campaign.lock").exists());
}

/// The script as Slurm would run it, in a folder with a blank; files of others in it are left alone
/// and left out.
#[test]
fn shards_of_slurm_merge_to_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let (alone, parts) = (folder.path().join("alone"), folder.path().join("in parts"));
    let plan = Path::new(PLAN);
    let expected = figures(&campaign(plan, &alone, 7).output().unwrap());
    let script = campaign(plan, &parts, 7)
        .args(["--slurm", "--shards", "3"])
        .output()
        .unwrap();
    assert_eq!(json(&script)["shards"], 3);
    let script = json(&script)["script"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&script).unwrap();
    let log = format!("#SBATCH --output='{}/shard-%a.out'", parts.display());
    assert!(text.contains(&log), "{text}");
    let missing = campaign(plan, &parts, 7).arg("--merge").output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    for task in ["0", "1", "2"] {
        let shard = Command::new("bash")
            .arg(&script)
            .env("SLURM_ARRAY_TASK_ID", task)
            .env_remove("HQ_TASK_ID")
            .env_remove("TANDEM_DATA")
            .output()
            .unwrap();
        done(&shard);
    }
    std::fs::write(parts.join("notes.csv"), "mine,yours\n1,2\n").unwrap();
    std::fs::create_dir_all(parts.join("worst")).unwrap();
    std::fs::write(parts.join("worst/mine.txt"), "keep").unwrap();
    // Twice: the worst run gives way to itself.
    for _ in 0..2 {
        let output = campaign(plan, &parts, 7).arg("--merge").output().unwrap();
        let mut merged = figures(&output);
        let notes = merged["notes"].to_string();
        assert!(notes.contains("notes.csv"), "{notes}");
        merged["notes"] = serde_json::json!([]);
        assert_eq!(merged, expected);
        assert_eq!(table(&parts), table(&alone));
        let kept = std::fs::read_to_string(parts.join("worst/mine.txt"));
        assert_eq!(kept.unwrap(), "keep");
        assert!(parts.join("worst/report.html").exists());
    }
    // A shard of another campaign is no foreign file: it would be missed.
    std::fs::write(parts.join("shard-9-of-10.csv"), "# tandem campaign 0\n").unwrap();
    let mixed = campaign(plan, &parts, 7).arg("--merge").output().unwrap();
    assert_eq!(mixed.status.code(), Some(2));
}

/// The table as Apache Arrow reads it, with the numbers of the rows to the last bit.
#[test]
fn the_table_is_read_by_pyarrow() {
    let Some(python) = python(&["pyarrow.parquet"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let path = plan(
        folder.path(),
        "[campaign]\nvary = [\n\
         { key = \"rig.plant.stiffness\", mean = 1190, deviation = 50, unit = \"kN/m\" },\n\
         { key = \"rig.sensors.same_noise\", distribution = \"values\", values = [true, false] },\n\
         { key = \"rig.plant.draw\", distribution = \"uniform\", minimum = 0.5, maximum = 99.5, \
             whole = true },\n]\n",
    );
    let output = campaign(&path, &out, 6).output().unwrap();
    let figures = json(&output);
    assert_eq!(figures["completed"], 6);
    assert_eq!(
        figures["drawn"]["rig.sensors.same_noise"]["values"],
        serde_json::json!(["true", "false"])
    );
    let script = r#"
import json, struct, sys
import pyarrow.parquet as parquet
table = parquet.read_table(sys.argv[1])
bits = lambda column: [struct.pack(">d", x).hex() if isinstance(x, float) else x for x in column.to_pylist()]
print(json.dumps({name: bits(table[name]) for name in table.column_names}))
"#;
    let read = Command::new(python)
        .args(["-c", script])
        .arg(out.join("table.parquet"))
        .output()
        .unwrap();
    let columns = json(&read);
    let text = std::fs::read_to_string(out.join("runs.csv")).unwrap();
    let mut lines = text.lines().skip(1);
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    rows.sort_by_key(|row| row[0].parse::<u32>().unwrap());
    assert_eq!(columns.as_object().unwrap().len(), names.len());
    for (at, name) in names.iter().enumerate() {
        for (row, found) in rows.iter().zip(columns[name].as_array().unwrap()) {
            let number = || row[at].parse::<f64>().unwrap();
            let written = match *name {
                "status" | "reason" => Value::from(row[at]),
                // What was drawn, not its place in the list.
                "rig.sensors.same_noise" => {
                    Value::from(["true", "false"][usize::from(number() > 1.5)])
                }
                "run" | "seed" | "rig.plant.draw" => Value::from(number() as i64),
                _ => Value::from(format!("{:016x}", number().to_bits())),
            };
            assert_eq!(*found, written, "{name}");
        }
    }
}

/// The cells after the one with this text.
fn cells(page: &str, text: &str, count: usize) -> Vec<String> {
    let at = page
        .find(&format!(">{text}</td>"))
        .unwrap_or_else(|| panic!("{text} is not in the page"));
    let after = page[at..].split("<td").skip(1).take(count);
    after
        .map(|cell| {
            let begin = cell.find('>').unwrap() + 1;
            cell[begin..cell.find("</td>").unwrap()].to_owned()
        })
        .collect()
}

/// What the page says is what the rows say: mean and worst of figures, the worst run, the plants,
/// and what cannot be told from noise.
#[test]
fn the_page_says_what_the_table_says() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = campaign(Path::new(PLAN), &out, 12).output().unwrap();
    let figures = json(&output);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let text = std::fs::read_to_string(out.join("runs.csv")).unwrap();
    let mut lines = text.lines().skip(1);
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for name in ["J2_noise_free", "J4", "J7_estimated", "force_n/1"] {
        let at = names.iter().position(|n| *n == name).unwrap();
        let list: Vec<f64> = rows.iter().map(|row| row[at].parse().unwrap()).collect();
        let mean = list.iter().sum::<f64>() / list.len() as f64;
        let worst = list.iter().copied().fold(0.0, f64::max);
        let found = cells(&page, name, 7);
        let unit = if name == "force_n/1" { "N" } else { "%" };
        assert_eq!(found[0], unit, "{name}");
        assert_eq!(found[1], format_number(mean), "{name}");
        assert_eq!(found[6], format_number(worst), "{name}");
        // Of all runs the worst is linked.
        if name == "J2_noise_free" {
            let run = rows
                .iter()
                .find(|row| row[at].parse::<f64>().unwrap() >= worst);
            assert_eq!(figures["worst_run"].to_string(), run.unwrap()[0]);
        }
    }
    assert!(page.contains("href=\"worst/report.html\"") && out.join("worst/report.html").exists());
    // One name for the cloud, one for the nominal plant.
    assert_eq!(page.matches("12 runs</button>").count(), 2);
    assert_eq!(page.matches(">nominal</button>").count(), 2);
    // Every correlation has its interval, and twelve runs cannot tell all of four keys from noise.
    let table = figures["sensitivity"].as_object().unwrap();
    assert_eq!(table.len(), 4);
    let all: Vec<&Value> = table
        .values()
        .map(|entry| &entry["J2_noise_free"])
        .collect();
    assert!(
        all.iter()
            .all(|x| x["low"].as_f64() <= x["rho"].as_f64()
                && x["rho"].as_f64() <= x["high"].as_f64())
    );
    for (key, entry) in table {
        let entry = &entry["J2_noise_free"];
        let rank = |entry: &Value| {
            let size = entry["rho"].as_f64().unwrap().abs();
            (entry["distinguishable"] == true, size)
        };
        // By order or by distance, whichever tells more.
        let far = rank(&entry["distance"]) > rank(entry);
        let entry = if far { &entry["distance"] } else { entry };
        let part = |name: &str| entry[name].as_f64().unwrap();
        let (low, high) = (part("low"), part("high"));
        assert_eq!(entry["distinguishable"], low > 0.0 || high < 0.0);
        let value = match entry["distinguishable"] == true {
            true if far => format!("± {:.2}", part("rho")),
            true => format!("{:.2}", part("rho")),
            false => "–".to_owned(),
        };
        // The column of J2 follows the key.
        let section = &page[page.find("<h2>Sensitivity").unwrap()..];
        let expected = format!("{value} ({low:.2} to {high:.2})");
        assert_eq!(cells(section, key, 1), [expected]);
    }
    assert!(all.iter().any(|x| x["distinguishable"] == false));
    assert!(page.contains("not distinguishable from noise"));
    assert!(page.contains(figures["matters_most"].as_str().unwrap()));
}

/// Two coupled axes: four transfer functions, amplitude and phase.
#[test]
fn the_page_of_two_axes_shows_all_four_plants() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("multi-axial-benchmark/campaign.toml");
    let output = campaign(&plan, folder.path(), 6).output().unwrap();
    let figures = json(&output);
    assert_eq!(figures["completed"], 6);
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    for pair in [
        "1 to displacement 1",
        "2 to displacement 1",
        "1 to displacement 2",
        "2 to displacement 2",
    ] {
        assert!(page.contains(&format!("<h3>Amplitude, command {pair}</h3>")));
        assert!(page.contains(&format!("<h3>Phase, command {pair}</h3>")));
    }
    // Numbers of random plants have no order, so that nothing is said about them; but about what
    // the plants differ by.
    let sensitivity = figures["sensitivity"].as_object().unwrap();
    let names = ["z1", "z2", "p1", "p2", "frame", "z12", "q1", "q2", "z22"];
    let keys = names.map(|name| format!("rig.plant.draw/{name}"));
    assert_eq!(sensitivity.len(), keys.len());
    assert!(!page.contains("over rig.plant.draw<"));
    let rows = std::fs::read_to_string(folder.path().join("runs.csv")).unwrap();
    let heads: Vec<&str> = rows.lines().nth(1).unwrap().split(',').collect();
    for key in &keys {
        assert!(sensitivity[key]["J2_noise_free/1"]["rho"].is_number());
        assert!(page.contains(&format!("over {key}</h3>")), "{key}");
        let at = heads.iter().position(|head| head == key).unwrap();
        let drawn: Vec<f64> = rows
            .lines()
            .skip(2)
            .map(|line| line.split(',').nth(at).unwrap().parse().unwrap())
            .collect();
        // Within five of the largest published deviation, and another for every run.
        assert!(drawn.iter().all(|x| x.abs() < 0.3 && x.abs() > 0.0));
        assert!(drawn.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 0.0));
    }
    assert!(page.contains("<h3>J8_noise_free/1</h3>"));
    assert!(page.contains("<h2>What was drawn"));
}

fn plan(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("plan.toml");
    std::fs::write(&path, format!("extends = {PLAN:?}\n{text}")).unwrap();
    path
}

/// Records of different time steps beside the plan, which itself states one; bare numbers and truth
/// values in a list.
#[test]
fn records_and_bare_values_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let sine = |dt: f64, n: u32| -> String {
        let samples = (0..n).map(|k| format!("{}\n", (6.0 * f64::from(k) * dt).sin()));
        format!("# dt_s={dt}; unit=m/s^2\n{}", samples.collect::<String>())
    };
    std::fs::write(folder.path().join("slow.csv"), sine(0.02, 300)).unwrap();
    std::fs::write(folder.path().join("fast.csv"), sine(0.005, 1200)).unwrap();
    let path = plan(
        folder.path(),
        "[campaign]\nvary = [\n\
         { key = \"excitation.record\", distribution = \"values\", values = [\"slow.csv\", \
             \"fast.csv\", \"el-centro-1940\"] },\n\
         { key = \"excitation.scale\", distribution = \"values\", values = [0.2, 0.4] },\n\
         { key = \"rig.sensors.same_noise\", distribution = \"values\", values = [true, false] },\n\
         ]\n",
    );
    let out = folder.path().join("out");
    let output = campaign(&path, &out, 14).output().unwrap();
    let figures = json(&output);
    assert_eq!(figures["completed"], 14, "{figures}");
    let rows = std::fs::read_to_string(out.join("runs.csv")).unwrap();
    let drawn = |at: usize| {
        let mut all: Vec<&str> = rows
            .lines()
            .skip(2)
            .filter_map(|l| l.split(',').nth(at))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(drawn(3), ["1.0", "2.0", "3.0"]);
    assert_eq!(drawn(4), ["0.2", "0.4"]);
    assert_eq!(drawn(5), ["1.0", "2.0"]);
    let sensitivity = &figures["sensitivity"];
    assert_eq!(
        sensitivity["excitation.record"]["force_n/1"]["categories"],
        3
    );
    // Another file under the same name is another campaign.
    std::fs::write(folder.path().join("fast.csv"), sine(0.01, 600)).unwrap();
    let other = campaign(&path, &out, 14).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
    // Twice the motion, twice the force: of two runs with the same record that with the larger
    // scale has the larger force.
    let cells = |at: usize| {
        rows.lines()
            .skip(2)
            .map(move |l| l.split(',').nth(at).unwrap())
    };
    let heads: Vec<&str> = rows.lines().nth(1).unwrap().split(',').collect();
    let force = heads.iter().position(|head| *head == "force_n/1").unwrap();
    let mut largest = std::collections::BTreeMap::new();
    for ((record, scale), force) in cells(3).zip(cells(4)).zip(cells(force)) {
        let force: f64 = force.parse().unwrap();
        let kept = largest.entry((record, scale)).or_insert(force);
        *kept = kept.max(force);
    }
    let both: Vec<f64> = ["1.0", "2.0", "3.0"]
        .iter()
        .filter_map(|record| {
            Some(largest.get(&(*record, "0.4"))? / largest.get(&(*record, "0.2"))?)
        })
        .collect();
    assert!(!both.is_empty());
    assert!(
        both.iter().all(|ratio| (ratio - 2.0).abs() < 0.1),
        "{both:?}"
    );
}

/// What cannot be meant is refused, and what is probably not meant is said.
#[test]
fn wrong_counts_are_refused_and_a_campaign_of_nothing_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for words in [["--jobs", "0"], ["--shards", "0"]] {
        let output = campaign(Path::new(PLAN), folder.path(), 2)
            .args(words)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    let nothing = example("quick-start/plan.toml");
    let output = campaign(&nothing, &folder.path().join("nothing"), 2)
        .output()
        .unwrap();
    let notes = json(&output)["notes"].to_string();
    assert!(notes.contains("Only the seed"), "{notes}");
}

/// What cannot be drawn is refused where the plan says so, before anything runs; nothing is left
/// behind.
#[test]
fn refusals_name_the_line_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let told = |text: &str| {
        let path = plan(folder.path(), text);
        let out = folder.path().join("out");
        let output = campaign(&path, &out, 3).output().unwrap();
        let said = refused(&output, 2);
        assert!(!out.exists());
        format!("{}{said}", json(&output))
    };
    let said = told("[[campaign.vary]]\nkey = \"rig.plant.foo\"\nmean = 0\ndeviation = 1\n");
    assert!(
        said.contains("\"line\":3") && said.contains("plan.toml"),
        "{said}"
    );
    assert!(said.contains("foo") && !said.contains("--set"), "{said}");
    let said = told(
        "[[campaign.vary]]\nkey = \"excitation.record\"\ndistribution = \"values\"\n\
         values = [\"el-centro-1940\",\n\"not-there.csv\"]\n",
    );
    assert!(
        said.contains("\"line\":6") && said.contains("not-there.csv"),
        "{said}"
    );
    let out = folder.path().join("nothing");
    let merged = campaign(Path::new(PLAN), &out, 3).arg("--merge").output();
    assert_eq!(merged.unwrap().status.code(), Some(2));
    assert!(!out.exists());
}

/// Without the package: what to do, and not the way through our script.
#[cfg(unix)]
#[test]
fn a_missing_hyperqueue_is_one_line() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    let text = "#!/bin/sh\nexec <&-\necho 'Traceback (most recent call last):' >&2\n\
        echo \"ModuleNotFoundError: No module named 'hyperqueue'\" >&2\nexit 1\n";
    std::fs::write(&python, text).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    // More shards than a pipe holds the commands of: it goes without having listened.
    let output = campaign(Path::new(PLAN), &folder.path().join("out"), 2000)
        .args(["--engine", "hyperqueue", "--shards", "2000"])
        .env("TANDEM_PYTHON", &python)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("pip install hyperqueue"), "{said}");
    assert!(!said.contains("Traceback"), "{said}");
}

/// A server that was killed leaves its folder behind: a local cluster computes, and says so. One
/// that was asked for is missed.
#[test]
fn a_dead_hyperqueue_server_is_told_apart() {
    if python(&["hyperqueue"]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join(".hq-server");
    std::fs::create_dir_all(server.join("hq-current")).unwrap();
    let go = |out: &str| {
        let mut command = campaign(Path::new(PLAN), &folder.path().join(out), 2);
        command
            .args(["--engine", "hyperqueue", "--shards", "1"])
            .env("HOME", folder.path())
            .env_remove("HQ_SERVER_DIR");
        command
    };
    let output = go("left behind").output().unwrap();
    let figures = json(&output);
    assert_eq!(figures["completed"], 2);
    let notes = figures["notes"].to_string();
    assert!(notes.contains("does not answer"), "{notes}");
    let missed = go("asked for")
        .env("HQ_SERVER_DIR", &server)
        .output()
        .unwrap();
    let said = refused(&missed, 1);
    assert!(
        said.contains("no HyperQueue server answers") && said.contains("unset HQ_SERVER_DIR"),
        "{said}"
    );
    // What a task says is not cut: its file is taken here.
    let taken = folder.path().join("taken");
    std::fs::create_dir_all(&taken).unwrap();
    std::fs::write(taken.join("shard-0-of-1.csv"), "not yours\n").unwrap();
    let told = go("taken").output().unwrap();
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(said.contains("belongs to another campaign"), "{said}");
}
