//! The operator's actions on the knowledge base.

use domain::{DocumentId, time::Millis};
use gateway::{Error, Gateway, Result};
use search::Prepared;
use store::{
    Tx,
    knowledge::{self, Kept, Listed},
};

use super::operator_audit_row;
use crate::knowledge::{AREA, enqueue_embedding};

/// Adds a document to the knowledge base, or updates it.
pub async fn add_knowledge(gateway: &Gateway, document: Prepared) -> Result<Kept> {
    let services = &gateway.services;
    let now = services.clock.now();
    let source = document.source.clone();
    let tx = services.db.begin().await?;
    let kept = knowledge::save_document(&tx.conn(), document, now).await?;
    if matches!(kept, Kept::Added(_) | Kept::Replaced(_)) {
        audit_knowledge(&tx, "add_knowledge", source, now).await?;
        enqueue_embedding(services, &tx.conn(), now).await?;
    }
    tx.commit().await?;
    services.changes.mark_area(AREA.name);
    Ok(kept)
}

/// Removes a document from the knowledge base. Returns its source.
///
/// Refuses (404) an id that no document has.
pub async fn remove_knowledge(gateway: &Gateway, id: &DocumentId) -> Result<String> {
    let services = &gateway.services;
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let source = knowledge::remove(&tx.conn(), id).await?;
    let source = source.ok_or_else(|| Error::not_found("documento"))?;
    audit_knowledge(&tx, "remove_knowledge", source.clone(), now).await?;
    tx.commit().await?;
    services.changes.mark_area(AREA.name);
    Ok(source)
}

/// Lists all documents of the knowledge base, in the order of their sources.
pub async fn list_knowledge(gateway: &Gateway) -> Result<Vec<Listed>> {
    Ok(knowledge::list(&gateway.services.db.reader()).await?)
}

async fn audit_knowledge(tx: &Tx, action: &'static str, source: String, now: Millis) -> Result<()> {
    let mut row = operator_audit_row(action, now);
    row.resource_type = Some("knowledge");
    row.resource_id = Some(source);
    Ok(store::audit::insert(&tx.conn(), row).await?)
}
