//! What real programs print is evidence of an execution, however a report shows it; what people write about programs is none. The
//! outputs were made by `output/make.sh`, which tells the command of each.

use std::fs;
use std::path::{Path, PathBuf};

use text::review::{Level, evidence_level};

const NO_FILES: [&str; 0] = [];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/review/output")
}

/// The outputs by name. The prose is none.
fn outputs() -> Vec<(String, String)> {
    let entries = fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let texts = entries.filter(|path| path.extension().is_some_and(|ending| ending == "txt") && !path.ends_with("prose.txt"));
    let mut outputs: Vec<(String, String)> = texts
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), fs::read_to_string(&path).expect("a text")))
        .collect();
    outputs.sort_unstable();
    outputs
}

fn indented(output: &str) -> String {
    output.lines().fold(String::new(), |text, line| if line.is_empty() { text + "\n" } else { text + "    " + line + "\n" })
}

#[test]
fn real_output_is_an_execution_however_it_is_shown() {
    let outputs = outputs();
    assert!(outputs.len() >= 75, "{}", outputs.len());
    let mut wrong = Vec::new();
    for (name, output) in &outputs {
        let shown = [
            ("a fence", format!("I ran it:\n\n```\n{output}\n```\n")),
            ("a fence of text", format!("```text\n{output}\n```\n")),
            ("a command", format!("```console\n$ {name}\n{output}\n```\n")),
            ("a list", format!("- ran {name}\n\n  ```sh\n  {}\n  ```\n", output.replace('\n', "\n  "))),
            ("an indented block", format!("The log:\n\n{}", indented(output))),
        ];
        for (how, report) in shown {
            if evidence_level(&report, &NO_FILES) != Level::Execution {
                wrong.push(format!("{name} in {how}"));
            }
        }
        // The same words in quotation marks are what somebody says of it.
        let first = output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        assert_ne!(evidence_level(&format!("It printed \"{}\".", first.trim()), &NO_FILES), Level::Execution, "{name}");
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn passing_and_failing_runs_of_more_than_thirty_tools_are_kept() {
    let outputs = outputs();
    let mut tools: Vec<&str> = outputs.iter().map(|(name, _)| name.split("-pass").next().unwrap_or(name)).collect();
    tools.iter_mut().for_each(|tool| *tool = tool.split("-fail").next().unwrap_or_default());
    tools.sort_unstable();
    tools.dedup();
    assert!(tools.len() >= 45, "{} {tools:?}", tools.len());
    for tool in ["cargo-test", "go-test", "pytest", "unittest", "jest", "vitest", "mocha", "node-test", "maven", "gradle", "rspec"]
    {
        for result in ["pass", "fail"] {
            assert!(outputs.iter().any(|(name, _)| name.starts_with(&format!("{tool}-{result}"))), "{tool} {result}");
        }
    }
    for (name, output) in &outputs {
        for place in ["/root", "/work/", "/tmp/", "artifactory", "registry."] {
            assert!(!output.contains(place), "{name} names {place} of the machine that it was made on");
        }
    }
}

#[test]
fn a_code_of_an_answer_is_output_where_its_command_stands() {
    let shown = "```console\n$ curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8791/missing\n404\n```\n";
    assert_eq!(evidence_level(shown, &NO_FILES), Level::Execution);
    assert_ne!(evidence_level("The server answers with:\n\n404\n", &NO_FILES), Level::Execution);
}

#[test]
fn prose_about_tests_is_reasoning() {
    let prose = fs::read_to_string(folder().join("prose.txt")).expect("the prose");
    let texts: Vec<&str> = prose.split("%%%%\n").collect();
    assert!(texts.len() >= 25, "{}", texts.len());
    for text in texts {
        assert_eq!(evidence_level(text, &NO_FILES), Level::Reasoning, "{text}");
    }
}
