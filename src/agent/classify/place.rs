//! What in a lesson belongs to one project or one occasion: paths, addresses, names, tickets, commits, dates.

use std::sync::LazyLock;

use regex::Regex;

use super::keyword::{find_phrase, is_listed};
use super::lesson::PendingLesson;
use super::wording::is_system_path;

/// The words of a summary that only one project has.
pub(super) fn find_place(summary: &str, lesson: &PendingLesson) -> Option<String> {
    let lowered = summary.to_lowercase();
    let tokens = || summary.split_whitespace().map(trimmed).filter(|token| !token.is_empty());
    tokens()
        .find(|token| is_project_address(token, lesson) || is_project_path(token))
        .map(str::to_owned)
        .or_else(|| files_of(lesson).into_iter().find(|file| tokens().any(|token| is_file(token, file))))
        .or_else(|| names_of(lesson).into_iter().find(|name| find_phrase(&lowered, name).is_some()))
        .or_else(|| SELF.iter().find(|phrase| find_phrase(&lowered, phrase).is_some()).map(|phrase| (*phrase).to_owned()))
}

/// How a lesson speaks of the project it was learned in.
const SELF: [&str; 9] = [
    "this project",
    "this repo",
    "this repository",
    "this codebase",
    "this code base",
    "this monorepo",
    "our codebase",
    "our monorepo",
    "our repo",
];

/// Folders that many projects have at their top.
const TOPS: &str = "\
    app apps assets backend client cmd components config crates docs frontend internal lib libs migrations modules packages \
    pkg public scripts server services spec sql src test tests web";

/// Those of them whose names are seldom words of a sentence, as both are in `client/server`.
const GROUPS: &str = "apps cmd components crates libs migrations modules packages pkg scripts services src";

/// What such a name is told apart from with a slash.
const COUNTERPARTS: &str = "dst dest destination target";

/// Folders that belong to a tool, in whatever project.
const TOOLS: &str = "\
    .git .github .vscode .husky .cargo .claude .closedloop-ai .learnings node_modules target dist ~";

const COMMON_FILES: &str = "\
    .env .gitignore __init__.py app.js app.py app.ts app.tsx build.gradle build.rs cargo.lock cargo.toml changelog.md \
    conftest.py docker-compose.yml dockerfile go.mod go.sum index.html index.js index.ts index.tsx lib.rs main.go main.py \
    main.rs main.ts makefile mod.rs package-lock.json package.json pyproject.toml readme.md setup.py tsconfig.json";

/// Names of projects that are words of every project.
const COMMON_NAMES: &str = "\
    admin api app apps backend client code common core data default demo docs frontend infra lib main mobile project server \
    service services shared site test web";

fn trimmed(token: &str) -> &str {
    let token = token.trim_matches(|c: char| {
        matches!(c, '`' | '"' | '\'' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '!' | '?')
    });
    token.trim_end_matches(['.', ':', ','])
}

fn is_project_address(token: &str, lesson: &PendingLesson) -> bool {
    let Some((_, address)) = token.split_once("://") else { return false };
    let address = address.to_lowercase();
    let host = address.split(['/', ':', '?']).next().unwrap_or_default();
    let is_private = [".internal", ".local", ".corp", ".lan", ".intra"].iter().any(|ending| host.ends_with(ending))
        || ["10.", "192.168."]
            .iter()
            .any(|start| host.starts_with(start) && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    let parts = || address.split(|character: char| !character.is_alphanumeric() && !matches!(character, '-' | '_'));
    is_private || names_of(lesson).iter().any(|name| parts().any(|part| part == name))
}

/// Whether a word is a path into a project. Words such as `and/or`, `text/html` and `tests/` are not.
fn is_project_path(token: &str) -> bool {
    let is_spelled = token.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+' | '~' | ':' | '#'));
    if !token.contains('/') || token.contains("//") || !is_spelled {
        return false;
    }
    if token.starts_with('/') {
        return !is_system_path(token) && token.matches('/').count() > 1;
    }
    let path = token.trim_start_matches("./").trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    let [first, .., last] = parts[..] else { return false };
    // A package's name, or a folder of a tool.
    if first.starts_with('@') || last.contains('@') || is_listed(TOOLS, first) {
        return false;
    }
    let file = last.split(':').next().unwrap_or(last);
    if is_listed(COMMON_FILES, &file.to_lowercase()) && parts.len() == 2 && is_listed(TOPS, first) {
        return false;
    }
    let is_below_top = is_listed(TOPS, first) && (parts.len() > 2 || is_listed(GROUPS, first) && !is_listed(COUNTERPARTS, last));
    has_ending(file) || is_below_top || token.ends_with('/')
}

fn has_ending(file: &str) -> bool {
    let ending = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending);
    (1..=6).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_lowercase())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The names of the files that a lesson was learned from, without those that many projects have.
fn files_of(lesson: &PendingLesson) -> Vec<String> {
    let all = lesson.context_file.iter().chain(&lesson.citations);
    let names = all.filter_map(|path| path.rsplit(['/', '\\']).next()?.split(':').next());
    names.filter(|name| has_ending(name) && !is_listed(COMMON_FILES, &name.to_lowercase())).map(str::to_owned).collect()
}

/// Whether a word is a file's name, or the name of what is in it where it is spelled like an identifier.
fn is_file(token: &str, file: &str) -> bool {
    const LEAST_CHARACTERS: usize = 6;
    let stem = file.split('.').next().unwrap_or(file);
    let is_identifier = stem.contains('_') || stem.chars().skip(1).any(char::is_uppercase);
    let word = token.trim_end_matches("()");
    word == file || (is_identifier && stem.chars().count() >= LEAST_CHARACTERS && word == stem)
}

