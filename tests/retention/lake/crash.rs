//! Pruning the lake that is killed at each of its calls that change the disk.

use std::process::{Command, Stdio};

use super::{ago, leftovers, prune, publish, scene, sums};
use crate::support::Scene;
use crate::support::shim::{self, Strike};

const CALLS: &str = "sync,rename,write,mkdir,unlink,symlink,remove";

/// Puts the lake back to where it was before it was pruned.
fn restore(scene: &Scene) {
    let root = scene.root().display();
    let script = format!("cd '{root}' && if [ -d kept ]; then rm -rf lake past && cp -a kept lake; else cp -a lake kept; fi");
    assert!(Command::new("sh").args(["-c", &script]).status().expect("a shell").success());
}

#[test]
fn pruning_that_is_killed_anywhere_changes_no_figure_and_the_next_one_finishes_it() {
    let scene = scene();
    let then = ago(0);
    let wanted = publish(&scene, then);
    restore(&scene);
    let calls = shim::count(&mut scene.command(&["prune"]), CALLS);
    assert!(calls > 30, "only {calls} calls");
    let mut has_committed = [0, 0];
    for call in 1..=calls {
        let when = format!("after the kill at call {call} of {calls}");
        restore(&scene);
        let mut command = scene.command(&["prune"]);
        shim::load(&mut command, Strike::Kill(call), CALLS);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it starts");
        has_committed[usize::from(scene.workspace.past().join("past.json").exists())] += 1;
        assert_eq!(publish(&scene, then), wanted, "{when}");
        prune(&scene);
        assert_eq!(leftovers(&scene), [""; 0].map(std::path::PathBuf::from), "{when}");
        assert_eq!(sums(&scene).len(), 1, "{:?} {when}", sums(&scene));
        assert_eq!(publish(&scene, then), wanted, "{when}, finished");
    }
    assert!(has_committed.iter().all(|times| *times > 5), "kills before and after: {has_committed:?}");
}
