use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    approved,
    desk::{Counted, Desk},
    get_shortvideo_creator_info::load_creator,
    hints, meaning, photos,
    post::{Post, SELF_ONLY, media_fault},
    submit::{self, Submission, Taken},
};
use crate::{
    links::Links,
    media::read_duration,
    publishing::{AccessToken, PUBLICATION, public_url::require_public_url},
    visibility::{self, EVENT},
};
use domain::{
    Capability, Event, EventId, MediaId, PublicationId, PublicationKind, PublicationState,
};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use ports::shortvideo::{Creator, PhotoPost, Trouble, VideoPost};
use store::media::Media;

/// Publica (posta) fotos ou um vídeo na conta conectada do TikTok.
///
/// Mídia de evento, só com ele `aprovado`. O resultado sai em `list_shortvideo_publications`. Com
/// `OUTCOME_UNKNOWN`, não repita.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PublishShortvideo {
    /// Fotos ou vídeo.
    #[serde(rename = "type", default = "default_kind")]
    kind: PublicationKind,
    /// Em ordem: até 35 fotos, ou um vídeo.
    #[serde(rename = "mediaIds")]
    #[schemars(
        length(min = 1, max = 35),
        inner(regex(
            pattern = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
        )),
        extend("uniqueItems" = true)
    )]
    media_ids: Vec<MediaId>,
    /// Ausente, a do evento.
    #[schemars(length(max = 4000))]
    caption: Option<String>,
    /// Se mais de um evento aprovado tem as mídias.
    event_id: Option<EventId>,
    /// Um de `get_shortvideo_creator_info`.
    #[schemars(length(max = 60))]
    privacy_level: Option<String>,
    /// Sem comentários.
    disable_comment: Option<bool>,
    /// Só vídeo.
    disable_duet: Option<bool>,
    /// Só vídeo.
    disable_stitch: Option<bool>,
    /// Marca própria.
    brand_organic_toggle: Option<bool>,
    /// Parceria paga.
    brand_content_toggle: Option<bool>,
    /// Só fotos.
    auto_add_music: Option<bool>,
    /// Publica apesar desta: `unknown` que uma pessoa viu fora do ar, ou `published` a repetir.
    despite_publication_id: Option<PublicationId>,
}

/// Publicação entregue ao TikTok.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShortvideoPublished {
    ok: bool,
    publication_id: PublicationId,
    /// Identificador da publicação no TikTok.
    publish_id: String,
    /// `uploading` (o vídeo ainda sobe) ou `processing`; o resultado sai em
    /// `list_shortvideo_publications`.
    status: PublicationState,
    #[serde(rename = "type")]
    kind: PublicationKind,
    account_id: String,
    event_id: Option<EventId>,
    /// A privacidade com que foi enviada.
    privacy_level: String,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

fn default_kind() -> PublicationKind {
    PublicationKind::Photo
}

impl Operation for PublishShortvideo {
    const SPEC: Spec = Spec::new(
        "publish_shortvideo",
        "Publicar no TikTok",
        Verb::Post,
        "/oauth/shortvideo/publish",
    )
    .access(Access::Member(Capability::Publish))
    .makes(PUBLICATION)
    .within(EVENT, "event_id")
    .fails(&[404])
    .needs_provider(Code::NOT_FOUND)
    .outside()
    .destructive()
    .asks_first("Publicar agora no TikTok? O que vai ao ar não volta por aqui.")
    .hints(hints::PUBLISH)
    .tool()
    .announces_nothing();
    type Output = ShortvideoPublished;

