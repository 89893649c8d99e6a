//! Errors in settings: the file, the line and the column, what may be written, and what a wrong name means.

use std::path::Path;

use proptest::prelude::*;
use setting::{known_settings, parse_settings};

use super::{Shown, shown};

fn refused(text: &str) -> String {
    let error = parse_settings(text).expect_err(text);
    error.at(Path::new("outerloop.toml")).to_string()
}

/// A file that sets one key, on its second line.
fn setting(key: &str, value: &str) -> String {
    match key.rsplit_once('.') {
        Some((section, name)) => format!("[{section}]\n{name} = {value}\n"),
        None => format!("\n{key} = {value}\n"),
    }
}

#[test]
fn a_number_out_of_range_is_shown_with_its_place_and_the_range() {
    let error = refused("# ours\n[rate]\ngoal_weighted = true\nmissed_goal = 1.5 # half\n");
    let wanted = "\
error: `rate.missed_goal` is 1.5
 --> outerloop.toml:4:15
4 | missed_goal = 1.5 # half
  |               ^^^
remedy: write a number from 0 to 1";
    assert_eq!(error, wanted);
}

#[test]
fn an_unknown_key_is_shown_with_its_place_and_what_was_meant() {
    let error = refused("[hook]\r\n  \"sesion\" = true\r\n");
    let wanted = "\
error: there is no setting `hook.sesion`
 --> outerloop.toml:2:3
2 |   \"sesion\" = true
  |   ^^^^^^^^
remedy: did you mean `hook.session`? `outerloop init --print-settings` shows all of them";
    assert_eq!(error, wanted);
}

#[test]
fn a_value_of_a_wrong_type_is_shown_with_its_place_and_what_may_be_written() {
    for (text, what, place, marked, remedy) in [
        ("[hook]\nsession = 'maybe'", "`hook.session` is 'maybe'", "2:11", 7, "write true or false"),
        ("[compact]\nheld_ids = \"many\"", "`compact.held_ids` is \"many\"", "2:12", 6, "write a whole number of at least 0"),
        (
            "[observe]\nbatch_size = 0xFFFFFFFFFF",
            "`observe.batch_size` is 0xFFFFFFFFFF",
            "2:14",
            12,
            "write a whole number from 1 to 20",
        ),
        ("compat = 3", "`compat` is 3", "1:10", 1, "write `none` or `closedloop`"),
        ("compat = \"x\"", "`compat` is \"x\"", "1:10", 3, "write `none` or `closedloop`"),
        ("rate.build_agents = 3", "`rate.build_agents` is 3", "1:21", 1, "write a list, each item a text in quotes"),
        ("publish = 3", "`publish` is 3", "1:11", 1, "write a table of settings"),
        ("[inject.tools]\nBash = 3", "`inject.tools.Bash` is 3", "2:8", 1, "write a table, each value a list, each item a text"),
        ("[memory]\nweights = [0.5]", "`memory.weights` is [0.5]", "2:11", 5, "write a list of five numbers, each from 0 to 1"),
        ("[[publish.targets]]\nfile = \"x\"", "`to` is missing in `publish.targets`", "1:1", 19, "add `to`"),
        ("[[publish.targets]]\nfil = \"x\"", "there is no setting `publish.targets.fil`", "2:1", 3, "write `file` or `to`"),
        ("[observation.workflow]\nrequired = 2", "`spread_days` is missing in", "1:1", 22, "add `spread_days`"),
    ] {
        let error = refused(text);
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines[0].contains(what), "{error}");
        assert_eq!(lines[1], format!(" --> outerloop.toml:{place}"), "{error}");
        assert_eq!(lines[3].trim_start_matches([' ', '|']), "^".repeat(marked), "{error}");
        assert!(lines[4].starts_with(&format!("remedy: {remedy}")), "{error}");
    }
}

