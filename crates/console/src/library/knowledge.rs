//! Searches the knowledge base.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{area::page_spec, forms::error_notice, shell, view::View};

/// The search page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Knowledge {
    /// A pergunta; vazia mostra só o formulário.
    pergunta: Option<String>,
    /// Etiquetas, separadas por vírgula.
    etiquetas: Option<String>,
    /// Quantos trechos.
    limite: Option<i64>,
}

const ROUTE: Spec =
    page_spec("console_knowledge", "Conhecimento", "/conhecimento").fails(&[400, 403]);

pub(crate) const KNOWLEDGE: Entry =
    Entry::for_page::<Knowledge>(ROUTE, "Pesquisa na base de conhecimento da equipe.");

/// The numbers of passages that the form offers.
const LIMITS: [i64; 3] = [6, 12, 20];

#[derive(Deserialize)]
struct Found {
    contexto: String,
    citacoes: Vec<Citation>,
    busca: String,
    #[serde(default)]
    avisos: Vec<String>,
}

#[derive(Deserialize)]
struct Citation {
    id: String,
    documento_id: String,
    titulo: String,
    trecho: String,
    fonte: String,
}

impl Page for Knowledge {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let question = self.pergunta.as_deref().map(str::trim).unwrap_or_default();
        let limit = self.limite.filter(|limit| LIMITS.contains(limit));
        let limit = limit.unwrap_or(LIMITS[0]);
        let tags = self.etiquetas.as_deref().unwrap_or_default();
        let body = html! {
            h1 { "Conhecimento" }
            (draw_tabs(&view, false))
            p class="soft" { "A base de documentos da equipe e as skills publicadas." }
            form method="get" action=(view.href_to("/conhecimento")) role="search" class="stack" {
                label class="field" {
                    span { "Pergunta ou palavras" }
                    input type="search" name="pergunta" value=(question) maxlength="4000" dir="auto";
                    small { "Entre aspas, a expressão inteira; ferment* acha o que começa assim." }
                }
                div class="row compare" {
                    label class="field" {
                        span { "Só com a etiqueta" }
                        input name="etiquetas" value=(tags) maxlength="400" placeholder="todas";
                    }
                    label class="field" {
                        span { "Trechos" }
                        select name="limite" {
                            @for choice in LIMITS {
                                option value=(choice) selected[choice == limit] { "até " (choice) }
                            }
                        }
                    }
                    button type="submit" { "Pesquisar" }
                }
            }
            @if !question.is_empty() { (search_passages(&view, question, tags, limit).await?) }
        };
        Ok(shell::reading_page(&view, "Conhecimento", &body))
    }
}

async fn search_passages(
    view: &View<'_>,
    question: &str,
    tags: &str,
    limit: i64,
) -> Result<Markup> {
    let tags: Vec<&str> = tags
        .split(',')
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .collect();
    let tags = (!tags.is_empty()).then_some(tags);
    let input = json!({ "pergunta": question, "limite": limit, "tags": tags });
    match view.read::<Found>("search_knowledge", input).await {
        Ok(answer) => Ok(draw_passages(view, &answer)),
        Err(error) if error.status() == 400 => Ok(error_notice(&error)),
        Err(error) => Err(error),
    }
}

fn draw_passages(view: &View<'_>, answer: &Found) -> Markup {
    let documents = {
        let mut ids: Vec<&str> = answer
            .citacoes
            .iter()
            .map(|c| c.documento_id.as_str())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    };
    let how = match answer.busca.as_str() {
        "hibrida" => "pelas palavras e pelo sentido",
        _ => "pelas palavras",
    };
    html! {
        section aria-labelledby="trechos" {
            h2 id="trechos" {
                @match answer.citacoes.len() {
                    0 => "Nada encontrado",
                    1 => "1 trecho",
                    count => { (count) " trechos de " (documents) @if documents == 1 { " documento" } @else { " documentos" } }
                }
            }
            @if answer.citacoes.is_empty() {
                p { "A base não tem estas palavras. Tente outras, ou menos." }
            } @else {
                p class="soft" { "Pesquisado " (how) ", do mais ao menos relevante." }
            }
            @for aviso in &answer.avisos { p class="notice wait" { (aviso) } }
            ol class="plain-list" data-list {
                @for (at, citation) in answer.citacoes.iter().enumerate() {
                    li class="card" id=(format!("trecho-{}", citation.id)) data-item tabindex="-1" {
                        h3 dir="auto" { (at + 1) ". " (citation.titulo) }
                        p dir="auto" class="passage" { (citation.trecho) }
                        p class="soft" { "Fonte: " (draw_source(view, &citation.fonte)) }
                    }
                }
            }
            @if !answer.contexto.is_empty() {
                details {
                    summary { "Os trechos inteiros, como um agente os lê" }
                    pre class="document" dir="auto" tabindex="0" { (answer.contexto) }
                }
            }
        }
    }
}

/// Draws the tabs of the knowledge base. `lists` marks the list of documents as the current tab.
pub(super) fn draw_tabs(view: &View<'_>, lists: bool) -> Markup {
    html! {
        nav class="tabs" aria-label="Conhecimento" {
            a href=(view.href_to("/conhecimento")) aria-current=[(!lists).then_some("page")] { "Pesquisar" }
            a href=(view.href_to("/conhecimento/documentos")) aria-current=[lists.then_some("page")] { "Documentos" }
        }
    }
}

/// Draws the source of a document. The source of a skill links to the page of the skill.
pub(super) fn draw_source(view: &View<'_>, source: &str) -> Markup {
    match source.strip_prefix("skill:") {
        Some(name) => {
            html! { "skill " a href=(view.href_to(&format!("/skills/{name}"))) { (name) } }
        }
        None => html! { span class="mono" dir="auto" { (source) } },
    }
}
