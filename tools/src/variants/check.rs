//! Checks the posts of variants against the rules of their channels.

use std::collections::HashMap;

use futures::{StreamExt, TryStreamExt, stream};
use schemars::JsonSchema;
use serde::Serialize;

use super::CHANNEL_RULES;
use crate::{media::read_duration, publishing::scheduled::PostDesk};
use domain::{
    Event, EventStatus, Format, MediaId,
    channels::{Channel, MediaFacts, Post, check_post},
    variant::{PublishMode, ResolvedPost, Variant},
};
use gateway::{Context, Error, Result};
use store::{
    media::{self, Media},
    variants,
};

/// The maximum number of videos whose duration is determined at the same time.
const AT_ONCE: usize = 4;

/// Uma regra do canal que a publicação não cumpre.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Problem {
    /// O canal da variante.
    pub canal: String,
    pub formato: Format,
    /// O campo da variante, como `legenda` ou `midias.0`.
    pub campo: String,
    /// A regra, como `maxLength` ou `ratio`.
    pub regra: &'static str,
    /// O que está errado e o que passa.
    pub mensagem: String,
    /// O valor mais próximo que passa; vazio quando é tirar ou trocar.
    pub valor: String,
}

/// The stored media of a piece, with the durations of its videos in seconds.
struct PieceMedia(HashMap<MediaId, (Media, Option<f64>)>);

impl PieceMedia {
    /// Loads the media of these posts. Only the headers of video files are read.
    async fn load(ctx: &Context<'_>, posts: &[(&Variant, ResolvedPost)]) -> Result<Self> {
        let shown = posts.iter().flat_map(|(_, post)| &post.media);
        let mut ids: Vec<MediaId> = shown.map(|medium| medium.id.clone()).collect();
        ids.sort();
        ids.dedup();
        let found = media::find_visible(&ctx.db(), None, &ids).await?;
        let facts = found.into_iter().map(|medium| async move {
            let seconds = match medium.media_type.starts_with("video/") {
                true => read_duration(ctx.services, &medium).await?.map(to_seconds),
                false => None,
            };
            Ok::<_, Error>((medium.id.clone(), (medium, seconds)))
        });
        let facts = stream::iter(facts).buffer_unordered(AT_ONCE);
        Ok(Self(facts.try_collect().await?))
    }

    fn facts<'a>(&'a self, post: &'a ResolvedPost) -> Vec<MediaFacts<'a>> {
        let facts = post.media.iter().map(|medium| {
            let stored = self.0.get(&medium.id);
            let size = stored.and_then(|(stored, _)| Some((stored.width?, stored.height?)));
            MediaFacts {
                media_type: &medium.media_type,
                bytes: stored.map_or(0, |(stored, _)| stored.bytes),
                size,
                seconds: stored.and_then(|(_, seconds)| *seconds),
                crop: medium.crop.map(|crop| crop.aspect.ratio()),
                alt: medium.alt.as_deref(),
            }
        });
        facts.collect()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations are far below 2^52 milliseconds"
)]
fn to_seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1_000.0
}

/// Checks variants against the rules of their channels. The result is empty if the networks would accept
/// the variants according to their documentation.
pub(crate) async fn find_problems(
    ctx: &Context<'_>,
    piece: &Event,
    variants: &[Variant],
) -> Result<Vec<Problem>> {
    let posts: Vec<_> = variants
        .iter()
        .map(|variant| (variant, variant.resolve(piece)))
        .collect();
    let media = PieceMedia::load(ctx, &posts).await?;
    let mut problems = vec![];
    for (variant, post) in &posts {
        let Some(channel) = Channel::find(&variant.channel) else {
            continue;
        };
        let Some(rules) = channel.find_format(variant.format) else {
            continue;
        };
        let facts = media.facts(post);
        let content = &variant.content;
        let faults = check_post(
            channel,
            rules,
            &Post {
                caption: &post.caption,
                title: post.title.as_deref(),
                tags: &content.tags,
                first_comment: post.first_comment.as_deref(),
                privacy: content.privacy.as_deref(),
                collaborators: content.collaborators.len(),
                has_cover: content.cover.is_some(),
                cover_at: content.cover_at,
                tiktok: &content.tiktok,
                media: &facts,
            },
        );
        problems.extend(find_refused_privacy(ctx, channel, variant));
        problems.extend(faults.into_iter().map(|fault| Problem {
            canal: variant.channel.clone(),
            formato: variant.format,
            campo: fault.field,
            regra: fault.rule,
            mensagem: fault.message,
            valor: fault.nearest,
        }));
    }
    Ok(problems)
}

/// Finds the problem of a variant with automatic publication whose privacy level the application may not
/// use, because the network has not audited the application.
fn find_refused_privacy(
    ctx: &Context<'_>,
    channel: &Channel,
    variant: &Variant,
) -> Option<Problem> {
    if variant.publish != PublishMode::Automatic {
        return None;
    }
    let desk = ctx.services.parts.find::<PostDesk>()?;
    let allowed = desk.allowed_privacy(&variant.channel)?;
    let privacy = variant.content.privacy.as_deref();
    if privacy.is_none_or(|privacy| allowed.contains(&privacy)) {
        return None;
    }
    let nearest = allowed.first().copied().unwrap_or_default();
    Some(Problem {
        canal: variant.channel.clone(),
        formato: variant.format,
        campo: "privacidade".to_owned(),
        regra: "audit",
        mensagem: format!(
            "{} ({}): a rede ainda não auditou o aplicativo do serviço, que só publica com `{nearest}`; \
             ou publique à mão",
            channel.name, variant.format
        ),
        valor: nearest.to_owned(),
    })
}

/// Refuses (409) a piece with a variant that breaks the rules of its channel. Returns the variants of
/// the piece.
pub(crate) async fn require_no_problems(ctx: &Context<'_>, piece: &Event) -> Result<Vec<Variant>> {
    let variants = variants::list(&ctx.db(), &piece.id).await?;
    if !variants.is_empty() && piece.status != EventStatus::Published {
        refuse_problems(find_problems(ctx, piece, &variants).await?)?;
    }
    Ok(variants)
}

/// Refuses (409) if there are problems.
pub(crate) fn refuse_problems(problems: Vec<Problem>) -> Result<()> {
    let Some(first) = problems.first() else {
        return Ok(());
    };
    let more = match problems.len() - 1 {
        0 => String::new(),
        1 => " (e mais um problema)".to_owned(),
        more => format!(" (e mais {more} problemas)"),
    };
    let because = format!("{}{more}.", first.mensagem);
    let problems = serde_json::to_value(&problems)?;
    Err(Error::new(CHANNEL_RULES)
        .because(because)
        .with_detail("problemas", problems))
}
