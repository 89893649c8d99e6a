//! What other stores know of a pattern counts in part, and everywhere alike: flags, order, injection, sharing.

use std::fs;

use serde_json::{Value, json};

use super::{Shop, application, figures, json_of, record};
use crate::support::Scene;
use crate::support::published::{read, set};

/// A pattern that ClosedLoop has given up, one that it knows to work, and one that it never saw.
const PATTERNS: &str = "patterns[3]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:
  P-001,mistake,\"Retry API calls with backoff\",low,40,0.10,[PRUNE],*,api,*
  P-002,mistake,\"Await every promise that is made\",high,12,0.90,,*,javascript,*
  P-003,mistake,\"Name branches after their issue\",medium,0,,[UNTESTED],*,git,*
";

fn taken_over(settings: &str) -> (Scene, Shop) {
    let (scene, shop) = (Scene::new(), Shop::new());
    set(&scene, settings);
    fs::write(shop.learnings().join("org-patterns.toon"), PATTERNS).expect("patterns");
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    (scene, shop)
}

/// The ids of the pattern file, in its order.
fn order(scene: &Scene) -> Vec<String> {
    let file = read(scene, "org-patterns.toon");
    file.lines()
        .filter_map(|line| line.trim().split_once(','))
        .map(|(id, _)| id.to_owned())
        .filter(|id| id.starts_with("P-"))
        .collect()
}

fn shown(scene: &Scene, id: &str) -> Value {
    json_of(scene, &["patterns", "show", id, "--json"])
}

#[test]
fn a_row_that_another_store_gave_up_is_not_first_as_untested() {
    let (scene, _shop) = taken_over("");
    assert_eq!(figures(&scene), ["P-001 0 - low PRUNE", "P-002 0 - high", "P-003 0 - medium UNTESTED"]);
    assert_eq!(order(&scene), ["P-002", "P-003", "P-001"]);
    let pattern = shown(&scene, "P-001");
    let reason = pattern["flag_reason"].as_str().expect("a reason");
    assert!(reason.contains("org-patterns.toon: 0.10 after 40, [PRUNE]") && reason.contains("not tried here"), "{reason}");
    assert_eq!((&pattern["prior_source"], &pattern["history"]), (&json!("org-patterns.toon"), &json!(20.0)));
    // Twelve sightings elsewhere are worth six here.
    assert_eq!((&shown(&scene, "P-002")["history"], &shown(&scene, "P-002")["expected"]), (&json!(6.0), &json!(0.9)));
    let injected = scene.done(&["inject", "--agent", "builder", "--at", "2099-01-01T00:00:00Z"]).out;
    assert!(injected.contains("Await every promise") && !injected.contains("Retry API calls"), "{injected}");
    scene.done(&["run", "verify"]);
}

#[test]
fn what_is_seen_here_takes_the_place_of_history() {
    let (scene, _shop) = taken_over("");
    let uses = |run: &str, count: usize| -> Vec<Value> {
        (0..count).map(|number| application((&format!("{run}{number}"), 1), "builder", "P-001", "applied", &[])).collect()
    };
    record(&scene, &uses("few", 4));
    scene.done(&["run", "hourly"]);
    // (4 + 18 * 0.1) / (4 + 18), of which 18 is half of the 36 that were not seen here.
    let pattern = shown(&scene, "P-001");
    assert_eq!((&pattern["rate"], &pattern["history"]), (&json!(1.0), &json!(18.0)));
    assert!((pattern["expected"].as_f64().expect("a rate") - 5.8 / 22.0).abs() < 1e-9, "{pattern}");
    assert_eq!((&pattern["flag"], &pattern["confidence"]), (&json!("PRUNE"), &json!("low")));
    record(&scene, &uses("many", 30));
    scene.done(&["run", "hourly"]);
    let pattern = shown(&scene, "P-001");
    assert_eq!((&pattern["history"], &pattern["flag"], &pattern["confidence"]), (&json!(3.0), &json!(""), &json!("high")));
}

#[test]
fn history_can_be_left_out_and_compat_leaves_it_out() {
    for settings in ["[rate]\nhistory = 0.0\n", "compat = \"closedloop\"\n"] {
        let (scene, _shop) = taken_over(settings);
        let flags: Vec<Value> = ["P-001", "P-002", "P-003"].map(|id| shown(&scene, id)["flag"].clone()).into();
        assert_eq!(flags, ["UNTESTED"; 3].map(Value::from), "{settings}");
        assert!(read(&scene, "org-patterns.toon").contains("40,0.1"), "the values of the other store stay in the file");
    }
}

#[test]
fn what_was_imported_and_never_tried_is_shared_with_its_source() {
    let (scene, _shop) = taken_over("");
    let place = tempfile::TempDir::new().expect("a folder");
    let at = place.path().to_str().expect("a path");
    let told = json_of(&scene, &["push", "--org", "acme", "--project", "shop", "--at", at, "--json"]);
    assert_eq!((&told["added"], &told["untried"], &told["withheld"]["flagged"]), (&json!(2), &json!(2), &json!(1)), "{told}");
    let sources = fs::read_to_string(place.path().join("sources.json")).expect("sources");
    assert!(sources.contains(r#""source": "org-patterns.toon""#), "{sources}");
    let other = Scene::new();
    json_of(&other, &["pull", "--org", "acme", "--project", "other", "--at", at, "--json"]);
    other.done(&["run", "hourly"]);
    assert_eq!(other.count("select count(*) from pattern where prior_source = 'shop' and history = 6"), 1);
}
