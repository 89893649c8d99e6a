//! What roles said and what became of it, from the rows of their queries.

use arrow::array::{Array as _, AsArray as _, GenericListArray, StringArray};

use super::log::{DeliberationRow, ExposureRow, RoleDecision, RoleLog, VerdictRow};
use crate::pattern::Action;
use event::row::{Rows, flag_at, number_at, text_at};
use text::diagnostic::Outcome;

/// Takes the rows of `sql/role/deliberation.sql`.
pub fn take_deliberations(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (ids, times, sequences) = (part.texts("id")?, part.numbers("ts_us")?, part.numbers("landing_seq")?);
        let (projects, roles, runs) = (part.texts("project")?, part.texts("role")?, part.texts("run_id")?);
        let (sessions, iterations, phases) = (part.texts("session")?, part.numbers("iteration")?, part.texts("phase")?);
        let (issues, requests, levels) = (part.texts("issue")?, part.texts("pull_request")?, part.numbers("evidence_level")?);
        let (labels, files, patterns) = (part.lists("labels")?, part.lists("files")?, part.lists("patterns")?);
        let priors = part.texts("prior")?;
        for row in 0..part.len() {
            let lists = [labels, files, patterns].map(|list| items(list, row));
            let [labels, files, patterns] = lists.each_ref().map(|items| borrowed(items.as_ref()));
            log.add_deliberation(&DeliberationRow {
                id: ids.value(row),
                time_micros: times.value(row),
                sequence: sequences.value(row),
                project: projects.value(row),
                role: roles.value(row),
                run: at(runs, row),
                session: at(sessions, row),
                iteration: number_at(iterations, row),
                phase: at(phases, row),
                issue: at(issues, row),
                pull_request: at(requests, row),
                labels,
                files,
                level: number_at(levels, row),
                patterns,
                prior: at(priors, row),
            });
        }
    }
    Ok(())
}

/// Takes the rows of `sql/role/verdict.sql`.
pub fn take_verdicts(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (ids, times, sequences) = (part.texts("id")?, part.numbers("ts_us")?, part.numbers("landing_seq")?);
        let (projects, roles, runs) = (part.texts("project")?, part.texts("adversarial_role")?, part.texts("run_id")?);
        let (iterations, phases, passes) = (part.numbers("iteration")?, part.texts("phase")?, part.flags("has_passed")?);
        let (deliberations, validators) = (part.texts("deliberation_id")?, part.texts("validator_id")?);
        let (levels, validator_levels) = (part.numbers("evidence_level")?, part.numbers("validator_level")?);
        let (labels, files, issues) = (part.lists("labels")?, part.lists("files")?, part.texts("issues")?);
        let (positives, rejected) = (part.lists("false_positives")?, part.lists("rejected")?);
        let reinforced = part.lists("reinforced")?;
        for row in 0..part.len() {
            let lists = [labels, files, positives, rejected, reinforced].map(|list| items(list, row));
            let [labels, files, false_positives, rejected, reinforced] = lists.each_ref().map(|items| borrowed(items.as_ref()));
            log.add_verdict(&VerdictRow {
                id: ids.value(row),
                time_micros: times.value(row),
                sequence: sequences.value(row),
                project: projects.value(row),
                adversarial_role: at(roles, row),
                run: at(runs, row),
                iteration: number_at(iterations, row),
                deliberation: at(deliberations, row),
                validator: at(validators, row),
                has_passed: flag_at(passes, row).unwrap_or(false),
                level: number_at(levels, row),
                validator_level: number_at(validator_levels, row),
                phase: at(phases, row),
                labels,
                files,
                false_positives,
                rejected,
                issues: at(issues, row),
                reinforced,
            });
        }
    }
    Ok(())
}

/// Takes the rows of `sql/role/exposure.sql`.
pub fn take_exposures(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (projects, runs, sessions) = (part.texts("project")?, part.texts("run_id")?, part.texts("session")?);
        let (iterations, roles, patterns) = (part.numbers("iteration")?, part.texts("role")?, part.texts("pattern_id")?);
        let (firsts, lasts) = (part.numbers("first_us")?, part.numbers("last_us")?);
        for row in 0..part.len() {
            log.add_exposure(ExposureRow {
                project: projects.value(row),
                run: at(runs, row),
                session: at(sessions, row),
                iteration: number_at(iterations, row),
                role: at(roles, row),
                pattern_id: patterns.value(row),
                first_micros: firsts.value(row),
                last_micros: lasts.value(row),
            });
        }
    }
    Ok(())
}

/// Takes the rows of `sql/role/ending.sql`.
pub fn take_endings(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (projects, runs, passes) = (part.texts("project")?, part.texts("run_id")?, part.flags("passed")?);
        let (times, sequences) = (part.numbers("ts_us")?, part.numbers("landing_seq")?);
        for row in 0..part.len() {
            let has_passed = flag_at(passes, row).unwrap_or(false);
            log.add_ending(projects.value(row), runs.value(row), has_passed, times.value(row), sequences.value(row));
        }
    }
    Ok(())
}

/// Takes the rows of `sql/role/decision.sql`.
pub fn take_role_decisions(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (times, sequences, ids) = (part.numbers("ts_us")?, part.numbers("landing_seq")?, part.texts("pattern_id")?);
        let (actions, actors, reasons) = (part.texts("action")?, part.texts("actor")?, part.texts("reason")?);
        let values = part.texts("value")?;
        for row in 0..part.len() {
            // The door lets no other words in.
            let Some(action) = at(actions, row).and_then(Action::from_name) else { continue };
            let value = at(values, row).and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
            log.add_decision(RoleDecision {
                time_micros: times.value(row),
                sequence: sequences.value(row),
                pattern_id: ids.value(row).to_owned(),
                action,
                is_forced: value.is_some_and(|value| value.get("force") == Some(&serde_json::Value::Bool(true))),
                actor: text_at(actors, row).unwrap_or_default(),
                reason: text_at(reasons, row),
            });
        }
    }
    Ok(())
}

fn at(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

/// The items of a row's list.
fn items(column: &GenericListArray<i32>, row: usize) -> Option<StringArray> {
    if column.is_null(row) || column.value_length(row) == 0 {
        return None;
    }
    column.value(row).as_string_opt::<i32>().cloned()
}

fn borrowed(items: Option<&StringArray>) -> Vec<&str> {
    items.into_iter().flat_map(|items| items.iter().flatten()).collect()
}
