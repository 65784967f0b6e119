//! The current state of a collaborative project, with the columns for lists.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "projects")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub revision: i64,
    pub name: String,
    pub status: String,
    pub sections: i64,
    pub items: i64,
    pub done: i64,
    pub members: i64,
    pub created_by: String,
    pub created_at: i64,
    pub updated_at: i64,
    /// The whole project, as JSON.
    pub document: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
