//! How relevant patterns are to changed paths: as in the original, and by whole words.

use std::collections::BTreeMap;

use learn::relevance::{METHOD, Rater, Relevance};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use setting::{RelevanceSettings, TagMatch, TagRule};

fn with(matching: TagMatch) -> RelevanceSettings {
    RelevanceSettings { matching, ..RelevanceSettings::default() }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn rate(settings: &RelevanceSettings, summary: &str, context: &str, paths: &[&str]) -> (String, String) {
    let rater = Rater::new(&owned(paths), settings);
    let Relevance { score, matched } = rater.rate(summary, context);
    assert_eq!(rater.score(summary, context).to_bits(), score.to_bits(), "the score alone");
    (score.to_string(), matched.join(" "))
}

/// The tags that a path earns: those whose own name, as the only keyword, is fully relevant.
fn tags(matching: TagMatch, path: &str) -> String {
    let settings = RelevanceSettings { boost: 0.0, ..with(matching) };
    let rater = Rater::new(&owned(&[path]), &settings);
    let known = settings.all_tags();
    let earned = known.keys().filter(|tag| rater.rate("", tag).score > 0.99);
    earned.map(String::as_str).collect::<Vec<_>>().join(" ")
}

const TOKEN: &str = "Always check token expiry before API calls";
const NUMBERS: &str = "one two three four five six seven";

/// Summary, context, changed paths; score and matches as in the original, and by whole words.
type Case = (&'static str, &'static str, &'static [&'static str], [(&'static str, &'static str); 2]);

const WORKED: [Case; 14] = [
    (TOKEN, "auth|API", &["src/auth/login.ts"], [("0.2", "auth"), ("0.2", "auth")]),
    (TOKEN, "auth|API", &["src/api/token.ts", "tests/auth_test.py"], [("0.6", "api auth token"), ("0.6", "api auth token")]),
    (TOKEN, "auth|API", &["src/auth/login.ts", "tests/test_api.py"], [("0.6", "api auth"), ("0.6", "api auth")]),
    (
        "Use React hooks in component files",
        "hooks|component",
        &["src/components/Button.tsx"],
        [("0.25", "component"), ("0.25", "component")],
    ),
    (
        "Test the state store",
        "test|state|store",
        &["src/store/index.ts", "spec/x_spec.js"],
        [("0.87", "state store test"), ("0.87", "state store test")],
    ),
    ("Validate config", "config", &["settings.yml"], [("0.5", "config"), ("0.5", "config")]),
    (NUMBERS, "api", &["api.x"], [("0.12", "api"), ("0.12", "api")]),
    ("a", "x", &["a/b.c"], [("0.2", "a"), ("0", "")]),
    ("Never commit", "", &["package.json"], [("0", ""), ("0", "")]),
    ("Snake_case api_key names", "api_key", &["src/api_key.py"], [("0.2", "api key"), ("0.2", "api key")]),
    // Words with letters beyond ASCII are keywords of their own, which the original cannot see.
    ("Ünïcode tést", "python", &["a.py"], [("1", "python"), ("0.33", "python")]),
    ("Retry API calls with backoff", "api", &["src/api/client.ts"], [("0.45", "api"), ("0.45", "api")]),
    ("Await every promise", "javascript", &["src/api/client.ts"], [("0.33", "javascript"), ("0.33", "javascript")]),
    ("Unused idea", "x", &["src/api/client.ts"], [("0", ""), ("0", "")]),
];

#[test]
fn the_worked_scores_come_out_to_the_digit() {
    assert_eq!(METHOD, "context_tags");
    for (summary, context, paths, [original, words]) in WORKED {
        let pair = |(score, matched): (&str, &str)| (score.to_owned(), matched.to_owned());
        assert_eq!(rate(&with(TagMatch::Substring), summary, context, paths), pair(original), "{summary} in {paths:?}");
        assert_eq!(rate(&with(TagMatch::Word), summary, context, paths), pair(words), "{summary} in {paths:?}, by words");
    }
}

