//! HTML, written through one escaping function: names of tags and attributes are the program's own, everything else is data.

use text::fit::plain_text;

/// What somebody else wrote is shown up to this many characters.
const SHOWN: usize = 300;

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Markup {
    text: String,
}

/// Attributes of a tag.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    /// Writes a tag with what stands in it.
    pub(super) fn tag(&mut self, name: &'static str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Self)) {
        self.open(name, attributes);
        inside(self);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// Writes a tag that holds only text.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) {
        self.tag(name, attributes, |page| page.text(text));
    }

    /// Writes a tag that holds nothing and has no end.
    pub(super) fn open(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            escape(value, &mut self.text);
            self.text.push('"');
        }
        self.text.push('>');
    }

    /// Writes text.
    pub(super) fn text(&mut self, text: &str) {
        escape(text, &mut self.text);
    }

    /// Writes a part of the program itself: its style, its script.
    pub(super) fn own(&mut self, text: &'static str) {
        self.text.push_str(text);
    }

    /// Writes data for the script. Nothing in it ends the element that holds it.
    pub(super) fn data(&mut self, json: &str) {
        self.text.push_str(&json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// What somebody else wrote, as a cell holds it: one line, cut where it is very long.
pub(super) fn said(text: &str) -> String {
    plain_text(text, SHOWN)
}

/// The one place where text becomes HTML, for elements and for attributes alike.
fn escape(text: &str, into: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            _ => into.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_in_elements_attributes_and_data() {
        let hostile = "\"'></script><script>alert(1)</script>&amp;<!--";
        let mut page = Markup::default();
        page.leaf("p", &[("title", hostile)], hostile);
        let shown = "&quot;&#39;&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&lt;!--";
        assert_eq!(page.finish(), format!("<p title=\"{shown}\">{shown}</p>"));
        let mut page = Markup::default();
        page.data(&serde_json::Value::from(hostile).to_string());
        let data = page.finish();
        assert!(!data.contains(['<', '>']), "{data}");
        assert_eq!(serde_json::from_str::<String>(&data).ok().as_deref(), Some(hostile));
    }
}
