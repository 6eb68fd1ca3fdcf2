//! `$TANDEM_DATA`, which may stand in front of a file in a plan.

use std::path::Path;

/// The variable that names the folder.
pub const VARIABLE: &str = "TANDEM_DATA";

/// A file of the data folder.
pub struct InDataFolder {
    /// Its path in the folder.
    pub rest: String,
    /// Its whole path; none where the variable is not set.
    pub path: Option<String>,
}

/// What a path with `$TANDEM_DATA` in it means; none where it has none.
#[must_use]
pub fn in_data_folder(written: &str) -> Option<InDataFolder> {
    let (_, rest) = written.split_once("$TANDEM_DATA")?;
    let rest = rest.trim_start_matches(['/', '\\']).to_owned();
    let folder = std::env::var(VARIABLE).ok();
    let path = folder.map(|folder| {
        Path::new(&folder)
            .join(&rest)
            .to_string_lossy()
            .into_owned()
    });
    Some(InDataFolder { rest, path })
}
