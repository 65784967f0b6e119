use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    MEDIA, MediaResult,
    uploaded_file::{FIELD, Placement, StoredFile, insert_upload},
};
use crate::visibility::EVENT;
use domain::{Capability, EventId, VISIBLE};
use gateway::{Access, Context, InputForm, Operation, Result, Spec, Verb};

/// Guarda uma imagem ou um vídeo pronto e, com `event_id`, anexa ao evento.
///
/// O tipo é julgado pelos bytes: PNG, JPEG, WebP ou GIF até 25 MB, MP4 ou QuickTime até 500 MB.
/// Um envio interrompido ou grande demais não deixa nada guardado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UploadMedia {
    /// Evento editável que a recebe.
    event_id: Option<EventId>,
    /// Posição na sequência; ausente, no fim. O que estava na mesma posição é substituído.
    #[schemars(range(min = 0, max = 99))]
    slide_index: Option<u8>,
    /// Abre lugar em vez de substituir.
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

impl Operation for UploadMedia {
    const SPEC: Spec = Spec::new("upload_media", "Enviar arquivo", Verb::Post, "/api/upload")
        .access(Access::Member(Capability::Art))
        .makes(MEDIA)
        .within(EVENT, "event_id")
        .success(201)
        .fails(&[404])
        .takes(InputForm::Multipart(FIELD));
    type Output = MediaResult;

    fn affected_ids(output: &MediaResult) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<MediaResult> {
        let placement = Placement {
            event_id: self.event_id,
            slide_index: self.slide_index,
            insert: self.insert,
            kind: self.kind,
            alt: self.alt,
        };
        let name = Self::SPEC.name;
        insert_upload(&ctx.db(), ctx, name, self.file, placement, None).await
    }
}
