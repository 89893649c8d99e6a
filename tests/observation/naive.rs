//! The definition: somebody looks at every observation every hour, and counts lists.

use event::field::{ArtifactAction, ObservationType};
use learn::observation::ObservationScore;
use learn::subject::Action;
use proptest::prelude::*;
use setting::{ObservationSettings, PromotionSettings};

use super::{DAY, START, Sight, Story, Told, text};

pub const HOUR: i64 = DAY / 24;

/// How long random stories last, in hours.
const HOURS: i64 = 24 * 80;

const PATTERNS: [&str; 3] = ["Ship it", "Use Postgres", "Never amend"];

/// The type of a pattern.
const fn kind(pattern: usize) -> ObservationType {
    [ObservationType::Workflow, ObservationType::Decision, ObservationType::Pitfall][pattern]
}

/// What an event of a random story does.
#[derive(Debug, Clone)]
enum Deed {
    See { session: Option<u8>, quality_ok: bool, evidence: u8 },
    Find(ArtifactAction),
    Decide(Action, bool),
    ClearAll,
}

/// An event of a random story: when, to which pattern, what.
type Drawn = (i64, usize, Deed);

fn drawn() -> impl Strategy<Value = Drawn> {
    let see = (prop::option::weighted(0.9, 0..6_u8), prop::bool::weighted(0.4), 0..20_u8)
        .prop_map(|(session, quality_ok, evidence)| Deed::See { session, quality_ok, evidence });
    let find = prop::sample::select(ArtifactAction::ALL.to_vec()).prop_map(Deed::Find);
    let actions =
        vec![Action::Promote, Action::Retire, Action::Reject, Action::Restore, Action::Restore, Action::Clear, Action::Annotate];
    let decide = (prop::sample::select(actions), any::<bool>()).prop_map(|(action, is_forced)| Deed::Decide(action, is_forced));
    let deed = prop_oneof![10 => see, 6 => find, 3 => decide, 1 => Just(Deed::ClearAll)];
    (0..HOURS, 0..PATTERNS.len(), deed)
}

/// Settings under which decay and spread meet.
fn settings() -> impl Strategy<Value = ObservationSettings> {
    (prop::sample::select(vec![0.0, 3.0, 25.0]), 1..4_u32, prop::sample::select(vec![2_u32, 10, 30])).prop_map(
        |(spread_days, fresh, decay_days)| {
            let rule = PromotionSettings { required: 3, spread_days, confidence: 0.6, fresh };
            ObservationSettings { workflow: rule, decay_days, most_evidence: 4, ..ObservationSettings::default() }
        },
    )
}

fn story_of(events: &[Drawn], settings: ObservationSettings) -> Story {
    let mut story = Story { settings, told: Vec::new() };
    for (number, (hour, pattern, deed)) in events.iter().enumerate() {
        let (time, id) = (START + hour * HOUR, ids()[*pattern].clone());
        match deed {
            Deed::See { session, quality_ok, evidence } => story.see(Sight {
                id: format!("e{number}"),
                time,
                kind: kind(*pattern),
                pattern: PATTERNS[*pattern].to_owned(),
                evidence: vec![format!("quote {evidence}")],
                quality_ok: *quality_ok,
                session: session.map(|session| format!("s{session}")),
                ..Sight::default()
            }),
            Deed::Find(action) => story.find(*action, &id, time),
            Deed::Decide(action, is_forced) => story.decide_with(*action, &id, time, *is_forced),
            Deed::ClearAll => story.decide(Action::Clear, "obs:all", time),
        }
    }
    story
}

/// The ids that the patterns get.
fn ids() -> &'static [String] {
    static IDS: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| {
        let mut story = Story::default();
        for (place, pattern) in PATTERNS.into_iter().enumerate() {
            story.see(Sight { kind: kind(place), pattern: pattern.to_owned(), ..Sight::default() });
        }
        story.findings(i64::MAX).scores.into_iter().map(|score| score.id).collect()
    });
    &IDS
}

/// Why something is out of use.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Out {
    Deleted,
    Retired,
    Rejected,
}

#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the definition counts on its fingers")]
struct Naive {
    sessions: Vec<String>,
    fresh: Vec<(String, i64)>,
    evidence: Vec<String>,
    base: f64,
    quality_ok: bool,
    first: Option<i64>,
    last: i64,
    decays_from: i64,
    spread_from: i64,
    ready: Option<i64>,
    is_ready: bool,
    is_created: bool,
    was_rendered: bool,
    is_in_place: bool,
    is_penalised: bool,
    is_edited: bool,
    is_stale: bool,
    is_blocked: bool,
    out: Option<(Out, i64)>,
    cites: i64,
    cited: Option<i64>,
    /// Sessions of earlier lives: they are not fresh.
    old: Vec<String>,
}

