//! The words by which statements of people are told apart. English; another language is another set of tables.

/// Verbs that open a step or an order.
pub(super) const VERBS: &str = "\
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

/// What may stand before an order and says nothing of it. Longer ones first where one begins with another.
pub(super) const FILLERS: [&str; 52] = [
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
pub(super) const ORDER: [&str; 14] = [
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
pub(super) const OPENS_IN_ORDER: [&str; 13] = [
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
pub(super) const IDLE: &str = "a again all an just my now our please the your";

/// What opens a condition.
pub(super) const CONDITIONS: [&str; 8] = ["whenever", "every time", "each time", "any time", "when", "if", "before", "after"];

/// Conditions of one conversation, which say nothing about the next.
pub(super) const PASSING: [&str; 30] = [
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
pub(super) const PURPOSES: [&str; 3] = ["in order to ", "to ", "for "];

/// What opens what is to be done, beside a verb.
pub(super) const DUTIES: [&str; 12] = [
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

/// What joins a choice and its reason. Those of the second table stand before the choice, or in a sentence of their own.
pub(super) const ANCHORS: [&str; 13] = [
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
pub(super) const REASON_OPENINGS: [&str; 9] = [
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
pub(super) const TIMES: &str = "\
    april august day december february friday half hours january july june last march may midnight minutes monday month morning \
    november october on release saturday september start sunday then thursday today tuesday wednesday week weeks when yesterday \
    you've we've i've";

/// Reasons that are none.
pub(super) const NO_REASONS: [&str; 12] = [
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
pub(super) const CHOICES: [&str; 35] = [
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

/// What makes a statement a choice wherever it stands.
pub(super) const CONTRASTS: [&str; 3] = [" instead of ", " rather than ", " over using "];

/// What may stand before a choice or a correction and says nothing of it.
pub(super) const INTERJECTIONS: [&str; 32] = [
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

/// What a turn opens with that rejects what the agent did, or sends it elsewhere.
pub(super) const REJECTIONS: [&str; 47] = [
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
pub(super) const NO_REJECTIONS: [&str; 17] = [
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
pub(super) const ACTIONS: [&str; 12] =
    ["i ", "i'll ", "i've ", "i'm ", "i have ", "let me ", "we ", "we'll ", "we've ", "now i", "going to ", "about to "];

/// What else opens such a sentence.
pub(super) const DEEDS: &str = "\
    added adding adjusted amended applied bumped changed changing committed committing configured converted copied created creating \
    deleted deleting deployed disabled done dropped edited enabled executed executing extracted fixed fixing forced formatted \
    generated implemented implementing installed installing merged migrated modified moved moving pinned published pulled pushed \
    pushing put rebased refactored removed removing renamed replaced replacing reset reverted rewrote running set skipped squashed \
    started switched switching tagged updated updating upgraded used using wrapped writing wrote";

/// Words of those who want it said or written in another way, which is a matter of taste.
pub(super) const TASTE: &str = "\
    bold brief bullet bullets capitalization capitalize colour comma concise emoji emojis font formatting grammar indentation \
    italics markdown misspelled nicer phrasing prettier punctuation rephrase reword shorter spacing spelling style tone typo typos \
    verbose whitespace wording wordy";

/// Warnings that name nothing.
pub(super) const VAGUE: [&str; 9] = [
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

/// Turns that agree, thank or hurry on.
pub(super) const APPROVALS: [&str; 30] = [
    "yes",
    "yep",
    "yeah",
    "ok",
    "okay",
    "sure",
    "fine",
    "good",
    "great",
    "perfect",
    "nice",
    "cool",
    "thanks",
    "thank you",
    "thx",
    "ty",
    "lgtm",
    "looks good",
    "sounds good",
    "go ahead",
    "go on",
    "continue",
    "proceed",
    "do it",
    "yes please",
    "agreed",
    "exactly",
    "correct",
    "right",
    "well done",
];

/// What opens a question, also one without its mark.
pub(super) const QUESTIONS: [&str; 34] = [
    "what ",
    "what's ",
    "why ",
    "how ",
    "how's ",
    "where ",
    "who ",
    "which ",
    "can you ",
    "could you ",
    "can we ",
    "could we ",
    "would you ",
    "would it ",
    "should i ",
    "should we ",
    "is it ",
    "is there ",
    "is this ",
    "is that ",
    "are you ",
    "are there ",
    "are we ",
    "do you ",
    "do we ",
    "does it ",
    "does this ",
    "does that ",
    "did you ",
    "did we ",
    "will it ",
    "will this ",
    "have you ",
    "any idea",
];

/// Programs that people call by name.
pub(super) const PROGRAMS: &str = "\
    alembic ansible apt aws axios babel bash bazel biome brew cargo celery clippy cmake conda cron crontab curl cypress dbt deno \
    django docker dockerfile duckdb elasticsearch esbuild eslint express fastapi ffmpeg flask gcc gcloud gh git github gitlab gofmt \
    gradle grafana graphql grep gunicorn helm homebrew husky java jenkins jest jq kafka kotlin kubectl kubernetes lerna \
    makefile maven mocha mongodb mvn mypy mysql next.js nextest nginx ninja npm npx nx oauth openapi pandas parquet pip pipenv pipx \
    playwright pm2 pnpm podman poetry polars postgres postgresql powershell pre-commit prisma prometheus protobuf psql pylint pytest \
    python rabbitmq rails react redis redux renovate rollup rspec rsync ruff rustc rustfmt s3 sass sbt sed selenium sentry sidekiq \
    sql sqlalchemy sqlfluff sqlite ssh storybook supabase svelte swc systemctl systemd tailwind terraform tokio tox tsc turborepo \
    typescript vercel vite vitest webpack yarn zod zsh zustand";

/// Words that stand for nothing in particular, so that sharing them shows nothing.
pub(super) const COMMON: &str = "\
    about above after again also always another anything because been before being below better between both change changed \
    changes code could does doing done down each either else even every everything file files first from further going good \
    have having here into issue just keep know last least less like line lines look made make makes many maybe more most much \
    must need never next nothing only other over part please problem really right same should some something still stop such sure \
    take than thanks that that's their them then there these they thing things think this those though time under until update \
    updated very want wants well were what when where which while will with without work works would wrong your";
