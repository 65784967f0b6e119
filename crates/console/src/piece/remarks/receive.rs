//! Receives the text of a remark: a new one, an answer, or an edit.

use domain::{Revision, find_passage};
use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use identity::ReturnPath;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::model::{Piece, piece_path};
use crate::{
    area::receiver_spec,
    forms::{
        form_or_hint, keyed_input, redirect_after, refuse_form, returned_key_field, unix_lines,
    },
    view::View,
};

/// The form of a remark.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Receive {
    event_id: String,
    #[serde(default)]
    texto: String,
    /// O comentário que muda.
    #[serde(default)]
    comentario: String,
    /// A conversa a que responde.
    #[serde(default)]
    responde_a: String,
    /// A revisão que a pessoa viu.
    api_revision: Option<i64>,
    /// `legenda`, `email` ou a mídia; vazio, a peça toda.
    #[serde(default)]
    onde: String,
    #[serde(default)]
    trecho: String,
    /// O rascunho de e-mail do trecho.
    #[serde(default)]
    rascunho: String,
    #[serde(default)]
    segundo: String,
    /// O ponto da imagem, em porcento da largura.
    #[serde(default)]
    x: String,
    /// Em porcento da altura.
    #[serde(default)]
    y: String,
    /// Os lados de uma área, também em porcento.
    #[serde(default)]
    largura: String,
    #[serde(default)]
    altura: String,
    /// As pessoas mencionadas.
    #[serde(default)]
    mencoes: Vec<String>,
    /// `convidados` quando eles também veem a conversa.
    publico: Option<String>,
    /// Para onde voltar.
    #[serde(default)]
    volta: String,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_remark",
    "Comentar",
    "/eventos/{event_id}/comentarios",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const RECEIVE: Entry = Entry::for_page::<Receive>(
    ROUTE,
    "Grava o texto de um comentário: novo, resposta ou edição.",
);

impl Page for Receive {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.write_remark(&view).await {
            Ok(operation) => {
                let back = ReturnPath::from_text_below(&ctx.services.public_url, Some(&self.volta));
                Ok(redirect_after(&view, back.as_str(), operation))
            }
            Err(error) => {
                let form = form_or_hint([&*self.texto, &*self.trecho], || {
                    self.draw_refused_form(&view)
                });
                Ok(refuse_form(
                    &view,
                    "O comentário não foi gravado",
                    &error,
                    &form,
                ))
            }
        }
    }
}

