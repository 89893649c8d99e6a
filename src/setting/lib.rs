//! The settings of a workspace: `outerloop.toml`, each key with its default.

mod artifact;
mod deliberation;
mod edit;
mod embed;
mod inject;
mod iteration;
mod keeping;
mod key;
mod memory;
mod observation;
mod observe;
mod policy;
mod run;
mod tag;

pub use artifact::ArtifactSettings;
pub use deliberation::{DeliberationSettings, InsightSettings, ReviewSettings};
pub use edit::{SettingKey, SettingValue, set_setting};
pub use embed::EmbedSettings;
pub use inject::{HookSettings, InjectSettings, Order, RecallSettings, RoleSettings, Tokenizer};
pub use iteration::{CaptureSettings, CitationSettings, ClassifySettings, GoalSettings, RelevanceSettings, TagMatch};
pub use keeping::{RetentionSettings, ShareSettings, StatisticsSettings};
pub use key::{known_settings, nearest_setting};
pub use memory::MemorySettings;
pub use observation::{ObservationSettings, PromotionSettings};
pub use observe::ObserveSettings;
pub use policy::{
    AgentSettings, GateSettings, OverlaySettings, ProfileSettings, RecentSettings, ReliabilitySettings, RiskLevel,
    ThresholdSettings,
};
pub use run::RunSettings;
pub use tag::{TagRule, default_tags};

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use text::diagnostic::{Diagnostic, Outcome};

/// What `outerloop init` writes: every setting with its default and what it means.
pub const TEMPLATE: &str = include_str!("setting.toml");

/// The settings of a workspace. A key that is absent has its default; a key that is not known is an error.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The project of events that name none.
    pub project: Option<String>,
    /// Whose behaviour is reproduced.
    pub compat: Compat,
    /// How the inbox is taken.
    pub compact: CompactSettings,
    /// What is asked of finished runs.
    pub run: RunSettings,
    /// When the small files of old partitions are merged.
    pub rewrite: RewriteSettings,
    /// Where lessons are captured from, and which are good enough.
    pub capture: CaptureSettings,
    /// Who classifies captured lessons.
    pub classify: ClassifySettings,
    /// What is observed in transcripts, and by whom.
    pub observe: ObserveSettings,
    /// How relevant a pattern is to what was changed.
    pub relevance: RelevanceSettings,
    /// How goals are judged.
    pub goal: GoalSettings,
    /// When a citation holds.
    pub citation: CitationSettings,
    /// How lessons become patterns.
    pub merge: MergeSettings,
    /// How texts are matched to patterns.
    pub attribution: AttributionSettings,
    /// How an application counts.
    pub rate: RateSettings,
    /// Where the bins of confidence begin.
    pub confidence: ConfidenceSettings,
    /// When a pattern is flagged.
    pub flag: FlagSettings,
    /// How much it takes for goal statistics.
    pub statistics: StatisticsSettings,
    /// How reliable adapters are, and what their failures say.
    pub reliability: ReliabilitySettings,
    /// What an adapter's reliability means for its next run.
    pub overlay: OverlaySettings,
    /// How the reliability of agents moves.
    pub agent: AgentSettings,
    /// How much agreement of the agents a run needs.
    pub threshold: ThresholdSettings,
    /// What a gate assumes of an adapter.
    pub gate: GateSettings,
    /// How much of the recent past is published.
    pub recent: RecentSettings,
    /// What is learned from roles' deliberations.
    pub deliberation: DeliberationSettings,
    /// The notes that agents keep.
    pub memory: MemorySettings,
    /// What is learned from transcripts.
    pub observation: ObservationSettings,
    /// What observations become in a project's folder.
    pub artifact: ArtifactSettings,
    /// Who turns texts into vectors, and what likeness counts for.
    pub embed: EmbedSettings,
    /// What is shown to agents.
    pub inject: InjectSettings,
    /// The hooks of the agents.
    pub hook: HookSettings,
    /// What is published, and where to.
    pub publish: PublishSettings,
    /// Where patterns are shared.
    pub share: ShareSettings,
    /// What is kept for how long.
    pub retention: RetentionSettings,
    /// Where the figures of a run go for monitoring.
    pub metrics: MetricsSettings,
}

/// Whose behaviour is reproduced, for side-by-side checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// Nobody's: known defects are mended.
    #[default]
    None,
    /// `ClosedLoop`'s, to the digit.
    ClosedLoop,
}

/// How the inbox is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompactSettings {
    /// How much of the inbox is taken in one batch, in KiB. Larger batches make fewer files and need more memory.
    pub batch_kib: u32,
    /// How many ids are held in memory to recognise redeliveries, at about 25 bytes each. Days with more are read anew for
    /// every batch.
    pub held_ids: usize,
}

impl Default for CompactSettings {
    fn default() -> Self {
        Self { batch_kib: 48 << 10, held_ids: 4_000_000 }
    }
}

/// When the small files of old partitions are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RewriteSettings {
    /// Partitions of the last days still grow and are left alone.
    pub after_days: u16,
    /// How many small files make a merge worth its cost.
    pub least_files: usize,
    /// Below this size, in MiB, a file is small.
    pub small_mib: u64,
}

