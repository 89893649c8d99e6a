//! The settings of a workspace: `outerloop.toml`. Each key is defined once, with its type, default, range and comment.

mod artifact;
mod capture;
mod deliberation;
mod edit;
mod embed;
mod hook;
mod inject;
mod iteration;
mod key;
mod lake;
mod memory;
mod observation;
mod observe;
mod parse;
mod policy;
mod publish;
mod rate;
mod root;
mod section;
mod tag;
mod template;
mod truth;

pub use artifact::ArtifactSettings;
pub use capture::{CaptureSettings, ClassifySettings};
pub use deliberation::{DeliberationSettings, InsightSettings, ReviewSettings};
pub use edit::{SettingKey, SettingValue, set_setting};
pub use embed::EmbedSettings;
pub use hook::HookSettings;
pub use inject::{InjectSettings, Order, RecallSettings, RoleSettings, Tokenizer};
pub use iteration::{CitationSettings, GoalSettings, RelevanceSettings, TagMatch};
pub use key::{Described, describe_setting, known_settings, nearest_setting};
pub use lake::{CompactSettings, MetricsSettings, RetentionSettings, RewriteSettings, RunSettings};
pub use memory::MemorySettings;
pub use observation::{ObservationSettings, PromotionSettings};
pub use observe::ObserveSettings;
pub use parse::{parse_settings, unknown_setting};
pub use policy::{
    AgentSettings, GateSettings, OverlaySettings, ProfileSettings, RecentSettings, ReliabilitySettings, RiskLevel,
    ThresholdSettings,
};
pub use publish::{
    ADAPTER_DAY_FILE, DIFF_FILE, INJECTION_FILE, OBSERVATION_FILE, OUTCOME_FILE, PAGE_FILE, PATTERN_DAY_FILE, PATTERN_FILE,
    POLICY_FILE, POLICY_METRICS_FILE, PatternDialect, PublishSettings, ROLE_FILE, RUN_ADAPTER_FILE, SUM_FILE, ShareSettings,
    TABLE_FILE, TOOL_FILE, TRUTH_FILE, TRUTH_METRICS_FILE, Target, VERDICT_FILE,
};
pub use rate::{AttributionSettings, ConfidenceSettings, FlagSettings, MergeSettings, RateSettings, StatisticsSettings};
pub use root::{Compat, Figures, Settings};
pub use tag::{TagRule, default_tags};
pub use template::render_settings;
pub use truth::{ExperimentSettings, Metric, Tossing, TruthSettings};

/// A list of words as settings hold it.
fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}
