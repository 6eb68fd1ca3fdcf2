//! Skips that nobody overlooks.

use std::io::Write;

/// Says that this test is skipped: what is missing, and what would run it. The test returns after
/// it.
///
/// The line goes past the harness's capture to standard error and, where `TANDEM_SKIPPED` names a
/// file, to its end.
///
/// # Panics
/// With `TANDEM_REQUIRE_ALL`: nothing may be skipped then.
pub fn skip(missing: &str) {
    say("skipped", missing);
}

/// As [`skip`], for a part of a test whose rest has run.
///
/// # Panics
/// With `TANDEM_REQUIRE_ALL`.
pub fn skip_part(part: &str, missing: &str) {
    say("skipped in part", &format!("{part}: {missing}"));
}

fn say(how: &str, what: &str) {
    let test = test_name();
    let line = format!("{how}: {test}: {what}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("TANDEM_SKIPPED") {
        let file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path);
        // One write of one line: tests run beside each other.
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    // Written first: who runs what was skipped finds it again.
    assert!(
        std::env::var_os("TANDEM_REQUIRE_ALL").is_none(),
        "{how}, though all is required: {what}"
    );
}

/// Package and path of the test that runs in this thread; the harness names the thread after it,
/// but where it runs one test at a time.
fn test_name() -> String {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "?".into());
    let thread = std::thread::current();
    let name = match thread.name() {
        None | Some("main") => std::env::args().skip(1).find(|word| !word.starts_with('-')),
        Some(name) => Some(name.to_owned()),
    };
    format!("{package} {}", name.as_deref().unwrap_or("a test"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_test_knows_its_name() {
        let one_at_a_time = std::thread::current().name() == Some("main");
        let name = super::test_name();
        assert!(one_at_a_time || name == "tandem-test-support skip::tests::a_test_knows_its_name");
    }
}
