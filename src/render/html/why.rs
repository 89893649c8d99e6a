//! What each figure means, how to take it apart, and where it comes from. Every figure of the page opens one of these.

use super::markup::Markup;

/// An explanation.
pub(super) struct Why {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) meaning: &'static str,
    /// The command that takes it apart; `{id}` is the row's own name.
    pub(super) command: &'static str,
    /// An example of `{id}`, for readers without a script.
    pub(super) example: &'static str,
    pub(super) source: &'static str,
}

/// All of them, in the order in which the page uses them.
pub(super) const WHYS: [Why; 24] = [
    Why {
        key: "verdict",
        title: "The verdict on the loop",
        meaning: "A logged coin leaves some tasks without any lesson. The lift is the share of tasks that met their goal with lessons, \
                  less the share without. Its range is valid at every look, so looking often makes no false verdict. Helps and hurts \
                  need evidence of 20 to 1; no effect means that the whole range is smaller than the smallest lift that matters.",
        command: "outerloop truth eval --help",
        example: "",
        source: "coins in application events, goals in goal events; src/learn/truth",
    },
    Why {
        key: "lift",
        title: "Lift of a lesson",
        meaning: "How many more tasks of a hundred met their goal when the lesson was shown than when a logged coin held it back. \
                  Verdicts on many lessons are corrected together: at most one in twenty of them is wrong.",
        command: "outerloop explain {id}",
        example: "P-001",
        source: "coins in application events; src/learn/truth",
    },
    Why {
        key: "runs",
        title: "Runs of a week",
        meaning: "Finished runs that count, or runs whose goal was judged if these are more. A week is the seven days before the \
                  instant of the report, so that the latest is as long as the others.",
        command: "outerloop query \"select date, count(*) from run group by date order by date desc limit 14\"",
        example: "",
        source: "sql/week/run.sql, sql/week/goal.sql",
    },
    Why {
        key: "goals",
        title: "Goals met",
        meaning: "The share of judged runs whose latest judgement says that the goal was met. The band is a 90% interval. It tells what \
                  happened, not what lessons caused.",
        command: "outerloop query \"select goal, success, count(*) from goal group by goal, success order by goal\"",
        example: "",
        source: "sql/week/goal.sql",
    },
    Why {
        key: "success",
        title: "Runs that succeeded",
        meaning: "The share of finished runs that succeeded, as far as is known today: a late correction counts.",
        command: "outerloop query \"select result, count(*) from run group by result\"",
        example: "",
        source: "sql/week/run.sql, sql/policy/run.sql; settings run.replace, reliability.*",
    },
    Why {
        key: "lessons",
        title: "Lessons in use",
        meaning: "Lessons that were captured and neither retired nor rejected. A flag says that one rarely works (REVIEW, PRUNE) or was \
                  not seen for long (STALE).",
        command: "outerloop patterns list --all",
        example: "",
        source: "sql/lesson.sql, sql/decision.sql; src/learn/pattern",
    },
    Why {
        key: "refused",
        title: "Refused lines",
        meaning: "Lines of the inbox that could not be taken, as a share of all lines. Each is in quarantine with its file, line, reason \
                  and remedy. What is refused is missing from all figures.",
        command: "outerloop status",
        example: "",
        source: "sql/refusal.sql, quarantine/",
    },
    Why {
        key: "rate",
        title: "Rate of a lesson",
        meaning: "The share of sightings that helped. A use counts in full if the goal was met or not judged, in part if it was missed, \
                  and a showing without a use not at all. The range is a 90% interval; a wide one means few sightings.",
        command: "outerloop explain {id}",
        example: "P-001",
        source: "sql/outcome.sql, sql/merge/evidence.sql; settings rate.*",
    },
    Why {
        key: "seen",
        title: "Sightings",
        meaning: "How often the lesson was shown to an agent that could use it, or used. Each application event counts once.",
        command: "outerloop explain {id}",
        example: "P-001",
        source: "sql/outcome.sql",
    },
    Why {
        key: "trace",
        title: "The last fourteen days",
        meaning: "The rate as it would have been on each day, by what is known today: all evidence less that of the days since.",
        command: "outerloop explain {id} --limit 0",
        example: "P-001",
        source: "sql/merge/evidence.sql",
    },
    Why {
        key: "flag",
        title: "Flag",
        meaning: "PRUNE: the rate is low after many sightings. REVIEW: the rate is low. STALE: not seen for many iterations. UNTESTED: never \
                  seen. A flag is conclusive when the whole interval lies below the threshold.",
        command: "outerloop explain {id}",
        example: "P-001",
        source: "src/score/figure.rs; settings flag.*",
    },
    Why {
        key: "score",
        title: "Score of an adapter",
        meaning: "Successes, retries and quality of the adapter's runs, weighted, from 0 to 1. The bounds are the scores if all refused \
                  runs had failed, and if all had succeeded. Rules follow the lower one.",
        command: "outerloop policy explain {id}",
        example: "git",
        source: "sql/policy/adapter.sql; settings reliability.*",
    },
    Why {
        key: "gate",
        title: "Gate",
        meaning: "Whether a person must approve the adapter's next run, what its risk is multiplied by, and how many retries it may have.",
        command: "outerloop policy show {id}",
        example: "git",
        source: "src/learn/policy/overlay.rs; settings overlay.*",
    },
    Why {
        key: "adapter",
        title: "Runs of an adapter",
        meaning: "Runs that used it and the share that succeeded, with a 90% interval. A run whose approval was denied says nothing. The \
                  small line shows the last twelve weeks.",
        command: "outerloop policy explain {id}",
        example: "git",
        source: "sql/policy/adapter.sql, sql/week/adapter.sql",
    },
    Why {
        key: "failure",
        title: "Failure",
        meaning: "A type of failure of one adapter, how often it was seen, and the confidence that it will come again, which decays.",
        command: "outerloop policy list",
        example: "",
        source: "sql/policy/failure.sql; settings reliability.*",
    },
    Why {
        key: "pass",
        title: "Verdicts of a role",
        meaning: "The share of a role's verdicts that let the work pass, and how that moved lately, as a difference of shares.",
        command: "outerloop patterns status",
        example: "",
        source: "sql/role/standing.sql; settings deliberation.insight.*",
    },
    Why {
        key: "agreement",
        title: "Agreement",
        meaning: "How often a validator came to the same verdict as the role that it judges.",
        command: "outerloop patterns status",
        example: "",
        source: "sql/role/agreement.sql",
    },
    Why {
        key: "role",
        title: "Score of a role's pattern",
        meaning: "What a finding of a role is worth: successes against rejections, decayed by its age.",
        command: "outerloop explain {id}",
        example: "D-001",
        source: "src/learn/role; settings deliberation.*, inject.score.*",
    },
    Why {
        key: "observation",
        title: "Confidence of an observation",
        meaning: "How sure it is that this recurs: it grows with each session and decays with time. At its threshold it becomes ready.",
        command: "outerloop explain {id}",
        example: "obs_a1b2c3",
        source: "sql/observation/sighting.sql; settings observe.*",
    },
    Why {
        key: "holdout",
        title: "Holdout and power",
        meaning: "Without tasks that get no lessons, chosen by a logged coin, nobody can say what lessons cause. Power left is how many days \
                  of today's traffic it takes to tell the smallest lift that matters from nothing.",
        command: "outerloop truth eval --help",
        example: "",
        source: "src/learn/truth/power.rs",
    },
    Why {
        key: "unattributed",
        title: "Applications without a lesson",
        meaning: "Events that say a lesson was used, but name none that is known. They count for no lesson. Capturing the lesson later \
                  attributes them.",
        command: "outerloop query \"select trigger, count(*) from application where pattern_id is null group by trigger order by 2 desc limit 20\"",
        example: "",
        source: "sql/subject.sql; settings attribution.*",
    },
    Why {
        key: "events",
        title: "Events",
        meaning: "Events in the lake, by kind, with the first and the last time. Each id counts once.",
        command: "outerloop status --days",
        example: "",
        source: "sql/holding.sql, lake/",
    },
    Why {
        key: "timing",
        title: "Time per phase",
        meaning: "Where the time of the latest runs went, as their timing events say.",
        command: "outerloop query \"select * from timing limit 20\"",
        example: "",
        source: "sql/recent_timing.sql",
    },
    Why {
        key: "jobs",
        title: "Jobs",
        meaning: "How jobs ended and how long their steps took. These are times of one machine, not of the log, so the published page leaves \
                  them out.",
        command: "outerloop jobs",
        example: "",
        source: "history/runs.jsonl (the table history)",
    },
];

/// The explanations as a section: links lead here where no script runs.
pub(super) fn write_whys(page: &mut Markup) {
    page.tag("dl", &[("class", "whys")], |page| {
        for why in &WHYS {
            page.tag("div", &[("id", &format!("why-{}", why.key)), ("class", "why"), ("data-command", why.command)], |page| {
                page.leaf("dt", &[], why.title);
                page.tag("dd", &[], |page| {
                    page.leaf("p", &[], why.meaning);
                    page.tag("p", &[], |page| page.leaf("code", &[], &why.command.replace("{id}", why.example)));
                    page.leaf("p", &[("class", "source")], why.source);
                });
            });
        }
    });
}
