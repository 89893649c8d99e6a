//! Which patterns an agent is shown, with the worked numbers of the score and of the budget.

use std::borrow::Cow;

use event::cell::Word as _;
use learn::recall::{
    Candidate, Context, Entry, Prune, Purpose, Question, Reach, Selection, ToolMatcher, ToolUse, Tossed, Tosser,
    characters_as_tokens, fit_lines, list, score_entry, words_to_find,
};
use learn::relevance::Rater;
use learn::truth::Salt;
use learn::{Confidence, Flag};
use proptest::prelude::*;
use render::prompt::{Block, Style, historical_line};
use setting::{InjectSettings, Order, RecallSettings, RelevanceSettings, TagMatch};

const DAY: i64 = 86_400_000_000;
const NOW: i64 = 1_790_000_000_000_000;

/// A pattern that was last used so many days ago.
fn entry(category: &'static str, successes: f64, failures: f64, days: f64) -> Entry<'static> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "days of a test")]
    let used_micros = NOW - (days * DAY as f64) as i64;
    Entry {
        id: "P-001".into(),
        category: category.into(),
        confidence: Some(Confidence::Medium),
        flag: Flag::None,
        state: "learned".into(),
        repo: "".into(),
        project: "".into(),
        role: "".into(),
        applies_to: "".into(),
        tags: "".into(),
        files: "".into(),
        phases: "".into(),
        seen: 0,
        rate: None,
        successes,
        failures,
        validated: 0,
        ignored: 0,
        reinforced: 0,
        used_micros,
        words: "".into(),
        summary: "Check the lock".into(),
        coin: None,
        worth: None,
    }
}

fn raw(texts: &[&str]) -> Cow<'static, str> {
    list(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).into()
}

fn score(entry: &Entry<'_>) -> f64 {
    score_entry(entry, &Context::default(), NOW, &RecallSettings::default())
}

#[track_caller]
pub(super) fn assert_near(is: f64, wanted: f64, decimals: i32) {
    assert!((is - wanted).abs() < 0.5 * 10_f64.powi(-decimals), "{is} instead of {wanted}");
}

#[test]
fn the_worked_scores_come_out() {
    // J1, J2.
    assert_near(score(&entry("observation", 1.0, 0.0, 0.0)), 1.0, 6);
    for (days, wanted) in [(7.0, 0.6065), (14.0, 0.3679), (28.0, 0.1353), (9.704, 0.5)] {
        assert_near(score(&entry("observation", 1.0, 0.0, days)), wanted, 4);
    }
    // J3.
    for (category, days) in [("observation", 32.236), ("rule", 35.909)] {
        assert_near(score(&entry(category, 1.0, 0.0, days)), 0.1, 4);
    }
    assert_near(score(&entry("observation", 1.0, 0.0, 32.0)), 0.1017, 4);
    assert_near(score(&entry("observation", 1.0, 0.0, 33.0)), 0.0947, 4);
    // J4.
    let mut rule = entry("rule", 5.0, 0.0, 100.0);
    rule.reinforced = 3;
    assert_near(score(&rule), 1.3, 6);
    rule.reinforced = 2;
    assert_near(score(&rule), 0.00103, 5);
    // J5, J6.
    assert_near(score(&entry("observation", 5.0, 2.0, 0.0)), 0.7143, 4);
    assert_near(score(&entry("observation", 5.0, 3.0, 0.0)), 0.625, 6);
    assert_near(score(&entry("observation", 1.0, 3.0, 0.0)), 0.25, 6);
    assert_near(score(&entry("observation", 1.0, 4.5, 0.0)), 0.1818, 4);
    // J8.
    let mut causal = entry("causal", 5.0, 1.0, 20.0);
    causal.reinforced = 3;
    assert_near(score(&causal), 0.9167, 4);
    assert_near(score(&entry("rule", 4.0, 1.0, 3.0)), 0.8394, 4);
}

