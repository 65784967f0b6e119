//! The texts of `avisos`: warnings of successful calls.

use domain::{
    Event,
    channels::is_same_channel,
    time::{LocalDate, Millis},
    variant::{PublishMode, Variant},
};
use gateway::{Context, Result};
use store::{
    publishing_pauses,
    scheduled_posts::{self, ScheduledPost},
};

use crate::publishing::scheduled::Publishers;

/// Channels that require an image or a video.
const VISUAL: [&str; 5] = ["instagram", "tiktok", "youtube", "pinterest", "shortvideo"];

/// Returns the warning about a requested date that is in the past.
pub(super) fn past_date_warning(date: Option<Millis>, now: Millis) -> Option<String> {
    let date = date.filter(|date| *date < now)?;
    Some(format!(
        "A data {} já passou; ela foi gravada assim mesmo. Confira o ano e a hora.",
        format_instant(date)
    ))
}

/// Returns the warning about an event without media on a channel that requires media.
pub(super) fn missing_media_warning(event: &Event) -> Option<String> {
    let is_visual = VISUAL
        .iter()
        .any(|channel| is_same_channel(channel, &event.channel));
    (is_visual && event.media.is_empty()).then(|| {
        format!(
            "O evento não tem mídia, e o canal `{}` não publica sem imagem ou vídeo.",
            event.channel
        )
    })
}

/// Returns the warning about an event that is submitted or approved with its briefing instead of a
/// caption. `done` is the participle for the message: `enviada` or `aprovada`.
pub(super) fn unwritten_caption_warning(event: &Event, done: &str) -> Option<String> {
    event.has_unwritten_caption().then(|| {
        format!(
            "Ninguém escreveu a legenda: a que foi {done} é o briefing da demanda. Para escrevê-la, \
             `reopen_event` traz o evento de volta."
        )
    })
}

/// Returns the warning about a decision that changes the caption after `approvers` approved the previous
/// caption.
pub(super) fn changed_after_approval_warning(approvers: &str) -> String {
    format!(
        "A legenda mudou depois da aprovação de {approvers}. Essa aprovação vale, e a peça diz que \
         mudou depois dela; para que decidam de novo, use `reopen_event` e envie outra vez."
    )
}

/// Returns the notices about the variants of an approved piece with automatic publication: those that the
/// service will publish, with their times, and those whose time passed too long ago.
pub(super) async fn automatic_posts_notices(
    ctx: &Context<'_>,
    piece: &Event,
    mut variants: Vec<Variant>,
) -> Result<Vec<String>> {
    let publishers = Publishers::load(ctx, &variants).await?;
    variants.retain(|variant| {
        let is_automatic = variant.publish == PublishMode::Automatic;
        is_automatic && publishers.obstacle(&variant.channel).is_none()
    });
    if variants.is_empty() {
        return Ok(vec![]);
    }
    let online = scheduled_posts::load_published(&ctx.db(), &piece.id).await?;
    let is_post_of = |variant: &Variant, post: &ScheduledPost| {
        post.network == variant.channel && post.kind == variant.format.as_str()
    };
    variants.retain(|variant| !online.iter().any(|post| is_post_of(variant, post)));
    let is_too_late = |variant: &Variant| publishers.is_too_late(variant.due_at(piece), ctx.now);
    let (late, punctual): (Vec<_>, Vec<_>) = variants.into_iter().partition(is_too_late);
    let mut notices = vec![];
    if !punctual.is_empty() {
        let beginning = match publishing_pauses::find(&ctx.db()).await? {
            Some(_) => "Depois da pausa de todas as publicações, a Pauta publica sozinha",
            None => "A Pauta publica sozinha",
        };
        notices.push(format!("{beginning}: {}.", list_posts(&punctual, piece)));
    }
    if !late.is_empty() {
        notices.push(format!(
            "A hora já passou de {}: a Pauta não publica sozinha, e espera uma decisão em \
             `list_publications`.",
            list_posts(&late, piece)
        ));
    }
    Ok(notices)
}

/// Returns the channels, formats and times of these variants, for a sentence.
fn list_posts(variants: &[Variant], piece: &Event) -> String {
    let posts = variants.iter().map(|variant| {
        let when = match variant.due_at(piece) {
            Some(due_at) => format!("em {}", format_instant(due_at)),
            None => "quando tiver data".to_owned(),
        };
        format!("{}/{} {when}", variant.channel, variant.format)
    });
    posts.collect::<Vec<_>>().join("; ")
}

/// Formats an instant for people, in Brasília time.
pub(super) fn format_instant(instant: Millis) -> String {
    LocalDate::from_instant(instant).to_string()
}
