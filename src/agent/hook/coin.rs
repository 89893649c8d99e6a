//! The coins of a unit of work: a task where one is named, else a run.
//!
//! What was tossed for a unit is pinned in a small file, with the chances and the salt. A generation that is published meanwhile
//! changes nothing in a unit, and all of its agents draw alike.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::memory::file_name;
use super::salt::load_salt;
use crate::iteration::Turn;
use event::field::Arm;
use learn::Flag;
use learn::recall::{Entry, Tossed, is_doubtful};
use learn::truth::Salt;
use setting::Settings;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// How long a hook waits for another one that pins coins of the same unit.
const PATIENCE: Duration = Duration::from_secs(1);
/// No file of coins is longer.
const MOST_BYTES: u64 = 4 << 20;

/// A line of a unit's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Opened(Opening),
    /// The chances of patterns.
    Tossed(BTreeMap<String, f64>),
    /// Events of the unit's own arms are noted, and will land.
    Assigned,
}

/// How a unit began. Whoever tells of its arms tells the same, to the byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Opening {
    at: Timestamp,
    run: String,
    session: Option<String>,
    salt: String,
    /// The chance of being shown anything at all; none where the loop had no coin.
    whole: Option<f64>,
    /// The chance of each variant.
    experiments: BTreeMap<String, f64>,
}

/// An arm of a unit: of the whole loop, or of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assigned {
    pub at: Timestamp,
    pub run: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    pub is_on: bool,
    pub propensity: f64,
    pub salt_id: String,
}

impl Assigned {
    #[must_use]
    pub const fn arm(&self) -> Arm {
        if self.is_on { Arm::On } else { Arm::Off }
    }
}

/// What is pinned of a unit.
#[derive(Debug, Clone)]
struct Pinned {
    opening: Option<Opening>,
    chances: BTreeMap<String, f64>,
    is_assigned: bool,
    /// Whether somebody who was killed left half a line.
    is_torn: bool,
}

impl Pinned {
    fn read(file: File) -> io::Result<Self> {
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        let is_torn = bytes.last().is_some_and(|last| *last != b'\n');
        let mut pinned = Self { opening: None, chances: BTreeMap::new(), is_assigned: false, is_torn };
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                // The first word counts.
                Ok(Line::Opened(opening)) => drop(pinned.opening.get_or_insert(opening)),
                Ok(Line::Tossed(chances)) => {
                    for (pattern, chance) in chances {
                        pinned.chances.entry(pattern).or_insert(chance);
                    }
                }
                Ok(Line::Assigned) => pinned.is_assigned = true,
                Err(_) => {}
            }
        }
        Ok(pinned)
    }
}

/// What a hook knows of its unit.
#[derive(Debug)]
struct Ledger {
    path: PathBuf,
    salt: Salt,
    opening: Opening,
    pinned: Pinned,
}

/// The coins of one unit of work. The files behind them are opened when the first coin is tossed.
#[derive(Debug)]
pub struct Coins<'c> {
    workspace: &'c Workspace,
    settings: &'c Settings,
    turn: &'c Turn,
    unit: &'c str,
    session: Option<&'c str>,
    ledger: RefCell<Option<Ledger>>,
    /// Why no coin can be tossed.
    fault: RefCell<Option<Diagnostic>>,
    /// The loop's coin as it is published, and that of a variant.
    whole: Cell<Option<f64>>,
    coin: Cell<Option<f64>>,
}

impl<'c> Coins<'c> {
    /// The coins of a unit that works in a turn. None where no coin is ever tossed.
    #[must_use]
    pub fn of(
        workspace: &'c Workspace,
        settings: &'c Settings,
        turn: &'c Turn,
        unit: &'c str,
        session: Option<&'c str>,
    ) -> Option<Self> {
        (settings.compat == setting::Compat::None).then(|| Self {
            workspace,
            settings,
            turn,
            unit,
            session,
            ledger: RefCell::default(),
            fault: RefCell::default(),
            whole: Cell::default(),
            coin: Cell::default(),
        })
    }

    /// Why no coin could be tossed, if that was so. Patterns are then shown as if nobody compared anything.
    pub fn take_fault(&self) -> Option<Diagnostic> {
        self.fault.take()
    }

