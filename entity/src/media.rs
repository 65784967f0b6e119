//! A stored image or video.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "media")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub sha256: String,
    pub media_type: String,
    pub bytes: i64,
    pub width: Option<i64>,
    pub height: Option<i64>,
    pub kind: String,
    pub alt: Option<String>,
    pub origin: String,
    pub created_by: String,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