impl Naive {
    fn is_known(&self) -> bool {
        !self.sessions.is_empty() || !self.fresh.is_empty()
    }

    fn status(&self) -> &'static str {
        match () {
            () if self.out.is_some() => "deprecated",
            () if self.is_created => "created",
            () if self.is_ready => "ready",
            () => "observing",
        }
    }

    fn sure(&self, now: i64, settings: &ObservationSettings) -> f64 {
        let steps = usize::try_from((now - self.decays_from).max(0) / DAY / i64::from(settings.decay_days)).expect("a number");
        if steps == 0 { self.base } else { (self.base * settings.decay[steps.min(6)] * 100.0).round() / 100.0 }
    }

    fn count(&mut self, rule: PromotionSettings) {
        let sessions = u32::try_from(self.sessions.len()).expect("few");
        self.base = if sessions == 1 { 0.33 } else { f64::from((sessions * 100 / rule.required).min(95)) / 100.0 };
    }

    /// Looks whether it is ready.
    fn look(&mut self, now: i64, rule: PromotionSettings, settings: &ObservationSettings) {
        #[expect(clippy::cast_precision_loss, reason = "a few days")]
        let days = (now - self.spread_from) as f64 / DAY as f64;
        let is_sure = self.sure(now, settings) >= rule.confidence;
        if self.status() == "observing" && self.is_known() && self.quality_ok && is_sure && days >= rule.spread_days {
            self.is_ready = true;
            self.ready = Some(now);
        }
    }

    fn touch(&mut self, now: i64) {
        self.last = self.last.max(now);
        if self.out.is_none() {
            self.decays_from = self.decays_from.max(now);
        }
    }

    fn see(&mut self, session: String, quality_ok: bool, quotation: String, now: i64, rule: PromotionSettings) {
        if !self.is_known() {
            self.first = Some(now);
            self.spread_from = now;
        }
        self.quality_ok |= quality_ok;
        if !self.evidence.contains(&quotation) {
            self.evidence.push(quotation);
        }
        self.touch(now);
        let is_known = self.sessions.contains(&session)
            || self.old.contains(&session)
            || self.fresh.iter().any(|(known, _)| *known == session);
        match self.out {
            None if !is_known => {
                self.sessions.push(session);
                self.count(rule);
            }
            Some((out, _)) => {
                if !is_known {
                    self.fresh.push((session, now));
                }
                if out != Out::Rejected && self.fresh.len() >= rule.fresh as usize {
                    self.begin_anew(now, rule);
                }
            }
            None => {}
        }
    }

    fn begin_anew(&mut self, now: i64, rule: PromotionSettings) {
        self.spread_from = self.fresh[0].1;
        let fresh = std::mem::take(&mut self.fresh).into_iter().map(|(session, _)| session).collect();
        self.old.append(&mut std::mem::replace(&mut self.sessions, fresh));
        self.count(rule);
        (self.out, self.ready, self.is_ready, self.is_created) = (None, None, false, false);
        (self.was_rendered, self.is_in_place, self.is_edited, self.is_penalised) = (false, false, false, false);
        self.is_blocked = false;
        self.touch(now);
    }

    fn bring_back(&mut self, rule: PromotionSettings) {
        let must_count = self.is_penalised || !self.fresh.is_empty();
        self.sessions.extend(std::mem::take(&mut self.fresh).into_iter().map(|(session, _)| session));
        if must_count {
            self.count(rule);
        }
        self.is_penalised = false;
        self.out = None;
    }

    fn find(&mut self, action: ArtifactAction, now: i64, rule: PromotionSettings, settings: &ObservationSettings) {
        match action {
            ArtifactAction::Rendered | ArtifactAction::Adopted => {
                (self.was_rendered, self.is_in_place, self.is_edited, self.is_blocked) = (true, true, false, false);
                if matches!(self.out, Some((Out::Deleted, _))) {
                    self.bring_back(rule);
                }
                self.is_created = true;
            }
            ArtifactAction::Edited => self.is_edited |= self.was_rendered,
            ArtifactAction::Deleted if self.is_in_place => {
                self.is_in_place = false;
                self.is_created = false;
                self.base = (self.base * settings.deleted * 100.0).round() / 100.0;
                self.is_penalised = true;
                self.out = match self.out {
                    None => Some((Out::Deleted, now)),
                    Some((Out::Rejected, since)) => Some((Out::Rejected, since)),
                    Some((_, since)) => Some((Out::Deleted, since)),
                };
            }
            ArtifactAction::Deleted | ArtifactAction::Authored => {}
            ArtifactAction::Stale => self.is_stale = true,
            ArtifactAction::Fresh => self.is_stale = false,
            ArtifactAction::Blocked => self.is_blocked = self.status() == "ready",
            ArtifactAction::Cited => {
                self.cites += 1;
                self.cited = Some(now);
                self.touch(now);
            }
            ArtifactAction::Used => self.touch(now),
        }
    }

    fn restore(&mut self, now: i64, rule: PromotionSettings) {
        if self.out.is_none() {
            return;
        }
        self.bring_back(rule);
        self.touch(now);
        self.is_created = self.is_in_place;
        self.is_ready &= !self.was_rendered;
        if !self.is_created && !self.is_ready {
            (self.ready, self.was_rendered, self.is_edited) = (None, false, false);
        }
    }

    fn decide(&mut self, action: Action, is_forced: bool, now: i64, rule: PromotionSettings) {
        if !self.is_known() {
            return;
        }
        match action {
            Action::Promote => {
                let may = match self.status() {
                    "created" => false,
                    "deprecated" => is_forced,
                    _ => true,
                };
                if may {
                    self.restore(now, rule);
                    self.quality_ok = true;
                    if self.status() == "observing" {
                        self.is_ready = true;
                        self.ready = Some(now);
                    }
                }
            }
            Action::Retire => self.out = self.out.or(Some((Out::Retired, now))),
            Action::Reject => self.out = Some((Out::Rejected, self.out.map_or(now, |(_, since)| since))),
            Action::Restore => self.restore(now, rule),
            Action::Clear => (self.is_stale, self.is_blocked) = (false, false),
            Action::Annotate | Action::Retest => {}
        }
    }

    fn forget(&mut self) {
        if !self.is_known() || self.status() == "created" {
            return;
        }
        let before = std::mem::take(self);
        if before.out.is_some() {
            *self = Self {
                base: before.base,
                decays_from: before.decays_from,
                out: before.out,
                was_rendered: before.was_rendered,
                is_in_place: before.is_in_place,
                is_penalised: before.is_penalised,
                is_edited: before.is_edited,
                ..Self::default()
            };
        }
    }
}

