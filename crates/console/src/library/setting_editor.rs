//! Publishes versions of the configuration.

use domain::Brand;
use gateway::{
    Code, Context, Entry, Error, InputForm, Page, Registered, Reply, Result, SMALL_INPUT, Spec,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    configuration::written,
    settings::{Version, current},
};
use crate::{
    area::{page, receiver},
    editing::{self, Conflict, done, form, given, given_back, rejected, typed, when},
    fields,
    links::encoded,
    view::View,
};

/// The form of a key; of a new one where none is named.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EditSetting {
    chave: Option<String>,
}

/// What the form sends.
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

const EDIT: Spec = page(
    "console_edit_setting",
    "Editar configuração",
    "/configuracao/editar",
)
.fails(&[400, 403, 404]);
const PUBLISH: Spec = receiver(
    "console_publish_setting",
    "Publicar configuração",
    "/configuracao",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(3_000_000);

pub(crate) const EDIT_SETTING: Entry =
    Entry::page::<EditSetting>(EDIT, "O formulário de uma chave de configuração.");
pub(crate) const PUBLISH_SETTING: Entry = Entry::page::<PublishSetting>(
    PUBLISH,
    "Publica uma versão de uma chave; mostra as duas se outra foi publicada antes.",
);

const OPERATION: &str = "publish_config_version";
const TEXT: &str = "texto";
const JSON: &str = "json";

/// What is published.
struct Draft<'a> {
    key: &'a str,
    kind: &'a str,
    text: &'a str,
    /// The version that it follows; 0 for a new key.
    version: i64,
}

impl Draft<'_> {
    /// The value, by the rules of the operation that publishes it.
    async fn value(&self, operation: &Registered) -> Result<Value> {
        if self.kind == TEXT {
            return Ok(self.text.into());
        }
        let is_large = self.text.len() > SMALL_INPUT;
        let most = operation.spec.values;
        let (value, _) = fields::json("valor", self.text, most, is_large).await?;
        Ok(value)
    }
}

/// The kind of a value in the form.
fn kind(value: &Value) -> &'static str {
    if value.is_string() { TEXT } else { JSON }
}

impl Page for EditSetting {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let operation = view.operation(OPERATION);
        let operation = operation.ok_or_else(|| Error::not_found("operação"))?;
        view.caller.authorize(operation.spec.access)?;
        let Some(key) = self.chave.filter(|key| !key.is_empty()) else {
            let draft = Draft {
                key: "",
                kind: TEXT,
                text: "",
                version: 0,
            };
            let body = html! {
                h1 { "Nova chave" }
                (editor(&view, &draft, "Publicar"))
            };
            return Ok(editing::page(&view, "Nova chave", &body));
        };
        let found = current(&view, &key).await?;
        let found = found.ok_or_else(|| Error::not_found("chave de configuração"))?;
        let draft = Draft {
            key: &key,
            kind: kind(&found.value),
            text: &written(&found.value),
            version: found.version,
        };
        let title = format!("Editar {key}");
        let body = html! {
            h1 dir="auto" { (title) }
            p class="soft" { "Sai da versão " (found.version) ". As anteriores ficam no histórico." }
            (editor(&view, &draft, &format!("Publicar a versão {}", found.version + 1)))
        };
        Ok(editing::page(&view, &title, &body))
    }
}

fn editor(view: &View<'_>, draft: &Draft<'_>, label: &str) -> Markup {
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
            textarea name="valor" id=(format!("valor-{}-{}", encoded(draft.key), draft.version))
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
                a href=(view.at(&place(draft.key))) { "Cancelar" }
            }
        }
    };
    form(view, "/configuracao", &fields)
}

/// The form that publishes an earlier value again.
pub(super) fn restore(view: &View<'_>, key: &str, version: &Version, current: i64) -> Markup {
    let fields = html! {
        input type="hidden" name="chave" value=(key);
        input type="hidden" name="versao" value=(current);
        input type="hidden" name="tipo" value=(JSON);
        input type="hidden" name="valor" value=(version.value);
        button type="submit" { "Restaurar a versão " (version.version) " como versão " (current + 1) }
    };
    form(view, "/configuracao", &fields)
}

/// The page of a key.
fn place(key: &str) -> String {
    format!("/configuracao/valor?chave={}", encoded(key))
}

impl Page for PublishSetting {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let (key, text) = (self.chave.unwrap_or_default(), typed(self.valor));
        let kind = self.tipo.unwrap_or_default();
        let draft = Draft {
            key: &key,
            kind: &kind,
            text: &text,
            version: self.versao.unwrap_or(0),
        };
        let operation = view.operation(OPERATION);
        let operation = operation.ok_or_else(|| Error::not_found("operação"))?;
        let outcome = match draft.value(operation).await {
            Ok(value) => {
                let input = given(json!({
                    "key": key, "expected_version": draft.version,
                    "idempotency_key": self.pedido,
                }));
                let Value::Object(mut input) = input else {
                    return Err(Error::internal("an input is an object"));
                };
                // The value may itself be null.
                input.insert("value".into(), value);
                ctx.call(OPERATION, input).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(_) => Ok(done(&view, &place(&key), OPERATION)),
            Err(error) if error.code == Code::STALE_REVISION => {
                let stored = current(&view, &key).await?.ok_or(error)?;
                conflict(&view, &draft, &stored).await
            }
            Err(error) => {
                let editor = given_back([draft.text], || editor(&view, &draft, "Publicar"));
                Ok(rejected(&view, "A configuração não mudou", &error, &editor))
            }
        }
    }
}

async fn conflict(view: &View<'_>, draft: &Draft<'_>, stored: &Version) -> Result<Reply> {
    let mine = Draft {
        version: stored.version,
        ..*draft
    };
    let by = html! {
        @if let Some(name) = &stored.updated_by_name { (name) " publicou a versão " }
        @else { "A versão publicada agora é a " }
        (stored.version) " (" (when(&stored.updated_at)) ")."
    };
    Conflict {
        what: "o valor",
        by,
        stored: &written(&stored.value),
        mine: draft.text,
        again: given_back([mine.text], || {
            let label = format!("Publicar a minha como versão {}", stored.version + 1);
            editor(view, &mine, &label)
        }),
        keep: place(draft.key),
    }
    .reply(view)
    .await
}
