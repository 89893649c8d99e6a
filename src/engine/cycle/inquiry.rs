//! Questions to the lake. Whoever asks names what is wanted; what that needs is made first, each table once.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::study::Study;
use super::{Aim, CycleOptions};
use crate::argument::{Arguments, Value};
use crate::graph::{Graph, Node, Origin};
use crate::session::blame;
use crate::{Horizon, Session, Threads, load_graph, try_own};
use event::Kind;
use event::row::Rows;
use store::deadline::Deadline;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Asks the lake.
pub struct Inquiry<'o> {
    workspace: Workspace,
    session: Session,
    graph: Graph,
    /// What is made in the session, and what was asked.
    made: RefCell<BTreeSet<String>>,
    /// What tables depend on that the program computes.
    pub(super) study: Option<Study<'o>>,
    deadline: Deadline,
    /// Dropped with the inquiry, which ends the guard.
    _guard: mpsc::Sender<()>,
}

impl<'o> Inquiry<'o> {
    /// Opens a session that sees as far as the horizon, for questions that depend on no setting.
    pub fn open(workspace: &Workspace, horizon: Horizon, deadline: Deadline) -> Outcome<Self> {
        Self::open_with(workspace, horizon, deadline, Threads::Every)
    }

    fn open_with(workspace: &Workspace, horizon: Horizon, deadline: Deadline, threads: Threads) -> Outcome<Self> {
        let graph = load_graph(workspace)?;
        try_own(&graph)?;
        Ok(Self::over(workspace, Session::open_at(workspace, horizon, threads)?, graph, deadline))
    }

    fn over(workspace: &Workspace, session: Session, graph: Graph, deadline: Deadline) -> Self {
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
        let workspace = workspace.clone();
        Self { workspace, session, graph, made: RefCell::default(), study: None, deadline, _guard: guard }
    }

    /// The same questions about the policies of one project: no event of another is seen.
    pub(super) fn of_project(&self, project: &str) -> Outcome<Self> {
        let options = self.options()?;
        let session = Session::open_for(&self.workspace, options.horizon, Threads::Every, project)?;
        let inquiry = Self::over(&self.workspace, session, self.graph.clone(), options.deadline);
        Ok(Self { study: Some(Study::new(options, Aim::Policy)), ..inquiry })
    }

    /// Opens a session for questions about patterns and policies.
    pub fn of_cycle(workspace: &Workspace, options: CycleOptions<'o>, aim: Aim) -> Outcome<Self> {
        let threads = if matches!(aim, Aim::One(_) | Aim::None) { Threads::One } else { Threads::Every };
        let inquiry = Self::open_with(workspace, options.horizon, options.deadline, threads)?;
        Ok(Self { study: Some(Study::new(options, aim)), ..inquiry })
    }

    /// Whether of some days only sums are left.
    pub fn has_past(&self) -> bool {
        self.session.has_past()
    }

    /// Whether any event is dated after an instant.
    pub(super) fn reaches_beyond(&self, micros: i64) -> Outcome<bool> {
        self.session.reaches_beyond(micros)
    }

