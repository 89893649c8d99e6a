//! What a goal is: the four that are known by name, and how a file describes them and others.

use std::path::{Path, PathBuf};

use super::config::{Fault, Node, Shape};
use super::evaluate::{Criterion, Direction, Threshold};
use text::fit::{is_unprintable, quoted};

/// The names of the goals that need no definition.
pub const WELL_KNOWN: [&str; 4] = [REDUCE_FAILURES, SWE_BENCH, MINIMIZE_TOKENS, MAXIMIZE_COVERAGE];

/// Few iterations.
pub(super) const REDUCE_FAILURES: &str = "reduce-failures";
/// Tests that pass.
pub(super) const SWE_BENCH: &str = "swe-bench";
pub(super) const MINIMIZE_TOKENS: &str = "minimize-tokens";
/// Many covered lines.
pub(super) const MAXIMIZE_COVERAGE: &str = "maximize-coverage";

/// The figure of [`REDUCE_FAILURES`].
pub(super) const ITERATIONS: &str = "iterations";
/// The figure of [`MINIMIZE_TOKENS`].
pub(super) const TOTAL_TOKENS: &str = "total_tokens";
/// The figure of [`MAXIMIZE_COVERAGE`].
pub(super) const COVERAGE_PERCENT: &str = "coverage_percent";

const MOST_NAME_BYTES: usize = 200;
const MOST_TEXT_BYTES: usize = 16 << 10;
const MOST_ITEMS: usize = 100;

/// What a run is to reach.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) pattern_priority: Vec<String>,
    pub(super) criterion: Option<Criterion>,
    pub(super) metrics: Vec<String>,
    pub(super) evaluator: Vec<String>,
    pub(super) report: Option<PathBuf>,
}

