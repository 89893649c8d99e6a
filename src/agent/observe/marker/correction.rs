//! The words of corrections, and of what is corrected.

/// What a turn opens with that rejects what the agent did, or sends it elsewhere.
pub(in crate::observe) const REJECTIONS: [&str; 47] = [
    "no,",
    "no.",
    "no!",
    "no -",
    "no:",
    "no;",
    "no don't",
    "no do not",
    "no not",
    "no never",
    "no use",
    "no the",
    "no you",
    "no we",
    "nope",
    "stop",
    "wait",
    "hold on",
    "don't",
    "do not",
    "never",
    "please don't",
    "please do not",
    "please stop",
    "that's wrong",
    "that is wrong",
    "this is wrong",
    "that's not",
    "that is not",
    "this is not",
    "wrong",
    "not like that",
    "not what i",
    "you shouldn't",
    "you should not",
    "you should have",
    "you must not",
    "you broke",
    "you forgot",
    "you can't",
    "i told you",
    "i said",
    "undo",
    "revert",
    "put back",
    "bring back",
    "roll back",
];

/// What opens like a rejection and is none.
pub(in crate::observe) const NO_REJECTIONS: [&str; 17] = [
    "no problem",
    "no worries",
    "no need",
    "no thanks",
    "no, thanks",
    "no, thank",
    "no, that's fine",
    "no, that's good",
    "no, that's all",
    "no, all good",
    "no, looks good",
    "no, go ahead",
    "no, nothing",
    "no, it's fine",
    "no, fine",
    "never mind",
    "nevermind",
];

/// What shows in an agent's sentence that it did, does or will do something.
pub(in crate::observe) const ACTIONS: [&str; 12] =
    ["i ", "i'll ", "i've ", "i'm ", "i have ", "let me ", "we ", "we'll ", "we've ", "now i", "going to ", "about to "];

/// What else opens such a sentence.
pub(in crate::observe) const DEEDS: &str = "\
    added adding adjusted amended applied bumped changed changing committed committing configured converted copied created creating \
    deleted deleting deployed disabled done dropped edited enabled executed executing extracted fixed fixing forced formatted \
    generated implemented implementing installed installing merged migrated modified moved moving pinned published pulled pushed \
    pushing put rebased refactored removed removing renamed replaced replacing reset reverted rewrote running set skipped squashed \
    started switched switching tagged updated updating upgraded used using wrapped writing wrote";

/// Words of those who want it said or written in another way, which is a matter of taste.
pub(in crate::observe) const TASTE: &str = "\
    bold brief bullet bullets capitalization capitalize colour comma concise emoji emojis font formatting grammar indentation \
    italics markdown misspelled nicer phrasing prettier punctuation rephrase reword shorter spacing spelling style tone typo typos \
    verbose whitespace wording wordy";

/// Warnings that name nothing.
pub(in crate::observe) const VAGUE: [&str; 9] = [
    "be careful",
    "be more careful",
    "pay attention",
    "think harder",
    "do better",
    "double check",
    "double-check",
    "try harder",
    "keep in mind",
];
