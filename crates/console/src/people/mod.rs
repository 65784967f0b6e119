//! Agents, tokens, guests, calendars, the team, the audit trail and the first access.

mod access;
mod account;
mod agents;
mod audit;
mod audit_page;
mod calendar_choices;
mod calendar_feeds;
mod client_names;
mod clients;
mod daily_use;
mod entry_code;
mod first_access;
mod guest_links;
mod invitations;
mod mails;
mod member;
mod offboarding;
mod once;
mod reach;
mod team;
mod tokens;
mod webhook;
mod webhooks;
mod words;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[
    agents::PAGE,
    tokens::CREATE,
    tokens::CREATED,
    team::PAGE,
    invitations::INVITE,
    invitations::REISSUE,
    invitations::LINK,
    webhooks::LIST,
    webhooks::CREATE,
    webhooks::ROTATE,
    webhooks::SECRET,
    webhook::PAGE,
    guest_links::LIST,
    guest_links::CREATE,
    guest_links::CREATED,
    calendar_feeds::LIST,
    calendar_feeds::CREATE,
    calendar_feeds::CREATED,
    member::PAGE,
    member::PASSWORD,
    offboarding::ASK,
    offboarding::OFFBOARD,
    audit_page::PAGE,
    audit_page::CSV,
    account::PAGE,
    account::PASSWORD,
    first_access::PAGE,
    first_access::MAKE,
    entry_code::PAGE,
    entry_code::ENTER,
];

pub(crate) const PLACES: &[Place] = &[
    place("/agentes", "Agentes", &[])
        .with_key("g")
        .with_paths(&["/webhooks"])
        .with_areas(&["access", "oauth", "members", "webhooks"]),
    place("/equipe", "Equipe", &[])
        .with_key("t")
        .with_areas(&["members", "access", "oauth"]),
    place("/auditoria", "Auditoria", &[Capability::TeamAdmin]),
    place("/conta", "Minha conta", &[]).with_areas(&["members"]),
];
