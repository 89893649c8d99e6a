//! Who vouches for a shared pattern: signatures of workspaces, and the secret by which each signs.

use std::fmt::Write as _;
use std::io;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde_json::json;

use super::document::Entry;
use super::folder;
use super::source::Record;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

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
    pub fn from_secret(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    pub fn public_key(&self) -> String {
        hexadecimal(self.0.verifying_key().as_bytes())
    }

    /// The record with the proof that goes with an entry.
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

/// More than a key file ever has.
const MOST_BYTES: u64 = 1024;

/// The signer of a workspace. Its secret is made on first use and readable by this user only.
pub fn load_key(workspace: &Workspace) -> Outcome<Signer> {
    let folder = workspace.root().join("share");
    let path = folder.join("key");
    durable::create_folder(&folder)?;
    // Two first uses at the same time must agree on one secret.
    let _lock = folder::take_exclusive(&folder.join("key.lock"), 0o600)?;
    if let Some(signer) = read(&path)? {
        return Ok(signer);
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| {
        Diagnostic::new(Exit::Machine, "the system provides no random numbers for a key", "run the command again").because(error)
    })?;
    durable::replace(&path, format!("{}\n", hexadecimal(&secret)).as_bytes())?;
    Ok(Signer::from_secret(&secret))
}

/// The public key of a workspace, which others may trust.
pub fn public_key(workspace: &Workspace) -> Outcome<String> {
    load_key(workspace).map(|signer| signer.public_key())
}

fn read(path: &Path) -> Outcome<Option<Signer>> {
    let failed = |error: &io::Error| Diagnostic::io("cannot read the key of this workspace", path, error);
    let file = match durable::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| failed(&error))?,
    };
    let mode = file.metadata().map_err(|error| failed(&error))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(
            Diagnostic::edit("other users can read the key of this workspace", "remove it; a new key will be created").at(path)
        );
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| failed(&error))?;
    match bytes(text.trim()) {
        Some(secret) => Ok(Some(Signer::from_secret(&secret))),
        None => Err(Diagnostic::edit("the key of this workspace is damaged", "remove it; a new key will be created").at(path)),
    }
}
