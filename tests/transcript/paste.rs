//! What of a person's turn is the person's own.

use super::{lines, read, said};

/// The person's own words in a text, behind something that the agent said.
fn own(agent: &str, text: &str) -> String {
    read(&lines([said("assistant", agent), said("user", text)])).exchanges.pop_front().expect("a turn").own
}

#[test]
fn own_words_stay_and_logs_code_and_quotations_go() {
    let cases = [
        ("run the linter, then push", "run the linter, then push"),
        ("> git gc\nfatal: bad tree object 082c2c44\nfatal: failed to run repack\n\nHALP", "HALP"),
        ("it is always this hash, I think?\n> git status\nfatal: unable to read e53647", "it is always this hash, I think?"),
        (
            "when running `mise run test:ci` I get these errors: \n\ncmd/a_test.go:76:31: invalid operation\ncmd/b.go:3:1: x",
            "when running `mise run test:ci` I get these errors:",
        ),
        ("❯ cat /tmp/x\nHook from settings.json fired at Mon Feb 9", ""),
        ("use this:\n```\nalways: true\n```\nplease", "use this:\nplease"),
        ("+       state, err = s.initialize(repo)\n+       if err != nil {\n\ncan you explain that?", "can you explain that?"),
        ("2026-02-12T10:28:41+01:00 [wingman] review started\n2026-02-12T10:28:42+01:00 [wingman] done", ""),
        ("I think we mock too little: --- FAIL: TestRun (0.00s)\n    setup_test.go:364: no agents", "I think we mock too little:"),
    ];
    for (text, expected) in cases {
        assert_eq!(own("I did it.", text), expected, "{text:?}");
    }
}

#[test]
fn a_review_of_a_bot_goes_with_its_title_and_the_persons_words_before_it_stay() {
    let review = "can you look at this, I got this feedback, tell me what you think:\n\nRedundant default case\n\nLow Severity\n\nThe default case in `build` repeats the first one. Consider removing it.";
    assert_eq!(own("Hello.", review), "can you look at this, I got this feedback, tell me what you think:");
    let bare = "The error returned from fetchCmd.CombinedOutput() is checked but not included in the error message. Unlike CheckoutBranch, which wraps both, the new code only includes the output string.\n\nConsider wrapping the error with %w so that callers can tell what failed.";
    assert_eq!(own("Hello.", bare), "");
    let own_rule = "The tests of the parser must not touch the network, so please always use the recorded fixtures in tests/data when you add a case to parser_test.go, and never the live service.";
    assert_eq!(own("Hello.", own_rule), own_rule);
}

#[test]
fn what_the_agent_said_and_a_person_repeats_is_the_agents() {
    let agent = "Findings:\n\n2. `.gemini/` directory is not protected during rewind (MEDIUM)\n3. The lock is never released";
    let text = "now handle:\n\n  2. `.gemini/` directory is not protected during rewind (MEDIUM)\n\nand write a test for it";
    assert_eq!(own(agent, text), "now handle:\n\n\nand write a test for it");
}
