//! The table: every operation and raw route, in catalog order.
//!
//! What is not here does not exist: not in the router, OpenAPI, the catalog or MCP.

use crate::{
    access, config,
    identity::operations as auth,
    members,
    registry::{Access, Area, Entry, ErrorForm, RawKind, RawRoute, Verb},
    system, workflow,
};

/// Every operation.
pub const OPERATIONS: &[Entry] = &[
    Entry::of::<system::GetHealth>(),
    Entry::of::<auth::IssueSession>(),
    Entry::of::<auth::SignOut>(),
    Entry::of::<auth::ListSessionKeys>(),
    Entry::of::<auth::RedeemInvite>(),
    Entry::of::<auth::ChangeMyPassword>(),
    Entry::of::<access::GetMe>(),
    Entry::of::<access::GetMyAccess>(),
    Entry::of::<access::ListAccessMembers>(),
    Entry::of::<access::UpdateMemberApiAccess>(),
    Entry::of::<access::RevokeMemberToken>(),
    Entry::of::<access::ListMyTokens>(),
    Entry::of::<access::CreateMyToken>(),
    Entry::of::<access::RevokeMyToken>(),
    Entry::of::<access::ListAuditEvents>(),
    Entry::of::<access::GetRouteCatalog>(),
    Entry::of::<workflow::CreateDemand>(),
    Entry::of::<workflow::ListEvents>(),
    Entry::of::<workflow::GetEvent>(),
    Entry::of::<workflow::UpdateEvent>(),
    Entry::of::<workflow::SaveDraft>(),
    Entry::of::<workflow::SubmitForApproval>(),
    Entry::of::<workflow::ListPendingApprovals>(),
    Entry::of::<workflow::DecideApproval>(),
    Entry::of::<workflow::ListAttachableEvents>(),
    Entry::of::<workflow::ListMyTasks>(),
    Entry::of::<config::GetConfig>(),
    Entry::of::<config::PublishConfigVersion>(),
    Entry::of::<config::ListConfigHistory>(),
    Entry::of::<members::ListMembers>(),
    Entry::of::<members::UpdateMember>(),
    Entry::of::<members::InviteMember>(),
    Entry::of::<members::OffboardMember>(),
    Entry::of::<members::SetMemberPassword>(),
];

/// Every route that only HTTP can serve.
pub const RAW_ROUTES: &[RawRoute] = &[
    RawRoute {
        kind: RawKind::OpenapiJson,
        operation_id: "getOpenapiJsonArtifact",
        title: "Baixar o contrato OpenAPI em JSON",
        description: "O contrato OpenAPI 3.1 desta instalação, gerado do registro de operações.",
        verb: Verb::Get,
        path: "/api/ai/openapi.json",
        area: Area::Artifacts,
        access: Access::Public,
        content_type: "application/json",
        errors: &[500, 503],
        error_form: ErrorForm::Object,
    },
    RawRoute {
        kind: RawKind::OpenapiYaml,
        operation_id: "getOpenapiYamlArtifact",
        title: "Baixar o contrato OpenAPI em YAML",
        description: "O mesmo contrato OpenAPI 3.1, em YAML.",
        verb: Verb::Get,
        path: "/api/ai/openapi.yaml",
        area: Area::Artifacts,
        access: Access::Public,
        content_type: "application/yaml",
        errors: &[500, 503],
        error_form: ErrorForm::Object,
    },
    RawRoute {
        kind: RawKind::Mcp,
        operation_id: "postMcp",
        title: "Chamar uma ferramenta por MCP",
        description: "Uma mensagem JSON-RPC 2.0 do Model Context Protocol, sem estado entre \
            chamadas. As ferramentas são as operações deste contrato que têm `x-mcp-tool`, com a \
            mesma permissão, revisão e idempotência.",
        verb: Verb::Post,
        path: "/api/mcp",
        area: Area::Mcp,
        access: Access::AnyMember,
        content_type: "application/json",
        errors: &[400, 401, 403, 404, 405, 413, 415, 500],
        error_form: ErrorForm::JsonRpc,
    },
];
