//! The account name that a preview shows above the post.

use std::collections::BTreeMap;

use domain::Brand;
use gateway::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{piece::model::Piece, publishing::Networks, view::View};

/// The account names that previews show.
#[derive(Debug)]
pub(crate) struct Signers<'a> {
    networks: Option<&'a Networks>,
    /// The name on a channel without a connected account.
    other: String,
}

#[derive(Deserialize)]
struct Configuration {
    config: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    value: Value,
}

impl<'a> Signers<'a> {
    /// Returns the names of connected accounts. Reads the handle or name of the team's brand if a
    /// channel of the piece has no account.
    pub async fn read(view: &View<'_>, networks: &'a Networks, piece: &Piece) -> Result<Self> {
        let variants = piece.variants.iter().map(|variant| &variant.canal);
        let mut channels = variants.chain([&piece.event.channel]);
        let brand = match channels.any(|channel| networks.account_name(channel).is_none()) {
            true => read_brand(view).await?,
            false => None,
        };
        Ok(Self {
            networks: Some(networks),
            ..Self::new(brand.map(|brand| brand.handle.unwrap_or(brand.name)))
        })
    }

    /// Uses one name for all channels.
    pub fn new(name: Option<String>) -> Self {
        Self {
            networks: None,
            other: name.unwrap_or_else(|| "sua equipe".into()),
        }
    }

    /// Returns the account name on a channel.
    pub fn name_on(&self, channel: &str) -> &str {
        let account = self.networks.and_then(|all| all.account_name(channel));
        account.unwrap_or(&self.other)
    }
}

/// Reads the team's brand. `None` if no brand is published, or the viewer may not read the
/// configuration. One read suffices, because a team has far fewer configuration keys than one read
/// returns.
async fn read_brand(view: &View<'_>) -> Result<Option<Brand>> {
    if !view.may_call("get_config") {
        return Ok(None);
    }
    let mut read: Configuration = view.read("get_config", json!({ "limit": 200 })).await?;
    let brand = read.config.remove(Brand::KEY);
    Ok(brand.and_then(|entry| Brand::from_config(&entry.value).ok().flatten()))
}
