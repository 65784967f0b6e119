//! `pauta restore`

use std::{
    collections::HashSet,
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use futures::TryStreamExt;
use ports::BlobStore;
use sha2::{Digest, Sha256};
use store::media::storage_path;
use tempfile::NamedTempFile;

use super::{
    DATABASE, MEDIA, Place, SECRET, auxiliary_files,
    manifest::{Manifest, Part},
    require_embedded,
};
use crate::cli::terminal::out;
use crate::{
    config::{Config, INCOMING, Sources, StorageLocation},
    private,
    providers::storage::Storage,
    reason::into_anyhow,
};

#[derive(Args)]
pub(in crate::cli) struct Restore {
    #[command(flatten)]
    place: Place,
}

impl Restore {
    pub(in crate::cli) async fn run(self, sources: &Sources) -> Result<()> {
        let config = Config::read(sources)?;
        let database = require_embedded(&config)?;
        let place = self.place.place;
        let manifest = Manifest::read(&place)?;
        require_unused(&config, &database, &manifest)?;
        let copy = manifest.database.require_hash(place.join(DATABASE))?;
        let secret = secret_to_restore(&config, &database, &manifest, &place)?;
        let folder = parent_folder(&database);
        private::create_folder(folder)?;
        restore_media(&config, &manifest, &place).await?;
        if let Some(secret) = secret {
            copy_file(&database.with_file_name(SECRET), &secret)?;
        }
        // The database file is written last, because the restore refuses to run once it exists.
        copy_file(&database, &copy)?;
        fs::File::open(folder)?.sync_all()?;
        out!(
            "Cópia de {} restaurada: {} e {} mídias, conferidas por SHA-256. Confira com `pauta \
             doctor` e suba com `pauta serve`.",
            manifest.created_at,
            database.display(),
            manifest.media.len()
        );
        super::print_keys(&manifest.keys);
        ensure!(
            manifest.missing.is_empty(),
            "{} arquivos de mídia já faltavam quando a cópia foi feita",
            manifest.missing.len()
        );
        Ok(())
    }
}

fn parent_folder(database: &Path) -> &Path {
    let folder = database
        .parent()
        .filter(|path| !path.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Fails if the target contains other data. Files from an earlier attempt of the same restore are
/// accepted.
fn require_unused(config: &Config, database: &Path, manifest: &Manifest) -> Result<()> {
    for path in std::iter::once(database.to_owned()).chain(auxiliary_files(database)) {
        ensure!(
            fs::symlink_metadata(&path).is_err(),
            "{} já existe, e nada é sobrescrito; mova o que está lá, ou aponte PAUTA_DATABASE_URL \
             para outro lugar",
            path.display()
        );
    }
    if let StorageLocation::Folder(media) = &config.storage {
        let known = manifest.media.iter().map(|part| &*part.sha256).collect();
        require_only_known_media(media, &known)?;
    }
    Ok(())
}

/// Fails if a folder contains media of another backup. Skips the folder of incomplete uploads.
/// Temporary files of earlier versions have a suffix after `#`.
fn require_only_known_media(folder: &Path, known: &HashSet<&str>) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| format!("{} não pôde ser lida", folder.display()))?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if entry.file_name() != INCOMING {
                require_only_known_media(&entry.path(), known)?;
            }
            continue;
        }
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let content = name.split('#').next().unwrap_or_default();
        ensure!(
            known.contains(content),
            "{} não é desta cópia; aponte PAUTA_STORAGE para uma pasta vazia",
            entry.path().display()
        );
    }
    Ok(())
}

/// Returns the backup's secret file if it must be copied; `None` if the installation already has
/// the same secret.
fn secret_to_restore(
    config: &Config,
    database: &Path,
    manifest: &Manifest,
    place: &Path,
) -> Result<Option<PathBuf>> {
    let Some(part) = &manifest.secret else {
        ensure!(
            config.secret.is_some(),
            "a cópia não tem o segredo, porque ele estava em PAUTA_SECRET; defina PAUTA_SECRET com o \
             mesmo valor e repita"
        );
        return Ok(None);
    };
    let copy = part.require_hash(place.join(SECRET))?;
    let kept = fs::read_to_string(&copy)?;
    if let Some(given) = &config.secret {
        ensure!(
            given.trim() == kept.trim(),
            "PAUTA_SECRET não é o segredo desta cópia; retire a variável ou use o mesmo valor"
        );
        return Ok(None);
    }
    let path = database.with_file_name(SECRET);
    match fs::read_to_string(&path) {
        Ok(found) if found.trim() == kept.trim() => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(copy)),
        _ => bail!(
            "{} já existe e não é o desta cópia; mova-o, ou aponte PAUTA_DATABASE_URL para outro \
             lugar",
            path.display()
        ),
    }
}

/// Copies the media files into the storage. If the backup only lists them, checks that the storage
/// has them.
async fn restore_media(config: &Config, manifest: &Manifest, place: &Path) -> Result<()> {
    let copies = manifest.media.iter().map(|part| {
        let path = place.join(MEDIA).join(storage_path(&part.sha256));
        match manifest.media_included {
            true => part.require_hash(path).map(|path| (part, Some(path))),
            false => Ok((part, None)),
        }
    });
    // All copies are verified before the first one is written.
    let copies: Vec<_> = copies.collect::<Result<_>>()?;
    let storage = Storage::open(config)?;
    for (part, copy) in copies {
        if is_stored(&storage, part).await? {
            continue;
        }
        let path = storage_path(&part.sha256);
        let Some(copy) = copy else {
            bail!(
                "falta {path} em PAUTA_STORAGE: as mídias desta cópia ficaram no bucket; restaure-o \
                 antes"
            );
        };
        let put = storage.store_file(&path, &copy).await;
        put.map_err(into_anyhow)
            .with_context(|| format!("{path} não pôde ser gravado em PAUTA_STORAGE"))?;
    }
    Ok(())
}

/// Whether the storage has this media file with the right bytes.
async fn is_stored(storage: &Storage, part: &Part) -> Result<bool> {
    let path = storage_path(&part.sha256);
    let read = storage.read_range(&path, 0..part.bytes);
    let Some(mut stream) = read.await.map_err(into_anyhow)? else {
        return Ok(false);
    };
    let mut hash = Sha256::new();
    while let Some(bytes) = stream.try_next().await.map_err(into_anyhow)? {
        hash.update(&bytes);
    }
    Ok(domain::hex(&hash.finalize()) == part.sha256)
}

/// Copies a file, readable only by its owner. The target appears only when complete, and no
/// existing file is replaced.
fn copy_file(path: &Path, from: &Path) -> Result<()> {
    let failed = || format!("{} não pôde ser escrito", path.display());
    let mut file = NamedTempFile::with_prefix_in(".pauta-restore-", parent_folder(path))
        .with_context(failed)?;
    let mut source = fs::File::open(from).with_context(failed)?;
    std::io::copy(&mut source, &mut file).with_context(failed)?;
    file.flush().with_context(failed)?;
    file.as_file().sync_all().with_context(failed)?;
    file.persist_noclobber(path)
        .map_err(|error| error.error)
        .with_context(failed)?;
    Ok(())
}
