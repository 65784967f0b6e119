//! Generated videos: one row each, whose state changes by compare-and-set.

use crate::{Bind, Conn, Result, columns, conditions::Conditions, text_column};
use domain::{Aspect, EventId, EventStatus, MediaId, MemberId, VideoId, VideoState, time::Millis};

/// A generated video.
#[derive(Debug, Clone)]
pub struct Video {
    pub id: VideoId,
    pub state: VideoState,
    pub provider: String,
    pub provider_job_id: Option<String>,
    pub prompt: String,
    pub aspect: Aspect,
    pub duration_s: i64,
    /// The image of the first frame.
    pub frame_id: Option<MediaId>,
    pub event_id: Option<EventId>,
    /// The status to which the event returns when the video has ended.
    pub event_status: Option<EventStatus>,
    /// The progress in percent; it never decreases.
    pub progress: i64,
    pub media_id: Option<MediaId>,
    /// Whether the finished video was attached to the event.
    pub attached: bool,
    /// The error object of a failed video, as JSON.
    pub error: Option<String>,
    pub created_by: MemberId,
    pub created_at: Millis,
    pub updated_at: Millis,
}

columns!(Video {
    id,
    state,
    provider,
    provider_job_id,
    prompt,
    aspect,
    duration_s,
    frame_id,
    event_id,
    event_status,
    progress,
    media_id,
    attached,
    error,
    created_by,
    created_at,
    updated_at,
});

text_column!(Aspect, VideoState, EventStatus);

/// The condition that a video has not ended.
const ACTIVE: &str = "state IN ('queued', 'submitting', 'in_progress', 'storing')";

const INSERT: &str = "
INSERT INTO videos (id, state, provider, prompt, aspect, duration_s, frame_id, event_id,
    event_status, progress, attached, created_by, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, FALSE, $11, $12, $12)";

/// Stores a new video in the queue.
pub async fn insert(db: &Conn<'_>, video: &Video) -> Result<()> {
    let values = [
        video.id.value(),
        video.state.as_str().into(),
        video.provider.as_str().into(),
        video.prompt.as_str().into(),
        video.aspect.as_str().into(),
        video.duration_s.into(),
        video.frame_id.clone().map(String::from).into(),
        video.event_id.clone().map(String::from).into(),
        video.event_status.map(EventStatus::as_str).into(),
        video.progress.into(),
        video.created_by.value(),
        video.created_at.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

pub async fn find(db: &Conn<'_>, id: &VideoId) -> Result<Option<Video>> {
    let row = db
        .fetch_one("SELECT * FROM videos WHERE id = $1", [id.value()])
        .await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// Lists the videos in one of `states` (in any state if the list is empty), older than the position
/// `before` (created_at, id), newest first, at most `probe`.
pub async fn list(
    db: &Conn<'_>,
    states: &[VideoState],
    before: Option<(Millis, VideoId)>,
    probe: i64,
) -> Result<Vec<Video>> {
    let (at, id) = match before {
        Some((at, id)) => (at, String::from(id)),
        None => (Millis::MAX, String::new()),
    };
    let mut query = Conditions::default();
    let (at, id) = (query.bind(at), query.bind(id));
    query.and(&format!("(created_at, id) < ({at}, {id})"));
    if !states.is_empty() {
        let states: Vec<_> = states.iter().map(|s| query.bind(s.as_str())).collect();
        query.and(&format!("state IN ({})", states.join(", ")));
    }
    let limit = query.bind(probe);
    let sql = format!(
        "SELECT * FROM videos WHERE {} ORDER BY created_at DESC, id DESC LIMIT {limit}",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

const SAVE: &str = "
UPDATE videos SET state = $3, provider = $4, provider_job_id = $5, progress = $6, media_id = $7,
    attached = $8, error = $9, updated_at = $10
WHERE id = $1 AND state = $2";

/// Writes the changes of a video, if its stored state is still `from`. Keeps the stored event
/// status.
pub async fn save(db: &Conn<'_>, from: VideoState, video: &Video) -> Result<bool> {
    let values = [
        video.id.value(),
        from.as_str().into(),
        video.state.as_str().into(),
        video.provider.as_str().into(),
        video.provider_job_id.clone().into(),
        video.progress.into(),
        video.media_id.clone().map(String::from).into(),
        video.attached.into(),
        video.error.clone().into(),
        video.updated_at.into(),
    ];
    Ok(db.run(SAVE, values).await? == 1)
}

/// Finds the status to which an event returns when its videos have ended. Returns `None` if no video is
/// in progress.
pub async fn find_return_status(db: &Conn<'_>, event_id: &EventId) -> Result<Option<EventStatus>> {
    let sql = format!(
        "SELECT event_status FROM videos WHERE event_id = $1 AND {ACTIVE} ORDER BY id LIMIT 1"
    );
    let row = db.fetch_one(&sql, [event_id.value()]).await?;
    let status = row.map(|row| row.try_get("", "event_status")).transpose()?;
    Ok(status.flatten())
}

/// Lists the videos in progress for an event, newest first.
pub async fn list_open(db: &Conn<'_>, event_id: &EventId) -> Result<Vec<Video>> {
    let sql = format!(
        "SELECT * FROM videos WHERE event_id = $1 AND {ACTIVE} ORDER BY created_at DESC, id DESC"
    );
    let rows = db.fetch_all(&sql, [event_id.value()]).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// Sets the status to which an event returns. Returns `false` if no video of the event is in progress.
pub async fn set_return_status(
    db: &Conn<'_>,
    event_id: &EventId,
    status: EventStatus,
) -> Result<bool> {
    let sql = format!("UPDATE videos SET event_status = $2 WHERE event_id = $1 AND {ACTIVE}");
    let values = [event_id.value(), status.as_str().into()];
    Ok(db.run(&sql, values).await? > 0)
}
