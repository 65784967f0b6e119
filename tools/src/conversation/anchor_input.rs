//! The place of a new remark, as callers send it.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;

use super::{
    draft_passage::find_passage_in_draft,
    passage::{anchor_fault, find_place},
};
use domain::{
    Anchor, Attached, Event, Fault, MediaId, Revision, TemplateId, VISIBLE,
    caption_shown_to_guests, is_content_shown_to_guests, text_enum,
};
use gateway::{Context, DESCRIBED_BY, Error, Result};

text_enum! {
    /// The kind of a place.
    pub enum AnchorKind {
        Caption = "legenda",
        Image = "imagem",
        Video = "video",
        /// A passage of an e-mail draft.
        Email = "email",
    }
}

/// The place of a new remark. The schema is flat, because a `oneOf` of the kinds would take twice as
/// much of an agent's context; [`Self::require_fields`] enforces the fields of each kind.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline, transform = refer_to_description)]
pub(super) struct AnchorInput {
    /// De que é.
    tipo: AnchorKind,
    /// Da legenda ou do e-mail, igual.
    #[schemars(length(min = 1, max = 1000), regex(pattern = *VISIBLE))]
    trecho: Option<String>,
    /// Onde começa, em caracteres desde 0; só se o trecho se repete.
    #[schemars(range(min = 0, max = 2000000))]
    posicao: Option<usize>,
    /// Do e-mail.
    template_id: Option<TemplateId>,
    /// A mídia da peça.
    media_id: Option<MediaId>,
    /// Fração da imagem, de 0 a 1.
    #[schemars(range(min = 0, max = 1))]
    x: Option<f64>,
    /// Idem.
    #[schemars(range(min = 0, max = 1))]
    y: Option<f64>,
    /// Idem, num retângulo.
    #[schemars(range(min = 0, max = 1))]
    largura: Option<f64>,
    /// Idem.
    #[schemars(range(min = 0, max = 1))]
    altura: Option<f64>,
    /// Do vídeo.
    #[schemars(range(min = 0, max = 86400))]
    segundo: Option<f64>,
}

/// Marks the schema of a place, so that lists of MCP tools describe its fields together in the
/// description of the place.
fn refer_to_description(place: &mut Schema) {
    place.insert(DESCRIBED_BY.into(), "add_remark".into());
}

impl AnchorInput {
    /// Refuses (400) a place in content that guests do not see. Without this check, the refusal of a
    /// wrong place would describe the hidden content.
    pub(super) fn require_shown_to_guests(&self, piece: &Event) -> Result<()> {
        if self.is_in_email_draft() {
            let message = "não vale aqui";
            return Err(Error::invalid_field("ancora.tipo", "enum", message));
        }
        let is_shown = match self.tipo {
            AnchorKind::Email => false,
            AnchorKind::Caption => caption_shown_to_guests(piece).is_some(),
            AnchorKind::Image | AnchorKind::Video => is_content_shown_to_guests(piece.status),
        };
        match is_shown {
            true => Ok(()),
            false => {
                let message = "não vale agora: a peça está sendo refeita; comente a peça toda";
                Err(Error::invalid_field("ancora", "not", message))
            }
        }
    }

    /// True if the place is in an e-mail draft.
    pub(super) fn is_in_email_draft(&self) -> bool {
        self.tipo == AnchorKind::Email
    }

    /// Checks a place in an e-mail draft against the current draft.
    pub(super) async fn to_draft_anchor(&self, ctx: &Context<'_>) -> Result<Anchor> {
        self.require_fields()?;
        match (&self.template_id, &self.trecho) {
            (Some(id), Some(passage)) => {
                find_passage_in_draft(ctx, id, passage, self.posicao).await
            }
            _ => Err(Error::internal("a field of the anchor was not required")),
        }
    }

    /// Checks the place against the piece. `caption` is the caption of the revision that the author
    /// read.
    pub(super) fn to_anchor(
        &self,
        event: &Event,
        revision: Revision,
        caption: Option<&str>,
    ) -> Result<Anchor> {
        self.require_fields()?;
        match self {
            Self {
                tipo: AnchorKind::Caption,
                trecho: Some(passage),
                ..
            } => self.find_passage_in_caption(passage, revision, caption.unwrap_or_default()),
            Self {
                tipo: AnchorKind::Image,
                media_id: Some(id),
                x: Some(x),
                y: Some(y),
                ..
            } => {
                require_attached(event, id, "image/")?;
                Ok(Anchor::Image {
                    media_id: id.clone(),
                    x: *x,
                    y: *y,
                    size: self.find_rectangle_size(*x, *y)?,
                })
            }
            Self {
                tipo: AnchorKind::Video,
                media_id: Some(id),
                segundo: Some(second),
                ..
            } => {
                require_attached(event, id, "video/")?;
                Ok(Anchor::Video {
                    media_id: id.clone(),
                    segundo: *second,
                })
            }
            _ => Err(Error::internal("a field of the anchor was not required")),
        }
    }

