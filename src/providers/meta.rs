//! The Meta Marketing API: the daily cost of campaigns.
//!
//! <https://developers.facebook.com/docs/marketing-api/insights>

use std::time::Duration;

use async_trait::async_trait;
use domain::{
    sales::AdSpend,
    time::{DAY, LocalDay, brasilia_day},
};
use gateway::Result;
use ports::{Feed, Pulled, Record, SalesSource, TimeRange};
use reqwest::{Client, Url};
use serde::Deserialize;
use serde_json::json;
use tracing::Instrument;

use super::{
    foreign,
    pulling::{Provider, clean_text, parse_cents, parse_currency},
};
use crate::config::MetaAccount;

const META: Provider = Provider {
    name: "A Meta",
    settings: "PAUTA_META_ACCESS_TOKEN",
};

const PLATFORM: &str = "meta";
/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(60);
const FIELDS: &str = "campaign_id,campaign_name,spend,impressions,clicks,account_currency";

/// Each pull reads the last seven days again, because Meta corrects recent figures.
const FEEDS: &[Feed] = &[Feed {
    name: "anuncios",
    overlap: 7 * DAY,
    reach: 365 * DAY,
    longest: 30 * DAY,
}];

/// The adapter of the Marketing API.
pub struct Meta {
    client: Client,
    account: MetaAccount,
}

impl Meta {
    pub fn new(account: MetaAccount) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().timeout(TIMEOUT).build()?,
            account,
        })
    }

    fn endpoint_url(&self, path: &str) -> Url {
        let version = &self.account.version;
        let path = format!("{version}/{path}");
        let base = &self.account.base;
        base.join(&path)
            .expect("the base ends in a slash, and the path is plain")
    }

    async fn get<T: for<'de> Deserialize<'de>>(&self, url: Url) -> Result<T> {
        let (host, path) = (url.host_str().unwrap_or_default(), url.path());
        let span = tracing::info_span!("provider_request", host, path);
        let request = self.client.get(url.clone());
        let request = request.bearer_auth(&self.account.access_token);
        Ok(META.send(request).instrument(span).await?)
    }
}

/// Returns the URL of the next page, without the access token that Meta adds to it.
///
/// Fails if the URL is on another server, because the request would send the token there.
fn next_page_url(base: &Url, address: &str) -> Result<String> {
    let foreign = || META.malformed_error("o endereço da próxima página é de outro servidor");
    let mut url = Url::parse(address).map_err(|_| foreign())?;
    let own = url.origin() == base.origin() && url.username().is_empty();
    if !own || url.password().is_some() {
        return Err(foreign());
    }
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| name != "access_token")
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    url.query_pairs_mut().clear().extend_pairs(pairs);
    Ok(url.into())
}

#[async_trait]
impl SalesSource for Meta {
    fn name(&self) -> &'static str {
        PLATFORM
    }

    fn feeds(&self) -> &'static [Feed] {
        FEEDS
    }

    async fn pull_page(&self, _: &Feed, span: TimeRange, page: Option<&str>) -> Result<Pulled> {
        let url = match page {
            Some(page) => {
                let page = next_page_url(&self.account.base, page)?;
                Url::parse(&page).map_err(|_| META.malformed_error("a página não tem endereço"))?
            }
            None => {
                let mut url =
                    self.endpoint_url(&format!("act_{}/insights", self.account.account_id));
                let (since, until) = (
                    LocalDay(brasilia_day(span.from)),
                    LocalDay(brasilia_day(span.until - 1)),
                );
                let range = json!({ "since": since, "until": until }).to_string();
                url.query_pairs_mut()
                    .append_pair("level", "campaign")
                    .append_pair("fields", FIELDS)
                    .append_pair("time_range", &range)
                    .append_pair("time_increment", "1")
                    .append_pair("limit", "500");
                url
            }
        };
        let insights: Insights = self.get(url).await?;
        let records = insights.data.into_iter().map(|row| {
            let row = row.into_ad_spend().map(Record::Spend);
            row.ok_or_else(|| META.malformed_error("um registro da lista não é o esperado"))
        });
        let records = records.collect::<Result<_>>()?;
        let following = insights.paging.and_then(|paging| paging.next);
        let following = following.map(|address| next_page_url(&self.account.base, &address));
        Ok(Pulled {
            records,
            next: following.transpose()?,
        })
    }

    async fn check_available(&self) -> Result<()> {
        let mut url = self.endpoint_url(&format!("act_{}", self.account.account_id));
        url.query_pairs_mut().append_pair("fields", "id");
        self.get::<serde_json::Value>(url).await.map(drop)
    }
}

#[derive(Deserialize)]
struct Insights {
    data: Vec<Row>,
    paging: Option<Paging>,
}

#[derive(Deserialize)]
struct Paging {
    next: Option<String>,
}

/// The figures of a campaign on one day. The API returns numbers as text.
#[derive(Deserialize)]
struct Row {
    date_start: LocalDay,
    campaign_id: String,
    campaign_name: String,
    spend: Option<String>,
    impressions: Option<String>,
    clicks: Option<String>,
    account_currency: Option<String>,
}

impl Row {
    fn into_ad_spend(self) -> Option<AdSpend> {
        let count = |text: Option<String>| text.unwrap_or_else(|| "0".into()).parse::<u32>().ok();
        Some(AdSpend {
            day: self.date_start.0,
            platform: PLATFORM.to_owned(),
            campaign_id: clean_text(Some(&self.campaign_id), 100)?,
            campaign: clean_text(Some(&self.campaign_name), 200)?,
            spend_cents: parse_cents(self.spend.as_deref().unwrap_or("0"))
                .filter(|spend| *spend >= 0)?,
            impressions: count(self.impressions)?.into(),
            clicks: count(self.clicks)?.into(),
            currency: parse_currency(self.account_currency.as_deref().unwrap_or("BRL"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_url_must_be_on_the_same_server_and_loses_its_token() {
        let base = Url::parse("https://graph.facebook.com/").expect("a URL");
        let page = |address: &str| next_page_url(&base, address).ok();
        assert_eq!(
            page("https://graph.facebook.com/v25.0/act_1/insights?access_token=x&after=abc"),
            Some("https://graph.facebook.com/v25.0/act_1/insights?after=abc".into())
        );
        for odd in [
            "https://graph.example.com/v25.0/act_1/insights?after=abc",
            "http://graph.facebook.com/v25.0/act_1/insights?after=abc",
            "https://a:b@graph.facebook.com/v25.0/act_1/insights",
            "https://graph.facebook.com:8443/v25.0/act_1/insights",
            "http://169.254.169.254/latest/meta-data",
            "insights?after=abc",
            "",
        ] {
            assert_eq!(page(odd), None, "{odd}");
        }
    }
}
