//! `acknowledgments.log`: whether an agent said which patterns it used, and what it gave as evidence.

use super::log::{Turn, import_log};
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::value::{fit_needed_name, fit_project, fit_text, trim};
use event::Draft;
use text::fit::quoted;

const FIELDS: usize = 7;

/// Imports `acknowledgments.log`: a `deliberation` event of the phase `acknowledgment` a row.
pub fn import_acknowledgments(text: &[u8], project: &str) -> Imported {
    let project = fit_project(project);
    import_log(text, |row, notes| read_row(row, &project, notes))
}

fn read_row(row: &str, project: &str, notes: &mut Notes) -> Result<Record, Refusal> {
    // Neither summaries nor evidence are escaped. Where a row has too many fields nobody can tell which of the two held the
    // separators; leaving the surplus with the evidence loses none of it.
    let fields: Vec<&str> = row.splitn(FIELDS, '|').collect();
    let [time, run_id, iteration, agent, acknowledged, summaries, evidence] = *fields else {
        return Err(format!("has {} fields, fewer than {FIELDS}", fields.len()));
    };
    if evidence.contains('|') {
        notes.add("the summaries or the evidence hold a `|`; everything after the summaries is read as evidence");
    }
    let turn = Turn::parse(time, run_id, iteration, notes)?;
    let status = match acknowledged {
        "true" => "acknowledged",
        "false" => "missing",
        other => {
            notes.add(format!("{} is neither `true` nor `false` and is read as `false`", quoted(other)));
            "missing"
        }
    };
    let text = [evidence, summaries].into_iter().find(|text| !trim(text).is_empty()).unwrap_or("-");
    let event = Draft::new("deliberation", turn.time, project)
        .of_turn(&turn.run_id, turn.iteration)
        .with("role", fit_needed_name(agent, "role", notes))
        .with("phase", "acknowledgment")
        .with("status", status)
        .with("text", fit_text(text, "text", notes))
        .with("summaries", fit_text(summaries, "summaries", notes))
        .with_some("iteration_text", turn.iteration_text);
    Ok(Record::Events(vec![event.finish()?]))
}
