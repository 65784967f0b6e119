//! The settings of the media storage.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::Sources;

/// Where media are stored.
#[derive(Debug, Clone)]
pub enum StorageLocation {
    Folder(PathBuf),
    S3(S3Bucket),
}

/// The name of the folder of incomplete uploads.
pub const INCOMING: &str = ".incoming";

impl StorageLocation {
    /// Returns the folder of incomplete uploads: inside the media folder, or next to the database if
    /// the media are in a bucket.
    pub(super) fn incoming_folder(&self, database: &Path) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(INCOMING),
            Self::S3(_) => database.with_file_name(INCOMING),
        }
    }
}

/// A bucket of S3 or of a compatible server.
#[derive(Clone)]
pub struct S3Bucket {
    pub bucket: String,
    /// The prefix of every object key; may be empty.
    pub prefix: String,
    pub endpoint: Option<String>,
    pub region: Option<String>,
    /// Access key id and secret; `None` uses `AWS_*` or the role of the machine.
    pub credential: Option<(String, String)>,
}

impl std::fmt::Debug for S3Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("S3Bucket")
            .field("bucket", &self.bucket)
            .field("prefix", &self.prefix)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Display for StorageLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "{}", path.display()),
            Self::S3(S3Bucket { bucket, prefix, .. }) => write!(f, "s3://{bucket}/{prefix}"),
        }
    }
}

pub(super) fn parse_storage(place: &str, sources: &Sources) -> Result<StorageLocation> {
    let Some(bucket) = place.strip_prefix("s3://") else {
        ensure!(
            !place.is_empty() && !place.contains("://"),
            "PAUTA_STORAGE deve ser uma pasta ou s3://bucket"
        );
        return Ok(StorageLocation::Folder(place.into()));
    };
    let (bucket, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    ensure!(
        (3..=63).contains(&bucket.len()) && bucket.chars().all(named),
        "PAUTA_STORAGE deve ser s3://bucket, com 3 a 63 letras minúsculas, números, `-` e `.`"
    );
    let endpoint = sources.get("PAUTA_S3_ENDPOINT");
    ensure!(
        endpoint.is_none_or(|url| url.starts_with("https://") || url.starts_with("http://")),
        "PAUTA_S3_ENDPOINT deve ser um endereço http:// ou https://"
    );
    let id = sources.get("PAUTA_S3_ACCESS_KEY_ID");
    let secret = sources.get("PAUTA_S3_SECRET_ACCESS_KEY");
    ensure!(
        id.is_some() == secret.is_some(),
        "PAUTA_S3_ACCESS_KEY_ID e PAUTA_S3_SECRET_ACCESS_KEY vêm juntas"
    );
    Ok(StorageLocation::S3(S3Bucket {
        bucket: bucket.to_owned(),
        prefix: prefix.trim_matches('/').to_owned(),
        endpoint: endpoint.map(|url| url.trim_end_matches('/').to_owned()),
        region: sources.get("PAUTA_S3_REGION").map(str::to_owned),
        credential: id
            .zip(secret)
            .map(|(id, secret)| (id.into(), secret.into())),
    }))
}
