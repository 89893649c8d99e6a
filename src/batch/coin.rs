//! `outerloop truth audit`: recomputes every logged arm from the salt. A row whose arm differs was forged, damaged, or drawn by something
//! else than the coin, and makes every verdict on it worthless.

use serde::Serialize;

use agent::hook::find_salt;
use cli::printer::Printer;
use cli::require;
use cli::table::{grouped, tabulate};
use cli::truth::AuditArgs;
use engine::Horizon;
use engine::cycle::Inquiry;
use event::row::Rows;
use learn::truth::Salt;
use render::plain_text;
use store::deadline::Deadline;
use store::lock::join_readers;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// How many rows are listed for people.
const MOST_LISTED: usize = 50;

event::row! {
    /// A coin as it was logged: a row of `sql/logged_coin.sql`.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub(crate) struct LoggedCoin {
        pub kind: String,
        pub id: String,
        pub unit: String,
        pub pattern: String,
        pub propensity: f64,
        pub is_shown: bool,
        pub salt_id: Option<String>,
        pub file: String,
        pub line: i64,
    }
}

/// What an audit found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Audit {
    /// Coins that were recomputed.
    pub checked: u64,
    /// Coins that were drawn with another salt, or by somebody who names none, or for a pattern that is named by its text alone: nobody
    /// can recompute them.
    pub unchecked: u64,
    /// Coins whose logged arm is not the one that the salt draws.
    pub differing: Vec<LoggedCoin>,
}

/// Recomputes every logged arm.
pub(crate) fn audit(workspace: &Workspace) -> Outcome<Audit> {
    let salt = find_salt(workspace)?;
    let _readers = join_readers(workspace)?;
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, Deadline::NEVER)?;
    let coins: Vec<LoggedCoin> = inquiry.load("logged_coin", Rows::read)?;
    Ok(check(salt.as_ref(), coins))
}

fn check(salt: Option<&Salt>, coins: Vec<LoggedCoin>) -> Audit {
    let mut audit = Audit::default();
    let id = salt.map(Salt::id);
    for coin in coins {
        match salt.filter(|_| coin.salt_id == id) {
            None => audit.unchecked += 1,
            Some(salt) => {
                audit.checked += 1;
                if salt.toss(&coin.unit, &coin.pattern, coin.propensity).is_shown != coin.is_shown {
                    audit.differing.push(coin);
                }
            }
        }
    }
    audit
}

pub(crate) fn run(workspace: &Workspace, options: &AuditArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let audit = audit(workspace)?;
    if options.output.json {
        printer.json(&audit)?;
    } else {
        tell(&audit, printer)?;
    }
    Ok(if audit.differing.is_empty() { Exit::Done } else { Exit::Refused })
}

fn tell(audit: &Audit, printer: &Printer) -> Outcome<()> {
    if !audit.differing.is_empty() {
        let rows = audit.differing.iter().take(MOST_LISTED).map(|coin| {
            let (is, wanted) = if coin.is_shown { ("shown", "withheld") } else { ("withheld", "shown") };
            [
                format!("{}:{}", plain_text(&coin.file, 60), coin.line),
                plain_text(&coin.unit, 40),
                plain_text(&coin.pattern, 40),
                coin.propensity.to_string(),
                is.to_owned(),
                wanted.to_owned(),
            ]
        });
        printer.line(&tabulate(["line", "unit", "pattern", "#chance", "logged", "drawn"], rows))?;
    }
    printer.note(&summary(audit));
    Ok(())
}

/// What was found, in a sentence.
pub(crate) fn summary(audit: &Audit) -> String {
    let differing = match (audit.checked, audit.differing.len()) {
        (0, _) => String::new(),
        (_, 0) => ": every arm is the one that the salt draws".to_owned(),
        (_, count) => format!(": {count} have another arm than the salt draws"),
    };
    let unchecked = match audit.unchecked {
        0 => String::new(),
        count => format!(
            "; {} cannot be recomputed: they name no pattern by its id, no salt, or one that this workspace does not have",
            grouped(count)
        ),
    };
    format!("{} coins recomputed{differing}{unchecked}", grouped(audit.checked))
}
