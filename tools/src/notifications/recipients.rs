//! Finds the members who may be notified of a row of the outbox.

use serde_json::{Map, Value, json};

use super::{batch::Batch, still_seen::REMARK_ID};
use crate::{
    announcements::{
        ASSIGNEES, CONNECTION_ENDED, CONNECTION_ENDING, GUEST_LINK_ENDED, MADE_BY, MENTIONS,
        PIECE_CREATED, PIECE_DECIDED, PIECE_PUBLISHED, PIECE_SUBMITTED, PIECE_UPDATED, POST_DUE,
        POST_DUE_AGAIN, PUBLICATION_ENDED, REMARK_ADDED, REMINDED, STAGE_OVERDUE, VARIANTS_DECIDED,
        VARIANTS_WAIT, WEBHOOK_FAILED,
    },
    conversation::REMARK,
    due_posts::{CHANNEL, FORMAT, HOUR, find_due_post},
    guests::GUEST_LINK,
    publishing::CONNECTION,
    visibility::EVENT,
    webhooks::WEBHOOK,
};
use domain::{
    Event, EventId, EventStatus, MemberId, NotificationKind as Kind, PostState, PublicationId,
    RemarkId, Revision, TokenId, reminder_subject,
    time::{Millis, Timestamp},
};
use gateway::Resource;
use identity::authorization::{AGENT, AGENT_CONNECTED, CONNECTED_BY};
use store::{notifications::Actor, outbox::OutboxEntry};

/// The authentication of the service itself in rows of the outbox.
const SERVICE: &str = "system";
/// The detail with the decision, as the caller sent it.
pub(super) const DECISION: &str = "decisao";
/// The detail that is true if the notification is about changed channels of an approved piece.
pub(super) const OF_CHANNELS: &str = "canais";
/// The authentication of guests in rows of the outbox.
const GUEST: &str = "guest";
/// The detail with the reason why a member is notified of a remark that does not mention them:
/// [`ANSWER`] or [`COMMENT`].
pub(super) const REASON: &str = "como";
/// The [`REASON`] for a member who wrote in the thread.
pub(super) const ANSWER: &str = "resposta";
/// The [`REASON`] for a member who works on a piece about which a guest wrote, or who invited the guest.
pub(super) const COMMENT: &str = "comentario";

/// A member who may be notified, and the resource that this member must be able to see.
pub(super) struct Candidate {
    pub member_id: MemberId,
    pub kind: Kind,
    pub resource: Resource,
    pub id: String,
    pub event_id: Option<EventId>,
    pub details: Map<String, Value>,
}

/// One change of which a member is notified.
pub(super) struct Told {
    pub member_id: MemberId,
    pub kind: Kind,
    pub subject: String,
    pub event_id: Option<EventId>,
    pub revision: Option<Revision>,
    pub actor: Actor,
    pub details: String,
    pub occurred_at: Millis,
    pub position: i64,
}

impl Told {
    pub fn new(candidate: Candidate, entry: &OutboxEntry) -> Self {
        let detail = |name: &str| candidate.details.get(name).and_then(Value::as_str);
        let place = detail(CHANNEL).zip(detail(FORMAT));
        let place = place.filter(|_| candidate.kind == Kind::Reminder);
        let subject = match &candidate.event_id {
            Some(event_id) if let Some((channel, format)) = place => {
                reminder_subject(event_id, channel, format)
            }
            Some(event_id) => format!("{}:{event_id}", EVENT.kind),
            None => format!("{}:{}", candidate.resource.kind, candidate.id),
        };
        // The notification names a connected agent by the id of the agent, so this id takes the place of
        // the credential.
        let agent = (candidate.kind == Kind::Agent)
            .then(|| TokenId::from_stored(entry.resource_id.clone()))
            .flatten();
        Self {
            subject,
            member_id: candidate.member_id,
            kind: candidate.kind,
            event_id: candidate.event_id,
            revision: entry.revision,
            actor: Actor {
                id: entry.actor_id.clone(),
                credential_id: agent.or_else(|| entry.credential_id.clone()),
                auth_method: entry.auth_method.clone(),
            },
            details: Value::Object(candidate.details).to_string(),
            occurred_at: entry.occurred_at,
            position: entry.position,
        }
    }
}

