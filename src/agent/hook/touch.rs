//! What an agent was seen to touch: files that it changed or read, commands that it ran.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use learn::citation::{Judgement, Place};

/// The beginning of a command says what it is about; what follows is often a whole script.
const MOST_SUBJECT_CHARACTERS: usize = 200;
/// The most line ranges of one file that are told.
const MOST_RANGES: usize = 100;

/// A change of a file: the first line and the number of lines that went, and of those that came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hunk {
    pub(super) old: [u32; 2],
    pub(super) new: [u32; 2],
}

/// One use of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touch {
    pub(super) tool: String,
    /// The instant.
    #[serde(default)]
    pub(super) at: Timestamp,
    /// The file, from the top of its repository where it lies inside of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// Whether the file was read and nothing else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) is_read: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) hunks: Vec<Hunk>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) failed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output_hash: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Touch {
    /// Whether something was done, and not only looked at. A command was run even if it failed; a file that could not be changed was
    /// not.
    fn is_act(&self) -> bool {
        self.command.is_some() || (self.path.is_some() && !self.is_read && !self.failed)
    }
}

/// A file that was touched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TouchedFile {
    /// The tool that last touched it.
    pub(super) tool: String,
    pub(super) is_changed: bool,
    /// The lines that changed, as they are numbered after the last change.
    pub(super) ranges: Vec<[u32; 2]>,
}

/// All that an agent was seen to touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Touched<'t> {
    pub(super) files: BTreeMap<&'t str, TouchedFile>,
    pub(super) commands: Vec<&'t Touch>,
    is_observed: bool,
    has_acted: bool,
}

impl<'t> Touched<'t> {
    /// Adds up the uses of tools, in their order.
    pub(super) fn of(touches: &'t [Touch]) -> Self {
        let mut sum = Self { is_observed: !touches.is_empty(), ..Self::default() };
        for touch in touches {
            sum.has_acted |= touch.is_act();
            if touch.command.is_some() {
                sum.commands.push(touch);
            } else if let Some(path) = touch.path.as_deref().filter(|_| !touch.failed) {
                let file = sum.files.entry(path).or_default();
                file.tool.clone_from(&touch.tool);
                file.is_changed |= !touch.is_read;
                file.change(&touch.hunks);
            }
        }
        sum
    }

    /// Whether the agent changed a file or ran a command.
    pub(super) const fn has_acted(&self) -> bool {
        self.has_acted
    }

    /// What a pattern may be relevant to: the changed files, and the beginnings of the commands.
    pub(super) fn subjects(&self) -> Vec<String> {
        let files = self.files.iter().filter(|(_, file)| file.is_changed).map(|(path, _)| (*path).to_owned());
        let commands = self.commands.iter().filter_map(|touch| touch.command.as_deref());
        files.chain(commands.map(|command| command.chars().take(MOST_SUBJECT_CHARACTERS).collect())).collect()
    }

    /// Whether a file was changed.
    pub(super) fn has_changed(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.is_changed)
    }

    /// Judges a place that the agent gives for its use of a pattern. None where nothing that was seen speaks for or against it: no
    /// tool was seen, the lines are not known, the agent read the file, or a command names it and may have done anything to it.
    pub(super) fn judge(&self, place: &Place, tolerance: u32) -> Option<Judgement> {
        if !self.is_observed {
            return None;
        }
        let verdict = |verified: bool, reason: String| Some(Judgement { verified, reason });
        let name = Path::new(&place.path).file_name()?.to_str()?;
        let is_named = self.commands.iter().filter_map(|touch| touch.command.as_deref()).any(|command| command.contains(name));
        let files = self.files.iter().filter(|(path, _)| is_same(path, &place.path)).map(|(_, file)| file);
        let files: Vec<&TouchedFile> = files.collect();
        if let Some(nearest) = files.iter().filter(|file| file.is_changed).map(|file| file.distance(place.line)).min() {
            return match nearest {
                None => None,
                Some(distance) if distance <= tolerance => {
                    verdict(true, format!("the agent was seen to change line {}", place.line))
                }
                Some(_) if is_named => None,
                Some(distance) => verdict(
                    false,
                    format!(
                        "line {} is {distance} lines from what the agent was seen to change; {tolerance} are allowed",
                        place.line
                    ),
                ),
            };
        }
        if is_named || !files.is_empty() || place.is_bare() {
            return None;
        }
        verdict(false, "the agent was not seen to touch the file".to_owned())
    }
}

impl TouchedFile {
    /// Takes in one edit: lines below a change move with it.
    fn change(&mut self, hunks: &[Hunk]) {
        for range in &mut self.ranges {
            let moved = |line: u32| {
                let above = hunks.iter().filter(|hunk| hunk.old[0].saturating_add(hunk.old[1]) <= line);
                above.fold(line, |line, hunk| line.saturating_add(hunk.new[1]).saturating_sub(hunk.old[1]))
            };
            *range = [moved(range[0]), moved(range[1])];
        }
        // Where lines were only removed, those on both sides of the gap count as changed.
        let ranges = hunks.iter().map(|hunk| match hunk.new {
            [first, 0] => [first.saturating_sub(1), first],
            [first, count] => [first, first.saturating_add(count - 1)],
        });
        self.ranges.extend(ranges);
        let surplus = self.ranges.len().saturating_sub(MOST_RANGES);
        self.ranges.drain(..surplus);
    }

