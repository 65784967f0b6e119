//! Encrypted records in the database: checks that their keys are present, and re-encrypts them with
//! another key.
//!
//! At every start, one record of each key is decrypted as a check. A rotation re-encrypts each
//! record with a compare-and-set on its ciphertext.

use super::session::SIGNING_KEY;
use gateway::{Keys, Result, key_id};
use store::{Db, accounts, secrets};

/// Maximum number of records per transaction, so that a running service can write in between.
const PAGE: i64 = 50;

/// Returns the sorted ids of the keys with which the stored secrets are encrypted.
pub async fn used_key_ids(db: &Db) -> Result<Vec<String>> {
    let db = db.reader();
    let records = secrets::list_one_per_key(&db).await?.into_iter();
    let mut ids: Vec<String> = records.map(|record| record.kid).collect();
    if let Some(newest) = accounts::list_signing_keys(&db).await?.last() {
        ids.extend(key_id(&newest.sealed_private_key).map(str::to_owned));
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Decrypts one record of each key, and every signing key, as a check.
///
/// Fails with an error that names the key if a key is missing or did not encrypt the record.
pub async fn require_keys(db: &Db, keys: &Keys) -> Result<()> {
    let db = db.reader();
    for record in secrets::list_one_per_key(&db).await? {
        keys.open(&record.purpose, &record.id, &record.sealed)?;
    }
    for key in accounts::list_signing_keys(&db).await? {
        keys.open(SIGNING_KEY, &key.kid, &key.sealed_private_key)?;
    }
    Ok(())
}

/// The result of a key rotation.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rotated {
    /// The number of records re-encrypted with the active key.
    pub moved: u64,
    /// The number of records under other keys, written by a running service during the rotation.
    pub left: u64,
}

/// Re-encrypts every record with the active key.
///
/// Each page commits separately. Running the rotation again continues an interrupted rotation, and
/// changes nothing if all records use the active key. If a service changes a record in the meantime, the
/// new value is kept.
///
/// Fails, before any change, if a key is missing or did not encrypt the records.
pub async fn reencrypt_records(db: &Db, keys: &Keys) -> Result<Rotated> {
    require_keys(db, keys).await?;
    let mut rotated = Rotated::default();
    let active = keys.active_key_id();
    let mut after = (String::new(), String::new());
    loop {
        let tx = db.begin().await?;
        let page =
            secrets::list_under_other_keys(&tx.conn(), active, (&after.0, &after.1), PAGE).await?;
        for record in &page {
            let plain = keys.open(&record.purpose, &record.id, &record.sealed)?;
            let sealed = keys.seal(&record.purpose, &record.id, &plain)?;
            if secrets::replace_if_unchanged(&tx.conn(), record, active, &sealed).await? {
                rotated.moved += 1;
            }
        }
        tx.commit().await?;
        match page.into_iter().next_back() {
            Some(last) => after = (last.purpose, last.id),
            None => break,
        }
    }
    let tx = db.begin().await?;
    for key in accounts::list_signing_keys(&tx.conn()).await? {
        let (kid, sealed) = (&key.kid, &key.sealed_private_key);
        if key_id(sealed) != Some(active) {
            let plain = keys.open(SIGNING_KEY, kid, sealed)?;
            let again = keys.seal(SIGNING_KEY, kid, &plain)?;
            if accounts::reseal_signing_key(&tx.conn(), kid, sealed, &again).await? {
                rotated.moved += 1;
            }
        }
    }
    tx.commit().await?;
    rotated.left = secrets::count_under_other_keys(&db.reader(), active).await?;
    Ok(rotated)
}