#[test]
fn a_task_of_the_same_kind_raises_the_score_once_for_each_kind_of_likeness() {
    // J7: a label and the phase match.
    let mut rule = entry("rule", 6.0, 1.5, 10.0);
    rule.tags = raw(&["Auth", "api", "login"]);
    rule.phases = raw(&["review"]);
    rule.files = raw(&["src/login.rs"]);
    let settings = RecallSettings::default();
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let of = |labels: &[&str], files: &[&str], phase| {
        let context = Context::new(&texts(labels), &texts(files), phase, &settings.process_label);
        score_entry(&rule, &context, NOW, &settings)
    };
    assert_near(of(&["auth", "API", "login"], &["src/other.rs"], Some("Review")), 0.585_492, 6);
    let plain = of(&[], &[], None);
    assert_near(of(&["auth"], &["./src/login.rs"], Some("review")) / plain, 1.25, 6);
    assert_near(of(&["jkz:step"], &["login.rs"], Some("plan")) / plain, 1.0, 6);
    // J3: at 39.033 days a rule with all of it is at the limit, at 42 below it.
    let mut old = rule;
    (old.successes, old.failures) = (1.0, 0.0);
    let context = Context::new(&texts(&["auth"]), &texts(&["src/login.rs"]), Some("review"), "");
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "days of a test")]
    for (days, wanted) in [(39.033, 0.1), (42.0, 0.0809)] {
        old.used_micros = NOW - (days * DAY as f64) as i64;
        assert_near(score_entry(&old, &context, NOW, &settings), wanted, 4);
    }
}

#[test]
fn figures_that_make_no_sense_are_worth_nothing() {
    for (successes, failures) in [(0.0, 0.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0), (f64::INFINITY, f64::INFINITY)] {
        let worth = score(&entry("rule", successes, failures, 0.0));
        assert!(worth.abs() < f64::EPSILON, "{successes} {failures}: {worth}");
    }
    // A use that lies ahead of the clock has not faded.
    assert_near(score(&entry("observation", 1.0, 0.0, -5.0)), 1.0, 9);
}

#[test]
fn the_worked_budgets_come_out() {
    // J16: the block of three lines, counted line by line.
    let shown = |id: &'static str, summary: &'static str, validated, ignored, worth, via: Option<&str>| {
        let mut entry = entry("observation", 1.0, 0.0, 0.0);
        (entry.id, entry.summary, entry.validated, entry.ignored) = (id.into(), summary.into(), validated, ignored);
        Candidate {
            entry,
            score: worth,
            relevance: 0.0,
            similarity: None,
            via: via.map(str::to_owned),
            tossed: None,
            has_turn: false,
        }
    };
    let candidates = [
        shown("P-001", "Validate webhook signatures before parsing the body", 5, 0, 0.9, None),
        shown("P-002", "Unbounded retries hide upstream timeouts because errors are swallowed", 1, 3, 0.5, None),
        shown("P-003", "Config loader falls back silently on missing keys", 1, 0, 0.42, Some("auditor")),
    ];
    let lines: Vec<String> = candidates.iter().map(|candidate| historical_line(candidate, 240)).collect();
    let block = Block::new(Style::Historical(Some("judge".to_owned())));
    let text = block.render(&lines, 0);
    assert_eq!(
        text,
        "=== HISTORICAL PATTERNS (judge) ===\n\
         - [5x validated] Validate webhook signatures before parsing the body\n\
         - [-2 net, 3x ignored] Unbounded retries hide upstream timeouts because errors are swallowed\n\
         - [score:0.42] Config loader falls back silently on missing keys (via:auditor)\n\
         === END HISTORICAL PATTERNS ===\n"
    );
    assert_eq!((text.chars().count(), characters_as_tokens(&text)), (309, 78));
    let tokens: Vec<usize> = lines.iter().map(|line| characters_as_tokens(&format!("{line}\n"))).collect();
    assert_eq!(tokens, [18, 24, 20]);
    let frame = |_| block.count(0, &characters_as_tokens);
    assert_eq!(frame(3), 9 + 8);
    // J17.
    for (budget, reach, shown, taken) in [
        (800, Reach::Full, 3, 79),
        (500, Reach::Full, 3, 79),
        (79, Reach::Full, 3, 79),
        (60, Reach::Truncated, 2, 59),
        (40, Reach::Truncated, 1, 35),
        (34, Reach::None, 0, 0),
    ] {
        let fit = fit_lines(&tokens, None, frame, budget);
        assert_eq!((fit.reach, fit.lines, fit.tokens), (reach, shown, taken), "{budget}");
    }
    // A summary goes before the first lines, if it fits.
    let fit = fit_lines(&tokens, Some(40), frame, 60);
    assert_eq!((fit.reach, fit.lines, fit.tokens), (Reach::Summary, 0, 57));
    assert_eq!(fit_lines(&tokens, Some(60), frame, 60).reach, Reach::Truncated);
    // J18.
    let long = vec![characters_as_tokens(&("x".repeat(100) + "\n")); 40];
    assert_eq!(long[0], 26);
    assert_eq!(fit_lines(&long, None, frame, 800).lines, 30);
    assert_eq!(fit_lines(&long, None, frame, 500).lines, 18);
}

