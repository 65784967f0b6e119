//! Finds a text in a draft and replaces it.

use gateway::{Code, Context, Entry, Error, Input, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    found::{Found, find},
    frame::{Tab, framed},
};
use crate::{
    area::receiver,
    editing::{self, done, form, given, rejected, typed},
    links::encoded,
    view::View,
};

/// What the form sends.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Replace {
    id: String,
    procurar: Option<String>,
    trocar_por: Option<String>,
    /// `true` troca todas as ocorrências.
    todas: Option<String>,
    /// O `updated_at` que foi lido.
    lido: Option<String>,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const ROUTE: Spec = receiver(
    "console_replace_in_email_draft",
    "Trocar um trecho",
    "/emails/{id}/trocar",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(3_000_000);

pub(crate) const REPLACE: Entry = Entry::page::<Replace>(
    ROUTE,
    "Troca um trecho de um rascunho; mostra onde ele está se não é único ou o rascunho mudou.",
);

const OPERATION: &str = "replace_in_email_draft";
/// The longest text that is searched.
const LONGEST: usize = 1000;

/// What the person has typed.
#[derive(Default)]
struct Typed<'a> {
    search: &'a str,
    with: &'a str,
    all: bool,
}

/// The tab: a search, what it found, and the form that replaces it.
pub(super) fn tab(view: &View<'_>, found: &Found, search: Option<&str>) -> Markup {
    let typed = Typed {
        search: search.unwrap_or_default(),
        ..Typed::default()
    };
    shown(view, found, &typed, None)
}

fn shown(view: &View<'_>, found: &Found, typed: &Typed<'_>, notice: Option<&str>) -> Markup {
    let path = format!("/emails/{}", encoded(&found.draft.template_id));
    html! {
        @if let Some(notice) = notice { p class="notice wait" role="alert" { (notice) } }
        form method="get" action=(view.at(&path)) role="search" class="row compare" {
            input type="hidden" name="aba" value="trocar";
            label class="field wide" {
                span { "Localizar no HTML" }
                input type="search" name="busca" value=(typed.search) maxlength=(LONGEST) required dir="auto";
            }
            button type="submit" class="quiet" { "Localizar" }
        }
        @if let Some(occurrences) = &found.ocorrencias {
            section aria-labelledby="ocorrencias" {
                h2 id="ocorrencias" {
                    @match occurrences.total {
                        0 => "Não aparece no HTML",
                        1 => "Aparece uma vez",
                        total => { "Aparece " (total) " vezes" }
                    }
                }
                @if occurrences.total > occurrences.trechos.len() {
                    p class="soft" { "As primeiras " (occurrences.trechos.len()) ":" }
                }
                ol class="found" {
                    @for passage in &occurrences.trechos {
                        li class="mono" dir="auto" { (marked(&passage.trecho, typed.search)) }
                    }
                }
            }
        }
        @if view.may_call(OPERATION) { (replacing(view, found, typed)) }
    }
}

fn replacing(view: &View<'_>, found: &Found, typed: &Typed<'_>) -> Markup {
    let (id, read) = (&found.draft.template_id, &found.draft.updated_at);
    let fields = html! {
        input type="hidden" name="lido" value=(read);
        label class="field" {
            span { "Trocar o trecho" }
            textarea name="procurar" id=(format!("procurar-{read}-{}", typed.search.len())) rows="3" class="mono" required spellcheck="false" dir="auto" { "\n" (typed.search) }
            small { "Exatamente como está no HTML, com maiúsculas, espaços e acentos." }
        }
        label class="field" {
            span { "por" }
            textarea name="trocar_por" id=(format!("trocar-{read}")) rows="3" class="mono" spellcheck="false" dir="auto" { "\n" (typed.with) }
            small { "Vazio apaga o trecho." }
        }
        label class="choice" {
            input type="checkbox" name="todas" value="true" checked[typed.all];
            span { "Trocar todas as ocorrências" }
        }
        button type="submit" { "Trocar" }
    };
    html! {
        h2 { "Trocar" }
        (form(view, &format!("/emails/{}/trocar", encoded(id)), &fields))
    }
}

/// A passage with each occurrence marked, whatever its case.
fn marked(passage: &str, search: &str) -> Markup {
    let needle: Vec<char> = search.chars().flat_map(char::to_lowercase).collect();
    let hay: Vec<char> = passage.chars().collect();
    let fits = |at: usize| {
        hay.get(at..at + needle.len()).is_some_and(|part| {
            part.iter()
                .zip(&needle)
                .all(|(c, n)| c.to_lowercase().eq([*n]))
        })
    };
    let (mut pieces, mut plain, mut at) = (vec![], String::new(), 0);
    while at < hay.len() {
        if !needle.is_empty() && fits(at) {
            pieces.push((std::mem::take(&mut plain), false));
            pieces.push((hay[at..at + needle.len()].iter().collect(), true));
            at += needle.len();
        } else {
            plain.push(hay[at]);
            at += 1;
        }
    }
    pieces.push((plain, false));
    html! {
        @for (text, is_match) in &pieces {
            @if *is_match { mark { (text) } } @else { (text) }
        }
    }
}

impl Page for Replace {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let (search, with) = (typed(self.procurar), typed(self.trocar_por));
        let written = Typed {
            search: &search,
            with: &with,
            all: self.todas.as_deref() == Some("true"),
        };
        let input = json!({
            "templateId": self.id, "procurar": search, "trocar_por": with, "todas": written.all,
            "expected_updated_at": self.lido, "idempotency_key": self.pedido,
        });
        let input: Input = match given(input) {
            Value::Object(fields) => fields,
            _ => Input::new(),
        };
        let Err(error) = ctx.call(OPERATION, input).await else {
            let back = format!("/emails/{}?aba=trocar", encoded(&self.id));
            return Ok(done(&view, &back, OPERATION));
        };
        let Some(notice) = advice(&error) else {
            let back = form(
                &view,
                &format!("/emails/{}/trocar", encoded(&self.id)),
                &html! {},
            );
            return Ok(rejected(&view, "Nada foi trocado", &error, &back));
        };
        let shown_search = (search.chars().count() <= LONGEST).then_some(search.as_str());
        let found = find(&view, &self.id, shown_search).await?;
        let content = shown(&view, &found, &written, Some(&notice));
        let page = framed(&view, &found.draft, Tab::Replace, &content);
        let place = format!("/emails/{}?aba=trocar", encoded(&self.id));
        Ok(editing::page(&view, &self.id, &page)
            .status(error.status())
            .header("hx-push-url", view.at(&place)))
    }
}

/// What a person does about a text that was not replaced; nothing where the refusal says it.
fn advice(error: &Error) -> Option<String> {
    let told = match error.code.as_str() {
        code if code == Code::STALE_REVISION.as_str() => {
            "O rascunho mudou enquanto você escrevia. Abaixo está onde o trecho aparece agora: confira e troque de novo."
        }
        "TEXT_NOT_FOUND" => {
            "O trecho não está no HTML exatamente assim. Veja abaixo o que é parecido e copie dali."
        }
        "TEXT_NOT_UNIQUE" => {
            "O trecho aparece mais de uma vez. Aumente-o até ser único, ou marque “Trocar todas as ocorrências”."
        }
        _ => return None,
    };
    Some(format!("{told} Nada foi trocado."))
}
