//! The same in other words by vectors: merged where a command finds texts alike, and never where that would turn something around.

use std::fs;

use serde_json::Value;

use super::room::Room;

const FIRST: &str = "from now on always run the tests offline";
const REWORDED: &str = "in this project always execute the suite without a connection";
const OPPOSITE: &str = "from now on never run the tests offline";
const LINT: &str = "always run `make lint` before the tests";
const BUILD: &str = "always run `make build` before the tests";
const OTHER: &str = "from now on always update the changelog";

/// A room in which each order is given in a session of its own. The command finds everything about tests alike.
fn room(settings: &str, orders: &[&str]) -> Room {
    let room = Room::new();
    let script = room.path("embed.sh");
    let body = "case \"$(cat)\" in *hangelog*) echo '{\"vectors\": [[0, 1, 0]]}';; *) echo x >> CALLS; echo '{\"vectors\": [[1, 0.1, 0]]}';; esac";
    fs::write(&script, body.replace("CALLS", &room.path("calls").display().to_string())).expect("a script");
    let settings = settings.replace("SCRIPT", &script.display().to_string());
    fs::write(room.scene.workspace.settings(), settings).expect("settings");
    for (number, order) in orders.iter().enumerate() {
        let session = format!("s{number}");
        room.end(&session, &[("", "hello, have a look around"), ("Hi.", order), ("Done.", "that is all there is to it")]);
    }
    room
}

/// In how many sessions each observation was seen.
fn observed(room: &Room) -> Vec<i64> {
    room.scene.done(&["run", "hourly"]);
    let listed: Value = serde_json::from_str(&room.scene.done(&["learn", "list", "--all", "--json"]).out).expect("JSON");
    let mut counts: Vec<i64> = listed.as_array().expect("a list").iter().filter_map(|row| row["observations"].as_i64()).collect();
    counts.sort_unstable();
    counts
}

const EMBED: &str = "[embed]\ncommand = [\"/bin/sh\", \"SCRIPT\"]\ntexts_per_call = 1\n";

#[test]
fn words_that_share_little_are_one_observation_where_their_vectors_are_alike() {
    assert_eq!(observed(&room("", &[FIRST, REWORDED, OTHER])), [1, 1, 1], "without a command");
    let room = room(EMBED, &[FIRST, REWORDED, OTHER]);
    assert_eq!(observed(&room), [1, 2]);
    // Vectors are events that land first, and recomputing asks nobody.
    assert_eq!(room.scene.count("select count(*) from embedding"), 3);
    let calls = room.calls();
    fs::remove_file(room.path("embed.sh")).expect("the command goes");
    assert_eq!((observed(&room), room.calls()), (vec![1, 2], calls));
}

#[test]
fn what_forbids_or_names_something_else_stays_apart_however_alike_its_vector_is() {
    assert_eq!(observed(&room(EMBED, &[FIRST, OPPOSITE])), [1, 1]);
    assert_eq!(observed(&room(EMBED, &[LINT, BUILD])), [1, 1]);
}

#[test]
fn a_command_that_fails_leaves_sightings_as_they_are() {
    let room = room("[embed]\ncommand = [\"/bin/false\"]\n", &[FIRST, REWORDED]);
    assert_eq!(observed(&room), [1, 1]);
}
