//! The submission of a publication. The publication is stored before the provider is called, and
//! the outcome after the call.

use std::time::Duration;

use domain::{
    Code, Event, MediaId, PublicationId, PublicationKind, PublicationState as State,
    time::{MINUTE, Millis, Timestamp},
};
use gateway::{
    Context, Error, Result, Services,
    jobs::{Job, JobContext, JobOutcome},
};
use ports::shortvideo::Trouble;
use serde::{Deserialize, Serialize};
use store::{
    Conn, events,
    publications::{self, Ended, NewPublication, Publication, UPLOAD_URL},
    publishing_pauses,
    secrets::{self, Sealed},
};

use crate::publishing::{
    ALREADY_PUBLISHED, PUBLICATION_OPEN, PUBLISHING_PAUSED, scheduled::has_offline_variants,
};

use super::{
    approved,
    asking::{PAUSE, announce_end},
    follow::FollowPublication,
    meaning,
    post::Post,
    publication_view::UNKNOWN_NEXT,
};
use domain::sha256_hex;

/// The age from which a submission without a stored outcome counts as unknown. It is longer than the
/// timeout of an operation that calls a provider.
const LEASE: Millis = 5 * MINUTE;

/// The publication to submit.
pub(super) struct Submission<'a> {
    pub kind: PublicationKind,
    pub account_id: &'a str,
    pub event: Option<&'a Event>,
    pub post: &'a Post,
    /// The size of the video in bytes; 0 for photos.
    pub bytes: i64,
    /// An earlier publication of the same content that a person has checked or wants to repeat.
    pub despite: Option<&'a PublicationId>,
}

/// Returns the guard key of the event or, without an event, of these media. Each guard key allows one
/// open publication.
fn guard_key(event: Option<&Event>, media_ids: &[MediaId]) -> String {
    let Some(event) = event else {
        let ids: Vec<&str> = media_ids.iter().map(MediaId::as_str).collect();
        return format!("media:{}", sha256_hex(ids.join("\n").as_bytes()));
    };
    format!("event:{}", event.id)
}

/// Refuses (409) while another publication of the same content is open, unless the caller named
/// that publication.
///
/// [`Submission::store_publication`] makes the final check; this earlier check saves calls to the
/// provider.
pub(super) async fn require_no_open_publication(
    ctx: &Context<'_>,
    event: Option<&Event>,
    media_ids: &[MediaId],
    despite: Option<&PublicationId>,
) -> Result<()> {
    require_no_pause(&ctx.db()).await?;
    require_variants_online(&ctx.db(), event).await?;
    let open = publications::find_open(&ctx.db(), &guard_key(event, media_ids)).await?;
    match open.filter(|open| despite != Some(&open.id)) {
        Some(open) => Err(open_publication_error(&open)),
        None => Ok(()),
    }
}

/// Refuses (409) every publication while publishing is paused.
async fn require_no_pause(db: &Conn<'_>) -> Result<()> {
    let Some(pause) = publishing_pauses::find(db).await? else {
        return Ok(());
    };
    let mut refused = Error::new(PUBLISHING_PAUSED).with_detail(
        "paused_at",
        serde_json::to_value(Timestamp(pause.paused_at))?,
    );
    if let Some(reason) = pause.reason {
        refused = refused.with_detail("reason", reason.into());
    }
    Err(refused)
}

/// Refuses (400) the publication of a whole piece while one of its variants is not online. This
/// publication would set the piece to `publicado` and so end the other variants, which may include one
/// for TikTok.
async fn require_variants_online(db: &Conn<'_>, event: Option<&Event>) -> Result<()> {
    let Some(event) = event else {
        return Ok(());
    };
    match has_offline_variants(db, &event.id).await? {
        false => Ok(()),
        true => Err(Error::invalid_field(
            "event_id",
            "channels",
            "é de uma peça que vai a vários canais: ponha o TikTok em `put_variants`, e ele sai na \
             sua hora, ou antes com `decide_publication`",
        )),
    }
}

impl Submission<'_> {
    /// Stores the publication. The provider may be called after the commit.
    ///
    /// Refuses (409) while all publications are paused, while another publication of the same content is
    /// open, and when the event has changed since the caller read it.
    pub async fn store_publication(&self, ctx: &Context<'_>) -> Result<PublicationId> {
        let services = ctx.services;
        let now = services.clock.now();
        let member = &ctx.caller()?.member;
        let guard = guard_key(self.event, &self.post.media_ids);
        let id = PublicationId::new(now);
        let tx = ctx.begin().await?;
        let db = tx.conn();
        require_no_pause(&db).await?;
        if let Some(earlier) = self.despite {
            require_ended_publication(publications::find(&db, earlier).await?, &guard)?;
            publications::allow_republication(&db, earlier, now).await?;
        }
        if let Some(event) = self.event {
            // The lock prevents that a variant is added to the piece during this transaction.
            events::lock_event(&db, &event.id).await?;
            let media_ids = &self.post.media_ids;
            let current =
                approved::find_approved_event(&db, member, media_ids, Some(&event.id)).await?;
            if current.is_none_or(|current| current.api_revision != event.api_revision) {
                return Err(events::load_stale_refusal(&db, &event.id, event.api_revision).await?);
            }
            require_variants_online(&db, self.event).await?;
        }
        let new = NewPublication {
            id: &id,
            kind: self.kind,
            guard: &guard,
            account_id: self.account_id,
            event_id: self.event.map(|event| &event.id),
            post: &serde_json::to_string(self.post)?,
            bytes: self.bytes,
            created_by: &member.id,
        };
        if !publications::insert(&db, &new, now).await? {
            return Err(match publications::find_open(&db, &guard).await? {
                Some(open) => open_publication_error(&open),
                None => Error::new(PUBLICATION_OPEN).with_retry_after(1),
            });
        }
        let abandon = AbandonPublication { id: id.clone() };
        abandon
            .enqueue_at(&services.queue, &db, now + LEASE, now)
            .await?;
        tx.commit().await?;
        Ok(id)
    }
}