    /// The arms of the unit: of the loop first, then of experiments. A unit that is shown nothing is in no experiment.
    #[must_use]
    pub fn arms(&self, whole: Option<f64>) -> Vec<Assigned> {
        let whole = whole.filter(|_| self.settings.may_toss());
        self.whole.set(whole);
        let has_experiments = self.settings.may_toss() && !self.settings.truth.experiment.is_empty();
        if whole.is_none() && !has_experiments {
            return Vec::new();
        }
        let assigned = self.with(|ledger| {
            let of = |experiment: Option<&str>, chance: f64| {
                let pattern = experiment.map_or_else(|| Salt::LOOP.to_owned(), Salt::experiment);
                let Opening { at, run, session, .. } = ledger.opening.clone();
                Assigned {
                    at,
                    run,
                    session,
                    experiment: experiment.map(str::to_owned),
                    is_on: ledger.salt.toss(self.unit, &pattern, chance).is_shown,
                    propensity: chance,
                    salt_id: ledger.salt.id(),
                }
            };
            let mut assigned: Vec<Assigned> = ledger.opening.whole.map(|chance| of(None, chance)).into_iter().collect();
            if assigned.iter().all(|arm| arm.is_on) {
                assigned.extend(ledger.opening.experiments.iter().map(|(name, chance)| of(Some(name), *chance)));
            }
            assigned
        });
        assigned.unwrap_or_default()
    }

    /// The settings of the unit's variants. None where it has none.
    #[must_use]
    pub fn varied(&self, arms: &[Assigned]) -> Option<Settings> {
        let variants = arms.iter().filter(|arm| arm.is_on).filter_map(|arm| arm.experiment.as_deref());
        let mut varied = None;
        for variant in variants.filter_map(|name| self.settings.truth.experiment.get(name)) {
            let settings: &mut Settings = varied.get_or_insert_with(|| self.settings.clone());
            settings.inject.tokens = variant.tokens.unwrap_or(settings.inject.tokens);
            settings.inject.most = variant.most.unwrap_or(settings.inject.most);
            settings.inject.order = variant.order.unwrap_or(settings.inject.order);
            self.coin.set(variant.coin.or(self.coin.get()));
        }
        varied
    }

