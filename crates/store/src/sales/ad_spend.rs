//! The cost of paid media, by campaign and day.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    sales::AdSpend,
    time::{LocalDay, Millis},
    without_emails,
};

use crate::{
    Conn, Result,
    figures::{self, media, months},
    many::{ROWS, bind_rows},
    turns::{Turn, take_turn},
};

/// Saves reports in the order of arrival. A later report of the same campaign and day replaces the
/// earlier one. Returns the number of distinct campaign days.
pub async fn save(db: &Conn<'_>, reports: Vec<AdSpend>, now: Millis) -> Result<usize> {
    take_turn(db, Turn::Sales).await?;
    let mut latest = BTreeMap::new();
    for report in reports {
        let key = (
            report.platform.clone(),
            report.campaign_id.clone(),
            report.day,
        );
        latest.insert(key, report);
    }
    let latest: Vec<AdSpend> = latest.into_values().collect();
    let months: BTreeSet<[String; 3]> = latest
        .iter()
        .map(|one| {
            let month = months::month_text(LocalDay(one.day));
            [month, one.platform.clone(), one.campaign_id.clone()]
        })
        .collect();
    for batch in latest.chunks(ROWS) {
        let rows = batch.iter().map(|one| {
            [
                one.platform.as_str().into(),
                one.campaign_id.as_str().into(),
                one.day.to_string().into(),
                without_emails(&one.campaign).into_owned().into(),
                one.spend_cents.into(),
                one.impressions.into(),
                one.clicks.into(),
                one.currency.as_str().into(),
                now.into(),
            ]
        });
        let (rows, values) = bind_rows(rows);
        let sql = format!(
            "INSERT INTO ad_spend (platform, campaign_id, day, campaign, spend_cents, impressions,
                clicks, currency, updated_at) VALUES {rows}
             ON CONFLICT (platform, campaign_id, day) DO UPDATE SET
                campaign = excluded.campaign, spend_cents = excluded.spend_cents,
                impressions = excluded.impressions, clicks = excluded.clicks,
                currency = excluded.currency, updated_at = excluded.updated_at"
        );
        db.run(&sql, values).await?;
    }
    media::recount_months(db, months).await?;
    figures::record_update(db, figures::Kind::AdSpend, now).await?;
    Ok(latest.len())
}
