//! The form of the brand: name, colours, typeface and logo. Every generated image uses the brand.
//!
//! The cards beside the form are drawn by the same function as real cards. A button that adds or
//! removes a colour returns the form, so the page works without a script.

use domain::{Brand, Font, Style};
use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    brand_logo::{Logo, logo_field, logo_upload, read_logos},
    settings::{Version, read_current_version},
};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{
        Field, error_notice, field_value, is_stale, keyed_input, notice_reply, redirect_after,
        returned_key_field, with_error_status,
    },
    links::percent_encode,
    shell, text,
    view::View,
};

/// The page with the form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct BrandPage {
    /// A imagem que acabou de ser enviada, para ser a logo.
    logo: Option<String>,
}

/// The form of the brand.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PublishBrand {
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

pub(super) const PATH: &str = "/configuracao/marca";
const ROUTE: Spec = page_spec("console_brand", "Marca", PATH).fails(&[403]);
const PUBLISH: Spec = receiver_spec("console_publish_brand", "Publicar a marca", PATH)
    .takes(InputForm::Fields)
    .partial(&[303])
    .fails(&[400, 403, 409, 413]);

pub(crate) const BRAND: Entry = Entry::for_page::<BrandPage>(
    ROUTE,
    "A marca da equipe, com a prévia de um card em cada estilo.",
);
pub(crate) const PUBLISH_BRAND: Entry = Entry::for_page::<PublishBrand>(
    PUBLISH,
    "Publica a marca da equipe, ou devolve o formulário com uma cor a mais ou a menos.",
);

pub(super) const OPERATION: &str = "publish_config_version";
/// The minimum and maximum number of colours.
const COLORS: (usize, usize) = (2, 5);
/// The initial colour of an added field.
const NEW_COLOR: &str = "#888888";
/// The name of a brand without a name, and the text, on the sample cards.
const UNNAMED: &str = "Sua marca";
const SAMPLE: &str = "Um título da marca\n\nO texto de um card, como sai.";

/// The content of the form.
#[derive(Debug, Default, Clone, PartialEq)]
struct Draft {
    name: String,
    handle: String,
    colors: Vec<String>,
    font: String,
    logo: String,
    version: i64,
    form_key: String,
}

impl Draft {
    /// Creates the content of the form from the published brand, or from default values if no brand is
    /// published.
    fn from_version(version: Option<&Version>) -> Self {
        let value = version.map_or(&Value::Null, |version| &version.value);
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let colors = value["cores"].as_array().into_iter().flatten();
        let mut colors: Vec<String> = colors
            .filter_map(Value::as_str)
            .map(lowercase_color)
            .collect();
        for first in ["#8f2d1e", "#f6ecda"].iter().skip(colors.len()) {
            colors.push((*first).into());
        }
        Self {
            name: text("nome"),
            handle: text("handle"),
            colors,
            font: text("fonte"),
            logo: text("logo"),
            version: version.map_or(0, |version| version.version),
            form_key: String::new(),
        }
    }

    fn from_fields(fields: &[Field]) -> Self {
        let text = |name: &str| field_value(fields, name).trim().to_owned();
        let colors = fields.iter().filter(|field| field.name == "cor");
        let mut draft = Self {
            name: text("nome"),
            handle: text("handle"),
            colors: colors
                .map(|field| field.value.clone())
                .take(COLORS.1)
                .collect(),
            font: text("fonte"),
            logo: text("logo"),
            version: text("versao").parse().unwrap_or(0),
            form_key: text("pedido"),
        };
        let (what, at) = field_value(fields, "fazer")
            .split_once(':')
            .unwrap_or(("", ""));
        let at = at.parse::<usize>().ok();
        let count = draft.colors.len();
        match (what, at) {
            ("cor", _) if count < COLORS.1 => draft.colors.push(NEW_COLOR.into()),
            ("tirar", Some(at)) if at < count && count > COLORS.0 => {
                draft.colors.remove(at);
            }
            _ => {}
        }
        draft
    }

