//! The first screen of made-up workspaces, in which a stranger can tell which is which. `OUTERLOOP_PICTURES=write` takes the pictures
//! of `docs/pictures` anew; somebody must look at them.

use std::fs;
use std::path::Path;

use super::driver::{DESK, Look, PHONE, Page};
use super::made::{Measured, measured, shop};
use crate::support::Scene;

/// Takes a picture, and keeps it where that is wanted.
fn keep(scene: &Scene, name: &str, look: Look) -> Page {
    let file = fs::canonicalize(scene.workspace.current().join("report.html")).expect("a page");
    let mut page = Page::open(&file, look);
    let picture = decoded(&page.picture());
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000, "{name}: {} bytes", picture.len());
    if std::env::var("OUTERLOOP_PICTURES").is_ok_and(|value| value == "write") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("{name}.png")), picture).expect("a picture");
    }
    page
}

/// Base64 as the browser sends it.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|letter| *letter != b'=').collect();
    let group = |group: &[u8]| {
        let bits = group.iter().fold(0, |bits, letter| bits << 6 | value(*letter)) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    };
    letters.chunks(4).flat_map(group).collect()
}

#[test]
fn where_nothing_is_measured_the_first_screen_says_so_and_how_to_begin() {
    let scene = shop(60);
    let tall = Look { height: 1000, width: 1100, ..DESK };
    let mut page = keep(&scene, "unmeasured", tall);
    assert_eq!(page.text("document.querySelector('.verdict h1').textContent"), "Nobody knows yet whether the loop helps");
    assert_eq!(page.text("document.querySelector('.verdict .chip').textContent"), "not measured");
    let steps = page.text("document.querySelector('.verdict .steps').textContent");
    assert!(steps.contains("done: agents are shown lessons") && steps.contains("done: tasks are judged"), "{steps}");
    // All of it is seen without scrolling.
    let end = page.number("document.querySelector('.todo').getBoundingClientRect().bottom");
    assert!(end < 900.0, "the actions end at {end}");
    keep_text(&scene, "unmeasured");
    keep(&scene, "unmeasured-dark", Look { theme: "dark", ..tall });
    keep(&scene, "unmeasured-phone", PHONE);
}

/// The terminal report of a workspace, kept beside its picture.
fn keep_text(scene: &Scene, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/pictures/{name}.txt"));
    let text = scene.done(&["report", "--format", "text"]).out;
    if std::env::var("OUTERLOOP_PICTURES").is_ok_and(|value| value == "write") {
        fs::write(&path, &text).expect("a text");
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "run with OUTERLOOP_PICTURES=write to keep what is shown");
    text
}

/// The headline, the word beside it and the verdicts of the list of lessons must tell a stranger which workspace it is.
fn told(name: &str, world: Measured, headline: &str, chip: &str) -> Page {
    let scene = measured(world);
    let tall = Look { height: 1000, width: 1100, ..DESK };
    let mut page = keep(&scene, name, tall);
    let shown = page.text("document.querySelector('.verdict h1').textContent");
    assert!(shown.starts_with(headline), "{name}: {shown}");
    assert_eq!(page.text("document.querySelector('.verdict .chip').textContent"), chip, "{name}: {shown}");
    let text = keep_text(&scene, name);
    assert!(text.contains(headline), "{text}");
    page
}

#[test]
fn a_loop_that_helps_says_so_and_which_lessons_do() {
    let mut page = told("helps", Measured { tasks: 4800, without: 45, lift: 15 }, "The loop helps", "measured by holdout");
    let verdicts = page.text("[...document.querySelectorAll('#lesson-table tbody tr')].map(row => row.textContent).join('\\n')");
    assert!(verdicts.contains("helps") && verdicts.contains("hurts"), "{verdicts}");
}

#[test]
fn a_loop_that_hurts_says_so() {
    told("hurts", Measured { tasks: 4800, without: 65, lift: -15 }, "The loop hurts", "measured by holdout");
}

#[test]
fn too_few_tasks_are_said_to_be_too_few() {
    told("not-enough", Measured { tasks: 90, without: 50, lift: 8 }, "Not enough data", "measuring");
}
