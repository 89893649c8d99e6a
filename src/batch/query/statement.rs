//! Where statements end.

/// Splits SQL at semicolons outside of quotes and comments. What remains after the last one is the second part: a statement that has
/// not ended, or nothing.
pub(super) fn split(sql: &str) -> (Vec<&str>, &str) {
    let bytes = sql.as_bytes();
    let (mut statements, mut from, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'\'' | b'"') => at = after(bytes, at + 1, &[quote]),
            b'-' if bytes.get(at + 1) == Some(&b'-') => at = after(bytes, at + 2, b"\n"),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = after(bytes, at + 2, b"*/"),
            b'$' => at = after_dollars(bytes, at),
            b';' => {
                statements.push(&sql[from..at]);
                at += 1;
                from = at;
            }
            _ => at += 1,
        }
    }
    statements.retain(|statement| !is_blank(statement));
    (statements, &sql[from..])
}

/// Whether text holds nothing but space and comments.
pub(super) fn is_blank(sql: &str) -> bool {
    let mut rest = sql.trim_start();
    loop {
        rest = match (rest.strip_prefix("--"), rest.strip_prefix("/*")) {
            (Some(comment), _) => comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start(),
            (_, Some(comment)) => comment.split_once("*/").map_or("", |(_, rest)| rest).trim_start(),
            _ => return rest.is_empty(),
        };
    }
}

/// The place after the next mark, or the end.
fn after(bytes: &[u8], from: usize, mark: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.windows(mark.len()).position(|window| window == mark).map_or(bytes.len(), |place| from + place + mark.len())
}

/// The place after a text between dollars, such as `$$it's$$` or `$tag$..$tag$`; a parameter such as `$day` is none.
fn after_dollars(bytes: &[u8], at: usize) -> usize {
    let name = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let end = at + 1 + name;
    if bytes.get(end) == Some(&b'$') { after(bytes, end + 1, &bytes[at..=end]) } else { at + 1 }
}

#[cfg(test)]
mod tests {
    use super::{is_blank, split};

    #[test]
    fn semicolons_in_quotes_and_comments_end_nothing() {
        let sql = "select ';' -- one; two\n, \"a;b\" /* ; */; select $$ ; $$, $x$ ; $x$;; from run";
        let (statements, rest) = split(sql);
        assert_eq!(statements, ["select ';' -- one; two\n, \"a;b\" /* ; */", " select $$ ; $$, $x$ ; $x$"]);
        assert_eq!(rest, " from run");
    }

    #[test]
    fn what_is_not_ended_stays() {
        assert_eq!(split("select 'a;"), (vec![], "select 'a;"));
        assert_eq!(split("select $1; "), (vec!["select $1"], " "));
        assert!(is_blank(" -- nothing\n /* at all */ ") && is_blank("/* open") && !is_blank("-- a\n from run"));
    }
}
