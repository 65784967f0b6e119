use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    MEDIA, MediaResult,
    attach::{self, Place},
    uploaded_file,
};
use crate::visibility::EVENT;
use domain::{Capability, EventId, MediaId, VISIBLE};
use gateway::{Access, Context, InputForm, Operation, Result, Spec, Verb};
use store::media::{self, Media};

/// Guarda uma imagem ou um vídeo pronto e, com `event_id`, anexa ao evento.
///
/// O tipo é julgado pelos bytes: PNG, JPEG, WebP ou GIF até 25 MB, MP4 ou QuickTime até 500 MB.
/// Um envio interrompido ou grande demais não deixa nada guardado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UploadMedia {
    /// Evento editável ao qual anexar.
    event_id: Option<EventId>,
    /// Posição na sequência; ausente, no fim. O que estava na mesma posição é substituído.
    #[schemars(range(min = 0, max = 99))]
    slide_index: Option<u8>,
    /// Abre lugar em `slide_index` em vez de substituir.
    #[serde(default)]
    insert: bool,
    /// Tipo lógico; ausente, `imagem` ou `video`.
    #[schemars(length(min = 1, max = 40), regex(pattern = *VISIBLE))]
    kind: Option<String>,
    /// Texto alternativo.
    #[schemars(length(min = 1, max = 1000), regex(pattern = *VISIBLE))]
    alt: Option<String>,
    /// O arquivo.
    file: StoredFile,
}

/// Arquivo recebido, já na guarda.
#[derive(Debug, Deserialize, JsonSchema)]
struct StoredFile {
    sha256: String,
    media_type: String,
    bytes: i64,
    width: i64,
    height: i64,
}

impl Operation for UploadMedia {
    const SPEC: Spec = Spec::new("upload_media", "Enviar arquivo", Verb::Post, "/api/upload")
        .access(Access::Member(Capability::Art))
        .makes(MEDIA)
        .within(EVENT, "event_id")
        .success(201)
        .fails(&[404])
        .takes(InputForm::Multipart(uploaded_file::FIELD));
    type Output = MediaResult;

    fn affected_ids(output: &MediaResult) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<MediaResult> {
        let family = if self.file.media_type.starts_with("video/") {
            "video"
        } else {
            "imagem"
        };
        let media = Media {
            id: MediaId::new(ctx.now),
            sha256: self.file.sha256,
            media_type: self.file.media_type,
            bytes: self.file.bytes,
            width: Some(self.file.width),
            height: Some(self.file.height),
            kind: self.kind.unwrap_or_else(|| family.into()),
            alt: self.alt,
            origin: "upload".into(),
            created_by: ctx.caller()?.member.id.clone(),
            created_at: ctx.now,
        };
        let place = self.slide_index.map_or(Place::End, |index| {
            Place::replace_or_insert_at(index, self.insert)
        });
        let event_id = self.event_id.as_ref();
        let db = ctx.db();
        media::insert(&db, &media).await?;
        let new = [(&media, place)];
        let linked = attach::attach_media(&db, ctx, event_id, Self::SPEC.name, &new).await?;
        Ok(MediaResult::from_media(
            &media,
            linked.map(|linked| linked.revision),
            ctx,
        ))
    }
}
