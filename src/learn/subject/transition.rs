//! What happened to one subject, step by step: what an explanation lists.

/// A step in the history of a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition<A> {
    /// The event's place in the order of landing; none where only time passed.
    pub sequence: Option<i64>,
    /// When it counts.
    pub time_micros: i64,
    /// What happened, in words.
    pub what: String,
    /// What counted afterwards.
    pub after: A,
}

/// A state of which an explanation shows a part.
pub trait Watched {
    /// The part.
    type After;

    /// What counts.
    fn after(&self) -> Self::After;
}

/// Collects the transitions of one subject while all of them are folded.
#[derive(Debug)]
pub struct Watch<S: Watched> {
    place: Option<u32>,
    /// Its transitions, in the order of time.
    pub transitions: Vec<Transition<S::After>>,
}

impl<S: Watched> Watch<S> {
    /// Watches the subject of a place, or none.
    #[must_use]
    pub const fn new(place: Option<u32>) -> Self {
        Self { place, transitions: Vec::new() }
    }

    /// Notes what happened to a subject, if it is the one that is watched.
    pub fn note(&mut self, place: u32, state: &S, sequence: Option<i64>, time_micros: i64, what: impl FnOnce() -> String) {
        if self.place == Some(place) {
            self.transitions.push(Transition { sequence, time_micros, what: what(), after: state.after() });
        }
    }
}
