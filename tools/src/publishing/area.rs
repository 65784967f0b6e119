//! Declares the area: its name, its description, its operations, pages and jobs.

use super::by_hand::{RemindOfPosts, SnoozePostReminder, VARIANT_FILE, VARIANT_PACKAGE};
use super::results::{ListResults, ReadResults};
use super::scheduled::{
    AdvancePublication, DecidePublication, ListPublications, PausePublishing, SchedulePublications,
};
use super::shortvideo::{
    AbandonPublication, FollowPublication, GetShortvideoCreatorInfo, ListShortvideoPublications,
    PublishShortvideo,
};
use super::{
    ACCOUNT_DISCONNECTED, ALREADY_PUBLISHED, COMPLETE_OAUTH_CONNECTION, COUNTED, Connections,
    DisconnectOauthAccount, GET_OAUTH_STATUS_PAGE, ListConnectedAccounts, MEDIA_REJECTED,
    OAUTH_STATE_INVALID, PUBLICATION_OPEN, PUBLICATION_STATE, PUBLISHING_PAUSED,
    PUBLISHING_REFUSED, StartOauthConnection, UPLOAD_EXPIRED, renew_connections::RenewConnections,
};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "publishing",
    "Contas das redes sociais: conectar, desconectar, publicar e o estado de cada uma.",
)
.codes(&[
    OAUTH_STATE_INVALID,
    ACCOUNT_DISCONNECTED,
    MEDIA_REJECTED,
    PUBLISHING_REFUSED,
    PUBLICATION_OPEN,
    ALREADY_PUBLISHED,
    UPLOAD_EXPIRED,
    PUBLICATION_STATE,
    PUBLISHING_PAUSED,
])
.counted_work(COUNTED)
.required_parts(&[Part::of_type::<Connections>("Connections")])
.operations(&[
    Entry::for_operation::<ListConnectedAccounts>(),
    Entry::for_operation::<StartOauthConnection>(),
    Entry::for_operation::<DisconnectOauthAccount>(),
    Entry::for_operation::<GetShortvideoCreatorInfo>(),
    Entry::for_operation::<PublishShortvideo>(),
    Entry::for_operation::<ListShortvideoPublications>(),
    Entry::for_operation::<ListPublications>(),
    Entry::for_operation::<PausePublishing>(),
    Entry::for_operation::<DecidePublication>(),
    Entry::for_operation::<ListResults>(),
    Entry::for_operation::<SnoozePostReminder>(),
])
.pages(&[COMPLETE_OAUTH_CONNECTION, GET_OAUTH_STATUS_PAGE])
.jobs(&[
    JobEntry::for_job::<RenewConnections>(),
    JobEntry::for_job::<FollowPublication>(),
    JobEntry::for_job::<AbandonPublication>(),
    JobEntry::for_job::<SchedulePublications>(),
    JobEntry::for_job::<AdvancePublication>(),
    JobEntry::for_job::<RemindOfPosts>(),
    JobEntry::for_job::<ReadResults>(),
]);

/// The routes that only the web console uses.
pub const FOR_CONSOLE: &[Entry] = &[VARIANT_FILE, VARIANT_PACKAGE];
