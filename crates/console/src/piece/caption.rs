//! The caption: written, saved and submitted, bound to the revision that was read.

use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    call, conflict, details, done, is_stale, key_field, keyed,
    model::{Event, Piece},
    page::Kept,
    path, refuse, typed, words,
};
use crate::{area::receiver, view::View};

/// What is written in the caption's form.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Caption {
    event_id: String,
    expected_revision: i64,
    #[serde(default)]
    caption: String,
    /// `enviar` salva e envia para aprovação.
    #[serde(default)]
    acao: String,
    /// A data proposta ao enviar.
    #[serde(default)]
    data: String,
    #[serde(default)]
    hora: String,
    chave: Option<String>,
}

const ROUTE: Spec = receiver(
    "console_caption",
    "Gravar a legenda",
    "/eventos/{event_id}/legenda",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const CAPTION: Entry = Entry::page::<Caption>(
    ROUTE,
    "Salva a legenda de uma peça ou a envia para aprovação; se a peça mudou, mostra as duas versões.",
);

impl Page for Caption {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        match self.write(&view, self.expected_revision).await {
            Ok(operation) => Ok(done(&view, &self.event_id, operation, "")),
            Err(error) if is_stale(&error) => self.stale(&view).await,
            Err(error) => self.refused(&view, &error).await,
        }
    }
}

impl Caption {
    fn submits(&self) -> bool {
        self.acao == "enviar"
    }

    /// Writes over this revision; the name of the operation that did it.
    async fn write(&self, view: &View<'_>, revision: i64) -> Result<&'static str> {
        let mut fields = json!({
            "event_id": self.event_id,
            "expected_revision": revision,
            "caption": typed(&self.caption),
        });
        let operation = if self.submits() {
            details::put_date(&mut fields, &self.data, &self.hora)?;
            "submit_for_approval"
        } else {
            "save_draft"
        };
        let input = keyed(self.chave.as_deref(), fields);
        call(view, operation, input).await.map(|_: Value| operation)
    }

    /// The piece changed meanwhile. Where nobody else changed the caption, a draft is saved over the
    /// revision of now; otherwise the person chooses between both versions.
    async fn stale(&self, view: &View<'_>) -> Result<Reply> {
        let seen = self.expected_revision;
        let piece = Piece::read(view, &self.event_id, Some(seen)).await?;
        let same = piece.knows(seen) && piece.caption_at(seen) == piece.caption();
        if same && !self.submits() {
            match self.write(view, piece.event.api_revision).await {
                Ok(operation) => return Ok(done(view, &self.event_id, operation, "")),
                Err(error) if is_stale(&error) => {}
                Err(error) => return self.refused(view, &error).await,
            }
        }
        Ok(conflict::caption(view, &piece, seen, &typed(&self.caption)))
    }

    async fn refused(&self, view: &View<'_>, error: &Error) -> Result<Reply> {
        let caption = typed(&self.caption);
        let kept = Kept {
            caption: Some((&caption, self.expected_revision)),
            ..Kept::default()
        };
        refuse(view, &self.event_id, error, kept).await
    }
}

/// The caption on the page of its piece: written where it may be, otherwise read.
pub(super) fn section(view: &View<'_>, piece: &Piece, text: &str, revision: i64) -> Markup {
    let event = &piece.event;
    let writes = event.is_editable() && view.may_call("save_draft");
    html! {
        section aria-labelledby="legenda" {
            h2 id="legenda" { "Legenda" }
            @if let Some(briefing) = event.briefing.as_deref().filter(|text| !text.is_empty()) {
                details class="briefing" {
                    summary { "Briefing" }
                    p class="written" dir="auto" { (briefing) }
                }
            }
            @if writes {
                (editor(view, event, text, revision))
            } @else {
                @if text.is_empty() {
                    p class="soft" { "Sem legenda." }
                } @else {
                    p class="card written" dir="auto" { (text) }
                }
                @if !event.is_editable() {
                    p class="soft" {
                        "Neste estado a legenda não muda."
                    }
                } @else {
                    p class="soft" { "Para escrever falta a permissão draft_save. Quem pode dá-la é um admin da equipe." }
                }
            }
        }
    }
}

/// The form of the caption.
fn editor(view: &View<'_>, event: &Event, text: &str, revision: i64) -> Markup {
    let action = format!("{}/legenda", path(&event.id));
    html! {
        form id="editor" method="post" action=(view.at(&action)) class="form stack" data-draft=(event.id)
            data-revision=(revision) {
            (key_field())
            input type="hidden" name="expected_revision" value=(revision);
            div class="notice wait" data-kept hidden {
                p { "Há um texto que você digitou aqui e não foi gravado." }
                div class="row" {
                    button type="button" class="quiet" data-restore { "Trazer de volta" }
                    button type="button" class="plain" data-forget { "Descartar" }
                }
            }
            (written(event, text))
            @if view.may_call("submit_for_approval") {
                details {
                    summary { "Data proposta ao enviar" }
                    (details::date_fields(event))
                }
            }
            div class="row" {
                button type="submit" name="acao" value="salvar" { "Salvar rascunho" }
                @if view.may_call("submit_for_approval") {
                    button type="submit" name="acao" value="enviar" class="quiet" { "Enviar para aprovação" }
                }
            }
            div class="outcome" role="alert" {}
        }
    }
}

/// The text of a caption, with the characters that its channel takes.
pub(crate) fn written(event: &Event, text: &str) -> Markup {
    let limit = words::channel_of(&event.channel).and_then(|channel| channel.limit);
    let count = text.chars().count();
    let over = limit.is_some_and(|limit| count > limit);
    html! {
        label class="field" {
            span { "Texto" }
            textarea name="caption" rows="10" dir="auto" maxlength="20000" data-caption data-limit=[limit]
                aria-describedby="contagem" { "\n" (text) }
        }
        p id="contagem" class={ "count" @if over { " over" } } data-count {
            span data-number { (words::number(count)) }
            @match limit {
                Some(limit) => {
                    " de " (words::number(limit)) " caracteres em " (words::channel_name(&event.channel))
                    strong data-over hidden[!over] { ": longo demais para o canal" }
                }
                None => " caracteres",
            }
        }
    }
}
