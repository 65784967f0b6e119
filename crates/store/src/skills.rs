//! Published skills and their versions.

use std::cmp::Reverse;

use sea_orm::Value;
use search::typed::Typed;

use super::{Bind, Conn, columns, versions::Publish};
use crate::Result;
use domain::{Error, MemberId, TextRange, Version, time::Millis};

/// A version of a skill. Its content is read only on request.
#[derive(Debug)]
pub struct Skill {
    pub name: String,
    pub version: Version,
    pub description: String,
    pub content: Option<String>,
    /// The length of the whole content in characters; set only if a part of the content is read.
    pub content_length: Option<i64>,
    pub sha256: String,
    pub updated_at: Millis,
    pub updated_by: MemberId,
    pub updated_by_name: Option<String>,
}

columns!(Skill {
    name,
    version,
    description,
    content,
    content_length,
    sha256,
    updated_at,
    updated_by,
    updated_by_name,
});

/// How much of the content to read.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    None,
    Whole,
    Part(TextRange),
}

const COLUMNS: &str = "v.name, v.version, v.description, v.sha256, v.updated_at, v.updated_by,
    m.name AS updated_by_name";

/// Lists the current versions by name, after the name `after`; at most `probe` rows.
pub async fn list(
    db: &Conn<'_>,
    after: Option<String>,
    content: Content,
    probe: i64,
) -> Result<Vec<Skill>> {
    let sql = format!(
        "SELECT {COLUMNS}, {}
         FROM skills s
         JOIN skill_versions v ON v.name = s.name AND v.version = s.version
         LEFT JOIN members m ON m.id = v.updated_by
         WHERE s.name > $1 ORDER BY s.name LIMIT $2",
        content.select_columns()
    );
    let after = after.unwrap_or_default();
    load_skills(db, &sql, vec![after.into(), probe.into()]).await
}

/// Finds skills by their names and descriptions: those with all words in the name first, then the
/// others; both groups are sorted by publication, latest first.
pub async fn find_by_query(db: &Conn<'_>, typed: &Typed, most: usize) -> Result<Vec<Skill>> {
    let mut found = vec![];
    for skill in list(db, None, Content::None, i64::MAX).await? {
        let text = format!("{}\n{}", skill.name, skill.description);
        if let Some(place) = typed.find_place(&text) {
            found.push((place, skill));
        }
    }
    found.sort_by_key(|(place, skill)| Reverse((*place, skill.updated_at)));
    found.truncate(most);
    Ok(found.into_iter().map(|(_, skill)| skill).collect())
}

/// Finds one version of a skill; `None` finds the current one.
pub async fn find(
    db: &Conn<'_>,
    name: &str,
    version: Option<Version>,
    content: Content,
) -> Result<Option<Skill>> {
    let sql = format!(
        "SELECT {COLUMNS}, {}
         FROM skills s
         JOIN skill_versions v ON v.name = s.name AND v.version = COALESCE($2, s.version)
         LEFT JOIN members m ON m.id = v.updated_by
         WHERE s.name = $1",
        content.select_columns()
    );
    let found = load_skills(
        db,
        &sql,
        vec![name.into(), version.map(Version::get).into()],
    )
    .await?;
    Ok(found.into_iter().next())
}

/// Lists the versions of a skill before `before`, newest first, without their contents.
pub async fn list_history(
    db: &Conn<'_>,
    name: &str,
    before: Option<Version>,
    probe: i64,
) -> Result<Vec<Skill>> {
    let sql = format!(
        "SELECT {COLUMNS}, {}
         FROM skill_versions v
         LEFT JOIN members m ON m.id = v.updated_by
         WHERE v.name = $1 AND v.version < $2
         ORDER BY v.version DESC LIMIT $3",
        Content::None.select_columns()
    );
    let before = before.unwrap_or(Version::MAX);
    load_skills(db, &sql, vec![name.into(), before.value(), probe.into()]).await
}

impl Content {
    fn select_columns(self) -> String {
        let (content, length) = match self {
            Self::None => ("CAST(NULL AS TEXT)".into(), "NULL"),
            Self::Whole => ("v.content".into(), "NULL"),
            Self::Part(TextRange { from, length }) => {
                let part = format!("substr(v.content, {}, {length})", from + 1);
                (part, "length(v.content)")
            }
        };
        format!("{content} AS content, CAST({length} AS BIGINT) AS content_length")
    }
}

async fn load_skills(db: &Conn<'_>, sql: &str, values: Vec<Value>) -> Result<Vec<Skill>> {
    let rows = db.fetch_all(sql, values).await?;
    let read = rows.iter().map(crate::Row::read);
    Ok(read.collect::<Result<_, _>>()?)
}

const PUBLISH: Publish = Publish {
    next: "
INSERT INTO skills (name, version, updated_at) VALUES ($1, 1, $2)
ON CONFLICT (name) DO UPDATE
SET version = skills.version + 1,
    updated_at = CASE WHEN excluded.updated_at > skills.updated_at
        THEN excluded.updated_at ELSE skills.updated_at + 1 END
RETURNING version, updated_at",
    first: "
INSERT INTO skills (name, version, updated_at) VALUES ($1, 1, $2)
ON CONFLICT (name) DO NOTHING
RETURNING version, updated_at",
    after: "
UPDATE skills
SET version = version + 1,
    updated_at = CASE WHEN $2 > updated_at THEN $2 ELSE updated_at + 1 END
WHERE name = $1 AND version = $3
RETURNING version, updated_at",
};

const KEEP: &str = "
INSERT INTO skill_versions
    (name, version, description, content, sha256, updated_at, updated_by)
VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// A version to publish, without its number and instant.
pub struct NewVersion<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub content: &'a str,
    pub sha256: &'a str,
    pub member_id: &'a MemberId,
}

/// Publishes the next version if the current version equals `expected`. [`Version::NONE`] expects
/// that the skill has no version yet.
///
/// Otherwise returns an error (409) with the current version. Concurrent callers with `expected`
/// `None` publish different versions.
pub async fn publish(
    db: &Conn<'_>,
    new: NewVersion<'_>,
    expected: Option<Version>,
    now: Millis,
) -> Result<(Version, Millis)> {
    let values = vec![new.name.into(), now.into()];
    let Some((version, updated_at)) = PUBLISH.run(db, values, expected).await? else {
        let current = find(db, new.name, None, Content::None).await?;
        return Err(
            Error::stale_revision(current.map_or(Version::NONE, |skill| skill.version)).into(),
        );
    };
    let values = [
        new.name.into(),
        version.value(),
        new.description.into(),
        new.content.into(),
        new.sha256.into(),
        updated_at.into(),
        new.member_id.value(),
    ];
    db.run(KEEP, values).await?;
    Ok((version, updated_at))
}
