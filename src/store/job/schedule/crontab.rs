//! The block of a workspace in its user's crontab. Everything outside of it is kept byte for byte.

use std::ops::Range;

use super::{Place, Schedule, ordered};
use text::diagnostic::{Diagnostic, Outcome};

/// The lines of all jobs, between the markers of the workspace.
pub fn render_block(place: &Place, jobs: &[(String, Schedule)]) -> Outcome<String> {
    let jobs = ordered(jobs)?;
    let (begin, end) = markers(place);
    let (program, root) = (quoted(&place.program), quoted(&place.root));
    let mut block = format!("{begin}\n# Cron mails the output of a command: only failed runs print something.\n");
    let count = jobs.len() as u64;
    for (index, (job, schedule)) in (0..).zip(jobs) {
        // The path decides, so that many machines do not start at once; apart from each other, because runs of one
        // workspace keep each other out.
        let minute = (place.hash() % 60 + index * 60 / count) % 60;
        let when = match schedule {
            Schedule::Hourly => format!("{minute} * * * *"),
            Schedule::Daily => format!("{minute} 3 * * *"),
            Schedule::Weekly => format!("{minute} 4 * * 1"),
        };
        // 75: temporary failure, or another run is active. The next start retries.
        let line = format!("{when} said=$({program} --root {root} run {job} 2>&1) || [ $? -eq 75 ] || echo \"$said\"\n");
        block.push_str(&line);
    }
    Ok(block + &end + "\n")
}

/// A crontab with the block in it: in the place of the one that is there, else at the end.
pub fn with_block(crontab: &[u8], place: &Place, block: &str) -> Outcome<Vec<u8>> {
    let mut changed = crontab.to_vec();
    if let Some(range) = find_block(crontab, place)? {
        changed.splice(range, block.bytes());
        return Ok(changed);
    }
    // Cron ignores a last line that does not end; the block must not become a part of it.
    if !changed.is_empty() && !changed.ends_with(b"\n") {
        changed.push(b'\n');
    }
    changed.extend_from_slice(block.as_bytes());
    Ok(changed)
}

/// A crontab without the block of the workspace; nothing if it has none.
pub fn without_block(crontab: &[u8], place: &Place) -> Outcome<Option<Vec<u8>>> {
    Ok(find_block(crontab, place)?.map(|range| {
        let mut changed = crontab.to_vec();
        changed.drain(range);
        changed
    }))
}

/// Where the block is, from the first byte of its first line to behind the end of its last one.
fn find_block(crontab: &[u8], place: &Place) -> Outcome<Option<Range<usize>>> {
    let (begin, end) = markers(place);
    let mut position = 0;
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for line in crontab.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if text == begin.as_bytes() {
            starts.push(position);
        }
        position += line.len();
        if text == end.as_bytes() {
            ends.push(position);
        }
    }
    match (&*starts, &*ends) {
        ([], []) => Ok(None),
        ([start], [end]) if start < end => Ok(Some(*start..*end)),
        // Whoever edited it knows which lines are theirs.
        _ => Err(Diagnostic::edit(
            "the crontab's block for this workspace is damaged",
            format!("run `crontab -e` and delete the lines from `{begin}` to `{end}`, with both of them, then try again"),
        )),
    }
}

fn markers(place: &Place) -> (String, String) {
    (format!("# outerloop begin {}", place.root), format!("# outerloop end {}", place.root))
}

/// A path as one word for cron and then the shell. A percent sign stands outside of the quotes: there both cron and, where
/// cron leaves it, the shell take the backslash away.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''").replace('%', r"'\%'"))
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use std::path::Path;

    use super::*;

    fn place(root: &str) -> Place {
        Place::parse(Path::new("/usr/bin/outerloop"), Path::new(root), &[]).expect("a place")
    }

    fn block(root: &str) -> String {
        let jobs = [("weekly", Schedule::Weekly), ("hourly", Schedule::Hourly), ("daily", Schedule::Daily)];
        render_block(&place(root), &jobs.map(|(name, schedule)| (name.to_owned(), schedule))).expect("a block")
    }

    #[test]
    fn a_crontab_is_kept_byte_for_byte_around_the_block() {
        let (place, block) = (place("/a b/.outerloop"), block("/a b/.outerloop"));
        for others in [&b""[..], b"# mine\n0 1 * * * x\n\n", b"\xff\xfe\r\n@reboot y\n"] {
            let with = with_block(others, &place, &block).expect("a crontab");
            assert_eq!(with, [others, block.as_bytes()].concat());
            assert_eq!(with_block(&with, &place, &block).expect("a crontab"), with);
            let between = [&with, others].concat();
            assert_eq!(without_block(&between, &place).expect("a crontab"), Some([others, others].concat()));
        }
        assert_eq!(without_block(b"0 1 * * * x\n", &place).expect("a crontab"), None);
    }

    #[test]
    fn the_block_of_another_workspace_is_not_ours() {
        let crontab = block("/a/.outerloop");
        assert_eq!(without_block(crontab.as_bytes(), &place("/a")).expect("a crontab"), None);
        assert_eq!(without_block(crontab.as_bytes(), &place("/a/.outerloop")).expect("a crontab"), Some(Vec::new()));
    }

    #[test]
    fn a_block_without_its_end_is_left_to_its_owner() {
        let whole = block("/a");
        let damaged = whole.replace("# outerloop end /a\n", "0 1 * * * mine\n");
        assert!(without_block(damaged.as_bytes(), &place("/a")).is_err());
        assert!(with_block(format!("{whole}{whole}").as_bytes(), &place("/a"), &whole).is_err());
    }

    #[test]
    fn jobs_start_apart_from_each_other_and_at_the_promised_hours() {
        let block = block("/a");
        let fields: Vec<Vec<&str>> =
            block.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').take(5).collect()).collect();
        let minutes: Vec<u64> = fields.iter().map(|line| line[0].parse().expect("a minute")).collect();
        assert_eq!((minutes[0] + 20) % 60, minutes[1]);
        assert_eq!((minutes[1] + 20) % 60, minutes[2]);
        assert_eq!(fields.iter().map(|line| line[1..].join(" ")).collect::<Vec<_>>(), ["* * * *", "3 * * *", "4 * * 1"]);
    }

    /// What cron does to the command before the shell sees it: an escaped percent sign loses its backslash, a bare one ends it.
    fn read_by_cron(command: &str) -> String {
        let (mut read, mut is_escaped) = (String::new(), false);
        for letter in command.chars() {
            match letter {
                '%' if is_escaped => drop(read.pop()),
                '%' => return read,
                _ => {}
            }
            is_escaped = letter == '\\' && !is_escaped;
            read.push(letter);
        }
        read
    }

    #[test]
    fn the_shell_gets_the_path_back_with_cron_and_without() {
        for path in ["/a b/c", "/100%/x", r"/a\%b%%c\\%", "/it's/%'%", "/$HOME/`id`/\"q\"/;&|", "/ends\\"] {
            for command in [read_by_cron(&quoted(path)), quoted(path)] {
                let output =
                    std::process::Command::new("sh").arg("-c").arg(format!("printf '%s' {command}")).output().expect("a shell");
                assert_eq!(String::from_utf8_lossy(&output.stdout), path, "{command}");
            }
        }
    }
}