fn rule_of(pattern: usize, settings: &ObservationSettings) -> PromotionSettings {
    [settings.workflow, settings.decision, settings.pitfall][pattern]
}

fn play(events: &[Drawn], settings: &ObservationSettings, until: i64) -> [Naive; 3] {
    let mut lives: [Naive; 3] = std::array::from_fn(|_| Naive::default());
    for hour in 0..=until {
        let now = START + hour * HOUR;
        let look = |lives: &mut [Naive; 3]| {
            for (pattern, life) in lives.iter_mut().enumerate() {
                life.look(now, rule_of(pattern, settings), settings);
            }
        };
        look(&mut lives);
        for (number, (_, pattern, deed)) in events.iter().enumerate().filter(|(_, (at, ..))| *at == hour) {
            let (life, rule) = (&mut lives[*pattern], rule_of(*pattern, settings));
            match deed {
                Deed::See { session, quality_ok, evidence } => {
                    let session = session.map_or_else(|| format!("event {number}"), |session| format!("s{session}"));
                    life.see(session, *quality_ok, format!("quote {evidence}"), now, rule);
                }
                Deed::Find(action) => life.find(*action, now, rule, settings),
                Deed::Decide(action, is_forced) => life.decide(*action, *is_forced, now, rule),
                Deed::ClearAll => lives.iter_mut().for_each(Naive::forget),
            }
            look(&mut lives);
        }
    }
    lives
}

/// What both must agree on.
fn shown(score: &ObservationScore) -> String {
    format!(
        "{} {} {} {} {} {:?} {} {} {:?} {:?} {} {} {} {} {} {} {:?} {}",
        score.status,
        score.observations,
        score.sightings_since_deletion,
        score.base_confidence,
        score.confidence,
        score.evidence,
        score.first_seen,
        score.last_seen,
        score.ready_at,
        score.deprecated_at,
        score.quality_ok,
        score.is_edited,
        score.stale_reason.is_some(),
        score.is_blocked,
        score.is_faded,
        score.cites,
        score.last_cited,
        score.needs_review,
    )
}