/// A question with nothing in it.
pub(super) fn question(purpose: Purpose) -> Question<'static> {
    Question {
        purpose,
        agent: Some("code:plan-writer"),
        role: None,
        repo: Some("shop"),
        project: Some("mine"),
        context: Context::default(),
        task: None,
        only_fitting: false,
        rater: None,
        tool: None,
        priority: &[],
        without: &[],
        similarities: None,
        is_governed: false,
        prune: Prune::Hidden,
        tosser: None,
        is_unfiltered: false,
        now_micros: NOW,
    }
}

pub(super) fn recall(
    entries: impl Iterator<Item = Entry<'static>>,
    question: &Question<'_>,
    settings: &InjectSettings,
) -> Vec<Candidate> {
    let mut selection = Selection::new(question, settings, settings.most_historical);
    entries.for_each(|entry| selection.offer(entry));
    selection.finish().0
}

pub(super) fn ids(candidates: &[Candidate]) -> Vec<String> {
    candidates.iter().map(|candidate| candidate.entry.id.clone().into_owned()).collect()
}

pub(super) fn named(id: &'static str, change: impl FnOnce(&mut Entry<'static>)) -> Entry<'static> {
    let mut entry = Entry { id: id.into(), ..entry("mistake", 1.0, 0.0, 0.0) };
    change(&mut entry);
    entry
}

#[test]
fn a_pattern_is_shown_to_whom_it_is_for() {
    let entries = vec![
        named("P-001", |_| {}),
        named("P-002", |entry| entry.repo = "shop".into()),
        named("P-003", |entry| entry.repo = "other".into()),
        named("P-004", |entry| entry.repo = "*".into()),
        named("P-005", |entry| entry.applies_to = raw(&["plan-writer"])),
        named("P-006", |entry| entry.applies_to = raw(&["code:plan-writer", "x"])),
        named("P-007", |entry| entry.applies_to = raw(&["writer", "plan", "code"])),
        named("P-008", |entry| entry.applies_to = raw(&["x", "*"])),
        named("P-009", |entry| entry.flag = Flag::Prune),
        named("P-010", |entry| entry.flag = Flag::Stale),
        named("P-011", |entry| entry.project = "other".into()),
        named("P-012", |entry| entry.project = "mine".into()),
        named("P-013", |entry| entry.repo = "".into()),
        named("P-014", |_| {}),
    ];
    let without = ["P-014".to_owned()];
    let settings = InjectSettings::default();
    let asked = Question { without: &without, ..question(Purpose::Turn) };
    let found = recall(entries.clone().into_iter(), &asked, &settings);
    assert_eq!(ids(&found), ["P-001", "P-002", "P-004", "P-005", "P-006", "P-008", "P-010", "P-012", "P-013"]);
    let original = Question { prune: Prune::Shown, without: &without, ..question(Purpose::Turn) };
    assert!(ids(&recall(entries.clone().into_iter(), &original, &settings)).contains(&"P-009".to_owned()));
    let nobody = Question { agent: None, repo: None, project: None, ..question(Purpose::Turn) };
    assert_eq!(ids(&recall(entries.into_iter(), &nobody, &settings)), ["P-001", "P-004", "P-008", "P-010", "P-013", "P-014"]);
}