    /// Returns the value to store under the configuration key of the brand.
    fn to_value(&self) -> Value {
        let mut value = Map::new();
        value.insert("nome".into(), self.name.clone().into());
        for (name, text) in [
            ("handle", &self.handle),
            ("fonte", &self.font),
            ("logo", &self.logo),
        ] {
            if !text.is_empty() {
                value.insert(name.into(), text.clone().into());
            }
        }
        let colors = self.colors.iter().map(|color| color.to_uppercase());
        value.insert("cores".into(), colors.collect::<Vec<_>>().into());
        Value::Object(value)
    }
}

impl Draft {
    /// Returns the brand for the sample cards, with a placeholder for a missing name.
    fn preview_value(&self) -> Value {
        let mut value = self.to_value();
        if self.name.is_empty() {
            value["nome"] = UNNAMED.into();
        }
        value
    }
}

/// Converts a colour to lower case, because HTML colour inputs accept only lower case.
fn lowercase_color(color: &str) -> String {
    color.to_lowercase()
}

impl Page for BrandPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let stored = read_current_version(&view, Brand::KEY).await?;
        let mut draft = Draft::from_version(stored.as_ref());
        if let Some(logo) = self.logo {
            draft.logo = logo;
        }
        show_form(&view, &draft, None).await
    }
}

impl Page for PublishBrand {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let draft = Draft::from_fields(&self.fields);
        if !field_value(&self.fields, "fazer").is_empty() {
            return Ok(show_form(&view, &draft, None)
                .await?
                .with_header("hx-push-url", "false"));
        }
        let fields = json!({
            "key": Brand::KEY, "expected_version": draft.version, "value": draft.to_value(),
        });
        let input = keyed_input(Some(&draft.form_key), fields).await?;
        match view.call::<Value>(OPERATION, input).await {
            Ok(_) => Ok(redirect_after(&view, PATH, OPERATION)),
            Err(error) if is_stale(&error) => {
                let stored = read_current_version(&view, Brand::KEY).await?;
                let mine = Draft {
                    version: stored.as_ref().map_or(0, |stored| stored.version),
                    ..draft
                };
                let told = stale_notice(&view, stored.as_ref());
                let reply = show_form(&view, &mine, Some(told)).await?;
                Ok(with_error_status(reply, &error).with_header("hx-push-url", "false"))
            }
            Err(error) if ctx.origin.head.partial => Ok(notice_reply(&error)),
            Err(error) => {
                let reply = show_form(&view, &draft, Some(error_notice(&error))).await?;
                Ok(with_error_status(reply, &error))
            }
        }
    }
}

/// Draws the notice that another person has published the brand in the meantime.
fn stale_notice(view: &View<'_>, stored: Option<&Version>) -> Markup {
    html! {
        div class="notice wait" role="alert" {
            p { strong { "A marca mudou enquanto você a editava." } " Nada foi publicado, e o que você escolheu está aqui." }
            @if let Some(stored) = stored {
                p {
                    @if let Some(name) = &stored.updated_by_name { (name) " publicou a versão " } @else { "A versão de agora é a " }
                    (stored.version) ", " (text::time_tag(&stored.updated_at)) ". "
                    a href=(view.href_to(PATH)) { "Ficar com a publicada" }
                }
            }
        }
    }
}

async fn show_form(view: &View<'_>, draft: &Draft, told: Option<Markup>) -> Result<Reply> {
    let logos = read_logos(view, &draft.logo).await?;
    let title = "Marca";
    let body = html! {
        p class="crumbs" { a href=(view.href_to("/configuracao")) { "Configuração" } }
        h1 { (title) }
        p class="soft" {
            "O que toda imagem gerada pela Pauta leva. As imagens que já existem não mudam."
            @if draft.version > 0 {
                " " a href=(view.href_to(&format!("/configuracao/valor?chave={}", Brand::KEY))) { "Versões" }
            }
        }
        @if let Some(told) = told { (told) }
        div class="beside" data-module="brand" data-preview=(view.href_to("/previa")) {
            div {
                (brand_form(view, draft, &logos))
                (logo_upload(view))
            }
            (draw_samples(view, draft))
        }
    };
    Ok(shell::reading_page(view, title, &body))
}

