//! The master secret.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::private;

/// Reads the master secret from the file. If the file is missing and the database was never used,
/// creates it, readable only by its owner.
pub(super) fn read_or_create_secret(path: &Path, used: bool) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(secret) if secret.trim().len() >= 32 => {
            private::restrict_to_owner(path);
            Ok(secret.trim().to_owned())
        }
        Ok(_) => bail!(
            "{} está incompleto; restaure-o de uma cópia",
            path.display()
        ),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && used => bail!(
            "{} não existe, e o banco de dados já foi usado com ele; restaure-o de uma cópia, ou \
             defina PAUTA_SECRET com o mesmo segredo",
            path.display()
        ),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => create_secret_file(path),
        Err(error) => Err(error).with_context(|| format!("{} não pôde ser lido", path.display())),
    }
}

fn create_secret_file(path: &Path) -> Result<String> {
    use std::io::Write;
    let secret = domain::random_text::<48>();
    let write = || -> std::io::Result<()> {
        let mut file = private::create_file(path)?;
        file.write_all(secret.as_bytes())?;
        file.sync_all()
    };
    write().with_context(|| format!("{} não pôde ser criado", path.display()))?;
    Ok(secret)
}
