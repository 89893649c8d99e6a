//! Paths that were written down from the root of a machine, as paths inside of the project.

/// Where the other system renders to, inside of a project.
const PLACES: [&str; 3] = [".claude/commands/", ".claude/skills/", ".memory/knowledge/"];

/// A place inside of a project, and the entry that is meant there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) anchor: Option<String>,
}

/// Finds the place that a path means. A project may have been moved since: then the folders tell that the other system writes to.
pub(super) fn parse_place(text: &str, roots: &[&str]) -> Option<Place> {
    let (path, anchor) = match text.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.trim().to_owned()).filter(|anchor| !anchor.is_empty())),
        None => (text, None),
    };
    let path = path.replace('\\', "/");
    let below = |root: &&str| path.strip_prefix(*root)?.strip_prefix('/');
    let known = || PLACES.iter().filter_map(|place| path.rfind(place).map(|at| &path[at..])).max_by_key(|path| path.len());
    let is_relative = !path.starts_with('/') && path.get(1..2) != Some(":");
    let inside = roots.iter().find_map(below).or_else(|| is_relative.then_some(&*path)).or_else(known)?;
    let is_inside = !inside.is_empty() && inside.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_inside.then(|| Place { path: inside.to_owned(), anchor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Option<(String, Option<String>)> {
        parse_place(text, &["/home/ann/shop"]).map(|place| (place.path, place.anchor))
    }

    #[test]
    fn a_path_is_taken_from_the_project_on() {
        let command = Some((".claude/commands/self-learning/x.md".to_owned(), None));
        assert_eq!(place("/home/ann/shop/.claude/commands/self-learning/x.md"), command);
        assert_eq!(place("/old/place/shop/.claude/commands/self-learning/x.md"), command);
        assert_eq!(place(".claude/commands/self-learning/x.md"), command);
        let entry = Some((".memory/knowledge/decisions.md".to_owned(), Some("ADR-001".to_owned())));
        assert_eq!(place("/home/ann/shop/.memory/knowledge/decisions.md#ADR-001"), entry);
        for path in ["/etc/passwd", "../x", "/home/ann/shop/../x", "", "/home/ann/shopping/x", "C:/x/y"] {
            assert_eq!(place(path), None, "{path}");
        }
    }
}
