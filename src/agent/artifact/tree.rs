//! The folder of a project and the files below it. No symbolic link is followed on the way to one.

use std::fs::{self, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// The largest file that is read, in bytes: far beyond a thousand entries.
const MOST_BYTES: u64 = 16 << 20;

/// The permissions that files and folders take over from the folder above. No file is a program.
const FILE_BITS: u32 = 0o666;
const FOLDER_BITS: u32 = 0o777;

/// The folder of a project.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'t> {
    root: &'t Path,
}

/// What a name in a folder stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) is_folder: bool,
    pub(super) is_file: bool,
}

impl<'t> Tree<'t> {
    /// The project in that folder.
    #[must_use]
    pub const fn at(root: &'t Path) -> Self {
        Self { root }
    }

    pub(super) fn path(self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Whether all folders on the way to a file are there. A link or a file among them is an error.
    fn has_way(self, relative: &str) -> Outcome<bool> {
        let mut path = self.root.to_path_buf();
        let parts: Vec<&str> = relative.split('/').collect();
        for part in &parts[..parts.len() - 1] {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) if metadata.is_symlink() => return Err(link(&path)),
                Ok(_) => return Err(Diagnostic::io("cannot open the folder", &path, &io::ErrorKind::NotADirectory.into())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(Diagnostic::io("cannot inspect the folder", &path, &error)),
            }
        }
        Ok(true)
    }

    /// Whether something has that name, whatever it is.
    pub(super) fn has(self, relative: &str) -> Outcome<bool> {
        if !self.has_way(relative)? {
            return Ok(false);
        }
        let path = self.path(relative);
        match fs::symlink_metadata(&path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Diagnostic::io("cannot inspect the file", &path, &error)),
        }
    }

    /// The bytes of a file; none of one that is not there.
    pub(super) fn read(self, relative: &str) -> Outcome<Option<Vec<u8>>> {
        if !self.has_way(relative)? {
            return Ok(None);
        }
        let path = self.path(relative);
        let failed = |error: &io::Error| Diagnostic::io("cannot read the file", &path, error);
        let file = match durable::open_regular(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) if path.is_symlink() => return Err(link(&path)),
            Err(error) => return Err(failed(&error)),
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Diagnostic::edit("the file is too large", format!("shorten it to {} MiB", MOST_BYTES >> 20)).at(&path));
        }
        Ok(Some(bytes))
    }

    /// The text of a file; none of one that is not there.
    pub fn read_text(self, relative: &str) -> Outcome<Option<String>> {
        let Some(bytes) = self.read(relative)? else { return Ok(None) };
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| Diagnostic::edit("the file is not UTF-8", "save it as UTF-8").at(&self.path(relative)).because(error))
    }

    /// Replaces a file's content in one step. Its permissions stay; one that was not there gets those of its folder.
    pub(super) fn write(self, relative: &str, content: &str) -> Outcome<()> {
        self.make_way(relative)?;
        let path = self.path(relative);
        let permissions = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => return Err(link(&path)),
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => permissions_below(&path, FILE_BITS),
        };
        durable::replace_as(&path, content.as_bytes(), permissions)
    }

    /// Writes a file that is not there yet. Says whether the name was free.
    pub(super) fn create(self, relative: &str, content: &str) -> Outcome<bool> {
        self.make_way(relative)?;
        let path = self.path(relative);
        durable::create_whole(&path, content.as_bytes(), permissions_below(&path, FILE_BITS))
    }

    /// Removes a file, and the folder that was made for it alone.
    pub(super) fn remove(self, relative: &str) -> Outcome<()> {
        if !self.has_way(relative)? {
            return Ok(());
        }
        let path = self.path(relative);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Diagnostic::io("cannot remove the file", &path, &error));
            }
            _ => {}
        }
        // One that holds anything else stays.
        let Some(folder) = path.parent() else { return Ok(()) };
        let _ = fs::remove_dir(folder);
        folder.parent().filter(|_| !folder.exists()).map_or_else(|| durable::sync_folder(folder), durable::sync_folder)
    }

    /// Makes the folders on the way to a file, each with the permissions of the one above: whoever may read the project may read
    /// what is written into it.
    fn make_way(self, relative: &str) -> Outcome<()> {
        if self.has_way(relative)? {
            return Ok(());
        }
        let mut path = self.root.to_path_buf();
        let parts: Vec<&str> = relative.split('/').collect();
        for part in &parts[..parts.len() - 1] {
            let above = path.clone();
            path.push(part);
            if !path.is_dir() {
                durable::create_folder(&path)?;
                if let Some(permissions) = permissions_below(&path, FOLDER_BITS) {
                    fs::set_permissions(&path, permissions)
                        .map_err(|error| Diagnostic::io("cannot set the folder's permissions", &path, &error))?;
                }
                durable::sync_folder(&above)?;
            }
        }
        Ok(())
    }

    /// What a folder holds, by name; nothing where there is none. Names that are no text are passed over.
    pub(super) fn list(self, relative: &str) -> Outcome<Vec<Listed>> {
        // The folder itself must be none of those that are not followed.
        if !self.has_way(&format!("{relative}/x"))? {
            return Ok(Vec::new());
        }
        let path = self.path(relative);
        let entries = fs::read_dir(&path).map_err(|error| Diagnostic::io("cannot list the folder", &path, &error))?;
        let mut listed: Vec<Listed> = entries
            .flatten()
            .filter_map(|entry| {
                let kind = entry.file_type().ok()?;
                Some(Listed { name: entry.file_name().into_string().ok()?, is_folder: kind.is_dir(), is_file: kind.is_file() })
            })
            .collect();
        listed.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(listed)
    }
}

/// What somebody may do to what stands in a folder: as much as to the folder itself.
fn permissions_below(path: &Path, bits: u32) -> Option<Permissions> {
    let mode = fs::metadata(path.parent()?).ok()?.permissions().mode();
    Some(Permissions::from_mode(mode & bits))
}

fn link(path: &Path) -> Diagnostic {
    Diagnostic::edit("a symbolic link is in the place of an artifact, and is not followed", "put a folder or a file in its place")
        .at(path)
}
