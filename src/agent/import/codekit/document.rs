//! A store is one large document. It is cut into its outcomes without being parsed, so that memory holds one at a time and a
//! broken one costs only itself.

use memchr::{memchr_iter, memchr3};

/// An item of the list of outcomes, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    pub(super) text: &'a str,
}

/// How the reading of a document ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// It holds no list of that name.
    NoList,
    /// It broke off inside of the list.
    InList,
    /// It broke off elsewhere, behind a list that was whole.
    BehindList,
}

/// Hands out each item of the lists that stand under a name in the outermost object.
pub(super) fn each_item<'a>(text: &'a str, name: &str, mut take: impl FnMut(Item<'a>)) -> End {
    let mut cursor = Cursor { text, at: 0, counted: 0, line: 1 };
    let mut has_list = false;
    if cursor.eat(b'{') {
        loop {
            while cursor.eat(b',') {}
            if cursor.eat(b'}') {
                return if has_list { End::Whole } else { End::NoList };
            }
            let Some(member) = cursor.name() else { break };
            let is_wanted = serde_json::from_str::<String>(member).is_ok_and(|member| member == name);
            if is_wanted && cursor.eat(b'[') {
                has_list = true;
                if !cursor.each_item(&mut take) {
                    return End::InList;
                }
            } else {
                cursor.skip_value();
            }
        }
    }
    if has_list { End::BehindList } else { End::NoList }
}

/// Whether the outermost object has a list of that name.
pub(super) fn has_list(text: &str, name: &str) -> bool {
    each_item(text, name, |_| ()) != End::NoList
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// How far lines are counted, and the line there.
    counted: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The name of a member, in its quotes, if a colon follows.
    fn name(&mut self) -> Option<&'a str> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at;
        self.at = string_end(self.text.as_bytes(), start);
        let name = &self.text[start..self.at];
        self.eat(b':').then_some(name)
    }

    fn skip_value(&mut self) {
        self.at = value_end(self.text.as_bytes(), self.at);
    }

    /// Hands out the items up to the end of the list. False if it has none.
    fn each_item(&mut self, take: &mut impl FnMut(Item<'a>)) -> bool {
        loop {
            while self.eat(b',') {}
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return true;
                }
                // The text ends before the list does, or the object around it.
                None | Some(b'}') => return false,
                Some(_) => {
                    let start = self.at;
                    self.skip_value();
                    take(Item { line: self.line_at(start), text: self.text[start..self.at].trim_ascii_end() });
                }
            }
        }
    }

    fn line_at(&mut self, place: usize) -> usize {
        self.line += memchr_iter(b'\n', &self.text.as_bytes()[self.counted..place]).count();
        self.counted = place;
        self.line
    }
}

/// Where a value ends: at the comma or the bracket behind it. Brackets need not match: one that closes an outer pair closes
/// those inside of it that were left open.
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut open = Vec::new();
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b',' if open.is_empty() => return at,
            b'}' | b']' => match open.iter().rposition(|closing| closing == byte) {
                Some(pair) => open.truncate(pair),
                None => return at,
            },
            _ => {}
        }
        at += 1;
    }
    at
}

/// Where a string ends, behind its quotes. A line end, which no string may hold, ends one that was not closed.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr3(b'"', b'\\', b'\n', rest)) {
        at += found;
        match bytes[at] {
            b'"' => return at + 1,
            b'\n' => return at,
            _ => at += 2,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> (Vec<(usize, &str)>, End) {
        let mut found = Vec::new();
        let end = each_item(text, "outcomes", |item| found.push((item.line, item.text)));
        (found, end)
    }

    #[test]
    fn items_are_found_wherever_the_list_stands() {
        let text = "{\n  \"version\": 1, \"patterns\": [{\"outcomes\": [9]}],\n  \"out\\u0063omes\": [\n    {\"a\": \"},]\\\"\"},\n    [1, 2] , 3\n  ], \"x\": {}\n}\n";
        assert_eq!(items(text), (vec![(4, "{\"a\": \"},]\\\"\"}"), (5, "[1, 2]"), (5, "3")], End::Whole));
        assert_eq!(items("{\"outcomes\":[]}"), (vec![], End::Whole));
    }

    #[test]
    fn what_is_broken_costs_only_itself() {
        assert_eq!(
            items("{\"outcomes\":[{\"a\":NaN},{\"b\":[1},{\"c\":1}]}").0,
            [(1, "{\"a\":NaN}"), (1, "{\"b\":[1}"), (1, "{\"c\":1}")]
        );
        let (found, end) = items("{\"outcomes\":[\n{\"a\":\"open},\n{\"b\":1}");
        assert_eq!((found.len(), end), (1, End::InList));
        assert_eq!(items("{\"outcomes\":[1,2"), (vec![(1, "1"), (1, "2")], End::InList));
        assert_eq!(items("{\"outcomes\":[1,"), (vec![(1, "1")], End::InList));
        assert_eq!(items("{\"outcomes\":[1}"), (vec![(1, "1")], End::InList));
        assert_eq!(items("{\"outcomes\":[1],\"patterns\":[{"), (vec![(1, "1")], End::BehindList));
    }

    #[test]
    fn without_a_list_there_are_no_items() {
        for text in ["", "[]", "7", "{}", "{\"outcomes\":{}}", "{\"outcomes\":7}", "{\"outcomes\"", "{outcomes:[1]}", "{\"a\\"] {
            assert_eq!(items(text), (vec![], End::NoList), "{text}");
        }
    }
}
