//! Coins in real sessions: who does without, what is logged of it, and that a session keeps its arms when it is resumed.

use super::play::Play;
use super::server::text;
use crate::hook::stage::{Stage, lesson};

/// A session that shows two lessons to its own agent, with coins that all but certainly fall one way.
fn play(whole: f64, coin: impl Fn(&str) -> f64) -> Play {
    let stage = Stage::with(&[lesson("Never push to main"), lesson("Sort keys before values")]);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = true\n").expect("settings");
    stage.salt();
    let play = Play::without_hooks(stage, Box::new(|_| text("Done.")));
    play.stage.scene.done(&["init", "--claude"]);
    play.stage.publish_coins(Some(whole), |id| (Some(coin(id)), None));
    play
}

const ARMS: &str = "select arm, propensity, run_id = session from assignment";

#[test]
fn a_session_that_is_off_is_shown_nothing_and_stays_off_when_it_is_resumed() {
    let play = play(0.01, |_| 0.99);
    play.prompt("FIRST").assert_undisturbed();
    // A generation that would show everything to everybody is published meanwhile.
    play.stage.publish_coins(Some(0.99), |_| (Some(0.99), None));
    play.resume("SECOND").assert_undisturbed();
    let told: String = play.asked().iter().map(super::server::Ask::all).collect();
    assert!(told.contains("FIRST") && told.contains("SECOND"));
    assert!(!told.contains("Never push to main") && !told.contains("Sort keys before values"), "{told}");
    assert_eq!(play.stage.rows(ARMS), ["off,0.01,true"], "the arm is logged once, with the chance at which it was drawn");
    assert!(play.stage.exposures().is_empty(), "who is off enters no comparison of patterns");
    play.tell("coins: a session of the arm without the loop is shown nothing, and keeps its arm when it is resumed");
}

#[test]
fn a_session_that_is_on_logs_what_it_was_shown_and_what_was_withheld() {
    let play = play(0.99, |id| if id == "P-001" { 0.99 } else { 0.5 });
    let salt = play.stage.salt();
    play.prompt("FIRST").assert_undisturbed();
    play.stage.publish_coins(Some(0.01), |_| (Some(0.01), None));
    play.resume("SECOND").assert_undisturbed();
    let session = play.stage.rows("select session from assignment").concat();
    let is_shown = salt.toss(&session, "P-002", 0.5).is_shown;
    let told: String = play.asked().iter().map(super::server::Ask::all).collect();
    assert!(told.contains("Never push to main"), "{told}");
    assert_eq!(told.contains("Sort keys before values"), is_shown, "{told}");
    assert_eq!(play.stage.rows(ARMS), ["on,0.99,true"]);
    let rows = play.stage.rows("select pattern_id, status, propensity from application order by 1");
    let status = if is_shown { "injected" } else { "withheld" };
    assert_eq!(rows, ["P-001,injected,0.99".to_owned(), format!("P-002,{status},0.5")]);
    play.tell("coins: what is shown and what is withheld is logged with its chance, and a resumed session keeps both");
}
