//! Who vouches for what.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use agent::share::public_key;
use serde_json::Value;

use super::{Project, files, folder, pattern, summaries};

/// What `web` takes after somebody has changed the files that `api` wrote.
fn after(change: impl Fn(&mut Value, &mut Value)) -> (Vec<String>, Vec<String>) {
    let (shared, place) = folder();
    Project::new("api").push(&place, 1, &[pattern("P-001", "One"), pattern("P-002", "Two")]);
    let (document, sources) = files(shared.path());
    let (mut document, mut sources) =
        (serde_json::from_str(&document).expect("JSON"), serde_json::from_str(&sources).expect("JSON"));
    change(&mut document, &mut sources);
    fs::write(shared.path().join("org-patterns.json"), document.to_string()).expect("written");
    fs::write(shared.path().join("sources.json"), sources.to_string()).expect("written");
    let pulled = Project::new("web").pull(&place);
    (summaries(&pulled), pulled.refused.into_iter().map(|remark| remark.reason).collect())
}

#[test]
fn what_is_not_what_was_signed_is_refused() {
    let other = || "2026-05-01T00:00:00Z".into();
    let (taken, refused) = after(|document, _| document["patterns"][0]["summary"] = "Run rm -rf".into());
    assert_eq!((taken, refused), (vec!["Two".to_owned()], vec!["its content differs from what was signed".to_owned()]));
    let (_, refused) = after(|document, _| document["patterns"][0]["seen_count"] = 900.into());
    assert_eq!(refused, ["its content differs from what was signed"]);
    let (_, refused) = after(|document, _| document["patterns"][0]["updated_at"] = other());
    assert_eq!(refused, ["its content differs from what was signed"]);
    for member in ["source_project", "source_id", "pushed_by", "pushed_at"] {
        let (taken, refused) = after(|_, sources| {
            sources["patterns"]["P-001"][member] = if member == "pushed_at" { other() } else { "else".into() };
        });
        assert_eq!((taken.len(), &*refused[0]), (1, "its signature is invalid"), "{member}");
    }
    let (_, refused) = after(|_, sources| sources["patterns"]["P-001"]["signature"] = "00".into());
    assert_eq!(refused, ["its signature is malformed"]);
    let (_, refused) = after(|_, sources| sources["patterns"]["P-001"]["signature"] = Value::Null);
    assert_eq!(refused, ["its signature record is incomplete"]);
    let (_, refused) = after(|_, sources| {
        let other = sources["patterns"]["P-002"].clone();
        sources["patterns"]["P-001"] = other;
    });
    assert_eq!(refused, ["its content differs from what was signed"], "the record of another entry");
}

#[test]
fn an_entry_without_its_signature_is_refused_by_those_who_take_no_unsigned_ones() {
    let (taken, refused) = after(|document, sources| {
        document["patterns"][0]["summary"] = "Run rm -rf".into();
        let record = sources["patterns"]["P-001"].as_object_mut().expect("a record");
        record.retain(|name, _| !["key", "signature", "content_hash"].contains(&&**name));
    });
    assert_eq!(taken, ["Two"]);
    assert!(refused.len() == 1 && refused[0].contains("`share.take_unsigned`"), "{refused:?}");
}

#[test]
fn only_trusted_keys_are_taken_where_any_are_named() {
    let (shared, place) = folder();
    let (api, infra, web) = (Project::new("api"), Project::new("infra"), Project::new("web"));
    api.push(&place, 1, &[pattern("P-001", "Of api")]);
    infra.push(&place, 2, &[pattern("P-001", "Of infra")]);
    let trusted = public_key(&api.workspace).expect("a key").to_uppercase();
    let pulled = web.pull_trusting(&place, std::slice::from_ref(&trusted));
    assert_eq!(summaries(&pulled), ["Of api"]);
    assert!(pulled.refused[0].reason.contains("is not trusted"), "{:?}", pulled.refused);

    // Without its record an entry is unsigned: never good enough for those who name keys.
    fs::remove_file(shared.path().join("sources.json")).expect("removed");
    assert_eq!(web.pull_unsigned(&place).lines.len(), 2);
    let named = agent::share::Recipient { trusted_keys: &[trusted], ..super::lenient("web") };
    let pulled = web.pull_as(&place, &named);
    assert_eq!((pulled.lines.len(), pulled.refused.len()), (0, 2));

    let odd = [String::from("abc")];
    let recipient = agent::share::Recipient { trusted_keys: &odd, ..super::recipient("web") };
    let error = agent::share::pull(&web.workspace, &place, None, &recipient).expect_err("no key");
    assert!(error.what.contains("is not a public key"), "{error}");
}

#[test]
fn pushing_again_mends_what_somebody_else_has_damaged() {
    let (shared, place) = folder();
    let (api, web) = (Project::new("api"), Project::new("web"));
    api.push(&place, 1, &[pattern("P-001", "One")]);
    let damaged = files(shared.path()).0.replace("\"One\"", "\"Won\"");
    fs::write(shared.path().join("org-patterns.json"), damaged).expect("written");
    assert_eq!(web.pull(&place).refused.len(), 1);
    assert_eq!(api.push(&place, 2, &[pattern("P-001", "One")]).updated, 1);
    assert_eq!(summaries(&web.pull(&place)), ["One"]);
}

#[test]
fn the_key_is_made_once_and_nobody_else_can_read_it() {
    let project = Project::new("api");
    let keys: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| public_key(&project.workspace).expect("a key"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert!(keys.iter().all(|key| *key == keys[0] && key.len() == 64), "{keys:?}");
    let path = project.workspace.root().join("share/key");
    assert_eq!(fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o600);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("mode");
    assert!(public_key(&project.workspace).expect_err("open to all").what.contains("other users can read"));
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink("/etc/hostname", &path).expect("a link");
    assert!(public_key(&project.workspace).is_err());
}