/// The coins of a unit with a known salt, all of the same chance.
fn tosser(unit: &str, chance: f64) -> impl Fn(&Entry<'_>) -> Option<Tossed> {
    let (salt, unit) = (Salt::new("s1".to_owned()), unit.to_owned());
    move |entry| {
        let is_shown = salt.toss(&unit, &entry.id, chance).is_shown;
        (chance > 0.0).then_some(Tossed { chance, is_shown, turn: salt.turn(&unit, &entry.id) })
    }
}

#[test]
fn a_pattern_to_be_pruned_stands_behind_all_others_whichever_way_its_coin_falls() {
    let settings = InjectSettings { most_historical: 2, ..InjectSettings::default() };
    let found = |unit: &str, chance: f64| {
        let toss = tosser(unit, chance);
        // By its figures its rank is the best of all.
        let entries = [named("P-001", |entry| entry.flag = Flag::Prune), named("P-002", |_| {})];
        let asked = Question { tosser: Some(Tosser(&toss)), ..question(Purpose::Turn) };
        recall(entries.into_iter(), &asked, &settings)
    };
    let units: Vec<String> = (0..1000).map(|number| format!("run-{number}")).collect();
    let mut shown = 0;
    for unit in &units {
        let found = found(unit, 0.1);
        assert_eq!(ids(&found), ["P-002", "P-001"]);
        let tossed = found[1].tossed.expect("a coin");
        assert_eq!(tossed.is_shown, Salt::new("s1".to_owned()).toss(unit, "P-001", 0.1).is_shown);
        shown += usize::from(tossed.is_shown);
    }
    assert!((70..130).contains(&shown), "{shown}");
    assert_eq!(ids(&found("run-1", 0.0)), ["P-002"], "without a chance it is hidden");
    assert_eq!(ids(&found("run-1", 1.0)), ["P-002", "P-001"]);
}

/// A full block would keep patterns with a low coin from ever being acquitted, so one of them has a place; each has its turn.
#[test]
fn patterns_with_a_low_coin_take_turns_at_one_place_of_a_full_block() {
    let settings = InjectSettings { most_historical: 8, ..InjectSettings::default() };
    let entries: Vec<Entry<'static>> = (0..20)
        .map(|number| Entry { id: format!("P-{number:03}").into(), coin: (number < 5).then_some(0.1), ..named("P-000", |_| {}) })
        .collect();
    let mut turns: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for unit in 0..500 {
        let unit = format!("run-{unit}");
        let toss = tosser(&unit, 0.1);
        let asked = Question { tosser: Some(Tosser(&toss)), ..question(Purpose::Turn) };
        let found = recall(entries.clone().into_iter(), &asked, &settings);
        let usual: Vec<String> = ids(&found).split_off(1);
        assert_eq!(usual, ["P-005", "P-006", "P-007", "P-008", "P-009", "P-010", "P-011"]);
        assert!(found[0].has_turn && found[1..].iter().all(|other| !other.has_turn));
        *turns.entry(found[0].entry.id.to_string()).or_default() += 1;
    }
    assert_eq!(turns.len(), 5, "{turns:?}");
    assert!(turns.values().all(|turns| (70..130).contains(turns)), "{turns:?}");
}

