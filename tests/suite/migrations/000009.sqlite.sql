-- A database of SQLite after migration 000009, as the service left it then.
-- token: svc_live_ORHw9SlNWYH_YwU7.Z3mjM-sjcQn2-xoLg4mxV2Jb4brNZeo1E0XP_WT8mfY
CREATE TABLE "seaql_migrations" ( "version" varchar NOT NULL PRIMARY KEY, "applied_at" integer NOT NULL );
CREATE TABLE team (
    id BIGINT PRIMARY KEY,
    turn BIGINT NOT NULL
);
CREATE TABLE members (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    api_access_level TEXT NOT NULL,
    financeiro BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    cleanup_pending BOOLEAN NOT NULL,
    sessions_valid_after BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE accounts (
    user_id TEXT PRIMARY KEY REFERENCES members (user_id),
    password_hash TEXT,
    updated_at BIGINT NOT NULL
);
CREATE TABLE invites (
    token_sha256 TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES members (user_id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE TABLE session_families (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES members (user_id),
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE TABLE refresh_tokens (
    token_sha256 TEXT PRIMARY KEY,
    family_id TEXT NOT NULL REFERENCES session_families (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    sealed_private_key TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE personal_tokens (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    label TEXT NOT NULL,
    prefix TEXT NOT NULL UNIQUE,
    secret_sha256 TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);
CREATE TABLE audit_events (
    id TEXT PRIMARY KEY,
    occurred_at BIGINT NOT NULL,
    request_id TEXT,
    actor_member_id TEXT,
    actor_user_id TEXT,
    token_id TEXT,
    auth_method TEXT NOT NULL,
    capability TEXT,
    action TEXT NOT NULL,
    resource_type TEXT,
    resource_id TEXT,
    outcome TEXT NOT NULL,
    status_code BIGINT,
    metadata TEXT NOT NULL
);
CREATE TABLE idempotency_keys (
    member_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status BIGINT,
    answer TEXT,
    lease_until BIGINT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, operation, idempotency_key)
);
CREATE TABLE events (
    id TEXT PRIMARY KEY,
    api_revision BIGINT NOT NULL,
    clickup_id TEXT,
    title TEXT NOT NULL,
    channel TEXT NOT NULL,
    status TEXT NOT NULL,
    description TEXT,
    briefing TEXT,
    due_at BIGINT,
    agenda_at BIGINT NOT NULL,
    editorial_tag TEXT,
    search_text TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE TABLE event_assignees (
    event_id TEXT NOT NULL REFERENCES events (id),
    member_id TEXT NOT NULL REFERENCES members (id),
    position BIGINT NOT NULL,
    PRIMARY KEY (event_id, member_id)
);
CREATE TABLE event_history (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    api_revision BIGINT NOT NULL,
    actor_member_id TEXT NOT NULL,
    action TEXT NOT NULL,
    changes TEXT NOT NULL,
    reason TEXT,
    occurred_at BIGINT NOT NULL
);
CREATE TABLE config_entries (
    key TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL
);
CREATE TABLE config_log (
    key TEXT NOT NULL,
    version BIGINT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL,
    PRIMARY KEY (key, version)
);
CREATE TABLE media (
    id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    width BIGINT,
    height BIGINT,
    kind TEXT NOT NULL,
    alt TEXT,
    origin TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL
);
CREATE TABLE event_media (
    event_id TEXT NOT NULL REFERENCES events (id),
    media_id TEXT NOT NULL REFERENCES media (id),
    slide_index BIGINT NOT NULL,
    kind TEXT NOT NULL,
    alt TEXT,
    PRIMARY KEY (event_id, media_id)
);
CREATE TABLE contents (
    sha256 TEXT PRIMARY KEY,
    claims BIGINT NOT NULL,
    removing BOOLEAN NOT NULL,
    touched_at BIGINT NOT NULL
);
CREATE TABLE media_jobs (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    lease_until BIGINT NOT NULL
);
CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    revision BIGINT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    sections BIGINT NOT NULL,
    items BIGINT NOT NULL,
    done BIGINT NOT NULL,
    members BIGINT NOT NULL,
    created_by TEXT NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE TABLE project_operations (
    project_id TEXT NOT NULL REFERENCES projects (id),
    revision BIGINT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    actor_member_id TEXT NOT NULL REFERENCES members (id),
    occurred_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, revision)
);
CREATE TABLE email_drafts (
    template_id TEXT PRIMARY KEY,
    metadata TEXT NOT NULL,
    html_length BIGINT,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES members (id)
);
CREATE TABLE email_draft_html (
    template_id TEXT PRIMARY KEY REFERENCES email_drafts (template_id),
    html TEXT NOT NULL
);
CREATE TABLE skills (
    name TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE TABLE skill_versions (
    name TEXT NOT NULL REFERENCES skills (name),
    version BIGINT NOT NULL,
    description TEXT NOT NULL,
    content TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL REFERENCES members (id),
    PRIMARY KEY (name, version)
);
CREATE TABLE knowledge_totals (
    id BIGINT PRIMARY KEY,
    chunks BIGINT NOT NULL,
    words BIGINT NOT NULL,
    last_seq BIGINT NOT NULL
);
CREATE TABLE knowledge_documents (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    characters BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE TABLE knowledge_tags (
    document_id TEXT NOT NULL REFERENCES knowledge_documents (id),
    tag TEXT NOT NULL,
    PRIMARY KEY (document_id, tag)
);
CREATE TABLE knowledge_chunks (
    seq BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document_id TEXT NOT NULL REFERENCES knowledge_documents (id),
    position BIGINT NOT NULL,
    starts_at BIGINT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    title_terms TEXT NOT NULL,
    terms TEXT NOT NULL
);
CREATE TABLE knowledge_terms (
    term TEXT  PRIMARY KEY,
    chunks BIGINT NOT NULL
);
CREATE VIRTUAL TABLE knowledge_index USING fts5(
    title_terms, terms, content = '', contentless_delete = 1, tokenize = 'ascii'
);
DELETE FROM knowledge_index_config;
DELETE FROM knowledge_index_data;
DELETE FROM knowledge_index_docsize;
DELETE FROM knowledge_index_idx;
CREATE TABLE knowledge_vectors (
    sha256 TEXT NOT NULL,
    model TEXT NOT NULL,
    dimensions BIGINT NOT NULL,
    vector TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (sha256, model, dimensions)
);
CREATE TABLE knowledge_embedding (
    id BIGINT PRIMARY KEY,
    lease_until BIGINT NOT NULL,
    version BIGINT NOT NULL
);
CREATE TABLE known_networks (
    network_hmac TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES members (user_id),
    last_seen_at BIGINT NOT NULL
);
INSERT INTO seaql_migrations VALUES ('m20260822_000001_spine', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20260822_000002_media', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20260822_000003_contents', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20260822_000004_projects', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20260822_000005_email_drafts', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20260822_000006_skills', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20260822_000007_knowledge', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20261121_000008_vectors', 1795345037);
INSERT INTO seaql_migrations VALUES ('m20261122_000009_known_networks', 1795345037);
INSERT INTO team VALUES (1, 1);
INSERT INTO members VALUES ('01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', 'Helena Prado', 'helena@ateliepauta.com.br', 'admin', 'admin', 0, 1, 0, 0, 1795345037867);
INSERT INTO accounts VALUES ('01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '$argon2id$v=19$m=19456,t=2,p=1$n7Ky7VBnsPBS9G4O+q7XsQ$annKVeRK1AFq+UgqBhkGLO812LVlgywo0XsC9EGdcHQ', 1795345037867);
INSERT INTO signing_keys VALUES ('01a202e7-3a11-7fea-a460-fdf1f7045393', '61iCUD/F3m7hiC5Lnff/uP+myFlJ7bwC5sPSSs5rkfcEz7BOX/FB6r+1UPYYfMXbUQK1jJQMU9gFHlitiCz+IhZRA36CtFjWIHhd5WJKfRibEhj+P4WWlaCJV5w3KKno+bpmcb+tHfO14Z9zDrALydRBADNfLTvUsTcVPvmZBEZOPmST3GWvEdRIVGJUHmfHj9vrv1yUVr09A1VjkSWy3g9GOPGuYQ', '{"alg":"ES256","kid":"01a202e7-3a11-7fea-a460-fdf1f7045393","kty":"EC","crv":"P-256","x":"vEVLeGoi8HCJID1FOrVPeF-hmEHPDAMU9YHyZ21W02k","y":"8_-oAYLG2-ecMyQ7t8j4sTCRrZ6F_slqQlLBVqStNq0"}', 1795345037841);
INSERT INTO personal_tokens VALUES ('01a202e7-3ae7-770c-b006-25596e9c943a', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'linha de comando', 'svc_live_ORHw9SlNWYH_YwU7', '2ad7a433066b027b5bd1352ffb0366fcb40cfbc9d54de317263d42debbef8cf5', '["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag","art","carousel","draft_save","enviar","email_drafts_edit","projects_edit","roteiro","video","approve","tasks_assign","publish","projects_manage","projects_audit_view","delete","config","connections","team_admin","members"]', 1795345038055, 1803121038055, 1795345048589, NULL);
INSERT INTO audit_events VALUES ('01a202e7-3a2b-724a-9ef4-803c2bdbc05e', 1795345037867, 'operator-9704', NULL, NULL, NULL, 'system', NULL, 'create_admin', 'member', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'succeeded', 201, '{"client":"pauta","door":"cli"}');
INSERT INTO audit_events VALUES ('01a202e7-3ae7-7d29-89b3-0223e598711d', 1795345038055, 'operator-9728', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', NULL, 'session', NULL, 'create_my_token', 'token', '01a202e7-3ae7-770c-b006-25596e9c943a', 'succeeded', 201, '{"client":"pauta","door":"cli"}');
INSERT INTO audit_events VALUES ('01a202e7-6332-7b01-8e31-40f0c3760933', 1795345048370, 'jYgJYfg0xyYVWOHG', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'tasks_assign', 'create_demand', 'event', '01a202e7-6332-7d76-8855-cfb1efac7308', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest","idempotency_key_sha256":"b7a616d4f3d985ce471dc7254f393276a6a23ad2238ce36d712f164812ee9f7d"}');
INSERT INTO audit_events VALUES ('01a202e7-635a-76f0-b016-1dad5514c38a', 1795345048410, 'Nvn6jb3ieEsAbvvC', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'draft_save', 'save_draft', 'event', '01a202e7-6332-7d76-8855-cfb1efac7308', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-637a-7cd0-af70-cd5057a646af', 1795345048442, 'NYuq0n5rkH4gi8jG', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'draft_save', 'save_draft', 'event', '01a202e7-6332-7d76-8855-cfb1efac7308', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6385-7db0-8dd5-2c3470d4ef4d', 1795345048453, 'TarbVmIqdh9Z0PVA', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'art', 'generate_art', 'media', '01a202e7-6385-7809-8204-a6c83483fc09', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6405-75f6-8ea2-427549ea4649', 1795345048581, 'ekQHxadfm_van0a4', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'tasks_assign', 'create_demand', 'event', '01a202e7-6405-76c7-89fa-449ddd37d134', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6407-7469-b28b-e0e645b0b413', 1795345048583, 'rJgdhXIVVo_NfMa8', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'email_drafts_edit', 'put_email_draft', 'email_draft', 'exemplo.curso', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6408-776d-a7f4-dcff3c1e2fa6', 1795345048584, 'fqpgJLBYQe0DxHbh', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'config', 'publish_config_version', 'config', 'editorial.tom', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6409-7bee-beb6-c50bb1775866', 1795345048585, 'GS2YSGU9_TsQdpd5', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'projects_manage', 'create_project', 'project', '01a202e7-6409-798e-a6a3-93fad136723b', 'succeeded', 201, '{"client":"Python-urllib/3.11","door":"rest","idempotency_key_sha256":"84d870a0114c491d922d123297261dd7eefcd2ac088a899d6f039504e7998cb4"}');
INSERT INTO audit_events VALUES ('01a202e7-640a-7f07-b3d4-345467ec7a54', 1795345048586, 'LAfzW0XviX8_6VeS', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'projects_edit', 'apply_project_operation', 'project', '01a202e7-6409-798e-a6a3-93fad136723b', 'succeeded', 200, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-640d-7ca2-9487-6ead28adcbe6', 1795345048589, 'bBn6Bop7SSEM5JLd', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'config', 'publish_skill_version', 'skill', 'glossario-da-casa', 'succeeded', 201, '{"client":"Python-urllib/3.11","door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6406-7f6f-9c3e-ef2366e922c7', 1795345048582, '9-WOzobvDDUgSy4Y', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', 'config_view', 'get_config', NULL, NULL, 'allowed', 200, '{"client":"Python-urllib/3.11","count":1,"door":"rest"}');
INSERT INTO audit_events VALUES ('01a202e7-6330-7eef-8fb8-eac94694becd', 1795345048368, '2SCNvVLTcE76m0f0', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', '01a202e7-3a2b-7f5d-9e93-8cb1200d1043', '01a202e7-3ae7-770c-b006-25596e9c943a', 'personal_token', NULL, 'get_me', NULL, NULL, 'allowed', 200, '{"client":"Python-urllib/3.11","count":1,"door":"rest"}');
INSERT INTO idempotency_keys VALUES ('01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'create_demand', 'fornada-1', '78b324a5355e04abecb6ed6d870f47d176ec5564130ce54bd09be119f8c0fa57', 200, '{"ok":true,"event_id":"01a202e7-6332-7d76-8855-cfb1efac7308","clickup_id":null,"due_at":"2026-12-19T12:00:00.000Z","event":{"id":"01a202e7-6332-7d76-8855-cfb1efac7308","api_revision":1,"clickup_id":null,"title":"Fornada de sábado","channel":"Instagram","status":"a fazer","description":"Carrossel com os três pães.","briefing":"Carrossel com os três pães.","day":19,"month":12,"year":2026,"hour":"09:00","due_at":"2026-12-19T12:00:00.000Z","editorial_tag":"carrossel","assignee_member_ids":["01a202e7-3a2b-7625-8082-7d0b63ff31c1"],"assignees_names":["Helena Prado"],"media":[],"created_by":"01a202e7-3a2b-7625-8082-7d0b63ff31c1","created_by_name":"Helena Prado","created_at":"2026-11-22T10:57:28.370Z","updated_at":"2026-11-22T10:57:28.370Z"}}', NULL, 1795431448370);
INSERT INTO idempotency_keys VALUES ('01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'create_project', 'projeto-1', 'f1685f64ef246a15eb526fce67dc5dc357446dbef9d038189005321f8cdf6aa4', 201, '{"ok":true,"project":{"id":"01a202e7-6409-798e-a6a3-93fad136723b","name":"Lançamento: Bolos de Festa","description":"","status":"ativo","starts_on":null,"ends_on":null,"members":[],"sections":[],"counts":{"sections":0,"items":0,"open":0,"done":0,"members":0},"revision":1,"api_revision":1,"updated_at":"2026-11-22T10:57:28.585Z","created_at":"2026-11-22T10:57:28.585Z","created_by":"01a202e7-3a2b-7625-8082-7d0b63ff31c1","created_by_name":"Helena Prado"}}', NULL, 1795431448585);
INSERT INTO events VALUES ('01a202e7-6332-7d76-8855-cfb1efac7308', 4, NULL, 'Fornada de sábado', 'Instagram', 'em progresso', 'A fornada de sábado sai às dez: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó.', 'Carrossel com os três pães.', 1797681600000, 1797681600000, 'carrossel', 'fornada de sabado
a fornada de sabado sai as dez: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo. a fornada de sabado sai as nove: pao de mandioca, broa de milho e o bolo de fuba da avo.
carrossel', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 1795345048370, 1795345048453);
INSERT INTO events VALUES ('01a202e7-6405-76c7-89fa-449ddd37d134', 1, NULL, 'Sem data: bastidores', 'email', 'a fazer', 'A moagem do milho.', 'A moagem do milho.', NULL, 9223372036854775807, NULL, 'sem data: bastidores
a moagem do milho.', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 1795345048581, 1795345048581);
INSERT INTO event_assignees VALUES ('01a202e7-6332-7d76-8855-cfb1efac7308', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 0);
INSERT INTO event_history VALUES ('01a202e7-6332-7ef9-b14b-ad01aa08f464', '01a202e7-6332-7d76-8855-cfb1efac7308', 1, '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'create_demand', '{}', NULL, 1795345048370);
INSERT INTO event_history VALUES ('01a202e7-635a-7018-8b31-c69c0ea2e20c', '01a202e7-6332-7d76-8855-cfb1efac7308', 2, '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'save_draft', '{"description":{"after":"A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó.","before":"Carrossel com os três pães."},"status":{"after":"em progresso","before":"a fazer"}}', NULL, 1795345048410);
INSERT INTO event_history VALUES ('01a202e7-637a-77ec-873f-4f9612e50a87', '01a202e7-6332-7d76-8855-cfb1efac7308', 3, '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'save_draft', '{"description":{"after":"A fornada de sábado sai às dez: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó.","before":"A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó. A fornada de sábado sai às nove: pão de mandioca, broa de milho e o bolo de fubá da avó."}}', NULL, 1795345048442);
INSERT INTO event_history VALUES ('01a202e7-6385-70be-a2d4-263a3c124869', '01a202e7-6332-7d76-8855-cfb1efac7308', 4, '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'generate_art', '{"media":{"after":[{"alt":"Sábado tem fornada","id":"01a202e7-6385-7809-8204-a6c83483fc09","kind":"imagem","media_type":"image/jpeg","slide_index":0}],"before":[]}}', NULL, 1795345048453);
INSERT INTO event_history VALUES ('01a202e7-6405-7e2e-8729-7dbb05c25247', '01a202e7-6405-76c7-89fa-449ddd37d134', 1, '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 'create_demand', '{}', NULL, 1795345048581);
INSERT INTO config_entries VALUES ('editorial.tom', 1, '{"voz":"próxima e direta"}', 1795345048584, '01a202e7-3a2b-7625-8082-7d0b63ff31c1');
INSERT INTO config_log VALUES ('editorial.tom', 1, '{"voz":"próxima e direta"}', 1795345048584, '01a202e7-3a2b-7625-8082-7d0b63ff31c1');
INSERT INTO media VALUES ('01a202e7-6385-7809-8204-a6c83483fc09', 'fc345554e2c901e5bfae09459f7aeab88b6b635c3bc5482544f9164172ddf272', 'image/jpeg', 92411, 1024, 1536, 'imagem', 'Sábado tem fornada', 'art', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 1795345048453);
INSERT INTO event_media VALUES ('01a202e7-6332-7d76-8855-cfb1efac7308', '01a202e7-6385-7809-8204-a6c83483fc09', 0, 'imagem', 'Sábado tem fornada');
INSERT INTO contents VALUES ('fc345554e2c901e5bfae09459f7aeab88b6b635c3bc5482544f9164172ddf272', 0, 0, 1795345048577);
INSERT INTO projects VALUES ('01a202e7-6409-798e-a6a3-93fad136723b', 2, 'Lançamento: Bolos de Festa', 'ativo', 1, 0, 0, 0, '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 1795345048585, 1795345048586, '{"name":"Lançamento: Bolos de Festa","description":"","status":"ativo","starts_on":null,"ends_on":null,"members":[],"sections":[{"id":"01a202e7-640a-7f66-9ac0-b7efde61edef","title":"Antes da aula","items":[]}]}');
INSERT INTO project_operations VALUES ('01a202e7-6409-798e-a6a3-93fad136723b', 1, '01a202e7-6409-7ea6-a57d-f3398ce3984a', 'project.create', '{"notes":"","title":"Lançamento: Bolos de Festa"}', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 1795345048585);
INSERT INTO project_operations VALUES ('01a202e7-6409-798e-a6a3-93fad136723b', 2, '01a202e7-640a-723d-b441-cd46b6602d4b', 'section.add', '{"section_id":"01a202e7-640a-7f66-9ac0-b7efde61edef","title":"Antes da aula"}', '01a202e7-3a2b-7625-8082-7d0b63ff31c1', 1795345048586);
INSERT INTO email_drafts VALUES ('exemplo.curso', '{"assunto":"Curso de pão"}', 36, 1795345048583, '01a202e7-3a2b-7625-8082-7d0b63ff31c1');
INSERT INTO email_draft_html VALUES ('exemplo.curso', '<!doctype html><h1>Curso de pão</h1>');
INSERT INTO skills VALUES ('glossario-da-casa', 1, 1795345048589);
INSERT INTO skill_versions VALUES ('glossario-da-casa', 1, 'Como a casa escreve.', '# Glossário

Escrevemos e-mail.
', '8c8473b8a3bb67131fcbb45428ce2ddb2a48f643874e5b124e1c86527adc1585', 1795345048589, '01a202e7-3a2b-7625-8082-7d0b63ff31c1');
INSERT INTO knowledge_totals VALUES (1, 1, 4, 1);
INSERT INTO knowledge_documents VALUES ('01a202e7-640d-7709-b853-6c5bb5cd6575', 'skill:glossario-da-casa', 'Glossário', 'a5b805af47d086f093597308bce472108c55036b979cf6eeef535b825d45f87d', 38, 1795345048589, 1795345048589);
INSERT INTO knowledge_tags VALUES ('01a202e7-640d-7709-b853-6c5bb5cd6575', 'skill');
INSERT INTO knowledge_chunks VALUES (1, '01a202e7-640d-700f-a4cb-7a60825b94f9', '01a202e7-640d-7709-b853-6c5bb5cd6575', 0, 0, 'Glossário', 'Como a casa escreve.

Escrevemos e-mail.', 'dba8ce62aed6b22876ecbb846dba0b80fae6017ccd3e0e4a402d305da630624e', 'glossari', 'cas escrev escrevem mail');
INSERT INTO knowledge_terms VALUES ('cas', 1);
INSERT INTO knowledge_terms VALUES ('escrev', 1);
INSERT INTO knowledge_terms VALUES ('escrevem', 1);
INSERT INTO knowledge_terms VALUES ('glossari', 1);
INSERT INTO knowledge_terms VALUES ('mail', 1);
INSERT INTO knowledge_index_data VALUES (1, X'010104');
INSERT INTO knowledge_index_data VALUES (10, X'00000000ff00000101010100010101010101000001');
INSERT INTO knowledge_index_data VALUES (137438953473, X'0000003c04306361730106010102010665736372657601060101030702656d01060101040108676c6f737361726901020201046d61696c0106010105040a0d090d');
INSERT INTO knowledge_index_idx VALUES (1, X'', 2);
INSERT INTO knowledge_index_docsize VALUES (1, X'0104', 1);
INSERT INTO knowledge_index_config VALUES ('version', 4);
INSERT INTO knowledge_embedding VALUES (1, 0, 0);
CREATE INDEX invites_user ON invites (user_id);
CREATE INDEX session_families_user ON session_families (user_id);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);
CREATE INDEX personal_tokens_member ON personal_tokens (member_id, created_at);
CREATE INDEX audit_events_time ON audit_events (occurred_at, id);
CREATE INDEX audit_events_actor ON audit_events (actor_member_id, occurred_at, id);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CREATE INDEX events_status_agenda ON events (status, agenda_at, id);
CREATE INDEX events_agenda ON events (agenda_at, id);
CREATE INDEX events_created_by ON events (created_by);
CREATE INDEX event_assignees_member ON event_assignees (member_id, event_id);
CREATE UNIQUE INDEX event_history_event ON event_history (event_id, api_revision);
CREATE INDEX config_log_time ON config_log (updated_at);
CREATE INDEX media_time ON media (created_at, id);
CREATE INDEX media_sha256 ON media (sha256);
CREATE INDEX event_media_media ON event_media (media_id, event_id);
CREATE INDEX contents_touched ON contents (touched_at);
CREATE INDEX media_jobs_event ON media_jobs (event_id);
CREATE INDEX email_drafts_time ON email_drafts (updated_at DESC, template_id)
    WHERE html_length IS NOT NULL;
CREATE INDEX knowledge_documents_sha256 ON knowledge_documents (sha256);
CREATE INDEX knowledge_chunks_document ON knowledge_chunks (document_id, position);
CREATE INDEX known_networks_user ON known_networks (user_id, last_seen_at);
CREATE INDEX known_networks_seen ON known_networks (last_seen_at);
