//! What later steps appended to a row of `outcomes.log`, read by structure and as the original reads it.
//!
//! Nothing in a row says where a marker begins. The original takes the first number for the relevance, also where it is the
//! result of a goal; its own rates come from that reading, so both are kept.

use crate::import::value::parse_float;

/// The markers of one row.
#[derive(Debug, Default)]
pub(super) struct Tail<'a> {
    /// The relevance that stands in front of the goals.
    pub(super) relevance: Option<Relevance<'a>>,
    /// What the original takes for the relevance: the first number.
    pub(super) as_read: Option<Relevance<'a>>,
    /// The goals in the order in which they were appended.
    pub(super) goals: Vec<Goal<'a>>,
    /// Whether the row was marked as unverified.
    pub(super) is_unverified: bool,
    /// Whether the builds passed, in the order in which they were appended.
    pub(super) builds: Vec<bool>,
    /// The fields that belong to no marker.
    pub(super) unread: Vec<&'a str>,
}

/// A relevance as it was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relevance<'a> {
    pub(super) score: f64,
    pub(super) raw: &'a str,
    pub(super) method: Option<&'a str>,
}

/// A goal and its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a> {
    pub(super) name: &'a str,
    pub(super) success: bool,
    pub(super) score: f64,
}

const UNVERIFIED: &str = "unverified";

/// Reads the fields behind the citations.
pub(super) fn parse_tail<'a>(fields: &[&'a str]) -> Tail<'a> {
    let numbers: Vec<Option<f64>> = fields.iter().map(|field| parse_float(field)).collect();
    let (goals, starts) = find_goals(fields, &numbers);
    let relevance = find_relevance(fields, &numbers, starts.first().copied().unwrap_or(fields.len()));
    let first_number = numbers.iter().position(Option::is_some);

    let mut is_read = vec![false; fields.len()];
    for start in starts {
        is_read[start..start + 3].fill(true);
    }
    if let Some((at, Relevance { method, .. })) = relevance {
        is_read[at..=at + usize::from(method.is_some())].fill(true);
    }
    let is_unread = |(field, is_read): &(&&str, bool)| !is_read && !field.is_empty() && !is_marker(field);
    Tail {
        relevance: relevance.map(|(_, relevance)| relevance),
        as_read: first_number.and_then(|at| relevance_at(fields, &numbers, at)),
        goals,
        is_unverified: fields.contains(&UNVERIFIED),
        builds: fields.iter().filter_map(|field| build_result(field)).collect(),
        unread: fields.iter().zip(is_read).filter(is_unread).map(|(field, _)| *field).collect(),
    }
}

/// The goals, and where each begins. The first is found exactly where the original finds it; the others follow behind it.
fn find_goals<'a>(fields: &[&'a str], numbers: &[Option<f64>]) -> (Vec<Goal<'a>>, Vec<usize>) {
    let (mut goals, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
    while let [name, result, _, ..] = fields[at..] {
        match (result, numbers[at + 2]) {
            ("0" | "1", Some(score)) => {
                goals.push(Goal { name, success: result == "1", score });
                starts.push(at);
                at += 3;
            }
            _ => at += 1,
        }
    }
    (goals, starts)
}

/// The first number in front of the goals that has a method, or that nothing but a marker follows.
fn find_relevance<'a>(fields: &[&'a str], numbers: &[Option<f64>], first_goal: usize) -> Option<(usize, Relevance<'a>)> {
    let has_number_behind = |at: usize| numbers.get(at + 1).is_some_and(Option::is_some);
    let at = (0..first_goal).find(|&at| numbers[at].is_some() && !has_number_behind(at))?;
    Some((at, relevance_at(fields, numbers, at)?))
}

fn relevance_at<'a>(fields: &[&'a str], numbers: &[Option<f64>], at: usize) -> Option<Relevance<'a>> {
    // The field behind may be the name of a goal as well: a goal that is called `1` makes the method look like one. Whoever
    // appends a relevance appends its method too, so the method it stays.
    let method = fields.get(at + 1).copied().filter(|method| !method.is_empty() && !is_marker(method));
    Some(Relevance { score: numbers[at]?, raw: fields[at], method })
}

fn is_marker(field: &str) -> bool {
    field == UNVERIFIED || build_result(field).is_some()
}

fn build_result(field: &str) -> Option<bool> {
    match field {
        "build_passed" => Some(true),
        "build_failed" => Some(false),
        _ => None,
    }
}