#[test]
fn a_verdict_overrules_a_flag_and_harm_hides_where_nobody_is_counted() {
    let settings = InjectSettings::default();
    let entries = || {
        [
            named("P-001", |entry| (entry.flag, entry.coin) = (Flag::Prune, Some(0.8))),
            named("P-002", |entry| entry.coin = Some(0.1)),
            named("P-003", |entry| entry.flag = Flag::Prune),
        ]
    };
    assert_eq!(ids(&recall(entries().into_iter(), &question(Purpose::Turn), &settings)), ["P-001"]);
    let toss = tosser("u", 1.0);
    let asked = Question { tosser: Some(Tosser(&toss)), ..question(Purpose::Turn) };
    // The place of one that is mostly withheld is kept before all others.
    assert_eq!(ids(&recall(entries().into_iter(), &asked, &settings)), ["P-002", "P-001", "P-003"]);
}

#[test]
fn order_goes_by_what_coins_have_shown_by_token() {
    let settings = InjectSettings::default();
    let of = |id, worth, summary: String| named(id, move |entry| (entry.worth, entry.summary) = (worth, summary.into()));
    let short = || "Check the lock now".to_owned();
    let long = || format!("Check the lock {}", "x".repeat(140));
    let entries = vec![
        of("P-001", None, short()),
        of("P-002", Some(0.05), long()),
        of("P-003", Some(0.04), short()),
        of("P-004", Some(-0.01), long()),
        of("P-005", Some(-0.02), short()),
        of("P-006", Some(0.30), long()),
    ];
    // 0.3 / 39 > 0.04 / 5; what does harm does more of it the longer it is.
    let wanted = ["P-003", "P-006", "P-002", "P-001", "P-005", "P-004"];
    assert_eq!(ids(&recall(entries.clone().into_iter(), &question(Purpose::Turn), &settings)), wanted);
    let original = InjectSettings { order: Order::Confidence, ..settings };
    let file = ["P-001", "P-002", "P-003", "P-004", "P-005", "P-006"];
    assert_eq!(ids(&recall(entries.into_iter(), &question(Purpose::Turn), &original)), file, "who wants another order gets it");
}

#[test]
fn categories_come_in_the_order_of_the_goal_then_what_is_worth_more() {
    let of = |id, category: &'static str, successes, confidence: &'static str| {
        named(id, |entry| {
            (entry.category, entry.successes, entry.failures, entry.confidence) =
                (category.into(), successes, 1.0, Confidence::from_word(confidence));
        })
    };
    let entries = vec![
        of("P-001", "insight", 9.0, "high"),
        of("P-002", "pattern", 1.0, "low"),
        of("P-003", "mistake", 1.0, "high"),
        of("P-004", "convention", 1.0, "medium"),
        of("P-005", "mistake", 3.0, "medium"),
        of("P-006", "pitfall", 2.0, "odd"),
        of("P-007", "never heard of", 9.0, "high"),
        of("P-008", "mistake", 3.0, "medium"),
    ];
    let settings = InjectSettings::default();
    let ask = |question: &Question<'_>, settings| ids(&recall(entries.clone().into_iter(), question, settings));
    assert_eq!(ask(&question(Purpose::Turn), &settings), ["P-005", "P-008", "P-006", "P-003", "P-004", "P-002", "P-001", "P-007"]);
    let by_confidence = InjectSettings { order: Order::Confidence, ..settings.clone() };
    assert_eq!(
        ask(&question(Purpose::Turn), &by_confidence),
        ["P-003", "P-005", "P-008", "P-006", "P-004", "P-002", "P-001", "P-007"]
    );
    let priority = ["convention".to_owned(), "pattern".to_owned()];
    let goal = Question { priority: &priority, ..question(Purpose::Turn) };
    assert_eq!(ask(&goal, &settings)[..2], ["P-004", "P-002"]);
    assert_eq!(ask(&goal, &by_confidence), ["P-004", "P-002", "P-001", "P-003", "P-007", "P-005", "P-008", "P-006"]);
    // Of two of a category, the one that is about the changed files comes first.
    let relevant =
        vec![of("P-001", "mistake", 9.0, "high"), named("P-002", |entry| entry.summary = "Login api needs tests".into())];
    let rater = Rater::new(&["src/api/login.rs".to_owned()], &RelevanceSettings::default());
    let by_files = Question { rater: Some(&rater), ..question(Purpose::Turn) };
    assert_eq!(ids(&recall(relevant.into_iter(), &by_files, &settings)), ["P-002", "P-001"]);
}

