//! A change of a project. Applied in order, the changes of a project produce its document.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "project_operations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub project_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub revision: i64,
    pub id: String,
    pub r#type: String,
    /// The payload as JSON, including the generated ids.
    pub payload: String,
    pub actor_member_id: String,
    pub occurred_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
