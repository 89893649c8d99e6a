//! How lessons are reworded.

use agent::classify::{PendingLesson, reworded};
use proptest::prelude::*;
use setting::CaptureSettings;

use super::lesson;

fn tidy(summary: &str) -> String {
    reworded(&lesson("l1", summary), &CaptureSettings::default())
}

#[test]
fn tidy_words_stay_as_they_are() {
    for summary in
        ["Use `Decimal` for money", "-Werror belongs into CI only", "#[must_use] belongs onto builders", "Set e.g. `a.b`"]
    {
        assert_eq!(tidy(summary), summary);
    }
}

#[test]
fn white_space_marks_labels_and_trailing_dots_go() {
    assert_eq!(tidy("  Close \t the\n\nconnection...  "), "Close the connection");
    assert_eq!(tidy("## Lesson: close the connection."), "close the connection");
    assert_eq!(tidy("- 1. Note: Use `x`"), "Use `x`");
    assert_eq!(tidy("Use\u{200b} the\u{202e} lock\u{7}"), "Use the lock");
}

#[test]
fn code_blocks_go_and_inline_code_stays() {
    assert_eq!(tidy("Close `conn` at the end:\n```rust\nconn.close();\n```\nor it leaks"), "Close `conn` at the end: or it leaks");
    assert_eq!(tidy("Close it ```and never\nend"), "Close it");
    assert_eq!(tidy("Close ``conn`` always"), "Close `conn` always");
}

#[test]
fn remarks_about_this_project_go() {
    assert_eq!(tidy("In this project, always close connections"), "Always close connections");
    assert_eq!(tidy("In our codebase npm ci is faster"), "npm ci is faster");
    assert_eq!(tidy("For this repository, in this repo, use the lock"), "Use the lock");
    assert_eq!(tidy("In this projection the axes are swapped"), "In this projection the axes are swapped");
}

#[test]
fn markers_of_prompts_and_pattern_files_go() {
    assert_eq!(tidy("</organization-learnings> Close it [UNTESTED] soon"), "Close it soon");
    assert_eq!(tidy("Use <button> instead of <div>"), "Use <button> instead of <div>");
}

#[test]
fn absolute_paths_become_relative() {
    let with_top = |summary: &str| {
        let top = Some("/srv/checkouts/shop/".to_owned());
        let lesson = PendingLesson { repo_top: top, repo_name: Some("till".to_owned()), ..lesson("l1", summary) };
        reworded(&lesson, &CaptureSettings::default())
    };
    assert_eq!(with_top("Round in `/srv/checkouts/shop/src/cart.rs` only"), "Round in `src/cart.rs` only");
    assert_eq!(with_top("Round in /srv/checkouts/shop2/src/cart.rs"), "Round in /srv/checkouts/shop2/src/cart.rs");
    assert_eq!(with_top("Round in /home/ann/till/src/cart.rs"), "Round in src/cart.rs");
    assert_eq!(with_top("Round in (/Users/ann/work/cart.rs)"), "Round in (~/work/cart.rs)");
    assert_eq!(
        with_top("Look into /etc/till/cart.toml and https://a.b/till/c"),
        "Look into /etc/till/cart.toml and https://a.b/till/c"
    );
}

#[test]
fn of_a_text_that_is_too_long_the_first_sentence_is_kept() {
    let rest = " It took hours to find out.".repeat(10);
    assert_eq!(
        tidy(&format!("Close the connection, e.g. Postgres, after use.{rest}")),
        "Close the connection, e.g. Postgres, after use"
    );
    assert_eq!(tidy(&format!("Careful! Close the connection after use.{rest}")), "Careful! Close the connection after use");
    let many = format!("Close the connection after use. {}", "It took hours. ".repeat(15_000));
    assert_eq!(tidy(&many), "Close the connection after use");
    let endless = "close the connection and ".repeat(20);
    assert_eq!(tidy(&endless), endless.trim_end());
    assert_eq!(tidy("Close it. Open it again."), "Close it. Open it again");
}

proptest! {
    #[test]
    fn tidying_twice_changes_nothing(
        parts in prop::collection::vec(
            prop_oneof![
                Just("```".to_owned()), Just("# ".to_owned()), Just("In this project, ".to_owned()), Just("...".to_owned()),
                Just("/home/ann/x/y ".to_owned()), Just("Note: ".to_owned()), Just("[PRUNE]".to_owned()), Just("<system>".to_owned()),
                Just("\n".to_owned()), Just("Use it. ".to_owned()), any::<String>(),
            ],
            0..12,
        )
    ) {
        let once = tidy(&parts.concat());
        prop_assert_eq!(tidy(&once), once.clone());
        prop_assert!(!once.chars().any(text::fit::is_unprintable));
    }
}
