-- A database of PostgreSQL after migration 000009, as the service left it then.
-- token: svc_live_NeRWM13kJjsKpd11.OwkcgOruRQvryma8Iuls0E45WWC_dh_432Mg4RPOT1Y
CREATE TABLE public.accounts (
    user_id text NOT NULL,
    password_hash text,
    updated_at bigint NOT NULL
);
CREATE TABLE public.audit_events (
    id text NOT NULL,
    occurred_at bigint NOT NULL,
    request_id text,
    actor_member_id text,
    actor_user_id text,
    token_id text,
    auth_method text NOT NULL,
    capability text,
    action text NOT NULL,
    resource_type text,
    resource_id text,
    outcome text NOT NULL,
    status_code bigint,
    metadata text NOT NULL
);
CREATE TABLE public.config_entries (
    key text NOT NULL,
    version bigint NOT NULL,
    value text NOT NULL,
    updated_at bigint NOT NULL,
    updated_by text NOT NULL
);
CREATE TABLE public.config_log (
    key text NOT NULL,
    version bigint NOT NULL,
    value text NOT NULL,
    updated_at bigint NOT NULL,
    updated_by text NOT NULL
);
CREATE TABLE public.contents (
    sha256 text NOT NULL,
    claims bigint NOT NULL,
    removing boolean NOT NULL,
    touched_at bigint NOT NULL
);
CREATE TABLE public.email_draft_html (
    template_id text NOT NULL,
    html text NOT NULL
);
CREATE TABLE public.email_drafts (
    template_id text NOT NULL,
    metadata text NOT NULL,
    html_length bigint,
    updated_at bigint NOT NULL,
    updated_by text NOT NULL
);
CREATE TABLE public.event_assignees (
    event_id text NOT NULL,
    member_id text NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.event_history (
    id text NOT NULL,
    event_id text NOT NULL,
    api_revision bigint NOT NULL,
    actor_member_id text NOT NULL,
    action text NOT NULL,
    changes text NOT NULL,
    reason text,
    occurred_at bigint NOT NULL
);
CREATE TABLE public.event_media (
    event_id text NOT NULL,
    media_id text NOT NULL,
    slide_index bigint NOT NULL,
    kind text NOT NULL,
    alt text
);
CREATE TABLE public.events (
    id text NOT NULL,
    api_revision bigint NOT NULL,
    clickup_id text,
    title text NOT NULL,
    channel text NOT NULL,
    status text NOT NULL,
    description text,
    briefing text,
    due_at bigint,
    agenda_at bigint NOT NULL,
    editorial_tag text,
    search_text text NOT NULL,
    created_by text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.idempotency_keys (
    member_id text NOT NULL,
    operation text NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint text NOT NULL,
    status bigint,
    answer text,
    lease_until bigint,
    expires_at bigint NOT NULL
);
CREATE TABLE public.invites (
    token_sha256 text NOT NULL,
    user_id text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.knowledge_chunks (
    seq bigint NOT NULL,
    id text NOT NULL,
    document_id text NOT NULL,
    "position" bigint NOT NULL,
    starts_at bigint NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    sha256 text NOT NULL,
    title_terms text NOT NULL,
    terms text NOT NULL
);
CREATE TABLE public.knowledge_documents (
    id text NOT NULL,
    source text NOT NULL,
    title text NOT NULL,
    sha256 text NOT NULL,
    characters bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.knowledge_embedding (
    id bigint NOT NULL,
    lease_until bigint NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.knowledge_index (
    rowid bigint NOT NULL,
    terms tsvector NOT NULL
);
CREATE TABLE public.knowledge_tags (
    document_id text NOT NULL,
    tag text NOT NULL
);
CREATE TABLE public.knowledge_terms (
    term text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL
);
CREATE TABLE public.knowledge_totals (
    id bigint NOT NULL,
    chunks bigint NOT NULL,
    words bigint NOT NULL,
    last_seq bigint NOT NULL
);
CREATE TABLE public.knowledge_vectors (
    sha256 text NOT NULL,
    model text NOT NULL,
    dimensions bigint NOT NULL,
    vector text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.known_networks (
    network_hmac text NOT NULL,
    user_id text NOT NULL,
    last_seen_at bigint NOT NULL
);
CREATE TABLE public.media (
    id text NOT NULL,
    sha256 text NOT NULL,
    media_type text NOT NULL,
    bytes bigint NOT NULL,
    width bigint,
    height bigint,
    kind text NOT NULL,
    alt text,
    origin text NOT NULL,
    created_by text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.media_jobs (
    id text NOT NULL,
    event_id text NOT NULL,
    lease_until bigint NOT NULL
);
CREATE TABLE public.members (
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    api_access_level text NOT NULL,
    financeiro boolean NOT NULL,
    active boolean NOT NULL,
    cleanup_pending boolean NOT NULL,
    sessions_valid_after bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.personal_tokens (
    id text NOT NULL,
    member_id text NOT NULL,
    label text NOT NULL,
    prefix text NOT NULL,
    secret_sha256 text NOT NULL,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_used_at bigint,
    revoked_at bigint
);
CREATE TABLE public.project_operations (
    project_id text NOT NULL,
    revision bigint NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    payload text NOT NULL,
    actor_member_id text NOT NULL,
    occurred_at bigint NOT NULL
);
CREATE TABLE public.projects (
    id text NOT NULL,
    revision bigint NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    sections bigint NOT NULL,
    items bigint NOT NULL,
    done bigint NOT NULL,
    members bigint NOT NULL,
    created_by text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    document text NOT NULL
);
CREATE TABLE public.refresh_tokens (
    token_sha256 text NOT NULL,
    family_id text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint
);
CREATE TABLE public.seaql_migrations (
    version character varying NOT NULL,
    applied_at bigint NOT NULL
);
CREATE TABLE public.session_families (
    id text NOT NULL,
    user_id text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
);
CREATE TABLE public.signing_keys (
    kid text NOT NULL,
    sealed_private_key text NOT NULL,
    public_jwk text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.skill_versions (
    name text NOT NULL,
    version bigint NOT NULL,
    description text NOT NULL,
    content text NOT NULL,
    sha256 text NOT NULL,
    updated_at bigint NOT NULL,
    updated_by text NOT NULL
);
CREATE TABLE public.skills (
    name text NOT NULL,
    version bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.team (
    id bigint NOT NULL,
    turn bigint NOT NULL
);
INSERT INTO public.accounts VALUES ('01a202e7-a8a9-7243-9b35-b52a0136f027', '$argon2id$v=19$m=19456,t=2,p=1$glKgls9lsgW+4HA0lBYUKA$1SfC8mx+UNtIEtXD0fAuIKVqRH69Mrl7lwWU7YzSiNw', 1795345066153);
INSERT INTO public.audit_events VALUES ('01a202e7-a8a9-7e98-98cb-1a07b5d16ab4', 1795345066153, 'operator-10550', NULL, NULL, NULL, 'system', NULL, 'create_admin', 'member', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'succeeded', 201, '{"client":"pauta","door":"cli"}');
INSERT INTO public.audit_events VALUES ('01a202e7-a8ee-7ce4-86d6-df31cae5181d', 1795345066222, 'operator-10557', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', NULL, 'session', NULL, 'create_my_token', 'token', '01a202e7-a8ee-7469-ae59-238f0472902a', 'succeeded', 201, '{"client":"pauta","door":"cli"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d12c-7568-b746-d1bfaf64d352', 1795345076524, '34c5OPmC9YnReLc3', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'tasks_assign', 'create_demand', 'event', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest","idempotency_key_sha256":"b7a616d4f3d985ce471dc7254f393276a6a23ad2238ce36d712f164812ee9f7d"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d130-770a-8ac5-21d142c0c56d', 1795345076528, 'XekT7EZ_Vf4ABmdZ', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'draft_save', 'save_draft', 'event', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d137-7860-9108-f5ce3d535f36', 1795345076535, 'NJeHrnkhZ8BpeDui', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'draft_save', 'save_draft', 'event', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d13b-7c63-8741-305d19a6f04c', 1795345076539, 'jd4-yR01e42gi-0m', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'art', 'generate_art', 'media', '01a202e7-d13b-76d4-99dc-76f5a04ef9a2', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d184-7132-b256-89a862623419', 1795345076612, 'xRsZjEK9HyvaOnbE', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'tasks_assign', 'create_demand', 'event', '01a202e7-d184-71b6-a90d-c125b4d638bc', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d187-75b0-afd5-e9298ced90c0', 1795345076615, 'LrLLfMc639SfBkNd', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'email_drafts_edit', 'put_email_draft', 'email_draft', 'exemplo.curso', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d189-72b4-8963-3d58768b30e2', 1795345076617, '9Oc2q4GZoHNiIf7L', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'config', 'publish_config_version', 'config', 'editorial.tom', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d18c-7fa7-a7ba-95a9e1de7992', 1795345076620, 'XboLiyRrlDQGiNtY', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'projects_manage', 'create_project', 'project', '01a202e7-d18c-7722-add3-74fd5437906b', 'succeeded', 201, '{"client":"Python-urllib/3.11","door":"rest","idempotency_key_sha256":"84d870a0114c491d922d123297261dd7eefcd2ac088a899d6f039504e7998cb4"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d18e-7bf4-83d9-905974544231', 1795345076622, 'gkide3CySig6Jh2b', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'projects_edit', 'apply_project_operation', 'project', '01a202e7-d18c-7722-add3-74fd5437906b', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d18f-745e-90e9-1509849269e4', 1795345076623, 'cvaKHp5oxC-2gFxB', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'config', 'publish_skill_version', 'skill', 'glossario-da-casa', 'succeeded', 201, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d186-7c09-b494-f8a1b277a6bf', 1795345076614, 'csfqI8tY83mWo3KU', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', 'config_view', 'get_config', NULL, NULL, 'allowed', 200, '{"client":"Python-urllib/3.11","count":1,"door":"rest"}');
INSERT INTO public.audit_events VALUES ('01a202e7-d125-71db-b997-194c1474d5ca', 1795345076517, 'qiW40_sWk7_mzDy-', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', '01a202e7-a8ee-7469-ae59-238f0472902a', 'personal_token', NULL, 'get_me', NULL, NULL, 'allowed', 200, '{"client":"Python-urllib/3.11","count":1,"door":"rest"}');
INSERT INTO public.config_entries VALUES ('editorial.tom', 1, '{"voz":"próxima e direta"}', 1795345076617, '01a202e7-a8a9-7c37-8da6-5afafffd19c9');
INSERT INTO public.config_log VALUES ('editorial.tom', 1, '{"voz":"próxima e direta"}', 1795345076617, '01a202e7-a8a9-7c37-8da6-5afafffd19c9');
INSERT INTO public.contents VALUES ('fc345554e2c901e5bfae09459f7aeab88b6b635c3bc5482544f9164172ddf272', 0, false, 1795345076593);
INSERT INTO public.email_draft_html VALUES ('exemplo.curso', '<!doctype html><h1>Curso de pão</h1>');
INSERT INTO public.email_drafts VALUES ('exemplo.curso', '{"assunto":"Curso de pão"}', 36, 1795345076615, '01a202e7-a8a9-7c37-8da6-5afafffd19c9');
INSERT INTO public.event_assignees VALUES ('01a202e7-d12c-79cc-8b81-a32ea27b80c4', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 0);
INSERT INTO public.event_history VALUES ('01a202e7-d12c-7262-80fd-118fabc98f86', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 1, '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'create_demand', '{}', NULL, 1795345076524);
INSERT INTO public.event_history VALUES ('01a202e7-d130-7a1d-87aa-689f8b18ea26', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 2, '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'save_draft', '{"description":{"after":"A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó.","before":"Carrossel com os três pães."},"status":{"after":"em progresso","before":"a fazer"}}', NULL, 1795345076528);
INSERT INTO public.event_history VALUES ('01a202e7-d137-71fe-bf47-25d00d73e24f', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 3, '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'save_draft', '{"description":{"after":"A fornada de sábado sai às dez: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó.","before":"A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó."}}', NULL, 1795345076535);
INSERT INTO public.event_history VALUES ('01a202e7-d13b-7348-9655-1f78b92f81f3', '01a202e7-d12c-79cc-8b81-a32ea27b80c4', 4, '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'generate_art', '{"media":{"after":[{"alt":"Sábado tem fornada","id":"01a202e7-d13b-76d4-99dc-76f5a04ef9a2","kind":"imagem","media_type":"image/jpeg","slide_index":0}],"before":[]}}', NULL, 1795345076539);
INSERT INTO public.event_history VALUES ('01a202e7-d184-7db6-9a86-5be77f388e16', '01a202e7-d184-71b6-a90d-c125b4d638bc', 1, '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'create_demand', '{}', NULL, 1795345076612);
INSERT INTO public.event_media VALUES ('01a202e7-d12c-79cc-8b81-a32ea27b80c4', '01a202e7-d13b-76d4-99dc-76f5a04ef9a2', 0, 'imagem', 'Sábado tem fornada');
INSERT INTO public.events VALUES ('01a202e7-d12c-79cc-8b81-a32ea27b80c4', 4, NULL, 'Fornada de sábado', 'Instagram', 'em progresso', 'A fornada de sábado sai às dez: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó.', 'Carrossel com os três pães.', 1797681600000, 1797681600000, 'carrossel', 'fornada de sabado
a fornada de sabado sai as dez: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo.
carrossel', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 1795345076524, 1795345076539);
INSERT INTO public.events VALUES ('01a202e7-d184-71b6-a90d-c125b4d638bc', 1, NULL, 'Sem data: bastidores', 'email', 'a fazer', 'A moagem do milho.', 'A moagem do milho.', NULL, 9223372036854775807, NULL, 'sem data: bastidores
a moagem do milho.', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 1795345076612, 1795345076612);
INSERT INTO public.idempotency_keys VALUES ('01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'create_demand', 'fornada-1', '0b96a82150b50b41c079c6b3a5bdad5a0738dc1d46b210f044ce0379e7fb3a06', 200, '{"ok":true,"event_id":"01a202e7-d12c-79cc-8b81-a32ea27b80c4","clickup_id":null,"due_at":"2026-12-19T12:00:00.000Z","event":{"id":"01a202e7-d12c-79cc-8b81-a32ea27b80c4","api_revision":1,"clickup_id":null,"title":"Fornada de sábado","channel":"Instagram","status":"a fazer","description":"Carrossel com os três pães.","briefing":"Carrossel com os três pães.","day":19,"month":12,"year":2026,"hour":"09:00","due_at":"2026-12-19T12:00:00.000Z","editorial_tag":"carrossel","assignee_member_ids":["01a202e7-a8a9-7c37-8da6-5afafffd19c9"],"assignees_names":["Helena Prado"],"media":[],"created_by":"01a202e7-a8a9-7c37-8da6-5afafffd19c9","created_by_name":"Helena Prado","created_at":"2026-11-22T10:57:56.524Z","updated_at":"2026-11-22T10:57:56.524Z"}}', NULL, 1795431476524);
INSERT INTO public.idempotency_keys VALUES ('01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'create_project', 'projeto-1', 'f1685f64ef246a15eb526fce67dc5dc357446dbef9d038189005321f8cdf6aa4', 201, '{"ok":true,"project":{"id":"01a202e7-d18c-7722-add3-74fd5437906b","name":"Lançamento: Bolos de Festa","description":"","status":"ativo","starts_on":null,"ends_on":null,"members":[],"sections":[],"counts":{"sections":0,"items":0,"open":0,"done":0,"members":0},"revision":1,"api_revision":1,"updated_at":"2026-11-22T10:57:56.620Z","created_at":"2026-11-22T10:57:56.620Z","created_by":"01a202e7-a8a9-7c37-8da6-5afafffd19c9","created_by_name":"Helena Prado"}}', NULL, 1795431476620);
INSERT INTO public.knowledge_chunks VALUES (1, '01a202e7-d18f-7d6b-a00e-85421200aaf7', '01a202e7-d18f-7215-ab40-44359037e459', 0, 0, 'Glossário', 'Como a casa escreve.
Escrevemos e-mail.', 'dba8ce62aed6b22876ecbb846dba0b80fae6017ccd3e0e4a402d305da630624e', 'glossari', 'cas escrev escrevem mail');
INSERT INTO public.knowledge_documents VALUES ('01a202e7-d18f-7215-ab40-44359037e459', 'skill:glossario-da-casa', 'Glossário', 'a5b805af47d086f093597308bce472108c55036b979cf6eeef535b825d45f87d', 38, 1795345076623, 1795345076623);
INSERT INTO public.knowledge_embedding VALUES (1, 0, 0);
INSERT INTO public.knowledge_index VALUES (1, '''cas'':11 ''escrev'':12 ''escrevem'':13 ''glossari'':1A ''mail'':14');
INSERT INTO public.knowledge_tags VALUES ('01a202e7-d18f-7215-ab40-44359037e459', 'skill');
INSERT INTO public.knowledge_terms VALUES ('cas', 1);
INSERT INTO public.knowledge_terms VALUES ('escrev', 1);
INSERT INTO public.knowledge_terms VALUES ('escrevem', 1);
INSERT INTO public.knowledge_terms VALUES ('glossari', 1);
INSERT INTO public.knowledge_terms VALUES ('mail', 1);
INSERT INTO public.knowledge_totals VALUES (1, 1, 4, 1);
INSERT INTO public.media VALUES ('01a202e7-d13b-76d4-99dc-76f5a04ef9a2', 'fc345554e2c901e5bfae09459f7aeab88b6b635c3bc5482544f9164172ddf272', 'image/jpeg', 92411, 1024, 1536, 'imagem', 'Sábado tem fornada', 'art', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 1795345076539);
INSERT INTO public.members VALUES ('01a202e7-a8a9-7c37-8da6-5afafffd19c9', '01a202e7-a8a9-7243-9b35-b52a0136f027', 'Helena Prado', 'helena@ateliepauta.com.br', 'admin', 'admin', false, true, false, 0, 1795345066153);
INSERT INTO public.personal_tokens VALUES ('01a202e7-a8ee-7469-ae59-238f0472902a', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 'linha de comando', 'svc_live_NeRWM13kJjsKpd11', 'e2f48f5346351c391f6b59d0c8bf96eefadbdb4915f5794db6b6e74da748c015', '["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag","art","carousel","draft_save","enviar","email_drafts_edit","projects_edit","roteiro","video","approve","tasks_assign","publish","projects_manage","projects_audit_view","delete","config","connections","team_admin","members"]', 1795345066222, 1803121066222, 1795345076623, NULL);
INSERT INTO public.project_operations VALUES ('01a202e7-d18c-7722-add3-74fd5437906b', 1, '01a202e7-d18c-7539-ae6a-a69b45096f80', 'project.create', '{"notes":"","title":"Lançamento: Bolos de Festa"}', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 1795345076620);
INSERT INTO public.project_operations VALUES ('01a202e7-d18c-7722-add3-74fd5437906b', 2, '01a202e7-d18e-7da1-9e92-b1dcc246db5c', 'section.add', '{"section_id":"01a202e7-d18e-7409-a27e-025c2ad64d3e","title":"Antes da aula"}', '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 1795345076622);
INSERT INTO public.projects VALUES ('01a202e7-d18c-7722-add3-74fd5437906b', 2, 'Lançamento: Bolos de Festa', 'ativo', 1, 0, 0, 0, '01a202e7-a8a9-7c37-8da6-5afafffd19c9', 1795345076620, 1795345076622, '{"name":"Lançamento: Bolos de Festa","description":"","status":"ativo","starts_on":null,"ends_on":null,"members":[],"sections":[{"id":"01a202e7-d18e-7409-a27e-025c2ad64d3e","title":"Antes da aula","items":[]}]}');
INSERT INTO public.seaql_migrations VALUES ('m20260822_000001_spine', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20260822_000002_media', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20260822_000003_contents', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20260822_000004_projects', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20260822_000005_email_drafts', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20260822_000006_skills', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20260822_000007_knowledge', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20261121_000008_vectors', 1795345066);
INSERT INTO public.seaql_migrations VALUES ('m20261122_000009_known_networks', 1795345066);
INSERT INTO public.signing_keys VALUES ('01a202e7-a895-7f86-98d5-a8a9862fc6b2', '03mCB6G2Pgvl9XjCHpFd7/tx4HfW9Ln0ist7/0Te5Wia0+3+RPXwJIqqO7v62rCAMQKcYBbVG6l1PovCC2JSzt+zHFilpNXIvuM5P819Oi+M/p1dlu7aamFybY8gPFX2OiPepxp68LH+NqwSL7h6VUJpQgl4WGgsBCBB0R6Tf5HSkLFUzbLAqIn6pmVT70Dwp7x6JAxmJSOYixPYjxWqDc0CAft2LA', '{"alg":"ES256","kid":"01a202e7-a895-7f86-98d5-a8a9862fc6b2","kty":"EC","crv":"P-256","x":"dWAN0S5ZKMcdcrfDUEBqaBphk-YuA2VZhvkorx23PLc","y":"gM1poTCyzTtNqR3PfD2nqkTB01Az6hSUelwvuqhw4fc"}', 1795345066133);
INSERT INTO public.skill_versions VALUES ('glossario-da-casa', 1, 'Como a casa escreve.', '# Glossário
Escrevemos e-mail.
', '8c8473b8a3bb67131fcbb45428ce2ddb2a48f643874e5b124e1c86527adc1585', 1795345076623, '01a202e7-a8a9-7c37-8da6-5afafffd19c9');
INSERT INTO public.skills VALUES ('glossario-da-casa', 1, 1795345076623);
INSERT INTO public.team VALUES (1, 1);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.config_entries
    ADD CONSTRAINT config_entries_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.config_log
    ADD CONSTRAINT config_log_pkey PRIMARY KEY (key, version);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT contents_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.email_draft_html
    ADD CONSTRAINT email_draft_html_pkey PRIMARY KEY (template_id);
ALTER TABLE ONLY public.email_drafts
    ADD CONSTRAINT email_drafts_pkey PRIMARY KEY (template_id);
ALTER TABLE ONLY public.event_assignees
    ADD CONSTRAINT event_assignees_pkey PRIMARY KEY (event_id, member_id);
ALTER TABLE ONLY public.event_history
    ADD CONSTRAINT event_history_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event_media
    ADD CONSTRAINT event_media_pkey PRIMARY KEY (event_id, media_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (member_id, operation, idempotency_key);
ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (token_sha256);
ALTER TABLE ONLY public.knowledge_chunks
    ADD CONSTRAINT knowledge_chunks_id_key UNIQUE (id);
ALTER TABLE ONLY public.knowledge_chunks
    ADD CONSTRAINT knowledge_chunks_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.knowledge_documents
    ADD CONSTRAINT knowledge_documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.knowledge_documents
    ADD CONSTRAINT knowledge_documents_source_key UNIQUE (source);
ALTER TABLE ONLY public.knowledge_embedding
    ADD CONSTRAINT knowledge_embedding_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.knowledge_index
    ADD CONSTRAINT knowledge_index_pkey PRIMARY KEY (rowid);
ALTER TABLE ONLY public.knowledge_tags
    ADD CONSTRAINT knowledge_tags_pkey PRIMARY KEY (document_id, tag);
ALTER TABLE ONLY public.knowledge_terms
    ADD CONSTRAINT knowledge_terms_pkey PRIMARY KEY (term);
ALTER TABLE ONLY public.knowledge_totals
    ADD CONSTRAINT knowledge_totals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.knowledge_vectors
    ADD CONSTRAINT knowledge_vectors_pkey PRIMARY KEY (sha256, model, dimensions);
ALTER TABLE ONLY public.known_networks
    ADD CONSTRAINT known_networks_pkey PRIMARY KEY (network_hmac);
ALTER TABLE ONLY public.media_jobs
    ADD CONSTRAINT media_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_email_key UNIQUE (email);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_id_key UNIQUE (user_id);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_prefix_key UNIQUE (prefix);
ALTER TABLE ONLY public.project_operations
    ADD CONSTRAINT project_operations_pkey PRIMARY KEY (project_id, revision);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_sha256);
ALTER TABLE ONLY public.seaql_migrations
    ADD CONSTRAINT seaql_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.session_families
    ADD CONSTRAINT session_families_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (kid);
ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_pkey PRIMARY KEY (name, version);
ALTER TABLE ONLY public.skills
    ADD CONSTRAINT skills_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.team
    ADD CONSTRAINT team_pkey PRIMARY KEY (id);
CREATE INDEX audit_events_actor ON public.audit_events USING btree (actor_member_id, occurred_at, id);
CREATE INDEX audit_events_time ON public.audit_events USING btree (occurred_at, id);
CREATE INDEX config_log_time ON public.config_log USING btree (updated_at);
CREATE INDEX contents_touched ON public.contents USING btree (touched_at);
CREATE INDEX email_drafts_time ON public.email_drafts USING btree (updated_at DESC, template_id) WHERE (html_length IS NOT NULL);
CREATE INDEX event_assignees_member ON public.event_assignees USING btree (member_id, event_id);
CREATE UNIQUE INDEX event_history_event ON public.event_history USING btree (event_id, api_revision);
CREATE INDEX event_media_media ON public.event_media USING btree (media_id, event_id);
CREATE INDEX events_agenda ON public.events USING btree (agenda_at, id);
CREATE INDEX events_created_by ON public.events USING btree (created_by);
CREATE INDEX events_status_agenda ON public.events USING btree (status, agenda_at, id);
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX invites_user ON public.invites USING btree (user_id);
CREATE INDEX knowledge_chunks_document ON public.knowledge_chunks USING btree (document_id, "position");
CREATE INDEX knowledge_documents_sha256 ON public.knowledge_documents USING btree (sha256);
CREATE INDEX knowledge_index_terms ON public.knowledge_index USING gin (terms);
CREATE INDEX known_networks_seen ON public.known_networks USING btree (last_seen_at);
CREATE INDEX known_networks_user ON public.known_networks USING btree (user_id, last_seen_at);
CREATE INDEX media_jobs_event ON public.media_jobs USING btree (event_id);
CREATE INDEX media_sha256 ON public.media USING btree (sha256);
CREATE INDEX media_time ON public.media USING btree (created_at, id);
CREATE INDEX personal_tokens_member ON public.personal_tokens USING btree (member_id, created_at);
CREATE INDEX refresh_tokens_expiry ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_family ON public.refresh_tokens USING btree (family_id);
CREATE INDEX session_families_user ON public.session_families USING btree (user_id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.members(user_id);
ALTER TABLE ONLY public.email_draft_html
    ADD CONSTRAINT email_draft_html_template_id_fkey FOREIGN KEY (template_id) REFERENCES public.email_drafts(template_id);
ALTER TABLE ONLY public.email_drafts
    ADD CONSTRAINT email_drafts_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES public.members(id);
ALTER TABLE ONLY public.event_assignees
    ADD CONSTRAINT event_assignees_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
ALTER TABLE ONLY public.event_assignees
    ADD CONSTRAINT event_assignees_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id);
ALTER TABLE ONLY public.event_history
    ADD CONSTRAINT event_history_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
ALTER TABLE ONLY public.event_media
    ADD CONSTRAINT event_media_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
ALTER TABLE ONLY public.event_media
    ADD CONSTRAINT event_media_media_id_fkey FOREIGN KEY (media_id) REFERENCES public.media(id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.members(id);
ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.members(user_id);
ALTER TABLE ONLY public.knowledge_chunks
    ADD CONSTRAINT knowledge_chunks_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.knowledge_documents(id);
ALTER TABLE ONLY public.knowledge_tags
    ADD CONSTRAINT knowledge_tags_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.knowledge_documents(id);
ALTER TABLE ONLY public.known_networks
    ADD CONSTRAINT known_networks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.members(user_id);
ALTER TABLE ONLY public.media
    ADD CONSTRAINT media_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.members(id);
ALTER TABLE ONLY public.media_jobs
    ADD CONSTRAINT media_jobs_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
ALTER TABLE ONLY public.personal_tokens
    ADD CONSTRAINT personal_tokens_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id);
ALTER TABLE ONLY public.project_operations
    ADD CONSTRAINT project_operations_actor_member_id_fkey FOREIGN KEY (actor_member_id) REFERENCES public.members(id);
ALTER TABLE ONLY public.project_operations
    ADD CONSTRAINT project_operations_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.members(id);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_family_id_fkey FOREIGN KEY (family_id) REFERENCES public.session_families(id);
ALTER TABLE ONLY public.session_families
    ADD CONSTRAINT session_families_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.members(user_id);
ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_name_fkey FOREIGN KEY (name) REFERENCES public.skills(name);
ALTER TABLE ONLY public.skill_versions
    ADD CONSTRAINT skill_versions_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES public.members(id);