impl Default for RewriteSettings {
    fn default() -> Self {
        Self { after_days: 2, least_files: 4, small_mib: 64 }
    }
}

/// How lessons become patterns.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct MergeSettings {
    /// Lessons that share this part of their words are one pattern.
    pub overlap: f64,
}

impl Default for MergeSettings {
    fn default() -> Self {
        Self { overlap: 0.8 }
    }
}

/// How texts are matched to patterns, where an event names no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttributionSettings {
    /// Shorter texts match by equality only.
    pub least_characters: usize,
    /// Texts of fewer words match by equality only.
    pub least_words: usize,
    /// Texts match that share more than this part of their words.
    pub overlap: f64,
}

impl Default for AttributionSettings {
    fn default() -> Self {
        Self { least_characters: 8, least_words: 2, overlap: 0.6 }
    }
}

/// How an application counts.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateSettings {
    /// Whether missed goals weaken an application.
    pub goal_weighted: bool,
    /// What an application of full relevance counts for when its goal was missed.
    pub missed_goal: f64,
    /// The relevance of an application that nobody rated.
    pub unrated_relevance: f64,
    /// What an application counts for, of what it would count otherwise, when the build of its iteration failed.
    pub failed_build: f64,
    /// The agents whose applications a build judges.
    pub build_agents: Vec<String>,
}

impl Default for RateSettings {
    fn default() -> Self {
        Self {
            goal_weighted: true,
            missed_goal: 0.5,
            unrated_relevance: 0.5,
            failed_build: 1.0,
            build_agents: vec!["implementation-subagent".to_owned()],
        }
    }
}

/// Where the bins of confidence begin.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfidenceSettings {
    /// From this rate on, confidence is high.
    pub high: f64,
    /// From this rate on, confidence is medium.
    pub medium: f64,
}

impl Default for ConfidenceSettings {
    fn default() -> Self {
        Self { high: 0.70, medium: 0.40 }
    }
}

/// When a pattern is flagged.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct FlagSettings {
    /// Below this rate a pattern wants a review.
    pub review_below: f64,
    /// Below this rate a pattern that was seen often enough is to be pruned.
    pub prune_below: f64,
    /// Seen more often than this is often enough.
    pub prune_over: u64,
    /// A pattern that was not seen for this many iterations is stale.
    pub stale_after: u64,
}

impl Default for FlagSettings {
    fn default() -> Self {
        Self { review_below: 0.40, prune_below: 0.40, prune_over: 20, stale_after: 10 }
    }
}

/// What is published, and where to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PublishSettings {
    /// How many patterns the pattern file holds.
    pub cap: usize,
    /// How many generations are kept.
    pub keep: usize,
    /// Copies of published files.
    pub targets: Vec<Target>,
}

impl Default for PublishSettings {
    fn default() -> Self {
        Self { cap: 50, keep: 48, targets: Vec::new() }
    }
}

/// A copy of a published file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The published file's name.
    #[serde(default = "pattern_file")]
    pub file: String,
    /// Where the copy goes. A relative path starts at the workspace.
    pub to: PathBuf,
}

/// The name of the published pattern file.
pub const PATTERN_FILE: &str = "org-patterns.toon";

/// The name of the published file of lessons about the tool itself.
pub const TOOL_FILE: &str = "closedloop-learnings.json";

/// The name of the published file that is read when patterns are shown to an agent.
pub const INJECTION_FILE: &str = "injection.tsv";

/// The name of the published table of patterns that roles have gathered.
pub const ROLE_FILE: &str = "role-patterns.parquet";

/// The name of the published table of observations.
pub const OBSERVATION_FILE: &str = "observations.parquet";

/// The name of the published file of policies, which gates read.
pub const POLICY_FILE: &str = "policy.json";

/// The name of the published file that says how policies differ from those of the generation before.
pub const DIFF_FILE: &str = "policy-diff.json";

/// The name of the published table of patterns.
pub const TABLE_FILE: &str = "patterns.parquet";

/// The name of the published file of policies for monitoring.
pub const POLICY_METRICS_FILE: &str = "policy.prom";

fn pattern_file() -> String {
    PATTERN_FILE.to_owned()
}

/// Where the figures of a run go for monitoring.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetricsSettings {
    /// A text file for Prometheus' node exporter [default: `metrics.prom` in the workspace].
    pub file: Option<PathBuf>,
}

