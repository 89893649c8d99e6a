//! What programs print and people do not write: how a text is known to show an execution.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// Lines that one kind of program prints, by the program. Each stands for itself: whoever shows such a line has run something.
const LINES: [(&str, &str); 104] = [
    ("cargo", r"^test result: (ok|FAILED)\. \d+ passed"),
    ("cargo", r"^test \S+( - .*)? \.\.\. (ok|FAILED|ignored)"),
    ("cargo", r"^error: could not compile `"),
    ("rustc", r"^(error|warning)\[[EW]\d+\]: "),
    ("rust panic", r"^thread '.*' (\(\d+\) )?panicked at "),
    ("go test", r"^--- (PASS|FAIL|SKIP): \S+ \(\d+\.\d+s\)"),
    ("go test", r"^ok\s+\S+\s+(\d+\.\d+s|\(cached\))"),
    ("go test", r"^FAIL\s+\S+\s+(\d+\.\d+s|\[build failed\])"),
    ("go build", r"^(vet: )?\./\S+\.go:\d+:\d+: \S"),
    ("go panic", r"^goroutine \d+ \[[a-z ]+(, \d+ minutes)?\]:"),
    ("go panic", r"^(panic|fatal error): (runtime error|all goroutines|[a-z]+:)"),
    ("pytest", r"^=+ .*\d+ (passed|failed|errors?|skipped|deselected|xfailed).* in \d+(\.\d+)?s"),
    ("pytest", r"^=+ (test session starts|FAILURES|ERRORS|short test summary info) =+$"),
    ("pytest", r"^\d+ (passed|failed|errors?|skipped)(, \d+ \w+)* in \d+(\.\d+)?s"),
    ("unittest", r"^Ran \d+ tests? in \d+(\.\d+)?s$"),
    ("unittest", r"^FAILED \((failures|errors|unexpected successes)=\d+"),
    ("python", r"^Traceback \(most recent call last\):$"),
    ("python", r"^File \x22.+\x22, line \d+(, in \S+)?$"),
    ("jest", r"^Tests:\s+(\d+ \w+, )*\d+ total$"),
    ("jest", r"^Test Suites:\s+(\d+ \w+, )*\d+ total$"),
    ("vitest", r"^(Test Files|Tests)\s+\d+ (passed|failed|skipped).*\(\d+\)$"),
    ("mocha", r"^\d+ (passing|failing)( \(\d+(ms|s|m)\))?$"),
    ("mocha", r"^AssertionError \[ERR_ASSERTION\]"),
    ("TAP", r"^((not )?ok \d+ - |not ok \d+ )\S"),
    ("TAP", r"^TAP version 1\d$"),
    ("node --test", r"^(# |\u{2139} )(tests|pass|fail) \d+$"),
    ("ava", r"^\d+ tests? (failed|passed)$"),
    ("jasmine", r"^\d+ specs?, \d+ failures?"),
    ("playwright", r"^\d+ (passed|failed|flaky) \(\d+(\.\d+)?(ms|s|m)\)$"),
    ("cypress", r"^\u{2502} (Tests|Passing|Failing):\s+\d+"),
    ("deno test", r"^(ok|FAILED) \| \d+ passed .*\| \d+ failed"),
    ("bun test", r"^Ran \d+ tests across \d+ files?\."),
    ("maven", r"^\[(INFO|ERROR)\] BUILD (SUCCESS|FAILURE)$"),
    ("maven", r"^(\[(INFO|WARNING|ERROR)\] )?Tests run: \d+, Failures: \d+, Errors: \d+"),
    ("gradle", r"^BUILD (SUCCESSFUL|FAILED) in \d"),
    ("gradle", r"^\d+ tests? completed, \d+ failed"),
    ("gradle", r"^(> Task )?:\S+ (FAILED|UP-TO-DATE|NO-SOURCE)$"),
    ("dotnet", r"^(Passed|Failed)!\s+- Failed:\s+\d+, Passed:\s+\d+"),
    ("dotnet", r"^(Total tests: \d+|Test Run (Successful|Failed)\.|Build (succeeded|FAILED)\.)$"),
    ("dotnet", r"\(\d+,\d+\): (error|warning) [A-Z]{2,}\d{4}: "),
    ("rspec", r"^\d+ examples?, \d+ failures?"),
    ("minitest", r"^\d+ (runs|tests), \d+ assertions, \d+ failures, \d+ errors"),
    ("phpunit", r"^OK \(\d+ tests?, \d+ assertions?\)$"),
    ("phpunit", r"^Tests: \d+, Assertions: \d+"),
    ("exunit", r"^(\d+ doctests?, )?\d+ tests?, \d+ failures?(, \d+ \w+)*$"),
    ("busted", r"^\d+ success(es)? / \d+ failures? / \d+ errors?"),
    ("prove", r"^Result: (PASS|FAIL|NOTESTS)$"),
    ("prove", r"^Files=\d+, Tests=\d+, "),
    ("behave", r"^\d+ (features?|scenarios?|steps?) passed, \d+ failed"),
    ("cucumber", r"^\d+ scenarios? \((\d+ \w+(, )?)+\)$"),
    ("ctest", r"^\d+% tests passed, \d+ tests? failed out of \d+"),
    ("googletest", r"^\[\s+(OK|FAILED|PASSED)\s+\] \S"),
    ("swift test", r"^Test (Suite|Case) '.*' (passed|failed) "),
    ("xcodebuild", r"^\*\* (TEST|BUILD) (SUCCEEDED|FAILED) \*\*$"),
    ("coverage", r"^TOTAL\s+\d+\s+\d+(\s+\d+)*\s+\d+%$"),
    ("tsc", r"(\(\d+,\d+\): |:\d+:\d+ - )error TS\d+: "),
    ("eslint", r"^\u{2716} \d+ problems? \(\d+ errors?, \d+ warnings?\)"),
    ("eslint", r"^\d+:\d+\s+(error|warning)\s+\S.*\s[a-z@][\w@/-]+$"),
    ("biome", r"^\S+:\d+:\d+ lint/\w+/\w+"),
    ("prettier", r"^\[(warn|error)\] \S"),
    ("stylelint", r"^\d+:\d+\s+\u{2716}\s+\S"),
    ("ruff", r"^Found \d+ errors?( \(\d+ fixed, \d+ remaining\))?\.$"),
    ("ruff", r"^All checks passed!$"),
    ("mypy", r"^Found \d+ errors? in \d+ files? \("),
    ("mypy", r"^Success: no issues found in \d+ source files?$"),
    ("pyright", r"^\d+ errors?, \d+ warnings?, \d+ informations?$"),
    ("pylint", r"^Your code has been rated at -?\d+\.\d+/10"),
    ("black", r"^\d+ files? (would be (reformatted|left unchanged)|reformatted|left unchanged)"),
    ("bandit", r"^>> Issue: \[B\d{3}:"),
    ("linters", r"^\S+:\d+:(\d+:)? [A-Z]{1,4}\d{3,5}:? \S"),
    ("compilers", r"^\S+:\d+:(\d+:)? (fatal )?(error|warning|note): \S"),
    ("compilers", r"^--> \S+:\d+:\d+$"),
    ("shellcheck", r"^In \S+ line \d+:$"),
    ("golangci-lint", r"^\S+\.go:\d+:\d+: .*\((\w+)\)$"),
    ("make", r"^(g?make|ninja)(\[\d+\])?: (\*\*\*|build stopped)"),
    ("curl", r"^(< )?HTTP/\d(\.\d)? \d{3}( |$)"),
    ("curl", r"^curl: \(\d+\) \S"),
    ("curl", r"^\* +(Trying [\[\]0-9a-f.:]+\.\.\.$|connect to \S+ port \d+ .*failed: )"),
    (
        "docker",
        r"^(docker: |ERROR: (failed to solve|failed to build)|unable to prepare context: |Cannot connect to the Docker daemon)",
    ),
    ("docker", r"^(Step \d+/\d+ : |#\d+ \[.*\d+/\d+\] |Successfully (built|tagged) )"),
    ("kubectl", r"^(Error from server|The connection to the server) "),
    ("terraform", r"^(Plan: \d+ to add, \d+ to change|Apply complete! Resources: \d+)"),
    (
        "git",
        r"^fatal: ('.+' does not appear to be|The current branch .* has no upstream|not a git repository|[Cc]ould(n't| not) |unable to |refusing to |bad |ambiguous argument|pathspec |repository '|Authentication failed|invalid |no )",
    ),
    ("git", r"^(CONFLICT \(\w|error: patch failed: |Automatic merge failed;)"),
    ("sqlite", r"^(Error: in prepare, |(Parse|Runtime) error (near line \d+|in \w+))"),
    ("psql", r"^(psql:\S*\s*)?ERROR:  \S"),
    ("npm", r"^npm (ERR!|error) (code|errno|Lifecycle script) "),
    ("node trace", r"^at .*\(?(node:|file://|/|\w:\\|\./)\S*:\d+(:\d+)?\)?$"),
    ("java trace", r"^at [\w.$/<>]+\([\w$]+\.(java|kt|scala):\d+\)$"),
    ("java trace", r"^Exception in thread \x22"),
    ("dotnet trace", r"^(Unhandled exception\. \w|at .* in \S+:line \d+$)"),
    ("ruby trace", r"^(from )?\S+\.rb:\d+:in ['`]"),
    ("php", r"^(No syntax errors detected in|Errors parsing) \S+$"),
    ("php trace", r"^(PHP )?(Fatal|Parse) error:  ?\S"),
    ("lua trace", r"^stack traceback:$"),
    ("perl trace", r"^\S.* at \S+\.p[lm] line \d+\.$"),
    ("elixir trace", r"^\*\* \([A-Z]\w*(\.\w+)*\) \S"),
    ("sanitizer", r"^==\d+==\s*(ERROR: |Memcheck|Invalid (read|write))"),
    ("shell", r"^(\S+: line \d+: +\d+ )?(Segmentation fault|Aborted|Killed)\b.*\S$"),
    ("shell", r"^(\S+: )?(line \d+: )?\S+: command not found$"),
    ("shell", r"^\S+: \d+: \S+: not found$"),
    ("shell", r"^[a-z][\w.+-]*: (\S.*: )(No such file or directory|Permission denied|Is a directory|Not a directory)$"),
    ("shell", r"^(exit|exited with)( code| status)[:=]? -?\d+$"),
    ("busybox test", r"^(PASS|FAIL):? \S*[\w)\]][./]\w"),
];

