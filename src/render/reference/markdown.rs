//! `docs/events.md`.

use std::fmt::Write as _;

use super::{VERSION, describe, is_needed};
use event::{ENVELOPE, FieldSpec, Kind};

/// The reference of all kinds.
#[must_use]
pub fn render_events() -> String {
    let mut text = format!(
        "# Events\n\n\
         A line of the inbox is one JSON object. This page is the output of `outerloop schema --format markdown`, made from the table \
         of kinds\n(`src/event/kind.rs`); a test compares both. `outerloop schema run` prints the JSON Schema of a kind, and\n\
         `outerloop record --check FILE` checks lines without recording them. Version {VERSION}: new fields and kinds may come at any \
         time; a field\nthat goes or changes its meaning raises it.\n\n\
         Fields that a kind does not know are kept, in the column `extra`. `null` counts as absent, but for `quality` and `retries`.\n\
         [emit/outerloop.py](emit/outerloop.py) and [emit/outerloop.ts](emit/outerloop.ts) write events, with a type for each field\n\
         (`outerloop schema --format python`, `--format typescript`).\n\n\
         ## Every event\n\n"
    );
    table(&mut text, ENVELOPE.iter(), |field| field.name == "kind");
    for kind in Kind::ALL {
        let either = kind.either().map(|(first, second)| format!(" Either `{first}` or `{second}` is required."));
        let _ = write!(text, "\n## `{}`\n\n{}{}\n\n", kind.name(), kind.about().trim(), either.unwrap_or_default());
        table(&mut text, kind.fields().iter(), |field| is_needed(*kind, field));
    }
    text.push_str(
        "\nA run that failed must say why in `failure_type`. `run.lenient` in the settings lifts that, and that `adapters` is \
         needed.\n",
    );
    text
}

fn table<'f>(text: &mut String, fields: impl Iterator<Item = &'f FieldSpec>, is_needed: impl Fn(&FieldSpec) -> bool) {
    text.push_str("| field | holds | | other spellings |\n|---|---|---|---|\n");
    for field in fields {
        let needed = if is_needed(field) { " **Required.**" } else { "" };
        let others = field.spellings.iter().filter(|spelling| **spelling != field.name).map(|spelling| format!("`{spelling}`"));
        let others = others.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| `{}` | {} | {}{needed} | {others} |", field.name, describe(field.holds), field.about.trim());
    }
}