fn shown_naive(life: &Naive, now: i64, settings: &ObservationSettings) -> String {
    let quoted: Vec<&String> = match life.evidence.len() {
        ..=4 => life.evidence.iter().collect(),
        all => life.evidence[..2].iter().chain(&life.evidence[all - 2..]).collect(),
    };
    let sure = life.sure(now, settings);
    format!(
        "{} {} {} {} {} {:?} {} {} {:?} {:?} {} {} {} {} {} {} {:?} {}",
        life.status(),
        life.sessions.len(),
        life.fresh.len(),
        life.base,
        sure,
        quoted,
        text(life.first.expect("seen")),
        text(life.last),
        life.ready.map(text),
        life.out.map(|(_, since)| text(since)),
        life.quality_ok,
        life.is_edited,
        life.is_stale,
        life.is_blocked,
        sure < 0.1 && !["created", "ready"].contains(&life.status()),
        life.cites,
        life.cited.map(text),
        false,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whoever_looks_every_hour_sees_the_same(
        events in prop::collection::vec(drawn(), 0..60),
        settings in settings(),
        until in 0..HOURS,
    ) {
        let now = START + until * HOUR;
        let naive = play(&events, &settings, until);
        let findings = story_of(&events, settings.clone()).findings(now);
        for (place, life) in naive.iter().enumerate() {
            let score = findings.scores.iter().find(|score| score.id == ids()[place]);
            let wanted = life.is_known().then(|| shown_naive(life, now, &settings));
            prop_assert_eq!(score.map(shown), wanted, "{}", PATTERNS[place]);
        }
    }

    #[test]
    fn the_order_of_landing_does_not_show(events in prop::collection::vec(drawn(), 0..50), seed in any::<u64>()) {
        // Of one instant, what landed first comes first: each has its own.
        let mut told = story_of(&events, ObservationSettings::default()).told;
        for (number, event) in (0..).zip(&mut told) {
            match event {
                Told::Seen(sight) => sight.time += number,
                Told::Found(row) => row.time_micros += number,
                Told::Decided(row) => row.decision.time_micros += number,
            }
        }
        let mut landed = told.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut landed);
        let now = START + HOURS / 2 * HOUR;
        let [one, other] = [&told, &landed].map(|told| {
            let mut findings = super::fold(told, &ObservationSettings::default(), now);
            findings.scores.sort_by(|one, other| one.id.cmp(&other.id));
            findings
        });
        prop_assert_eq!(one, other);
    }

    #[test]
    fn what_is_delivered_again_counts_once(events in prop::collection::vec(drawn(), 0..50), again in prop::collection::vec(0..50_usize, 0..30)) {
        let story = story_of(&events, ObservationSettings::default());
        let mut twice = story.clone();
        twice.told.extend(again.iter().filter_map(|place| story.told.get(*place)).cloned());
        prop_assert_eq!(story.findings(i64::MAX - 1), twice.findings(i64::MAX - 1));
    }

    #[test]
    fn a_past_instant_is_as_if_nothing_had_happened_since(events in prop::collection::vec(drawn(), 0..50), until in 0..HOURS) {
        let story = story_of(&events, ObservationSettings::default());
        let now = START + until * HOUR;
        let mut then = story.clone();
        then.told.retain(|event| event.time() <= now);
        let sorted = |story: &Story| {
            let mut findings = story.findings(now);
            findings.scores.sort_by(|one, other| one.id.cmp(&other.id));
            findings
        };
        prop_assert_eq!(sorted(&story), sorted(&then));
    }

    #[test]
    fn no_figure_leaves_its_bounds(events in prop::collection::vec(drawn(), 0..60), settings in settings(), until in 0..HOURS) {
        for score in story_of(&events, settings).findings(START + until * HOUR).scores {
            prop_assert!(score.confidence <= score.base_confidence && (0.0..=0.95).contains(&score.base_confidence));
            prop_assert!(score.observations + score.sightings_since_deletion >= 1);
            prop_assert_eq!(score.status.name() == "deprecated", score.deprecated_at.is_some());
            prop_assert!(score.status.name() != "ready" || score.ready_at.is_some());
            prop_assert!(score.evidence.len() <= 4 && !score.pattern.is_empty());
        }
    }
}
