//! Published skills and their versions.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m20260822_000006_skills"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .get_connection()
            .execute_unprepared(UP)
            .await
            .map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .get_connection()
            .execute_unprepared(DOWN)
            .await
            .map(drop)
    }
}

const UP: &str = "
CREATE TABLE skills (
    name TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE skill_versions (
    name TEXT NOT NULL REFERENCES skills (name),
    version BIGINT NOT NULL,
    description TEXT NOT NULL,
    content TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES members (id),
    PRIMARY KEY (name, version)
);
";

const DOWN: &str = "
DROP TABLE skill_versions;
DROP TABLE skills;
";
