//! How often entries were cited, in the shape that other tools read: worked out anew each time, never counted up.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::manifest::Manifest;
use learn::observation::ObservationScore;

/// The citations of all registered entries.
#[must_use]
pub fn render_usage(manifest: &Manifest, rows: &[ObservationScore]) -> String {
    let mut entries: BTreeMap<(String, u64), (i64, Option<&str>, &str)> = BTreeMap::new();
    for entry in manifest.live() {
        let Some((prefix, number)) = entry.anchor_id.as_deref().and_then(|anchor| anchor.split_once('-')) else { continue };
        let Ok(number) = number.parse() else { continue };
        let row = rows.iter().find(|row| row.id == entry.observation_id);
        let (cites, last) = row.map_or((0, None), |row| (row.cites, row.last_cited.as_deref()));
        let known = entries.entry((prefix.to_owned(), number)).or_insert((0, None, &entry.rendered_at));
        // Observations that one entry speaks for are cited together; it is as old as the first of them.
        *known = (known.0 + cites, known.1.max(last), known.2.min(&entry.rendered_at));
    }
    let entries: Map<String, Value> = entries
        .into_iter()
        .map(|((prefix, number), (cites, last_cited, created))| {
            (format!("{prefix}-{number:03}"), json!({"cites": cites, "last_cited": last_cited, "created": created}))
        })
        .collect();
    format!("{:#}\n", json!({"version": 1, "entries": entries}))
}
