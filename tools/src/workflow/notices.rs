//! Warnings after a success: the texts of `avisos`.

use domain::{
    Event, EventStatus,
    time::{LocalDate, Millis},
    variant::{PublishMode, Variant},
};
use gateway::{Context, Result};
use store::{
    events::is_same_channel,
    scheduled_posts::{self, ScheduledPost},
};

use crate::publishing::scheduled::Publishers;

/// Channels that require an image or a video.
const VISUAL: [&str; 5] = ["instagram", "tiktok", "youtube", "pinterest", "shortvideo"];

/// The warning about a requested date that is in the past.
pub(super) fn past_date_warning(date: Option<Millis>, now: Millis) -> Option<String> {
    let date = date.filter(|date| *date < now)?;
    Some(format!(
        "A data {} já passou; ela foi gravada assim mesmo. Confira o ano e a hora.",
        format_instant(date)
    ))
}

/// The warning about an event without media in a channel that requires some.
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

/// The warning about an event that is submitted or approved with its briefing instead of a caption.
/// `done` says which of the two happened: `enviada` or `aprovada`.
pub(super) fn unwritten_caption_warning(event: &Event, done: &str) -> Option<String> {
    event.has_unwritten_caption().then(|| {
        format!(
            "Ninguém escreveu a legenda: a que foi {done} é o briefing da demanda. Para escrevê-la, \
             `reopen_event` traz o evento de volta."
        )
    })
}

/// The warning about a decision that changes the caption after these people approved another one.
pub(super) fn changed_after_approval_warning(approvers: &str) -> String {
    format!(
        "A legenda mudou depois da aprovação de {approvers}. Essa aprovação vale, e a peça diz que \
         mudou depois dela; para que decidam de novo, use `reopen_event` e envie outra vez."
    )
}

/// The variants that the service itself can publish now and that are not online.
pub(super) async fn list_own_posts(
    ctx: &Context<'_>,
    piece: &Event,
    mut variants: Vec<Variant>,
    publishers: &Publishers<'_>,
) -> Result<Vec<Variant>> {
    variants.retain(|variant| {
        let is_automatic = variant.publish == PublishMode::Automatic;
        is_automatic && publishers.obstacle(&variant.channel).is_none()
    });
    if !variants.is_empty() {
        let online = scheduled_posts::load_published(&ctx.db(), &piece.id).await?;
        let is_post_of = |variant: &Variant, post: &ScheduledPost| {
            post.network == variant.channel && post.kind == variant.format.as_str()
        };
        variants.retain(|variant| !online.iter().any(|post| is_post_of(variant, post)));
    }
    Ok(variants)
}

/// Says what the service publishes of an approved piece by itself, and when.
pub(super) fn automatic_posts_notice(piece: &Event, own: &[Variant]) -> Option<String> {
    if piece.status != EventStatus::Approved {
        return None;
    }
    let posts: Vec<String> = own
        .iter()
        .map(|variant| {
            let when = match variant.due_at(piece) {
                Some(due_at) => format!("em {}", format_instant(due_at)),
                None => "quando tiver data".to_owned(),
            };
            format!("{}/{} {when}", variant.channel, variant.format)
        })
        .collect();
    (!posts.is_empty()).then(|| format!("A Pauta publica sozinha: {}.", posts.join("; ")))
}

/// Formats an instant for people, in Brasília time.
pub(super) fn format_instant(instant: Millis) -> String {
    LocalDate::from_instant(instant).to_string()
}
