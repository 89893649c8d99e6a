//! A session of the engine with the program's queries at hand, and a guard that stops them when the time is over.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use crate::{Body, Horizon, Query, Session, load_body};
use event::row::Rows;
use store::deadline::Deadline;
use store::lake::Past;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Asks the lake.
pub struct Inquiry {
    /// The session.
    pub session: Session,
    /// Every query of the program, or of the workspace in its place.
    pub bodies: Vec<Body>,
    /// Whether of some days only sums are left.
    pub has_past: bool,
    deadline: Deadline,
    /// Dropped with the inquiry, which ends the guard.
    _guard: mpsc::Sender<()>,
}

impl Inquiry {
    /// The hash of every query, by its name.
    #[must_use]
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.bodies.iter().map(|body| (body.query.name().to_owned(), body.hash.clone())).collect()
    }

    /// Opens a session that sees as far as the horizon.
    pub fn open(workspace: &Workspace, horizon: Horizon, deadline: Deadline) -> Outcome<Self> {
        let session = Session::open_at(workspace, horizon)?;
        let has_past = Past::load(workspace)?.is_some();
        let bodies = Query::ALL.iter().map(|&query| load_body(workspace, query)).collect::<Outcome<Vec<_>>>()?;
        let (guard, ended) = mpsc::channel::<()>();
        if let Some(remaining) = deadline.remaining() {
            let interrupter = session.interrupter();
            // A query knows nothing of the time; only another thread can stop it.
            thread::spawn(move || {
                if ended.recv_timeout(remaining) == Err(mpsc::RecvTimeoutError::Timeout) {
                    interrupter.interrupt();
                }
            });
        }
        Ok(Self { session, bodies, has_past, deadline, _guard: guard })
    }

    /// The text of a query.
    pub fn body(&self, query: Query) -> Outcome<&Body> {
        let body = self.bodies.iter().find(|body| body.query == query);
        body.ok_or_else(|| Diagnostic::bug(format!("the query `{}` was not loaded", query.name())))
    }

    /// Runs a query.
    pub fn run(&self, query: Query) -> Outcome<Rows> {
        self.in_time(query, || self.session.run(self.body(query)?))
    }

    /// Runs a query and reads its rows. Rows that do not fit their reader are the query's fault.
    pub fn load<T>(&self, query: Query, parse: impl FnOnce(&Rows) -> Outcome<T>) -> Outcome<T> {
        parse(&self.run(query)?).map_err(|fault| self.body(query).map_or_else(|bug| bug, |body| body.blame(fault)))
    }

    /// Makes a query's rows a view of that name.
    pub fn define_view(&self, name: &str, query: Query) -> Outcome<()> {
        self.in_time(query, || self.session.define_view(name, self.body(query)?))
    }

    /// Makes a query's rows a table of that name.
    pub fn define_table(&self, name: &str, query: Query) -> Outcome<()> {
        self.in_time(query, || self.session.define_table(name, self.body(query)?))
    }

    /// Fails when the time is over.
    pub fn check(&self) -> Outcome<()> {
        self.deadline.check()
    }

    /// A query that was stopped failed for want of time, whatever the engine calls it.
    fn in_time<T>(&self, query: Query, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        self.deadline.check()?;
        let started = Instant::now();
        let done = work();
        tracing::debug!(query = query.name(), seconds = started.elapsed().as_secs_f64(), "query");
        done.map_err(|fault| self.deadline.check().err().unwrap_or(fault))
    }
}