/// The names of the lesson's repository and project in lower case, unless they are common words.
fn names_of(lesson: &PendingLesson) -> Vec<String> {
    const LEAST_CHARACTERS: usize = 4;
    let all = lesson.repo_name.iter().chain([&lesson.project]).map(|name| name.trim().to_lowercase());
    all.filter(|name| name.chars().count() >= LEAST_CHARACTERS && !is_listed(COMMON_NAMES, name)).collect()
}

/// Words like a ticket's id that are standards, algorithms, encodings and other things that last.
const FAMILIES: &str = "\
    ADR AES AMD ANSI ARGON ARM ASCII AVX BASE BCP BIP BLAKE CHACHA CIS CLAUDE CP CRC CSS CVE CWE DES DIN EC ECMA ED EIP EN \
    ERC ES FIPS FP GCM GMT GPT HMAC HS HTML HTTP IEC IEEE INT IPV ISO ITU JEP JSR KEP LATIN LTS MD MPEG NIST OAUTH ORA OWASP \
    PBKDF PCI PEP PKCS POSIX PRIO PS PSR RFC RS RSA SEV SHA SHAKE SOC SQL SSE SSL STD TIER TLS TOP TR TS UAX UCS UINT USB \
    UTC UTF UTS WCAG WINDOWS XXH";

/// The first words of a lesson that name one occasion, and what they are.
pub(super) fn find_occasion(summary: &str) -> Option<(&str, &'static str)> {
    let lowered = summary.to_ascii_lowercase();
    find_ticket(summary)
        .map(|words| (words, "a ticket"))
        .or_else(|| find_number(summary, &lowered).map(|words| (words, "the number of an issue")))
        .or_else(|| find_commit(summary).map(|words| (words, "a commit")))
        .or_else(|| find_date(summary, &lowered).map(|words| (words, "a calendar date")))
}

fn find_ticket(summary: &str) -> Option<&str> {
    static TICKET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b([A-Z][A-Z0-9]{1,9})-\d{1,6}\b").ok());
    let all = TICKET.as_ref()?.captures_iter(summary);
    let mut tickets = all.filter_map(|found| {
        let (whole, family) = (found.get(0)?, found.get(1)?.as_str());
        // Without its own number a family such as SHA3 is known too.
        let is_known = is_listed(FAMILIES, family.trim_end_matches(|digit: char| digit.is_ascii_digit()));
        // `X-HTTP-2` and `UTF-8-1` are parts of longer names.
        let is_part = summary[..whole.start()].ends_with(['-', '_']) || summary[whole.end()..].starts_with(['-', '_']);
        (!is_known && !is_part).then_some(whole.as_str())
    });
    tickets.next()
}

fn find_number<'text>(summary: &'text str, lowered: &str) -> Option<&'text str> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:issue|ticket|pr|pull request|merge request|mr|sprint)\s+#?\d+\b",
            r"|/(?:pull|issues|merge_requests|browse)/[\w-]*\d+",
            r"|\b[\w.-]+/[\w.-]+#\d+\b",
        ))
        .ok()
    });
    static HASHED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|[\s(\[,])(#\d{2,7})\b").ok());
    if let Some(found) = NUMBER.as_ref()?.find(lowered) {
        return summary.get(found.range());
    }
    let found = HASHED.as_ref()?.captures(lowered)?.get(1)?;
    // Three or six digits may be a shade of grey.
    let may_be_color =
        matches!(found.len(), 4 | 7) && has_stem(lowered, &["color", "colour", "css", "hex", "background", "contrast"]);
    if may_be_color { None } else { summary.get(found.range()) }
}

fn find_commit(summary: &str) -> Option<&str> {
    static HASH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b[0-9a-f]{7,40}\b").ok());
    let mut all = HASH.as_ref()?.find_iter(summary).filter(|found| {
        let digits = found.as_str().bytes().filter(u8::is_ascii_digit).count();
        let is_color = summary[..found.start()].ends_with('#');
        // Words have no digits, numbers have no letters, and one algorithm is spelled like a hash.
        digits >= 2 && digits < found.len() && !is_color && found.as_str() != "ed25519"
    });
    all.next().map(|found| found.as_str())
}

fn find_date<'text>(summary: &'text str, lowered: &str) -> Option<&'text str> {
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const MONTH: &str = concat!(
            r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?",
            r"|Nov(?:ember)?|Dec(?:ember)?)",
        );
        Regex::new(&format!(
            concat!(
                r"\b(?:19|20)\d\d-[01]\d-[0-3]\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:19|20)\d\d\b",
                r"|\b{MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b|\b(?:{MONTH}|May)\s(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s)?(?:19|20)\d\d\b",
                r"|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:{MONTH}|May)\b|\bQ[1-4][ /-](?:19|20)\d\d\b",
            ),
            MONTH = MONTH
        ))
        .ok()
    });
    // Lessons about dates need examples, and some interfaces have dates for versions.
    if has_stem(lowered, &["date", "format", "iso", "timestamp", "pars", "leap", "timezone", "calendar", "version", "edition"]) {
        return None;
    }
    DATE.as_ref()?.find(summary).map(|found| found.as_str())
}

fn has_stem(lowered: &str, stems: &[&str]) -> bool {
    let mut words = lowered.split(|character: char| !character.is_alphanumeric());
    words.any(|word| stems.iter().any(|stem| word.starts_with(stem)))
}
