//! Writing an FMU: a description, the content and the binary in one archive.

use std::path::Path;

use tandem_coordinator::recorder::whole_file;
use tandem_fmi::zip::Writer;
use tandem_fmi::{FmuError, Version};

use super::content::Content;
use super::describe::{IDENTIFIER, describe};
use tandem_fmi::models::{Phase, Refused, Unit};

/// Which interfaces an FMU is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Co-Simulation.
    pub co_simulation: bool,
    /// Model Exchange.
    pub model_exchange: bool,
}

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What the FMU is.
    pub content: &'a Content,
    /// Version of the standard.
    pub version: Version,
    /// Interfaces.
    pub kinds: Kinds,
    /// This library.
    pub binary: &'a [u8],
}

/// Where binaries of this machine stand in an archive.
fn folder(version: Version) -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    match (version, os, arch) {
        (Version::Two, "linux", "x86_64") => "linux64".into(),
        (Version::Two, "macos", "x86_64") => "darwin64".into(),
        (Version::Two, "windows", "x86_64") => "win64".into(),
        (_, "macos", arch) => format!("{arch}-darwin"),
        (_, os, arch) => format!("{arch}-{os}"),
    }
}

/// Makes the first derivatives of a Model Exchange, or says why there are none.
fn derives(content: &Content) -> Result<(), Refused> {
    let mut unit = Unit::new(content.build()?, true);
    unit.refresh()?;
    unit.phase = Phase::Running;
    unit.stale = true;
    unit.refresh()
}

/// Writes an FMU.
pub fn export(request: Request<'_>, path: &Path) -> Result<(), FmuError> {
    let Request {
        content,
        version,
        kinds,
        binary,
    } = request;
    let block = content
        .build()
        .map_err(|error| FmuError::Usage(error.to_string()))?;
    if kinds.model_exchange && block.states() == 0 {
        return Err(FmuError::Usage(
            "this part has no continuous states: it can be exported with --kind cs only".into(),
        ));
    }
    let xml = describe(content, block.as_ref(), version, kinds);
    // What cannot start is not written: nobody could use it.
    Unit::new(block, false).refresh().map_err(|refused| {
        let Refused(text) = refused;
        FmuError::Usage(format!(
            "this part could not start: {text}. A part without mass needs beta above 0 (--beta, or \
            the key `beta` of a co-simulation)"
        ))
    })?;
    // Nor an interface that nobody could use.
    if kinds.model_exchange {
        derives(content).map_err(|Refused(text)| {
            FmuError::Usage(format!(
                "{text}. It can be exported with --kind cs only, whose time steps do without"
            ))
        })?;
    }
    // What is written must be what is read.
    tandem_fmi::Description::parse(&xml)?;
    let json = serde_json::to_string_pretty(content)
        .map_err(|error| FmuError::Usage(format!("the content cannot be written: {error}")))?;
    let library = format!(
        "binaries/{}/{IDENTIFIER}{}",
        folder(version),
        std::env::consts::DLL_SUFFIX
    );
    let failed = |source| FmuError::File {
        what: "write",
        path: path.into(),
        source,
    };
    let write = |part: &Path| -> std::io::Result<()> {
        let file = std::io::BufWriter::new(std::fs::File::create(part)?);
        let mut archive = Writer::new(file);
        archive.add("modelDescription.xml", xml.as_bytes())?;
        archive.add("resources/tandem.json", json.as_bytes())?;
        archive.add(&library, binary)?;
        archive.finish()?;
        Ok(())
    };
    whole_file(path, write, |error| error).map_err(failed)
}
