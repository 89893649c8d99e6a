//! Reports of reviewers and verdicts on them, labelled by hand: which line of the report a rejected finding stands on, and which of
//! the role's patterns it speaks of. The labels say what a reader would say, not what the program finds.

use agent::feedback::{Pair, Place, Speech, correct};
use learn::role::{DeliberationRow, RoleLog, VerdictRow, fold_roles, score_roles};
use serde_json::Value;
use setting::Settings;
use text::review::Likeness;

/// The cases that the rules were made with.
const FILES: [&str; 6] = [
    include_str!("labelled/1-web.txt"),
    include_str!("labelled/2-backend.txt"),
    include_str!("labelled/3-front.txt"),
    include_str!("labelled/4-operations.txt"),
    include_str!("labelled/5-data.txt"),
    include_str!("labelled/6-mixed.txt"),
];

/// Cases that were written and labelled before anybody looked at how the rules would take them.
const HELD_OUT: [&str; 2] = [include_str!("labelled/7-reviewers.txt"), include_str!("labelled/8-reviewers.txt")];

/// Cases in other languages, and in other spellings of a verdict.
const LANGUAGES: [&str; 1] = [include_str!("labelled/9-languages.txt")];

struct Case<'c> {
    name: &'c str,
    /// The patterns that the role has said before.
    known: Vec<&'c str>,
    report: &'c str,
    validator: &'c str,
    /// How an entry of the validator's list begins, and a part of the line that it means.
    located: Vec<(&'c str, &'c str)>,
    /// How the patterns begin that are to blame.
    blamed: Vec<&'c str>,
}

