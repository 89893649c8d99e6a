//! Keys: one form for every spelling of a name, computed once, when its event is taken.

use event::field::RunResult;
use event::{Kind, Latest, Parser};
use text::key::key;

#[test]
fn spellings_of_one_name_have_one_key() {
    let table = [
        (&["auth", "Auth", " AUTH\u{a0}", "\u{3000}auth\t"][..], "auth"),
        // A final sigma is no other letter, and neither is the dotted capital I in another composition.
        (&["ΟΔΟΣ", "οδος", "οδοσ"], "οδοσ"),
        (&["İO", "I\u{307}O", "i\u{307}o"], "i\u{307}o"),
        (&["Straße", "STRASSE", "strasse", "STRAẞE"], "strasse"),
        (&["É", "e\u{301}", "E\u{301}"], "é"),
        (&["ﬁle", "FILE"], "file"),
        (&["", " \u{a0} "], ""),
    ];
    for (spellings, wanted) in table {
        for spelling in spellings {
            assert_eq!(key(spelling), wanted, "{spelling:?}");
        }
    }
}

#[test]
fn a_key_is_its_own_key() {
    let mut random = fastrand::Rng::with_seed(5);
    let odd = ['\u{345}', '\u{390}', 'ǰ', 'ᾳ', 'ᾼ', 'İ', 'ß', 'ſ', '\u{301}', '\u{307}', 'Ω', '\u{2126}', 'K', 'ﬃ', 'Ꭰ', 'ꭰ', ' '];
    for _ in 0..20_000 {
        let text: String =
            (0..random.usize(..6)).map(|_| if random.bool() { odd[random.usize(..odd.len())] } else { random.char(..) }).collect();
        let once = key(&text).into_owned();
        assert_eq!(key(&once), once, "{text:?}");
    }
}

#[test]
fn keys_are_stored_beside_what_was_written() {
    let lines = [
        (
            r#"{"kind":"run","ts":"2026-05-01T10:00:00Z","run_id":"r","result":"failure","adapters":["ΟΔΟΣ"],"failure_type":"İO"}"#,
            "i\u{307}o",
        ),
        (r#"{"kind":"gate","ts":"2026-05-01T10:00:00Z","adapter":" GitHub","approval":true}"#, "github"),
        (r#"{"kind":"deliberation","ts":"2026-05-01T10:00:00Z","role":"ΚΡΙΤΗΣ","text":"fine"}"#, "κριτησ"),
        (r#"{"kind":"verdict","ts":"2026-05-01T10:00:00Z","role":"Judge","verdict":"PASS"}"#, "judge"),
    ];
    let mut parser = Parser::new(Latest::from_clock(i64::MAX / 2));
    for (line, wanted) in lines {
        let event = parser.parse(line).expect("an event");
        assert_eq!(event.body.key().as_deref(), Some(wanted), "{line}");
        let (name, _) = event.body.kind().key().expect("a column");
        assert!(store::lake::schema(event.body.kind()).field_with_name(name).is_ok(), "{name}");
    }
    let event::Body::Run(run) = parser.parse(lines[0].0).expect("an event").body else { panic!("a run") };
    assert_eq!(run.adapters.as_ref().map(|adapters| adapters.iter().map(str::to_owned).collect()), Some(vec!["οδοσ".to_owned()]));
    assert_eq!(
        (run.failure_type.as_ref().map(|kind| kind.get().to_owned()).as_deref(), run.result),
        (Some("İO"), Some(RunResult::Failure))
    );
    assert_eq!(Kind::Application.key(), None);
}

/// What another tool wrote is a column where it is a number or a name, and stays beside the event where it is neither.
#[test]
fn what_is_no_score_and_no_name_is_kept_as_it_was_written() {
    let mut parser = Parser::new(Latest::from_clock(i64::MAX / 2));
    for (raw, wanted, is_kept) in
        [("1.5", Some(1.5), false), (r#""0.25""#, Some(0.25), false), (r#""1_000""#, None, true), ("null", None, false)]
    {
        let line = format!(r#"{{"kind":"relevance","ts":"2026-05-01T10:00:00Z","run_id":"r","score":0.5,"raw":{raw}}}"#);
        let event = parser.parse(&line).expect("an event");
        let event::Body::Relevance(relevance) = event.body else { panic!("a relevance") };
        assert_eq!((relevance.raw_score.map(|score| score.get()), event.extra.is_some()), (wanted, is_kept), "{raw}");
    }
    for (name, wanted, is_kept) in [(r#""till""#, Some("till"), false), (r#"{"a":1}"#, None, true), (r#""""#, None, true)] {
        let line = format!(r#"{{"kind":"learning","ts":"2026-05-01T10:00:00Z","summary":"s","repo_name":{name}}}"#);
        let event = parser.parse(&line).expect("an event");
        let event::Body::Learning(learning) = event.body else { panic!("a lesson") };
        assert_eq!((learning.repo_name.as_ref().map(|name| name.get()), event.extra.is_some()), (wanted, is_kept), "{name}");
    }
}
