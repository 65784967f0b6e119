//! Which notifications members want, and when they want them by e-mail.

use std::collections::HashMap;

use domain::{Choices, MailTimes, MemberId, Revision};

use crate::{Bind, Conn, Result, Row};

/// Which notifications a member wants, and when by e-mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    pub choices: Choices,
    pub times: MailTimes,
}

/// The settings of a member. Without a stored row the revision is 0.
#[derive(Debug)]
pub struct Settings {
    pub revision: Revision,
    pub wishes: Wishes,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            revision: Revision::new(0),
            wishes: Wishes::default(),
        }
    }
}

const SELECT: &str = "
SELECT member_id, revision, choices, quiet_from, quiet_until, digest_hour
FROM notification_settings";

/// Finds the settings of a member.
pub async fn find_settings(db: &Conn<'_>, member_id: &MemberId) -> Result<Settings> {
    let sql = format!("{SELECT} WHERE member_id = $1");
    let Some(row) = db.fetch_one(&sql, [member_id.value()]).await? else {
        return Ok(Settings::default());
    };
    Ok(Settings {
        revision: row.try_get("", "revision")?,
        wishes: read_wishes(&row)?,
    })
}

fn read_wishes(row: &Row) -> Result<Wishes> {
    let choices: String = row.try_get("", "choices")?;
    let hour = |name: &str| -> Result<Option<i8>> {
        let hour: Option<i64> = row.try_get("", name)?;
        Ok(hour.and_then(|hour| i8::try_from(hour).ok()))
    };
    Ok(Wishes {
        choices: serde_json::from_str(&choices)?,
        times: MailTimes {
            quiet: hour("quiet_from")?.zip(hour("quiet_until")?),
            digest: hour("digest_hour")?,
        },
    })
}

/// Loads the wishes of all members with stored settings.
pub async fn load_wishes(db: &Conn<'_>) -> Result<HashMap<MemberId, Wishes>> {
    let rows = db.fetch_all(SELECT, []).await?;
    let wishes = rows
        .iter()
        .map(|row| Ok((row.try_get("", "member_id")?, read_wishes(row)?)));
    wishes.collect()
}

const SAVE: &str = "
INSERT INTO notification_settings
    (member_id, revision, choices, quiet_from, quiet_until, digest_hour)
VALUES ($1, $2 + 1, $3, $4, $5, $6)
ON CONFLICT (member_id) DO UPDATE SET revision = excluded.revision, choices = excluded.choices,
    quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until,
    digest_hour = excluded.digest_hour
WHERE notification_settings.revision = $2";

/// Stores the wishes of a member, if their settings have the revision `expected`. Otherwise returns
/// `false`.
pub async fn save_settings(
    db: &Conn<'_>,
    member_id: &MemberId,
    expected: Revision,
    wishes: &Wishes,
) -> Result<bool> {
    let hour = |hour: Option<i8>| hour.map(i64::from);
    let values = [
        member_id.value(),
        expected.value(),
        serde_json::to_string(&wishes.choices)?.into(),
        hour(wishes.times.quiet.map(|(from, _)| from)).into(),
        hour(wishes.times.quiet.map(|(_, until)| until)).into(),
        hour(wishes.times.digest).into(),
    ];
    Ok(db.run(SAVE, values).await? == 1)
}
