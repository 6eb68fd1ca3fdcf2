//! The scanner on made-up sources, and a made-up workspace in which everything is wrong.

use std::fs;
use std::path::Path;

use super::source::{self, Source};
use super::{findings, tokens, tree};

fn scan(text: &str, module: &[&str]) -> Source {
    let module: Vec<String> = module.iter().map(|word| (*word).to_string()).collect();
    source::read(&tokens::read(text).unwrap(), &module)
}

fn paths(source: &Source) -> Vec<String> {
    source
        .references
        .iter()
        .map(|reference| reference.path.join("::"))
        .collect()
}

#[test]
fn references_are_read_from_the_root() {
    let text = "
        use crate::{filter::{self, Sos}, noise::Quantiser as Q};
        use super::super::record::*;
        mod inner { use super::Here; fn f() -> super::super::There { self::g() } }
        fn f(x: crate::spectrum::Bin) -> u8 { matches!(x, crate::words::YES) }
        macro_rules! m { () => { $crate::macros::x() } }
    ";
    let expected = [
        "filter",
        "filter::Sos",
        "noise::Quantiser",
        "record",
        "a::b::Here",
        "a::There",
        "a::b::inner::g",
        "spectrum::Bin",
        "words::YES",
        "macros::x",
    ];
    assert_eq!(paths(&scan(text, &["a", "b"])), expected);
}