#[test]
fn a_role_sees_its_own_patterns_and_some_of_its_kin() {
    let settings = InjectSettings::default();
    let mut entries: Vec<Entry<'static>> =
        ["P-001", "P-002", "P-003", "P-004"].map(|id| named(id, |entry| entry.role = "judge".into())).into();
    entries.extend(["P-005", "P-006", "P-007"].map(|id| named(id, |entry| entry.role = "auditor".into())));
    entries.push(named("P-008", |entry| entry.role = "curator".into()));
    entries.push(named("P-009", |entry| (entry.successes, entry.failures) = (1.0, 9.5)));
    let asked = Question { role: Some("judge"), ..question(Purpose::Role) };
    let found = recall(entries.clone().into_iter(), &asked, &settings);
    // Four own ones let in two others: a third of six. P-009 is worth less than the least.
    assert_eq!(ids(&found), ["P-001", "P-002", "P-003", "P-004", "P-005", "P-006"]);
    assert_eq!(found[4].via.as_deref(), Some("auditor"));
    assert_near(found[4].score, 0.8, 9);
    // A role that has learned nothing itself gets what its kin has learned.
    let newcomer = Question { role: Some("sentinel"), ..question(Purpose::Role) };
    let found = recall(entries.clone().into_iter(), &newcomer, &settings);
    assert_eq!(ids(&found), ["P-001", "P-002", "P-003", "P-004", "P-005", "P-006", "P-007"]);
    assert!(found.iter().all(|candidate| candidate.via.is_some()));
    // One whose own patterns are worth nothing does not.
    entries.push(named("P-010", |entry| {
        (entry.role, entry.successes, entry.failures) = ("sentinel".into(), 1.0, 30.0);
    }));
    assert_eq!(ids(&recall(entries.clone().into_iter(), &newcomer, &settings)), [""; 0]);
    let stranger = Question { role: Some("stranger"), ..question(Purpose::Role) };
    assert_eq!(ids(&recall(entries.into_iter(), &stranger, &settings)), [""; 0]);
}

#[test]
fn worth_then_successes_then_use_then_number_put_a_role_s_patterns_in_order() {
    let settings = InjectSettings::default();
    let of = |id, successes, failures, reinforced, used| {
        named(id, |entry| {
            (entry.successes, entry.failures, entry.reinforced, entry.used_micros) = (successes, failures, reinforced, used);
        })
    };
    let entries = vec![
        of("P-010", 1.0, 0.0, 3, NOW),
        of("P-009", 1.0, 0.0, 3, NOW),
        of("P-001", 2.0, 0.0, 3, 0),
        of("P-002", 1.0, 0.0, 3, NOW + 5),
        of("P-003", 1.0, 1.0, 3, NOW),
    ];
    let found = recall(entries.into_iter(), &question(Purpose::Role), &settings);
    assert_eq!(ids(&found), ["P-001", "P-002", "P-009", "P-010", "P-003"]);
}

fn beside(tool: ToolUse<'_>, matching: TagMatch, summary: &'static str, tags: &[&str]) -> bool {
    let matcher = ToolMatcher::new(tool, &InjectSettings::default(), matching);
    let texts: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
    matcher.is_beside(&named("P-001", |entry| {
        (entry.summary, entry.tags, entry.words) = (summary.into(), raw(tags), words_to_find(summary, &texts).into());
    }))
}