    /// The SHA-256 of the prelude and of every body, by its path below `sql/`.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.graph.hashes()
    }

    /// The same of what this inquiry has asked and made so far, and of the prelude.
    pub(super) fn hashes_of_asked(&self) -> BTreeMap<String, String> {
        let made = self.made.borrow();
        let stems: BTreeSet<&str> =
            made.iter().filter_map(|name| self.graph.node(name)?.stem.as_deref()).chain([&*self.graph.prelude().stem]).collect();
        self.hashes().into_iter().filter(|(stem, _)| stems.contains(&**stem)).collect()
    }

    /// The paths of all audits below `sql/`: what must return no rows before anything is published.
    pub(super) fn audits(&self) -> impl Iterator<Item = &str> {
        self.graph.nodes().filter_map(|node| node.stem.as_deref()).filter(|stem| stem.starts_with("audit/"))
    }

    /// Asks a question that comes with nothing, and reads its rows.
    pub fn load<T>(&self, name: &str, parse: impl FnOnce(&Rows) -> Outcome<T>) -> Outcome<T> {
        self.ask(name, &Arguments::NONE, parse)
    }

    /// Asks a question and reads its rows. Rows that do not fit their reader are the query's fault.
    pub fn ask<T>(&self, name: &str, arguments: &Arguments, parse: impl FnOnce(&Rows) -> Outcome<T>) -> Outcome<T> {
        let rows = self.run(name, arguments)?;
        parse(&rows).map_err(|fault| self.node(name).map_or_else(|bug| bug, |node| blame(node, fault)))
    }

    /// Asks a question.
    pub fn run(&self, name: &str, arguments: &Arguments) -> Outcome<Rows> {
        self.make(name)?;
        let node = self.node(name)?;
        for name in node.tables_taken() {
            let (_, handed) = arguments.tables.iter().find(|(table, _)| *table == name).ok_or_else(|| not_handed(node, name))?;
            self.session.hand_over(self.node(name)?, handed)?;
        }
        let mut values: HashMap<&'static str, Value> = HashMap::new();
        for name in node.parameters() {
            let (known, value) =
                arguments.values.iter().find(|(known, _)| *known == name).ok_or_else(|| not_handed(node, &format!("${name}")))?;
            values.insert(known, value.clone());
        }
        self.in_time(name, || self.session.ask(node, &values))
    }

    /// Holds the events of a kind in memory, if there are few.
    pub fn hold_if_few(&self, kind: Kind, most: i64) -> Outcome<()> {
        self.make(kind.name())?;
        self.session.hold_if_few(kind, most)
    }

    /// Makes a node and whatever it needs, as far as that is not there.
    fn make(&self, name: &str) -> Outcome<()> {
        self.node(name)?;
        for node in self.graph.plan(&[name]) {
            if self.made.borrow().contains(&node.name) {
                continue;
            }
            if node.origin == Origin::Program {
                // The program asks for what it needs itself, and that may be less than it could.
                let rows = self.supply(&node.name)?;
                self.session.load_table(&node.name, node.columns, &rows)?;
            } else if let Some(pattern) = self.only_pattern(&node.name)? {
                self.in_time(&node.name, || self.session.make_for(node, pattern))?;
            } else {
                self.in_time(&node.name, || self.session.make(node))?;
            }
            self.made.borrow_mut().insert(node.name.clone());
        }
        Ok(())
    }

    pub fn node(&self, name: &str) -> Outcome<&Node> {
        self.graph.node(name).ok_or_else(|| Diagnostic::bug(format!("there is no query `{name}`")))
    }

    /// Fails when the time is over.
    pub fn check(&self) -> Outcome<()> {
        self.deadline.check()
    }

    /// A query that was stopped failed for want of time, whatever the engine calls it.
    fn in_time<T>(&self, query: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        self.deadline.check()?;
        let started = Instant::now();
        let done = work();
        tracing::debug!(query, seconds = started.elapsed().as_secs_f64(), "query");
        done.map_err(|fault| self.deadline.check().err().unwrap_or_else(|| self.suspect(query, fault)))
    }

    /// A query of the program that reads one of the workspace's own fails where that one does: views run inside of their readers.
    fn suspect(&self, query: &str, mut fault: Diagnostic) -> Diagnostic {
        let plan = self.graph.plan(&[query]);
        if plan.last().is_some_and(|node| !node.is_own) {
            let own: Vec<&str> = plan.iter().filter(|node| node.is_own).map(|node| &*node.place.0).collect();
            if let Some(last) = own.last() {
                fault.exit = Exit::Edit;
                fault.remedy = format!("correct or remove the workspace's own SQL that it reads: {}", own.join(", "));
                fault = fault.at(Path::new(last));
            }
        }
        fault
    }
}

fn not_handed(node: &Node, name: &str) -> Diagnostic {
    let fault = Diagnostic::edit(
        format!("the question comes without `{name}`"),
        "take from a question only what the program's own file of that name takes",
    );
    blame(node, fault)
}
