//! What a SQL text mentions: the tables it reads and the parameters it takes. Enough of a scanner to check headers against;
//! the engine's own parser has the last word on everything else.

/// A name in a text, and the line it stands in, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub name: String,
    pub line: usize,
}

/// What a text mentions, each name once, where it stands first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mentions {
    /// The tables after `from` and `join`, without the text's own CTEs.
    pub tables: Vec<Mention>,
    /// The parameters, without their `$`.
    pub parameters: Vec<Mention>,
    /// What reads files or runs a text as SQL: functions that do, and texts in the place of a table.
    pub reads: Vec<Mention>,
}

/// Finds the tables and parameters of a text.
pub fn parse_mentions(sql: &str) -> Mentions {
    let tokens = tokenize(sql);
    let ctes = find_ctes(&tokens);
    let mut mentions = Mentions::default();
    for (place, name, line) in find_tables(&tokens) {
        let is_cte = ctes.iter().any(|cte| cte.name == name && place > cte.visible_from);
        if !is_cte {
            add(&mut mentions.tables, name, line);
        }
    }
    for token in &tokens {
        if let Kind::Parameter(name) = &token.kind {
            add(&mut mentions.parameters, name, token.line);
        }
    }
    for (name, line) in find_reads(&tokens) {
        add(&mut mentions.reads, name, line);
    }
    mentions
}

/// The statements of a text, without the semicolons that end them, each with the line it begins in. Comments before a statement
/// belong to it.
pub(super) fn split_statements(sql: &str) -> Vec<(usize, &str)> {
    let mut statements = Vec::new();
    let mut begin = 0;
    for end in tokenize(sql).iter().filter(|token| token.kind == Kind::Mark(';')).map(|token| token.at) {
        let statement = &sql[begin..end];
        let lead = statement.len() - statement.trim_start().len();
        statements.push((line_of(sql, begin + lead), statement.trim()));
        begin = end + 1;
    }
    statements
}

fn line_of(sql: &str, at: usize) -> usize {
    1 + sql[..at].matches('\n').count()
}

fn add(mentions: &mut Vec<Mention>, name: &str, line: usize) {
    if !mentions.iter().any(|known| known.name == name) {
        mentions.push(Mention { name: name.to_owned(), line });
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// A word or a quoted name; words are in lower case.
    Word(String),
    Parameter(String),
    Text(String),
    Mark(char),
}

#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    line: usize,
    /// Where it begins, in bytes.
    at: usize,
}

impl Token {
    fn word(&self) -> Option<&str> {
        if let Kind::Word(word) = &self.kind { Some(word) } else { None }
    }

    fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

fn tokenize(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = sql[at..].chars().next() {
        let rest = &sql[at..];
        let (length, kind) = if rest.starts_with("--") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (comment(rest), None)
        } else if first == '\'' {
            text(rest, quoted(rest, '\'', false))
        } else if matches!(first, 'e' | 'E') && rest[1..].starts_with('\'') {
            text(rest, 1 + quoted(&rest[1..], '\'', true))
        } else if first == '"' {
            let length = quoted(rest, '"', false);
            (length, Some(Kind::Word(rest[1..length].trim_end_matches('"').replace("\"\"", "\""))))
        } else if let Some(length) = dollar_quoted(rest) {
            text(rest, length)
        } else if first == '$' && word_length(&rest[1..]) > 0 {
            let length = 1 + word_length(&rest[1..]);
            (length, Some(Kind::Parameter(rest[1..length].to_owned())))
        } else if word_length(rest) > 0 {
            let length = word_length(rest);
            (length, Some(Kind::Word(rest[..length].to_lowercase())))
        } else {
            let is_blank = first.is_whitespace() || first == '\u{feff}';
            (first.len_utf8(), (!is_blank).then_some(Kind::Mark(first)))
        };
        tokens.extend(kind.map(|kind| Token { kind, line, at }));
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

fn text(rest: &str, length: usize) -> (usize, Option<Kind>) {
    (length, Some(Kind::Text(rest[..length].to_owned())))
}

/// The length of a comment with its marks; comments may stand inside of comments.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(found) = text[at..].find(['/', '*']) {
        at += found;
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of a text between two equal tags, as in `$$text$$` and `$tag$text$tag$`.
fn dollar_quoted(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('$')?;
    let name = word_length(rest);
    // A tag does not begin with a digit: `$1$2` are parameters.
    if !rest[name..].starts_with('$') || rest.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let tag = &text[..name + 2];
    let end = text[tag.len()..].find(tag);
    Some(end.map_or(text.len(), |end| end + 2 * tag.len()))
}

/// The length of a quoted text with its quotes; a doubled quote stands for one, and in some texts one behind a backslash.
fn quoted(text: &str, quote: char, has_escapes: bool) -> usize {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && has_escapes {
            letters.next();
        } else if letter == quote && letters.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

fn word_length(text: &str) -> usize {
    text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len())
}

/// A query that a text names for itself.
struct Cte<'t> {
    name: &'t str,
    /// The last token at which its name still means a table: the end of its own text, unless it may call itself.
    visible_from: usize,
}

/// The words that a query begins with.
const QUERIES: [&str; 9] = ["select", "with", "from", "values", "table", "pivot", "unpivot", "describe", "summarize"];

/// A CTE is a name before `as (` and a query; a window's name is not followed by one.
fn find_ctes(tokens: &[Token]) -> Vec<Cte<'_>> {
    let is_recursive = tokens.iter().any(|token| token.word() == Some("recursive"));
    let mut ctes = Vec::new();
    for place in (0..tokens.len()).filter(|place| tokens[*place].word() == Some("as")) {
        let mut open = place + 1;
        while tokens.get(open).is_some_and(|token| matches!(token.word(), Some("not" | "materialized"))) {
            open += 1;
        }
        let begins_query = tokens.get(open).is_some_and(|token| token.is('('))
            && tokens.get(open + 1).is_some_and(|token| token.word().is_some_and(|word| QUERIES.contains(&word)));
        if !begins_query {
            continue;
        }
        let before = if place > 0 && tokens[place - 1].is(')') { opening(tokens, place - 1) } else { Some(place) };
        let name = before.and_then(|before| tokens.get(before.checked_sub(1)?)).and_then(Token::word);
        let visible_from = if is_recursive { place } else { closing(tokens, open) };
        ctes.extend(name.map(|name| Cte { name, visible_from }));
    }
    ctes
}

/// Where the bracket closes that opens at a place.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        depth += usize::from(token.is('('));
        if token.is(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return place;
            }
        }
    }
    tokens.len()
}

/// Where the bracket opens that closes at a place.
fn opening(tokens: &[Token], close: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for place in (0..=close).rev() {
        depth += usize::from(tokens[place].is(')'));
        if tokens[place].is('(') {
            depth -= 1;
            if depth == 0 {
                return Some(place);
            }
        }
    }
    None
}

/// Every table after `from`, after `join`, and after the commas of such a list: its place, name and line.
fn find_tables(tokens: &[Token]) -> Vec<(usize, &str, usize)> {
    let mut tables = Vec::new();
    for place in 0..tokens.len() {
        let begins = match tokens[place].word() {
            Some("from") => is_clause(tokens, place),
            Some("join") => true,
            Some("table" | "pivot" | "unpivot" | "describe" | "summarize") => is_statement(tokens, place),
            _ => false,
        };
        let mut item = begins.then_some(place + 1);
        while let Some(at) = item {
            let (table, end) = parse_item(tokens, at);
            tables.extend(table);
            let after = skip_alias(tokens, end);
            item = tokens.get(after).is_some_and(|token| token.is(',')).then_some(after + 1);
        }
    }
    tables
}