#[test]
fn a_tool_gets_what_it_is_about() {
    let bash = |command| ToolUse { name: "Bash", command: Some(command), path: None };
    let edit = |path| ToolUse { name: "Edit", command: None, path: Some(path) };
    let word = TagMatch::Word;
    assert!(beside(bash("ls"), word, "Run the build twice", &[]));
    assert!(beside(bash("ls"), word, "Mind the cache", &["test"]));
    assert!(!beside(bash("ls"), word, "Decode the latest click", &[]), "no tag as a word");
    assert!(beside(bash("ls"), TagMatch::Substring, "Decode the latest click", &[]), "the original looks anywhere");
    assert!(beside(bash("terraform apply -auto-approve"), word, "Never terraform on a Friday", &[]));
    assert!(!beside(bash("git push --with lease"), word, "Deploy with care", &[]), "a stopword says nothing");
    assert!(!beside(bash("sed -i s/1234/5678/ a"), word, "Port 1234 is taken", &[]), "a number says nothing");
    assert!(!beside(edit("a/b.rs"), word, "Terraform needs a lock", &[]));
    assert!(beside(edit("a/b.py"), word, "Python needs a virtual environment", &[]));
    assert!(!beside(edit("a/b.rs"), word, "Python needs a virtual environment", &[]));
    assert!(beside(edit("a/b.PY"), word, "Python needs a virtual environment", &[]));
    assert!(beside(edit("a/b.rs"), word, "Mind the design-system tokens", &[]), "a tag of two words");
    assert!(!beside(edit("a/b.rs"), word, "Mind the system design", &[]));
    assert!(!beside(edit("a/b.rs"), word, "Mind the design", &["system"]), "words of two texts do not stand together");
    assert!(!beside(ToolUse { name: "Read", command: None, path: Some("a.py") }, word, "Python", &["python"]));
    assert!(beside(ToolUse { name: "Write", command: None, path: Some("a.json") }, word, "Config goes last", &[]));
}

/// Patterns in no order, some of them alike.
fn heap() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    proptest::collection::vec((0_u8..4, 0_u8..4, 0_u8..3), 0..60)
}

