//! Publishes versions of a configuration key.

use domain::Brand;
use gateway::{
    Context, Entry, Error, InputForm, Page, Registered, Reply, Result, SMALL_INPUT, Spec,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    configuration::value_text,
    settings::{Version, read_current_version},
};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{
        Conflict, form_or_hint, is_stale, page_form, parse_json, redirect_after, refuse_form,
        unix_lines, with_key,
    },
    links::percent_encode,
    shell, text,
    view::{View, input_without_nulls},
};

/// The page with the form of a key. Without a key, the form creates a new key.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EditSetting {
    chave: Option<String>,
}

/// The form of a value.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PublishSetting {
    chave: Option<String>,
    /// `texto` ou `json`.
    tipo: Option<String>,
    valor: Option<String>,
    /// A versão que foi lida.
    versao: Option<i64>,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const EDIT: Spec = page_spec(
    "console_edit_setting",
    "Editar configuração",
    "/configuracao/editar",
)
.fails(&[400, 403, 404]);
const PUBLISH: Spec = receiver_spec(
    "console_publish_setting",
    "Publicar configuração",
    "/configuracao",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(3_000_000);

pub(crate) const EDIT_SETTING: Entry =
    Entry::for_page::<EditSetting>(EDIT, "O formulário de uma chave de configuração.");
pub(crate) const PUBLISH_SETTING: Entry = Entry::for_page::<PublishSetting>(
    PUBLISH,
    "Publica uma versão de uma chave; mostra as duas se outra foi publicada antes.",
);

const OPERATION: &str = "publish_config_version";
const TEXT: &str = "texto";
const JSON: &str = "json";

/// The fields of a value in its form.
struct Draft<'a> {
    key: &'a str,
    kind: &'a str,
    text: &'a str,
    /// The version that this draft replaces; 0 for a new key.
    version: i64,
}

impl Draft<'_> {
    /// Parses the value within the limits of the operation.
    async fn parse_value(&self, operation: &Registered) -> Result<Value> {
        if self.kind == TEXT {
            return Ok(self.text.into());
        }
        let is_large = self.text.len() > SMALL_INPUT;
        let most = operation.spec.values;
        let (value, _) = parse_json("valor", self.text, most, is_large).await?;
        Ok(value)
    }
}

/// Returns the kind of a value: text or JSON.
fn value_kind(value: &Value) -> &'static str {
    if value.is_string() { TEXT } else { JSON }
}

impl Page for EditSetting {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let Some(key) = self.chave.filter(|key| !key.is_empty()) else {
            let draft = Draft {
                key: "",
                kind: TEXT,
                text: "",
                version: 0,
            };
            let body = html! {
                h1 { "Nova chave" }
                (value_form(&view, &draft, "Publicar"))
            };
            return Ok(shell::reading_page(&view, "Nova chave", &body));
        };
        let stored = read_current_version(&view, &key).await?;
        let stored = stored.ok_or_else(|| Error::not_found("chave de configuração"))?;
        let draft = Draft {
            key: &key,
            kind: value_kind(&stored.value),
            text: &value_text(&stored.value),
            version: stored.version,
        };
        let title = format!("Editar {key}");
        let body = html! {
            h1 dir="auto" { (title) }
            p class="soft" { "Sai da versão " (stored.version) ". As anteriores ficam no histórico." }
            (value_form(&view, &draft, &format!("Publicar a versão {}", stored.version + 1)))
        };
        Ok(shell::reading_page(&view, &title, &body))
    }
}

