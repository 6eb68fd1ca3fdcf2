//! Files that appear under their name only when they are whole.

use std::io;
use std::path::Path;

/// Has a file written under another name in the same folder, and gives it its own when it is whole.
/// Where that fails, nothing is left of it, and a file that was there before stays as it was.
///
/// # Errors
/// What `write` says, or what `cannot` makes of a name that the file could not be given.
pub fn whole_file<T, E>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
    cannot: impl FnOnce(io::Error) -> E,
) -> Result<T, E> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = Path::new(&part);
    let written = write(part).and_then(|made| match std::fs::rename(part, path) {
        Ok(()) => Ok(made),
        Err(error) => Err(cannot(error)),
    });
    if written.is_err() {
        // It is of no use to anyone; that it could not be removed either is not worth telling.
        let _ = std::fs::remove_file(part);
    }
    written
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_replaced_by_a_whole_one_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let write = |text: &'static str| move |part: &Path| fs::write(part, text);
        whole_file(&path, write("old"), |error| error).unwrap();
        let failed = whole_file(
            &path,
            |part| {
                fs::write(part, "ne")?;
                assert_eq!(fs::read(&path)?, b"old");
                Err::<(), _>(io::Error::other("the disk is full"))
            },
            |error| error,
        );
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        assert_eq!((names(), fs::read(&path).unwrap()), (1, b"old".to_vec()));
        whole_file(&path, write("new"), |error| error).unwrap();
        assert_eq!((names(), fs::read(&path).unwrap()), (1, b"new".to_vec()));
        // A name that cannot be given: a folder has it.
        let taken = folder.path().join("b");
        fs::create_dir_all(taken.join("c")).unwrap();
        assert!(whole_file(&taken, write("x"), |error| error).is_err());
        assert_eq!(names(), 2);
    }
}
