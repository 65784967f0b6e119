//! An editorial event.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub api_revision: i64,
    pub clickup_id: Option<String>,
    pub title: String,
    pub channel: String,
    pub status: String,
    pub description: Option<String>,
    pub briefing: Option<String>,
    pub due_at: Option<i64>,
    pub agenda_at: i64,
    pub editorial_tag: Option<String>,
    pub created_by: String,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
