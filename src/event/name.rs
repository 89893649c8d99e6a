//! Finding a field by its name: one look into a small table instead of a comparison with every spelling of every field.

/// How many places a table has. Several times as many as a kind has spellings, so that most are found at once.
const PLACES: usize = 256;

/// The fields of one kind by the spellings of their names.
#[derive(Debug)]
pub struct NameTable {
    places: Vec<Option<(&'static str, u8)>>,
}

impl NameTable {
    /// A table of spellings and the numbers of their fields.
    pub fn new(names: impl IntoIterator<Item = (&'static str, u8)>) -> Self {
        let mut places = vec![None; PLACES];
        for (name, field) in names {
            let mut at = place_of(name);
            while places[at].is_some() {
                at = (at + 1) % PLACES;
            }
            places[at] = Some((name, field));
        }
        Self { places }
    }

    /// The number of the field that is spelled so.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u8> {
        let mut at = place_of(name);
        while let Some((known, field)) = self.places[at] {
            if known == name {
                return Some(field);
            }
            at = (at + 1) % PLACES;
        }
        None
    }
}

/// Where a name is looked for first: its length and its outer bytes tell nearly all names apart.
fn place_of(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (head, tail) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(head), Some(tail)) => (u64::from(u32::from_le_bytes(*head)), u64::from(u32::from_le_bytes(*tail))),
            _ => (bytes.first().copied().unwrap_or(0).into(), bytes.last().copied().unwrap_or(0).into()),
        },
    };
    let mixed = (head ^ tail.rotate_left(29) ^ (bytes.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize
}
