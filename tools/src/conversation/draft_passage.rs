//! The passage of an e-mail draft that a remark is about.
//!
//! It is stored as it is in the HTML, like `procurar` of `replace_in_email_draft`, so that who
//! corrects the draft can replace it. It may be sent as it is read.

use search::reading;

use super::{
    passage::{fault, find_place},
    require_room_on_draft,
};
use domain::{Anchor, Fault, TemplateId};
use gateway::{Context, Error, Result, offload};
use store::email_drafts;

/// Maximum characters of a passage in the HTML.
const LONGEST: usize = 1_000;

/// A passage in the HTML: where it begins, in characters, and its HTML.
struct Found {
    posicao: usize,
    trecho: String,
}

/// Finds the passage in the current draft, which is locked until the end of the transaction.
/// Refused (400) if there is no such draft, if the passage is not in it, or if it is repeated and
/// `wanted` is no place of it; (409) if the draft has too many open threads.
pub(super) async fn find_in_draft(
    ctx: &Context<'_>,
    template_id: &TemplateId,
    passage: &str,
    wanted: Option<usize>,
) -> Result<Anchor> {
    let db = ctx.db();
    let draft = email_drafts::find_locked(&db, template_id).await?;
    let draft = draft.ok_or_else(|| {
        let message = "não é de um rascunho de e-mail; veja `list_email_drafts`";
        Error::from_faults(vec![fault("template_id", "exists", message)])
    })?;
    require_room_on_draft(ctx, template_id).await?;
    let (html, passage) = (draft.html, passage.to_owned());
    let found = offload(move || find_in_html(&html, &passage, wanted)).await?;
    let Found { posicao, trecho } = found.map_err(|fault| Error::from_faults(vec![fault]))?;
    Ok(Anchor::Email {
        template_id: template_id.clone(),
        trecho,
        posicao,
        lido_em: draft.updated_at,
    })
}

/// Finds the passage as it is in the HTML, otherwise as it is read.
fn find_in_html(html: &str, passage: &str, wanted: Option<usize>) -> Result<Found, Fault> {
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
        return Err(fault("trecho", "passage", message));
    };
    let chosen = chosen.filter(|_| wanted.is_some() || count == 1);
    let Some((posicao, at)) = chosen else {
        let message = format!(
            "é obrigatória, e é um lugar do trecho no HTML, que está em {count} lugares; o \
             primeiro é {first}"
        );
        return Err(fault("posicao", "passage", &message));
    };
    let trecho = html[at].to_owned();
    if trecho.chars().count() > LONGEST {
        let message = "ocupa mais de 1.000 caracteres do HTML; escolha um trecho menor";
        return Err(fault("trecho", "maxLength", message));
    }
    Ok(Found { posicao, trecho })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_found_as_written_or_as_read() {
        let html = "<p>Oferta <b>só</b> hoje</p><p>Olá, Olá</p>";
        let written = find_in_html(html, "<b>só</b>", None).expect("a passage");
        assert_eq!((written.posicao, &*written.trecho), (10, "<b>só</b>"));
        let read = find_in_html(html, "oferta so hoje", None).expect("a passage");
        assert_eq!((read.posicao, &*read.trecho), (3, "Oferta <b>só</b> hoje"));
        for (passage, wanted, field, rule) in [
            ("Boleto", None, "ancora.trecho", "passage"),
            ("Olá", None, "ancora.posicao", "required"),
            ("Olá", Some(1), "ancora.posicao", "passage"),
            ("olá", None, "ancora.posicao", "passage"),
        ] {
            let fault = find_in_html(html, passage, wanted).err().expect("a fault");
            assert_eq!((&*fault.field, &*fault.rule), (field, rule), "{passage}");
        }
        let second = html.chars().count() - "Olá</p>".chars().count();
        let chosen = find_in_html(html, "olá", Some(second)).expect("a passage");
        assert_eq!((chosen.posicao, &*chosen.trecho), (second, "Olá"));
    }
}
