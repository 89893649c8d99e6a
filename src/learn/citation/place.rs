//! Places in files, as they are cited in texts: `src/main.rs:10`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The longest path of a citation, in bytes, and the most places of one text: an agent may write anything.
const PATH_BYTES: usize = 1024;
const MOST_PLACES: usize = 1000;

/// An address of the web; a name in quotes with its line inside or behind them; a plain name with its line. A column, or the
/// end of a range, may follow the line.
const FORMS: &str = r#"(?x)
      [A-Za-z][A-Za-z0-9+.\-]*://[^\s<>"'`)\]]*
    | ["'`“‘](?P<inside>[^\s"'`“”‘’]+?):(?P<inside_line>[0-9]+)(?:[:\-][0-9]+)*["'`”’]
    | ["'`“‘](?P<before>[^\s"'`“”‘’]+)["'`”’]:(?P<before_line>[0-9]+)(?:[:\-][0-9]+)*
    | (?P<plain>[\p{L}\p{M}\p{N}_/.@+\-]+):(?P<plain_line>[0-9]+)(?::[0-9]+)*
"#;

/// A line of a file, as somebody cited it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The path as it was written. Data only: it may name anything.
    pub path: String,
    /// The line. Numbers that no file reaches stand as the highest one.
    pub line: u32,
}

impl Place {
    /// Whether the path is a single word without an extension, such as `Makefile` or `localhost`. Such a word is a citation
    /// only if there is a file of that name.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        let extension = self.path.rsplit_once('.').map_or("", |(_, extension)| extension);
        !self.path.contains('/') && !extension.chars().any(char::is_alphabetic)
    }
}

/// The places that a text cites, in its order.
///
/// A place is a path and a line: letters, digits and `_ / . - @ +`, a colon, digits. In quotes or backticks a path may hold
/// everything but white space and quotes. Of `file.rs:10:5` and `file.rs:10-20` the line is 10. Addresses such as
/// `http://localhost:8080` are passed over, and so is what has no letter: times and proportions. A single word such as
/// `Makefile:3` is given too; whoever knows the files must ask [`Place::is_bare`]. At most 1000 places are given.
#[must_use]
pub fn parse_citations(text: &str) -> Vec<Place> {
    find_places(text).into_iter().map(|(_, place)| place).collect()
}

/// The places of a text and where they stand in it.
pub(super) fn find_places(text: &str) -> Vec<(Range<usize>, Place)> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(FORMS).ok());
    let found = FORM.iter().flat_map(|form| form.captures_iter(text));
    found.filter_map(|captures| Some((captures.get(0)?.range(), read_place(&captures)?))).take(MOST_PLACES).collect()
}

fn read_place(captures: &Captures) -> Option<Place> {
    let named = [("inside", "inside_line"), ("before", "before_line"), ("plain", "plain_line")];
    let (path, line) = named.into_iter().find_map(|(path, line)| captures.name(path).zip(captures.name(line)))?;
    let path = path.as_str();
    let is_path = path.len() <= PATH_BYTES && !path.contains("://") && path.chars().any(char::is_alphabetic);
    is_path.then(|| Place { path: path.to_owned(), line: line.as_str().parse().unwrap_or(u32::MAX) })
}
