//! The words of steps, and of when and how something is done.

/// Verbs that open a step or an order.
pub(in crate::observe) const VERBS: &str = "\
    add adjust analyse analyze apply archive ask assert back benchmark bisect branch build bump call change check checkout clean \
    clear clone close collect commit compare compile compress configure confirm continue convert copy cover create debug define \
    delete deploy describe design diff disable document download draft drop dump edit enable ensure execute explain export extend \
    extract fetch file find fix flush follow format generate get give go grep handle implement import increase inline inspect \
    install investigate iterate join keep launch leave let lint list load lock log look lower make mark measure merge migrate mock \
    move notify open outline parse pass pick pin plan post prefer prepare print profile propose prune publish pull push put quote \
    raise read rebase rebuild record refactor regenerate release reload remove rename render repeat replace report reproduce \
    request rerun reset resolve restart restore retry return revert review rewrite rotate run save scaffold scan search seed send \
    set shorten show simplify sort split squash stage start stash stick stop store stub submit summarise summarize swap switch sync \
    tag take test tidy trace translate trim try type undo uninstall unlock unset update upgrade upload use validate verify wait \
    warn wire wrap write";

/// Programs that people call with something to do, and what stands behind their names where they only speak of them.
pub(in crate::observe) const CALLED: &str = "\
    bash cargo cmake conda deno docker gh git go gradle helm just kubectl make mvn node npm npx pip pnpm podman poetry pytest python \
    python3 ruff sh terraform tox uv yarn";
pub(in crate::observe) const UNCALLED: &str = "\
    also and are as at but can cannot could did do does for from had has have in instead is it itself or should so that the was were \
    when which will with would";

/// What may stand before an order and says nothing of it. Longer ones first where one begins with another.
pub(in crate::observe) const FILLERS: [&str; 65] = [
    "by the way ",
    "from now on ",
    "in this project ",
    "in this repository ",
    "in this repo ",
    "note that ",
    "you also need to ",
    "you also have to ",
    "we also need to ",
    "btw ",
    "fyi ",
    "hmm ",
    "so ",
    "i would like you to ",
    "i'd like you to ",
    "i want you to ",
    "i need you to ",
    "you will need to ",
    "you'll need to ",
    "don't forget to ",
    "do not forget to ",
    "make sure that you ",
    "make sure you ",
    "make sure to ",
    "be sure to ",
    "remember to ",
    "go ahead and ",
    "when you're done, ",
    "when you are done, ",
    "you should always ",
    "you should ",
    "you must always ",
    "you must ",
    "you need to ",
    "you have to ",
    "you can ",
    "we should ",
    "we must ",
    "we need to ",
    "we have to ",
    "let us ",
    "let's ",
    "as a first step ",
    "first of all ",
    "to start ",
    "firstly ",
    "secondly ",
    "thirdly ",
    "first ",
    "second ",
    "third ",
    "after that ",
    "afterwards ",
    "next ",
    "then ",
    "finally ",
    "lastly ",
    "always ",
    "please ",
    "also ",
    "just ",
    "now ",
    "okay ",
    "ok ",
    "and ",
];

/// What parts two steps of which one follows the other. Each stands between blanks or behind a comma.
pub(in crate::observe) const ORDER: [&str; 14] = [
    "and then",
    "and after that",
    "and afterwards",
    "and finally",
    "and lastly",
    "once that's done",
    "once that is done",
    "followed by",
    "after that",
    "afterwards",
    "then",
    "finally",
    "lastly",
    "next",
];

/// Words that open a step which has its place in an order.
pub(in crate::observe) const OPENS_IN_ORDER: [&str; 13] = [
    "first",
    "firstly",
    "second",
    "secondly",
    "third",
    "thirdly",
    "then",
    "next",
    "finally",
    "lastly",
    "afterwards",
    "after that",
    "once that",
];

/// Words that change nothing about what a step is.
pub(in crate::observe) const IDLE: &str = "a again all an just my now our please the your";

/// What opens a condition.
pub(in crate::observe) const CONDITIONS: [&str; 8] =
    ["whenever", "every time", "each time", "any time", "when", "if", "before", "after"];

/// Conditions of one conversation, which say nothing about the next.
pub(in crate::observe) const PASSING: [&str; 37] = [
    "changing anything",
    "you change anything",
    "you do anything",
    "you start",
    "you begin",
    "you continue",
    "you go on",
    "you're done",
    "you are done",
    "you're finished",
    "you are finished",
    "you're ready",
    "you are ready",
    "you want",
    "you like",
    "you can",
    "you think",
    "you agree",
    "you have time",
    "you have questions",
    "you have any questions",
    "you finish",
    "done",
    "finished",
    "ready",
    "possible",
    "necessary",
    "needed",
    "in doubt",
    "not",
    "so",
    "that works",
    "this works",
    "it works",
    "that fails",
    "that's ok",
    "that is ok",
];

/// What opens the purpose of a way of doing something.
pub(in crate::observe) const PURPOSES: [&str; 3] = ["in order to ", "to ", "for "];

/// What opens what is to be done, beside a verb.
pub(in crate::observe) const DUTIES: [&str; 15] = [
    "you also need to ",
    "you also have to ",
    "we also need to ",
    "you must ",
    "you should ",
    "you need to ",
    "you have to ",
    "we must ",
    "we should ",
    "we need to ",
    "we have to ",
    "always ",
    "never ",
    "don't ",
    "do not ",
];
