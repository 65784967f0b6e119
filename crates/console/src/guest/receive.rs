//! Receives the forms of a guest's link: a decision, a remark, or the code.

use domain::{Revision, find_passage, time::DAY, time::SECOND};
use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec, Verb};
use identity::{
    browser,
    guest_link::{GUEST_COOKIE, guest_path},
};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    model::Pieces,
    page::{code_page, pieces_page},
};
use crate::{
    area::guest_spec,
    forms::{error_notice, keyed_input, nonblank_text, unix_lines, with_error_status},
    links::href_to,
};

/// The lifetime of the cookie that proves that the guest entered the code, in seconds.
const PROVEN: i64 = 90 * DAY / SECOND;

/// A form of a guest's link.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Receive {
    /// O segredo do link.
    link: String,
    /// `aprovar`, `pedir_ajustes`, `comentar`, `editar`, `remover` ou `codigo`.
    acao: String,
    #[serde(default)]
    event_id: String,
    api_revision: Option<Revision>,
    #[serde(default)]
    texto: String,
    /// A conversa a que responde.
    responde_a: Option<String>,
    /// A imagem de que o comentário trata, com o ponto ou, com `largura` e `altura`, a área.
    media_id: Option<String>,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
    largura: Option<String>,
    altura: Option<String>,
    /// O vídeo de que o comentário trata, com o segundo.
    video_id: Option<String>,
    #[serde(default)]
    segundo: String,
    /// O trecho da legenda de que o comentário trata.
    #[serde(default)]
    trecho: String,
    /// O comentário que muda.
    #[serde(default)]
    comentario: String,
    #[serde(default)]
    codigo: String,
    pedido: Option<String>,
}

const ROUTE: Spec = guest_spec(
    "guest_form",
    "Responder num link de convidado",
    Verb::Post,
    "/convidado/{link}",
    None,
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 401, 403, 404, 409, 413, 429]);

pub(super) const RECEIVE: Entry = Entry::for_page::<Receive>(
    ROUTE,
    "Recebe a decisão, o comentário, a mudança dele ou o código de uma pessoa convidada.",
);

impl Page for Receive {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        if self.acao == "codigo" {
            return self.submit_code(ctx).await;
        }
        match self.send(ctx).await {
            Ok(()) => self.redirect_to_next(ctx).await,
            Err(error) => self.show_refusal(ctx, &error).await,
        }
    }
}

impl Receive {
    async fn submit_code(&self, ctx: &Context<'_>) -> Result<Reply> {
        let services = ctx.services;
        let code = self.codigo.trim();
        match ctx
            .read("enter_guest_code", json!({ "codigo": code }))
            .await
        {
            Ok(answer) => {
                let path = guest_path(&self.link);
                let proof = answer["prova"].as_str().unwrap_or_default();
                let cookie =
                    browser::set_cookie_header(services, GUEST_COOKIE, proof, &path, PROVEN);
                let to = Content::Redirect(href_to(services, &path));
                Ok(Reply::new(to).with_header("set-cookie", cookie))
            }
            Err(error) => {
                let page = code_page(services, &self.link, Some(&error));
                Ok(with_error_status(page, &error))
            }
        }
    }

    /// Calls the operation of the form.
    async fn send(&self, ctx: &Context<'_>) -> Result<()> {
        let text = nonblank_text(&unix_lines(&self.texto));
        let (operation, fields) = match self.acao.as_str() {
            "comentar" => (
                "add_guest_remark",
                json!({
                    "event_id": self.event_id,
                    "api_revision": self.api_revision,
                    "texto": text.unwrap_or_default(),
                    "responde_a": self.responde_a,
                    "ancora": self.read_place(ctx).await?,
                }),
            ),
            "editar" => (
                "update_guest_remark",
                json!({ "remarkId": self.comentario, "texto": text.unwrap_or_default() }),
            ),
            "remover" => (
                "remove_guest_remark",
                json!({ "remarkId": self.comentario }),
            ),
            decision => (
                "decide_as_guest",
                json!({
                    "event_id": self.event_id,
                    "api_revision": self.api_revision,
                    "acao": decision,
                    "texto": text.filter(|_| decision != "aprovar"),
                }),
            ),
        };
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        ctx.call(operation, input).await.map(drop)
    }

