//! Publishes the next version of a versioned row.

use sea_orm::Value;

use super::{Bind, Conn};
use crate::Result;
use domain::{Version, time::Millis};

/// The SQL statements that publish a version. Each returns `version` and `updated_at`.
pub(super) struct Publish {
    /// Publishes the version after the current one, whatever its number, or the first version.
    pub next: &'static str,
    /// Publishes only if there is no version yet.
    pub first: &'static str,
    /// Publishes only if the current version equals the last parameter.
    pub after: &'static str,
}

impl Publish {
    /// Publishes a version. Returns the new version and its instant, or `None` if the current
    /// version differs from `expected`. [`Version::NONE`] expects that there is no version yet.
    pub async fn run(
        &self,
        db: &Conn<'_>,
        mut values: Vec<Value>,
        expected: Option<Version>,
    ) -> Result<Option<(Version, Millis)>> {
        let sql = match expected {
            None => self.next,
            Some(Version::NONE) => self.first,
            Some(version) => {
                values.push(version.value());
                self.after
            }
        };
        let Some(row) = db.fetch_one(sql, values).await? else {
            return Ok(None);
        };
        Ok(Some((
            row.try_get("", "version")?,
            row.try_get("", "updated_at")?,
        )))
    }
}