/// What some programs print and people may write too: it counts where a command or the name of the fence says that it is output.
const HINTS: [&str; 9] = [
    r"\b[0-9]+ (?:passed|failed)\b",
    r"\btest result:",
    r"^\s*(?:not )?ok [0-9]+\b",
    r"^\s*(?:PASS|FAIL):?\s+\S*[\w)\]][./]\w",
    r"\b(?i:exit (?:code|status))[:=]?\s*-?[0-9]+\b",
    r"^\S*[./]\w+:[0-9]+:[0-9]+: \S",
    r"\bTraceback \(most recent call last\)",
    r"\bAssertionError\b",
    // The code of an answer, as curl prints it with `%{http_code}`.
    r"^[1-5][0-9][0-9]$",
];

/// Whether a program printed this line, wherever it stands.
pub(super) fn is_printed(line: &str) -> bool {
    static PRINTED: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(LINES.iter().map(|(_, line)| ascii(line))).ok());
    PRINTED.as_ref().is_some_and(|printed| printed.is_match(line.trim()))
}

/// Whether a program may have printed this line, if other things speak for it.
pub(super) fn may_be_printed(line: &str) -> bool {
    static HINTED: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(HINTS.iter().map(|hint| ascii(hint))).ok());
    HINTED.as_ref().is_some_and(|hinted| hinted.is_match(line))
}