#[test]
fn text_that_is_not_toml_is_shown_with_its_place() {
    let error = refused("[hook]\nsession = tru\u{1b}e\n");
    assert!(error.starts_with("error: the settings are not valid TOML\n --> outerloop.toml:2:"), "{error}");
    assert!(error.contains("\n2 | session = tru e\n") && error.contains("\ncause: ") && !error.contains('\u{1b}'), "{error}");
    assert!(refused("[hook").contains("outerloop.toml:1:6\n1 | [hook\n  |      ^\n"));
    assert!(refused("a = 1\na = 2").contains("outerloop.toml:2:1\n"));
}

#[test]
fn a_long_line_is_cut_around_what_is_wrong() {
    let error = refused(&format!("rate = {{ build_agents = [{}], missed_goal = 7 }}", "\"agent\", ".repeat(1000)));
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[2].len() < 130 && lines[2].contains("missed_goal = 7"), "{error}");
    assert_eq!(lines[2].find(" 7 ").map(|at| at + 1), lines[3].find('^'), "{error}");
}

#[test]
fn settings_that_contradict_each_other_are_shown_where_the_file_says_so() {
    for (text, what, line) in [
        ("[memory]\narchive = 0.9", "`memory.archive` is 0.9, more than `memory.promote`", "2 | archive = 0.9"),
        ("[memory]\npromote = 0.3", "`memory.archive` is 0.4, more than `memory.promote`", "2 | promote = 0.3"),
        ("[artifact]\nceiling = 40", "`artifact.soft_start` is 50, more than `artifact.ceiling`", "2 | ceiling = 40"),
        ("[inject]\ntokens = 99", "`inject.tokens` is 99, less than `inject.least_tokens`", "2 | tokens = 99"),
        ("[inject]\ntokens = 900\nleast_tokens = 850", "`inject.adversarial_tokens` is 800", "3 | least_tokens = 850"),
        ("[overlay]\nrisky_below = 0.95", "`overlay.risky_below` is 0.95", "2 | risky_below = 0.95"),
        ("[overlay]\nfew_retries = 3", "`overlay.few_retries` is 3, more than `overlay.retries`", "2 | few_retries = 3"),
        ("[threshold]\nleast = 0.6", "`threshold.low` is 0.55", "2 | least = 0.6"),
        ("[threshold]\nhigh = 0.91", "`threshold.high` is 0.91", "2 | high = 0.91"),
        ("[threshold]\nlow = 0.55555", "`threshold.low` has the value 0.55555", "2 | low = 0.55555"),
        ("[agent]\nmost = 0.87654", "the reliability of `reviewer` in `agent.profiles` is 0.88", "2 | most = 0.87654"),
        ("[[agent.profiles]]\nagent = \"a\"\nweight = 0\nreliability = 0.5", "the weight of `a` in `agent.profiles` is 0", "1 | "),
        ("[observation]\ndecay = [0.1, 0.2]", "`observation.decay` is [0.1, 0.2]", "2 | decay = [0.1, 0.2]"),
        ("[observation]\ndecay = []", "`observation.decay` is []", "2 | decay = []"),
        ("[embed]\nmodel = \" \"", "`embed.model` is ` `", "2 | model = \" \""),
    ] {
        let error = refused(text);
        assert!(error.contains(what) && error.contains(&format!("\n{line}")) && error.contains("^\nremedy: "), "{error}");
    }
    let twice = "[[agent.profiles]]\nagent = \"a\"\nweight = 1\nreliability = 0.5\n".repeat(2);
    assert!(refused(&twice).contains("`agent.profiles` names an agent twice"));
}

#[test]
fn an_experiment_that_compares_nothing_or_is_misspelt_is_refused_with_its_name() {
    for (text, what, remedy) in [
        ("[truth.experiment.a]\nshare = 0.5", "the experiment `a` changes nothing", "add `tokens`"),
        ("[truth.experiment.a]\nshare = 1.0\ntokens = 300", "`truth.experiment.a.share` is 1.0", "from 0.01 to 0.99"),
        ("[truth.experiment.a]\ncoin = 1.5", "`truth.experiment.a.coin` is 1.5", "from 0 to 1"),
        ("[truth.experiment.a]\ntoken = 300", "there is no setting `truth.experiment.a.token`", "all of them"),
        ("[truth.experiment.a]\ntokens = \"many\"", "`truth.experiment.a.tokens` is \"many\"", "a whole number"),
        ("[truth.experiment.a]\norder = \"luck\"", "`truth.experiment.a.order` is \"luck\"", "`score` or `confidence`"),
        ("[truth.experiment.a]\ntokens = 99", "the experiment `a` has `tokens` below", "write at least 100"),
        ("[truth.experiment.a]\ntext = \"Lock\"", "the experiment `a` has only one of", "both or neither"),
        ("[truth.experiment.\"a b\"]\nmost = 3", "the experiment `a b` has a name", "letters, digits"),
        ("[truth.experiment]\na = 3", "`truth.experiment.a` is 3", "a table"),
    ] {
        let error = refused(text);
        assert!(error.contains(what) && error.contains(remedy), "{text}: {error}");
    }
}

