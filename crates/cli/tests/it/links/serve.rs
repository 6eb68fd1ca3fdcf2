//! `tandem serve openfresco` and `tandem serve labview`.

use super::{LabView, Listening, free_port, here, listen, opensees, python};
use std::path::Path;
use tandem_link::RemoteSpecimen;
use tandem_link::labview::LabViewClient;
use tandem_link::openfresco::client::Element;
use tandem_test_support::{apart, json_numbers, refused};

use crate::TANDEM;

const INTEGRATORS: [&str; 5] = [
    "newmark-explicit",
    "kr-alpha",
    "alpha-os",
    "newmark",
    "hht-fixed",
];

fn reference(python: &Path, words: &[&str]) -> Vec<f64> {
    json_numbers(&opensees(python, &here().join("model.py"), words))
}

fn compare(python: &Path, server: &[&str], integrator: &str, model: &[&str], client: &[&str]) {
    let Listening { child, ports, out } = listen(server, 1);
    let port = ports[0].to_string();
    let words = [&[integrator, port.as_str()], model, client].concat();
    let found = reference(python, &words);
    let (code, said, _) = Listening { child, ports, out }.end();
    assert_eq!(code, 0, "{said}");
    let expected = reference(python, &[&[integrator, "0"], model].concat());
    let error = apart(&found, &expected);
    assert!(error < 1e-9, "{integrator} {model:?} {client:?}: {error:e}");
}

/// The response with Tandem as an ideal specimen is that of the all-numerical model.
#[test]
fn opensees_with_our_specimen_equals_opensees_alone() {
    let Some(python) = python() else { return };
    let elastic = [
        "serve",
        "openfresco",
        "--port",
        "0",
        "--specimen",
        "spring",
        "--k",
        "500",
    ];
    let yielding = [&elastic[..], &["--fy", "8", "--b", "0.02"]].concat();
    for integrator in INTEGRATORS {
        compare(&python, &elastic, integrator, &[], &[]);
        compare(&python, &yielding, integrator, &["--fy", "8"], &[]);
    }
}

#[test]
fn datagrams_and_short_vectors() {
    let Some(python) = python() else { return };
    let server = ["serve", "openfresco", "--port", "0", "--k", "500"];
    compare(
        &python,
        &server,
        "newmark-explicit",
        &[],
        &["--data-size", "5"],
    );
    compare(&python, &server, "kr-alpha", &[], &["--data-size", "2000"]);
    let udp = [&server[..], &["--udp"]].concat();
    compare(&python, &udp, "newmark-explicit", &[], &["--udp"]);
}

/// A controller of the LabVIEW protocol; the port can be had again at once.
#[test]
fn a_labview_client_is_served_again_and_again() {
    let port = free_port().to_string();
    let serve = ["serve", "labview", "--port", &port, "--k", "2"];
    for _ in 0..3 {
        let listening = listen(&[&serve[..], &["--stroke", "0.01"]].concat(), 1);
        let mut client = LabView::at(listening.ports[0]);
        let mut ask = |line: &str| client.ask(line);
        assert_eq!(ask("open-session|OpenFresco"), "OK|0|OpenFresco");
        let propose = "propose|T1|MDL-00-01|x|displacement|5.0E-03";
        assert_eq!(ask(propose), "OK|0|T1");
        assert_eq!(ask("execute|T1"), "OK|0|T1");
        assert!(ask("get-control-point|T1|MDL-00-01").contains("x|force|1.0000000000000000E-02"));
        assert!(ask("propose|T2|MDL-00-01|x|displacement|5.0E-02").starts_with("ERROR|1|T2|"));
        assert_eq!(
            ask("dance|T3|MDL-00-01"),
            "ERROR|1|T3|unknown command \"dance\""
        );
        assert_eq!(ask("close-session|OpenFresco"), "OK|0|OpenFresco");
        drop(client);
        let (code, said, _) = listening.end();
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("beyond the stroke"), "{said}");
    }
}

/// A client that goes without a goodbye was lost: exit code 3, as of `tandem run`.
#[test]
fn a_lost_client_is_no_success() {
    for labview in [false, true] {
        let what = if labview { "labview" } else { "openfresco" };
        let listening = listen(&["serve", what, "--port", "0", "--k", "500"], 1);
        let address = ([127, 0, 0, 1], listening.ports[0]).into();
        let patience = std::time::Duration::from_secs(20);
        let motion = tandem_quantity::Motion::at_rest(1);
        let mut measured = tandem_transfer::rig::Measured::at_rest(1);
        let mut client: Box<dyn RemoteSpecimen> = if labview {
            Box::new(LabViewClient::connect(address, 1, patience).unwrap())
        } else {
            Box::new(Element::connect(address, 1, patience).unwrap())
        };
        client.begin(&motion).unwrap();
        client.finish(&mut measured).unwrap();
        drop(client);
        let (code, said, _) = listening.end();
        assert_eq!(code, 3, "{what}: {said}");
    }
}

#[test]
fn a_wrong_call_is_explained() {
    for (what, words, why) in [
        ("openfresco", &[][..], "--stiffness-matrix"),
        (
            "openfresco",
            &["--stiffness-matrix", "nowhere.txt"],
            "nowhere.txt",
        ),
        ("openfresco", &["--k", "500", "--b", "0.02"], "give --fy"),
        ("labview", &["--k", "5", "--dof", "13"], "at most 12"),
    ] {
        let serve = ["serve", what, "--port", "0"];
        let said = refused(&TANDEM.says(&[&serve[..], words].concat()), 2);
        assert!(said.contains(why), "{said}");
    }
    let folder = tempfile::tempdir().unwrap();
    for (text, why) in [
        ("dof = 13", "at most 12 parameters"),
        (
            "control_point = [{ axes = [\"x force\"] }]",
            "`x force` is no axis and kind of motion",
        ),
        (
            "control_point = [{ axes = [\"x displacement\", \"y displacement\"] }]",
            "have 2 parameters, the test 1",
        ),
    ] {
        let text = format!(
            "[integration]\ndriver = \"labview\"\n{text}\n[rig.specimen]\n\
            stiffness = [\"5 kN/m\"]\n"
        );
        let said = refused(&TANDEM.run_plan(folder.path(), "run", &text, &[]), 2);
        assert!(said.contains(why), "{said}");
    }
}
