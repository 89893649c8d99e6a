//! Settings that are changed by name: only that setting changes, and wrong names are explained.

use setting::{SettingKey, SettingValue, known_settings, nearest_setting, set_setting};

fn set(text: &str, key: &str, value: &str) -> Option<String> {
    set_setting(text, &SettingKey::parse(key)?, &SettingValue::parse(value)?)
}

#[test]
fn a_value_is_replaced_and_nothing_else() {
    let text = "# top\r\n[hook] # ours\r\nsession = false   # no\r\nretries=2\r\n\r\n[x]\r\na = [\r\n  1, # one\r\n]\r\n";
    assert_eq!(set(text, "hook.session", "true").as_deref(), Some(&*text.replace("false", "true")));
    assert_eq!(set(text, "hook.retries", "3").as_deref(), Some(&*text.replace("=2", "=3")));
    assert_eq!(set(text, "x.a", "[2]").as_deref(), Some(&*text.replace("[\r\n  1, # one\r\n]", "[2]")));
}

#[test]
fn a_key_is_added_where_a_person_would_add_it() {
    let text = "# project = \"default\"\ncompat = \"none\"\n\n[a]\nx = 1 # one\n\n# About b.\n[b]\n# y = 2\n# more\nz = 3\n";
    assert_eq!(set(text, "project", "shop").as_deref(), Some(&*text.replace("default\"\n", "default\"\nproject = \"shop\"\n")));
    assert_eq!(set(text, "a.y", "2").as_deref(), Some(&*text.replace("one\n", "one\ny = 2\n")));
    assert_eq!(set(text, "b.y", "5").as_deref(), Some(&*text.replace("2\n", "2\ny = 5\n")));
    assert_eq!(set(text, "c.d.e", "'x'"), Some(format!("{text}\n[c.d]\ne = 'x'\n")));
    assert_eq!(set("", "a.b", "1").as_deref(), Some("[a]\nb = 1\n"));
    assert_eq!(set("[a]", "a.b", "1").as_deref(), Some("[a]\nb = 1\n"));
    assert_eq!(set("a.b = 1", "a.c", "2").as_deref(), Some("a.b = 1\na.c = 2\n"));
}

#[test]
fn keys_and_values_are_read_as_toml_reads_them() {
    assert_eq!(SettingKey::parse("a.\"b c\"").map(|key| key.to_string()).as_deref(), Some("a.\"b c\""));
    for key in ["", "a..b", "a = 1\nb", "a b", ".a", "[a]\nb"] {
        assert_eq!(SettingKey::parse(key), None, "{key}");
    }
    for value in ["", "[1", "\"open", "{a", "1\nb = 2", "a\nb"] {
        assert_eq!(SettingValue::parse(value), None, "{value}");
    }
    assert_eq!(set("", "a", " word ").as_deref(), Some("a = \"word\"\n"));
}

#[test]
fn what_cannot_be_added_safely_is_left_to_a_person() {
    assert_eq!(set("a = { b = 1 }\n", "a.c", "2"), None);
    assert_eq!(set("a = 1\n", "a.c", "2"), None);
    assert_eq!(set("a = \n", "b", "2"), None);
}

#[test]
fn settings_are_known_by_section_and_key() {
    let known = known_settings();
    for name in [
        "project",
        "compat",
        "hook.session",
        "classify.command",
        "publish.keep",
        "publish.targets",
        "inject.score.rule",
        "hook.learning_agents",
        "observation.pitfall.fresh",
    ] {
        assert!(known.iter().any(|known| known == name), "{name}");
    }
    assert!(!known.iter().any(|known| known.contains("tags.")), "{known:?}");
}

#[test]
fn a_slip_finds_what_was_meant() {
    assert_eq!(nearest_setting("hook.sesion").as_deref(), Some("hook.session"));
    assert_eq!(nearest_setting("inject.session").as_deref(), Some("hook.session"));
    assert_eq!(nearest_setting("rewrit").as_deref(), Some("rewrite"));
    assert_eq!(nearest_setting("nothing.like_it_at_all"), None);
}
