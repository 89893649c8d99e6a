//! What agents say in sessions about decisions and pitfalls of their project.

use std::fs;

use super::room::Room;

const DECISIONS: &str = "\
<!-- TL;DR: 1 decisions. Key: ADR-001 -->
# Architectural Decisions

## ADR-001: Result types over exceptions

- **Date**: 2026-03-01
- **Status**: Accepted
";

#[test]
fn what_the_agent_of_a_session_goes_by_counts_once_however_often_the_session_is_read() {
    let room = Room::new();
    let folder = room.path(".memory/knowledge");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("decisions.md"), DECISIONS).expect("decisions");
    let turns = [
        ("", "make the parser return errors"),
        ("Done: this applies ADR-001, and again applies ADR-001. ADR-002 is unknown.", "and the lexer"),
        ("The lexer avoids nothing.", "good, now the printer"),
    ];
    room.end("s1", &turns);
    room.scene.done(&["run", "hourly"]);
    room.end("s1", &turns);
    room.scene.done(&["run", "hourly"]);
    room.scene.done(&["run", "compact"]);
    let cited =
        "select count(*) from artifact where action = 'cited' and anchor = 'ADR-001' and session = 's1' and project = 'shop'";
    assert_eq!(room.scene.count(cited), 1);
    assert_eq!(room.scene.count("select count(*) from artifact where action = 'cited'"), 1);
}