/// Finds the members who may be notified of a row. The caller checks whether they may see the resource
/// and want the notification.
pub(super) fn find_candidates(batch: &Batch, entry: &OutboxEntry) -> Vec<Candidate> {
    let is = |kind: &str| entry.kind == kind;
    if is(CONNECTION_ENDING.kind) || is(CONNECTION_ENDED.kind) {
        return connection_recipients(batch, entry);
    }
    if is(AGENT_CONNECTED.kind) {
        return agent_recipients(entry);
    }
    if is(GUEST_LINK_ENDED.kind) {
        return guest_link_recipients(entry);
    }
    if is(WEBHOOK_FAILED.kind) {
        return webhook_recipients(batch, entry);
    }
    if is(PUBLICATION_ENDED.kind) {
        return publication_recipients(batch, entry);
    }
    if is(REMARK_ADDED.kind) {
        return remark_recipients(batch, entry);
    }
    let Some(event) = batch.events.get(&EventId::from(entry.resource_id.as_str())) else {
        return vec![];
    };
    let no_details = Map::new;
    if is(PIECE_CREATED.kind) {
        let assigned = member_ids(entry.facts.get(ASSIGNEES));
        return create_piece_candidates(event, Kind::Assigned, assigned, &no_details());
    }
    if is(STAGE_OVERDUE.kind) {
        return awaited_deciders(batch, event, true);
    }
    if is(POST_DUE.kind) || is(POST_DUE_AGAIN.kind) {
        return reminder_recipients(batch, event, entry);
    }
    // The remaining rows are about a change. If the call found its change already made, nobody is
    // notified.
    let Some(changes) = batch.own_changes.find_changes(entry) else {
        return vec![];
    };
    let changes = &changes.0;
    if is(PIECE_SUBMITTED.kind) {
        return awaited_deciders(batch, event, false);
    }
    if is(PIECE_DECIDED.kind) {
        return decision_recipients(batch, event, changes);
    }
    if is(VARIANTS_WAIT.kind) {
        return changed_variant_deciders(batch, event);
    }
    if is(VARIANTS_DECIDED.kind)
        && let Some(decision) = new_value(changes, "decision")
    {
        let details = [
            (DECISION.to_owned(), decision.into()),
            (OF_CHANNELS.to_owned(), true.into()),
        ];
        let kind = match decision == "recusar" {
            true => Kind::ChangesAsked,
            false => Kind::Decided,
        };
        return create_piece_candidates(event, kind, piece_owners(event), &Map::from_iter(details));
    }
    let mut told = vec![];
    if is(PIECE_UPDATED.kind)
        && let Some(people) = changes.get("assignee_member_ids")
    {
        let before = member_ids(people.get("before"));
        let added = member_ids(people.get("after")).into_iter();
        let added = added.filter(|id| !before.contains(id)).collect();
        told.extend(create_piece_candidates(
            event,
            Kind::Assigned,
            added,
            &no_details(),
        ));
    }
    let is_published = new_value(changes, "status") == Some(EventStatus::Published.as_str());
    // If the service published the piece, the row about the end of the publication causes the
    // notification.
    let is_by_service = entry.auth_method == SERVICE;
    if is_published && !is_by_service && (is(PIECE_UPDATED.kind) || is(PIECE_PUBLISHED.kind)) {
        told.extend(create_piece_candidates(
            event,
            Kind::Published,
            piece_owners(event),
            &no_details(),
        ));
    }
    told
}

/// Finds the members for whose decision the piece waits now. The details contain the stage and its
/// deadline. If `overdue`, also finds the members whom the stage notifies of a missed deadline.
fn awaited_deciders(batch: &Batch, event: &Event, overdue: bool) -> Vec<Candidate> {
    if event.status != EventStatus::InApproval {
        return vec![];
    }
    let running = batch.approvals.get(&event.id).map(|one| &one.approval);
    let stage = running.and_then(|approval| approval.current());
    let awaited = |id: &MemberId| match running {
        Some(approval) => approval.waits_for_member(id, &batch.team),
        None => batch.team.contains(id),
    };
    let members = batch.members.iter().map(|member| &member.id);
    let mut people: Vec<MemberId> = members.filter(|id| awaited(id)).cloned().collect();
    let mut details = Map::new();
    if let (Some(approval), Some(stage)) = (running, stage) {
        details.insert("etapa".into(), stage.name.as_str().into());
        if let Some(due_at) = approval.due_at {
            details.insert("prazo".into(), json!(Timestamp(due_at)));
        }
        if overdue {
            details.insert("atrasada".into(), true.into());
            people.extend(stage.notify.iter().cloned());
            people.sort_unstable();
            people.dedup();
        }
    }
    create_piece_candidates(event, Kind::Awaited, people, &details)
}

/// Finds the members for whose decision the changed variants of an approved piece wait now.
fn changed_variant_deciders(batch: &Batch, event: &Event) -> Vec<Candidate> {
    let Some(approval) = batch.changed.get(&event.id) else {
        return vec![];
    };
    let awaited = |id: &MemberId| match approval {
        Some(approval) => approval.waits_for_member(id, &batch.team),
        None => batch.team.contains(id),
    };
    let members = batch.members.iter().map(|member| &member.id);
    let deciders = members.filter(|id| awaited(id)).cloned().collect();
    let details = Map::from_iter([(OF_CHANNELS.to_owned(), true.into())]);
    create_piece_candidates(event, Kind::Awaited, deciders, &details)
}

