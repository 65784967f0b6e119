//! Reads the remarks of a piece.

use domain::{Revision, visible_line};
use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use super::super::model::{Event, piece_path};
use crate::{marked::Mark, text, view::View};

/// The number of remarks in one read.
pub(super) const ROWS: u64 = 200;
/// The maximum number of reads of open remarks for one page.
const READS: usize = 5;

/// The page on which the section of remarks is shown, which determines the threads in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// On the page of the piece: all threads.
    Piece,
    /// In the inbox: the open threads.
    Inbox,
}

impl Extent {
    /// Returns the path to which a form in the section redirects.
    pub(super) fn path(self, event: &Event) -> String {
        match self {
            Self::Piece => format!("{}#comentarios", piece_path(&event.id)),
            Self::Inbox => format!("/aprovacoes?evento={}#comentarios", event.id),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Remark {
    pub id: String,
    pub conversa: String,
    pub event_id: String,
    pub event_title: String,
    /// `None` if the remark was removed.
    pub texto: Option<String>,
    pub author_id: String,
    author_name: String,
    /// True if a guest wrote the remark.
    #[serde(default)]
    pub convidado: bool,
    publico: String,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    pub mencoes: Vec<Person>,
    /// The revision of the piece that the author read.
    pub api_revision: Revision,
    pub created_at: String,
    #[serde(default)]
    pub edited_at: Option<String>,
    #[serde(default)]
    pub ancora: Option<Place>,
    #[serde(default)]
    pub resolved_at: Option<String>,
    #[serde(default)]
    pub resolved_by_name: Option<String>,
    #[serde(default)]
    pub respondido_na_revisao: Option<Revision>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Person {
    pub id: String,
    pub name: String,
    #[serde(default)]
    access_level: String,
}

/// The place of the piece to which a thread refers.
#[derive(Debug, Deserialize)]
pub(super) struct Place {
    #[serde(default)]
    pub trecho: Option<String>,
    /// The position of the passage in the text that the author read, in characters.
    #[serde(default)]
    pub posicao: Option<usize>,
    /// The e-mail draft in whose HTML the passage is.
    #[serde(default)]
    pub template_id: Option<String>,
    #[serde(default)]
    pub media_id: Option<String>,
    #[serde(default)]
    pub x: Option<f64>,
    #[serde(default)]
    pub y: Option<f64>,
    #[serde(default)]
    pub largura: Option<f64>,
    #[serde(default)]
    pub altura: Option<f64>,
    #[serde(default)]
    pub segundo: Option<f64>,
    #[serde(default)]
    pub desatualizado: bool,
}

impl Place {
    /// Returns the mark of a point or rectangle on an image. `None` for other places.
    pub fn mark(&self) -> Option<Mark> {
        Mark::from_fields(self.x, self.y, [self.largura, self.altura])
    }
}

/// A thread: its first remark and the answers.
#[derive(Debug)]
pub(super) struct Thread {
    pub first: Remark,
    pub answers: Vec<Remark>,
}

/// The remarks of a piece.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    pub(super) open: Vec<Thread>,
    pub(super) resolved: Vec<Thread>,
    /// True if the piece has more threads than were read.
    pub(super) is_cut: bool,
    /// The people whom the viewer can mention in a remark.
    pub(super) people: Vec<Person>,
    /// The newest e-mail drafts, on which the viewer can comment.
    pub(super) drafts: Vec<Draft>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Draft {
    pub template_id: String,
}

#[derive(Debug, Deserialize)]
struct Drafts {
    drafts: Vec<Draft>,
}

/// The number of e-mail drafts that the form offers.
const DRAFTS: u64 = 30;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Read {
    pub comentarios: Vec<Remark>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Team {
    equipe: Vec<Person>,
}

/// The maximum length of the start of the text in a thread's summary, in characters.
const SUMMARY: usize = 90;

impl Thread {
    /// Returns the author and the start of the text, which identify the thread for a person.
    pub fn summary(&self) -> String {
        let text = self.first.texto.as_deref().unwrap_or("(removido)");
        let line = visible_line(text);
        let mut start: String = line.chars().take(SUMMARY).collect();
        if start.len() < line.len() {
            start.push('…');
        }
        format!("{}: {start}", self.first.author_name)
    }
}

impl Remark {
    /// Returns true if guests see the thread.
    pub fn is_for_guests(&self) -> bool {
        self.publico == "convidados"
    }

    /// Returns the author, with the agent that wrote the remark: `Claude por Ana`.
    pub fn author_text(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{agent} por {}", self.author_name),
            None if self.convidado => text::guest_name(&self.author_name),
            None => self.author_name.clone(),
        }
    }
}

impl Remarks {
    /// Reads the open threads of a piece and, for the page of the piece, the oldest resolved threads.
    pub async fn read(view: &View<'_>, event: &Event, extent: Extent) -> Result<Self> {
        let (mut open, mut cursor, mut is_cut) = (vec![], None, false);
        for _ in 0..READS {
            let mut input = json!({ "event_id": event.id, "limit": ROWS });
            if let Some(cursor) = cursor.take() {
                input["cursor"] = cursor;
            }
            let page: Read = view.read("list_remarks", input).await?;
            open.extend(page.comentarios);
            is_cut = page.next_cursor.is_some();
            match page.next_cursor {
                Some(next) => cursor = Some(next.into()),
                None => break,
            }
        }
        let resolved = match extent {
            Extent::Piece => {
                let input = json!({ "event_id": event.id, "limit": ROWS, "estado": "resolvido" });
                view.read("list_remarks", input).await?
            }
            Extent::Inbox => Read::default(),
        };
        let may_write = view.may_call("add_remark");
        let people = match may_write {
            true => read_people(view, event).await?,
            false => vec![],
        };
        let drafts = match may_write && view.may_call("list_email_drafts") {
            true => {
                let read = view.read::<Drafts>("list_email_drafts", json!({ "limit": DRAFTS }));
                read.await?.drafts
            }
            false => vec![],
        };
        Ok(Self {
            open: group_threads(open),
            is_cut: is_cut || resolved.next_cursor.is_some(),
            resolved: group_threads(resolved.comentarios),
            people,
            drafts,
        })
    }

    /// Returns the number of open threads.
    pub fn count_open(&self) -> usize {
        self.open.len()
    }
}

/// Reads the other members who see the piece: members who see all pieces, the creator and the assignees.
async fn read_people(view: &View<'_>, event: &Event) -> Result<Vec<Person>> {
    let team: Team = view.read("list_team", json!({ "limit": ROWS })).await?;
    let sees = |person: &Person| {
        person.access_level != "criador"
            || event.created_by == person.id
            || event.assignee_member_ids.contains(&person.id)
    };
    let others = team.equipe.into_iter();
    let others = others.filter(|person| person.id != view.member().id.as_str());
    Ok(others.filter(sees).collect())
}

/// Groups remarks by thread. The remarks of a thread must be consecutive.
pub(super) fn group_threads(remarks: Vec<Remark>) -> Vec<Thread> {
    let mut threads: Vec<Thread> = vec![];
    for remark in remarks {
        match threads.last_mut() {
            Some(thread) if thread.first.conversa == remark.conversa => {
                thread.answers.push(remark);
            }
            _ => threads.push(Thread {
                first: remark,
                answers: vec![],
            }),
        }
    }
    threads
}