    /// The texts of patterns that the unit's variants replace, by id.
    pub fn texts<'a>(&'a self, arms: &'a [Assigned]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let variants = arms.iter().filter(|arm| arm.is_on).filter_map(|arm| arm.experiment.as_deref());
        let variants = variants.filter_map(|name| self.settings.truth.experiment.get(name));
        variants.filter_map(|variant| variant.pattern.as_deref().zip(variant.text.as_deref()))
    }

    /// Tosses the coin of a pattern. None where it has none.
    #[must_use]
    pub fn toss(&self, entry: &Entry<'_>) -> Option<Tossed> {
        let chance = self.chance_of(entry)?;
        let toss = |ledger: &Ledger| {
            let pinned = ledger.pinned.chances.get(&*entry.id).copied();
            let chance = pinned.unwrap_or(chance);
            let is_shown = ledger.salt.toss(self.unit, &entry.id, chance).is_shown;
            Tossed { chance, is_shown, turn: ledger.salt.turn(self.unit, &entry.id) }
        };
        self.with(toss)
    }

    /// The chance of a pattern: as published, as its flag allows, as a variant or the settings say. One function tosses them all.
    fn chance_of(&self, entry: &Entry<'_>) -> Option<f64> {
        let inject = &self.settings.inject;
        match entry.coin {
            Some(coin) if !is_doubtful(entry) => Some(self.coin.get().unwrap_or(coin)),
            Some(coin) => Some(coin),
            None if entry.flag == Flag::Prune => Some(inject.prune_chance).filter(|chance| *chance > 0.0),
            None => self.coin.get().or((inject.holdout > 0.0).then_some(1.0 - inject.holdout)),
        }
    }

    /// The name of the salt; none as long as nothing was tossed.
    #[must_use]
    pub fn salt_id(&self) -> Option<String> {
        self.ledger.borrow().as_ref().map(|ledger| ledger.salt.id())
    }

    /// Pins the chances by which patterns were shown or withheld. False: another hook of the unit has pinned others meanwhile, and the
    /// choice is to be made again by those.
    pub fn pin<'p>(&self, tossed: impl IntoIterator<Item = (&'p str, f64)>) -> Outcome<bool> {
        let mut ledger = self.ledger.borrow_mut();
        let Some(ledger) = ledger.as_mut() else { return Ok(true) };
        let is_new = |pattern: &str| !ledger.pinned.chances.contains_key(pattern);
        let chances: BTreeMap<String, f64> = tossed
            .into_iter()
            .filter(|(pattern, _)| is_new(pattern))
            .map(|(pattern, chance)| (pattern.to_owned(), chance))
            .collect();
        if chances.is_empty() && ledger.pinned.opening.is_some() {
            return Ok(true);
        }
        let (file, known) = lock(&ledger.path)?;
        let others = known.chances.iter().filter_map(|(pattern, chance)| Some((chance, chances.get(pattern)?)));
        let is_agreed = others.into_iter().all(|(one, other)| (one - other).abs() < f64::EPSILON)
            && known.opening.as_ref().is_none_or(|opening| *opening == ledger.opening);
        let mut lines = Vec::new();
        if is_agreed {
            lines.extend(known.opening.is_none().then(|| Line::Opened(ledger.opening.clone())));
            lines.extend((!chances.is_empty()).then_some(Line::Tossed(chances)));
        }
        append(&file, &ledger.path, known.is_torn, &lines)?;
        for line in lines {
            match line {
                Line::Opened(opening) => ledger.pinned.opening = Some(opening),
                Line::Tossed(chances) => ledger.pinned.chances.extend(chances),
                Line::Assigned => {}
            }
        }
        if !is_agreed {
            if let Some(opening) = &known.opening {
                ledger.opening = opening.clone();
                ledger.salt = Salt::new(opening.salt.clone());
            }
            ledger.pinned = known;
        }
        Ok(is_agreed)
    }

    /// Whether the unit's arms are still to be told.
    #[must_use]
    pub fn is_untold(&self) -> bool {
        self.ledger.borrow().as_ref().is_some_and(|ledger| !ledger.pinned.is_assigned)
    }

    /// Marks the unit's arms as told, once they are noted where they cannot be lost.
    pub fn mark_told(&self) -> Outcome<()> {
        let mut ledger = self.ledger.borrow_mut();
        let Some(ledger) = ledger.as_mut() else { return Ok(()) };
        let (file, known) = lock(&ledger.path)?;
        append(&file, &ledger.path, known.is_torn, &[Line::Assigned])?;
        ledger.pinned.is_assigned = true;
        Ok(())
    }

    /// Does something with what is known of the unit. None where its coins cannot be had.
    fn with<T>(&self, act: impl FnOnce(&Ledger) -> T) -> Option<T> {
        let mut ledger = self.ledger.borrow_mut();
        if ledger.is_none() && self.fault.borrow().is_none() {
            match self.open() {
                Ok(opened) => *ledger = Some(opened),
                Err(fault) => drop(self.fault.replace(Some(fault))),
            }
        }
        ledger.as_ref().map(act)
    }

    fn open(&self) -> Outcome<Ledger> {
        let name = json!([self.turn.project, self.unit]).to_string();
        let path = self.workspace.coins().join(format!("{}.jsonl", file_name(&name)));
        let pinned = match durable::open_regular(&path).and_then(Pinned::read) {
            Ok(pinned) => pinned,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Pinned { opening: None, chances: BTreeMap::new(), is_assigned: false, is_torn: false }
            }
            Err(error) => return Err(Diagnostic::io("cannot read the coins of a unit of work", &path, &error)),
        };
        if let Some(opening) = pinned.opening.clone() {
            return Ok(Ledger { path, salt: Salt::new(opening.salt.clone()), opening, pinned });
        }
        let salt = load_salt(self.workspace)?;
        let experiments = self.settings.truth.experiment.iter().filter(|_| self.settings.may_toss());
        let opening = Opening {
            at: self.turn.time,
            run: self.turn.run_id.clone(),
            session: self.session.map(str::to_owned),
            salt: salt.secret().to_owned(),
            whole: self.whole.get(),
            experiments: experiments.map(|(name, experiment)| (name.clone(), experiment.share)).collect(),
        };
        Ok(Ledger { path, salt, opening, pinned })
    }
}

/// Opens a unit's file for oneself, with what it holds.
fn lock(path: &Path) -> Outcome<(File, Pinned)> {
    let failed = |error: &io::Error| Diagnostic::io("cannot write the coins of a unit of work", path, error);
    if let Some(folder) = path.parent() {
        durable::create_folder(folder)?;
    }
    let (file, _) = durable::open_for_append(path).map_err(|error| failed(&error))?;
    durable::lock_within(&file, PATIENCE).map_err(|error| failed(&error))?;
    let known = file.try_clone().and_then(Pinned::read).map_err(|error| failed(&error))?;
    Ok((file, known))
}

fn append(mut file: &File, path: &Path, is_torn: bool, lines: &[Line]) -> Outcome<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut bytes = if is_torn { b"\n".to_vec() } else { Vec::new() };
    for line in lines {
        let written = serde_json::to_writer(&mut bytes, line);
        written.map_err(|error| Diagnostic::bug(format!("cannot encode a coin: {error}")))?;
        bytes.push(b'\n');
    }
    file.write_all(&bytes).map_err(|error| Diagnostic::io("cannot write the coins of a unit of work", path, &error))
}
