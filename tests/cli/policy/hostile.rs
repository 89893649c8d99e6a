//! Names that somebody made up to be taken for something else.

use std::fs;

use super::{governed, landed, overlay, parse};

#[test]
fn a_name_that_no_run_can_have_is_no_adapter() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    let long = "x".repeat(5000);
    for name in ["", "  ", "git\u{1b}[2Jhub", "github\u{200b}", "git\u{202e}buh", "git\nhub", "constraint:mutation-scope", &long] {
        for arguments in [
            &["gate", name][..],
            &["gate", name, "--record", "r"],
            &["policy", "show", name],
            &["policy", "clear", name, "--reason", "r"],
            &["policy", "annotate", name, "--approve", "--reason", "r"],
            &["policy", "history", "--adapter", name],
        ] {
            let outcome = scene.run(arguments);
            assert_eq!((outcome.code, &*outcome.out), (2, ""), "{arguments:?}");
            assert!(outcome.error.contains("the adapter's name"), "{}", outcome.error);
            assert!(!outcome.error.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{:?}", outcome.error);
        }
    }
    assert_eq!(landed(&scene).len(), 0);
}

#[test]
fn a_path_is_a_name_like_any_other_and_never_a_path() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    let before = fs::read_dir(scene.root()).expect("the workspace").count();
    for name in ["../../etc/passwd", "/etc/passwd", "..", "a/b", "$(touch pwned)", "`id`", "--", "%s%n"] {
        let outcome = scene.run(&["gate", "--json", "--", name]);
        assert_eq!(outcome.code, 0, "{name}: {}", outcome.error);
        assert_eq!(parse(&outcome.out)["known"], false, "{name}");
        scene.done(&["policy", "annotate", "--approve", "--reason", "r", "--", name]);
        assert_eq!(landed(&scene).last().expect("an event")["target"], name);
    }
    assert_eq!(fs::read_dir(scene.root()).expect("the workspace").count(), before);
}

#[test]
fn what_others_wrote_into_policies_is_shown_as_text() {
    let mut evil = overlay("evil", 0.593, &[]);
    evil.reason = "fine\u{1b}[2J\u{1b}]0;title\u{7}\nevil: go\u{202e}".to_owned();
    evil.updated_at = "\u{1b}[31mnever".to_owned();
    evil.triggers =
        vec![learn::policy::Trigger::Annotation { actor: "\u{9b}31mann".to_owned(), note: "x\r\ngithub: go\u{8}".to_owned() }];
    let mut odd = overlay("odd", 0.95, &[]);
    odd.adapter_id = "o\u{1b}[31md\nd".to_owned();
    let scene = governed(vec![evil, odd]);
    for arguments in
        [&["gate", "evil"][..], &["policy"], &["policy", "show", "evil"], &["policy", "check", "--as-of", "2999-01-01"]]
    {
        let shown = scene.run(arguments).out;
        let is_odd = |letter: char| letter != '\n' && text::fit::is_unprintable(letter);
        assert!(!shown.is_empty() && !shown.contains(is_odd), "{arguments:?}: {shown:?}");
        assert!(!shown.lines().any(|line| line.starts_with("evil: go") || line.starts_with("github: go")), "{shown}");
    }
    let tasks = br#"[{"id":"t\u001b[2J1","adapterId":"evil"}]"#;
    let shown = scene.run_with(&["optimize"], tasks).out;
    assert!(shown.contains("t [2J1") && !shown.contains('\u{1b}'), "{shown:?}");
}