impl Receive {
    /// Calls the operation, and returns its name.
    async fn write_remark(&self, view: &View<'_>) -> Result<&'static str> {
        let texto = unix_lines(&self.texto);
        let (operation, fields) = if self.comentario.is_empty() {
            let fields = json!({
                "eventId": self.event_id,
                "texto": texto,
                "ancora": self.read_place(view).await?,
                "responde_a": non_empty(&self.responde_a),
                "mencoes": self.mencoes,
                "api_revision": self.api_revision,
                "publico": self.publico,
            });
            ("add_remark", fields)
        } else {
            (
                "update_remark",
                json!({ "remarkId": self.comentario, "texto": texto }),
            )
        };
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call(operation, input).await.map(|_: Value| operation)
    }

    /// Returns the place of the remark for the input of `add_remark`. A typed passage counts as a
    /// passage of the caption, even if the person did not choose the caption. For an image without a
    /// point, the place is the whole image.
    async fn read_place(&self, view: &View<'_>) -> Result<Option<Value>> {
        let passage = unix_lines(self.trecho.trim());
        if self.onde == "legenda" || self.onde.is_empty() && !passage.is_empty() {
            let seen = self.api_revision.map(Revision::new);
            let piece = Piece::read(view, &self.event_id, seen).await?;
            let seen = seen.unwrap_or(piece.event.api_revision);
            // If the passage occurs several times, the first occurrence is used, because the form has no
            // field for the position.
            let position = find_passage(piece.caption_at(seen), &passage, 0);
            let mut place = json!({ "tipo": "legenda", "trecho": passage });
            if let Some(position) = position {
                place["posicao"] = position.into();
            }
            return Ok(Some(place));
        }
        if self.onde == "email" {
            return self.read_draft_place(view, &passage).await.map(Some);
        }
        if self.onde.is_empty() {
            return Ok(None);
        }
        let piece = Piece::read(view, &self.event_id, None).await?;
        let medium = piece
            .event
            .media
            .iter()
            .find(|medium| medium.id == self.onde);
        Ok(Some(match medium {
            Some(medium) if super::forms::is_video(medium) => {
                let second = parse_decimal(&self.segundo).unwrap_or(0.0);
                json!({ "tipo": "video", "media_id": self.onde, "segundo": second })
            }
            _ if [&self.x, &self.y, &self.largura, &self.altura]
                .iter()
                .all(|part| part.is_empty()) =>
            {
                json!({ "tipo": "imagem",
                "media_id": self.onde, "x": 0, "y": 0, "largura": 1, "altura": 1 })
            }
            // The operation refuses a point with only one coordinate, and an area with only one side.
            _ => {
                let mut place = json!({ "tipo": "imagem", "media_id": self.onde,
                    "x": parse_percent(&self.x), "y": parse_percent(&self.y) });
                for (name, side) in [("largura", &self.largura), ("altura", &self.altura)] {
                    if !side.is_empty() {
                        place[name] = parse_percent(side).into();
                    }
                }
                place
            }
        }))
    }

    /// Returns a place in an e-mail draft. If the passage occurs several times, its first occurrence is
    /// used.
    async fn read_draft_place(&self, view: &View<'_>, passage: &str) -> Result<Value> {
        let mut place = json!({ "tipo": "email", "template_id": self.rascunho, "trecho": passage });
        if passage.is_empty() || self.rascunho.is_empty() {
            // The operation refuses an incomplete place, and its error names the missing field.
            return Ok(place);
        }
        let input = json!({ "templateId": self.rascunho, "busca": passage });
        let found: Value = view.read("get_email_draft", input).await?;
        let found = found["ocorrencias"]["trechos"].as_array();
        let found = found.map(Vec::as_slice).unwrap_or_default();
        let same = found.iter().find(|one| one["procurar"] == passage);
        if let Some(first) = same.or(found.first()) {
            place["posicao"] = first["de"].clone();
        }
        Ok(place)
    }

    /// Draws the refused form again, with the sent values and the same idempotency key.
    fn draw_refused_form(&self, view: &View<'_>) -> Markup {
        let path = format!("{}/comentarios", piece_path(&self.event_id));
        let revision = self.api_revision.map(|revision| revision.to_string());
        let hidden = [
            ("comentario", &*self.comentario),
            ("responde_a", &*self.responde_a),
            ("api_revision", revision.as_deref().unwrap_or_default()),
            ("onde", &*self.onde),
            ("rascunho", &*self.rascunho),
            ("segundo", &*self.segundo),
            ("x", &*self.x),
            ("y", &*self.y),
            ("largura", &*self.largura),
            ("altura", &*self.altura),
            ("volta", &*self.volta),
        ];
        html! {
            form method="post" action=(view.href_to(&path)) class="form stack" {
                (returned_key_field(self.pedido.as_deref().unwrap_or_default()))
                @for (name, value) in hidden.iter().filter(|(_, value)| !value.is_empty()) {
                    input type="hidden" name=(name) value=(value);
                }
                @if let Some(audience) = &self.publico { input type="hidden" name="publico" value=(audience); }
                @for person in &self.mencoes { input type="hidden" name="mencoes" value=(person); }
                label class="field" {
                    span { "Texto" }
                    textarea name="texto" rows="4" required maxlength="4000" dir="auto" { "\n" (self.texto) }
                }
                @if !self.trecho.is_empty() {
                    label class="field" {
                        span { "O trecho" }
                        input name="trecho" maxlength="1000" dir="auto" value=(self.trecho);
                    }
                }
                button type="submit" { "Enviar de novo" }
            }
        }
    }
}

/// Parses a number with a decimal comma or point: `12,5`.
fn parse_decimal(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok()
}

/// Parses a percentage into a fraction.
fn parse_percent(text: &str) -> Option<f64> {
    parse_decimal(text).map(|percent| percent / 100.0)
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
