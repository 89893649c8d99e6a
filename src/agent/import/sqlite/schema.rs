//! The columns of a table, as the statement names them that made it.

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    /// Whether it is the key of the row, which is not stored a second time.
    pub(super) is_key: bool,
}

/// The words that open a rule about several columns instead of a column.
const RULES: [&str; 6] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "LIKE"];

/// Reads the columns of a statement `create table`. None if it is none whose rows can be read.
pub(super) fn parse_columns(sql: &str) -> Option<Vec<Column>> {
    let words = split_words(sql);
    let opening = words.iter().position(|word| word == "(")?;
    let is_without_rows =
        words.windows(2).any(|pair| pair[0].eq_ignore_ascii_case("WITHOUT") && pair[1].eq_ignore_ascii_case("ROWID"));
    if is_without_rows {
        return None;
    }
    let (mut depth, mut parts) = (0, vec![Vec::new()]);
    for word in &words[opening..] {
        match &**word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && word == "," {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut().filter(|_| !(depth == 1 && word == "(")) {
            part.push(word.as_str());
        }
    }
    Some(parts.iter().filter_map(|part| read_column(part)).collect())
}

fn read_column(words: &[&str]) -> Option<Column> {
    let (name, rest) = words.split_first()?;
    if RULES.iter().any(|rule| name.eq_ignore_ascii_case(rule)) {
        return None;
    }
    let says = |one: &str, other: &str| {
        rest.windows(2).any(|pair| pair[0].eq_ignore_ascii_case(one) && pair[1].eq_ignore_ascii_case(other))
    };
    let is_key = rest.first().is_some_and(|kind| kind.eq_ignore_ascii_case("INTEGER")) && says("PRIMARY", "KEY");
    Some(Column { name: unquoted(name).to_owned(), is_key })
}

fn unquoted(name: &str) -> &str {
    let inner = |opening, closing| name.strip_prefix(opening)?.strip_suffix(closing);
    inner('"', '"').or_else(|| inner('`', '`')).or_else(|| inner('[', ']')).or_else(|| inner('\'', '\'')).unwrap_or(name)
}

/// The words of a statement: names, quoted names and texts, brackets and commas, without comments.
fn split_words(sql: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut letters = sql.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '-' if letters.peek() == Some(&'-') => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '"' | '`' | '\'' | '[' => {
                let end = if letter == '[' { ']' } else { letter };
                let mut word = String::from(letter);
                word.extend(std::iter::from_fn(|| letters.next_if(|letter| *letter != end)));
                word.extend(letters.next());
                words.push(word);
            }
            '(' | ')' | ',' => words.push(letter.to_string()),
            letter if letter.is_alphanumeric() || letter == '_' => {
                let mut word = String::from(letter);
                word.extend(std::iter::from_fn(|| letters.next_if(|letter| letter.is_alphanumeric() || *letter == '_')));
                words.push(word);
            }
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::parse_columns;

    #[test]
    fn columns_are_read_as_people_write_them() {
        let names = |sql: &str| {
            parse_columns(sql).map(|columns| columns.into_iter().map(|column| (column.name, column.is_key)).collect::<Vec<_>>())
        };
        let sql = "CREATE TABLE \"patterns\" (\n id INTEGER PRIMARY KEY AUTOINCREMENT, -- the key\n `text` TEXT NOT NULL DEFAULT 'a, b)', [role] varchar(20), score REAL CHECK (score >= 0, 1), UNIQUE (text_hash, role))";
        let column = |name: &str, is_key| (name.to_owned(), is_key);
        assert_eq!(
            names(sql),
            Some(vec![column("id", true), column("text", false), column("role", false), column("score", false)])
        );
        assert_eq!(names("create table t (a, b integer, primary key (a)) without rowid"), None);
        assert_eq!(names("create table t"), None);
    }
}
