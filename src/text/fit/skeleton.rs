//! A text as a reader takes it: what looks alike is the same character, so that a sign in disguise is found like the sign itself.

use super::class::is_combining;

/// A line of text beside what it looks like.
#[derive(Debug)]
pub(super) struct Skeleton {
    shown: Vec<char>,
    /// What the line looks like, in small letters and without combining marks.
    letters: Vec<char>,
    /// Where each of these letters stands in the line.
    places: Vec<usize>,
}

impl Skeleton {
    pub(super) fn new(text: &str) -> Self {
        let shown: Vec<char> = text.chars().collect();
        let seen = shown.iter().enumerate().filter(|(_, letter)| !is_combining(**letter));
        let (places, letters) = seen.map(|(place, letter)| (place, look_of(*letter))).unzip();
        Self { shown, letters, places }
    }

    /// What the line looks like.
    pub(super) fn letters(&self) -> &[char] {
        &self.letters
    }

    /// Puts another character in the place of one.
    pub(super) fn replace(&mut self, index: usize, stand_in: char) {
        self.shown[self.places[index]] = stand_in;
        self.letters[index] = look_of(stand_in);
    }

    pub(super) fn into_text(self) -> String {
        self.shown.into_iter().collect()
    }
}

/// The sign or the small letter of ASCII that a character looks like, or else its own small letter.
fn look_of(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    let plain = sign_like(letter).or_else(|| letter_like(letter)).or_else(|| letter_in_row(letter));
    plain.or_else(|| letter.to_lowercase().next()).unwrap_or(letter)
}

const fn sign_like(letter: char) -> Option<char> {
    Some(match letter {
        '⁄' | '∕' | '⧸' | '╱' => '/',
        '‹' | '⟨' | '\u{2329}' | '\u{3008}' | '﹤' | '❮' | '❬' | '˂' | 'ᐸ' => '<',
        '【' | '〔' | '〖' | '〚' | '⟦' | '⁅' | '❲' | '﹝' => '[',
        '】' | '〕' | '〗' | '〛' | '⟧' | '⁆' | '❳' | '﹞' => ']',
        '❨' | '⟮' | '﹙' => '(',
        '∶' | '꞉' | 'ː' | '˸' | '﹕' | '։' | '׃' => ':',
        '‐'..='–' | '−' | '﹣' => '-',
        '﹍'..='﹏' => '_',
        '∼' | '˜' | '〜' | '⁓' => '~',
        'ˋ' | '\u{1fef}' => '`',
        '═' | '꞊' | '﹦' | '⹀' => '=',
        'ǃ' | '﹗' => '!',
        '∣' | 'ǀ' | '❘' => '|',
        '×' | '✕' | '✖' | '⨯' => 'x',
        _ => return None,
    })
}

/// Greek, Cyrillic, Armenian and odd Latin letters that are drawn as a plain letter is.
const fn letter_like(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'А' | 'α' | 'Α' | 'ɑ' | 'ᴀ' => 'a',
        'в' | 'В' | 'ь' | 'Β' | 'β' | 'ʙ' => 'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'Ԁ' | 'ᴅ' => 'd',
        'е' | 'Е' | 'ё' | 'Ё' | 'ε' | 'Ε' | 'ᴇ' => 'e',
        'ց' | 'ɡ' | 'ɢ' | 'ԍ' | 'Ԍ' => 'g',
        'һ' | 'Һ' | 'н' | 'Н' | 'հ' | 'Η' | 'ʜ' => 'h',
        'і' | 'І' | 'ї' | 'Ї' | 'ι' | 'Ι' | 'ı' | 'ɩ' | 'ɪ' => 'i',
        'ј' | 'Ј' | 'ϳ' | 'ᴊ' => 'j',
        'к' | 'К' | 'κ' | 'Κ' | 'ᴋ' => 'k',
        'ӏ' | 'Ӏ' | 'ʟ' | 'ℓ' | 'ⅼ' => 'l',
        'м' | 'М' | 'Μ' | 'Ϻ' | 'ᴍ' => 'm',
        'п' | 'ո' | 'η' | 'Ν' | 'ɴ' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' | 'σ' | 'ᴏ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' | 'ᴘ' => 'p',
        'ԛ' | 'Ԛ' => 'q',
        'г' | 'ʀ' => 'r',
        'ѕ' | 'Ѕ' | 'ſ' | 'ꜱ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' | 'ᴛ' => 't',
        'υ' | 'ս' | 'ᴜ' => 'u',
        'ν' | 'ѵ' | 'Ѵ' | 'ᴠ' => 'v',
        'ԝ' | 'Ԝ' | 'ѡ' | 'ω' | 'ᴡ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'γ' | 'Υ' | 'ү' | 'Ү' | 'ʏ' => 'y',
        'Ζ' | 'ᴢ' => 'z',
        _ => return None,
    })
}

/// Characters that stand in the order of ASCII: full-width, mathematical and circled ones.
fn letter_in_row(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let plain = match code {
        0xff01..=0xff5e => code - 0xfee0,
        // Alphabets of 26 large and 26 small letters each.
        0x1_d400..=0x1_d6a3 => u32::from('a') + (code - 0x1_d400) % 26,
        0x1_d7ce..=0x1_d7ff => u32::from('0') + (code - 0x1_d7ce) % 10,
        0x24b6..=0x24e9 => u32::from('a') + (code - 0x24b6) % 26,
        0x1_f130..=0x1_f149 => code - 0x1_f130 + u32::from('a'),
        _ => return None,
    };
    char::from_u32(plain).map(|plain| plain.to_ascii_lowercase())
}
