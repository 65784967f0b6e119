use std::fmt::Write;

use schemars::JsonSchema;
use search::typed::Typed;
use serde::{Deserialize, Serialize};

use super::{events, found::Found, kinds::FoundKind, media};
use domain::VISIBLE;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{email_drafts, knowledge, members, projects, skills};

/// Procura eventos, projetos, e-mails, mídias, skills, documentos e pessoas pelas palavras.
///
/// Vale o radical de cada palavra, sem acento (`pães` acha `pão`); a última também acha as que
/// começam com ela, a não ser que um espaço a termine. Traz só o que quem chama pode listar.
/// Primeiro vem o que tem todas as palavras no título, depois o mais recente.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SearchEverything {
    /// As palavras.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    q: String,
    /// Só estes tipos, separados por vírgula: `evento`, `projeto`, `email`, `midia`, `skill`,
    /// `documento`, `pessoa`.
    #[schemars(regex(
        pattern = "^(evento|projeto|email|midia|skill|documento|pessoa)(,(evento|projeto|email|midia|skill|documento|pessoa)){0,6}$"
    ))]
    tipos: Option<String>,
    /// Quantos resultados de cada tipo, no máximo.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 50))]
    limite: u8,
}

fn default_limit() -> u8 {
    8
}

/// O que a busca achou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EverythingFound {
    /// Só os tipos em que algo foi achado.
    grupos: Vec<FoundGroup>,
}

/// Os resultados de um tipo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundGroup {
    tipo: FoundKind,
    resultados: Vec<Found>,
    /// Verdadeiro quando há mais resultados do que os listados.
    ha_mais: bool,
}

impl Operation for SearchEverything {
    const SPEC: Spec = Spec::new(
        "search_everything",
        "Procurar em tudo",
        Verb::Get,
        "/api/busca",
    )
    .access(Access::AnyMember)
    .extension();
    type Output = EverythingFound;

    async fn run(self, ctx: &Context<'_>) -> Result<EverythingFound> {
        let kinds = FoundKind::kinds_to_search(ctx.caller()?, self.tipos.as_deref())?;
        let limit = usize::from(self.limite);
        let mut grupos = vec![];
        for tipo in kinds {
            let mut resultados = self.search_kind(ctx, tipo, limit + 1).await?;
            let ha_mais = resultados.len() > limit;
            resultados.truncate(limit);
            if !resultados.is_empty() {
                grupos.push(FoundGroup {
                    tipo,
                    resultados,
                    ha_mais,
                });
            }
        }
        Ok(EverythingFound { grupos })
    }
}

impl SearchEverything {
    async fn search_kind(
        &self,
        ctx: &Context<'_>,
        kind: FoundKind,
        most: usize,
    ) -> Result<Vec<Found>> {
        let (db, typed) = (ctx.db(), Typed::parse(&self.q));
        Ok(match kind {
            FoundKind::Event => events::find_events(ctx, &typed, most).await?,
            FoundKind::Media => media::find_media(ctx, &typed, most).await?,
            FoundKind::Project => {
                let found = projects::find_by_query(&db, &typed, most)
                    .await?
                    .into_iter();
                let found = found.map(|text| Found::from_found_text(&typed, text));
                found
                    .map(|one| with_page_in_folder(one, "/projetos"))
                    .collect()
            }
            FoundKind::EmailDraft => {
                let found = email_drafts::find_by_query(&db, &typed, most).await?;
                let found = found
                    .into_iter()
                    .map(|text| Found::from_found_text(&typed, text));
                found
                    .map(|one| with_page_in_folder(one, "/emails"))
                    .collect()
            }
            FoundKind::Skill => {
                let found = skills::find_by_query(&db, &typed, most).await?.into_iter();
                let found = found.map(|skill| {
                    let id = skill.name.clone();
                    Found::new(&typed, id, &skill.name, &skill.description)
                        .with_date(skill.updated_at)
                });
                found
                    .map(|one| with_page_in_folder(one, "/skills"))
                    .collect()
            }
            FoundKind::Document => {
                let found = knowledge::find_by_query(&db, &typed, most)
                    .await?
                    .into_iter();
                found
                    .map(|document| self.document_result(&typed, document))
                    .collect()
            }
            FoundKind::Person => {
                let typed = Typed::parse_name(&self.q);
                let found = members::find_by_query(&db, &typed, most).await?.into_iter();
                let found = found.map(|member| {
                    let page = format!("/agenda?ver=lista&pessoa={}", member.id);
                    let id = member.id.as_str().to_owned();
                    Found::new(&typed, id, &member.name, "").with_page(page)
                });
                found.collect()
            }
        })
    }

    /// Builds the result for a document. If the document is a published skill, the result links to the
    /// skill.
    fn document_result(&self, typed: &Typed, document: knowledge::FoundDocument) -> Found {
        let page = match document.source.strip_prefix(knowledge::SKILL_SOURCE) {
            Some(skill) => format!("/skills/{skill}"),
            None => format!("/conhecimento?pergunta={}", encode_for_query(&self.q)),
        };
        let id = document.id.as_str().to_owned();
        let found = Found::new(typed, id, &document.title, &document.chunk);
        found.with_date(document.updated_at).with_page(page)
    }
}

/// Percent-encodes a text as a value in a query.
fn encode_for_query(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            // Writing to a `String` cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

fn with_page_in_folder(found: Found, folder: &str) -> Found {
    let page = format!("{folder}/{}", found.id);
    found.with_page(page)
}