/// Whether a word begins a query and is followed by a table, as in `(describe run)`. `describe select ..` has a `from` of its own.
fn is_statement(tokens: &[Token], place: usize) -> bool {
    let begins = place.checked_sub(1).is_none_or(|before| tokens[before].is('(') || tokens[before].is(')'));
    let next = tokens.get(place + 1);
    begins && next.is_some_and(|next| next.is('(') || next.word().is_some_and(|word| !QUERIES.contains(&word)))
}

/// The functions that reach behind the graph: what they read, no header lists and no horizon bounds.
fn is_reader(function: &str) -> bool {
    let begins = ["read_", "parquet_", "sniff_", "iceberg_", "delta_", "st_read"];
    let is_named = matches!(function, "glob" | "query" | "query_table" | "getenv" | "which_secret");
    is_named || begins.iter().any(|begin| function.starts_with(begin)) || function.ends_with("_scan")
}

/// Functions that read files, and texts in the place of a table, with their lines.
fn find_reads(tokens: &[Token]) -> impl Iterator<Item = (&str, usize)> {
    tokens.iter().enumerate().filter_map(|(place, token)| match &token.kind {
        Kind::Word(word) if is_reader(word) && tokens.get(place + 1).is_some_and(|next| next.is('(')) => {
            Some((&**word, token.line))
        }
        Kind::Text(text) => {
            let before = place.checked_sub(1).and_then(|before| tokens[before].word().map(|word| (before, word)));
            let is_table = match before {
                Some((before, "from")) => is_clause(tokens, before),
                Some((_, "join")) => true,
                _ => false,
            };
            is_table.then_some((&**text, token.line))
        }
        _ => None,
    })
}

/// `extract(year from ts)` and `is distinct from` read no table.
fn is_clause(tokens: &[Token], place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|before| tokens[before].word());
    let mut depth = 0_usize;
    for at in (0..place).rev() {
        if tokens[at].is(')') {
            depth += 1;
        } else if tokens[at].is('(') && depth > 0 {
            depth -= 1;
        } else if tokens[at].is('(') {
            let function = at.checked_sub(1).and_then(|function| tokens[function].word());
            return before != Some("distinct") && !matches!(function, Some("extract" | "substring" | "trim" | "overlay"));
        }
    }
    before != Some("distinct")
}

/// One entry of a list of tables: the table, unless it is a query or a function, and the token after the entry.
fn parse_item(tokens: &[Token], at: usize) -> (Option<(usize, &str, usize)>, usize) {
    let Some(first) = tokens.get(at) else { return (None, at) };
    if first.is('(') {
        // What stands inside is met on its own.
        return (None, closing(tokens, at) + 1);
    }
    if first.word() == Some("lateral") {
        return parse_item(tokens, at + 1);
    }
    let mut last = at;
    while tokens.get(last + 1).is_some_and(|token| token.is('.'))
        && tokens.get(last + 2).is_some_and(|token| token.word().is_some())
    {
        last += 2;
    }
    if tokens.get(last + 1).is_some_and(|token| token.is('(')) {
        return (None, closing(tokens, last + 1) + 1);
    }
    (tokens[last].word().map(|name| (last, name, tokens[last].line)), last + 1)
}