    /// Refuses (400) an anchor that lacks a field of its kind or has a field of another kind.
    fn require_fields(&self) -> Result<()> {
        use AnchorKind::{Caption, Email, Image, Video};
        let required: [(&str, bool, &[AnchorKind]); 6] = [
            ("trecho", self.trecho.is_some(), &[Caption, Email]),
            ("template_id", self.template_id.is_some(), &[Email]),
            ("media_id", self.media_id.is_some(), &[Image, Video]),
            ("x", self.x.is_some(), &[Image]),
            ("y", self.y.is_some(), &[Image]),
            ("segundo", self.segundo.is_some(), &[Video]),
        ];
        let optional: [(&str, bool, &[AnchorKind]); 3] = [
            ("posicao", self.posicao.is_some(), &[Caption, Email]),
            ("largura", self.largura.is_some(), &[Image]),
            ("altura", self.altura.is_some(), &[Image]),
        ];
        let missing = required
            .iter()
            .filter(|(_, is_set, kinds)| !is_set && kinds.contains(&self.tipo))
            .map(|(field, ..)| anchor_fault(field, "required", "é obrigatório neste `tipo`"));
        let wrong = required
            .iter()
            .chain(&optional)
            .filter(|(_, is_set, kinds)| *is_set && !kinds.contains(&self.tipo))
            .map(|(field, ..)| anchor_fault(field, "not", "não vale neste `tipo`"));
        let faults: Vec<Fault> = missing.chain(wrong).collect();
        match faults.is_empty() {
            true => Ok(()),
            false => Err(Error::from_faults(faults)),
        }
    }

    fn find_passage_in_caption(
        &self,
        passage: &str,
        revision: Revision,
        caption: &str,
    ) -> Result<Anchor> {
        let whose = format!("na legenda da revisão {revision}");
        let place = find_place(caption, passage, self.posicao, &whose);
        Ok(Anchor::Caption {
            trecho: passage.to_owned(),
            posicao: place.map_err(|fault| Error::from_faults(vec![fault]))?,
        })
    }

    /// Returns the size of a rectangle; `None` for a point. Refuses (400) a rectangle that has only one
    /// side, has no area, or is partly outside the image.
    fn find_rectangle_size(&self, x: f64, y: f64) -> Result<Option<(f64, f64)>> {
        let sides = match (self.largura, self.altura) {
            (None, None) => return Ok(None),
            (Some(width), Some(height)) => [("largura", x, width), ("altura", y, height)],
            (one, _) => {
                let missing = if one.is_some() { "altura" } else { "largura" };
                let message = "é obrigatória num retângulo";
                return Err(Error::from_faults(vec![anchor_fault(
                    missing, "required", message,
                )]));
            }
        };
        let faults = sides.iter().filter_map(|(field, start, length)| {
            if *length <= 0.0 {
                Some(anchor_fault(field, "minimum", "deve ser maior que 0"))
            } else {
                // Fractions such as 0.7 + 0.3 may add up to slightly more than 1.
                (start + length > 1.0 + 1e-9)
                    .then(|| anchor_fault(field, "maximum", "passa da borda da imagem"))
            }
        });
        let faults: Vec<Fault> = faults.collect();
        match faults.is_empty() {
            true => Ok(self.largura.zip(self.altura)),
            false => Err(Error::from_faults(faults)),
        }
    }
}

/// Refuses (400) a medium that is not on the piece, or whose type does not begin with `family`.
fn require_attached(event: &Event, id: &MediaId, family: &str) -> Result<()> {
    let is_meant = |media: &&Attached| media.id == *id && media.media_type.starts_with(family);
    if event.media.iter().any(|media| is_meant(&media)) {
        return Ok(());
    }
    let message = match family {
        "image/" => "não é de uma imagem desta peça; veja `media` em `get_event`",
        _ => "não é de um vídeo desta peça; veja `media` em `get_event`",
    };
    Err(Error::from_faults(vec![anchor_fault(
        "media_id", "attached", message,
    )]))
}
