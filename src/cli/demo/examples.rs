//! The resources that the published examples refer to, so that each example succeeds on a demo
//! without changes.

use anyhow::{Context, Result};
use domain::{
    Aspect, Capability, Level, Revision, Role, TemplateId, TokenSecret, Version, VideoState,
    project::{Assignees, Notes, ProjectOperation, Title},
    sha256_hex,
    time::{DAY, DateFields, MINUTE, Millis},
};
use gateway::{Gateway, Principal};
use identity::{Passwords, credential_reference};
use ports::Invitation;
use store::{
    Conn, accounts,
    agents::{self, Agent},
    contents,
    email_drafts::{self, Write},
    events::{self, Event},
    media::{self, Media, storage_path},
    members::{self, Member},
    projects,
    skills::{self, NewVersion},
    tokens::{self, Token},
    uploads::{self, Upload},
    videos::{self, Video},
};
use tools::{knowledge::index_skill, platforms::Secret};

use crate::reason::into_anyhow;

/// The credentials of the sign-in example.
pub const EMAIL: &str = "sofia.campos@demo.pauta.test";
pub const PASSWORD: &str = "goiabada-com-queijo-1987";
/// The invitation token that the examples redeem.
pub const INVITATION: &str = "convite-de-exemplo-do-demo";

/// The creation time of the example drafts: 2026-08-20T13:00:00.000Z. The examples contain this
/// instant.
const WRITTEN: Millis = 1_787_230_800_000;

/// The name and HTML of each draft.
const DRAFTS: [(&str, &str); 4] = [
    (
        "exemplo.aviso",
        "<!doctype html><p>Oi, {{primeiro_nome}}! A carta desta semana sai na sexta.</p>",
    ),
    (
        "exemplo.curso",
        "<!doctype html><h1>Curso de pão</h1><p>As inscrições abrem na segunda.</p>",
    ),
    (
        "exemplo.feira",
        "<!doctype html><h1>Feira de agosto</h1><p>Abóbora, milho verde e mexerica.</p>",
    ),
    ("exemplo.antigo", "<!doctype html><p>Um teste de 2025.</p>"),
];

/// Returns the fixed id that ends with this number.
fn fixed_id<T: From<String>>(number: u32) -> T {
    format!("01990000-0000-7000-8000-{number:012}").into()
}

/// The number, name and e-mail of each member.
const MEMBERS: [(u32, &str, &str); 5] = [
    (1, "Marina Duarte", "marina.duarte@demo.pauta.test"),
    (2, "Paulo Sena", "paulo.sena@demo.pauta.test"),
    (3, "Renata Lopes", "renata.lopes@demo.pauta.test"),
    (4, "Téo Barros", "teo.barros@demo.pauta.test"),
    (5, "Sofia Campos", EMAIL),
];