fn value_form(view: &View<'_>, draft: &Draft<'_>, label: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="versao" value=(draft.version);
        @if draft.version == 0 {
            label class="field" {
                span { "Chave" }
                input name="chave" value=(draft.key) required maxlength="200" autocomplete="off" dir="auto";
                small { "Como editoria.canais. A chave marca dá o visual das imagens." }
            }
        } @else {
            input type="hidden" name="chave" value=(draft.key);
        }
        label class="field" {
            span { "Tipo do valor" }
            select name="tipo" {
                option value=(TEXT) selected[draft.kind == TEXT] { "Texto" }
                option value=(JSON) selected[draft.kind != TEXT] { "JSON (lista, número, objeto)" }
            }
        }
        label class="field" {
            span { "Valor" }
            textarea name="valor" id=(format!("valor-{}-{}", percent_encode(draft.key), draft.version))
                rows="14" class="mono" dir="auto" { "\n" (draft.text) }
            @if draft.key == Brand::KEY {
                small {
                    "Um objeto com nome, handle (@…), logo (id de uma imagem guardada), cores (de 2 a 5, "
                    "como #8F2D1E, a principal primeiro) e fonte (cinzel, garamond, inter, fraunces, newsreader ou bricolage)."
                }
            }
        }
        div class="row" {
            button type="submit" { (label) }
            @if draft.version > 0 {
                a href=(view.href_to(&setting_path(draft.key))) { "Cancelar" }
            }
        }
    };
    page_form(view, "/configuracao", &fields)
}

/// Draws the form that publishes an earlier version again.
pub(super) fn restore_form(view: &View<'_>, key: &str, version: &Version, current: i64) -> Markup {
    let fields = html! {
        input type="hidden" name="chave" value=(key);
        input type="hidden" name="versao" value=(current);
        input type="hidden" name="tipo" value=(JSON);
        input type="hidden" name="valor" value=(version.value);
        button type="submit" { "Restaurar a versão " (version.version) " como versão " (current + 1) }
    };
    page_form(view, "/configuracao", &fields)
}

/// Returns the path of a key's page.
fn setting_path(key: &str) -> String {
    format!("/configuracao/valor?chave={}", percent_encode(key))
}

impl Page for PublishSetting {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let key = self.chave.unwrap_or_default();
        let text = unix_lines(&self.valor.unwrap_or_default());
        let kind = self.tipo.unwrap_or_default();
        let draft = Draft {
            key: &key,
            kind: &kind,
            text: &text,
            version: self.versao.unwrap_or(0),
        };
        let operation = view.get_operation(OPERATION)?;
        let outcome = match draft.parse_value(operation).await {
            Ok(value) => {
                let mut input =
                    input_without_nulls(json!({ "key": key, "expected_version": draft.version }));
                // `input_without_nulls` removes null fields, but null is a valid value, so the value is
                // added afterwards.
                input.insert("value".into(), value);
                let input = with_key(input, self.pedido.as_deref()).await?;
                ctx.call(OPERATION, input).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(_) => Ok(redirect_after(&view, &setting_path(&key), OPERATION)),
            Err(error) if is_stale(&error) => {
                let stored = read_current_version(&view, &key).await?.ok_or(error)?;
                conflict_reply(&view, &draft, &stored).await
            }
            Err(error) => {
                let editor = form_or_hint([draft.text], || value_form(&view, &draft, "Publicar"));
                Ok(refuse_form(
                    &view,
                    "A configuração não mudou",
                    &error,
                    &editor,
                ))
            }
        }
    }
}

async fn conflict_reply(view: &View<'_>, draft: &Draft<'_>, stored: &Version) -> Result<Reply> {
    let mine = Draft {
        version: stored.version,
        ..*draft
    };
    let by = html! {
        @if let Some(name) = &stored.updated_by_name { (name) " publicou a versão " }
        @else { "A versão publicada agora é a " }
        (stored.version) " (" (text::time_tag(&stored.updated_at)) ")."
    };
    Conflict {
        what: "o valor",
        by,
        stored: &value_text(&stored.value),
        mine: draft.text,
        again: form_or_hint([mine.text], || {
            let label = format!("Publicar a minha como versão {}", stored.version + 1);
            value_form(view, &mine, &label)
        }),
        keep: setting_path(draft.key),
    }
    .choice_page(view)
    .await
}