fn cases(files: &[&'static str]) -> Vec<Case<'static>> {
    let cases = files.iter().flat_map(|file| file.split("%%%% ").skip(1));
    cases
        .map(|text| {
            let (head, rest) = text.split_once("---- report\n").expect("a report");
            let (report, rest) = rest.split_once("---- validator\n").expect("a validator");
            let (validator, labels) = rest.split_once("---- labels\n").expect("labels");
            let labelled = |kind: &'static str| labels.lines().filter_map(move |line| line.strip_prefix(kind));
            Case {
                name: head.lines().next().expect("a name"),
                known: head.lines().filter_map(|line| line.strip_prefix("known: ")).collect(),
                report,
                validator,
                located: labelled("located ").map(|label| label.split_once(" = ").expect("a line")).collect(),
                blamed: labelled("blamed = ").collect(),
            }
        })
        .collect()
}

/// How often something was found rightly, found wrongly, and missed.
#[derive(Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Tally {
    fn precision(&self) -> f64 {
        f64::from(self.right) / f64::from(self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        f64::from(self.right) / f64::from(self.right + self.missed)
    }
}

/// Compares what was found with what was labelled. Gives what differs.
fn compare<W, F>(wanted: &[W], found: &[F], is_same: impl Fn(&W, &F) -> bool, tally: &mut Tally) -> usize {
    let mut left: Vec<&F> = found.iter().collect();
    let mut missed = 0;
    for wanted in wanted {
        match left.iter().position(|found| is_same(wanted, found)) {
            Some(place) => {
                left.remove(place);
                tally.right += 1;
            }
            None => missed += 1,
        }
    }
    tally.missed += missed;
    tally.wrong += u32::try_from(left.len()).expect("few");
    left.len() + missed as usize
}

/// The patterns that the events of a correction blame.
fn blamed(case: &Case<'_>, events: &[String]) -> Vec<String> {
    let settings = Settings::default();
    let [said, _, verdict] = [0, 1, 2].map(|place| serde_json::from_str::<Value>(&events[place]).expect("JSON"));
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let (patterns, rejected) = (texts(&said["patterns"]), texts(&verdict["rejected"]));
    let mut log = RoleLog::new(&settings, 10);
    let row = DeliberationRow { project: "web", role: "judge", ..DeliberationRow::default() };
    log.add_deliberation(&DeliberationRow {
        id: "known",
        time_micros: 1,
        sequence: 1,
        patterns: case.known.clone(),
        ..row.clone()
    });
    let patterns = patterns.iter().map(|saying| &**saying).collect();
    log.add_deliberation(&DeliberationRow { id: "said", time_micros: 2, sequence: 2, patterns, ..row });
    log.add_verdict(&VerdictRow {
        id: "judged",
        time_micros: 3,
        sequence: 3,
        project: "web",
        adversarial_role: Some("judge"),
        deliberation: Some("said"),
        has_passed: true,
        level: Some(1),
        rejected: rejected.iter().map(|text| &**text).collect(),
        ..VerdictRow::default()
    });
    let scores = score_roles(&log, fold_roles(&log, &settings, 10, None), &settings, 10).scores;
    for score in &scores {
        assert!(score.ignored == 0 || score.reinforced == 0, "{}: rejected and reinforced: {}", case.name, score.text);
    }
    scores.into_iter().filter(|score| score.ignored > 0).map(|score| score.text).collect()
}

/// How well findings are located and patterns blamed in some cases.
fn measure(cases: &[Case<'_>]) -> (Tally, Tally) {
    let (mut located, mut blames) = (Tally::default(), Tally::default());
    for case in cases {
        let [speech, judgement] = [case.report, case.validator].map(|text| Speech { text: text.to_owned(), ..Speech::default() });
        let pair = Pair { role: "judge", speech: &speech, validator: "inspector", judgement: &judgement };
        let place = Place { project: "web".to_owned(), ..Place::default() };
        let correction = correct(pair, &place, Likeness::default(), &|_| true).expect("it fits").expect("a verdict");
        let found: Vec<(&str, &str)> =
            correction.rejected.iter().filter_map(|finding| Some((&*finding.entry, finding.line.as_deref()?))).collect();
        let is_line = |wanted: &(&str, &str), found: &(&str, &str)| {
            found.0.starts_with(wanted.0) && found.1.to_lowercase().contains(&wanted.1.to_lowercase())
        };
        if compare(&case.located, &found, is_line, &mut located) > 0 {
            eprintln!("{}: located {found:#?} instead of {:#?}", case.name, case.located);
        }
        let found = blamed(case, &correction.events);
        if compare(&case.blamed, &found, |wanted, found| found.starts_with(*wanted), &mut blames) > 0 {
            eprintln!("{}: blamed {found:#?} instead of {:#?}", case.name, case.blamed);
        }
    }
    eprintln!("{} cases: located: {located:?}; blamed: {blames:?}", cases.len());
    (located, blames)
}

#[track_caller]
fn assert_good(name: &str, tally: &Tally, least: u32) {
    assert!(tally.right >= least, "{name}: {tally:?}");
    assert!(tally.precision() >= 0.95, "{name}: precision {:.3} of {tally:?}", tally.precision());
    assert!(tally.recall() >= 0.95, "{name}: recall {:.3} of {tally:?}", tally.recall());
}

#[test]
fn findings_and_patterns_are_those_that_a_reader_would_name() {
    let cases = cases(&FILES);
    assert!(cases.len() >= 60, "{}", cases.len());
    let (located, blames) = measure(&cases);
    assert_good("located", &located, 65);
    assert_good("blamed", &blames, 60);
}

#[test]
fn so_are_those_in_other_languages() {
    let cases = cases(&LANGUAGES);
    let (located, blames) = measure(&cases);
    assert_good("located", &located, 8);
    assert_good("blamed", &blames, 6);
}

#[test]
fn so_are_those_of_reviewers_that_nobody_had_in_mind() {
    let cases = cases(&HELD_OUT);
    assert!(cases.len() >= 30, "{}", cases.len());
    let (located, blames) = measure(&cases);
    assert_good("located", &located, 30);
    assert_good("blamed", &blames, 30);
}
