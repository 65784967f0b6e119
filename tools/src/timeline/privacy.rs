//! A person's rights over the data stored about them, exercised by the operator.

use std::collections::BTreeMap;

use domain::{Email, PersonId};
use gateway::{Error, Gateway, Pepper, Result};
use serde_json::{Map, Value, json};

use crate::{figures, operator::operator_audit_row};

/// Returns the id of the person with this e-mail.
///
/// Refuses (400) a text that is not an e-mail address.
fn person_id(gateway: &Gateway, email: &str) -> Result<PersonId> {
    let email: Email = email
        .parse()
        .map_err(|()| Error::invalid_field("email", "pattern", "deve ser um e-mail"))?;
    gateway.services.parts.get::<Pepper>().person_id(&email)
}

/// Exports all data stored about the person with this e-mail: one list for each kind of data.
pub async fn export_person(gateway: &Gateway, email: &str) -> Result<Map<String, Value>> {
    let person = person_id(gateway, email)?;
    let services = &gateway.services;
    let tx = services.db.begin().await?;
    let lists = store::people::export_person(&tx.conn(), &person).await?;
    let mut row = operator_audit_row("export_person", services.clock.now());
    row.resource_type = Some("person");
    let rows: usize = lists
        .values()
        .filter_map(Value::as_array)
        .map(Vec::len)
        .sum();
    row.metadata.insert("rows".into(), rows.into());
    store::audit::insert(&tx.conn(), row).await?;
    tx.commit().await?;
    Ok(lists)
}

/// Removes the person with this e-mail from every row. Returns the number of changed rows by table; the
/// map is empty if no data about the person were stored.
pub async fn erase_person(gateway: &Gateway, email: &str) -> Result<BTreeMap<&'static str, u64>> {
    let person = person_id(gateway, email)?;
    let services = &gateway.services;
    let tx = services.db.begin().await?;
    let erased = store::people::erase_person(&tx.conn(), &person).await?;
    let erased: BTreeMap<&str, u64> = erased.into_iter().filter(|(_, rows)| *rows > 0).collect();
    let mut row = operator_audit_row("erase_person", services.clock.now());
    row.resource_type = Some("person");
    row.metadata.insert("rows".into(), json!(erased));
    store::audit::insert(&tx.conn(), row).await?;
    tx.commit().await?;
    figures::count_marked_rows(&services.db, services.clock.now()).await?;
    Ok(erased)
}