proptest! {
    #[test]
    fn the_best_that_are_chosen_on_the_way_are_the_first_of_all_sorted(heap in heap(), most in 0_usize..20, by_score: bool) {
        let settings = InjectSettings { order: if by_score { Order::Score } else { Order::Confidence }, ..InjectSettings::default() };
        let categories = ["mistake", "convention", "pattern", "insight"];
                let entries: Vec<Entry<'static>> = heap
            .iter()
            .enumerate()
            .map(|(place, (category, failures, confidence))| Entry {
                id: format!("P-{:03}", 999 - place).into(),
                category: categories[usize::from(*category)].into(),
                confidence: Some(Confidence::ALL[usize::from(*confidence)]),
                failures: f64::from(*failures),
                ..entry("mistake", 1.0, 0.0, 0.0)
            })
            .collect();
        let asked = question(Purpose::Turn);
        let mut selection = Selection::new(&asked, &settings, most);
        entries.iter().cloned().for_each(|entry| selection.offer(entry));
        let (chosen, fitting) = selection.finish();
        prop_assert_eq!(fitting, entries.len());
        let mut sorted: Vec<(usize, &(u8, u8, u8))> = heap.iter().enumerate().collect();
        // Of equal worth the lower number comes first, and numbers fall; of equal confidence the file's order stays.
        sorted.sort_by_key(|(place, (category, failures, confidence))| {
            if by_score { (*category, *failures, 999 - *place) } else { (*category, *confidence, *place) }
        });
        let wanted: Vec<String> = sorted.iter().take(most).map(|(place, _)| format!("P-{:03}", 999 - place)).collect();
        prop_assert_eq!(ids(&chosen), wanted);
    }

    #[test]
    fn what_is_withheld_depends_on_salt_unit_and_pattern_alone(salt in "[a-z0-9]{1,20}", unit in ".{1,20}", pattern in "P-[0-9]{3}") {
        let salt = Salt::new(salt);
        prop_assert!(!salt.toss(&unit, &pattern, 0.0).is_shown);
        prop_assert!(salt.toss(&unit, &pattern, 1.0).is_shown);
        // Whoever shows more shows the same and others.
        prop_assert!(!salt.toss(&unit, &pattern, 0.3).is_shown || salt.toss(&unit, &pattern, 0.6).is_shown);
    }

    /// What is chosen, and in which order, does not depend on how any coin fell: so an arm changes nothing but the pattern itself.
    #[test]
    fn what_is_chosen_is_the_same_whichever_way_coins_fall(
        chances in proptest::collection::vec(0.01..1.0_f64, 1..40),
        most in 1_usize..20,
        unit in "[a-z]{1,8}",
        heads in any::<u64>(),
    ) {
        let entries: Vec<Entry<'static>> = chances.iter().enumerate().map(|(number, chance)| Entry {
            id: format!("P-{number:03}").into(),
            coin: Some(*chance),
            ..entry("mistake", 1.0, 0.0, 0.0)
        }).collect();
        let settings = InjectSettings { most_historical: most, ..InjectSettings::default() };
        let salt = Salt::new("s1".to_owned());
        let chosen = |is_shown: &dyn Fn(&str) -> bool| {
            let toss = |entry: &Entry<'_>| Some(Tossed { chance: 0.5, is_shown: is_shown(&entry.id), turn: salt.turn(&unit, &entry.id) });
            let asked = Question { tosser: Some(Tosser(&toss)), ..question(Purpose::Turn) };
            ids(&recall(entries.clone().into_iter(), &asked, &settings))
        };
        let all = chosen(&|_| true);
        prop_assert_eq!(&chosen(&|_| false), &all);
        let some = |id: &str| heads >> (id[2..].parse::<u32>().unwrap_or(0) % 64) & 1 == 1;
        prop_assert_eq!(&chosen(&some), &all);
    }

    /// Where a pattern stands, and whether it is withheld, does not depend on the coins of others with a place.
    #[test]
    fn the_order_is_the_same_whatever_coins_say(chances in proptest::collection::vec(0.5..1.0_f64, 1..30), unit in "[a-z]{1,8}") {
        let entries: Vec<Entry<'static>> = chances.iter().enumerate().map(|(number, chance)| Entry {
            id: format!("P-{number:03}").into(),
            coin: Some(*chance),
            ..entry("mistake", 1.0, 0.0, 0.0)
        }).collect();
        let settings = InjectSettings::default();
        let toss = tosser(&unit, 0.5);
        let asked = Question { tosser: Some(Tosser(&toss)), ..question(Purpose::Turn) };
        let with = recall(entries.clone().into_iter(), &asked, &settings);
        let without = recall(entries.into_iter(), &question(Purpose::Turn), &settings);
        prop_assert_eq!(ids(&with), ids(&without));
    }

    #[test]
    fn what_fits_stays_within_the_budget_and_nothing_more_would(
        lines in proptest::collection::vec(1_usize..60, 0..40),
        summary in proptest::option::of(1_usize..200),
        frame in 0_usize..100,
        budget in 0_usize..900,
    ) {
        let fit = fit_lines(&lines, summary, |_| frame, budget);
        prop_assert!(fit.tokens <= budget);
        match fit.reach {
            Reach::Full => prop_assert_eq!(fit.lines, lines.len()),
            Reach::Summary => prop_assert!(lines.iter().sum::<usize>() + frame > budget),
            Reach::Truncated => {
                prop_assert!(fit.lines < lines.len());
                prop_assert!(fit.tokens + lines[fit.lines] > budget);
                prop_assert!(summary.is_none_or(|summary| summary + frame > budget));
            }
            Reach::None => prop_assert!(lines.is_empty() || lines[0] + frame > budget),
        }
    }
}

#[test]
fn the_part_that_is_withheld_is_the_part_that_was_asked_for() {
    let salt = Salt::new("any".to_owned());
    let toss = |number: usize| salt.toss(&format!("run-{}", number / 100), &format!("P-{:03}", number % 100), 0.9);
    let held = (0..20_000).filter(|number| !toss(*number).is_shown).count();
    assert!((1_800..2_200).contains(&held), "{held}");
}
