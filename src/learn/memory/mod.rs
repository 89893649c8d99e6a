//! The notes that agents keep: what speaks for each of them, and which of them people should look at. Texts in, advice out.

mod figure;
mod note;
mod review;

pub use figure::{Advice, Figures, Surroundings, advise, weigh_note};
pub use note::{Note, parse_note, statements};
pub use review::{Coverage, LackingNote, NotePair, NoteStatus, NotesReview, StaleNote, WeighedNote, review_notes, sum_up_notes};
