//! Declares the area: its name, its description, its operations, pages and jobs.

use super::shortvideo::{
    AbandonPublication, FollowPublication, GetShortvideoCreatorInfo, ListShortvideoPublications,
    PublishShortvideo,
};
use super::{
    ACCOUNT_DISCONNECTED, ALREADY_PUBLISHED, COMPLETE_OAUTH_CONNECTION, COUNTED, Connections,
    DisconnectOauthAccount, GET_OAUTH_STATUS_PAGE, ListConnectedAccounts, MEDIA_REJECTED,
    OAUTH_STATE_INVALID, PUBLICATION_OPEN, PUBLISHING_REFUSED, StartOauthConnection,
    UPLOAD_EXPIRED, renew_connections::RenewConnections,
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
])
.counted(COUNTED)
.parts(&[Part::of::<Connections>("Connections")])
.operations(&[
    Entry::of::<ListConnectedAccounts>(),
    Entry::of::<StartOauthConnection>(),
    Entry::of::<DisconnectOauthAccount>(),
    Entry::of::<GetShortvideoCreatorInfo>(),
    Entry::of::<PublishShortvideo>(),
    Entry::of::<ListShortvideoPublications>(),
])
.pages(&[COMPLETE_OAUTH_CONNECTION, GET_OAUTH_STATUS_PAGE])
.jobs(&[
    JobEntry::of::<RenewConnections>(),
    JobEntry::of::<FollowPublication>(),
    JobEntry::of::<AbandonPublication>(),
]);
