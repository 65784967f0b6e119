//! An e-mail draft without its HTML, which is in another table so that lists do not read it.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "email_drafts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub template_id: String,
    /// A JSON object.
    pub metadata: String,
    /// Characters of the HTML; null once the draft is deleted and the row only keeps its last token.
    pub html_length: Option<i64>,
    pub updated_at: i64,
    pub updated_by: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
