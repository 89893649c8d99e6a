//! A repository with its work tree: where it lies, what is checked out, and how it is called, by its folder or its origin.
//! On the way into an agent's turn there is no time to run another program: then its name is read from its files.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::iter::Peekable;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::str::Chars;

use super::{diff, git};
use learn::change::{Changes, Reach, Root};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// A repository with a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    top: PathBuf,
    folder: PathBuf,
    prefix: String,
}

impl Repository {
    /// The repository that a folder belongs to: its top, a folder inside, or a linked work tree. None if there is none.
    ///
    /// A repository without a work tree is refused, for no file of it could be looked at.
    pub fn find(folder: &Path) -> Outcome<Option<Self>> {
        const QUESTION: &[&str] = &["rev-parse", "--is-inside-work-tree", "--is-bare-repository"];
        if let Err(error) = fs::read_dir(folder) {
            return Err(Diagnostic::io("cannot look for a repository", folder, &error));
        }
        let finished = git::run(folder, QUESTION)?;
        if !finished.is_success() {
            // A link to a repository that is gone is reported in similar words, and is an error.
            let is_none = git::complaint(&finished).contains("not a git repository (or any");
            return if is_none { Ok(None) } else { Err(git::failed(folder, QUESTION, &finished)) };
        }
        match finished.stdout.as_slice() {
            b"true\nfalse\n" => {}
            [.., b't', b'r', b'u', b'e', b'\n'] => {
                return Err(Diagnostic::edit("the repository is bare: it has no work tree", "name a clone of it").at(folder));
            }
            _ => {
                let what = "the folder is inside a .git folder";
                return Err(Diagnostic::edit(what, "name the work tree, the folder that holds `.git`").at(folder));
            }
        }
        let top = PathBuf::from(line_of(folder, &["rev-parse", "--show-toplevel"])?);
        let prefix = line_of(folder, &["rev-parse", "--show-prefix"])?.to_string_lossy().into_owned();
        let folder = std::path::absolute(folder).map_err(|error| Diagnostic::io("cannot find the folder", folder, &error))?;
        Ok(Some(Self { top, folder, prefix }))
    }

    /// The top of its work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where in the repository the folder lies by which it was found: empty for the top, else a path that ends with `/`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// How it is called: as the address of `origin` ends, else as the folder that holds what all its work trees share.
    pub fn name(&self) -> Outcome<String> {
        let origin = git::run(&self.top, &["config", "--get", "remote.origin.url"])?;
        let url = String::from_utf8_lossy(&origin.stdout);
        if let Some(name) = name_in_url(url.trim()).filter(|_| origin.is_success()) {
            return Ok(name.to_owned());
        }
        let shared = self.top.join(line_of(&self.top, &["rev-parse", "--git-common-dir"])?);
        let shared = shared.canonicalize().unwrap_or(shared);
        let named = shared.parent().and_then(Path::file_name).or_else(|| self.top.file_name());
        Ok(named.map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned()))
    }

    /// The commit that is checked out, in full. None in a branch without commits.
    pub fn head(&self) -> Outcome<Option<String>> {
        self.commit("HEAD")
    }

    /// What changed since a commit. The commit may be named in every way that `git` knows, but not by an option.
    pub fn changes_since(&self, base: &str, reach: Reach) -> Outcome<Changes> {
        diff::changes_since(self, base, reach)
    }

    /// The path of a file below the top, with all links on the way followed. None if nothing is there, or if the path itself
    /// leads out of the work tree.
    ///
    /// A link that leads out of the work tree is named by its own path.
    pub fn locate(&self, path: &str) -> Option<String> {
        if path.starts_with('/') || path.split('/').any(|part| part == "..") {
            return None;
        }
        let full = self.top.join(path);
        fs::symlink_metadata(&full).ok()?;
        let top = self.top.canonicalize().ok()?;
        let real = full.canonicalize().ok();
        let inside = real.as_deref().and_then(|real| real.strip_prefix(&top).ok());
        Some(inside.map_or_else(|| path.to_owned(), |inside| inside.to_string_lossy().into_owned()))
    }

    /// The names under which absolute paths may reach its files: as `git` knows its top, and as the caller spelled it.
    pub fn roots(&self) -> Vec<Root> {
        let root = |folder: &Path, prefix: &str| Root { folder: folder.to_string_lossy().into_owned(), prefix: prefix.to_owned() };
        let mut roots = vec![root(&self.top, ""), root(&self.folder, &self.prefix)];
        let above = self.folder.ancestors().nth(Path::new(&self.prefix).components().count());
        if let Some(above) =
            above.filter(|above| self.folder.strip_prefix(above).is_ok_and(|inner| inner == Path::new(&self.prefix)))
        {
            roots.push(root(above, ""));
        }
        roots.dedup();
        roots
    }

    /// The commit of that name, in full. None if there is none.
    pub(super) fn commit(&self, name: &str) -> Outcome<Option<String>> {
        let named = format!("{name}^{{commit}}");
        let finished = git::run(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &named])?;
        let hash = String::from_utf8_lossy(&finished.stdout).trim().to_owned();
        let is_hash = hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(Some(hash).filter(|_| finished.is_success() && is_hash))
    }
}

pub(super) fn line_of(folder: &Path, arguments: &[&str]) -> Outcome<OsString> {
    Ok(OsString::from_vec(git::one_line(git::answer(folder, arguments)?)))
}

