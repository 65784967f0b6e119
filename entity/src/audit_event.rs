//! A row of the audit trail.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_events")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub occurred_at: i64,
    pub request_id: Option<String>,
    pub actor_member_id: Option<String>,
    pub actor_user_id: Option<String>,
    pub token_id: Option<String>,
    pub auth_method: String,
    pub capability: Option<String>,
    pub action: String,
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    pub outcome: String,
    pub status_code: Option<i64>,
    pub metadata: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