fn require_ended_publication(earlier: Option<Publication>, guard: &str) -> Result<()> {
    let is_over = |earlier: &Publication| earlier.guard == guard && earlier.finished_at.is_some();
    match earlier.as_ref().is_some_and(is_over) {
        true => Ok(()),
        false => Err(Error::invalid_field(
            "despite_publication_id",
            "over",
            "precisa ser uma publicação já encerrada deste mesmo evento ou destas mídias",
        )),
    }
}

/// Builds the error (409) for an open publication of the same content.
fn open_publication_error(open: &Publication) -> Error {
    match open.state {
        State::Unknown => outcome_unknown_error(&open.id).because(
            "Não se sabe se a publicação anterior disto foi ao ar; nada foi enviado agora.",
        ),
        State::Published => {
            Error::new(ALREADY_PUBLISHED).with_detail("publication_id", open.id.as_str().into())
        }
        _ => Error::new(PUBLICATION_OPEN)
            .with_detail("publication_id", open.id.as_str().into())
            .with_detail("status", open.state.as_str().into()),
    }
}

/// Builds the error (409) for a publication whose outcome is unknown.
pub(super) fn outcome_unknown_error(id: &PublicationId) -> Error {
    Error::new(Code::OUTCOME_UNKNOWN)
        .because("O TikTok não confirmou o pedido: não se sabe se a publicação foi ao ar.")
        .with_detail("publication_id", id.as_str().into())
        .with_detail("next", UNKNOWN_NEXT.into())
}

/// The provider's response to an accepted submission.
pub(super) struct Taken {
    pub publish_id: String,
    pub upload_url: Option<String>,
}

/// Stores the outcome of the call: the publication proceeds, has failed, or its outcome is unknown.
pub(super) async fn store_outcome(
    services: &Services,
    id: &PublicationId,
    outcome: &Result<Taken, Trouble>,
) -> Result<()> {
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let db = tx.conn();
    match outcome {
        Ok(taken) => {
            let (state, due_at) = match &taken.upload_url {
                Some(url) => {
                    secrets::save_record(&db, &encrypt_upload_url(services, id, url)?).await?;
                    (State::Uploading, now)
                }
                None => (State::Processing, now + PAUSE),
            };
            publications::record_submission(&db, id, &taken.publish_id, state, now).await?;
            let follow = FollowPublication { id: id.clone() };
            follow.enqueue_at(&services.queue, &db, due_at, now).await?;
        }
        Err(trouble) => {
            let error = meaning::trouble_to_error(trouble);
            let (to, code, provider_code) = match trouble {
                Trouble::Lost => (State::Unknown, Code::OUTCOME_UNKNOWN, None),
                Trouble::Unreached => (State::Failed, error.code, None),
                Trouble::Refused { code, .. } => (State::Failed, error.code, Some(code.as_str())),
            };
            let ended = Ended {
                code: Some(code.as_str()),
                provider_code,
                post_id: None,
            };
            if publications::record_outcome(&db, id, State::Submitting, to, ended, now).await? {
                announce_end(services, &db, id).await?;
            }
        }
    }
    Ok(tx.commit().await?)
}

/// Encrypts the upload URL of a video.
fn encrypt_upload_url(services: &Services, id: &PublicationId, url: &str) -> Result<Sealed> {
    Ok(Sealed {
        purpose: UPLOAD_URL.into(),
        id: id.as_str().into(),
        kid: services.keys.active_key_id().into(),
        sealed: services
            .keys
            .seal(UPLOAD_URL, id.as_str(), url.as_bytes())?,
    })
}

/// Ends a submission as unknown if its process died before the outcome was stored. The publication
/// is never submitted again.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct AbandonPublication {
    id: PublicationId,
}

impl Job for AbandonPublication {
    const NAME: &'static str = "abandon_publication";
    const ATTEMPTS: u32 = 1_000;
    const TIMEOUT: Duration = Duration::from_secs(30);

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let abandoned = self.end_as_unknown(ctx).await;
        JobOutcome::from_result(abandoned, ctx.services().clock.now())
    }
}

impl AbandonPublication {
    async fn end_as_unknown(&self, ctx: &JobContext) -> Result<()> {
        let now = ctx.services().clock.now();
        let tx = ctx.services().db.begin().await?;
        let ended = Ended {
            code: Some(Code::OUTCOME_UNKNOWN.as_str()),
            ..Ended::default()
        };
        let (from, to) = (State::Submitting, State::Unknown);
        if publications::record_outcome(&tx.conn(), &self.id, from, to, ended, now).await? {
            tracing::warn!(
                publication = self.id.as_str(),
                "um envio à rede social foi interrompido"
            );
            announce_end(ctx.services(), &tx.conn(), &self.id).await?;
            return ctx.commit(tx).await;
        }
        Ok(())
    }
}
