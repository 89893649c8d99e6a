//! The file with comments, made from the definitions.

use std::collections::BTreeMap;

use proptest::prelude::*;
use setting::{
    ExperimentSettings, Metric, Order, RiskLevel, Settings, Target, Tossing, known_settings, parse_settings, render_settings,
};

use super::{shown, template};

#[test]
fn every_key_stands_in_the_file_once_under_a_comment_of_its_own() {
    let shown = shown();
    let mut keys: Vec<&str> = shown.iter().map(|shown| &*shown.key).collect();
    let mut known = known_settings();
    keys.sort_unstable();
    known.sort_unstable();
    assert_eq!(keys, known);
    for shown in shown {
        assert!(shown.comment.trim_end().ends_with(['.', ')']) && shown.comment.len() > 15, "{}: {}", shown.key, shown.comment);
    }
}

#[test]
fn the_file_says_the_defaults() {
    assert_eq!(parse_settings(&template()), Ok(Settings::default()));
    assert_eq!(parse_settings(""), Ok(Settings::default()));
}

#[test]
fn comments_and_lists_are_wrapped() {
    for line in template().lines().filter(|line| !line.contains(" = ")) {
        assert!(line.chars().count() <= 120 && line.trim_end() == line, "{line}");
    }
    assert!(template().contains("learning_agents = [\n    \"plan-draft-writer\", \"plan-writer\", "));
}

#[test]
fn every_example_is_valid_without_its_comment_sign_and_says_something() {
    let template = template();
    for shown in shown().into_iter().filter(|shown| shown.is_example) {
        let mut lines: Vec<&str> = template.lines().collect();
        lines[shown.line] = &lines[shown.line][2..];
        let settings = parse_settings(&lines.join("\n")).unwrap_or_else(|error| panic!("{}: {error}", shown.key));
        assert_ne!(settings, Settings::default(), "{}", shown.key);
    }
}

/// The comments must not outgrow their keys: the range is told by the definition, not by hand.
#[test]
fn ranges_are_told_in_the_comments() {
    for (key, range) in [
        ("rate.missed_goal", "From 0 to 1."),
        ("observe.batch_size", "From 1 to 20."),
        ("publish.keep", "At least 1."),
        ("inject.score.rule", "Above 0."),
        ("overlay.trusted_multiplier", "Above 0 and at most 1."),
        ("observation.workflow.spread_days", "From 0 to 1000."),
    ] {
        let comment = shown().into_iter().find(|shown| shown.key == key).expect(key).comment;
        assert!(comment.trim_end().ends_with(range), "{key}: {comment}");
    }
}

fn changed() -> impl Strategy<Value = Settings> {
    let names = proptest::collection::vec(any::<String>(), 0..4);
    let table = proptest::collection::btree_map("[a-z \"\\\\.]{0,6}", names.clone(), 0..3);
    let numbers = (0.0..=1.0, 0.0..=1000.0, 1..u32::MAX, proptest::option::of(0.001..1e6));
    (proptest::option::of(any::<String>()), names, table, numbers, any::<bool>()).prop_map(|(text, names, table, numbers, flag)| {
        let (share, days, count, half_life) = numbers;
        let mut settings = Settings { project: text, ..Settings::default() };
        settings.rate.build_agents.clone_from(&names);
        settings.classify.command.clone_from(&names);
        settings.hook.learning_agents.clone_from(&names);
        settings.inject.tools.clone_from(&table);
        settings.inject.order = if flag { Order::Confidence } else { Order::Score };
        settings.truth.guards = if flag { vec![Metric::Duration, Metric::Goal] } else { Vec::new() };
        settings.truth.on = if flag { Tossing::Never } else { Tossing::Always };
        let experiment = ExperimentSettings { tokens: flag.then_some(100), coin: Some(share), ..ExperimentSettings::default() };
        settings.truth.experiment = table.keys().map(|name| (format!("e{}", name.len()), experiment.clone())).collect();
        settings.inject.score.process_label = names.concat();
        settings.rate.missed_goal = share;
        settings.rate.goal_weighted = flag;
        settings.deliberation.penalties.extend(table.keys().map(|name| (name.clone(), days)));
        settings.memory.weights = [share, 0.0, 1.0, share, 0.5];
        settings.observation.pitfall.spread_days = days;
        settings.retention.lake_days = count;
        settings.reliability.confidence_half_life_days = half_life;
        settings.reliability.fixes = names.iter().map(|name| (name.clone(), name.clone())).collect::<BTreeMap<_, _>>();
        settings.publish.targets = names.iter().map(|name| Target { file: name.clone(), to: name.into() }).collect();
        settings.agent.profiles[0].vetoes = if flag { RiskLevel::ALL.into() } else { Vec::new() };
        settings
    })
}

proptest! {
    #[test]
    fn whatever_is_set_is_written_and_read_back(settings in changed()) {
        let text = render_settings(&settings).expect("a file");
        prop_assert_eq!(parse_settings(&text), Ok(settings));
    }
}

/// A person who changes one entry does not mean to drop the others.
#[test]
fn a_table_that_names_some_entries_keeps_the_built_in_others() {
    let read = |text: &str| setting::parse_settings(text).expect("settings");
    let penalties = read("[deliberation]\npenalties = { inspector = 2.0, judge = 1.0 }\n").deliberation.penalties;
    let wanted = [("inspector", 2.0), ("judge", 1.0), ("sentinel", 1.5)];
    assert_eq!(penalties.iter().map(|(role, penalty)| (&**role, *penalty)).collect::<Vec<_>>(), wanted);
    let profiles = read("[[agent.profiles]]\nagent = \"reviewer\"\nweight = 2.0\n").agent.profiles;
    let reviewer = &profiles[0];
    assert_eq!((profiles.len(), reviewer.weight, reviewer.reliability, reviewer.vetoes.len()), (1, 2.0, 0.88, 2));
    let fault = setting::parse_settings("[[agent.profiles]]\nagent = \"stranger\"\n").expect_err("nothing is known of it");
    assert!(fault.to_string().contains("weight"), "{fault}");
}
