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
use identity::sealed::keys_in_use;
use ports::{BlobStore, Clock};
use sha2::{Digest, Sha256};
use store::{Db, backup, backup::Content, media::storage_path};

use super::{
    DATABASE, MANIFEST, MEDIA, Place, SECRET, embedded,
    manifest::{Manifest, Part},
};
use crate::cli::terminal::out;
use crate::{
    app::SystemClock,
    config::{Config, Sources, StorageLocation},
    private,
    providers::storage::Storage,
    reason::refusal,
};

#[derive(Args)]
pub(in crate::cli) struct Backup {
    #[command(flatten)]
    place: Place,
}

impl Backup {
    pub(in crate::cli) async fn run(self, sources: &Sources) -> Result<()> {
        let config = Config::read(sources)?;
        let database = embedded(&config)?;
        let place = self.place.place;
        require_free(&place)?;
        ensure!(
            database.exists(),
            "{} não existe; confira PAUTA_DATABASE_URL",
            database.display()
        );
        let parent = place.parent().filter(|path| !path.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        private::make(parent)?;
        let made = private::temporary_in(parent, ".pauta-backup-")
            .with_context(|| format!("{} não pôde ser escrita", parent.display()))?;
        let manifest = fill(made.path(), &config, &database).await?;
        let text = serde_json::to_vec_pretty(&manifest)?;
        let mut file = private::create(&made.path().join(MANIFEST))?;
        file.write_all(&text)?;
        file.sync_all()?;
        File::open(made.path())?.sync_all()?;
        let done = made.keep();
        fs::rename(&done, &place)
            .inspect_err(|_| drop(fs::remove_dir_all(&done)))
            .with_context(|| format!("{} não pôde ser escrita", place.display()))?;
        File::open(parent)?.sync_all()?;
        tell(&manifest, &place)
    }
}

fn require_free(place: &Path) -> Result<()> {
    match fs::read_dir(place).map(Iterator::count) {
        Ok(0) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        _ => bail!("{} já existe; dê o nome de uma pasta nova", place.display()),
    }
}

async fn fill(place: &Path, config: &Config, database: &Path) -> Result<Manifest> {
    let copy = place.join(DATABASE);
    private::create(&copy)?;
    let db = Db::open(&config.database_url)
        .await
        .context("o banco de dados não pôde ser aberto")?;
    let copied = backup::copy_into(&db, &copy).await;
    db.close().await?;
    copied
        .map_err(refusal)
        .context("o banco de dados não pôde ser copiado")?;
    let (contents, keys) = read(&copy).await?;
    File::open(&copy)?.sync_all()?;
    let mut manifest = Manifest::new(Part::of(&copy)?, Timestamp(SystemClock.now()).to_string());
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
        let mut file = private::create(&path)?;
        file.write_all(&text)?;
        file.sync_all()?;
        manifest.secret = Some(Part::of(&path)?);
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

/// The contents and the encryption keys that the copied database refers to. The running database
/// may already differ from the copy.
async fn read(copy: &Path) -> Result<(Vec<Content>, Vec<String>)> {
    let db = Db::open(&super::url(copy)).await?;
    let contents = backup::contents(&db.reader()).await.map_err(refusal);
    // A database with pending migrations may predate other secrets, so no keys are read from it.
    let keys = match db.pending_migrations().await {
        Ok(0) => keys_in_use(&db).await.map_err(refusal),
        _ => Ok(vec![]),
    };
    db.close().await?;
    Ok((contents?, keys?))
}

/// Copies one content; returns `false` if the storage has lost it or holds other bytes.
async fn copy_media(storage: &Storage, part: &Part, place: &Path) -> Result<bool> {
    let relative = storage_path(&part.sha256);
    let path = place.join(MEDIA).join(&relative);
    private::make(path.parent().unwrap_or(place))?;
    let read = storage.read(&relative, 0..part.bytes).await;
    let Ok(Some(mut stream)) = read else {
        return Ok(false);
    };
    let mut file = private::create(&path)?;
    let mut hash = Sha256::new();
    loop {
        match stream.try_next().await {
            Ok(Some(bytes)) => {
                hash.update(&bytes);
                file.write_all(&bytes)?;
            }
            Ok(None) => break,
            Err(_) => return lost(&path),
        }
    }
    file.sync_all()?;
    if domain::hex(&hash.finalize()) == part.sha256 {
        Ok(true)
    } else {
        lost(&path)
    }
}

fn lost(path: &PathBuf) -> Result<bool> {
    fs::remove_file(path)?;
    Ok(false)
}

fn tell(manifest: &Manifest, place: &Path) -> Result<()> {
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
    super::tell_keys(&manifest.keys);
    ensure!(
        manifest.missing.is_empty(),
        "faltam {} arquivos de mídia no armazenamento, ou foram alterados; o primeiro é {}. O resto \
         está na cópia",
        manifest.missing.len(),
        storage_path(manifest.missing.first().map_or("", String::as_str)),
    );
    Ok(())
}