impl Goal {
    pub fn well_known(name: &str) -> Option<Self> {
        let threshold =
            |metric: &str, target, direction| Criterion::Threshold(Threshold { metric: metric.to_owned(), target, direction });
        let (description, priority, criterion, metrics): (_, &[&str], _, &[&str]) = match name {
            REDUCE_FAILURES => (
                "reach the goal in few iterations",
                &["mistake", "pattern", "convention", "insight"],
                threshold(ITERATIONS, 3.0, Direction::Below),
                &["iterations_to_complete", "error_count"],
            ),
            SWE_BENCH => (
                "make the tests pass",
                &["mistake", "pattern"],
                Criterion::Binary { test_command: "pytest tests/ -x".to_owned() },
                &["tests_passed", "tests_failed"],
            ),
            MINIMIZE_TOKENS => (
                "spend few tokens",
                &["convention", "pattern", "insight"],
                threshold(TOTAL_TOKENS, 50_000.0, Direction::Below),
                &["input_tokens", "output_tokens", "cache_tokens"],
            ),
            MAXIMIZE_COVERAGE => (
                "cover many lines with tests",
                &["pattern", "convention"],
                threshold(COVERAGE_PERCENT, 80.0, Direction::Above),
                &["coverage_percent", "lines_covered"],
            ),
            _ => return None,
        };
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Some(Self {
            description: description.to_owned(),
            pattern_priority: words(priority),
            criterion: Some(criterion),
            metrics: words(metrics),
            ..Self::bare(name)
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn description(&self) -> &str {
        &self.description
    }

    /// The categories of patterns that help to reach it, the most helpful first.
    pub fn pattern_priority(&self) -> &[String] {
        &self.pattern_priority
    }

    /// When it is reached. None where its evaluator alone decides.
    pub const fn criterion(&self) -> Option<&Criterion> {
        self.criterion.as_ref()
    }

    /// The figures that are of interest beside the result.
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }

    /// The program that judges it, with its arguments. Empty where none is given.
    pub fn evaluator(&self) -> &[String] {
        &self.evaluator
    }

    /// The coverage report that counts. None where the usual places are searched.
    pub fn report(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    /// Reads the definition of a goal. What it leaves out has the value that a goal of that name has.
    pub(super) fn parse(name: &str, node: &Node) -> Result<Self, Fault> {
        let mut goal = Self::well_known(name).unwrap_or_else(|| Self::bare(name));
        let members = match &node.value {
            Shape::Null => return Ok(goal),
            Shape::Table(members) => members,
            other => {
                let what = format!("the goal {} is {}, not a mapping", quoted(name), other.describe());
                return Err(Fault::at(node, what, "write `success_criteria:` and the like below its name, indented"));
            }
        };
        for (key, value) in members {
            // What else a goal says is for other readers of the file.
            let Shape::Text(key) = &key.value else { continue };
            let field = Field { goal: name, key };
            match &**key {
                _ if value.value == Shape::Null => {}
                "description" => goal.description = field.text(value)?,
                "pattern_priority" => goal.pattern_priority = field.texts(value)?,
                "metrics" => goal.metrics = field.texts(value)?,
                "evaluator" => goal.evaluator = field.words(value)?,
                "coverage_file" => goal.report = Some(PathBuf::from(field.text(value)?)),
                "success_criteria" => goal.take_criteria(value)?,
                _ => {}
            }
        }
        Ok(goal)
    }

    fn bare(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: String::new(),
            pattern_priority: Vec::new(),
            criterion: None,
            metrics: Vec::new(),
            evaluator: Vec::new(),
            report: None,
        }
    }

    fn take_criteria(&mut self, node: &Node) -> Result<(), Fault> {
        let Shape::Table(members) = &node.value else {
            let what = format!("`success_criteria` of the goal {} is {}, not a mapping", quoted(&self.name), node.value.describe());
            return Err(Fault::at(node, what, "write `type: threshold` or `type: binary` and the like below it, indented"));
        };
        let mut criteria = Criteria::default();
        for (key, value) in members {
            let Shape::Text(key) = &key.value else { continue };
            let field = Field { goal: &self.name, key };
            match &**key {
                _ if value.value == Shape::Null => {}
                "type" => criteria.is_binary = Some(field.choice(value, &["threshold", "binary"])? == "binary"),
                "metric" => criteria.metric = Some(field.text(value)?),
                "target" => criteria.target = Some(field.target(value)?),
                "direction" => criteria.direction = Direction::from_name(field.choice(value, &["above", "below"])?),
                "test_command" => criteria.test_command = Some(field.text(value)?),
                "report" => self.report = Some(PathBuf::from(field.text(value)?)),
                _ => {}
            }
        }
        self.criterion =
            criteria.over(self.criterion.take(), &self.name).map_err(|(what, remedy)| Fault::at(node, what, remedy))?;
        Ok(())
    }
}

/// Whether a text can be the name of a goal: it stands in logs whose fields a bar separates.
pub(super) fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= MOST_NAME_BYTES && !name.contains(|letter| letter == '|' || is_unprintable(letter))
}

/// Success criteria as they are written.
#[derive(Debug, Default)]
struct Criteria {
    is_binary: Option<bool>,
    metric: Option<String>,
    target: Option<f64>,
    direction: Option<Direction>,
    test_command: Option<String>,
}

impl Criteria {
    /// The criterion, with what is not written taken from the default of the goal. Otherwise what is wrong, and a remedy.
    fn over(self, default: Option<Criterion>, goal: &str) -> Result<Option<Criterion>, (String, &'static str)> {
        if self.is_binary.unwrap_or(self.test_command.is_some()) {
            let default = match default {
                Some(Criterion::Binary { test_command }) => Some(test_command),
                _ => None,
            };
            return match self.test_command.or(default) {
                Some(test_command) => Ok(Some(Criterion::Binary { test_command })),
                None => Err((format!("the goal {} is binary and has no `test_command`", quoted(goal)), "add `test_command: ...`")),
            };
        }
        let default = match default {
            Some(Criterion::Threshold(threshold)) => Some(threshold),
            Some(binary) if self.is_binary.is_none() => return Ok(Some(binary)),
            Some(_) => {
                let what = format!("the goal {} is judged by a test command, not by a threshold", quoted(goal));
                return Err((what, "write `type: binary`, or give the goal another name"));
            }
            None => None,
        };
        let metric = self.metric.or_else(|| default.as_ref().map(|default| default.metric.clone()));
        let target = self.target.or_else(|| default.as_ref().map(|default| default.target));
        let direction = self.direction.or_else(|| default.as_ref().map(|default| default.direction));
        match (metric, target) {
            (None, None) if self.is_binary.is_none() => Ok(None),
            (Some(metric), Some(target)) => {
                // Fewer is the commoner wish, and the direction of the goal that holds where no other is chosen.
                let direction = direction.unwrap_or(Direction::Below);
                Ok(Some(Criterion::Threshold(Threshold { metric, target, direction })))
            }
            _ => {
                Err((format!("the threshold of the goal {} is not complete", quoted(goal)), "add `metric: ...` and `target: ...`"))
            }
        }
    }
}

/// A field of a goal, for messages.
struct Field<'a> {
    goal: &'a str,
    key: &'a str,
}

