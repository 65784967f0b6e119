//! Stored images and videos.

use entity::media::{Column, Entity};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect};

use super::Conn;
use crate::{
    domain::time::Millis,
    registry::{Error, Result},
};

pub use entity::media::Model as Media;

/// Where a medium's bytes are in the storage.
#[must_use]
pub fn storage_path(sha256: &str) -> String {
    format!("sha256/{}/{sha256}", sha256.get(..2).unwrap_or_default())
}

pub async fn insert(db: &Conn<'_>, media: &Media) -> Result<()> {
    Entity::insert(media.clone().into_active_model()).exec_without_returning(db).await?;
    Ok(())
}

pub async fn find(db: &Conn<'_>, id: &str) -> Result<Option<Media>> {
    Ok(Entity::find_by_id(id).one(db).await?)
}

/// These media, in no order; 404 when one of them does not exist.
pub async fn require_all(db: &Conn<'_>, ids: &[String]) -> Result<Vec<Media>> {
    let found = Entity::find().filter(Column::Id.is_in(ids)).all(db).await?;
    if ids.iter().all(|id| found.iter().any(|media| media.id == *id)) {
        Ok(found)
    } else {
        Err(Error::not_found("mídia"))
    }
}

/// Whether any medium has this content.
pub async fn has_content(db: &Conn<'_>, sha256: &str) -> Result<bool> {
    let sql = "SELECT 1 AS one FROM media WHERE sha256 = $1 LIMIT 1";
    Ok(db.one(sql, [sha256.into()]).await?.is_some())
}

/// Which media to list.
#[derive(Debug, Default)]
pub struct Filter {
    /// Attached to this event.
    pub event_id: Option<String>,
    pub created_by: Option<String>,
    pub media_type_prefix: Option<&'static str>,
    /// Older than this (created_at, id).
    pub before: Option<(Millis, String)>,
}

/// Newest first, at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Media>> {
    let mut query = Entity::find();
    if let Some(event_id) = filter.event_id {
        query = query.filter(sea_orm::sea_query::Expr::cust_with_values(
            "id IN (SELECT media_id FROM event_media WHERE event_id = $1)",
            [event_id],
        ));
    }
    if let Some(member_id) = filter.created_by {
        query = query.filter(Column::CreatedBy.eq(member_id));
    }
    if let Some(prefix) = filter.media_type_prefix {
        query = query.filter(Column::MediaType.starts_with(prefix));
    }
    if let Some((at, id)) = filter.before {
        let earlier = Column::CreatedAt.eq(at).and(Column::Id.lt(id));
        query = query.filter(Column::CreatedAt.lt(at).or(earlier));
    }
    let query = query.order_by_desc(Column::CreatedAt).order_by_desc(Column::Id);
    Ok(query.limit(probe.cast_unsigned()).all(db).await?)
}
