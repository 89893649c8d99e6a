//! All settings of a workspace, and those that figures depend on.

use serde::{Deserialize, Serialize};

use crate::artifact::ArtifactSettings;
use crate::capture::{CaptureSettings, ClassifySettings};
use crate::deliberation::DeliberationSettings;
use crate::embed::EmbedSettings;
use crate::hook::HookSettings;
use crate::inject::{InjectSettings, RecallSettings};
use crate::iteration::{CitationSettings, GoalSettings, RelevanceSettings};
use crate::lake::{CompactSettings, MetricsSettings, RetentionSettings, RewriteSettings, RunSettings};
use crate::memory::MemorySettings;
use crate::observation::ObservationSettings;
use crate::observe::ObserveSettings;
use crate::policy::{AgentSettings, GateSettings, OverlaySettings, RecentSettings, ReliabilitySettings, ThresholdSettings};
use crate::publish::{PublishSettings, ShareSettings};
use crate::rate::{AttributionSettings, ConfidenceSettings, FlagSettings, MergeSettings, RateSettings, StatisticsSettings};
use crate::section::{choices, settings};
use crate::truth::TruthSettings;

settings! {
    /// The settings of this Outerloop workspace. Every key is optional; the values shown are the defaults.
    pub struct Settings {
        /// The project of the repository that holds this workspace, and of what belongs to no repository. Every other repository is a
        /// project of its own.
        project: Option<String>, example r#""default""#;
        /// Whose behaviour to reproduce: "none", or "closedloop" to match the original tool to the digit in side-by-side checks.
        compat: Compat;
        compact: CompactSettings;
        run: RunSettings;
        rewrite: RewriteSettings;
        capture: CaptureSettings;
        classify: ClassifySettings;
        observe: ObserveSettings;
        relevance: RelevanceSettings;
        goal: GoalSettings;
        citation: CitationSettings;
        merge: MergeSettings;
        attribution: AttributionSettings;
        rate: RateSettings;
        confidence: ConfidenceSettings;
        flag: FlagSettings;
        statistics: StatisticsSettings;
        reliability: ReliabilitySettings;
        overlay: OverlaySettings;
        agent: AgentSettings;
        threshold: ThresholdSettings;
        gate: GateSettings;
        recent: RecentSettings;
        deliberation: DeliberationSettings;
        memory: MemorySettings;
        observation: ObservationSettings;
        artifact: ArtifactSettings;
        embed: EmbedSettings;
        inject: InjectSettings;
        hook: HookSettings;
        truth: TruthSettings;
        publish: PublishSettings;
        share: ShareSettings;
        retention: RetentionSettings;
        metrics: MetricsSettings;
    }
}

/// Whose behaviour to reproduce, for side-by-side checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// Nobody's: known defects of the originals are fixed.
    #[default]
    None,
    /// `ClosedLoop`'s, to the digit.
    ClosedLoop,
}

choices! { Compat }

/// The settings that figures depend on. Every report holds their hash, so the order of the fields matters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures<'s> {
    pub compat: Compat,
    pub merge: &'s MergeSettings,
    pub attribution: &'s AttributionSettings,
    pub rate: &'s RateSettings,
    pub confidence: &'s ConfidenceSettings,
    pub flag: &'s FlagSettings,
    pub statistics: &'s StatisticsSettings,
    pub reliability: &'s ReliabilitySettings,
    pub overlay: &'s OverlaySettings,
    pub agent: &'s AgentSettings,
    pub threshold: &'s ThresholdSettings,
    pub recent: RecentSettings,
    pub replace: bool,
    pub deliberation: &'s DeliberationSettings,
    pub observation: &'s ObservationSettings,
    pub score: &'s RecallSettings,
    pub cap: usize,
    pub row_days: u32,
    pub truth: &'s TruthSettings,
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
            row_days: self.publish.row_days,
            truth: &self.truth,
        }
    }
}
