//! The queries of `sql/`: one SELECT a file, embedded in the program; a workspace may put its own in their place.

use std::fs;
use std::io;

use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;

macro_rules! queries {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// A query of the program, named after what it yields.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Query { $($(#[$doc])* $variant,)+ }

        impl Query {
            /// Every query.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stem of its file below `sql/`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            const fn text(self) -> &'static str {
                match self { $(Self::$variant => include_str!(concat!("../../sql/", $name, ".sql")),)+ }
            }
        }
    };
}

queries! {
    /// The lessons that were captured.
    Lesson = "lesson",
    /// What people decided about patterns.
    Decision = "decision",
    /// The ways in which events name a pattern.
    Subject = "subject",
    /// The lessons that wait for a classification.
    Pending = "pending",
    /// The captured lessons that were refused.
    Rejection = "rejection",
    /// Sets of patterns in a few words.
    Summary = "summary",
    /// What was found out later.
    Finding = "finding",
    /// Every application with its pattern and what was found out about it.
    Outcome = "outcome",
    /// How many applications count alike.
    Alike = "alike",
    /// How runs ended for their goals.
    GoalRun = "goal_run",
    /// In how many runs of a goal a pattern was used.
    GoalPattern = "goal_pattern",
    /// How long the parts of recent runs took.
    Timing = "timing",
    /// What is kept of applications whose days are pruned.
    PastApplication = "past/application",
    /// What is kept of one pattern's applications whose days are pruned.
    PastExplanation = "past/explanation",
    /// What is kept of iterations whose days are pruned.
    PastIteration = "past/iteration",
    /// How far findings reach over the border between pruned and kept days.
    PastReach = "past/reach",
    /// What is kept of what roles were shown on pruned days.
    PastExposure = "past/exposure",
    /// What is kept of the patterns that runs of pruned days used.
    PastUse = "past/use",
    /// What roles said.
    RoleDeliberation = "role/deliberation",
    /// What validators said of it.
    RoleVerdict = "role/verdict",
    /// What roles were shown.
    RoleExposure = "role/exposure",
    /// How the work of runs turned out.
    RoleEnding = "role/ending",
    /// What people decided about patterns of roles.
    RoleDecision = "role/decision",
    /// How the verdicts of roles came out.
    RoleStanding = "role/standing",
    /// How often validators agree with the roles that they judge.
    RoleAgreement = "role/agreement",
    /// Where the events stand that made up the life of one pattern of a role.
    RoleMoment = "role/moment",
    /// What was seen to recur in transcripts.
    ObservationSighting = "observation/sighting",
    /// What became of what was rendered from observations.
    ObservationArtifact = "observation/artifact",
    /// What people decided about observations.
    ObservationDecision = "observation/decision",
    /// Where the events behind one observation stand.
    ObservationExplanation = "observation/explanation",
    /// How much texts are like the one that is sought.
    RoleSimilarity = "role/similarity",
    /// What people decided about policies.
    PolicyCuration = "policy/curation",
    /// Reports of runs in whose place a later one has come.
    PolicyReplaced = "policy/replaced",
    /// How runs ended.
    PolicyTotal = "policy/total",
    /// What the runs of each adapter add up to.
    PolicyAdapter = "policy/adapter",
    /// Failures by adapter and type.
    PolicyFailure = "policy/failure",
    /// Failures since people cleared them.
    PolicySince = "policy/since",
    /// Successes since a failure was last seen.
    PolicyRecovery = "policy/recovery",
    /// The lowest score of each adapter since it was cleared.
    PolicyStrictest = "policy/strictest",
    /// How the runs of each agent ended.
    PolicyAgent = "policy/agent",
    /// What runs say about agents, in order.
    PolicyAgentStep = "policy/agent_step",
    /// What runs say about thresholds, in order.
    PolicyThresholdStep = "policy/threshold_step",
    /// How the runs of each skill ended.
    PolicySkill = "policy/skill",
    /// What runs suggest to change.
    PolicySuggestion = "policy/suggestion",
    /// The last runs.
    PolicyRecent = "policy/recent",
    /// Why reports of runs could not be taken.
    PolicyRefusal = "policy/refusal",
    /// What gates were asked.
    PolicyGate = "policy/gate",
    /// The runs behind one adapter's figures.
    PolicyExplanation = "policy/explanation",
    /// The same as the original reads it.
    CompatOutcome = "compat/outcome",
    /// The highest iteration number.
    CompatIteration = "compat/iteration",
    /// What one partition says of each pattern.
    EvidenceRollup = "rollup/evidence",
    /// What all partitions say of each pattern.
    EvidenceMerge = "merge/evidence",
    /// When iterations began, within one partition.
    IterationRollup = "rollup/iteration",
    /// When iterations began.
    IterationMerge = "merge/iteration",
    /// The applications behind one pattern's figures.
    Explanation = "explanation",
    /// Why lines could not be taken.
    Refusal = "refusal",
    /// How many events there are.
    Holding = "holding",
    /// Audit: ids are there and differ.
    AuditPatternId = "audit/pattern_id",
    /// Audit: rates lie in their intervals.
    AuditRate = "audit/rate",
    /// Audit: counts add up.
    AuditCount = "audit/count",
    /// Audit: every application is accounted for.
    AuditApplication = "audit/application",
    /// Audit: flags are known words.
    AuditFlag = "audit/flag",
    /// Audit: observations are what they can be.
    AuditObservation = "audit/observation",
}

impl Query {
    /// The queries that must return no rows before anything is published.
    pub const AUDITS: [Self; 6] =
        [Self::AuditPatternId, Self::AuditRate, Self::AuditCount, Self::AuditApplication, Self::AuditFlag, Self::AuditObservation];
}

/// The text of a query, and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Which query it is.
    pub query: Query,
    /// One SELECT.
    pub text: String,
    /// The SHA-256 of the text.
    pub hash: String,
    /// Whether the workspace has put it in the place of the program's.
    pub is_own: bool,
}

impl Body {
    /// The same fault, as one of this query.
    #[must_use]
    pub fn blame(&self, mut fault: Diagnostic) -> Diagnostic {
        let what = std::mem::replace(&mut fault.what, format!("the query `sql/{}.sql` failed", self.query.name()));
        fault.cause.get_or_insert(what);
        if self.is_own {
            fault.remedy = String::from("correct the workspace's own file below sql/, or remove it: the program has its own");
        }
        fault
    }
}

/// Loads a query: the workspace's own, else the program's.
pub fn load_body(workspace: &Workspace, query: Query) -> Outcome<Body> {
    let path = workspace.queries().join(format!("{}.sql", query.name()));
    let (text, is_own) = match fs::read_to_string(&path) {
        Ok(text) => (text, true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (query.text().to_owned(), false),
        Err(error) => return Err(Diagnostic::io("cannot read the query", &path, &error)),
    };
    let hash = sha256(text.as_bytes());
    Ok(Body { query, text, hash, is_own })
}
