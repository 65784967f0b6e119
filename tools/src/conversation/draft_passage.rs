//! The passage of an e-mail draft that a remark is about.
//!
//! The passage is stored as HTML source, so that the corrector of the draft can send it as `procurar` to
//! `replace_in_email_draft`. The author of the remark may send the passage as HTML source or as visible
//! text.

use search::reading;

use super::{
    passage::{anchor_fault, find_place},
    require_room_on_draft,
};
use domain::{Anchor, Fault, TemplateId};
use gateway::{Context, Error, Result, offload};
use store::email_drafts;

/// Maximum characters of a passage in the HTML.
const LONGEST: usize = 1_000;

/// A passage of the draft: the offset at which it begins, in characters, and its HTML source.
struct Found {
    posicao: usize,
    trecho: String,
}

/// Finds the passage in the current draft, and locks the draft until the end of the transaction. Refuses
/// (400) a draft that does not exist, a passage that the draft does not contain, and a repeated passage
/// if `wanted` is none of its offsets. Refuses (409) a draft with too many open threads.
pub(super) async fn find_passage_in_draft(
    ctx: &Context<'_>,
    template_id: &TemplateId,
    passage: &str,
    wanted: Option<usize>,
) -> Result<Anchor> {
    let db = ctx.db();
    let draft = email_drafts::find_locked(&db, template_id).await?;
    let draft = draft.ok_or_else(|| {
        let message = "não é de um rascunho de e-mail; veja `list_email_drafts`";
        Error::from_faults(vec![anchor_fault("template_id", "exists", message)])
    })?;
    require_room_on_draft(ctx, template_id).await?;
    let (html, passage) = (draft.html, passage.to_owned());
    let found = offload(move || find_passage_in_html(&html, &passage, wanted)).await?;
    let Found { posicao, trecho } = found.map_err(|fault| Error::from_faults(vec![fault]))?;
    Ok(Anchor::Email {
        template_id: template_id.clone(),
        trecho,
        posicao,
        lido_em: draft.updated_at,
    })
}

/// Finds the passage in the HTML source or, if the source does not contain it, in the visible text.
fn find_passage_in_html(html: &str, passage: &str, wanted: Option<usize>) -> Result<Found, Fault> {
    if html.contains(passage) {
        let posicao = find_place(html, passage, wanted, "no HTML do rascunho")?;
        let trecho = passage.to_owned();
        return Ok(Found { posicao, trecho });
    }
    let (mut first, mut chosen, mut count) = (None, None, 0_usize);
    let mut counted = (0, 0);
    reading::for_each_occurrence(html, passage, |at| {
        let (byte, characters) = counted;
        let posicao = characters + html[byte..at.start].chars().count();
        counted = (at.start, posicao);
        count += 1;
        if first.is_none() {
            first = Some(posicao);
        }
        if wanted.is_none_or(|wanted| wanted == posicao) && chosen.is_none() {
            chosen = Some((posicao, at));
        }
    });
    let Some(first) = first else {
        let message = "não está no rascunho; ache-o com `busca` de `get_email_draft`";
        return Err(anchor_fault("trecho", "passage", message));
    };
    let chosen = chosen.filter(|_| wanted.is_some() || count == 1);
    let Some((posicao, at)) = chosen else {
        let message = format!(
            "é obrigatória, e é um lugar do trecho no HTML, que está em {count} lugares; o \
             primeiro é {first}"
        );
        return Err(anchor_fault("posicao", "passage", &message));
    };
    let trecho = html[at].to_owned();
    if trecho.chars().count() > LONGEST {
        let message = "ocupa mais de 1.000 caracteres do HTML; escolha um trecho menor";
        return Err(anchor_fault("trecho", "maxLength", message));
    }
    Ok(Found { posicao, trecho })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_found_as_written_or_as_read() {
        let html = "<p>Oferta <b>só</b> hoje</p><p>Olá, Olá</p>";
        let written = find_passage_in_html(html, "<b>só</b>", None).expect("a passage");
        assert_eq!((written.posicao, &*written.trecho), (10, "<b>só</b>"));
        let read = find_passage_in_html(html, "oferta so hoje", None).expect("a passage");
        assert_eq!((read.posicao, &*read.trecho), (3, "Oferta <b>só</b> hoje"));
        for (passage, wanted, field, rule) in [
            ("Boleto", None, "ancora.trecho", "passage"),
            ("Olá", None, "ancora.posicao", "required"),
            ("Olá", Some(1), "ancora.posicao", "passage"),
            ("olá", None, "ancora.posicao", "passage"),
        ] {
            let fault = find_passage_in_html(html, passage, wanted)
                .err()
                .expect("a fault");
            assert_eq!((&*fault.field, &*fault.rule), (field, rule), "{passage}");
        }
        let second = html.chars().count() - "Olá</p>".chars().count();
        let chosen = find_passage_in_html(html, "olá", Some(second)).expect("a passage");
        assert_eq!((chosen.posicao, &*chosen.trecho), (second, "Olá"));
    }
}
