//! The settings of texts as vectors.

use std::fs;

use setting::{EmbedSettings, Settings, render_settings};
use store::workspace::load_settings;

use crate::command::Room;

fn load(text: &str) -> Result<EmbedSettings, String> {
    let room = Room::new();
    fs::create_dir_all(room.workspace().root()).expect("a folder");
    fs::write(room.workspace().settings(), text).expect("settings");
    load_settings(&room.workspace()).map(|settings| settings.embed).map_err(|fault| fault.to_string())
}

#[test]
fn what_the_template_shows_are_the_defaults() {
    let template = render_settings(&Settings::default()).expect("a file");
    assert_eq!(load(&template), Ok(EmbedSettings::default()));
    assert_eq!(load(""), Ok(EmbedSettings::default()));
}

#[test]
fn what_makes_no_sense_is_named() {
    for (text, why) in [
        ("weight = 1.5", "`embed.weight` is 1.5"),
        ("weight = -0.1", "`embed.weight` is -0.1"),
        ("weight = nan", "`embed.weight` is nan"),
        ("model = \"\"", "`embed.model` is ``"),
        ("model = \"a\\nb\"", "`embed.model` is `a\\nb`"),
        ("comand = []", "comand"),
    ] {
        let fault = load(&format!("[embed]\n{text}\n")).expect_err("it is refused");
        assert!(fault.contains(why), "{fault}");
    }
    let model = load("[embed]\nmodel = \"sentence-transformers/all-MiniLM-L6-v2\"\n").expect("settings").model;
    assert_eq!(model, "sentence-transformers/all-MiniLM-L6-v2");
}
