//! The brand of the team, from the configuration.

use domain::Brand;
use gateway::Result;
use store::{Conn, config};

/// Loads the brand of the team; `None` if the configuration has no brand or an invalid one.
pub(crate) async fn load_brand(db: &Conn<'_>) -> Result<Option<Brand>> {
    let value = config::find_current_value(db, Brand::KEY).await?;
    let value = value.and_then(|text| serde_json::from_str(&text).ok());
    Ok(value.and_then(|value| Brand::from_config(&value).ok().flatten()))
}
