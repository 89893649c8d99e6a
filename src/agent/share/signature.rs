//! Who vouches for a shared pattern: signatures of workspaces over an entry and where it came from.

use std::fmt::Write as _;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde_json::json;

use super::document::Entry;
use super::source::Record;

/// Signs for a workspace.
#[derive(Debug, Clone)]
pub struct Signer(SigningKey);

/// What the record of an entry proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The workspace with this public key wrote the entry as it is.
    Signed(String),
    /// Nobody vouches for the entry.
    Unsigned,
    /// The record claims a proof that does not hold, for this reason.
    Broken(&'static str),
}

impl Signer {
    /// The signer with a secret.
    #[must_use]
    pub fn from_secret(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// Its public key, in hexadecimal.
    #[must_use]
    pub fn public_key(&self) -> String {
        hexadecimal(self.0.verifying_key().as_bytes())
    }

    /// The record with the proof that goes with an entry.
    #[must_use]
    pub fn sign(&self, record: Record, entry: &Entry) -> Record {
        let content_hash = entry.content_hash();
        let signature = self.0.sign(statement(&entry.pattern.id, &record, &content_hash).as_bytes());
        Record {
            key: Some(self.public_key()),
            signature: Some(hexadecimal(&signature.to_bytes())),
            content_hash: Some(content_hash),
            ..record
        }
    }
}

/// What a record proves about an entry.
#[must_use]
pub(super) fn prove(record: &Record, entry: &Entry) -> Proof {
    let (Some(key), Some(signature), Some(content_hash)) = (&record.key, &record.signature, &record.content_hash) else {
        let is_plain = record.key.is_none() && record.signature.is_none() && record.content_hash.is_none();
        return if is_plain { Proof::Unsigned } else { Proof::Broken("its signature record is incomplete") };
    };
    if *content_hash != entry.content_hash() {
        return Proof::Broken("its content differs from what was signed");
    }
    let Some(verifier) = bytes::<32>(key).and_then(|key| VerifyingKey::from_bytes(&key).ok()) else {
        return Proof::Broken("its key is invalid");
    };
    let Some(signature) = bytes::<64>(signature).map(|signature| Signature::from_bytes(&signature)) else {
        return Proof::Broken("its signature is malformed");
    };
    let statement = statement(&entry.pattern.id, record, content_hash);
    match verifier.verify_strict(statement.as_bytes(), &signature) {
        Ok(()) => Proof::Signed(hexadecimal(verifier.as_bytes())),
        Err(_) => Proof::Broken("its signature is invalid"),
    }
}

/// The bytes that a hexadecimal text of the right length stands for.
#[must_use]
pub(super) fn bytes<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * LENGTH {
        return None;
    }
    let mut found = [0; LENGTH];
    for (byte, pair) in found.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        *byte = digit(0)? << 4 | digit(1)?;
    }
    Some(found)
}

#[must_use]
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What is signed. A JSON list keeps its items apart whatever they hold.
fn statement(id: &str, record: &Record, content_hash: &str) -> String {
    let Record { source_project, source_id, pushed_at, pushed_by, .. } = record;
    json!(["outerloop shared pattern", id, source_project, source_id, pushed_at, pushed_by, content_hash]).to_string()
}