#[test]
fn no_key_takes_a_date_and_each_says_so_in_its_line() {
    for key in known_settings() {
        let error = refused(&setting(&key, "1979-05-27"));
        let name = key.rsplit('.').next().expect("a name");
        let place = format!(" --> outerloop.toml:2:{}\n2 | {name} = 1979-05-27\n", name.len() + 4);
        assert!(error.starts_with(&format!("error: `{key}` is 1979-05-27\n{place}")), "{error}");
        assert!(error.contains("^^^^^^^^^^\nremedy: write "), "{error}");
    }
}

#[test]
fn a_slip_in_any_key_finds_the_key() {
    for key in known_settings() {
        let error = refused(&setting(&format!("{key}q"), "1"));
        assert!(error.contains(&format!("there is no setting `{key}q`\n --> outerloop.toml:2:1\n")), "{error}");
        assert!(error.contains(&format!("did you mean `{key}`?")), "{error}");
    }
}

/// The keys whose comments tell a range, with its ends.
fn ranges() -> Vec<(Shown, f64, f64)> {
    let number = |text: &str| text.trim_end_matches('.').parse::<f64>().expect("a number");
    let range = |shown: Shown| {
        let comment = shown.comment.trim_end();
        let after = |start: &str| comment.rsplit_once(start).map(|(_, rest)| rest.to_owned());
        let words = |text: String| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        match (after(" From ").map(words), after(" At least ").map(words), after(" Above ").map(words)) {
            (Some(words), ..) if words.len() == 3 && words[1] == "to" => Some((shown, number(&words[0]), number(&words[2]))),
            (_, Some(words), _) if words.len() == 1 => Some((shown, number(&words[0]), f64::MAX)),
            (_, _, Some(words)) if words.len() == 1 || words.len() == 5 => {
                let most = words.get(4).map_or(f64::MAX, |word| number(word));
                Some((shown, number(&words[0]), most))
            }
            _ => None,
        }
    };
    shown().into_iter().filter_map(range).collect()
}

#[test]
fn most_numbers_have_a_range() {
    assert!(ranges().len() > 85, "{}", ranges().len());
}

proptest! {
    #[test]
    fn any_number_out_of_range_is_refused_with_its_key(index in any::<proptest::sample::Index>(), by in 1e-6..1e9_f64, below in any::<bool>()) {
        let ranges = ranges();
        let (shown, least, most) = &ranges[index.index(ranges.len())];
        let value = if below || *most >= f64::MAX { least - by } else { most + by };
        prop_assume!(!(*least..=*most).contains(&value));
        let error = refused(&setting(&shown.key, &format!("{value:?}")));
        prop_assert!(error.starts_with(&format!("error: `{}` is {value:?}\n --> outerloop.toml:2:", shown.key)), "{error}");
        prop_assert!(error.contains("^\nremedy: write "), "{error}");
    }

    #[test]
    fn any_text_is_parsed_or_refused_with_a_remedy(text in any::<String>(), key in "[a-z]{1,6}", value in "[0-9a-z\"'\\[\\]{}=., \n]{0,20}") {
        for text in [text, format!("[rate]\n{key} = {value}"), format!("{key}.{key} = {value}")] {
            if let Err(error) = parse_settings(&text) {
                prop_assert!(error.to_string().contains("\nremedy: "));
            }
        }
    }
}