#[test]
fn paths_that_only_contain_the_letters_of_a_tag_earn_it_in_the_original_alone() {
    for (path, original, words) in [
        ("src/user.py", "hooks python", "python"),
        ("latest.txt", "test", ""),
        ("inspect.go", "test", ""),
        ("author.md", "auth docs", "docs"),
        ("estate.c", "state", ""),
        ("rapid.rs", "api", ""),
        ("src/because.c", "hooks", ""),
        ("restore.sh", "state", ""),
        ("homepage.txt", "routes", ""),
        ("how-to-use.txt", "hooks", ""),
        ("use.test.txt", "hooks test", "test"),
        ("UseCase.java", "hooks", ""),
    ] {
        assert_eq!(tags(TagMatch::Substring, path), original, "{path}");
        assert_eq!(tags(TagMatch::Word, path), words, "{path}, by words");
    }
}

#[test]
fn good_matches_stay_when_whole_words_are_asked_for() {
    for (path, wanted) in [
        ("src/components/Button.tsx", "component javascript"),
        ("src/component/x.c", "component"),
        ("src/hooks/auth.rs", "auth hooks"),
        ("src/useAuth.ts", "auth hooks javascript"),
        ("src/use-auth.js", "auth hooks javascript"),
        ("use_state.txt", "hooks state"),
        ("app/routes/index.c", "routes"),
        ("pages/home.c", "routes"),
        ("api_test.go", "api test"),
        ("login.spec.ts", "javascript test"),
        ("LoginTest.java", "test"),
        ("testHTTPServer.c", "test"),
        ("tests/helper.rb", "test utils"),
        ("src/StringUtils.java", "utils"),
        ("utils/x.c", "utils"),
        ("settings.toml", "config"),
        ("app.config", "config"),
        ("a.yaml", "config"),
        ("deploy.YML", "config"),
        (".yaml", ""),
        ("models/user.rb", "models"),
        ("db/schemas.sql", "models"),
        ("UserService.kt", "services"),
        ("publicAPIs.kt", "api"),
        ("redux/store.c", "state"),
        ("main.css", "styles"),
        ("styles/x.c", "styles"),
        ("README.md", "docs"),
        ("src/ein-TEST-x.c", "test"),
    ] {
        assert_eq!(tags(TagMatch::Word, path), wanted, "{path}");
    }
}

#[test]
fn short_and_common_words_earn_no_boost_by_words() {
    let cases = [("Put a file in src", "a/in/src/x.ts"), ("ts", "x.ts"), ("Do not use lib", "lib/use/not.c")];
    for (summary, path) in cases {
        assert_ne!(rate(&with(TagMatch::Substring), summary, "", &[path]).1, "", "{summary}");
        assert_eq!(rate(&with(TagMatch::Word), summary, "", &[path]), ("0".to_owned(), String::new()), "{summary}");
    }
    assert_eq!(rate(&with(TagMatch::Word), "Keep the größe small", "", &["src/größe.c"]).1, "größe");
    assert_eq!(rate(&with(TagMatch::Word), "Call parseToken once", "", &["src/token.c"]).1, "token");
}

#[test]
fn the_original_takes_words_from_the_first_path_that_shares_any() {
    let paths = ["zzz.c", "retry.c", "backoff/retry.c"];
    assert_eq!(rate(&with(TagMatch::Substring), "retry backoff", "", &paths).1, "retry");
    assert_eq!(rate(&with(TagMatch::Word), "retry backoff", "", &paths).1, "backoff retry");
}

