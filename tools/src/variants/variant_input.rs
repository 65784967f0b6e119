//! A variant in the form that callers send.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;

use domain::{
    Event, Fault, Format, MediaId, VISIBLE,
    channels::{CHANNELS, Channel, TikTokOption, channel_key, usual_format},
    time::{DateFields, Millis},
    variant::{Crop, CropAspect, LINK_PLACEHOLDER, PublishMode, VariantContent, VariantMedium},
};
use gateway::{DESCRIBED_BY, Error, Result};

/// Uma variante inteira: o que não vem é o da peça.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline, transform = refer_to_description)]
pub(super) struct VariantInput {
    /// Canal, como `instagram` ou `linkedin`.
    #[schemars(length(min = 1, max = 60), regex(pattern = *VISIBLE))]
    pub canal: String,
    /// No Instagram, `feed`, `reel` ou `story`; no YouTube, `video` ou `short`; no
    /// LinkedIn, `post` ou `documento` (PDF com as imagens); ausente, o usual.
    formato: Option<Format>,
    /// Tira a variante.
    #[serde(default)]
    pub remover: bool,
    /// Legenda deste canal.
    #[schemars(length(max = 20000))]
    legenda: Option<String>,
    /// Primeiro comentário, depois do post.
    #[schemars(length(min = 1, max = 10000), regex(pattern = *VISIBLE))]
    primeiro_comentario: Option<String>,
    /// Título, como no YouTube.
    #[schemars(length(min = 1, max = 300), regex(pattern = *VISIBLE))]
    titulo: Option<String>,
    /// Endereço https; `{link}` na legenda vira ele, com os parâmetros UTM.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    link: Option<String>,
    /// Mídias da peça, na ordem deste canal.
    #[schemars(length(max = 35))]
    midias: Option<Vec<MediumInput>>,
    /// Imagem da peça que é a capa do vídeo.
    capa: Option<MediaId>,
    #[serde(flatten)]
    date: DateFields,
    /// Quem publica: uma pessoa (`manual`), ou o serviço, na hora.
    publicacao: Option<PublishMode>,
    /// Quem vê, com o valor da rede.
    #[schemars(length(min = 1, max = 40), regex(pattern = *VISIBLE))]
    privacidade: Option<String>,
    /// Contas convidadas como coautoras.
    #[serde(default)]
    #[schemars(length(max = 10), inner(length(min = 1, max = 60), regex(pattern = *VISIBLE)))]
    colaboradores: Vec<String>,
    /// Palavras-chave do YouTube.
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100), regex(pattern = *VISIBLE)))]
    tags: Vec<String>,
    /// Id da lista do YouTube, como `PL…` no endereço dela.
    #[schemars(length(min = 1, max = 100), regex(pattern = *VISIBLE))]
    playlist: Option<String>,
    /// Sem comentários.
    #[serde(default)]
    sem_comentarios: bool,
    /// Segundo do vídeo que é a capa, no Reel e no TikTok.
    #[schemars(range(min = 0, max = 43200))]
    capa_segundo: Option<f64>,
    /// O que o TikTok pede: marca própria, parceria paga, sem dueto, sem stitch.
    #[serde(default)]
    tiktok: Vec<TikTokOption>,
}

/// Uma mídia da variante.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline, transform = refer_to_description)]
struct MediumInput {
    /// A mídia.
    media_id: MediaId,
    /// Texto alternativo deste canal.
    #[schemars(length(min = 1, max = 4086), regex(pattern = *VISIBLE))]
    alt: Option<String>,
    /// Recorte da imagem.
    recorte: Option<CropInput>,
}

/// Um recorte.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline, transform = refer_to_description)]
struct CropInput {
    /// Largura por altura.
    proporcao: CropAspect,
    /// O ponto que fica à vista, em fração da largura; ausente, o meio.
    #[schemars(range(min = 0, max = 1))]
    x: Option<f64>,
    /// Idem, da altura.
    #[schemars(range(min = 0, max = 1))]
    y: Option<f64>,
}

/// Marks a schema whose fields the tool list describes in the description of `put_variants`.
fn refer_to_description(object: &mut Schema) {
    object.insert(DESCRIBED_BY.into(), "put_variants".into());
}

/// The checked content of a variant, its hour, and its way of publishing.
pub(super) struct Stated {
    pub content: VariantContent,
    pub due_at: Option<Millis>,
    pub publish: PublishMode,
}

impl VariantInput {
    /// Returns the key of the channel and the format. Refuses (400) a format that the channel does not
    /// have.
    pub fn find_place(&self, number: usize) -> Result<(String, Format)> {
        let channel = channel_key(&self.canal);
        let format = self.formato.unwrap_or_else(|| usual_format(&channel));
        let known = Channel::find(&channel);
        let offered: Vec<&str> = match known {
            Some(channel) => channel
                .formats
                .iter()
                .map(|rules| rules.format.as_str())
                .collect(),
            None => vec![Format::Post.as_str()],
        };
        if offered.contains(&format.as_str()) {
            let key = known.map_or(channel, |known| known.key.to_owned());
            return Ok((key, format));
        }
        let message = format!("não existe neste canal, que tem `{}`", offered.join("`, `"));
        Err(fault(number, "formato", "enum", message))
    }

