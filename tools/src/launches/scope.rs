//! The sales, visits and campaigns that belong to a launch.

use std::collections::BTreeSet;

use domain::ProjectId;
use gateway::{Context, Error, Result};
use store::{
    Conn,
    figures::{Campaign, Selection, list_campaign_scopes},
    launches::{self, Launch},
};

use crate::figures::{Period, Span};

/// Finds the launch of a project.
///
/// Refuses (404) a project without a launch.
pub(super) async fn require_launch(db: &Conn<'_>, id: &ProjectId) -> Result<Launch> {
    let launch = launches::find(db, id).await?;
    launch.ok_or_else(|| Error::not_found_in("lançamento", "list_launches"))
}

/// Finds the launch of a project, and completes the requested days.
///
/// Refuses (404) a project without a launch.
pub(super) async fn require_launch_and_days(
    ctx: &Context<'_>,
    id: &ProjectId,
    period: &Period,
) -> Result<(Launch, Span)> {
    let launch = require_launch(&ctx.db(), id).await?;
    let span = period.span_or_launch_days(launch.starts_on, launch.ends_on)?;
    Ok((launch, span))
}

/// Selects the sales of a launch, by its code and its products.
pub(super) fn sales_selection(launch: &Launch) -> Selection {
    Selection::Launch {
        code: launch.code.clone(),
        products: launch.products.clone(),
    }
}

/// Returns the scopes of a launch's visits: its code, its products, and the campaigns that match its
/// patterns.
pub(super) async fn visit_scopes(ctx: &Context<'_>, launch: &Launch) -> Result<Vec<String>> {
    let code = launch.code.iter().map(|code| format!("l:{code}"));
    let products = launch.products.iter().map(|product| format!("p:{product}"));
    let mut scopes: Vec<String> = code.chain(products).collect();
    let patterns = &launch.campaigns;
    let beginnings: Vec<&str> = patterns
        .iter()
        .map(|pattern| pattern.split('*').next().unwrap_or_default())
        .collect();
    let found = list_campaign_scopes(&ctx.db(), &beginnings).await?;
    let matching = found.into_iter().filter(|scope| {
        let campaign = scope.strip_prefix("c:").unwrap_or_default();
        patterns
            .iter()
            .any(|pattern| matches_pattern(pattern, campaign))
    });
    scopes.extend(matching);
    Ok(scopes)
}

/// Returns the rows of the launch's campaigns of paid media. A campaign belongs to the launch if one of
/// its current or earlier names matches a pattern; then the rows under its other names are returned too.
pub(super) fn filter_campaigns(launch: &Launch, mut campaigns: Vec<Campaign>) -> Vec<Campaign> {
    let is_named = |one: &&Campaign| {
        let mut patterns = launch.campaigns.iter();
        patterns.any(|pattern| matches_pattern(pattern, &one.campaign))
    };
    let key = |one: &Campaign| (one.platform.clone(), one.campaign_id.clone());
    let own: BTreeSet<_> = campaigns.iter().filter(is_named).map(key).collect();
    campaigns.retain(|one| own.contains(&key(one)));
    campaigns
}

/// True if the text matches the pattern. Each `*` matches any text; matching is case-sensitive.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        for (pattern, text, is) in [
            ("pao", "pao", true),
            ("pao", "pao-2", false),
            ("pao*", "pao", true),
            ("pao*", "pao-2", true),
            ("*out*", "pao_outubro_2026", true),
            ("pao*2026", "pao_outubro_2026", true),
            ("pao*2026", "pao_2026_x", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("Pao", "pao", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), is, "{pattern} {text}");
        }
    }
}
