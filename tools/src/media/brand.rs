//! The team's brand for generated images, from the configuration.

use std::sync::Arc;

use super::photo::{load_file, require_image};
use domain::Brand;
use gateway::{Context, Error, Result, parse_value};
use ports::Look;
use store::{config, media};

/// Maximum values in a brand, over all nesting levels.
const MOST_VALUES: usize = 50;

const UNREAD: &str =
    "A configuração `marca` não segue o formato e não foi usada: publique-a de novo.";
const NO_LOGO: &str = "A logo da configuração `marca` não pôde ser lida e ficou de fora.";

/// Loads the look of the team's brand, and a warning about a part that could not be used.
pub(super) async fn load_look(ctx: &Context<'_>) -> Result<(Option<Arc<Look>>, Option<String>)> {
    let Some(value) = config::find_current_value(&ctx.db(), Brand::KEY).await? else {
        return Ok((None, None));
    };
    let brand = match Brand::from_config(&serde_json::from_str(&value)?) {
        Ok(None) => return Ok((None, None)),
        Ok(Some(brand)) => brand,
        Err(_) => return Ok((None, Some(UNREAD.into()))),
    };
    build_look(ctx, brand)
        .await
        .map(|(look, warning)| (Some(look), warning))
}

/// Builds the look of an unpublished brand, for a preview. Refuses (404) a logo that the caller may not
/// see.
pub(super) async fn preview_look(ctx: &Context<'_>, brand: &str) -> Result<Arc<Look>> {
    let (value, _) = parse_value("brand", brand, MOST_VALUES)?;
    let brand = Brand::from_config(&value).map_err(Error::from_faults)?;
    let brand = brand.ok_or_else(|| Error::invalid_field("brand", "type", "deve ser objeto"))?;
    if let Some(logo) = &brand.logo {
        require_image(ctx, logo).await?;
    }
    build_look(ctx, brand).await.map(|(look, _)| look)
}

async fn build_look(ctx: &Context<'_>, brand: Brand) -> Result<(Arc<Look>, Option<String>)> {
    let mut logo = None;
    if let Some(id) = &brand.logo
        && let Some(medium) = media::find(&ctx.db(), id).await?
    {
        logo = load_file(ctx.services, &medium).await.ok();
    }
    let warning = (brand.logo.is_some() && logo.is_none()).then(|| NO_LOGO.to_owned());
    let look = Look {
        colors: brand.colors,
        font: brand.font,
        signer: brand.handle.unwrap_or(brand.name),
        logo,
    };
    Ok((Arc::new(look), warning))
}
