//! `pauta backup`

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use domain::time::Timestamp;
use futures::TryStreamExt;
use identity::sealed::used_key_ids;
use ports::{BlobStore, Clock};
use sha2::{Digest, Sha256};
use store::{Db, backup, backup::Content, media::storage_path};

use super::{
    DATABASE, MANIFEST, MEDIA, Place, SECRET,
    manifest::{Manifest, Part},
    require_embedded,
};
use crate::cli::terminal::out;
use crate::{
    app::{self, SystemClock},
    config::{Config, Sources, StorageLocation},
    private,
    providers::storage::Storage,
    reason::into_anyhow,
};

#[derive(Args)]
pub(in crate::cli) struct Backup {
    #[command(flatten)]
    place: Place,
}

impl Backup {
    pub(in crate::cli) async fn run(self, sources: &Sources) -> Result<()> {
        let config = Config::read(sources)?;
        let database = require_embedded(&config)?;
        let place = self.place.place;
        require_absent_or_empty(&place)?;
        ensure!(
            database.exists(),
            "{} não existe; confira PAUTA_DATABASE_URL",
            database.display()
        );
        let parent = place.parent().filter(|path| !path.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        private::create_folder(parent)?;
        let made = private::temporary_folder_in(parent, ".pauta-backup-")
            .with_context(|| format!("{} não pôde ser escrita", parent.display()))?;
        let manifest = write_backup(made.path(), &config, &database).await?;
        let text = serde_json::to_vec_pretty(&manifest)?;
        let mut file = private::create_file(&made.path().join(MANIFEST))?;
        file.write_all(&text)?;
        file.sync_all()?;
        File::open(made.path())?.sync_all()?;
        let done = made.keep();
        fs::rename(&done, &place)
            .inspect_err(|_| drop(fs::remove_dir_all(&done)))
            .with_context(|| format!("{} não pôde ser escrita", place.display()))?;
        File::open(parent)?.sync_all()?;
        print_summary(&manifest, &place)
    }
}

fn require_absent_or_empty(place: &Path) -> Result<()> {
    match fs::read_dir(place).map(Iterator::count) {
        Ok(0) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        _ => bail!("{} já existe; dê o nome de uma pasta nova", place.display()),
    }
}

async fn write_backup(place: &Path, config: &Config, database: &Path) -> Result<Manifest> {
    let copy = place.join(DATABASE);
    private::create_file(&copy)?;
    let db = app::connect(config)
        .await
        .context("o banco de dados não pôde ser aberto")?;
    let copied = backup::copy_into(&db, &copy).await;
    db.close().await?;
    copied
        .map_err(into_anyhow)
        .context("o banco de dados não pôde ser copiado")?;
    end_unsent_messages(&copy).await?;
    let (contents, keys) = read_references(&copy).await?;
    File::open(&copy)?.sync_all()?;
    let mut manifest = Manifest::new(
        Part::from_file(&copy)?,
        Timestamp(SystemClock.now()).to_string(),
    );
    manifest.keys = keys;
    if config.secret.is_none() {
        let secret = database.with_file_name(SECRET);
        let text = fs::read(&secret).with_context(|| {
            format!(
                "{}: sem o segredo, a cópia não serviria; ele é criado no primeiro `pauta serve`",
                secret.display()
            )
        })?;
        let path = place.join(SECRET);
        let mut file = private::create_file(&path)?;
        file.write_all(&text)?;
        file.sync_all()?;
        manifest.secret = Some(Part::from_file(&path)?);
    }
    manifest.media_included = matches!(config.storage, StorageLocation::Folder(_));
    if let StorageLocation::Folder(folder) = &config.storage
        && !folder.exists()
    {
        manifest.missing = contents.into_iter().map(|content| content.sha256).collect();
        return Ok(manifest);
    }
    let storage = Storage::open(config)?;
    for content in contents {
        let part = Part {
            bytes: u64::try_from(content.bytes)?,
            sha256: content.sha256,
        };
        if manifest.media_included && !copy_media(&storage, &part, place).await? {
            manifest.missing.push(part.sha256);
        } else {
            manifest.media.push(part);
        }
    }
    Ok(manifest)
}

/// Marks all unsent e-mails, messages to devices and webhook messages in the copy as ended: the running
/// service sends them, so a restored copy must not send them again.
async fn end_unsent_messages(copy: &Path) -> Result<()> {
    let db = Db::open(&super::database_url(copy)).await?;
    let ended = backup::end_unsent_messages(&db, SystemClock.now()).await;
    db.close().await?;
    ended.map_err(into_anyhow)
}

/// Reads from the copied database which media and encryption keys it refers to. The running
/// database may have changed since the copy.
async fn read_references(copy: &Path) -> Result<(Vec<Content>, Vec<String>)> {
    let db = Db::open(&super::database_url(copy)).await?;
    let contents = backup::list_contents(&db.reader())
        .await
        .map_err(into_anyhow);
    // A database with pending migrations may lack columns with secrets, so no keys are read.
    let keys = match db.pending_migrations().await {
        Ok(0) => used_key_ids(&db).await.map_err(into_anyhow),
        _ => Ok(vec![]),
    };
    db.close().await?;
    Ok((contents?, keys?))
}

/// Copies one media file; returns `false` if the storage has lost it or its bytes have changed.
async fn copy_media(storage: &Storage, part: &Part, place: &Path) -> Result<bool> {
    let relative = storage_path(&part.sha256);
    let path = place.join(MEDIA).join(&relative);
    private::create_folder(path.parent().unwrap_or(place))?;
    let read = storage.read_range(&relative, 0..part.bytes).await;
    let Ok(Some(mut stream)) = read else {
        return Ok(false);
    };
    let mut file = private::create_file(&path)?;
    let mut hash = Sha256::new();
    loop {
        match stream.try_next().await {
            Ok(Some(bytes)) => {
                hash.update(&bytes);
                file.write_all(&bytes)?;
            }
            Ok(None) => break,
            Err(_) => return discard_copy(&path),
        }
    }
    file.sync_all()?;
    if domain::hex(&hash.finalize()) == part.sha256 {
        Ok(true)
    } else {
        discard_copy(&path)
    }
}

fn discard_copy(path: &PathBuf) -> Result<bool> {
    fs::remove_file(path)?;
    Ok(false)
}

fn print_summary(manifest: &Manifest, place: &Path) -> Result<()> {
    out!("Cópia feita em {}: banco de dados,", place.display());
    match &manifest.secret {
        Some(_) => out!("segredo,"),
        None => out!("sem o segredo, que está em PAUTA_SECRET: guarde-o à parte,"),
    }
    let count = manifest.media.len();
    if manifest.media_included {
        out!("{count} arquivos de mídia. Quem a lê tem todos os acessos: guarde-a em segredo.");
    } else {
        out!("e a lista de {count} mídias, que continuam no bucket: copie-o também.");
    }
    super::print_keys(&manifest.keys);
    ensure!(
        manifest.missing.is_empty(),
        "faltam {} arquivos de mídia no armazenamento, ou foram alterados; o primeiro é {}. O resto \
         está na cópia",
        manifest.missing.len(),
        storage_path(manifest.missing.first().map_or("", String::as_str)),
    );
    Ok(())
}
