//! The words by which statements of people are told apart. English; another language is another set of tables.

mod choice;
mod correction;
mod step;
mod talk;

pub(super) use choice::{ANCHORS, CHOICES, CONTRASTS, HOPES, INTERJECTIONS, MODALS, NO_REASONS, REASON_OPENINGS, TIMES};
pub(super) use correction::{ACTIONS, DEEDS, NO_REJECTIONS, REJECTIONS, TASTE, VAGUE};
pub(super) use step::{CALLED, CONDITIONS, DUTIES, FILLERS, IDLE, OPENS_IN_ORDER, ORDER, PASSING, PURPOSES, UNCALLED, VERBS};
pub(super) use talk::{APPROVALS, COMMON, PROGRAMS, QUESTIONS};
