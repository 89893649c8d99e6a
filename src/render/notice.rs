//! Notices that a knowledge file nears its ceiling: `.memory/.notifications.json` of a project, whose other members stay as they are.

use serde_json::{Map, Value};

use super::artifact::Topic;

/// The most entries of a knowledge file, where a notice does not say.
const CEILING: i64 = 100;

/// How urgent a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Dim,
    /// Worth a look.
    Warning,
    /// Something is about to be left out.
    Error,
}

impl Severity {
    /// Its word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dim => "dim",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A notice about one knowledge file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The file without its ending: `decisions` or `pitfalls`.
    pub file: &'static str,
    /// The highest threshold that was crossed.
    pub threshold: i64,
    /// How many entries are active.
    pub count: i64,
    /// How many there may be.
    pub ceiling: i64,
    /// How urgent it is.
    pub severity: Severity,
}

/// All notices of a project, as its file holds them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notices(Map<String, Value>);

impl Notices {
    /// Reads the file: an object of objects. Anything else is refused with its reason.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Value::Object(members) = serde_json::from_slice(bytes).map_err(|error| format!("is not JSON: {error}"))? else {
            return Err("is not an object".to_owned());
        };
        if let Some((name, _)) = members.iter().find(|(_, value)| !value.is_object()) {
            return Err(format!("`{}` is not an object", name.escape_debug()));
        }
        Ok(Self(members))
    }

    /// The file's text: two blanks a level, as its other writers have it.
    pub fn render(&self) -> String {
        format!("{:#}\n", Value::Object(self.0.clone()))
    }

    /// Notices that stand and that nobody has dismissed, the most urgent first, then the one with the most entries.
    pub fn open(&self) -> Vec<Notice> {
        let mut open: Vec<Notice> = self.0.iter().filter_map(|(name, value)| open_notice(name, value)).collect();
        open.sort_by_key(|notice| (std::cmp::Reverse((notice.severity, notice.count)), notice.file));
        open
    }

    /// Dismisses the notices that stand, until a higher threshold is crossed. Says which these are.
    pub fn dismiss(&mut self) -> Vec<Notice> {
        let mut dismissed = Vec::new();
        for (name, value) in &mut self.0 {
            let Some(notice) = open_notice(name, value) else { continue };
            value["dismissed_at_threshold"] = notice.threshold.into();
            dismissed.push(notice);
        }
        dismissed
    }
}

fn open_notice(name: &str, value: &Value) -> Option<Notice> {
    // Another program's notices are none of ours to show.
    let file = Topic::ALL.into_iter().find(|topic| topic.notification() == name)?.noun();
    let number = |field: &str| value.get(field).and_then(Value::as_i64);
    let threshold = number("threshold").unwrap_or(0);
    let is_dismissed = number("dismissed_at_threshold").is_some_and(|dismissed| dismissed >= threshold);
    if value.get("active") != Some(&Value::Bool(true)) || is_dismissed {
        return None;
    }
    let severity = match value.get("severity").and_then(Value::as_str) {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        _ => Severity::Dim,
    };
    let (count, ceiling) = (number("count").unwrap_or(0), number("ceiling").unwrap_or(CEILING));
    Some(Notice { file, threshold, count, ceiling, severity })
}
