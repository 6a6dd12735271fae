//! The lockfile on disk: read whole, replaced whole, by one process at a time
//! (`docs/lockfile.md`, section 9).
//!
//! The only part of this stage that opens files.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

use super::decode::MAX_BYTES;
use super::render::render;
use super::{Lockfile, Source, decode};

/// What [`update`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing differed, and the file was not touched.
    Unchanged,
    /// The file was replaced or made.
    Written,
}

/// Reads the lockfile at `path`.
///
/// # Errors
///
/// A missing file is one; [`crate::error::ErrorKind::Lockfile`] with the place for anything that
/// [`decode`] refuses.
pub fn load(path: &Path) -> Result<Lockfile> {
    match read(path)? {
        Some(source) => Ok(source.into_lockfile()),
        None => Err(Error::lockfile("there is no lockfile")
            .in_file(path)
            .help("run `mcplock pin` to make it")),
    }
}

/// Reads the lockfile at `path`, lets `change` change what it says, and replaces the file when
/// that differs. `change` gets an empty lockfile when there is no file yet.
///
/// All this happens under an exclusive lock on the folder, so `change` sees what other runs have
/// written and must be quick: put the entries that were asked for into the lockfile and return.
/// What it leaves alone keeps its bytes.
///
/// # Errors
///
/// As [`load`] has them for a file that is there, whatever `change` returns, and
/// [`crate::error::ErrorKind::File`] when the folder or file can't be written. The file is then as
/// it was.
pub fn update(path: &Path, change: impl FnOnce(&mut Lockfile) -> Result<()>) -> Result<Outcome> {
    let target = follow(path).map_err(|error| Error::io(path, "read the lockfile", &error))?;
    let folder = folder_of(&target);
    let guard = Guard::acquire(&folder)
        .map_err(|error| Error::io(&folder, "lock the folder of the lockfile", &error))?;
    let source = read(&target)?;
    let exists = source.is_some();
    let source = source.unwrap_or_default();
    let mut lockfile = source.lockfile().clone();
    change(&mut lockfile)?;
    if exists && lockfile == *source.lockfile() {
        return Ok(Outcome::Unchanged);
    }
    let text = render(&source, &lockfile);
    read_back(&text, &lockfile).map_err(|error| error.in_file(path))?;
    replace(&target, &folder, &text, &guard).map_err(|error| {
        let error_at = Error::io(path, "write the lockfile", &error);
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                error_at.help("the folder of the lockfile must be writable: the file is replaced, not changed in place")
            }
            _ => error_at,
        }
    })?;
    Ok(Outcome::Written)
}

/// Refuses text that would not be read as `lockfile`: whatever is wrong, the file stays whole.
fn read_back(text: &str, lockfile: &Lockfile) -> Result<()> {
    let read = decode(text.as_bytes())
        .map_err(|error| error.help("this is a fault of mcplock; the file was not changed"))?;
    let mut meant = lockfile.clone();
    meant
        .entries
        .sort_by(|a, b| a.identity().cmp(&b.identity()));
    for entry in &mut meant.entries {
        entry.items.sort_by(|a, b| a.identity().cmp(&b.identity()));
    }
    if *read.lockfile() == meant {
        Ok(())
    } else {
        Err(
            Error::lockfile("the lockfile would not say what it is meant to")
                .help("this is a fault of mcplock; the file was not changed"),
        )
    }
}

/// Reads and decodes; none when there is no file.
fn read(path: &Path) -> Result<Option<Source>> {
    let failed = |error: &io::Error| Error::io(path, "read the lockfile", error);
    let target = follow(path).map_err(|error| failed(&error))?;
    // Asked for first, since opening a pipe would wait for its other end.
    match fs::metadata(&target) {
        Ok(found) if !found.is_file() => {
            return Err(Error::lockfile("the lockfile is not a regular file").in_file(path));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let read = File::open(&target).and_then(|file| {
        let limit = u64::try_from(MAX_BYTES)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        file.take(limit).read_to_end(&mut bytes)
    });
    match read {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    }
    decode(&bytes)
        .map(Some)
        .map_err(|error| error.in_file(path))
}

/// The file that `path` stands for once symbolic links are followed; it need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    // As many as Linux follows.
    for _ in 0..40 {
        match at.symlink_metadata() {
            Ok(found) if found.is_symlink() => at = folder_of(&at).join(fs::read_link(&at)?),
            _ => return Ok(at),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Puts `text` in the place of `target`: at every moment a reader finds the old file or the new one.
fn replace(target: &Path, folder: &Path, text: &str, guard: &Guard) -> io::Result<()> {
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "the path names no file",
        ));
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    if guard.is_exclusive() {
        remove_left_over(folder, &prefix);
    }
    let old = fs::metadata(target).ok();
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        // As for any new file, the user's mask decides; temporary files are private else.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(mode) = old.as_ref().map(Metadata::permissions) {
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    sync_folder(folder)
}

const SUFFIX: &str = ".tmp";
const RANDOM: usize = 6;

/// Removes temporary files of runs that were killed. Only called under the lock, when no run that
/// lives can have one. What can't be removed is harmless.
fn remove_left_over(folder: &Path, prefix: &std::ffi::OsStr) {
    let Ok(found) = fs::read_dir(folder) else {
        return;
    };
    for entry in found.flatten() {
        let name = entry.file_name();
        let random = name
            .as_encoded_bytes()
            .strip_prefix(prefix.as_encoded_bytes())
            .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        let ours = random.is_some_and(|random| {
            random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric)
        });
        if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the rename itself last. Some file systems can't sync a folder; the new file is whole all
/// the same.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Holds the lock until it is dropped.
struct Guard {
    file: File,
    exclusive: bool,
}

impl Guard {
    /// Waits for the lock of `folder`. A file system without locks is used without: two runs at
    /// one moment may then lose an entry, but never break the file.
    fn acquire(folder: &Path) -> io::Result<Self> {
        let file = lock_file(folder)?;
        let exclusive = match file.lock() {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::Unsupported => false,
            Err(error) => return Err(error),
        };
        Ok(Guard { file, exclusive })
    }

    fn is_exclusive(&self) -> bool {
        self.exclusive
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Closing would do it too, once every copy of the handle is closed.
        let _ = self.file.unlock();
    }
}

/// The folder itself: the lockfile is replaced by every write, so a lock on it would be a lock on
/// what is gone, and a lock file beside it would be left in the repository.
#[cfg(unix)]
fn lock_file(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// A file in the user's temporary folder that stands for `folder`, which can't be locked itself.
#[cfg(not(unix))]
fn lock_file(folder: &Path) -> io::Result<File> {
    let folder = fs::canonicalize(folder)?;
    let digest = crate::canonical::Digest::of(folder.as_os_str().as_encoded_bytes()).to_string();
    let name = format!("mcplock-{}.lock", digest.trim_start_matches("sha256:"));
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(std::env::temp_dir().join(name))
}