const fn font_name(font: Font) -> &'static str {
    match font {
        Font::Cinzel => "Cinzel",
        Font::Garamond => "Garamond",
        Font::Inter => "Inter",
        Font::Fraunces => "Fraunces",
        Font::Newsreader => "Newsreader",
        Font::Bricolage => "Bricolage",
    }
}

fn brand_form(view: &View<'_>, draft: &Draft, logos: &[Logo]) -> Markup {
    let (fewest, most) = COLORS;
    let count = draft.colors.len();
    html! {
        form id="marca" method="post" action=(view.href_to(PATH)) class="form stack" {
            (returned_key_field(&draft.form_key))
            input type="hidden" name="versao" value=(draft.version);
            // The Enter key presses the first button of a form, so the button that publishes comes
            // first.
            button type="submit" class="sr" tabindex="-1" aria-hidden="true" { "Publicar a marca" }
            label class="field" {
                span { "Nome" }
                input name="nome" value=(draft.name) required maxlength="80" autocomplete="off" dir="auto";
            }
            label class="field" {
                span { "Perfil" }
                input name="handle" value=(draft.handle) maxlength="31" autocomplete="off" placeholder="@cozinha.boa";
                small { "Assina as imagens. Sem ele, assina o nome." }
            }
            fieldset class="colors" {
                legend { "Cores" }
                @for (at, color) in draft.colors.iter().enumerate() {
                    div class="row" {
                        label {
                            input type="color" name="cor" value=(lowercase_color(color));
                            span { @if at == 0 { "Principal" } @else { "Cor " (at + 1) } }
                        }
                        @if count > fewest && at > 0 {
                            button type="submit" class="quiet" name="fazer" value={ "tirar:" (at) } {
                                "Tirar" span class="sr" { " a cor " (at + 1) }
                            }
                        }
                    }
                }
                @if count < most { button type="submit" class="quiet" name="fazer" value="cor:" { "+ Cor" } }
            }
            label class="field" {
                span { "Letra dos títulos" }
                select name="fonte" {
                    option value="" { "A de cada estilo" }
                    @for font in Font::ALL {
                        option value=(font.as_str()) selected[font.as_str() == draft.font] { (font_name(*font)) }
                    }
                }
            }
            (logo_field(&draft.logo, logos))
            div class="row" {
                button type="submit" { "Publicar a marca" }
                button type="submit" class="quiet unscripted" name="fazer" value="previa:" { "Pré-visualizar" }
            }
            div class="outcome" role="alert" {}
        }
    }
}

/// Draws a card in each style with the brand of the form.
fn draw_samples(view: &View<'_>, draft: &Draft) -> Markup {
    let brand = draft.preview_value();
    let is_drawable = Brand::from_config(&brand).is_ok();
    let address = |style: &Style| {
        let brand = percent_encode(&brand.to_string());
        let query = format!(
            "text={}&page=1&pages=3&style={}&brand={brand}",
            percent_encode(SAMPLE),
            style.as_str()
        );
        view.href_to(&format!("/previa?{query}"))
    };
    html! {
        section aria-labelledby="exemplos" {
            h2 id="exemplos" { "Como ficam os cards" }
            p class="soft" data-told role="status" {
                @if !is_drawable { "Os cards aparecem quando o nome e o perfil estiverem certos." }
            }
            ul class="samples" data-text=(SAMPLE) data-name=(UNNAMED) {
                @for style in Style::ALL {
                    li {
                        figure {
                            img data-style=(style.as_str()) src=[is_drawable.then(|| address(style))] width="240" height="300"
                                alt={ "Card no estilo " (style.as_str()) } hidden[!is_drawable];
                            figcaption { (style_name(*style)) }
                        }
                    }
                }
            }
        }
    }
}

const fn style_name(style: Style) -> &'static str {
    match style {
        Style::Epico => "Épico",
        Style::Minimalista => "Minimalista",
        Style::Editorial => "Editorial",
        Style::Vibrante => "Vibrante",
    }
}
