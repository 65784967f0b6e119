//! Connections, publications, videos and platform passwords.

mod accounts;
mod captions;
mod connecting;
mod connections;
mod networks;
mod new_video;
mod passwords;
mod permissions;
mod publication;
mod publications;
mod publish;
mod reveal;
mod scheduled;
mod steps;
mod videos;

use domain::Capability;
use gateway::Entry;

pub(crate) use accounts::Networks;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[
    publications::PUBLICATIONS,
    publication::PUBLICATION,
    publish::PUBLISH,
    videos::VIDEOS,
    new_video::NEW_VIDEO,
    connections::CONNECTIONS,
    connecting::CONNECT,
    connecting::DISCONNECT,
    passwords::PASSWORDS,
    passwords::SET_PASSWORD,
    reveal::REVEAL,
];
pub(crate) const PLACES: &[Place] = &[
    place(
        "/publicacoes",
        "Publicações",
        &[Capability::ConnectionsView],
    )
    .with_areas(&["publishing"]),
    place("/videos", "Vídeos", &[Capability::ReelsView]).with_areas(&["video"]),
    place("/conexoes", "Conexões", &[Capability::ConnectionsView]).with_areas(&["publishing"]),
    place("/senhas", "Senhas", &[Capability::TeamAdmin]).with_areas(&["platforms"]),
];