/// The token after an entry's alias, if it has one.
fn skip_alias(tokens: &[Token], at: usize) -> usize {
    const CLAUSES: [&str; 20] = [
        "where",
        "group",
        "order",
        "having",
        "limit",
        "union",
        "except",
        "intersect",
        "join",
        "inner",
        "left",
        "right",
        "full",
        "cross",
        "on",
        "using",
        "window",
        "select",
        "natural",
        "qualify",
    ];
    let mut at = at;
    if tokens.get(at).is_some_and(|token| token.word() == Some("as")) {
        at += 1;
    }
    if tokens.get(at).and_then(Token::word).is_some_and(|word| !CLAUSES.contains(&word)) {
        at += 1;
        if tokens.get(at).is_some_and(|token| token.is('(')) {
            at = closing(tokens, at) + 1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{parse_mentions, split_statements};

    fn tables(sql: &str) -> Vec<String> {
        parse_mentions(sql).tables.into_iter().map(|mention| mention.name).collect()
    }

    #[test]
    fn tables_stand_after_from_and_join_and_in_lists() {
        assert_eq!(tables("select a from run as r left join Goal on true"), ["run", "goal"]);
        assert_eq!(
            tables("select 1 from a, b as c, (select 1 from d) as e, f where x in (select y from g)"),
            ["a", "b", "f", "d", "g"]
        );
        assert_eq!(tables("from main.run select 1"), ["run"]);
        assert_eq!(tables("select 1 from \"order\""), ["order"]);
    }

    #[test]
    fn what_only_looks_like_a_table_is_none() {
        assert_eq!(tables("select extract(year from ts), a is distinct from b, 'from x' from run -- join nothing"), ["run"]);
        assert_eq!(tables("select 1 from range(10) as r, generate_series(1, 2)"), [""; 0]);
        assert_eq!(tables("select sum(a) over w from run window w as (partition by b)"), ["run"]);
        assert_eq!(tables("select $$from x$$, $a$join y $$ z$a$, e'\\' from z', /* from /* a */ b */ 1 from run"), ["run"]);
        assert_eq!(tables("\u{feff}from run select 1"), ["run"]);
    }

    #[test]
    fn statements_that_name_their_table_at_once_read_it() {
        assert_eq!(tables("select 1 from (pivot run on status in ('a') using count(*))"), ["run"]);
        assert_eq!(tables("select 1 from (unpivot run on a, b into name x value y)"), ["run"]);
        assert_eq!(tables("with columns as (describe run) select 1 from columns"), ["run"]);
        assert_eq!(tables("with rates as (summarize (select 1 from goal)) select 1 from rates"), ["goal"]);
        assert_eq!(tables("from (describe select 1 from goal)"), ["goal"]);
        assert_eq!(tables("select pivot, describe from run as table_of where describe (pivot) > 1"), ["run"]);
        assert_eq!(tables("select 1 from run pivot (count(*) for status in ('a', 'b')), goal"), ["run", "goal"]);
    }

    #[test]
    fn what_reads_files_is_met_with_its_line() {
        let reads = |sql: &str| parse_mentions(sql).reads.into_iter().map(|read| (read.name, read.line)).collect::<Vec<_>>();
        assert_eq!(reads("select 1\nfrom read_parquet('x/*.parquet')"), [("read_parquet".to_owned(), 2)]);
        assert_eq!(reads("select 1 from run\njoin 'x.csv' on true"), [("'x.csv'".to_owned(), 2)]);
        assert_eq!(reads("select 1 from \"parquet_scan\" ($$x$$), Glob('*')").len(), 2);
        assert_eq!(reads("select read_count, trim(both from 'x'), a is distinct from 'b', 'from x' from run"), []);
    }

    #[test]
    fn a_query_with_a_name_is_no_table_but_may_read_the_table_that_it_hides() {
        assert_eq!(tables("with a as (select 1 from run), b (x) as (select 1 from a) select 1 from b, a"), ["run"]);
        assert_eq!(tables("with run as (select 1 from run) select 1 from run"), ["run"]);
        assert_eq!(tables("with recursive r as (select 1 union all select 1 from r) select 1 from r"), [""; 0]);
    }

    #[test]
    fn parameters_are_met_once_with_their_line() {
        let found = parse_mentions("select $a\nwhere x > $b and $a and '$c' = $1").parameters;
        let found: Vec<(&str, usize)> = found.iter().map(|mention| (&*mention.name, mention.line)).collect();
        assert_eq!(found, [("a", 1), ("b", 2), ("1", 2)]);
    }

    #[test]
    fn statements_end_with_a_semicolon_outside_of_texts_and_comments() {
        let statements = split_statements("-- one; or\nselect ';';\n\nselect 2;\n");
        assert_eq!(statements, [(1, "-- one; or\nselect ';'"), (4, "select 2")]);
    }
}