#[test]
fn comments_strings_and_tests_do_not_count() {
    let text = "
        //! [`crate::a`]
        /// See [`crate::b`].
        // use crate::c;
        const TEXT: &str = \"use crate::d;\";
        #[cfg(test)]
        use crate::e::{X, Y};
        #[cfg(test)]
        #[allow(dead_code)]
        fn only_in_tests() { crate::f::g(); }
        #[cfg(test)]
        mod tests;
        pub(crate) struct S { #[cfg(test)] seen: crate::g::Seen, kept: crate::h::Kept }
        #[cfg(test)]
        mod more {
            use crate::i;
        }
    ";
    let source = scan(text, &["m"]);
    assert_eq!(paths(&source), ["h::Kept"]);
    assert!(source.modules.is_empty());
    let lines: usize = source
        .tests
        .iter()
        .map(|(first, last)| last - first + 1)
        .sum();
    assert_eq!(lines, 2 + 3 + 2 + 1 + 4);
    assert!(scan("#![cfg(test)] use crate::a;", &["m"]).is_test);
}

#[test]
fn paths_of_the_standard_library_are_read() {
    let text = "use std::{fs::File, time::{Duration, Instant}}; fn f() { std::thread::spawn(g) }";
    let found = scan(text, &[]).standard;
    let found: Vec<String> = found.iter().map(|(path, _)| path.join("::")).collect();
    assert_eq!(
        found,
        [
            "fs::File",
            "time::Duration",
            "time::Instant",
            "thread::spawn"
        ]
    );
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A workspace of two crates; `quantity` is a pure room.
fn workspace(name: &str, document: &str, quantity: &[(&str, &str)]) -> Vec<String> {
    let root = std::env::temp_dir().join(format!("tandem-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    let package = |name: &str| format!("[package]\nname = \"tandem-{name}\"\nedition = \"2024\"\n");
    write(
        &root,
        "Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"3\"\n",
    );
    write(&root, "crates/quantity/Cargo.toml", &package("quantity"));
    for (file, text) in quantity {
        write(&root, &format!("crates/quantity/src/{file}"), text);
    }
    let stands = "[dependencies]\ntandem-quantity = { path = \"../quantity\" }\n";
    write(
        &root,
        "crates/signal/Cargo.toml",
        &format!("{}{stands}", package("signal")),
    );
    write(&root, "crates/signal/src/lib.rs", "");
    write(
        &root,
        "ARCHITECTURE.md",
        &format!("```crates\n{document}```\n"),
    );
    let root = root.canonicalize().unwrap();
    let found = findings(&root, &tree::crates(&root).unwrap()).unwrap();
    fs::remove_dir_all(&root).unwrap();
    found
}

const LISTED: &str = "quantity:\nsignal: quantity\n";

/// Two modules that know each other: one by what the root hands on, one in a file of its own.
const RING: [(&str, &str); 3] = [
    ("lib.rs", "mod unit;\nmod value;\npub use unit::Unit;\n"),
    ("unit.rs", "use crate::value::Value;\npub struct Unit;\n"),
    ("value/mod.rs", "\nfn f(_: super::Unit) {}\n"),
];

fn assert_one(found: &[String], expected: &str) {
    let [found] = found else {
        panic!("not one finding: {found:#?}");
    };
    assert!(found.contains(expected), "{found}");
}

#[test]
fn a_house_in_order_has_no_findings() {
    let library = "use std::time::Duration;\n#[cfg(test)]\nmod tests { use std::fs; }\n";
    let found = workspace("order", LISTED, &[("lib.rs", library)]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn an_arrow_that_is_not_listed_and_one_that_is_not_there_are_found() {
    let found = workspace("unlisted", "quantity:\nsignal:\n", &[("lib.rs", "")]);
    assert_one(
        &found,
        "crates/signal/Cargo.toml: `signal` stands on `quantity`",
    );
    let found = workspace(
        "listed",
        "quantity: signal\nsignal: quantity\n",
        &[("lib.rs", "")],
    );
    assert_one(&found, "lists `signal` for `quantity`");
}

#[test]
fn a_ring_of_modules_is_named_with_a_place_for_each_arrow() {
    let found = workspace("ring", LISTED, &RING);
    assert_one(&found, "`quantity` know each other in rings: unit value");
    assert_one(&found, "unit → value  crates/quantity/src/unit.rs:1");
    assert_one(&found, "value → unit  crates/quantity/src/value/mod.rs:2");
}

#[test]
fn macros_belong_to_their_module_and_variables_are_no_macros() {
    let ring = [
        ("lib.rs", "#[macro_use]\nmod unit;\nmod value;\n"),
        (
            "unit.rs",
            "macro_rules! one { () => { 1 } }\nuse crate::value::Value;\n",
        ),
        ("value.rs", "fn f() -> u8 { one!() }\n"),
    ];
    assert_one(
        &workspace("macro", LISTED, &ring),
        "value → unit  crates/quantity/src/value.rs:1",
    );
    // A variable of the name of a macro, a macro of the name of a function.
    let none = [
        (
            "lib.rs",
            "mod unit;\nmod value;\npub use unit::{Unit, write};\n",
        ),
        (
            "unit.rs",
            "macro_rules! one { () => { 1 } }\nuse crate::value::Value;\npub fn write() {}\n",
        ),
        (
            "value.rs",
            "fn f(one: u8, unit: u8) -> bool { write!(a, b); one != 1 && unit != 1 }\n",
        ),
    ];
    assert_eq!(workspace("no-macro", LISTED, &none), Vec::<String>::new());
}

#[test]
fn a_known_ring_passes_until_it_is_cut() {
    let document = format!("{LISTED}cycle quantity: unit value\n");
    assert_eq!(workspace("known", &document, &RING), Vec::<String>::new());
    let cut = [
        ("lib.rs", "mod unit;\nmod value;\n"),
        ("unit.rs", ""),
        ("value.rs", ""),
    ];
    assert_one(
        &workspace("cut", &document, &cut),
        "which is not (any more)",
    );
}

#[test]
fn a_pure_room_that_touches_the_world_is_found_and_may_be_excused_with_a_reason() {
    let library = [("lib.rs", "fn f() { std::thread::yield_now() }\n")];
    let found = workspace("impure", LISTED, &library);
    assert_one(
        &found,
        "crates/quantity/src/lib.rs:1: `quantity` is a pure room",
    );
    let excused = format!("{LISTED}impure quantity std::thread: until it is given workers\n");
    assert!(workspace("excused", &excused, &library).is_empty());
    assert_one(
        &workspace("pure", &excused, &[("lib.rs", "")]),
        "which it does not",
    );
}

#[test]
fn a_crate_that_is_too_large_is_found() {
    let large = "fn f() {}\n".repeat(15_501);
    assert_one(
        &workspace("large", LISTED, &[("lib.rs", &large)]),
        "has 15501 lines",
    );
    let excused = format!("{LISTED}large quantity: being split\n");
    assert!(workspace("excused-large", &excused, &[("lib.rs", &large)]).is_empty());
}

#[test]
fn the_drawing_has_every_crate_once_and_all_arrows_go_down() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let crates = tree::crates(here).unwrap();
    let drawing = super::drawing::draw(&crates);
    for one in crates.iter().filter(|one| one.folder.starts_with("crates")) {
        let name = format!(">{}</text>", one.name);
        assert_eq!(
            drawing.matches(&name).count(),
            usize::from(one.name != "test-support")
        );
    }
    let graph = super::rules::crate_graph(&crates);
    let layers = graph.layers();
    for (from, to) in graph.reduced() {
        assert!(layers[&from] > layers[&to], "{from} → {to}");
    }
}
