//! Seeds the pieces of the agenda by calling operations: each piece goes from its demand to its state of
//! today.

use anyhow::{Context, Result, bail};
use domain::{
    AgentId, Capability, EventId,
    time::{DAY, HOUR, MINUTE, Millis, start_of_day},
};
use gateway::{CallInput, Credential, FileReceiver, Principal};
use identity::authorization;
use ports::Picture;
use serde_json::{Value, json};
use store::agents::{self, Agent};

use super::{
    agenda::{AGENDA, Fate, Piece, working_day},
    publications::{Posted, seed_post},
    seed::{Seeder, TEAM, add_date},
    studio::Studio,
};
use crate::reason::into_anyhow;

/// The author whose drafts are saved by an agent, as an index in the team.
const WITH_AGENT: usize = 1;

/// The drafts that the agent saves this morning: the title of a piece in progress, and its new
/// caption.
const TODAY: &[(&str, &str)] = &[(
    "Afiar a faca em casa",
    "Faca cega machuca mais. Três minutos por semana bastam: pedra molhada, ângulo de 20 graus, \
     dez passadas de cada lado. Salve para o domingo.",
)];

/// A piece of content and its current revision.
struct Progress {
    id: Value,
    revision: i64,
    at: Millis,
}

impl Seeder<'_> {
    /// Seeds the agenda with images from the studio.
    pub(super) async fn fill_agenda(&self, studio: &mut Studio, today: Millis) -> Result<()> {
        let mut team = vec![];
        for (_, email, ..) in TEAM {
            team.push(self.find_member(email).await?);
        }
        let agent = self.connect_agent(&team[WITH_AGENT], today).await?;
        for piece in AGENDA {
            let author = &team[piece.author];
            let drafter = if piece.author == WITH_AGENT {
                &agent
            } else {
                author
            };
            let mut progress = self
                .seed_piece(piece, [&team[0], author, drafter], studio, today)
                .await?;
            if let Some((_, caption)) = TODAY.iter().find(|(title, _)| *title == piece.title) {
                let later = today - 3 * HOUR - progress.at;
                self.save_draft(&mut progress, drafter, caption, later)
                    .await?;
            }
        }
        Ok(())
    }

    /// Creates an agent that this member has authorized.
    async fn connect_agent(&self, member: &Principal, today: Millis) -> Result<Principal> {
        let services = &self.app.gateway.services;
        let agent = Agent {
            id: AgentId::new(today - 40 * DAY),
            member_id: member.member.id.clone(),
            client_id: "https://claude.ai/oauth/client.json".into(),
            client_name: "Claude".into(),
            redirect_host: "claude.ai".into(),
            scopes: [Capability::TasksView, Capability::DraftSave]
                .into_iter()
                .collect(),
            resource: authorization::mcp_endpoint_url(&services.public_url),
            created_at: today - 40 * DAY,
            expires_at: today + 50 * DAY,
            last_used_at: Some(today - 2 * HOUR),
            revoked_at: None,
        };
        let credential = Credential::Agent {
            id: agent.id.as_str().to_owned().into(),
            scopes: agent.scopes,
        };
        let tx = services.db.begin().await?;
        agents::insert(&tx.conn(), &agent).await?;
        tx.commit().await?;
        Ok(Principal::new(member.member.clone(), credential))
    }

    async fn seed_piece(
        &self,
        piece: &Piece,
        [lead, author, drafter]: [&Principal; 3],
        studio: &mut Studio,
        today: Millis,
    ) -> Result<Progress> {
        let due = working_day(today, piece.due_in);
        // The demands are created in the same morning, each at a different minute.
        let begun = start_of_day(due) - 14 * DAY;
        let begun = begun.min(start_of_day(working_day(today, -1)) - 4 * DAY);
        let begun = begun + 9 * HOUR + (piece.due_in + 30) * 7 % 60 * MINUTE;
        self.clock.set(begun);
        let mut demand = json!({
            "title": piece.title,
            "channel": piece.channel,
            "assignee_id": author.member.id,
            "description": piece.briefing,
            "tipo": piece.tipo,
        });
        if piece.fate != Fate::Undated {
            add_date(&mut demand, due, piece.hour);
        }
        let answer = self.call_operation(lead, "create_demand", demand).await?;
        let mut progress = Progress {
            id: answer["event_id"].clone(),
            revision: 1,
            at: begun,
        };
        if matches!(piece.fate, Fate::Todo | Fate::Undated) {
            return Ok(progress);
        }
        let first = match piece.fate {
            Fate::Again(_, first) => first,
            _ => piece.caption,
        };
        let at = &mut progress;
        self.save_draft(at, drafter, first, 26 * HOUR).await?;
        self.upload_images(at, author, piece, studio).await?;
        if piece.fate == Fate::InProgress {
            return Ok(progress);
        }
        if piece.fate == Fate::Archived {
            let input = json!({ "status": "arquivado" });
            self.call_after(at, lead, "update_event", input, DAY)
                .await?;
            return Ok(progress);
        }
        self.submit_piece(at, author).await?;
        if let Fate::Again(reason, _) = piece.fate {
            self.decide_piece(at, lead, Some(reason)).await?;
            self.save_draft(at, drafter, piece.caption, 5 * HOUR)
                .await?;
            self.submit_piece(at, author).await?;
        }
        match piece.fate {
            Fate::InApproval | Fate::Again(..) => return Ok(progress),
            Fate::Refused(reason) => self.decide_piece(at, lead, Some(reason)).await?,
            _ => self.decide_piece(at, lead, None).await?,
        }
        if piece.fate == Fate::Published {
            let hour: i64 = piece.hour[..2].parse()?;
            let wait = (start_of_day(due) + hour * HOUR + 31 * MINUTE - at.at).max(MINUTE);
            let wait = wait.min(today - MINUTE - at.at);
            let input = json!({ "status": "publicado" });
            self.call_after(at, lead, "update_event", input, wait)
                .await?;
            if piece.channel == "instagram" {
                self.seed_post(at, lead, piece, today).await?;
            }
        }
        Ok(progress)
    }

    /// Seeds the post of a published piece.
    async fn seed_post(
        &self,
        progress: &Progress,
        lead: &Principal,
        piece: &Piece,
        today: Millis,
    ) -> Result<()> {
        let event_id = progress.id.as_str().map(str::to_owned);
        let posted = Posted {
            event_id: event_id
                .and_then(EventId::from_stored)
                .context("a peça não tem id")?,
            owner: &lead.member.id,
            at: progress.at,
            // These numbers differ between posts, and are the same in each demo.
            reach: 1_400 + (piece.due_in + 40) * 137 % 900,
        };
        let tx = self.app.gateway.services.db.begin().await?;
        seed_post(&tx.conn(), posted, today)
            .await
            .map_err(into_anyhow)?;
        Ok(tx.commit().await?)
    }

    async fn save_draft(
        &self,
        at: &mut Progress,
        drafter: &Principal,
        caption: &str,
        later: Millis,
    ) -> Result<()> {
        let input = json!({ "caption": caption });
        self.call_after(at, drafter, "save_draft", input, later)
            .await
    }

    async fn submit_piece(&self, at: &mut Progress, author: &Principal) -> Result<()> {
        self.call_after(at, author, "submit_for_approval", json!({}), 2 * HOUR)
            .await
    }

    async fn decide_piece(
        &self,
        at: &mut Progress,
        lead: &Principal,
        no: Option<&str>,
    ) -> Result<()> {
        let decision = match no {
            Some(reason) => json!({ "action": "recusar", "motivo": reason }),
            None => json!({ "action": "aprovar" }),
        };
        self.call_after(at, lead, "decide_approval", decision, 17 * HOUR)
            .await
    }

    /// Calls one operation, `later` milliseconds after the previous one.
    async fn call_after(
        &self,
        progress: &mut Progress,
        caller: &Principal,
        operation: &str,
        mut input: Value,
        later: Millis,
    ) -> Result<()> {
        progress.at += later;
        self.clock.set(progress.at);
        let field = if operation == "update_event" {
            "eventId"
        } else {
            "event_id"
        };
        input[field] = progress.id.clone();
        input["expected_revision"] = progress.revision.into();
        self.call_operation(caller, operation, input).await?;
        progress.revision += 1;
        Ok(())
    }

    /// Uploads the images of a piece in its author's name.
    async fn upload_images(
        &self,
        progress: &mut Progress,
        author: &Principal,
        piece: &Piece,
        studio: &mut Studio,
    ) -> Result<()> {
        for text in piece.art {
            let picture = studio.next_picture().await?;
            progress.at += 7 * MINUTE;
            self.clock.set(progress.at);
            let alt = text.replace(['#', '\n'], " ");
            let input = json!({ "event_id": progress.id, "alt": alt.trim() });
            self.upload_picture(author, input, &picture).await?;
            progress.revision += 1;
        }
        Ok(())
    }

    /// Uploads a picture like a multipart form would.
    async fn upload_picture(
        &self,
        author: &Principal,
        input: Value,
        picture: &Picture,
    ) -> Result<()> {
        const OPERATION: &str = "upload_media";
        let gateway = &self.app.gateway;
        let field = gateway
            .registry
            .find(OPERATION)
            .and_then(|found| found.spec.file_field());
        let field = field.context("nada recebe arquivos")?;
        let blobs = gateway.services.blobs.clone();
        let mut receiver = FileReceiver::new(field, String::new(), blobs);
        receiver.push(&picture.bytes).await.map_err(into_anyhow)?;
        let file = receiver.finish().await.map_err(into_anyhow)?;
        let Value::Object(fields) = input else {
            bail!("an input is an object");
        };
        let upload = CallInput::Upload {
            fields,
            file: Some(file),
        };
        self.call_with_input(author, OPERATION, upload)
            .await
            .map(drop)
    }
}
