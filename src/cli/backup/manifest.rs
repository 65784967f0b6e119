//! The manifest of a backup.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::MANIFEST;

const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    pub format: u32,
    pub version: String,
    pub created_at: String,
    pub database: Part,
    /// The secret file; `None` if the secret is in `PAUTA_SECRET`.
    pub secret: Option<Part>,
    /// The ids of the keys that encrypt secrets in the database.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Whether the backup contains the media files. Media in a bucket are only listed.
    pub media_included: bool,
    pub media: Vec<Part>,
    /// The SHA-256 of media files that the storage had lost.
    pub missing: Vec<String>,
}

/// The size and SHA-256 of a file. Media files are stored under their SHA-256.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Part {
    pub sha256: String,
    pub bytes: u64,
}

impl Manifest {
    pub fn new(database: Part, created_at: String) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            created_at,
            database,
            secret: None,
            keys: vec![],
            media_included: true,
            media: vec![],
            missing: vec![],
        }
    }

    pub fn read(place: &Path) -> Result<Self> {
        let path = place.join(MANIFEST);
        let text = std::fs::read(&path).with_context(|| {
            format!(
                "{} não é uma cópia feita por `pauta backup`: {}",
                place.display(),
                path.display()
            )
        })?;
        let manifest: Self = serde_json::from_slice(&text)
            .ok()
            .with_context(|| format!("{} está danificado", path.display()))?;
        ensure!(
            manifest.format == FORMAT,
            "a cópia é de outra versão do Pauta ({}); restaure-a com ela",
            manifest.version
        );
        Ok(manifest)
    }
}

impl Part {
    pub fn from_file(path: &Path) -> Result<Self> {
        let named = || format!("{} não pôde ser lido", path.display());
        let mut file = File::open(path).with_context(named)?;
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = file.read(&mut buffer).with_context(named)?;
            if read == 0 {
                break;
            }
            hash.update(buffer.get(..read).unwrap_or_default());
            bytes += read as u64;
        }
        Ok(Self {
            sha256: domain::hex(&hash.finalize()),
            bytes,
        })
    }

    /// Returns the path if its file has this SHA-256; fails otherwise.
    pub fn require_hash(&self, path: PathBuf) -> Result<PathBuf> {
        let found = Self::from_file(&path)?;
        ensure!(
            found.sha256 == self.sha256,
            "{} foi alterado depois da cópia: o SHA-256 não confere; use outra cópia",
            path.display()
        );
        Ok(path)
    }
}
