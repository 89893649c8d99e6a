//! Nothing that a person changed is ever removed or overwritten, in whatever order things happen.

use std::fs;
use std::path::PathBuf;

use learn::observation::{ObservationScore, Status};
use serde_json::Value;

use super::command::publish;
use super::{example, in_project};
use crate::support::Scene;

const COMMAND: &str = ".claude/commands/self-learning/run-lint-then-tests-push.md";
const DECISIONS: &str = ".memory/knowledge/decisions.md";
const OWN: &str = "A line that a person wrote.\n";

/// What people and jobs do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Edit,
    Notice,
    Render,
    Reset,
    Purge,
    /// A person takes all observations out of use, and that is published.
    Retire,
}

const ACTS: [Act; 6] = [Act::Edit, Act::Notice, Act::Render, Act::Reset, Act::Purge, Act::Retire];

/// All orders of some acts.
fn orders(acts: &[Act]) -> Vec<Vec<Act>> {
    if acts.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |place: usize| {
        let mut rest = acts.to_vec();
        let first = rest.remove(place);
        orders(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..acts.len()).flat_map(with_first).collect()
}

fn rows() -> Vec<ObservationScore> {
    in_project(example(), "default")
}

fn retired() -> Vec<ObservationScore> {
    let mut rows = rows();
    for row in &mut rows {
        row.status = Status::Deprecated;
        row.deprecated_at = Some("2099-01-01T00:00:00Z".to_owned());
    }
    rows
}

fn path(scene: &Scene, name: &str) -> PathBuf {
    scene.root().parent().expect("the project").join(name)
}

/// Adds a person's line to a file, or makes one of it.
fn edit(scene: &Scene, name: &str) -> String {
    let path = path(scene, name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let text = fs::read_to_string(&path).unwrap_or_default() + OWN;
    fs::write(&path, &text).expect("a file");
    text
}

/// Does things in their order, and looks after each whether the person's words are there.
fn live(order: &[Act]) {
    let scene = Scene::new();
    publish(&scene, &rows(), 1);
    scene.done(&["render"]);
    let mut edited = None;
    for act in order {
        match act {
            Act::Edit => {
                edit(&scene, DECISIONS);
                edited = Some(edit(&scene, COMMAND));
            }
            Act::Notice => drop(scene.done(&["reconcile"])),
            Act::Render => drop(scene.done(&["render"])),
            Act::Reset => drop(scene.done(&["learn", "reset", "--yes"])),
            Act::Purge => drop(scene.done(&["learn", "purge"])),
            Act::Retire => publish(&scene, &retired(), 2),
        }
        if let Some(edited) = &edited {
            let stands = fs::read_to_string(path(&scene, COMMAND)).unwrap_or_default();
            assert_eq!(&stands, edited, "{order:?} after {act:?}");
            let decisions = fs::read_to_string(path(&scene, DECISIONS)).unwrap_or_default();
            assert!(decisions.contains(OWN), "{order:?} after {act:?}: {decisions}");
        }
    }
}

#[test]
fn an_edited_file_survives_every_order_of_what_can_happen() {
    let orders = orders(&ACTS);
    assert_eq!(orders.len(), 720);
    // What happens before the edit differs only in whether the file was removed, noticed, or neither.
    let is_telling = |order: &&Vec<Act>| order[0] == Act::Edit || order[..2] == [Act::Reset, Act::Edit];
    let told: Vec<&Vec<Act>> = orders.iter().filter(is_telling).collect();
    assert_eq!(told.len(), 144);
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(order) = told.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    live(order);
                }
            });
        }
    });
}

#[test]
fn a_second_look_and_a_second_reset_find_the_edit_again() {
    use Act::{Edit, Notice, Purge, Render, Reset, Retire};
    for order in [
        vec![Edit, Notice, Notice, Reset, Render, Notice, Reset, Render, Reset],
        vec![Notice, Edit, Render, Retire, Reset, Notice, Reset],
        vec![Retire, Edit, Render, Purge, Reset, Render, Reset],
        vec![Edit, Reset, Notice, Edit, Notice, Reset],
    ] {
        live(&order);
    }
}

#[test]
fn what_nobody_touched_goes_and_what_was_moved_or_brought_back_stays() {
    let scene = Scene::new();
    publish(&scene, &rows(), 1);
    scene.done(&["render"]);
    let (from, to) = (path(&scene, COMMAND), path(&scene, ".claude/commands/self-learning/lint.md"));
    #[expect(clippy::disallowed_methods, reason = "a person renames it")]
    fs::rename(&from, &to).expect("it moves");
    scene.done(&["reconcile"]);
    let done: Value = serde_json::from_str(&scene.done(&["learn", "reset", "--yes", "--json"]).out).expect("JSON");
    assert!(to.exists(), "{done}");
    let removed: Vec<&str> = done["removed"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(removed.iter().any(|path| path.ends_with("/SKILL.md")), "{done}");
}

#[test]
fn a_status_that_a_person_wrote_is_not_replaced() {
    let scene = Scene::new();
    publish(&scene, &rows(), 1);
    scene.done(&["render"]);
    let path = path(&scene, DECISIONS);
    let text = fs::read_to_string(&path).expect("decisions").replacen("Accepted", "Superseded by ADR-009", 1);
    fs::write(&path, &text).expect("decisions");
    publish(&scene, &retired(), 2);
    scene.done(&["render"]);
    assert_eq!(fs::read_to_string(&path).expect("decisions").matches("Superseded by ADR-009").count(), 1);
}
