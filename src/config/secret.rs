//! The master secret.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::private;

/// The secret in the file. If there is none and the database was never used, writes a new one that
/// only its owner can read.
pub(super) fn read_or_make(path: &Path, used: bool) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(secret) if secret.trim().len() >= 32 => {
            private::file(path);
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
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => make(path),
        Err(error) => Err(error).with_context(|| format!("{} não pôde ser lido", path.display())),
    }
}

fn make(path: &Path) -> Result<String> {
    use std::io::Write;
    let secret = domain::random_text::<48>();
    let write = || -> std::io::Result<()> {
        let mut file = private::create(path)?;
        file.write_all(secret.as_bytes())?;
        file.sync_all()
    };
    write().with_context(|| format!("{} não pôde ser criado", path.display()))?;
    Ok(secret)
}