impl Field<'_> {
    fn text(&self, node: &Node) -> Result<String, Fault> {
        match &node.value {
            Shape::Text(text) if text.len() > MOST_TEXT_BYTES => {
                Err(self.fault(node, &format!("has {} bytes", text.len()), "write a short text"))
            }
            Shape::Text(text) if text.contains('\0') => Err(self.fault(node, "contains a NUL character", "remove it")),
            Shape::Text(text) if !text.trim().is_empty() => Ok(text.clone()),
            Shape::Text(_) => Err(self.fault(node, "is empty", "write a text, or remove the line")),
            other => Err(self.fault(node, &format!("is {}, not a text", other.describe()), "write a text, in quotes if necessary")),
        }
    }

    fn texts(&self, node: &Node) -> Result<Vec<String>, Fault> {
        match &node.value {
            Shape::List(items) if items.len() > MOST_ITEMS => {
                Err(self.fault(node, &format!("has {} items", items.len()), &format!("write at most {MOST_ITEMS}")))
            }
            Shape::List(items) => items.iter().map(|item| self.text(item)).collect(),
            other => {
                Err(self.fault(node, &format!("is {}, not a list", other.describe()), "write a list of texts: `[one, other]`"))
            }
        }
    }

    /// A program with its arguments: a list of words, or a text that is the program alone.
    fn words(&self, node: &Node) -> Result<Vec<String>, Fault> {
        match &node.value {
            Shape::Text(_) => Ok(vec![self.text(node)?]),
            Shape::List(items) if items.is_empty() => Err(self.fault(node, "is empty", "write a program and its arguments")),
            _ => self.texts(node),
        }
    }

    fn choice<'n>(&self, node: &'n Node, choices: &[&str]) -> Result<&'n str, Fault> {
        match &node.value {
            Shape::Text(text) if choices.contains(&&**text) => Ok(text),
            Shape::Text(text) => Err(self.fault(node, &format!("is {}", quoted(text)), &format!("write {}", choices.join(" or ")))),
            other => Err(self.fault(node, &format!("is {}", other.describe()), &format!("write {}", choices.join(" or ")))),
        }
    }

    /// A target that the goal can be measured against.
    fn target(&self, node: &Node) -> Result<f64, Fault> {
        let target = match &node.value {
            Shape::Number(target) if target.is_finite() => *target,
            Shape::Number(_) => return Err(self.fault(node, "is not finite", "write a number")),
            other => {
                return Err(self.fault(node, &format!("is {}, not a number", other.describe()), "write a number, without quotes"));
            }
        };
        match self.goal {
            REDUCE_FAILURES | MINIMIZE_TOKENS if target <= 0.0 => {
                Err(self.fault(node, &format!("is {target}"), "write a number above 0: scores are shares of it"))
            }
            MAXIMIZE_COVERAGE if !(0.0..=100.0).contains(&target) => {
                Err(self.fault(node, &format!("is {target}"), "write a percentage from 0 to 100"))
            }
            _ => Ok(target),
        }
    }

    fn fault(&self, node: &Node, what: &str, remedy: &str) -> Fault {
        Fault::at(node, format!("`{}` of the goal {} {what}", self.key, quoted(self.goal)), remedy)
    }
}