    /// Returns the place of the remark for the input of `add_guest_remark`: a point or an area of an
    /// image, a second of a video or a passage of the caption. `None` for a remark about the whole piece.
    async fn read_place(&self, ctx: &Context<'_>) -> Result<Option<Value>> {
        if let Some(id) = &self.media_id {
            let (x, y) = (parse_fraction(&self.x), parse_fraction(&self.y));
            let mut place = json!({ "tipo": "imagem", "media_id": id, "x": x, "y": y });
            for (name, side) in [("largura", &self.largura), ("altura", &self.altura)] {
                if let Some(side) = side {
                    place[name] = parse_fraction(side).into();
                }
            }
            return Ok(Some(place));
        }
        if let Some(id) = &self.video_id {
            let second: Option<f64> = self.segundo.trim().replace(',', ".").parse().ok();
            return Ok(Some(
                json!({ "tipo": "video", "media_id": id, "segundo": second }),
            ));
        }
        let passage = unix_lines(self.trecho.trim());
        if passage.is_empty() {
            return Ok(None);
        }
        let pieces = Pieces::read(ctx).await?;
        let caption = pieces.find(&self.event_id);
        let caption = caption.and_then(|piece| piece.legenda.as_deref());
        // If the passage occurs several times, the first occurrence is used, because the form has no
        // field for the position.
        let at = find_passage(caption.unwrap_or_default(), &passage, 0);
        let mut place = json!({ "tipo": "legenda", "trecho": passage });
        if let Some(at) = at {
            place["posicao"] = at.into();
        }
        Ok(Some(place))
    }

    /// True if the form writes, edits or removes a remark.
    fn is_about_remark(&self) -> bool {
        ["comentar", "editar", "remover"].contains(&&*self.acao)
    }

    /// Redirects to the next piece that waits for the guest. After a remark, redirects to the piece of
    /// the remark.
    async fn redirect_to_next(&self, ctx: &Context<'_>) -> Result<Reply> {
        let pieces = Pieces::read(ctx).await?;
        let after = pieces
            .pecas
            .iter()
            .skip_while(|piece| piece.id != self.event_id);
        let decides = pieces.waiting().count() > 0;
        let next = after.skip(1).find(|piece| piece.pode_decidir);
        let to = match next.or_else(|| pieces.waiting().next()) {
            _ if self.is_about_remark() => &*self.event_id,
            Some(piece) if decides => &*piece.id,
            _ => "",
        };
        let anchor = match to {
            "" => String::new(),
            id => format!("#peca-{id}"),
        };
        let path = guest_path(&self.link);
        let to = format!("{path}?feito={}{anchor}", self.acao);
        Ok(Reply::new(Content::Redirect(href_to(ctx.services, &to))))
    }

    /// Shows the current state of the pieces, with the refusal and the text that the guest typed.
    async fn show_refusal(&self, ctx: &Context<'_>, error: &Error) -> Result<Reply> {
        let pieces = Pieces::read(ctx).await?;
        let title = pieces.find(&self.event_id).map(|piece| &piece.titulo);
        let notice = html! {
            @if let Some(title) = title { p { strong dir="auto" { (title) } } }
            (error_notice(error))
            @if !self.trecho.trim().is_empty() { blockquote dir="auto" { (self.trecho) } }
            @if !self.texto.trim().is_empty() {
                label class="field" {
                    span { "O que você escreveu" }
                    textarea rows="4" readonly dir="auto" { "\n" (self.texto) }
                }
            }
        };
        let page = pieces_page(ctx.services, &self.link, &pieces, Some(notice));
        Ok(with_error_status(page, error))
    }
}

/// Parses a coordinate of a form as a fraction from 0 to 1. Returns 0 if the text is not a number.
fn parse_fraction(text: &str) -> f64 {
    let part: f64 = text.parse().unwrap_or_default();
    part.clamp(0.0, 1.0)
}