/// Finds the members who are notified of a decision: the owners if the piece leaves the approval,
/// otherwise the members who decide the next stage.
fn decision_recipients(
    batch: &Batch,
    event: &Event,
    changes: &Map<String, Value>,
) -> Vec<Candidate> {
    let Some(status) = new_value(changes, "status") else {
        let moved = changes.get("stage").is_some_and(|stage| {
            let next = stage.get("after").filter(|next| !next.is_null());
            next.is_some() && next != stage.get("before")
        });
        return match moved {
            true => awaited_deciders(batch, event, false),
            false => vec![],
        };
    };
    let decision = match (status, new_value(changes, "decision")) {
        (_, Some("pedir_ajustes")) => "pedir_ajustes",
        ("aprovado", _) => "aprovar",
        _ => "recusar",
    };
    let details = Map::from_iter([(DECISION.to_owned(), decision.into())]);
    let kind = match decision == "aprovar" {
        true => Kind::Decided,
        false => Kind::ChangesAsked,
    };
    create_piece_candidates(event, kind, piece_owners(event), &details)
}

/// Finds the members who are reminded of a post: the member who asked to be reminded again, or else the
/// owners of the piece who may publish. If no owner may publish, all members who may publish are
/// reminded. Nobody is reminded if the post is no longer due.
fn reminder_recipients(batch: &Batch, event: &Event, entry: &OutboxEntry) -> Vec<Candidate> {
    let Some(post) = find_due_post(&batch.unposted, entry) else {
        return vec![];
    };
    let may_publish = batch
        .members
        .iter()
        .filter(|one| Kind::Reminder.concerns(one));
    let may_publish: Vec<MemberId> = may_publish.map(|one| one.id.clone()).collect();
    let wanted = entry.facts.get(REMINDED).and_then(Value::as_str);
    let people = match wanted {
        Some(id) => vec![id.into()],
        None => piece_owners(event),
    };
    let mut people: Vec<MemberId> = people
        .into_iter()
        .filter(|id| may_publish.contains(id))
        .collect();
    if people.is_empty() && wanted.is_none() {
        people = may_publish;
    }
    let details = Map::from_iter([
        (CHANNEL.to_owned(), post.channel.as_str().into()),
        (FORMAT.to_owned(), post.format.as_str().into()),
        (HOUR.to_owned(), json!(Timestamp(post.due_at))),
    ]);
    create_piece_candidates(event, Kind::Reminder, people, &details)
}

/// Finds the members who are notified of a remark: the mentioned members and the other authors of the
/// thread. If a guest wrote the remark, the owners of the piece and the member who invited the guest are
/// notified too. Each member is notified once.
fn remark_recipients(batch: &Batch, entry: &OutboxEntry) -> Vec<Candidate> {
    let event_id = entry.facts.get("event_id").and_then(Value::as_str);
    let Some(event_id) = event_id.map(EventId::from) else {
        return vec![];
    };
    // The thread authors of a removed remark are missing.
    let remark_id = RemarkId::from(entry.resource_id.as_str());
    let Some(authors) = batch.thread_authors.get(&remark_id) else {
        return vec![];
    };
    let is_of_guest = entry.auth_method == GUEST;
    let writer = entry.actor_id.as_ref().filter(|_| !is_of_guest);
    let others = authors.iter().filter(|id| Some(*id) != writer).cloned();
    let piece = batch.events.get(&event_id).filter(|_| is_of_guest);
    let workers = piece.map(piece_owners).unwrap_or_default().into_iter();
    let inviting = entry.actor_id.clone().filter(|_| is_of_guest);
    let reasons = [
        (None, member_ids(entry.facts.get(MENTIONS))),
        (Some(ANSWER), others.collect()),
        (Some(COMMENT), workers.chain(inviting).collect()),
    ];
    let mut told: Vec<Candidate> = vec![];
    for (reason, people) in reasons {
        for member_id in people {
            if told.iter().any(|one| one.member_id == member_id) {
                continue;
            }
            let reason = reason.map(|reason| (REASON.to_owned(), reason.into()));
            let remark = (REMARK_ID.to_owned(), entry.resource_id.as_str().into());
            told.push(Candidate {
                member_id,
                kind: Kind::Mentioned,
                resource: REMARK,
                id: entry.resource_id.clone(),
                event_id: Some(event_id.clone()),
                details: reason.into_iter().chain([remark]).collect(),
            });
        }
    }
    told
}

