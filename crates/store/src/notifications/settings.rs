//! What members want to be told.

use std::collections::HashMap;

use domain::{Choices, MemberId, Revision};

use crate::{Bind, Conn, Result};

/// The settings of a member. Without a stored row the revision is 0.
#[derive(Debug)]
pub struct Settings {
    pub revision: Revision,
    pub choices: Choices,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            revision: Revision::new(0),
            choices: Choices::default(),
        }
    }
}

/// The settings of a member.
pub async fn find_settings(db: &Conn<'_>, member_id: &MemberId) -> Result<Settings> {
    let sql = "SELECT revision, choices FROM notification_settings WHERE member_id = $1";
    let Some(row) = db.fetch_one(sql, [member_id.value()]).await? else {
        return Ok(Settings::default());
    };
    let choices: String = row.try_get("", "choices")?;
    Ok(Settings {
        revision: row.try_get("", "revision")?,
        choices: serde_json::from_str(&choices)?,
    })
}

/// The choices of all members who have stored some.
pub async fn load_choices(db: &Conn<'_>) -> Result<HashMap<MemberId, Choices>> {
    let sql = "SELECT member_id, choices FROM notification_settings";
    let rows = db.fetch_all(sql, []).await?;
    let choices = rows.iter().map(|row| {
        let choices: String = row.try_get("", "choices")?;
        Ok((
            row.try_get("", "member_id")?,
            serde_json::from_str(&choices)?,
        ))
    });
    choices.collect()
}

const SAVE: &str = "
INSERT INTO notification_settings (member_id, revision, choices) VALUES ($1, $2 + 1, $3)
ON CONFLICT (member_id) DO UPDATE SET revision = excluded.revision, choices = excluded.choices
WHERE notification_settings.revision = $2";

/// Stores the choices of a member whose settings have the revision `expected`. Returns `false` if
/// they have another one.
pub async fn save_settings(
    db: &Conn<'_>,
    member_id: &MemberId,
    expected: Revision,
    choices: &Choices,
) -> Result<bool> {
    let values = [
        member_id.value(),
        expected.value(),
        serde_json::to_string(choices)?.into(),
    ];
    Ok(db.run(SAVE, values).await? == 1)
}
