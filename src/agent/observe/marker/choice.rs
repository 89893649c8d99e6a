//! The words of choices and of their reasons.

/// What joins a choice and its reason. Those of the second table stand before the choice, or in a sentence of their own.
pub(in crate::observe) const ANCHORS: [&str; 13] = [
    "because of",
    "because",
    "so that",
    "to avoid",
    "in order to avoid",
    "to prevent",
    "given that",
    "due to",
    "the reason is",
    "the reason being",
    "the point is",
    "that's why",
    "since",
];

/// Sentences that give the reason for the one before.
pub(in crate::observe) const REASON_OPENINGS: [&str; 9] = [
    "the reason is that ",
    "the reason is ",
    "the reason: ",
    "the point is that ",
    "the point is to ",
    "the point is ",
    "that's because ",
    "that is because ",
    "because ",
];

/// What follows `since` where it speaks of time.
pub(in crate::observe) const TIMES: &str = "\
    april august day december february friday half hours january july june last march may midnight minutes monday month morning \
    november october on release saturday september start sunday then thursday today tuesday wednesday week weeks when yesterday \
    you've we've i've";

/// Reasons that are none.
pub(in crate::observe) const NO_REASONS: [&str; 12] = [
    "i said so",
    "i say so",
    "i like it",
    "i like that",
    "i prefer it",
    "i prefer that",
    "i want it",
    "i want to",
    "why not",
    "it's better",
    "it is better",
    "it's nicer",
];

/// What makes a statement a choice, where it stands at its beginning.
pub(in crate::observe) const CHOICES: [&str; 40] = [
    "it should ",
    "it must ",
    "this should ",
    "that should ",
    "they should ",
    "let's ",
    "let us ",
    "we'll ",
    "we will ",
    "we should ",
    "we must ",
    "we need to ",
    "we have to ",
    "we want ",
    "we prefer ",
    "we decided ",
    "we chose ",
    "we keep ",
    "we use ",
    "we go with ",
    "we're going with ",
    "we are going with ",
    "we stick ",
    "we don't ",
    "we do not ",
    "we never ",
    "we always ",
    "i want ",
    "i'd rather ",
    "i would rather ",
    "i prefer ",
    "i decided ",
    "i chose ",
    "you should ",
    "you must ",
    "don't ",
    "do not ",
    "never ",
    "always ",
    "avoid ",
];

/// What says how things are to be, behind what it is about.
pub(in crate::observe) const MODALS: [&str; 5] = [" should ", " must ", " has to ", " have to ", " needs to "];

/// What follows these where somebody only hopes or wonders.
pub(in crate::observe) const HOPES: [&str; 14] = [
    "be better",
    "be easy",
    "be enough",
    "be fine",
    "be good",
    "be ok",
    "be possible",
    "be safe",
    "already",
    "fail",
    "happen",
    "have",
    "pass",
    "work",
];

/// What makes a statement a choice wherever it stands.
pub(in crate::observe) const CONTRASTS: [&str; 3] = [" instead of ", " rather than ", " over using "];

/// What may stand before a choice or a correction and says nothing of it.
pub(in crate::observe) const INTERJECTIONS: [&str; 36] = [
    "by the way",
    "btw",
    "fyi",
    "from now on",
    "no",
    "nope",
    "nah",
    "yes",
    "yeah",
    "yep",
    "ok",
    "okay",
    "sure",
    "right",
    "wait",
    "stop",
    "hold on",
    "hey",
    "hmm",
    "oh",
    "ah",
    "ugh",
    "well",
    "so",
    "also",
    "and",
    "but",
    "actually",
    "again",
    "please",
    "sorry",
    "i think",
    "i said",
    "i told you",
    "wrong",
    "not like that",
];
