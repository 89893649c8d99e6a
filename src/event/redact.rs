//! Redacts secrets from a line before it is written, so that no file ever contains one.
//!
//! One search for many literals proposes places. A place either opens a fixed format (`FORMATS`) or lies inside a name such as
//! `DB_PASSWORD` (`assignment`), whose value is then judged. [`next_suspect`] and [`redact`] share the search and its checks, which
//! is why a line without a suspect is never changed.

mod assignment;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, MatchKind, Span, packed};
use memchr::{memchr, memchr2};
use regex::Regex;

use assignment::{NAME_FRAGMENTS, assigned_secret, is_filler};

/// A line without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction<'a> {
    /// The line, each secret replaced by `[REDACTED:<class>]`; borrowed when there is none.
    pub text: Cow<'a, str>,
    /// How many secrets were replaced.
    pub count: u32,
}

/// Replaces every secret in a line of JSON or of plain text.
///
/// Valid JSON stays valid: only the inside of string values changes, never a key, a number or the structure. Redacting the
/// result once more changes nothing.
#[must_use]
pub fn redact(line: &str) -> Redaction<'_> {
    let is_suspect = next_suspect(line.as_bytes(), 0).is_some();
    let secrets = if is_suspect { merge_overlaps(find_secrets(line)) } else { Vec::new() };
    Redaction { text: replace_secrets(line, &secrets), count: u32::try_from(secrets.len()).unwrap_or(u32::MAX) }
}

/// The next position, at or after `from`, of a possible secret.
///
/// A block may hold many lines. Every line that [`redact`] would change has a suspect; a line with a suspect may still turn
/// out to be harmless.
#[must_use]
pub fn next_suspect(block: &[u8], from: usize) -> Option<usize> {
    let mut candidate = LITERALS.find(block, from)?;
    while !is_plausible(block, &candidate) {
        candidate = LITERALS.find(block, candidate.literal.start + 1)?;
    }
    Some(candidate.literal.start)
}

const MARKER: &str = "[REDACTED:";

struct Secret {
    span: Range<usize>,
    class: &'static str,
    /// Of the secrets that start at one place, the lowest rank names the class.
    rank: usize,
}

fn find_secrets(line: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    for Field { name, value } in fields(line.as_bytes()) {
        let text = &line[name..value.end];
        let (mut from, mut assigned_end) = (0, 0);
        while let Some(candidate) = LITERALS.find(text.as_bytes(), from) {
            let start = candidate.literal.start;
            from = start + 1;
            // A name inside a value could only find the rest of that value, in quadratic time.
            if candidate.row.is_none() && start < assigned_end {
                continue;
            }
            let Some(Secret { span, class, rank }) = secret_at(text, &candidate) else { continue };
            if candidate.row.is_none() {
                assigned_end = span.end;
            } else if span.start == start {
                from = span.end;
            }
            if name + span.start >= value.start {
                secrets.push(Secret { span: name + span.start..name + span.end, class, rank });
            }
        }
    }
    secrets
}

fn merge_overlaps(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.sort_by_key(|secret| (secret.span.start, secret.rank));
    let mut merged: Vec<Secret> = Vec::new();
    for secret in secrets {
        match merged.last_mut() {
            Some(last) if secret.span.start < last.span.end => last.span.end = last.span.end.max(secret.span.end),
            _ => merged.push(secret),
        }
    }
    merged
}

fn replace_secrets<'a>(line: &'a str, secrets: &[Secret]) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut copied = 0;
    for Secret { span, class, .. } in secrets {
        text.extend([&line[copied..span.start], MARKER, class, "]"]);
        copied = span.end;
    }
    text.push_str(&line[copied..]);
    Cow::Owned(text)
}

/// A string value together with its key, or the whole of a line that is not JSON.
struct Field {
    /// Where the key starts, or the value if there is no key.
    name: usize,
    value: Range<usize>,
}

