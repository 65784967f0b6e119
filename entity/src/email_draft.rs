//! An e-mail draft without its HTML. The HTML is in a separate table, so that lists do not read it.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "email_drafts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub template_id: String,
    /// The metadata, as a JSON object.
    pub metadata: String,
    /// Length of the HTML in characters. NULL after the draft was deleted; the row then only keeps
    /// `updated_at`, the last update token.
    pub html_length: Option<i64>,
    pub updated_at: i64,
    pub updated_by: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
