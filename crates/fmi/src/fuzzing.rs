//! What the fuzz targets of files call: one function a kind of file, from bytes to nothing.

use crate::ssp::System;
use crate::{Description, FmuError, zip};

/// What a fuzz target is: its name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets of this crate.
pub const TARGETS: &[Target] = &[("fmi", description), ("ssp", system), ("archive", archive)];

/// Any text is read or refused as a model description; nothing panics, hangs or eats the memory.
pub fn description(bytes: &[u8]) {
    if let Ok(description) = Description::parse(&String::from_utf8_lossy(bytes)) {
        let _ = description.state_count();
        for variable in &description.variables {
            let _ = description.size(variable);
            let _ = description.element_name(variable, 0);
        }
    }
}

/// A system structure; behind a NUL stands the parameter set of every file that it names.
pub fn system(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (xml, file) = text.split_once('\0').unwrap_or((&text, ""));
    let read = System::parse(xml, &mut |name| match name {
        "nowhere" => Err(FmuError::description("no such file".to_owned())),
        _ => Ok(file.to_owned()),
    });
    if let Ok(system) = read {
        let known = |i: usize| i < system.components.len();
        assert!(!system.components.is_empty());
        assert!(
            system
                .connections
                .iter()
                .all(|(a, b)| known(a.0) && known(b.0))
        );
    }
}

/// Any bytes are read or refused as an archive.
pub fn archive(bytes: &[u8]) {
    let mut file = std::io::Cursor::new(bytes);
    for entry in zip::directory(&mut file, 1000).unwrap_or_default() {
        let _ = zip::unpack(&mut file, &entry, 1 << 20, &mut std::io::sink());
    }
}
