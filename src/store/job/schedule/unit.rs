//! The units of a user's own systemd: a service and a timer for each job, from the templates in `systemd/`.

use super::{Place, Schedule, ordered};
use text::diagnostic::Outcome;

const SERVICE: &str = include_str!("../../../../systemd/outerloop@.service");
const TIMER: &str = include_str!("../../../../systemd/outerloop@.timer");

/// A unit: the name and the text of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub name: String,
    /// The text of its file, which opens with [`unit_marker`].
    pub text: String,
}

/// Whether a unit of that name starts another one, and so has to be enabled.
pub fn is_timer(name: &str) -> bool {
    name.strip_suffix(".timer").is_some()
}

/// The units of all jobs: for each its service, then its timer.
pub fn render_units(place: &Place, jobs: &[(String, Schedule)]) -> Outcome<Vec<Unit>> {
    let jobs = ordered(jobs)?;
    let stem = unit_stem(place);
    let mut before = Vec::new();
    let mut units = Vec::new();
    for (job, schedule) in jobs {
        let name = format!("{stem}@{job}.service");
        units.push(Unit { name: name.clone(), text: service(place, &before.join(" ")) });
        units.push(Unit { name: format!("{stem}@{job}.timer"), text: timer(place, schedule) });
        before.push(name);
    }
    Ok(units)
}

/// What the names of a workspace's units begin with, up to the `@`: another one for each workspace.
pub fn unit_stem(place: &Place) -> String {
    // Other characters would have to be escaped in the name of a unit, and typed that way.
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let project: String = place.project().chars().take(32).map(plain).collect();
    format!("outerloop-{project}-{:06x}", place.hash() & 0xff_ffff)
}

/// The first line of every unit of a workspace. A file without it was written by someone else.
pub fn unit_marker(place: &Place) -> String {
    format!("# Written by `outerloop schedule install` for {}", place.root)
}

fn service(place: &Place, after: &str) -> String {
    let writable = [&place.root].into_iter().chain(&place.targets);
    // The dash lets a run start without the folder, so that the program can say what is missing.
    let writable: Vec<String> = writable.map(|path| quoted(&format!("-{path}"))).collect();
    fill(
        SERVICE,
        &[
            ("@ROOT@", &place.root),
            ("@ROOT_TEXT@", &place.root.replace('%', "%%")),
            ("@ROOT_QUOTED@", &quoted(&place.root)),
            ("@PROGRAM_QUOTED@", &executable(&place.program)),
            ("@WRITABLE_QUOTED@", &writable.join(" ")),
            ("@PRIVATE_TMP@", if needs_shared_tmp(place) { "no" } else { "yes" }),
            ("@AFTER@", after),
        ],
    )
}

fn timer(place: &Place, schedule: Schedule) -> String {
    // Apart from each other even at the end of their spread, as far as that goes: runs of one workspace keep each other out.
    let (calendar, spread) = match schedule {
        Schedule::Hourly => ("*-*-* *:00:00", "5min"),
        Schedule::Daily => ("*-*-* 03:10:00", "30min"),
        Schedule::Weekly => ("Mon *-*-* 04:10:00", "1h"),
    };
    fill(
        TIMER,
        &[
            ("@ROOT@", &place.root),
            ("@ROOT_TEXT@", &place.root.replace('%', "%%")),
            ("@SCHEDULE@", schedule.name()),
            ("@CALENDAR@", calendar),
            ("@SPREAD@", spread),
        ],
    )
}

/// A private `/tmp` would hide what stands in the shared one.
fn needs_shared_tmp(place: &Place) -> bool {
    let mut paths = [&place.program, &place.root].into_iter().chain(&place.targets);
    paths.any(|path| path.starts_with("/tmp/") || path.starts_with("/var/tmp/"))
}

/// A path as one word of a unit file: systemd takes away the quotes and backslashes, then reads `%%` as a percent sign.
fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%"))
}

/// A program as the first words of a command. systemd refuses one with quotes or backslashes in its path, however they are
/// written; as an argument of a shell it is a path like any other.
fn executable(path: &str) -> String {
    let shell = if path.contains(['"', '\'', '\\']) { r#"/bin/sh -c "exec \"$0\" \"$@\"" "# } else { "" };
    format!("{shell}{}", quoted(path))
}

/// Fills in the placeholders in one pass, so that a path that looks like a placeholder stays a path.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(start) = rest.find('@') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        let known = values.iter().find(|(name, _)| rest.starts_with(name));
        let (name, value) = known.copied().unwrap_or(("@", "@"));
        filled.push_str(value);
        rest = &rest[name.len()..];
    }
    filled + rest
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn place(root: &str) -> Place {
        Place::parse(Path::new("/opt/50% off/outerloop"), Path::new(root), &[PathBuf::from("/srv/a b")]).expect("a place")
    }

    fn units(root: &str) -> Vec<Unit> {
        let jobs = [("weekly", Schedule::Weekly), ("hourly", Schedule::Hourly), ("daily", Schedule::Daily)];
        render_units(&place(root), &jobs.map(|(name, schedule)| (name.to_owned(), schedule))).expect("units")
    }

    #[test]
    fn every_placeholder_is_filled_in_and_the_marker_comes_first() {
        let root = "/home/me/shop/.outerloop";
        for unit in units(root) {
            let is_placeholder =
                |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            assert!(!unit.text.split('@').skip(1).any(is_placeholder), "{}", unit.text);
            assert_eq!(unit.text.lines().next(), Some(&*unit_marker(&place(root))));
        }
    }

    #[test]
    fn paths_are_quoted_and_percent_signs_doubled() {
        let service = &units(r#"/home/me/100% "a\b" $HOME/.outerloop"#)[0].text;
        let root = r#"/home/me/100%% \"a\\b\" $HOME/.outerloop""#;
        assert!(service.contains(&format!(r#"ExecStart=:"/opt/50%% off/outerloop" --root "{root} run %i"#)), "{service}");
        assert!(service.contains(&format!(r#"ReadWritePaths="-{root} "-/srv/a b""#)), "{service}");
        assert_eq!(executable(r#"/a "b"/outerloop"#), r#"/bin/sh -c "exec \"$0\" \"$@\"" "/a \"b\"/outerloop""#);
    }

    #[test]
    fn a_path_that_looks_like_a_placeholder_stays_a_path() {
        let service = &units("/home/@ROOT@/@AFTER@")[0].text;
        assert!(service.contains("--root \"/home/@ROOT@/@AFTER@\""), "{service}");
    }

    #[test]
    fn a_job_waits_for_those_that_start_more_often() {
        let units = units("/home/me/shop/.outerloop");
        let after = |index: usize| units[index].text.lines().find_map(|line| line.strip_prefix("After=")).expect("an order");
        assert_eq!(after(0), "");
        assert_eq!(after(2), units[0].name);
        assert_eq!(after(4), format!("{} {}", units[0].name, units[2].name));
    }

    #[test]
    fn workspaces_do_not_share_unit_names() {
        assert_ne!(unit_stem(&place("/a/shop/.outerloop")), unit_stem(&place("/b/shop/.outerloop")));
        assert!(unit_stem(&place("/a/Süß & co/.outerloop")).starts_with("outerloop-S_____co-"));
    }

    #[test]
    fn a_workspace_in_the_shared_tmp_is_not_hidden_from_its_jobs() {
        assert!(units("/tmp/shop/.outerloop")[0].text.contains("PrivateTmp=no"));
        assert!(units("/home/tmp/.outerloop")[0].text.contains("PrivateTmp=yes"));
    }
}
