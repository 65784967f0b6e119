//! A member's API access as administrators see it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    agent_view::AgentView,
    daily_use::load_uses,
    token_view::{TokenStatus, TokenView},
};
use domain::{CalendarFeedId, Capability, Level, MemberId, PushDeviceId, Role, time::Timestamp};
use gateway::{Context, Result};
use store::{
    agents::{self, Agent},
    calendar_feeds::{self, CalendarFeed},
    members::Member,
    push::{self, PushDevice},
    tokens::{self, Token},
};

/// Acesso por API de um membro.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MemberAccess {
    id: MemberId,
    name: String,
    email: Option<String>,
    /// Papel: governa a sessão e é o teto dos tokens.
    access_level: Role,
    /// Nível dos tokens pessoais.
    api_access_level: Level,
    /// Nível depois do teto do papel.
    effective_api_access_level: Level,
    /// O que os tokens pessoais podem usar agora.
    capabilities: Vec<Capability>,
    /// Tokens ativos.
    token_count: usize,
    /// Até 20 tokens: primeiro os ativos, depois os mais novos.
    tokens: Vec<TokenView>,
    /// Até 20 agentes ligados por OAuth: primeiro os ativos, depois os mais novos.
    agents: Vec<AgentView>,
    /// Os calendários em vigor, do mais novo ao mais antigo; no máximo dez.
    calendarios: Vec<MemberCalendar>,
    /// Os aparelhos que recebem avisos, do mais novo ao mais antigo; no máximo dez.
    aparelhos: Vec<MemberDevice>,
}

/// Um calendário de um membro, sem o endereço nem os filtros.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct MemberCalendar {
    id: CalendarFeedId,
    nome: String,
    created_at: Timestamp,
    /// A última leitura por um programa; nulo quando nenhum leu.
    last_read_at: Option<Timestamp>,
}

/// Um aparelho de um membro.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct MemberDevice {
    id: PushDeviceId,
    nome: String,
    criado_em: Timestamp,
    /// A última vez que uma página o registrou.
    renovado_em: Timestamp,
    /// O último aviso que o serviço do navegador aceitou.
    ultimo_aviso_em: Option<Timestamp>,
}

impl From<CalendarFeed> for MemberCalendar {
    fn from(feed: CalendarFeed) -> Self {
        Self {
            id: feed.id,
            nome: feed.name,
            created_at: Timestamp(feed.created_at),
            last_read_at: feed.last_read_at.map(Timestamp),
        }
    }
}

impl From<PushDevice> for MemberDevice {
    fn from(device: PushDevice) -> Self {
        Self {
            id: device.id,
            nome: device.name,
            criado_em: Timestamp(device.created_at),
            renovado_em: Timestamp(device.renewed_at),
            ultimo_aviso_em: device.received_at.map(Timestamp),
        }
    }
}

impl MemberAccess {
    /// Loads the views of several members, in the given order, with one query each for all tokens,
    /// agents, calendars and devices.
    pub(super) async fn load_all(ctx: &Context<'_>, members: Vec<Member>) -> Result<Vec<Self>> {
        let ids: Vec<MemberId> = members.iter().map(|member| member.id.clone()).collect();
        let mut by_member: HashMap<MemberId, Vec<Token>> = HashMap::new();
        for token in tokens::list_latest_of_members(&ctx.db(), &ids, ctx.now).await? {
            by_member
                .entry(token.member_id.clone())
                .or_default()
                .push(token);
        }
        let mut agents: HashMap<MemberId, Vec<Agent>> = HashMap::new();
        for agent in agents::list_latest_of_members(&ctx.db(), &ids, ctx.now).await? {
            agents
                .entry(agent.member_id.clone())
                .or_default()
                .push(agent);
        }
        let tokens = by_member.values().flatten().map(|token| token.id.as_str());
        let connected = agents.values().flatten().map(|agent| agent.id.as_str());
        let uses = load_uses(ctx, tokens.chain(connected)).await?;
        let mut calendars: HashMap<MemberId, Vec<MemberCalendar>> = HashMap::new();
        for feed in calendar_feeds::list_in_force_of(&ctx.db(), &ids).await? {
            let of_member = calendars.entry(feed.member_id.clone()).or_default();
            of_member.push(feed.into());
        }
        let mut devices: HashMap<MemberId, Vec<MemberDevice>> = HashMap::new();
        for device in push::list_devices_of(&ctx.db(), &ids).await? {
            let of_member = devices.entry(device.member_id.clone()).or_default();
            of_member.push(device.into());
        }
        let view = |member: Member| {
            let connected = agents.remove(&member.id).unwrap_or_default();
            let connected = connected
                .into_iter()
                .map(|a| AgentView::from_agent(a, &uses, ctx.now));
            let tokens = by_member.remove(&member.id).unwrap_or_default();
            let tokens = tokens
                .into_iter()
                .map(|t| TokenView::from_token(t, &uses, ctx.now));
            let calendarios = calendars.remove(&member.id).unwrap_or_default();
            let aparelhos = devices.remove(&member.id).unwrap_or_default();
            Self {
                calendarios,
                aparelhos,
                ..Self::from_member(member, tokens.collect(), connected.collect())
            }
        };
        Ok(members.into_iter().map(view).collect())
    }

    fn from_member(member: Member, tokens: Vec<TokenView>, agents: Vec<AgentView>) -> Self {
        let is_active = |token: &&TokenView| token.status == TokenStatus::Active;
        Self {
            effective_api_access_level: member.effective_api_level(),
            capabilities: member.token_capabilities().iter().collect(),
            id: member.id,
            name: member.name,
            email: Some(member.email),
            access_level: member.role,
            api_access_level: member.api_access_level,
            token_count: tokens.iter().filter(is_active).count(),
            tokens,
            agents,
            calendarios: vec![],
            aparelhos: vec![],
        }
    }
}
