//! The commands of README and docs: blocks of shell run as they stand, and every other command that is shown is one that there is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser as _;
use clap::error::ErrorKind;
use cli::args::Args;
use tempfile::TempDir;

use crate::support::command;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All documents, by path.
fn documents() -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(top().join("docs")).expect("the docs").flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.extend(["README.md", "ARCHITECTURE.md"].map(|name| top().join(name)));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("a document"))).collect()
}

/// Fenced blocks whose language begins so: what stands behind it, and the lines.
fn blocks(text: &str, language: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(mark) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        if let Some(rest) = mark.strip_prefix(language) {
            found.push((rest.trim().to_owned(), block.join("\n")));
        }
    }
    found
}

#[test]
fn every_block_of_shell_runs_as_it_stands() {
    let (mut ran, mut marked) = (0, 0);
    for (path, text) in documents() {
        for (mark, block) in blocks(&text, "sh") {
            // What compiles the program cannot run inside of its tests.
            if mark == "build" {
                marked += 1;
                continue;
            }
            assert_eq!(mark, "", "{}: a block of shell has an unknown mark", path.display());
            let folder = TempDir::new().expect("a folder");
            let program = PathBuf::from(command(folder.path(), &[]).get_program());
            let search = format!("{}:/usr/bin:/bin", program.parent().expect("a folder").display());
            let mut shell = Command::new("sh");
            shell.args(["-euc", &block]).current_dir(folder.path()).env("PATH", search).env("HOME", folder.path());
            let output = shell.env_remove("OUTERLOOP_ROOT").output().expect("sh starts");
            let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
            assert!(output.status.success(), "{}:\n{block}\n{}\n{said}", path.display(), output.status);
            ran += 1;
        }
    }
    assert_eq!((ran, marked), (4, 1), "count the blocks anew");
}

/// The commands of a line, each as words. What only a shell understands ends a command.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = vec![Vec::new()];
    let (mut word, mut quote, mut is_word) = (String::new(), None, false);
    let mut letters = line.chars().peekable();
    let end = |word: &mut String, is_word: &mut bool, found: &mut Vec<Vec<String>>| {
        if std::mem::take(is_word) {
            found.last_mut().expect("one").push(std::mem::take(word));
        }
    };
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => word.push(letter),
            ('\'' | '"', None) => (quote, is_word) = (Some(letter), true),
            ('#', None) if !is_word => break,
            ('>', None) => {
                end(&mut word, &mut is_word, &mut found);
                break;
            }
            (';' | '|' | '&', None) => {
                end(&mut word, &mut is_word, &mut found);
                found.push(Vec::new());
            }
            (' ', None) => {
                end(&mut word, &mut is_word, &mut found);
                // Two spaces begin an explanation.
                if letters.peek() == Some(&' ') {
                    break;
                }
            }
            _ => {
                is_word = true;
                word.push(letter);
            }
        }
    }
    end(&mut word, &mut is_word, &mut found);
    found
}

/// Whether a line stands in a fenced block of shell or of plain text.
fn blocks_hold(text: &str, line: &str) -> bool {
    ["sh", "text", ""].iter().any(|language| blocks(text, language).iter().any(|(_, block)| block.lines().any(|held| held == line)))
}

#[test]
fn every_command_that_a_document_shows_is_one_that_there_is() {
    let (mut faults, mut known) = (Vec::new(), 0);
    for (path, text) in documents() {
        let joined = text.replace("\\\n", " ");
        let spans = joined.split('`').skip(1).step_by(2).filter(|span| !span.contains('\n'));
        // Prose may begin a line with the program's name; commands stand apart.
        let lines = joined.lines().filter(|line| line.starts_with("    ") || blocks_hold(&joined, line));
        let lines = lines.map(|line| line.trim_start().trim_start_matches("$ "));
        for shown in spans.chain(lines).filter(|shown| shown.starts_with("outerloop ") || shown.contains("| outerloop ")) {
            for words in commands(shown).into_iter().filter(|words| words.first().is_some_and(|first| first == "outerloop")) {
                // A sentence about the program, or a command with a gap to fill in.
                let is_gap = |word: &String| {
                    word.contains(['…', '[', '<', '(', '*'])
                        || word == ".."
                        || word.chars().all(|letter| letter.is_ascii_uppercase())
                };
                if words.iter().any(is_gap) || words.len() < 2 {
                    continue;
                }
                match Args::try_parse_from(&words) {
                    Ok(_) => known += 1,
                    Err(fault) if !fault.use_stderr() => known += 1,
                    // A command that is only named.
                    Err(fault) if fault.kind() == ErrorKind::MissingRequiredArgument => known += 1,
                    Err(fault) if fault.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => known += 1,
                    Err(fault) => faults.push(format!("{}: {}\n{fault}", path.display(), words.join(" "))),
                }
            }
        }
    }
    assert!(known > 150, "only {known} commands were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
