//! The cost of paid media, by campaign and by day.
//!
//! `figure_media` has monthly sums. The transaction that changes a day of a month also recounts the
//! month, so the sums always match `ad_spend`.

use std::collections::BTreeSet;

use sea_orm::Value;

use super::{
    months::Months,
    read::{Days, day_parameters, fetch_all},
};
use crate::{
    Conn, Result, columns,
    many::{ROWS, bind_rows},
};

/// Recounts these months of campaigns: (month, platform, campaign).
pub(crate) async fn recount_months(db: &Conn<'_>, months: BTreeSet<[String; 3]>) -> Result<()> {
    let months: Vec<_> = months.into_iter().collect();
    for batch in months.chunks(ROWS) {
        let rows = batch.iter().map(|key| {
            let [month, platform, campaign] = key;
            [month, platform, campaign].map(|part| Value::from(part.as_str()))
        });
        let (rows, values) = bind_rows(rows);
        let sql = format!(
            "DELETE FROM figure_media WHERE (month, platform, campaign_id) IN (VALUES {rows})"
        );
        db.run(&sql, values.clone()).await?;
        let sql = format!(
            "WITH changed (month, platform, campaign_id) AS (VALUES {rows})
             INSERT INTO figure_media (month, platform, campaign_id, campaign, currency,
                spend_cents, impressions, clicks)
             SELECT c.month, a.platform, a.campaign_id, a.campaign, a.currency,
                CAST(SUM(a.spend_cents) AS BIGINT), CAST(SUM(a.impressions) AS BIGINT),
                CAST(SUM(a.clicks) AS BIGINT)
             FROM changed c JOIN ad_spend a ON a.platform = c.platform
                AND a.campaign_id = c.campaign_id
                AND a.day >= c.month || '-01' AND a.day <= c.month || '-31'
             GROUP BY c.month, a.platform, a.campaign_id, a.campaign, a.currency"
        );
        db.run(&sql, values).await?;
    }
    Ok(())
}

/// The cost of a paid campaign, in one currency and under one of its names.
#[derive(Debug)]
pub struct Campaign {
    pub platform: String,
    pub campaign_id: String,
    pub campaign: String,
    pub currency: String,
    pub spend_cents: i64,
    pub impressions: i64,
    pub clicks: i64,
}

columns!(Campaign {
    platform,
    campaign_id,
    campaign,
    currency,
    spend_cents,
    impressions,
    clicks,
});

/// Lists the campaigns reported for these days, under each of their names, by platform and id.
pub async fn list_campaigns(db: &Conn<'_>, days: Days) -> Result<Vec<Campaign>> {
    let columns = "platform, campaign_id, campaign, currency, spend_cents, impressions, clicks";
    let sql = format!(
        "SELECT platform, campaign_id, campaign, currency,
            CAST(SUM(spend_cents) AS BIGINT) AS spend_cents,
            CAST(SUM(impressions) AS BIGINT) AS impressions,
            CAST(SUM(clicks) AS BIGINT) AS clicks
         FROM (
            SELECT {columns} FROM figure_media WHERE month >= $3 AND month < $4
            UNION ALL
            SELECT {columns} FROM ad_spend WHERE day >= $1 AND day < $5
            UNION ALL
            SELECT {columns} FROM ad_spend WHERE day >= $6 AND day <= $2) reported
         GROUP BY platform, campaign_id, campaign, currency
         ORDER BY platform, campaign_id, campaign, currency"
    );
    fetch_all(db, &sql, Months::to_parameters(days)).await
}

/// The cost of campaigns on a day.
#[derive(Debug)]
pub struct MediaDay {
    pub day: String,
    pub spend_cents: i64,
    pub impressions: i64,
    pub clicks: i64,
}

columns!(MediaDay {
    day,
    spend_cents,
    impressions,
    clicks,
});

/// Lists the daily cost of these campaigns (platform, id) in a currency. A day may have several rows.
pub async fn list_media_days(
    db: &Conn<'_>,
    campaigns: &BTreeSet<(&str, &str)>,
    currency: &str,
    days: Days,
) -> Result<Vec<MediaDay>> {
    let campaigns: Vec<_> = campaigns.iter().collect();
    let mut found = vec![];
    for batch in campaigns.chunks(ROWS) {
        let keys = batch.iter().map(|(platform, campaign)| {
            let key: [Value; 2] = [(*platform).into(), (*campaign).into()];
            key
        });
        let (keys, mut values) = bind_rows(keys);
        values.extend(day_parameters(days));
        values.push(currency.into());
        let (first, last, own) = (values.len() - 2, values.len() - 1, values.len());
        let sql = format!(
            "SELECT day, CAST(SUM(spend_cents) AS BIGINT) AS spend_cents,
                CAST(SUM(impressions) AS BIGINT) AS impressions,
                CAST(SUM(clicks) AS BIGINT) AS clicks
             FROM ad_spend WHERE (platform, campaign_id) IN (VALUES {keys})
                AND day BETWEEN ${first} AND ${last} AND currency = ${own}
             GROUP BY day"
        );
        found.extend(fetch_all::<MediaDay>(db, &sql, values).await?);
    }
    Ok(found)
}