#[test]
fn settings_change_tags_boost_keywords_and_stopwords() {
    let rule = TagRule { path: owned(&["Node-Modules"]), name: owned(&["Dockerfile"]), ending: owned(&["SQL"]) };
    let tags = BTreeMap::from([("Vendor".to_owned(), rule), ("api".to_owned(), TagRule::default())]);
    for matching in [TagMatch::Word, TagMatch::Substring] {
        let settings = RelevanceSettings {
            boost: 0.5,
            least_keyword: 7,
            stopwords: owned(&["Missing"]),
            tags: tags.clone(),
            ..with(matching)
        };
        // `vendor` is too short for a keyword, so there is none.
        assert_eq!(rate(&settings, "missing", "vendor", &["a/node-modules/b"]).0, "0");
        let settings = RelevanceSettings { least_keyword: 6, ..settings };
        for path in ["a/node-modules/b", "a/Dockerfile", "b.sql"] {
            assert_eq!(rate(&settings, "", "missing vendor", &[path]), ("1".to_owned(), "vendor".to_owned()), "{path}");
        }
        assert_eq!(rate(&settings, "", "vendor", &["modules/node"]).0, "0");
        assert_eq!(rate(&settings, "Whatever backup", "", &["backup/x"]).0, "0.5");
        let settings = RelevanceSettings { least_keyword: 3, ..settings };
        assert_eq!(rate(&settings, "", "api", &["api/x"]).0, "0", "a rule of the workspace takes the place of the program's");
    }
}

#[test]
fn nothing_in_gives_nothing_out() {
    for matching in [TagMatch::Word, TagMatch::Substring] {
        assert_eq!(rate(&with(matching), "Check the API", "api", &[]), ("0".to_owned(), String::new()));
        assert_eq!(rate(&with(matching), "", "", &["src/api.ts", "", "/", "."]), ("0".to_owned(), String::new()));
    }
}

proptest! {
    #[test]
    fn scores_stay_within_bounds_and_do_not_depend_on_the_order_of_paths(
        parts in vec(select(vec!["api", "Auth", "use", "tests", "src", "a", "ß", "İ", "_", "-", ".ts", "/", "config", "9"]), 0..24),
        path_sizes in vec(1_usize..5, 1..6),
        summary in "[a-zA-ZßΣσİ_ ]{0,30}",
        context in select(vec!["", "api", "auth|API", "test|config|hooks"]),
        boost in 0.0..=1.0_f64,
        matching in select(vec![TagMatch::Word, TagMatch::Substring]),
    ) {
        let mut rest = &*parts;
        let mut paths = Vec::new();
        for size in path_sizes {
            let (path, behind) = rest.split_at(size.min(rest.len()));
            paths.push(path.concat());
            rest = behind;
        }
        let settings = RelevanceSettings { boost, ..with(matching) };
        let summary = format!("{summary} {}", parts.join(" "));
        let found = Rater::new(&paths, &settings).rate(&summary, context);
        prop_assert!((0.0..=1.0).contains(&found.score));
        prop_assert_eq!(Rater::new(&paths, &settings).score(&summary, context).to_bits(), found.score.to_bits());
        prop_assert_eq!(format!("{:.2}", found.score).parse::<f64>().ok(), Some(found.score));
        prop_assert!(found.matched.is_sorted() && found.matched.iter().all(|word| !word.is_empty()));
        prop_assert_eq!(&Rater::new(&paths, &settings).rate(&summary, context), &found);
        paths.reverse();
        let turned = Rater::new(&paths, &settings).rate(&summary, context);
        prop_assert_eq!(turned.score.to_bits(), found.score.to_bits());
        if matching == TagMatch::Word {
            prop_assert_eq!(turned.matched, found.matched);
        }
    }

    #[test]
    fn any_text_is_rated(paths in vec(any::<String>(), 0..4), summary in any::<String>(), context in any::<String>()) {
        for matching in [TagMatch::Word, TagMatch::Substring] {
            let found = Rater::new(&paths, &with(matching)).rate(&summary, &context);
            prop_assert!((0.0..=1.0).contains(&found.score));
        }
    }
}
