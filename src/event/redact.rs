use std::borrow::Cow;
pub struct Redaction<'a> { pub text: Cow<'a, str>, pub count: u32 }
pub fn redact(line: &str) -> Redaction<'_> { Redaction{text:Cow::Borrowed(line),count:0} }
pub fn next_suspect(_block: &[u8], _from: usize) -> Option<usize> { None }