fn fields(text: &[u8]) -> Vec<Field> {
    let (mut fields, mut key, mut at) = (Vec::new(), None, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        if *byte == b'"' {
            let value = at..string_end(text, at);
            at = skip(text, value.end + 1, |byte| byte.is_ascii_whitespace());
            if text.get(at) == Some(&b':') {
                key = Some(value.start);
                at = skip(text, at + 1, |byte| byte.is_ascii_whitespace());
            } else {
                fields.push(Field { name: key.take().unwrap_or(value.start), value });
            }
        } else if b" \t\r\n{}[],:+-.0123456789eEtrufalsn".contains(byte) {
            key = None;
        } else {
            return vec![Field { name: 0, value: 0..text.len() }];
        }
    }
    fields
}

fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(found) = memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        if text[at + found] == b'"' {
            return at + found;
        }
        at += found + r"\n".len();
    }
    text.len()
}

/// A class, the literals that open it, and its pattern, whose group 1 is the secret (the whole match if there is no group).
/// Where two rows match at one place the first one counts.
///
/// Lengths are minimums, and runs take every letter and digit: a token that its issuer made longer must not leave its tail
/// behind. The order also decides which literals share a bucket of the search; this one leaves a quarter of the false alarms of
/// the order by vendor.
#[rustfmt::skip]
const FORMATS: &[(&str, &[&str], &str)] = &[
    ("aws-access-key-id", &["AKIA", "ASIA"], r"A[KS]IA[A-Z0-9]{16}[A-Za-z0-9]*"),
    ("gitlab-token", &["glpat-"], r"glpat-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]+)*"),
    ("slack-token", &["xapp-"], r"xapp-[A-Za-z0-9-]{20,}"),
    ("slack-webhook", &["hooks.slack.com"], r"hooks\.slack\.com\\*/[a-z]+\\*/((?:[A-Za-z0-9+]|\\*/){20,})"),
    ("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[a-z]_[A-Za-z0-9_]{36,}"),
    ("huggingface-token", &["hf_"], r"hf_[A-Za-z0-9]{30,}"),
    ("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], r"sk-[a-z]+-[A-Za-z0-9_-]{20,}"),
    ("openai-key", &["sk-"], r"sk-[A-Za-z0-9]{20,}"),
    ("github-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}"),
    ("pypi-token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,}"),
    ("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36,}"),
    ("google-oauth-token", &["ya29."], r"ya29\.[A-Za-z0-9_.-]{20,}"),
    ("slack-token", &["xox"], r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{14,}"),
    ("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[A-Za-z0-9]{40,}"),
    ("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], r"[rs]k_[a-z]+_[A-Za-z0-9]{16,}"),
    ("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}"),
    // The first run is bounded because `-eyJ-eyJ-eyJ` would otherwise cost quadratic time.
    ("jwt", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("url-password", &["://", r":\/"], r#":\\*/\\*/(?:\[REDACTED:[a-z-]+\]|[^\s/?#@:"'<>\\\[]*):([^\s/?#"'<>\\]+)@"#),
    ("google-api-key", &["AIza"], r"AIza[A-Za-z0-9_-]{35,}"),
    // Without the dashes in front, because a search for runs of dashes stops at every table.
    ("private-key", &["BEGIN "],
        r"BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]+-----|\z)"),
];

/// The shortest tail of a token after its literal: that of an AWS key id.
const TAIL_BYTES: usize = 16;

/// By row; a test makes sure that each of them compiles.
static PATTERNS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| FORMATS.iter().map(|row| Regex::new(&format!("^(?:{})", row.2)).ok()).collect());
static LITERALS: LazyLock<Literals> = LazyLock::new(Literals::build);

struct Literals {
    packed: Option<packed::Searcher>,
    /// For processors without the vector instructions.
    automaton: Option<AhoCorasick>,
    /// For each literal its row in `FORMATS`, or none for a part of a name.
    rows: Vec<Option<usize>>,
}

struct Candidate {
    literal: Range<usize>,
    row: Option<usize>,
}

impl Literals {
    fn build() -> Self {
        let mut texts = NAME_FRAGMENTS.map(str::to_owned).to_vec();
        let mut rows = vec![None; texts.len()];
        for (row, (_, literals, _)) in FORMATS.iter().enumerate() {
            texts.extend(literals.iter().copied().map(str::to_owned));
            rows.resize(texts.len(), Some(row));
        }
        // Teddy deals its buckets by number, but keeps the spellings of a word in one bucket. With the spellings in front all
        // words would share two buckets, at half the speed.
        texts.extend(NAME_FRAGMENTS.into_iter().flat_map(other_spellings));
        rows.resize(texts.len(), None);
        let packed = packed::Config::new().heuristic_pattern_limits(false).builder().extend(&texts).build();
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&texts).ok();
        Self { packed, automaton, rows }
    }

    fn find(&self, block: &[u8], from: usize) -> Option<Candidate> {
        let span = Span::from(from.min(block.len())..block.len());
        let found = match &self.packed {
            Some(packed) => packed.find_in(block, span)?,
            None => self.automaton.as_ref()?.find(Input::new(block).span(span))?,
        };
        Some(Candidate { literal: found.range(), row: *self.rows.get(found.pattern().as_usize())? })
    }
}

fn other_spellings(fragment: &str) -> impl Iterator<Item = String> {
    (1..1 << fragment.len()).map(move |capitals: usize| {
        let letters = fragment.chars().enumerate();
        letters.map(|(index, c)| if capitals >> index & 1 == 1 { c.to_ascii_uppercase() } else { c }).collect()
    })
}

/// A check of a few bytes: the hot path never runs a pattern.
fn is_plausible(text: &[u8], Candidate { literal, row }: &Candidate) -> bool {
    match (row, text.get(literal.start)) {
        (None, _) => assigned_secret(text, literal.start).is_some(),
        (Some(_), Some(b':')) => is_userinfo(text, literal.end),
        (Some(_), Some(b'B')) => text[..literal.start].ends_with(b"-----"),
        (Some(_), _) => is_token(text, literal),
    }
}

fn is_userinfo(text: &[u8], from: usize) -> bool {
    let start = skip(text, from, |byte| matches!(byte, b'/' | b'\\'));
    let end = skip(text, start, |byte| !byte.is_ascii_whitespace() && !b"/?#\"'<>\\".contains(&byte));
    memchr(b':', &text[start..end]).is_some_and(|colon| memchr(b'@', &text[start + colon..end]).is_some())
}

fn is_token(text: &[u8], literal: &Range<usize>) -> bool {
    let tail = text[literal.end..].iter().take(TAIL_BYTES);
    let is_tail = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.+/\\".contains(byte);
    tail.take_while(is_tail).count() == TAIL_BYTES && !is_inside_word(&text[..literal.start])
}

/// Tells the `sk-` of `task-` and the `npm_` of an escaped `\npm_` from the start of a token.
fn is_inside_word(before: &[u8]) -> bool {
    let mut last = before.iter().rev();
    let backslashes = last.clone().take_while(|byte| **byte == b'\\').count();
    // The letters of `\n`, `\u00ab` and `%3A` end an escape, not a word.
    let is_after_escape = last.clone().take(r"\u00ab".len()).any(|byte| matches!(byte, b'\\' | b'%'));
    let mut is_letter = || last.next().is_some_and(u8::is_ascii_alphabetic);
    backslashes % 2 == 1 || (is_letter() && is_letter() && !is_after_escape)
}

fn secret_at(text: &str, candidate: &Candidate) -> Option<Secret> {
    let at = candidate.literal.start;
    let Some(rank) = candidate.row else { return assigned_secret(text.as_bytes(), at) };
    if !is_plausible(text.as_bytes(), candidate) {
        return None;
    }
    let found = PATTERNS.get(rank)?.as_ref()?.captures(&text[at..])?;
    let secret = found.get(1).or_else(|| found.get(0))?;
    let span = at + secret.start()..at + secret.end();
    (!is_filler(secret.as_str().as_bytes())).then_some(Secret { span, class: FORMATS.get(rank)?.0, rank })
}

fn skip(text: &[u8], from: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
    from + text.get(from..).unwrap_or_default().iter().take_while(|byte| is_skipped(**byte)).count()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::assignment::{NAMES, squash};
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    const SAMPLE: &str = r#"{"kind":"application","ts":"2026-11-02T10:11:12Z","project":"shop","id":"app-000123","run_id":"20261102-101112-ab12cd34","iteration":3,"agent":"implementation-subagent","trigger":"Always validate webhook signatures before parsing the body","status":"applied","citations":["src/auth/token.rs:42"],"tokens":1234,"model":"m"}"#;

    /// Fake secrets are built at run time, so that no scanner finds one in this repository.
    fn fake(alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|index| letters[index * 7 % letters.len()]).collect()
    }

    fn mixed(length: usize) -> String {
        fake("aB3dE5gH7jK9mN2pQ4sT6vW8xY0zC1f", length)
    }

    fn hex(length: usize) -> String {
        fake("0a1b2c3d4e5f6789a0b", length)
    }

    fn upper(length: usize) -> String {
        fake("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)
    }

    fn armor(edge: &str) -> String {
        format!("-----{edge} PRIVATE KEY-----")
    }

    fn tokens() -> Vec<(&'static str, String)> {
        let jwt = format!("eyJ{}.eyJ{}.{}", mixed(33), mixed(50), mixed(43));
        vec![
            ("aws-access-key-id", format!("AKIA{}", upper(16))),
            ("aws-access-key-id", format!("ASIA{}", upper(16))),
            ("github-token", format!("ghp_{}", mixed(36))),
            ("github-token", format!("gho_{}", mixed(36))),
            ("github-token", format!("ghu_{}", mixed(36))),
            ("github-token", format!("ghs_{}", mixed(36))),
            ("github-token", format!("ghr_{}", mixed(76))),
            ("github-token", format!("github_pat_{}_{}", mixed(22), mixed(59))),
            ("gitlab-token", format!("glpat-{}", mixed(20))),
            ("gitlab-token", format!("glpat-{}.01.{}", mixed(27), hex(9))),
            ("slack-token", format!("xoxb-{}-{}", fake("1234567890", 12), mixed(24))),
            ("slack-token", format!("xoxe.xoxp-1-{}", mixed(40))),
            ("slack-token", format!("xapp-1-{}", mixed(40))),
            ("stripe-key", format!("sk_live_{}", mixed(24))),
            ("stripe-key", format!("rk_live_{}", mixed(24))),
            ("stripe-key", format!("sk_test_{}", mixed(99))),
            ("openai-key", format!("sk-{}", mixed(48))),
            ("openai-key", format!("sk-proj-{}_-{}", mixed(40), mixed(40))),
            ("anthropic-key", format!("sk-ant-api03-{}-{}AA", mixed(40), mixed(52))),
            ("google-api-key", format!("AIza{}", mixed(35))),
            ("google-oauth-token", format!("ya29.a0{}", mixed(60))),
            ("npm-token", format!("npm_{}", mixed(36))),
            ("pypi-token", format!("pypi-AgEI{}", mixed(150))),
            ("huggingface-token", format!("hf_{}", mixed(34))),
            ("digitalocean-token", format!("dop_v1_{}", hex(64))),
            ("sendgrid-key", format!("SG.{}.{}", mixed(22), mixed(43))),
            ("jwt", jwt),
        ]
    }

    fn redacted(line: &str) -> String {
        redact(line).text.into_owned()
    }

    fn unchanged(line: &str) {
        let redaction = redact(line);
        assert_eq!(redaction.text, line);
        assert_eq!(redaction.count, 0);
        assert!(matches!(redaction.text, Cow::Borrowed(_)));
    }

    #[test]
    fn every_pattern_compiles_and_the_search_has_a_vector_form() {
        assert!(PATTERNS.iter().all(Option::is_some));
        assert!(LITERALS.packed.is_some() || !cfg!(target_arch = "x86_64"));
    }

    #[test]
    fn the_search_finds_the_same_without_vector_instructions() {
        let plain = Literals { packed: None, ..Literals::build() };
        for (_, token) in tokens() {
            let text = format!("password {token} PaSsWd: {token}");
            for from in 0..=text.len() {
                let found = |literals: &Literals| {
                    let candidate = literals.find(text.as_bytes(), from);
                    candidate.map(|candidate| (candidate.literal, candidate.row))
                };
                assert_eq!(found(&plain), found(&LITERALS));
            }
        }
    }

    #[test]
    fn every_name_contains_a_fragment() {
        for (word, ..) in NAMES {
            assert!(NAME_FRAGMENTS.iter().any(|part| word.contains(part)), "{word}");
        }
    }

    #[test]
    fn a_token_is_replaced_wherever_it_stands() {
        let places = [
            ("", ""),
            ("see ", " there"),
            ("(", ")."),
            (r#"{"text":"line\n"#, r#"\nnext"}"#),
            (r#"{"text":"\u001b[32m"#, r#"\u001b[0m","n":1}"#),
            (r#"{"text":"{\"a\":\""#, r#"\"}"}"#),
            (r#"["x",""#, r#""]"#),
            (r#"{"text":"url?a%3D"#, r#"&b=1"}"#),
            ("https://example.com/?q=", "#top"),
            ("token=", ""),
        ];
        for (class, token) in tokens() {
            for (before, after) in places {
                let redaction = redact(&format!("{before}{token}{after}")).text.into_owned();
                assert_eq!(redaction, format!("{before}[REDACTED:{class}]{after}"));
            }
        }
    }

    #[test]
    fn a_token_inside_a_word_or_cut_short_is_kept() {
        for (_, token) in tokens() {
            let prefix: String = token.chars().take(12).collect();
            unchanged(&prefix);
            unchanged(&format!("prefix{prefix}"));
        }
        unchanged(&format!("task-{}", mixed(30)));
        unchanged(&format!("disk-{} and risk-{}", hex(24), hex(24)));
    }

    #[test]
    fn a_token_that_an_escape_only_seems_to_open_is_kept() {
        unchanged(&format!(r#"{{"text":"\npm_{}"}}"#, mixed(36)));
        unchanged(&format!(r#"{{"text":"\rk_live_{}"}}"#, mixed(24)));
    }

    #[test]
    fn a_private_key_goes_up_to_its_end() {
        let (begin, end) = ("-----BEGIN RSA ", "-----END RSA ");
        let body = format!("PRIVATE KEY-----\\n{}\\n{}\\n", mixed(64), mixed(20));
        let line = format!(r#"{{"a":"x {begin}{body}{end}PRIVATE KEY-----\n y","b":1}}"#);
        assert_eq!(redacted(&line), r#"{"a":"x -----[REDACTED:private-key]\n y","b":1}"#);
        let cut = format!(r#"{{"a":"x {begin}{body}","b":"c"}}"#);
        assert_eq!(redacted(&cut), r#"{"a":"x -----[REDACTED:private-key]","b":"c"}"#);
        let plain = format!("x\n{begin}{}{end}PRIVATE KEY-----\ny", body.replace("\\n", "\n"));
        assert_eq!(redacted(&plain), "x\n-----[REDACTED:private-key]\ny");
        let named = format!(r#"{{"private_key":"{begin}{body}{end}PRIVATE KEY-----\n"}}"#);
        assert_eq!(redacted(&named), r#"{"private_key":"-----[REDACTED:private-key]\n"}"#);
        unchanged("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----");
    }

    #[test]
    fn only_the_secret_part_of_an_address_goes() {
        let pass = "hunter2";
        for (line, expected) in [
            (format!("postgres://bob:{pass}@db:5432/x"), "postgres://bob:[R]@db:5432/x"),
            (format!("redis://:{pass}@cache"), "redis://:[R]@cache"),
            (format!("amqp://u:p@{pass}@mq/v"), "amqp://u:[R]@mq/v"),
            (format!(r#"{{"u":"mysql:\/\/u:{pass}@h\/d"}}"#), r#"{"u":"mysql:\/\/u:[R]@h\/d"}"#),
        ] {
            assert_eq!(redacted(&line), expected.replace("[R]", "[REDACTED:url-password]"));
        }
        let (_, token) = tokens().swap_remove(2);
        let line = redacted(&format!("https://{token}:x-oauth-basic@github.com/a"));
        assert_eq!(line, "https://[REDACTED:github-token]:[REDACTED:url-password]@github.com/a");
        let path = format!("T{}/B{}/{}", upper(8), upper(8), mixed(24));
        let webhook = r#"{"u":"https://hooks.slack.com/services/%"}"#;
        for slash in ["/", r"\/"] {
            let line = webhook.replace('%', &path).replace('/', slash);
            let expected = webhook.replace('%', "[REDACTED:slack-webhook]").replace('/', slash);
            assert_eq!(redacted(&line), expected);
        }
    }

    #[test]
    fn the_value_of_a_secret_name_goes_and_the_name_stays() {
        let (short, long) = (mixed(12), mixed(24));
        let base64 = format!("{}/{}+{}==", mixed(30), mixed(30), mixed(24));
        let escaped = base64.replace('/', r"\/");
        for (line, expected) in [
            (format!("DB_PASSWORD={short}"), "DB_PASSWORD=«password»"),
            (format!("Api_Key: {long}"), "Api_Key: «api-key»"),
            (format!("pAsSwOrD={short}!"), "pAsSwOrD=«password»"),
            (format!("export API_TOKEN='{long}'"), "export API_TOKEN='«token»'"),
            (format!("x-auth-token => {long}, y"), "x-auth-token => «token», y"),
            (format!("?access_token={long}&b=1"), "?access_token=«token»&b=1"),
            (format!("os.environ[\"API_KEY\"] = \"{long}\""), "os.environ[\"API_KEY\"] = \"«api-key»\""),
            (format!("aws_secret_access_key = {escaped}"), "aws_secret_access_key = «aws-secret-key»"),
            (format!("Name=a;AccountKey={base64};B=c"), "Name=a;AccountKey=«azure-storage-key»;B=c"),
            (format!("secret: {short}"), "secret: «secret»"),
            (format!("credentials := {long}"), "credentials := «credential»"),
            (format!("token: {}", hex(40)), "token: «token»"),
            (format!(r#"{{"apiKey":"{long}"}}"#), r#"{"apiKey":"«api-key»"}"#),
            (format!(r#"{{"clientSecret" : "{short}"}}"#), r#"{"clientSecret" : "«secret»"}"#),
            (format!(r#"{{"s":"{{\"api-key\": \"{long}\"}}"}}"#), r#"{"s":"{\"api-key\": \"«api-key»\"}"}"#),
            (format!(r#"{{"s":"AccountKey={escaped};"}}"#), r#"{"s":"AccountKey=«azure-storage-key»;"}"#),
            (format!("curl -H 'Authorization: Bearer {short}'"), "curl -H 'Authorization: Bearer «authorization»'"),
            (format!(r#"{{"Authorization":"Basic {short}=="}}"#), r#"{"Authorization":"Basic «authorization»"}"#),
            (
                format!(r#"{{"s":"-H \"authorization: bearer {long}\""}}"#),
                r#"{"s":"-H \"authorization: bearer «authorization»\""}"#,
            ),
        ] {
            let expected = expected.replace('«', MARKER).replace('»', "]");
            assert_eq!(redacted(&line), expected);
        }
    }

    #[test]
    fn an_explicit_password_needs_no_randomness() {
        for line in [
            r#"{"password":"%2-short"}"#,
            r#"{"db_passwd" : "%"}"#,
            r#"{"s":"{\"pwd\":\"%\"}"}"#,
            r#"{"client_secret":"%\"quoted\\"}"#,
            r#"{"s":"{\"password\":\"%\\\"more\"}"}"#,
            "password: %",
            "password: %\nuser: bob",
            "PGPASSWORD=% psql",
            "password=%&user=bob",
            "password = '%'",
            "password: %22 and more",
            r#"{"s":"password: %\nuser: bob"}"#,
        ] {
            let redaction = redact(&line.replace('%', "letmein")).text.into_owned();
            assert!(!redaction.contains("letmein"), "{redaction}");
            assert!(redaction.contains("[REDACTED:"), "{redaction}");
            assert!(!redaction.contains("more\\"), "{redaction}");
        }
    }

    #[test]
    fn what_is_no_secret_is_kept() {
        let (sha, uuid) = (hex(40), format!("{}-{}-{}", hex(8), hex(4), hex(12)));
        for line in [
            SAMPLE,
            r#"{"tokens":1234}"#,
            r#"{"max_tokens":123456789012345678,"password":123456789}"#,
            r#"{"password":null,"secret":false,"token":["a"],"auth":{}}"#,
            r#"{"secret":"the user asked about it"}"#,
            r#"{"password":"","token":""}"#,
            r#"{"password":"required","pwd":"/home/bob/project1"}"#,
            r#"{"token":"validate","author":"Jane-Doe-1990-a1b2c3"}"#,
            r#"{"password":"<your password>","api_key":"your-api-key-here-1234"}"#,
            r#"{"password":"${DB_PASSWORD}","token":"{{ secrets.TOKEN_1 }}"}"#,
            r#"{"password":"********","secret":"xxxxxxxxxxxxxxxx"}"#,
            r#"["password:",1234567,"password=",12345678]"#,
            r#"{"token_id":"20261102-101112-ab12cd34","token_expires_at":"2026-10-28T17:49:35.123Z"}"#,
            r#"{"auth_flow":"oauth2-client-credentials"}"#,
            r#"token: "validate""#,
            "password: ${DB_PASSWORD}",
            "password=$DB_PASSWORD and password: string",
            "password: please enter it",
            "fn login(password: String, token: &str)",
            "password = user_input",
            "login(password=userPassword)",
            "let password = get_password(config)",
            "password::hash(x) and Token::new()",
            r#"api_key = os.environ["X"]"#,
            "token = process.env.GITHUB_TOKEN",
            "src/auth/token.rs:42",
            "PWD=/home/bob/project-2026",
            "Authorization: Bearer authentication is required",
            "Authorization: Bearer $TOKEN, Authorization: Basic <credentials>",
            "https://example.com:8080/@scope/package",
            "postgres://bob:${PASSWORD}@db and postgres://bob:***@db",
            "mail bob@example.com or https://example.com?q=bob@example.com",
            "the secret is to keep the token: short",
            "AKIA, eyJ, sk- and ghp_ are prefixes",
        ] {
            unchanged(line);
        }
        unchanged(&format!(r#"{{"commit":"{sha}","id":"{uuid}","parent":"{sha}"}}"#));
    }

    #[test]
    fn a_json_key_is_never_altered() {
        for (_, token) in tokens() {
            unchanged(&format!(r#"{{"{token}":1,"a" : {{ "{token}" : [] }}}}"#));
        }
        unchanged(r#"{"password=letmein22":"x"}"#);
    }

    #[test]
    fn every_secret_is_counted_once() {
        let all: Vec<String> = tokens().into_iter().map(|(_, token)| token).collect();
        let count = u32::try_from(all.len()).unwrap();
        assert_eq!(redact(&all.join(" ")).count, count);
        assert_eq!(redact(&format!("auth_token={}", all[2])).count, 1);
    }

    #[test]
    fn an_ordinary_event_has_no_suspect() {
        assert_eq!(next_suspect(SAMPLE.as_bytes(), 0), None);
    }

    #[test]
    fn suspects_follow_each_other_through_a_block() {
        let token = format!("ghp_{}", mixed(36));
        let block = format!("{SAMPLE}\n{token}\n{SAMPLE}\n{token}\n");
        let first = next_suspect(block.as_bytes(), 0);
        assert_eq!(first, block.find("ghp_"));
        let second = next_suspect(block.as_bytes(), first.unwrap() + 1);
        assert_eq!(second, block.rfind("ghp_"));
        assert_eq!(next_suspect(block.as_bytes(), second.unwrap() + 1), None);
        assert_eq!(next_suspect(block.as_bytes(), block.len() + 9), None);
    }

    #[test]
    fn long_lines_of_half_secrets_take_linear_time() {
        let armor = armor("BEGIN");
        for half in ["auth:", "token=", "token=a9B8c7", "keykey", "-eyJ", "://a:", "SG.-", &armor] {
            assert!(redact(&half.repeat(50_000)).count < 2);
        }
    }

    #[rustfmt::skip]
    const PARTS: [&str; 65] = [
        "password", "PASSWD", "pwd", "clientSecret", "private_key", "secret", "token", "api-key",
        "auth", "author", "AccountKey", "Authorization", "Bearer ", "basic ", "=", ":", "=>",
        " = ", ": ", "\"", "'", "`", "\\", "\\\\", "\\\"", "\n", "\\n", "\\/", "/", "://",
        ":\\/\\/", "@", ",", ";", "&", "(", "[", "]", "{", "}", "<", "$", "${X}", "-", "_", ".",
        " ", "\t", "é", "中", "\u{0}", "%3D", "\u{1b}[0m", "[REDACTED:token]", "[REDACTED:",
        "letmein", "hunter22", "a", "9", "eyJ", "sk-", "npm_", "rk_live_",
        "hooks.slack.com/services/", "string",
    ];

    /// Text in which secrets, halves of them and everything around them meet in any order.
    fn soup() -> impl Strategy<Value = String> {
        let mut parts = PARTS.map(str::to_owned).to_vec();
        parts.extend(tokens().into_iter().map(|(_, token)| token));
        parts.extend(["BEGIN", "END"].map(armor));
        parts.extend([mixed(12), mixed(16), hex(40), mixed(20).replace('B', "/")]);
        vec(select(parts), 0..14).prop_map(|parts| parts.concat())
    }

    fn quoted(text: &str) -> String {
        let mut json = String::from('"');
        for c in text.chars() {
            match c {
                '"' => json.push_str("\\\""),
                '\\' => json.push_str("\\\\"),
                '\n' => json.push_str("\\n"),
                '\u{0}'..='\u{1f}' => json.extend([format!("\\u{:04x}", u32::from(c))]),
                _ => json.push(c),
            }
        }
        json + "\""
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            4 => soup().prop_map(|text| quoted(&text)),
            1 => soup().prop_map(|text| quoted(&text).replace('/', "\\/")),
            1 => soup().prop_map(|text| quoted(&quoted(&text))),
            1 => select(vec!["123456789", "-1.5e9", "true", "null"]).prop_map(str::to_owned),
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            let key = prop_oneof![
                soup().prop_map(|text| quoted(&text)),
                select(vec!["password", "apiKey", "token", "text", "Authorization"]).prop_map(quoted),
            ];
            let colon = select(vec![":", " : ", ":\t"]);
            let pair = (key, colon, inner.clone()).prop_map(|(k, colon, v)| format!("{k}{colon}{v}"));
            prop_oneof![
                vec(inner, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
                vec(pair, 0..4).prop_map(|pairs| format!("{{{}}}", pairs.join(", "))),
            ]
        })
    }

    /// The line without the inside of its string values, or nothing if a string is malformed.
    fn skeleton(line: &str) -> Option<String> {
        let string = Regex::new(r#""((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)"(\s*:)?|([^"]+)"#).unwrap();
        let mut rest = line;
        let mut skeleton = String::new();
        while !rest.is_empty() {
            let found = string.captures(rest).filter(|found| rest.starts_with(&found[0]))?;
            let is_value = found.get(1).is_some() && found.get(2).is_none();
            skeleton.push_str(if is_value { "\"\"" } else { &found[0] });
            rest = &rest[found[0].len()..];
        }
        Some(skeleton)
    }

    fn holds_for(line: &str) -> Result<(), TestCaseError> {
        let once = redact(line);
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(twice.count, 0);
        prop_assert_eq!(once.count == 0, once.text == line);
        prop_assert_eq!(once.count == 0, matches!(once.text, Cow::Borrowed(_)));
        let block = format!("first\n{line}\nlast\n");
        prop_assert!(once.count == 0 || next_suspect(line.as_bytes(), 0).is_some());
        prop_assert!(once.count == 0 || next_suspect(block.as_bytes(), 0).is_some());
        Ok(())
    }

    proptest! {
        #[test]
        fn any_text_is_redacted_once_and_only_where_there_is_a_suspect(line in any::<String>()) {
            holds_for(&line)?;
        }

        #[test]
        fn any_soup_of_secrets_is_redacted_once_and_only_where_there_is_a_suspect(line in soup()) {
            holds_for(&line)?;
        }

        #[test]
        fn json_keeps_its_keys_numbers_and_structure(line in json()) {
            holds_for(&line)?;
            let before = skeleton(&line);
            prop_assert!(before.is_some());
            prop_assert_eq!(skeleton(&redact(&line).text), before);
        }

        #[test]
        fn no_token_survives_among_other_text(
            before in soup(), (class, token) in select(tokens()), after in soup(),
        ) {
            let line = quoted(&format!("{before} {token} {after}"));
            let redaction = redact(&line);
            prop_assert!(redaction.count > 0);
            prop_assert!(!redaction.text.contains(&format!(" {token} ")), "{} {}", class, redaction.text);
        }

        #[test]
        fn prose_is_kept(line in "[a-zA-Z ,.;:()/0-9-]{0,80}") {
            prop_assume!(!NAMES.iter().any(|(word, ..)| squash(line.as_bytes()).contains(word)));
            unchanged(&line);
        }
    }
}