    fn affected_ids(output: &ShortvideoPublished) -> Vec<&str> {
        vec![output.publication_id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<ShortvideoPublished> {
        let services = ctx.services;
        let desk = Desk::require_configured(services)?;
        let mut post = self.build_post(desk)?;
        let found = visibility::require_media(ctx, &self.media_ids).await?;
        let media = sort_by_ids(&self.media_ids, found);
        let member = &ctx.caller()?.member;
        let event = approved::find_approved_event(
            &ctx.db(),
            member,
            &self.media_ids,
            self.event_id.as_ref(),
        )
        .await?;
        let despite = self.despite_publication_id.as_ref();
        submit::require_no_open_publication(ctx, event.as_ref(), &self.media_ids, despite).await?;
        let avisos = self.write_caption(&mut post, event.as_ref());
        post.require_caption_length(self.kind)?;
        match self.kind {
            PublicationKind::Photo => {
                photos::require_photos(&media)?;
                require_public_url(&services.public_url)?;
            }
            PublicationKind::Video => photos::require_single_video(&media)?,
        }
        let (access, creator) = load_creator(services, desk).await?;
        post.apply_account_options(&creator)?;
        let mut bytes = 0;
        post.sent_ids = match (self.kind, media.first()) {
            (PublicationKind::Video, Some(video)) => {
                require_duration(ctx, video, &creator).await?;
                bytes = video.bytes;
                vec![video.id.clone()]
            }
            _ => photos::convert_where_needed(ctx, &media).await?,
        };
        Counted::Submit
            .require_allowed_call(services, &access.account_id)
            .await?;
        let submission = Submission {
            kind: self.kind,
            account_id: &access.account_id,
            event: event.as_ref(),
            post: &post,
            bytes,
            despite,
        };
        let id = submission.store_publication(ctx).await?;
        let outcome = submit_to_provider(ctx, desk, &access, &submission).await;
        // The provider has been called. If the outcome cannot be stored, the publication is unknown.
        let lost = |error: Error| submit::outcome_unknown_error(&id).caused_by(error);
        submit::store_outcome(services, &id, &outcome)
            .await
            .map_err(lost)?;
        match outcome {
            Ok(taken) => Ok(ShortvideoPublished {
                ok: true,
                publication_id: id,
                publish_id: taken.publish_id,
                status: match taken.upload_url {
                    Some(_) => PublicationState::Uploading,
                    None => PublicationState::Processing,
                },
                kind: self.kind,
                account_id: access.account_id,
                event_id: event.map(|event| event.id),
                privacy_level: post.privacy_level,
                avisos,
            }),
            Err(Trouble::Lost) => Err(submit::outcome_unknown_error(&id)),
            Err(trouble) => {
                let counted = Counted::Submit;
                counted
                    .store_rate_limit(services, &access.account_id, &trouble)
                    .await
                    .map_err(lost)?;
                Err(meaning::trouble_to_error(&trouble)
                    .with_detail("publication_id", id.as_str().into()))
            }
        }
    }
}

impl PublishShortvideo {
    /// Builds the post from the input. Refuses (400) fields that contradict each other.
    fn build_post(&self, desk: &Desk) -> Result<Post> {
        let is_set = |flag: Option<bool>| flag.unwrap_or(false);
        let of_video = [
            ("disable_duet", self.disable_duet),
            ("disable_stitch", self.disable_stitch),
        ];
        let of_photos = [("auto_add_music", self.auto_add_music)];
        let (other, message) = match self.kind {
            PublicationKind::Photo => (&of_video[..], "vale só para vídeos"),
            PublicationKind::Video => (&of_photos[..], "vale só para fotos"),
        };
        if let Some((field, _)) = other.iter().find(|(_, asked)| is_set(*asked)) {
            return Err(Error::invalid_field(field, "type", message));
        }
        let privacy_level = match desk.audited {
            false => SELF_ONLY,
            true => self.privacy_level.as_deref().unwrap_or_default(),
        };
        if is_set(self.brand_content_toggle) && privacy_level == SELF_ONLY {
            let message = match desk.audited {
                true => "não vale com `SELF_ONLY`: parceria paga precisa de público",
                false => {
                    "não vale: o aplicativo ainda não foi auditado pelo TikTok e só publica como \
                     `SELF_ONLY`"
                }
            };
            return Err(Error::invalid_field(
                "brand_content_toggle",
                "privacy",
                message,
            ));
        }
        Ok(Post {
            media_ids: self.media_ids.clone(),
            privacy_level: privacy_level.to_owned(),
            disable_comment: is_set(self.disable_comment),
            disable_duet: is_set(self.disable_duet),
            disable_stitch: is_set(self.disable_stitch),
            brand_organic: is_set(self.brand_organic_toggle),
            brand_content: is_set(self.brand_content_toggle),
            auto_add_music: is_set(self.auto_add_music),
            ..Post::default()
        })
    }

    /// Sets the caption of the post to the caption in the input or, without one, to the caption of the
    /// event. Returns the warnings for the user.
    fn write_caption(&self, post: &mut Post, event: Option<&Event>) -> Vec<String> {
        let approved = event.and_then(|event| event.description.clone());
        post.event_revision = event.map(|event| event.api_revision);
        let mut avisos = vec![];
        if let (Some(given), Some(_)) = (&self.caption, event)
            && approved.as_ref() != Some(given)
        {
            avisos.push("A legenda publicada não é a que foi aprovada com o evento.".to_owned());
        }
        if self
            .privacy_level
            .as_ref()
            .is_some_and(|asked| *asked != post.privacy_level)
        {
            avisos.push(
                "Saiu como `SELF_ONLY`, que só a própria conta vê: o TikTok ainda não auditou o \
                 aplicativo."
                    .to_owned(),
            );
        }
        post.caption = self.caption.clone().or(approved).unwrap_or_default();
        avisos
    }
}

/// Submits the post to the provider, with one call.
async fn submit_to_provider(
    ctx: &Context<'_>,
    desk: &Desk,
    access: &AccessToken,
    submission: &Submission<'_>,
) -> Result<Taken, Trouble> {
    let post = submission.post;
    if submission.kind == PublicationKind::Video {
        let video = VideoPost {
            info: post.to_post_info(),
            disable_duet: post.disable_duet,
            disable_stitch: post.disable_stitch,
            cover_at: None,
            chunks: photos::divide_into_chunks(submission.bytes),
        };
        let started = desk.api.submit_video(&access.token, &video).await?;
        return Ok(Taken {
            publish_id: started.publish_id,
            upload_url: Some(started.upload_url),
        });
    }
    let links = ctx.services.parts.get::<Links>();
    let now = ctx.services.clock.now();
    let photos = PhotoPost {
        info: post.to_post_info(),
        auto_add_music: post.auto_add_music,
        links: post
            .sent_ids
            .iter()
            .map(|id| links.media_url(id, now))
            .collect(),
    };
    Ok(Taken {
        publish_id: desk.api.submit_photos(&access.token, &photos).await?,
        upload_url: None,
    })
}

fn sort_by_ids(ids: &[MediaId], found: Vec<Media>) -> Vec<Media> {
    let of = |id: &MediaId| found.iter().find(|media| media.id == *id).cloned();
    ids.iter().filter_map(of).collect()
}

/// Refuses (400) a video that is longer than the account may publish, or whose length is unknown.
async fn require_duration(ctx: &Context<'_>, media: &Media, creator: &Creator) -> Result<()> {
    let most = creator.max_video_seconds;
    let message = match read_duration(ctx.services, media).await? {
        Some(length) if most == 0 || length <= most * 1_000 => return Ok(()),
        Some(length) => format!(
            "dura {} s, e a conta publica vídeos de até {most} s",
            length.div_ceil(1_000)
        ),
        None => "não diz quanto dura: exporte o vídeo de novo em MP4".to_owned(),
    };
    Err(Error::from_faults(vec![media_fault(
        0, media, "duration", &message,
    )]))
}
