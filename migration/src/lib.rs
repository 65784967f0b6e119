//! The schema, one set of migrations for SQLite and PostgreSQL.
//!
//! The statements use only the SQL that both databases understand: instants are `BIGINT`
//! milliseconds since the Unix epoch, documents are JSON in `TEXT`, ids are UUIDv7 text.

mod m20260822_000001_spine;
mod m20260822_000002_media;
mod m20260822_000003_contents;
mod m20260822_000004_projects;
mod m20260822_000005_email_drafts;
mod m20260822_000006_skills;
mod m20260822_000007_knowledge;
mod m20261121_000008_vectors;
mod m20261122_000009_known_networks;
mod m20261122_000010_jobs;
mod plain;

use sea_orm_migration::prelude::*;

/// Applies and lists the migrations.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20260822_000001_spine::MIGRATION),
            Box::new(m20260822_000002_media::MIGRATION),
            Box::new(m20260822_000003_contents::MIGRATION),
            Box::new(m20260822_000004_projects::MIGRATION),
            Box::new(m20260822_000005_email_drafts::MIGRATION),
            Box::new(m20260822_000006_skills::MIGRATION),
            Box::new(m20260822_000007_knowledge::MIGRATION),
            Box::new(m20261121_000008_vectors::MIGRATION),
            Box::new(m20261122_000009_known_networks::MIGRATION),
            Box::new(m20261122_000010_jobs::MIGRATION),
        ]
    }
}

pub use sea_orm_migration::MigratorTrait;