/// Whether a line says that what follows is what somebody would see, not what they saw.
pub(super) fn is_supposed(line: &str) -> bool {
    const SUPPOSED: &str = r"\b(?i:expected output|(?:should|would|will|must) (?:then )?(?:print|show|output|say|look|give|see|report|produce|read|yield|fail with)|for example|for instance|e\.g\.|(?:sample|example|desired|hypothetical) output|something like|imagine|suppose)";
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SUPPOSED).ok());
    SAID.as_ref().is_some_and(|said| said.is_match(line))
}

/// An expression whose classes hold plain letters and digits only: those of Unicode take a hundred times as long to compile.
fn ascii(expression: &str) -> String {
    let classes = [(r"\d", "[0-9]"), (r"\w", "[0-9A-Za-z_]"), (r"\s", "[ \t]"), (r"\S", "[^ \t]")];
    classes.into_iter().fold(expression.to_owned(), |expression, (class, plain)| expression.replace(class, plain))
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use regex::RegexSet;

    use super::{HINTS, LINES, ascii};

    #[test]
    fn every_expression_is_one() {
        RegexSet::new(LINES.iter().map(|(_, line)| ascii(line))).expect("expressions");
        RegexSet::new(HINTS.iter().map(|hint| ascii(hint))).expect("expressions");
    }

    #[test]
    fn more_than_thirty_programs_are_known() {
        let mut programs: Vec<&str> = LINES.iter().map(|(program, _)| *program).collect();
        programs.dedup();
        assert!(programs.len() > 60, "{}", programs.len());
    }
}
