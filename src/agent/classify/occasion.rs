//! Names of one occasion: tickets, commits, calendar dates.

use std::sync::LazyLock;

use regex::Regex;

use super::keyword::is_listed;

/// Words like a ticket's id that are standards, algorithms, encodings and other things that last.
const FAMILIES: &str = "\
    ADR AES AMD ANSI ARGON ARM ASCII AVX BASE BCP BIP BLAKE CHACHA CIS CLAUDE CP CRC CSS CVE CWE DES DIN EC ECMA ED EIP EN \
    ERC ES FIPS FP GCM GMT GPT HMAC HS HTML HTTP IEC IEEE INT IPV ISO ITU JEP JSR KEP LATIN LTS MD MPEG NIST OAUTH ORA OWASP \
    PBKDF PCI PEP PKCS POSIX PRIO PS PSR RFC RS RSA SEV SHA SHAKE SOC SQL SSE SSL STD TIER TLS TOP TR TS UAX UCS UINT USB \
    UTC UTF UTS WCAG WINDOWS XXH";

/// The first words of a lesson that name one occasion, and what they are.
#[must_use]
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
