//! The page, embedded: the program needs no files beside it and no network.

/// Path, type and contents of every file that is served.
pub const FILES: &[(&str, &str, &str)] = &[
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("../web/index.html"),
    ),
    ("/style.css", CSS, include_str!("../web/style.css")),
    ("/main.js", JS, include_str!("../web/main.js")),
    ("/link.js", JS, include_str!("../web/link.js")),
    ("/sha256.js", JS, include_str!("../web/sha256.js")),
    ("/store.js", JS, include_str!("../web/store.js")),
    ("/units.js", JS, include_str!("../web/units.js")),
    ("/timeplot.js", JS, include_str!("../web/timeplot.js")),
    ("/xyplot.js", JS, include_str!("../web/xyplot.js")),
    ("/panels.js", JS, include_str!("../web/panels.js")),
    ("/side.js", JS, include_str!("../web/side.js")),
    ("/structure.js", JS, include_str!("../web/structure.js")),
    (
        "/uplot.js",
        JS,
        include_str!("../web/vendor/uplot/uPlot.iife.min.js"),
    ),
    (
        "/uplot.css",
        CSS,
        include_str!("../web/vendor/uplot/uPlot.min.css"),
    ),
    (
        "/licences.txt",
        "text/plain; charset=utf-8",
        include_str!("../web/vendor/uplot/LICENSE"),
    ),
];

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// Nothing from elsewhere, nobody frames us.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action \
    'none'";

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// The plotting library is the one that its authors published, byte for byte
    /// (`web/vendor/uplot/README.md`).
    #[test]
    fn the_vendored_library_is_unchanged() {
        let readme = include_str!("../web/vendor/uplot/README.md");
        for (path, file) in [
            ("/uplot.js", "uPlot.iife.min.js"),
            ("/uplot.css", "uPlot.min.css"),
            ("/licences.txt", "LICENSE"),
        ] {
            let text = FILES.iter().find(|(p, ..)| *p == path).map_or("", |f| f.2);
            let sum: String = Sha256::digest(text)
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            assert!(readme.contains(&format!("{sum}  {file}")), "{file}: {sum}");
        }
    }

    /// The page refers to nothing outside itself, every file that it names is there, and it names
    /// every file.
    #[test]
    fn the_page_is_whole() {
        let mut named = Vec::new();
        for (path, _, text) in FILES
            .iter()
            .filter(|(p, ..)| !p.contains("uplot") && !p.contains("licences"))
        {
            assert!(
                !text.contains("https://")
                    && !text.replace("http://www.w3.org/", "").contains("http://"),
                "{path}"
            );
            for quoted in text.split('"') {
                // A module names another with a dot before, the page names its files without.
                let name = quoted.strip_prefix('.').unwrap_or(quoted);
                if name.starts_with('/') && (name.ends_with(".js") || name.ends_with(".css")) {
                    assert!(
                        FILES.iter().any(|(p, ..)| *p == name),
                        "{path} names {quoted}"
                    );
                    named.push(name);
                }
            }
        }
        // Whatever is served is used by something.
        for (path, ..) in &FILES[1..] {
            assert!(*path == "/licences.txt" || named.contains(path), "{path}");
        }
    }
}
