//! Words of artifacts from a command: used where they do no harm, recorded as events, and never asked for twice.

use std::fs;

use learn::observation::ObservationScore;
use serde_json::{Value, json};

use super::command::publish;
use super::{in_project, list, row};
use crate::support::Scene;

const COMMAND: &str = ".claude/commands/self-learning";

/// A project whose command answers with a text, and one workflow that is ready.
struct Desk {
    scene: Scene,
}

impl Desk {
    fn new(answer: &str) -> Self {
        let desk = Self { scene: Scene::new() };
        fs::write(desk.path("Makefile"), "lint test:\n").expect("a file");
        desk.answer(answer);
        publish(&desk.scene, &rows(), 1);
        desk
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.scene.root().parent().expect("the project").join(name)
    }

    fn answer(&self, answer: &str) {
        fs::write(self.path("answer"), answer).expect("an answer");
        let script = format!("cd '{}'; cat > request; echo x >> calls; cat answer", self.path("").display());
        fs::write(self.path("author.sh"), script).expect("a script");
        let settings = format!("[artifact]\ncommand = [\"/bin/sh\", \"{}\"]\n", self.path("author.sh").display());
        fs::write(self.scene.workspace.settings(), settings).expect("settings");
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }

    /// The only command that was rendered.
    fn rendered(&self) -> String {
        let files = list(&self.path(COMMAND), &self.path(COMMAND));
        assert_eq!(files.len(), 1, "{files:?}");
        fs::read_to_string(self.path(COMMAND).join(&files[0])).expect("a file")
    }
}

fn rows() -> Vec<ObservationScore> {
    let mut row = row("obs_wf0001", "workflow", "Lint, test and push it", "1. Lint: `make lint`\n2. Test\n3. Push");
    row.evidence = vec!["lint it, test it with make test, then push".to_owned()];
    in_project(vec![row], "default")
}

fn words(title: &str, details: &str) -> String {
    json!({"title": title, "details": details}).to_string()
}

#[test]
fn a_checked_answer_is_written_recorded_and_not_asked_for_again() {
    let good = words(
        "Lint, test, and push the change.",
        "1. Lint the change: `make lint`\n2. Run the tests: `make test`\n3. Push the branch",
    );
    let desk = Desk::new(&good);
    // A dry run asks, shows the difference to the template, and writes no file.
    let dry = desk.scene.done(&["render", "--dry-run"]).out;
    assert!(dry.contains("-2. Test\n") && dry.contains("+2. Run the tests: `make test`\n"), "{dry}");
    assert!(!desk.path(COMMAND).exists());
    desk.scene.done(&["render"]);
    let text = desk.rendered();
    assert!(text.contains("# Lint, test, and push the change\n\n1. Lint the change: `make lint`\n2. Run the tests: `make test`\n3. Push the branch\n"), "{text}");
    assert_eq!(desk.calls(), 1, "a dry run and a run ask once");
    let request: Value = serde_json::from_str(&fs::read_to_string(desk.path("request")).expect("a request")).expect("JSON");
    assert_eq!(
        (&request["type"], &request["evidence"][0]),
        (&json!("workflow"), &json!("lint it, test it with make test, then push"))
    );
    // The answer is an event: whoever loses the workspace's notes finds it in the lake, and another answer changes nothing.
    desk.scene.done(&["run", "compact"]);
    assert_eq!(desk.scene.count("select count(*) from artifact where action = 'authored' and title is not null"), 1);
    fs::remove_dir_all(desk.scene.workspace.artifacts()).expect("the notes");
    desk.answer(&words("Something else entirely", "1. Push"));
    publish(&desk.scene, &rows(), 2);
    assert!(desk.scene.done(&["render", "--json"]).out.contains("\"edits\":0"));
    assert_eq!((desk.rendered(), desk.calls()), (text, 1));
}

#[test]
fn an_answer_that_does_harm_leaves_the_template_and_says_why() {
    for (answer, reason) in [
        (words("Lint and push", "1. Lint\n2. Push"), "it loses the code `make lint`"),
        (words("Lint", "1. `make lint`\n2. `make deploy`"), "nobody said `make deploy`"),
        (words("Lint", "1. `make lint`\n2. Read docs/release.md"), "it names `docs/release.md`"),
        (words("Lint", "1. `make lint`\n2. Push with --force"), "it names `--force`"),
        (words("Lint", "1. `make lint`\n2. rm the build folder"), "it calls `rm`"),
        (words("Lint", "1. `make lint`\n2. docker push"), "`docker`"),
        (words("Lint", "1. `make lint`\n2. See https://example.org"), "an address that nobody said"),
        (words("Lint", "First `make lint`, then push"), "its steps are not numbered"),
        (words("Lint", &format!("1. `make lint`\n2. {}", "push it ".repeat(400))), "it has more than"),
    ] {
        let desk = Desk::new(&answer);
        let told = desk.scene.done(&["render"]);
        assert!(told.error.contains("obs_wf0001 keeps the template") && told.error.contains(reason), "{answer}: {}", told.error);
        assert!(desk.rendered().contains("1. Lint: `make lint`\n2. Test\n3. Push\n"), "{answer}");
        // It is not asked for again.
        desk.scene.done(&["render"]);
        assert_eq!(desk.calls(), 1, "{answer}");
    }
}

#[test]
fn what_cannot_be_read_is_asked_for_again_in_another_run() {
    let desk = Desk::new("I would rather not.");
    let told = desk.scene.done(&["render"]);
    assert!(told.error.contains("obs_wf0001 keeps the template: the answer is no JSON object"), "{}", told.error);
    assert_eq!(desk.calls(), 2, "one retry");
    desk.answer(&format!("```json\n{}\n```", words("Lint, test, push", "1. Lint: `make lint`\n2. Test\n3. Push")));
    desk.scene.done(&["render"]);
    assert_eq!(desk.calls(), 3);
}

#[test]
fn a_rule_is_never_turned_around_and_entries_get_their_fields() {
    let desk = Desk::new("");
    let mut rule =
        row("obs_pr0001", "procedural", "Never edit schema.sql by hand", "Never edit schema.sql by hand, it is generated");
    rule.evidence = vec!["never edit schema.sql by hand, it is generated".to_owned()];
    fs::write(desk.path("schema.sql"), "").expect("a file");
    publish(&desk.scene, &in_project(vec![rule], "default"), 3);
    desk.answer(&words("Edit schema.sql by hand", "Edit schema.sql by hand, it is generated"));
    let told = desk.scene.done(&["render"]);
    assert!(told.error.contains("it forbids what was asked for, or the other way round"), "{}", told.error);
    let decision = row("obs_de0001", "decision", "SQLite", "decision: keep SQLite; rationale: tests need no server");
    publish(&desk.scene, &in_project(vec![decision], "default"), 4);
    let fields = json!({"context": "tests run everywhere", "decision": "Keep SQLite", "rationale": "Tests need no server"});
    desk.answer(&json!({"result": json!({"title": "Keep SQLite", "details": fields}).to_string()}).to_string());
    desk.scene.done(&["render"]);
    let text = fs::read_to_string(desk.path(".memory/knowledge/decisions.md")).expect("decisions");
    assert!(text.contains("## ADR-001: Keep SQLite\n") && text.contains("- **Context**: tests run everywhere\n"), "{text}");
}