/// No configuration of a repository is longer.
const MOST_BYTES: u64 = 1 << 20;

/// How the repository around a folder is called: as the address of `origin` ends, else as the folder that holds what all its work
/// trees share, else as the folder itself.
pub fn name_around(folder: &Path) -> Option<String> {
    let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(shared) = find_shared(folder) else { return own() };
    let origin = read(&shared.join("config")).and_then(|text| name_in_url(&origin_in(&text)?).map(str::to_owned));
    let holder = || shared.canonicalize().ok()?.parent()?.file_name().map(|name| name.to_string_lossy().into_owned());
    origin.or_else(holder).or_else(own)
}

/// The top of the work tree around a folder.
pub fn top_around(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| fs::symlink_metadata(ancestor.join(".git")).is_ok())
}

/// The folder that all work trees of a repository share.
pub(super) fn find_shared(folder: &Path) -> Option<PathBuf> {
    let top = top_around(folder)?;
    let place = top.join(".git");
    if place.is_dir() {
        return Some(place);
    }
    // A linked work tree or a submodule says where its repository lies.
    let own = top.join(read(&place)?.lines().next()?.strip_prefix("gitdir:")?.trim());
    let shared = read(&own.join("commondir")).map(|text| own.join(text.trim()));
    Some(shared.unwrap_or(own))
}

pub(super) fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    durable::open_regular(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The last part of an address without `.git`: of a URL, of `user@host:path`, or of a local path. None if nothing is left.
pub fn name_in_url(url: &str) -> Option<&str> {
    let path = match url.split_once("://") {
        // Behind the host there must be a path.
        Some((_, rest)) => rest.split_once('/')?.1,
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => url,
        },
    };
    // A local path may name the inner folder of a work tree, which says nothing.
    path.rsplit('/').map(|part| part.trim().trim_end_matches(".git")).find(|part| !matches!(*part, "" | "." | ".."))
}

type Letters<'a> = Peekable<Chars<'a>>;

/// The address of `origin`. The last one counts, as for `git`.
pub(super) fn origin_in(config: &str) -> Option<String> {
    let config = config.strip_prefix('\u{feff}').unwrap_or(config).replace("\r\n", "\n");
    let mut letters = config.chars().peekable();
    let mut is_origin = false;
    let mut found = None;
    while let Some(letter) = letters.next() {
        match letter {
            '[' => is_origin = read_section(&mut letters).is_some_and(|(name, part)| name == "remote" && part == "origin"),
            first if first.is_ascii_alphabetic() => {
                let setting = read_setting(first, &mut letters);
                if let Some((_, value)) = setting.filter(|(key, _)| is_origin && key == "url") {
                    found = Some(value);
                }
            }
            blank if blank.is_whitespace() => {}
            _ => skip_line(&mut letters),
        }
    }
    found
}

/// The name of a section and of its part. What follows the bracket may stand on the same line.
fn read_section(letters: &mut Letters<'_>) -> Option<(String, String)> {
    let name = take(letters, |letter| !matches!(letter, ' ' | '\t' | '"' | ']' | '\n')).to_ascii_lowercase();
    skip_blanks(letters);
    let mut part = String::new();
    match letters.next()? {
        // An old spelling, whose case makes no difference.
        ']' => return Some(name.split_once('.').map_or((name.clone(), part), |(name, part)| (name.to_owned(), part.to_owned()))),
        '"' => {}
        _ => return None,
    }
    loop {
        match letters.next()? {
            '"' => break,
            '\n' => return None,
            '\\' => part.push(letters.next()?),
            plain => part.push(plain),
        }
    }
    (letters.next()? == ']').then_some((name, part))
}

/// A key and its value, which is empty if none is set.
fn read_setting(first: char, letters: &mut Letters<'_>) -> Option<(String, String)> {
    let rest = take(letters, |letter| letter.is_ascii_alphanumeric() || *letter == '-');
    let key = format!("{first}{rest}").to_ascii_lowercase();
    skip_blanks(letters);
    if letters.next_if_eq(&'=').is_none() {
        skip_line(letters);
        return Some((key, String::new()));
    }
    skip_blanks(letters);
    Some((key, read_value(letters)?))
}

/// A value up to the end of its line or a comment. Blanks at its end belong to it only in quotes. None if a quotation has no end.
fn read_value(letters: &mut Letters<'_>) -> Option<String> {
    let mut value = String::new();
    let mut solid = 0;
    let mut is_quoted = false;
    while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
        match letter {
            '"' => is_quoted = !is_quoted,
            ';' | '#' if !is_quoted => {
                skip_line(letters);
                break;
            }
            '\\' => match letters.next()? {
                '\n' => continue,
                'n' => value.push('\n'),
                't' => value.push('\t'),
                plain => value.push(plain),
            },
            plain => value.push(plain),
        }
        if is_quoted || !letter.is_whitespace() {
            solid = value.len();
        }
    }
    value.truncate(solid);
    (!is_quoted).then_some(value)
}

fn take(letters: &mut Letters<'_>, is_part: impl Fn(&char) -> bool) -> String {
    std::iter::from_fn(|| letters.next_if(&is_part)).collect()
}

fn skip_blanks(letters: &mut Letters<'_>) {
    while letters.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
}

fn skip_line(letters: &mut Letters<'_>) {
    while letters.next_if(|letter| *letter != '\n').is_some() {}
}