    /// Checks the variant against its piece. Refuses (400) media that the piece does not have, a link
    /// that is not https, and a date that does not exist.
    pub fn check(self, number: usize, piece: &Event, now: Millis) -> Result<Stated> {
        self.check_publisher(number)?;
        let due_at = self
            .date
            .to_instant(now)
            .map_err(|error| error.with_detail("variante", number.into()))?;
        if let Some(link) = &self.link {
            let rest = link.strip_prefix("https://").unwrap_or_default();
            if rest.is_empty() || rest.starts_with('/') || link.contains(char::is_whitespace) {
                let message = "precisa ser um endereço https inteiro".to_owned();
                return Err(fault(number, "link", "format", message));
            }
        }
        let texts = [
            ("legenda", &self.legenda),
            ("primeiro_comentario", &self.primeiro_comentario),
        ];
        let names_link = |text: &Option<String>| {
            text.as_deref()
                .is_some_and(|text| text.contains(LINK_PLACEHOLDER))
        };
        if let Some((field, _)) = texts.iter().find(|(_, text)| names_link(text))
            && self.link.is_none()
        {
            let message = "tem `{link}`, mas a variante não tem `link`".to_owned();
            return Err(fault(number, field, "link", message));
        }
        let is_attached = |id: &MediaId| piece.media.iter().any(|medium| medium.id == *id);
        let not_attached = "não é uma mídia desta peça: anexe-a antes com `update_event_media`";
        let is_image = |id: &MediaId| {
            let mut media = piece.media.iter();
            media.any(|medium| medium.id == *id && medium.media_type.starts_with("image/"))
        };
        if self.capa.as_ref().is_some_and(|cover| !is_image(cover)) {
            let message = "precisa ser uma imagem desta peça".to_owned();
            return Err(fault(number, "capa", "media", message));
        }
        let mut media = vec![];
        for (place, medium) in self.midias.iter().flatten().enumerate() {
            let field = format!("midias.{place}.media_id");
            if !is_attached(&medium.media_id) {
                return Err(fault(number, &field, "media", not_attached.to_owned()));
            }
            if media
                .iter()
                .any(|known: &VariantMedium| known.id == medium.media_id)
            {
                let message = "não pode repetir uma mídia".to_owned();
                return Err(fault(number, &field, "uniqueItems", message));
            }
            media.push(VariantMedium {
                id: medium.media_id.clone(),
                alt: medium.alt.clone(),
                crop: medium.recorte.map(|crop| Crop {
                    aspect: crop.proporcao,
                    x: crop.x.unwrap_or(0.5),
                    y: crop.y.unwrap_or(0.5),
                }),
            });
        }
        Ok(Stated {
            due_at,
            publish: self.publicacao.unwrap_or(PublishMode::Manual),
            content: VariantContent {
                caption: self.legenda,
                first_comment: self.primeiro_comentario,
                title: self.titulo,
                link: self.link,
                media: self.midias.is_some().then_some(media),
                cover: self.capa,
                privacy: self.privacidade,
                collaborators: self.colaboradores,
                tags: self.tags,
                playlist: self.playlist,
                comments_off: self.sem_comentarios,
                cover_at: self.capa_segundo.map(to_milliseconds),
                tiktok: sort_options(self.tiktok),
            },
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds from 0 to 43,200"
)]
fn to_milliseconds(seconds: f64) -> u64 {
    (seconds * 1_000.0).round() as u64
}

/// Sorts the options and removes duplicates, so that the order in the input does not change the content.
fn sort_options(mut options: Vec<TikTokOption>) -> Vec<TikTokOption> {
    options.sort_unstable();
    options.dedup();
    options
}

impl VariantInput {
    /// Refuses (400) a variant with automatic publication that the service cannot publish: on a channel
    /// without an adapter, with an option that the adapter does not send, or without a title or privacy
    /// level that the network requires.
    fn check_publisher(&self, number: usize) -> Result<()> {
        if self.publicacao != Some(PublishMode::Automatic) {
            return Ok(());
        }
        let channel = Channel::find(&channel_key(&self.canal));
        let Some((channel, automatic)) = channel.and_then(|one| Some((one, one.automatic?))) else {
            let all = CHANNELS.iter().filter(|channel| channel.is_automatic());
            let keys: Vec<_> = all.map(|channel| channel.key).collect();
            let message = format!(
                "o serviço publica sozinho só em `{}`; aqui use `manual`",
                keys.join("`, `")
            );
            return Err(fault(number, "publicacao", "channel", message));
        };
        let unsent = [
            ("colaboradores", !self.colaboradores.is_empty()),
            (
                "sem_comentarios",
                self.sem_comentarios && !automatic.closes_comments,
            ),
            (
                "playlist",
                self.playlist.is_some() && !automatic.has_playlists,
            ),
        ];
        if let Some((field, _)) = unsent.iter().find(|(_, is_set)| *is_set) {
            let message =
                "ainda não vai na publicação automática; publique à mão, ou tire-o".to_owned();
            return Err(fault(number, field, "not", message));
        }
        let name = channel.name;
        if automatic.needs_title && self.titulo.is_none() {
            let message = format!("é necessário para o serviço publicar no {name}");
            return Err(fault(number, "titulo", "required", message));
        }
        if automatic.needs_privacy && self.privacidade.is_none() {
            let levels = channel.formats.iter().flat_map(|rules| rules.privacy);
            let levels: Vec<&str> = levels.copied().collect();
            let message = format!(
                "é necessária para o serviço publicar no {name}: `{}`",
                levels.join("`, `")
            );
            return Err(fault(number, "privacidade", "required", message));
        }
        Ok(())
    }
}

/// Builds the error (400) for a field of a variant.
pub(super) fn fault(number: usize, field: &str, rule: &str, message: String) -> Error {
    Error::from_faults(vec![Fault {
        field: format!("variantes.{number}.{field}"),
        rule: rule.into(),
        message,
    }])
}
