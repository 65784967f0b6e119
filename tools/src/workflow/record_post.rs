use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::hints;
use crate::announcements::PIECE_PUBLISHED;
use crate::{
    editable::{NOT_APPROVED, require_revision},
    publishing::{by_hand::record_by_hand, scheduled::has_offline_variants},
    visibility::{self, EVENT},
};
use domain::{
    Capability, Event, EventId, EventStatus, Revision, VISIBLE, VariantId, variant::Variant,
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change},
    variants,
};

/// The maximum length of the normalized link, in bytes.
const LONGEST: usize = 2_000;

/// Registra o post que uma pessoa publicou à mão, com o link dele.
///
/// Um evento `aprovado` vira `publicado`; num já `publicado`, o link novo substitui o anterior.
/// Sem link a informar, use `update_event` com `status` `publicado`.
///
/// Com `variant_id`, registra o post de uma variante, e o link pode faltar: o evento vira `publicado`
/// quando todas as variantes estiverem no ar.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RecordPost {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// O endereço do post na rede, com `https://`.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    post_url: Option<String>,
    /// A variante publicada; ausente, é o post da peça.
    variant_id: Option<VariantId>,
}

/// Post registrado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PostRecorded {
    ok: bool,
    status: EventStatus,
    api_revision: Revision,
    /// O link, como ficou guardado; nulo se nenhum foi informado.
    post_url: Option<String>,
}

impl Operation for RecordPost {
    const SPEC: Spec = Spec::new(
        "record_post",
        "Registrar post publicado à mão",
        Verb::Post,
        "/api/eventos/{eventId}/post",
    )
    .access(Access::Member(Capability::Publish))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .idempotent()
    .hints(hints::POST)
    .announces(&[PIECE_PUBLISHED]);
    type Output = PostRecorded;

    async fn run(self, ctx: &Context<'_>) -> Result<PostRecorded> {
        let link = self.post_url.as_deref().map(parse_link).transpose();
        let link = link.map_err(|message| Error::invalid_field("post_url", "format", message))?;
        if link.is_none() && self.variant_id.is_none() {
            let message = "informe o link, ou use `update_event` se o post não tem link";
            return Err(Error::invalid_field("post_url", "required", message));
        }
        if self.variant_id.is_some() {
            // The lock makes two posts that are recorded at the same time see each other.
            events::lock_event(&ctx.db(), &self.event_id).await?;
        }
        let before = visibility::require_event(ctx, &self.event_id).await?;
        require_revision(ctx, &before, self.expected_revision).await?;
        if !matches!(
            before.status,
            EventStatus::Approved | EventStatus::Published
        ) {
            return Err(
                Error::new(NOT_APPROVED).with_detail("status", before.status.as_str().into())
            );
        }
        let change = Change {
            actor: &ctx.caller()?.member.id,
            action: Self::SPEC.name,
            reason: None,
        };
        let (db, now) = (ctx.db(), ctx.now);
        let saved = match &self.variant_id {
            Some(id) => {
                let variant = find_variant(ctx, &before, id).await?;
                match record_by_hand(ctx, &before, &variant, link.as_deref()).await? {
                    Some((after, notes)) => {
                        events::save_decision(&db, &before, after, (change, notes), now).await?
                    }
                    None => before,
                }
            }
            None => {
                require_variants_online(ctx, &before).await?;
                let mut after = before.clone();
                after.status = EventStatus::Published;
                after.post_url.clone_from(&link);
                match after == before {
                    true => before,
                    false => events::save(&db, &before, after, change, now).await?,
                }
            }
        };
        Ok(PostRecorded {
            ok: true,
            status: saved.status,
            api_revision: saved.api_revision,
            post_url: link,
        })
    }
}

/// Refuses (400) the post of a whole piece while one of its variants is not online, because the piece
/// would become `publicado` without this variant.
async fn require_variants_online(ctx: &Context<'_>, piece: &Event) -> Result<()> {
    if piece.status != EventStatus::Approved {
        return Ok(());
    }
    match has_offline_variants(&ctx.db(), &piece.id).await? {
        false => Ok(()),
        true => {
            let message = "a peça vai a vários canais; diga de qual é o post, um por vez: veja \
                `variantes` em `get_event`";
            Err(Error::invalid_field("variant_id", "required", message))
        }
    }
}

/// Finds an approved variant of the piece.
///
/// Refuses (400) a variant that the piece does not have, and (409) a variant that changed after its
/// approval.
async fn find_variant(ctx: &Context<'_>, piece: &Event, id: &VariantId) -> Result<Variant> {
    let found = variants::find(&ctx.db(), id).await?;
    let Some(variant) = found.filter(|variant| variant.event_id == piece.id) else {
        let message = "não é uma variante desta peça; veja `variantes` em `get_event`";
        return Err(Error::invalid_field("variant_id", "variant", message));
    };
    if !variant.is_approved() {
        return Err(Error::new(NOT_APPROVED)
            .because("A variante mudou depois da aprovação e espera `decide_variants`."));
    }
    Ok(variant)
}

/// Parses and normalizes a link. Returns a message for the user unless the link uses HTTPS, has a
/// domain name as its host, and contains no credentials.
///
/// Surrounding spaces are removed, because people paste them. The normalized link has no characters that
/// an HTML page or a spreadsheet would interpret.
fn parse_link(text: &str) -> std::result::Result<String, &'static str> {
    const NO_LINK: &str = "precisa ser o link do post, como https://www.instagram.com/p/…";
    let url = Url::parse(text.trim()).map_err(|_| NO_LINK)?;
    if url.scheme() != "https" {
        return Err("precisa ser um link que começa com https://");
    }
    let is_named = url.domain().is_some_and(|host| {
        let host = host.trim_end_matches('.');
        host.contains('.')
    });
    if !is_named {
        return Err(NO_LINK);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("não pode ter usuário nem senha antes do endereço");
    }
    let normal = url.to_string();
    if normal.len() > LONGEST {
        return Err("é longo demais: copie o link do post, sem o resto");
    }
    Ok(normal)
}

#[cfg(test)]
mod tests {
    use super::parse_link;

    #[test]
    fn a_link_is_stored_in_its_normalized_form() {
        for (pasted, kept) in [
            (" https://x.com/a/1\n", "https://x.com/a/1"),
            (
                "HTTPS://Instagram.com/p/Pão",
                "https://instagram.com/p/P%C3%A3o",
            ),
            (
                "https://x.com/\"><script>",
                "https://x.com/%22%3E%3Cscript%3E",
            ),
            ("https://x.com:443", "https://x.com/"),
        ] {
            assert_eq!(parse_link(pasted).as_deref(), Ok(kept));
        }
    }

    #[test]
    fn a_text_that_is_not_the_link_of_a_post_is_refused() {
        let long = format!("https://x.com/{}", "ã".repeat(400));
        for wrong in [
            "",
            "instagram.com/p/1",
            "http://instagram.com/p/1",
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "https://",
            "https://localhost/x",
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://instagram.com@loja.com/",
            "https://:senha@loja.com/",
            long.as_str(),
        ] {
            assert!(parse_link(wrong).is_err(), "{wrong}");
        }
    }
}