/// Inserts the resources. The caller owns the events and one of the tokens.
pub async fn seed_resources(gateway: &Gateway, caller: &Principal, now: Millis) -> Result<()> {
    let services = &gateway.services;
    let drawn = services.images.draw_art(ports::ArtRequest {
        photo: None,
        look: None,
        prompt: "Feira da semana".into(),
        style: tools::media::Style::Editorial,
        width: 540,
        height: 675,
        quality: "medium",
    });
    let picture = drawn.await.map_err(into_anyhow)?;
    let sha256 = sha256_hex(&picture.bytes);
    let length = i64::try_from(picture.bytes.len())?;
    let (width, height) = (picture.width, picture.height);
    let path = storage_path(&sha256);
    let stored = services.blobs.store_bytes(&path, picture.bytes);
    stored.await.map_err(into_anyhow)?;
    let hash = services
        .parts
        .get::<Passwords>()
        .hash(PASSWORD)
        .await
        .map_err(into_anyhow)?;

    let tx = services.db.begin().await?;
    let db = tx.conn();
    for (number, name, email) in MEMBERS {
        let member = Member {
            id: fixed_id(number),
            user_id: fixed_id(100 + number),
            name: name.into(),
            email: email.into(),
            role: Role::Criador,
            api_access_level: Level::Leitor,
            financeiro: false,
            active: true,
            cleanup_pending: false,
            sessions_valid_after: 0,
            created_at: now - 30 * DAY,
        };
        members::insert(&db, &member).await?;
        accounts::create_account_if_absent(&db, &member.user_id, now).await?;
    }
    accounts::set_password(&db, &fixed_id(105), Some(&hash), now).await?;
    let password = Secret {
        usuario: Some("redacao@demo.pauta.test".into()),
        senha: PASSWORD.into(),
    };
    let keys = &services.keys;
    let hotmart = "hotmart".into();
    let stored = password.store_password(&db, keys, &hotmart, &caller.member.id, now);
    stored.await.map_err(into_anyhow)?;
    let invitation = Invitation {
        link: String::new(),
        token_sha256: sha256_hex(INVITATION.as_bytes()),
        expires_at: now + 3 * DAY,
    };
    accounts::issue_invite(&db, &fixed_id(104), &invitation, now).await?;
    for (number, member_id) in [(31, caller.member.id.clone()), (32, fixed_id(1))] {
        let secret = TokenSecret::generate();
        let token = Token {
            id: fixed_id(number),
            member_id,
            label: "Notebook antigo".into(),
            prefix: secret.prefix().to_owned(),
            secret_sha256: secret.digest(),
            scopes: [Capability::TasksView].into_iter().collect(),
            created_at: now - 20 * DAY,
            expires_at: now + 10 * DAY,
            last_used_at: None,
            revoked_at: None,
        };
        tokens::insert(&db, &token).await?;
    }
    for (number, member_id) in [(51, caller.member.id.clone()), (52, fixed_id(1))] {
        let agent = Agent {
            id: fixed_id(number),
            member_id,
            client_id: "https://cliente.exemplo.test/oauth/client.json".into(),
            client_name: "Assistente de exemplo".into(),
            redirect_host: "cliente.exemplo.test".into(),
            scopes: [Capability::TasksView].into_iter().collect(),
            resource: identity::authorization::mcp_endpoint_url(&services.public_url),
            created_at: now - 20 * DAY,
            expires_at: now + 10 * DAY,
            last_used_at: None,
            revoked_at: None,
        };
        agents::insert(&db, &agent).await?;
    }
    for (number, status, days, hour, title, caption) in super::example_events::EVENTS {
        let event = Event {
            id: fixed_id(number),
            api_revision: Revision::FIRST,
            clickup_id: None,
            title: title.into(),
            channel: "instagram".into(),
            status,
            description: Some(caption.into()),
            briefing: Some(caption.into()),
            due_at: Some(due_at(now, days, hour)?),
            editorial_tag: Some("receita".into()),
            created_by: caller.member.id.clone(),
            created_by_name: caller.member.name.clone(),
            created_at: now - 2 * DAY,
            updated_at: now - 2 * DAY,
            post_url: None,
            assignees: vec![(fixed_id(1), "Marina Duarte".into())],
            media: vec![],
        };
        events::insert(&db, &event).await?;
    }
    let people = [fixed_id(1), caller.member.id.clone()];
    let remarks = [fixed_id(81), fixed_id(82)];
    super::remarks::seed_remarks(&db, &fixed_id(19), remarks, people, now)
        .await
        .map_err(into_anyhow)?;
    let links = [fixed_id(91), fixed_id(92), fixed_id(93)];
    let (pieces, member) = ([fixed_id(61), fixed_id(62)], &caller.member.id);
    super::guest_links::seed_guest_links(&db, keys, links, &pieces, member, now)
        .await
        .map_err(into_anyhow)?;
    let (remarks, link) = ([fixed_id(83), fixed_id(84)], fixed_id(92));
    super::remarks::seed_guest_remarks(&db, &fixed_id(62), remarks, (&link, member), now)
        .await
        .map_err(into_anyhow)?;
    super::calendar_feeds::seed_calendar_feeds(&db, [fixed_id(97), fixed_id(98)], member, now)
        .await
        .map_err(into_anyhow)?;
    // A calendar and a device of a colleague, which the examples for admins remove.
    let colleague = fixed_id(1);
    super::calendar_feeds::seed_calendar_feed(&db, fixed_id(161), &colleague, now)
        .await
        .map_err(into_anyhow)?;
    let device = super::push_devices::seed_push_device(&db, keys, fixed_id(162), &colleague, now);
    device.await.map_err(into_anyhow)?;
    super::mails::seed_undelivered_mail(&db, &fixed_id(163), &fixed_id(2), now)
        .await
        .map_err(into_anyhow)?;
    let webhooks = [fixed_id(94), fixed_id(96)];
    let seeded = super::webhooks::seed_webhooks(&db, keys, webhooks, fixed_id(95), member, now);
    seeded.await.map_err(into_anyhow)?;
    let device = super::push_devices::seed_push_device(&db, keys, fixed_id(99), member, now);
    device.await.map_err(into_anyhow)?;
    let publication = (fixed_id(151), fixed_id(152));
    super::publications::seed_publication(&db, publication, fixed_id(29), member, now)
        .await
        .map_err(into_anyhow)?;
    super::publications::seed_changed_variant(&db, fixed_id(153), fixed_id(64), member, now)
        .await
        .map_err(into_anyhow)?;
    super::publications::seed_late_variant(&db, fixed_id(154), fixed_id(64), member, now)
        .await
        .map_err(into_anyhow)?;
    for (template_id, html) in DRAFTS {
        let write = Write {
            template_id: &TemplateId::from(template_id),
            html,
            metadata: Some(r#"{"assunto":"Exemplo"}"#.into()),
            member_id: &caller.member.id,
        };
        let saved = email_drafts::save(&db, write, None, WRITTEN).await;
        saved.map_err(into_anyhow)?;
    }
    let content = "# Glossário\n\nEscrevemos \"e-mail\", \"on-line\" e \"post\".\n";
    let glossary = NewVersion {
        name: "glossario-da-casa",
        description: "Como a casa escreve os termos do dia a dia.",
        content,
        sha256: &sha256_hex(content.as_bytes()),
        member_id: &caller.member.id,
    };
    let (name, description) = (glossary.name, glossary.description);
    let published = skills::publish(&db, glossary, Some(Version::NONE), now - 9 * DAY).await;
    published.map_err(into_anyhow)?;
    let indexed = index_skill(services, &db, name, description, content, now - 9 * DAY).await;
    indexed.map_err(into_anyhow)?;
    let documents = [fixed_id(61), fixed_id(62)];
    super::knowledge::seed_examples(&db, documents, WRITTEN).await?;
    insert_project(&db, caller, now)
        .await
        .map_err(into_anyhow)?;
    contents::claim_content(&db, &sha256, now)
        .await
        .map_err(into_anyhow)?;
    let picture = Media {
        id: fixed_id(21),
        sha256: sha256.clone(),
        media_type: "image/jpeg".into(),
        bytes: length,
        width: Some(width.into()),
        height: Some(height.into()),
        kind: "imagem".into(),
        alt: Some("Banca de feira com abóboras e milho verde".into()),
        origin: "art".into(),
        created_by: caller.member.id.clone(),
        created_at: now - DAY,
        source_url: None,
    };
    media::insert(&db, &picture).await.map_err(into_anyhow)?;
    uploads::insert(
        &db,
        &Upload {
            id: fixed_id(71),
            member_id: caller.member.id.clone(),
            credential: credential_reference(caller),
            placement: "{}".into(),
            media_type: Some("video/mp4".into()),
            bytes: Some(4_821_300),
            received: 0,
            created_at: now,
            expires_at: now + DAY,
            media_id: None,
        },
    )
    .await
    .map_err(into_anyhow)?;
    // This medium belongs to no event, so an example can publish it alone.
    let alone = Media {
        id: fixed_id(22),
        created_at: now - 2 * DAY,
        source_url: None,
        ..picture
    };
    media::insert(&db, &alone).await.map_err(into_anyhow)?;
    contents::release_claim(&db, &sha256, now)
        .await
        .map_err(into_anyhow)?;
    insert_generations(&db, caller, now)
        .await
        .map_err(into_anyhow)?;
    tx.commit()
        .await
        .context("os exemplos não foram gravados")?;
    let cards = [fixed_id(24), fixed_id(25)];
    super::carousel::seed_carousel(gateway, caller, &fixed_id(23), cards, now).await?;
    let seeded = super::sales::seed_launch(gateway, fixed_id(41), &caller.member.id, now).await;
    seeded.map_err(into_anyhow)?;
    super::knowledge::seed_documents(gateway, now).await
}

/// Returns the instant of an hour, `days` working days from now.
fn due_at(now: Millis, days: i64, hour: &str) -> Result<Millis> {
    let day = super::agenda::working_day(now, days);
    let fields = DateFields {
        day: Some(day.day()),
        month: Some(day.month()),
        year: Some(day.year()),
        hour: Some(hour.into()),
    };
    let due = fields.to_instant(now).map_err(into_anyhow)?;
    due.context("a data não existe")
}

/// Inserts a project with one section and one item, which the examples change.
async fn insert_project(db: &Conn<'_>, caller: &Principal, now: Millis) -> gateway::Result<()> {
    let actor = &caller.member.id;
    let begun = now - 2 * DAY;
    let title = |text: &str| Title(text.into());
    let creation = ProjectOperation::CreateProject {
        title: title("Lançamento: Pão em Casa"),
        notes: Notes("Um mês, da enquete às boas-vindas.".into()),
    };
    let mut project = projects::create(db, fixed_id(41), &creation, actor, begun).await?;
    let operations = [
        ProjectOperation::AddSection {
            section_id: fixed_id(42),
            title: title("Aula aberta"),
            position: None,
        },
        ProjectOperation::AddItem {
            section_id: fixed_id(42),
            item_id: fixed_id(43),
            title: title("Roteiro da aula"),
            notes: Some(Notes("Quarenta minutos, com perguntas.".into())),
            assignee_member_ids: Some(Assignees(vec![fixed_id(1)])),
            due_on: None,
            position: None,
        },
    ];
    for operation in operations {
        project.project.apply(&operation)?;
        projects::save(db, &mut project, &operation, actor, begun).await?;
    }
    let earlier = ProjectOperation::CreateProject {
        title: title("Lançamento: Pão em Casa, turma anterior"),
        notes: Notes("Terminado.".into()),
    };
    let begun = now - 44 * DAY;
    projects::create(db, fixed_id(44), &earlier, actor, begun).await?;
    super::earlier_launch::seed_earlier_launch(db, fixed_id(44), actor, now).await?;
    Ok(())
}

/// Inserts two videos without a job, so that their state never changes.
async fn insert_generations(db: &Conn<'_>, caller: &Principal, now: Millis) -> gateway::Result<()> {
    let prompts = [
        (51, "A massa da broa abrindo no forno"),
        (52, "Café coado, a água caindo em círculos"),
    ];
    for (number, prompt) in prompts {
        let queued = Video {
            id: fixed_id(number),
            state: VideoState::Queued,
            provider: "runway".into(),
            provider_job_id: None,
            prompt: prompt.into(),
            aspect: Aspect::Portrait,
            duration_s: 8,
            frame_id: None,
            event_id: None,
            event_status: None,
            progress: 0,
            media_id: None,
            attached: false,
            error: None,
            created_by: caller.member.id.clone(),
            created_at: now - MINUTE,
            updated_at: now - MINUTE,
        };
        videos::insert(db, &queued).await?;
        if number == 52 {
            let running = Video {
                state: VideoState::InProgress,
                progress: 42,
                updated_at: now,
                ..queued
            };
            videos::save(db, VideoState::Queued, &running).await?;
        }
    }
    Ok(())
}