/// Finds the members who are notified of the end of a publication: its creator and the owners of the
/// piece. They are notified of success, failure, an unknown outcome and a missed time.
fn publication_recipients(batch: &Batch, entry: &OutboxEntry) -> Vec<Candidate> {
    let Some(publication) = batch
        .publications
        .get(&PublicationId::from(entry.resource_id.as_str()))
    else {
        return vec![];
    };
    let event = publication.event_id.as_ref();
    let event = event.and_then(|id| batch.events.get(id));
    let mut people = event.map(piece_owners).unwrap_or_default();
    people.push(publication.created_by.clone());
    people.sort_unstable();
    people.dedup();
    let detail = |name: &str| Map::from_iter([(name.to_owned(), true.into())]);
    let (kind, details) = match publication.state.parse() {
        Ok(PostState::Published) => (Kind::Published, Map::new()),
        Ok(PostState::Failed) => (Kind::Failed, Map::new()),
        Ok(PostState::Unknown) => (Kind::Failed, detail("desconhecida")),
        Ok(PostState::Late) => (Kind::Failed, detail("atrasada")),
        _ => return vec![],
    };
    if let Some(event) = event {
        return create_piece_candidates(event, kind, people, &details);
    }
    let told = Candidate {
        member_id: publication.created_by.clone(),
        kind,
        resource: crate::publishing::PUBLICATION,
        id: entry.resource_id.clone(),
        event_id: None,
        details,
    };
    vec![told]
}

fn connection_recipients(batch: &Batch, entry: &OutboxEntry) -> Vec<Candidate> {
    let mut details = entry.facts.clone();
    details.insert("rede".into(), entry.resource_id.as_str().into());
    if entry.kind == CONNECTION_ENDED.kind {
        details.insert("venceu".into(), true.into());
    }
    let all = batch.members.iter().map(|member| Candidate {
        member_id: member.id.clone(),
        kind: Kind::Connection,
        resource: CONNECTION,
        id: entry.resource_id.clone(),
        event_id: None,
        details: details.clone(),
    });
    all.collect()
}

fn agent_recipients(entry: &OutboxEntry) -> Vec<Candidate> {
    let owner = entry.facts.get(CONNECTED_BY).and_then(Value::as_str);
    let told = owner.map(|owner| Candidate {
        member_id: owner.into(),
        kind: Kind::Agent,
        resource: AGENT,
        id: entry.resource_id.clone(),
        event_id: None,
        details: Map::new(),
    });
    told.into_iter().collect()
}

fn guest_link_recipients(entry: &OutboxEntry) -> Vec<Candidate> {
    let maker = entry.facts.get(MADE_BY).and_then(Value::as_str);
    let told = maker.map(|maker| Candidate {
        member_id: maker.into(),
        kind: Kind::GuestLink,
        resource: GUEST_LINK,
        id: entry.resource_id.clone(),
        event_id: None,
        details: Map::new(),
    });
    told.into_iter().collect()
}

/// Returns all members, because the owner of the webhook may have left. Only members who manage webhooks
/// pass the later checks.
fn webhook_recipients(batch: &Batch, entry: &OutboxEntry) -> Vec<Candidate> {
    let all = batch.members.iter().map(|member| Candidate {
        member_id: member.id.clone(),
        kind: Kind::Webhook,
        resource: WEBHOOK,
        id: entry.resource_id.clone(),
        event_id: None,
        details: entry.facts.clone(),
    });
    all.collect()
}

fn create_piece_candidates(
    event: &Event,
    kind: Kind,
    people: Vec<MemberId>,
    details: &Map<String, Value>,
) -> Vec<Candidate> {
    let told = people.into_iter().map(|member_id| Candidate {
        member_id,
        kind,
        resource: EVENT,
        id: event.id.to_string(),
        event_id: Some(event.id.clone()),
        details: details.clone(),
    });
    told.collect()
}

/// Returns the creator of the piece and the assigned members.
fn piece_owners(event: &Event) -> Vec<MemberId> {
    let assigned = event.assignees.iter().map(|(id, _)| id.clone());
    let mut people: Vec<MemberId> = assigned.chain([event.created_by.clone()]).collect();
    people.sort_unstable();
    people.dedup();
    people
}

/// Returns the new value of a changed field.
fn new_value<'c>(changes: &'c Map<String, Value>, field: &str) -> Option<&'c str> {
    changes.get(field)?.get("after")?.as_str()
}

fn member_ids(list: Option<&Value>) -> Vec<MemberId> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    let mut ids: Vec<MemberId> = list.filter_map(Value::as_str).map(Into::into).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
