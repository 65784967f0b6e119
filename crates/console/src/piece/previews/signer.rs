//! The name under which a preview shows the post.

use std::collections::BTreeMap;

use domain::Brand;
use gateway::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{publishing::Networks, view::View};

/// The name of an account or a team.
#[derive(Debug)]
pub(crate) struct Signer(String);

#[derive(Deserialize)]
struct Configuration {
    config: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    value: Value,
}

impl Signer {
    /// Reads the connected account of the channel. If there is none, reads the handle or name of
    /// the team's brand.
    pub async fn read(view: &View<'_>, networks: &Networks, channel: &str) -> Result<Self> {
        if let Some(account) = networks.account_name(channel) {
            return Ok(Self(account.to_owned()));
        }
        let brand = read_brand(view).await?;
        let name = brand.map(|brand| brand.handle.unwrap_or(brand.name));
        Ok(Self(name.unwrap_or_else(|| "sua equipe".into())))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Reads the team's brand. `None` if there is none, or the viewer may not read it. One read
/// suffices, because a team has far fewer keys than a read returns.
async fn read_brand(view: &View<'_>) -> Result<Option<Brand>> {
    if !view.may_call("get_config") {
        return Ok(None);
    }
    let mut read: Configuration = view.read("get_config", json!({ "limit": 200 })).await?;
    let brand = read.config.remove(Brand::KEY);
    Ok(brand.and_then(|entry| Brand::from_config(&entry.value).ok().flatten()))
}
