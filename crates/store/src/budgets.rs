//! Daily budgets of personal tokens and connected agents, and their use per day.
//!
//! A credential is identified by its id. Days are days in Brasília, as `YYYY-MM-DD`.

use std::collections::HashMap;

use sea_orm::Value;

use super::{Bind, Conn, conditions::Conditions, many};
use crate::Result;
use domain::TokenId;

/// The daily limits of a credential. `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    pub daily_calls: Option<i64>,
    /// The limit of generated images and videos.
    pub daily_pictures: Option<i64>,
}

/// The calls and generated images and videos of a credential on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub calls: i64,
    pub pictures: i64,
}

/// The budget of a credential, and its use on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetState {
    pub budget: Budget,
    pub used: Usage,
}

/// Loads the budgets of these credentials and their use on a day. Credentials with neither are missing.
pub async fn load<'i>(
    db: &Conn<'_>,
    ids: impl IntoIterator<Item = &'i str>,
    day: &str,
) -> Result<HashMap<TokenId, BudgetState>> {
    let mut query = Conditions::default();
    let day = query.bind(day);
    let among: Vec<String> = ids.into_iter().map(|id| query.bind(id)).collect();
    let mut states: HashMap<TokenId, BudgetState> = HashMap::new();
    if among.is_empty() {
        return Ok(states);
    }
    let among = among.join(", ");
    let sql = format!(
        "SELECT credential_id, TRUE AS is_budget, daily_calls AS calls, daily_pictures AS pictures
         FROM credential_budgets WHERE credential_id IN ({among})
         UNION ALL
         SELECT credential_id, FALSE AS is_budget, calls, pictures
         FROM credential_use WHERE day = {day} AND credential_id IN ({among})"
    );
    for row in db.fetch_all(&sql, query.values).await? {
        let state = states.entry(row.try_get("", "credential_id")?).or_default();
        let (calls, pictures): (Option<i64>, Option<i64>) =
            (row.try_get("", "calls")?, row.try_get("", "pictures")?);
        if row.try_get("", "is_budget")? {
            state.budget = Budget {
                daily_calls: calls,
                daily_pictures: pictures,
            };
        } else {
            state.used = Usage {
                calls: calls.unwrap_or_default(),
                pictures: pictures.unwrap_or_default(),
            };
        }
    }
    Ok(states)
}

/// Sets the budget of a credential. A budget without limits is deleted.
pub async fn set(db: &Conn<'_>, id: &TokenId, budget: Budget) -> Result<()> {
    if budget == Budget::default() {
        let sql = "DELETE FROM credential_budgets WHERE credential_id = $1";
        db.run(sql, [id.value()]).await?;
        return Ok(());
    }
    let sql = "INSERT INTO credential_budgets (credential_id, daily_calls, daily_pictures)
               VALUES ($1, $2, $3)
               ON CONFLICT (credential_id) DO UPDATE SET
                  daily_calls = excluded.daily_calls, daily_pictures = excluded.daily_pictures";
    let values = [
        id.value(),
        budget.daily_calls.into(),
        budget.daily_pictures.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Adds calls to the use of credentials on a day.
pub async fn add_calls(db: &Conn<'_>, calls: &[(TokenId, i64)], day: &str) -> Result<()> {
    // Every transaction locks rows in the order of their ids, which prevents deadlocks.
    let mut sorted: Vec<&(TokenId, i64)> = calls.iter().collect();
    sorted.sort_unstable();
    for batch in sorted.chunks(many::ROWS) {
        let row = |(id, calls): &&(TokenId, i64)| -> [Value; 4] {
            [id.value(), day.into(), (*calls).into(), 0i64.into()]
        };
        let (rows, values) = many::bind_rows(batch.iter().map(row));
        let sql = format!(
            "INSERT INTO credential_use (credential_id, day, calls, pictures) VALUES {rows}
             ON CONFLICT (credential_id, day) DO UPDATE SET
                calls = credential_use.calls + excluded.calls"
        );
        db.run(&sql, values).await?;
    }
    Ok(())
}

/// Adds generated pictures to the use of a credential on a day, unless the budget would be exceeded. In
/// that case returns the budget in the inner `Err`.
pub async fn reserve_pictures(
    db: &Conn<'_>,
    id: &TokenId,
    day: &str,
    count: i64,
) -> Result<std::result::Result<(), i64>> {
    let sql = "SELECT daily_pictures FROM credential_budgets WHERE credential_id = $1";
    let row = db.fetch_one(sql, [id.value()]).await?;
    let budget: Option<i64> = match row {
        Some(row) => row.try_get("", "daily_pictures")?,
        None => None,
    };
    let most = budget.unwrap_or(i64::MAX);
    // The condition of the statement below is not checked when it inserts the first row of a day.
    if count > most {
        return Ok(Err(most));
    }
    let sql = "INSERT INTO credential_use (credential_id, day, calls, pictures)
               VALUES ($1, $2, 0, $3)
               ON CONFLICT (credential_id, day) DO UPDATE SET
                  pictures = credential_use.pictures + excluded.pictures
               WHERE credential_use.pictures <= $4 - excluded.pictures";
    let values = [id.value(), day.into(), count.into(), most.into()];
    let is_reserved = db.run(sql, values).await? == 1;
    Ok(if is_reserved { Ok(()) } else { Err(most) })
}

/// Subtracts reserved pictures that were not generated.
pub async fn return_pictures(db: &Conn<'_>, id: &TokenId, day: &str, count: i64) -> Result<()> {
    let sql = "UPDATE credential_use SET pictures = pictures - $3
               WHERE credential_id = $1 AND day = $2";
    db.run(sql, [id.value(), day.into(), count.into()]).await?;
    Ok(())
}

/// Deletes the use of all days before `day`.
pub async fn delete_before(db: &Conn<'_>, day: &str) -> Result<()> {
    db.run("DELETE FROM credential_use WHERE day < $1", [day.into()])
        .await?;
    Ok(())
}