/// The settings that figures depend on. Their hash stands in every report.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures<'s> {
    /// Whose behaviour is reproduced.
    pub compat: Compat,
    /// How lessons become patterns.
    pub merge: &'s MergeSettings,
    /// How texts are matched to patterns.
    pub attribution: &'s AttributionSettings,
    /// How an application counts.
    pub rate: &'s RateSettings,
    /// Where the bins of confidence begin.
    pub confidence: &'s ConfidenceSettings,
    /// When a pattern is flagged.
    pub flag: &'s FlagSettings,
    /// How much it takes for goal statistics.
    pub statistics: &'s StatisticsSettings,
    /// How reliable adapters are, and what their failures say.
    pub reliability: &'s ReliabilitySettings,
    /// What an adapter's reliability means for its next run.
    pub overlay: &'s OverlaySettings,
    /// How the reliability of agents moves.
    pub agent: &'s AgentSettings,
    /// How much agreement of the agents a run needs.
    pub threshold: &'s ThresholdSettings,
    /// How much of the recent past is published.
    pub recent: RecentSettings,
    /// Whether a later report of a run takes an earlier one's place.
    pub replace: bool,
    /// What is learned from roles' deliberations.
    pub deliberation: &'s DeliberationSettings,
    /// What is learned from transcripts.
    pub observation: &'s ObservationSettings,
    /// What a pattern is worth at the instant it is asked for.
    pub score: &'s RecallSettings,
    /// How many patterns the pattern file holds.
    pub cap: usize,
}

impl Settings {
    /// The settings that figures depend on.
    #[must_use]
    pub const fn figures(&self) -> Figures<'_> {
        Figures {
            compat: self.compat,
            merge: &self.merge,
            attribution: &self.attribution,
            rate: &self.rate,
            confidence: &self.confidence,
            flag: &self.flag,
            statistics: &self.statistics,
            reliability: &self.reliability,
            overlay: &self.overlay,
            agent: &self.agent,
            threshold: &self.threshold,
            recent: self.recent,
            replace: self.run.replace,
            deliberation: &self.deliberation,
            observation: &self.observation,
            score: &self.inject.score,
            cap: self.publish.cap,
        }
    }
}

/// Reads settings from their text.
pub fn parse_settings(text: &str) -> Outcome<Settings> {
    let settings: Settings = toml::from_str(text).map_err(|error| {
        Diagnostic::edit(
            "the settings are not valid",
            "correct the line; `outerloop init --print-settings` shows every setting with its default",
        )
        .because(error.to_string().trim_end())
    })?;
    check(&settings)?;
    Ok(settings)
}

/// Parts of a whole lie from 0 to 1; the first that does not is named.
fn check(settings: &Settings) -> Outcome<()> {
    let parts = [
        ("merge.overlap", settings.merge.overlap),
        ("attribution.overlap", settings.attribution.overlap),
        ("rate.missed_goal", settings.rate.missed_goal),
        ("rate.unrated_relevance", settings.rate.unrated_relevance),
        ("rate.failed_build", settings.rate.failed_build),
        ("relevance.boost", settings.relevance.boost),
        ("confidence.high", settings.confidence.high),
        ("confidence.medium", settings.confidence.medium),
        ("flag.review_below", settings.flag.review_below),
        ("flag.prune_below", settings.flag.prune_below),
        ("reliability.success_weight", settings.reliability.success_weight),
        ("reliability.retry_weight", settings.reliability.retry_weight),
        ("reliability.quality_weight", settings.reliability.quality_weight),
        ("reliability.first_confidence", settings.reliability.first_confidence),
        ("reliability.confidence_step", settings.reliability.confidence_step),
        ("reliability.most_confidence", settings.reliability.most_confidence),
        ("overlay.risky_below", settings.overlay.risky_below),
        ("overlay.approve_below", settings.overlay.approve_below),
        ("overlay.trusted_above", settings.overlay.trusted_above),
        ("agent.success", settings.agent.success),
        ("agent.failure", settings.agent.failure),
        ("agent.partial", settings.agent.partial),
        ("agent.rollback", settings.agent.rollback),
        ("agent.human_override", settings.agent.human_override),
        ("agent.most_change", settings.agent.most_change),
        ("agent.least", settings.agent.least),
        ("agent.most", settings.agent.most),
        ("threshold.low", settings.threshold.low),
        ("threshold.medium", settings.threshold.medium),
        ("threshold.high", settings.threshold.high),
        ("threshold.most_shift", settings.threshold.most_shift),
        ("threshold.least", settings.threshold.least),
        ("threshold.most", settings.threshold.most),
        ("inject.holdout", settings.inject.holdout),
        ("inject.score.label", settings.inject.score.label),
        ("inject.score.file", settings.inject.score.file),
        ("inject.score.phase", settings.inject.score.phase),
        ("inject.score.other_role", settings.inject.score.other_role),
        ("inject.score.least", settings.inject.score.least),
    ];
    if let Some((name, value)) = parts.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
        return Err(Diagnostic::edit(format!("the setting `{name}` is {value}"), "write a number from 0 to 1"));
    }
    policy::check(settings)?;
    inject::check(&settings.inject, &settings.hook)?;
    deliberation::check(&settings.deliberation)?;
    memory::check(&settings.memory)?;
    observation::check(&settings.observation)?;
    artifact::check(&settings.artifact)?;
    embed::check(&settings.embed)?;
    observe::check(&settings.observe)?;
    if settings.publish.keep == 0 {
        return Err(Diagnostic::edit("the setting `publish.keep` is 0", "keep at least one generation: it is the published one"));
    }
    Ok(())
}

/// A list of words as settings hold it.
fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}