    /// How many lines lie between a line and the nearest one that changed; none if the lines are not known.
    fn distance(&self, line: u32) -> Option<u32> {
        self.ranges.iter().map(|[first, last]| first.saturating_sub(line).max(line.saturating_sub(*last))).min()
    }

    /// The lines as they are told.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut ranges = self.ranges.clone();
        ranges.sort_unstable();
        ranges.dedup();
        ranges.iter().map(|[first, last]| if first == last { first.to_string() } else { format!("{first}-{last}") }).collect()
    }
}

/// Whether two paths name one file: agents write them from the top, from their folder, and in full.
fn is_same(known: &str, cited: &str) -> bool {
    fn plain(path: &str) -> &str {
        path.trim_start_matches("./")
    }
    let (known, cited) = (plain(known), plain(cited));
    let ends = |long: &str, short: &str| long.strip_suffix(short.trim_start_matches('/')).is_some_and(|rest| rest.ends_with('/'));
    known == cited || ends(known, cited) || ends(cited, known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(path: &str, old: [u32; 2], new: [u32; 2]) -> Touch {
        Touch { tool: "Edit".into(), path: Some(path.into()), hunks: vec![Hunk { old, new }], ..Touch::default() }
    }

    fn read(path: &str) -> Touch {
        Touch { tool: "Read".into(), path: Some(path.into()), is_read: true, ..Touch::default() }
    }

    fn run(command: &str) -> Touch {
        Touch { tool: "Bash".into(), command: Some(command.into()), ..Touch::default() }
    }

    /// What is said of a place: true for observed, false for refuted, none for claimed.
    fn judged(touches: &[Touch], path: &str, line: u32) -> Option<bool> {
        Touched::of(touches).judge(&Place { path: path.into(), line }, 5).map(|judgement| judgement.verified)
    }

    #[test]
    fn a_place_is_observed_where_the_agent_changed_it_and_refuted_where_it_was_not() {
        let blind = Touch { hunks: Vec::new(), ..edit("src/d.ipynb", [0, 0], [0, 0]) };
        let touches = [edit("src/a.rs", [10, 1], [10, 3]), read("src/b.rs"), blind];
        for (path, line, wanted) in [
            ("src/a.rs", 11, Some(true)),
            ("./src/a.rs", 17, Some(true)),
            ("a.rs", 12, Some(true)),
            ("/w/project/src/a.rs", 5, Some(true)),
            ("src/a.rs", 18, Some(false)),
            ("src/b.rs", 3, None),
            ("src/d.ipynb", 3, None),
            ("src/c.rs", 3, Some(false)),
            ("other/src/a.rs.bak", 11, Some(false)),
            ("localhost", 80, None),
        ] {
            assert_eq!(judged(&touches, path, line), wanted, "{path}:{line}");
        }
    }

    #[test]
    fn what_a_command_names_is_neither_observed_nor_refuted() {
        let touches = [run("sed -i s/a/b/ src/c.rs"), edit("src/a.rs", [1, 1], [1, 1])];
        assert_eq!(judged(&touches, "src/c.rs", 3), None);
        assert_eq!(judged(&touches, "src/d.rs", 3), Some(false));
    }

    #[test]
    fn where_no_tool_was_seen_a_claim_stays_a_claim() {
        assert_eq!(judged(&[], "src/a.rs", 3), None);
        assert!(!Touched::of(&[]).has_acted());
    }

    #[test]
    fn lines_move_with_later_edits_above_them() {
        let touches = [edit("a.rs", [50, 1], [50, 2]), edit("a.rs", [10, 1], [10, 31]), edit("a.rs", [5, 6], [5, 0])];
        let sum = Touched::of(&touches);
        // 50 to 51 moved down by 30 and up by 6; 10 to 40 lost its first lines; a gap is behind line 4.
        assert_eq!(sum.files["a.rs"].lines(), ["4-5", "10-34", "74-75"]);
    }

    #[test]
    fn an_agent_that_only_looks_has_not_acted() {
        let failed = Touch { failed: true, ..edit("a.rs", [1, 1], [1, 1]) };
        assert!(!Touched::of(&[read("a.rs"), failed.clone()]).has_acted());
        assert!(!Touched::of(std::slice::from_ref(&failed)).has_changed("a.rs"));
        assert!(Touched::of(&[Touch { failed: true, ..run("cargo test") }]).has_acted());
        assert!(Touched::of(&[failed, edit("a.rs", [1, 1], [1, 1])]).has_acted());
    }
}
