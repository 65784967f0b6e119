#!/usr/bin/env node
// The command line of Pauta: one command for each operation of the service. Node 18 or newer, no dependencies.
//
//     node cli.mjs --help
//
// SERVICE is rendered from the table of operations; everything below is the same for any table. Its shape:
//
//   version      the version of the interface
//   url          the service's public address
//   issuer       the hosted identity provider that people sign in to, or null: then with e-mail and password, here
//   levels       [{ name, capabilities }] of personal tokens, ascending
//   operations   in the table's order, each with
//     name           snake_case; the command is the same in kebab-case
//     area           the chapter of the help
//     summary        a few words
//     description    paragraphs, separated by an empty line
//     method, path   with {placeholders}
//     access         "public" | "member" (session or token) | "session" | "webhook" | "link" (signed) | "guest"
//     capabilities   of which one is needed; may be empty
//     effect         "read" | "write" | "destroy"
//     keyed          whether it takes an idempotency key
//     slow           whether it reaches outside or takes a file, and so may be silent for long
//     document       whether the answer is a file to keep, rather than a JSON object
//     open           optional: whether the body takes fields beside the parameters
//     secret         optional: { header, env } of a webhook's shared secret
//     example        optional: an input for the help; without it one is made up from the schemas
//     parameters     [{ name, in: "path" | "query" | "body" | "file", required, schema }], without the idempotency key;
//                    `schema` is the published JSON Schema of the field, with its description; what may be null has
//                    the type ["…", "null"]
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate as soon, setTimeout as sleep } from "node:timers/promises";

const SERVICE = {
  "version": "1.3.0",
  "url": "https://pauta.test",
  "issuer": null,
  "levels": [{"capabilities":["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag"],"name":"leitor"},{"capabilities":["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag","art","carousel","draft_save","enviar","email_drafts_edit","projects_edit","roteiro","video"],"name":"criador"},{"capabilities":["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag","art","carousel","draft_save","enviar","email_drafts_edit","projects_edit","roteiro","video","approve","tasks_assign","publish","projects_manage","projects_audit_view","delete"],"name":"lider"},{"capabilities":["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag","art","carousel","draft_save","enviar","email_drafts_edit","projects_edit","roteiro","video","approve","tasks_assign","publish","projects_manage","projects_audit_view","delete","config","connections","team_admin","members"],"name":"admin"}],
  "operations": [
    {"access":"public","area":"system","capabilities":[],"description":"Diz que o serviço responde, e quais redes sociais estão registradas.\n\nUm 200 confirma só que o processo responde, não que cada provedor externo está disponível.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_health","parameters":[],"path":"/api/health","slow":false,"summary":"Verificar se o serviço responde"},
    {"access":"public","area":"auth","capabilities":[],"description":"Abre uma sessão com e-mail e senha, ou renova uma com o `refresh_token`.\n\nO token de acesso vale 15 minutos; o de renovação vale 30 dias e uma vez só. Usar de novo um token de renovação já trocado devolve o mesmo sucessor por 10 segundos; depois disso, encerra a sessão inteira.","document":false,"effect":"write","example":{"email":"sofia.campos@demo.pauta.test","grant_type":"password","password":"goiabada-com-queijo-1987"},"keyed":false,"method":"POST","name":"issue_session","parameters":[{"in":"body","name":"email","required":false,"schema":{"description":"E-mail do membro.","maxLength":254,"minLength":3,"pattern":"^\\s*[!-?A-~]+@[!-?A-~]+\\s*$","type":"string"}},{"in":"body","name":"gotrue_meta_security","required":false,"schema":{"additionalProperties":true,"description":"Aceito de clientes GoTrue, e ignorado.","type":"object"}},{"in":"query","name":"grant_type","required":true,"schema":{"description":"`password` pede `email` e `password`; `refresh_token` pede `refresh_token`.","enum":["password","refresh_token"],"type":"string"}},{"in":"body","name":"password","required":false,"schema":{"description":"Senha do membro.","maxLength":256,"minLength":1,"type":"string"}},{"in":"body","name":"refresh_token","required":false,"schema":{"description":"O último token de renovação recebido.","maxLength":256,"minLength":1,"type":"string"}}],"path":"/auth/v1/token","slow":true,"summary":"Abrir ou renovar sessão"},
    {"access":"session","area":"auth","capabilities":[],"description":"Encerra sessões de quem chama; vale a partir do próximo pedido.\n\nOs tokens pessoais não mudam.","document":false,"effect":"write","example":{"scope":"local"},"keyed":false,"method":"POST","name":"sign_out","parameters":[{"in":"query","name":"scope","required":false,"schema":{"default":"local","description":"`local` encerra esta sessão, `others` as outras, `global` todas.","enum":["local","others","global"],"type":"string"}}],"path":"/auth/v1/logout","slow":false,"summary":"Sair"},
    {"access":"public","area":"auth","capabilities":[],"description":"Publica as chaves que conferem as sessões deste serviço (JWK Set, RFC 7517).","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_session_keys","parameters":[],"path":"/auth/v1/.well-known/jwks.json","slow":false,"summary":"Ler chaves das sessões"},
    {"access":"public","area":"auth","capabilities":[],"description":"Resgata um convite ou uma redefinição de senha: define a senha e abre a primeira sessão.\n\nO token está no link, depois de `#`, e vale uma vez. Uma senha fraca é recusada e não gasta o link. As sessões que a pessoa tinha terminam.","document":false,"effect":"write","example":{"password":"milho-verde-na-brasa-42","token":"convite-de-exemplo-do-demo"},"keyed":false,"method":"POST","name":"redeem_invite","parameters":[{"in":"body","name":"password","required":true,"schema":{"description":"Senha nova: ao menos 12 caracteres.","maxLength":256,"minLength":1,"type":"string"}},{"in":"body","name":"revoke_tokens","required":false,"schema":{"default":false,"description":"Se os tokens pessoais e os endereços de calendário da pessoa são revogados também.","type":"boolean"}},{"in":"body","name":"token","required":true,"schema":{"description":"Token do convite ou da redefinição.","maxLength":256,"minLength":1,"type":"string"}}],"path":"/auth/v1/verify","slow":true,"summary":"Resgatar convite"},
    {"access":"session","area":"auth","capabilities":[],"description":"Troca a própria senha; encerra todas as sessões e devolve uma nova.\n\nAté 10 minutos depois de entrar, a senha atual é dispensada (o corpo de um cliente GoTrue, só com `password`, basta); depois disso ela é obrigatória, e renovar a sessão não a torna nova. Recusada quando a senha atual não confere ou a nova é fraca. Errar demais a senha atual pede espera, como na entrada. Os tokens pessoais ficam como estão, a menos que `revoke_tokens` peça para revogá-los junto: faça isso quando a senha antiga pode ter vazado.","document":false,"effect":"destroy","example":{"current_password":"goiabada-com-queijo-1987","password":"rapadura-nao-e-mole-2026"},"keyed":false,"method":"PUT","name":"change_my_password","parameters":[{"in":"body","name":"code_challenge","required":false,"schema":{"description":"Aceito de clientes GoTrue, e ignorado.","maxLength":256,"type":["string","null"]}},{"in":"body","name":"code_challenge_method","required":false,"schema":{"description":"Aceito de clientes GoTrue, e ignorado.","maxLength":256,"type":["string","null"]}},{"in":"body","name":"current_password","required":false,"schema":{"description":"Senha atual; dispensada até 10 minutos depois de entrar.","maxLength":256,"minLength":1,"type":"string"}},{"in":"body","name":"password","required":true,"schema":{"description":"Senha nova: ao menos 12 caracteres.","maxLength":256,"minLength":1,"type":"string"}},{"in":"body","name":"revoke_tokens","required":false,"schema":{"default":false,"description":"Se os tokens pessoais e os endereços de calendário de quem chama são revogados também.","type":"boolean"}}],"path":"/auth/v1/user","slow":true,"summary":"Trocar minha senha"},
    {"access":"member","area":"mcp","capabilities":[],"description":"Desenha um pedaço de uma visão da Pauta. Só as visões a chamam.","document":false,"effect":"read","example":{"uri":"ui://pauta/agenda/lista?limit=2"},"keyed":false,"method":"GET","name":"draw_view","parameters":[{"in":"query","name":"uri","required":true,"schema":{"description":"Endereço do pedaço.","maxLength":4000,"minLength":12,"pattern":"^ui://pauta/[a-z]+/[!-~]*$","type":"string"}}],"path":"/api/visoes","slow":false,"summary":"Desenhar visão"},
    {"access":"member","area":"access","capabilities":[],"description":"Diz quem chama e o que esta credencial pode fazer agora: a primeira chamada.\n\nAja só dentro de `caps`; `missing` e `withheld` são o resto.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_me","parameters":[],"path":"/api/me","slow":false,"summary":"Ver quem sou e o que posso"},
    {"access":"session","area":"access","capabilities":[],"description":"Mostra a quem chama o próprio acesso por API: nível, permissões e quantos tokens estão ativos.\n\n`capabilities` são as dos tokens pessoais agora; as da sessão estão em `GET /api/me`.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_my_access","parameters":[],"path":"/api/access/me","slow":false,"summary":"Ver meu acesso por API"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Lista os membros ativos com o nível de API, as permissões e os tokens de cada um.\n\nOs segredos nunca aparecem. Para mudar um nível, use `updateMemberApiAccess`.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_access_members","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/access/members","slow":false,"summary":"Listar acesso por API da equipe"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Muda o nível dos tokens pessoais de um membro; vale a partir do próximo pedido.\n\nO nível não passa do papel do membro. `nenhum` revoga todos os tokens ativos dele; a sessão não muda.","document":false,"effect":"destroy","example":{"api_access_level":"criador","memberId":"01990000-0000-7000-8000-000000000001"},"keyed":true,"method":"PATCH","name":"update_member_api_access","parameters":[{"in":"body","name":"api_access_level","required":true,"schema":{"description":"Nível novo.","enum":["nenhum","leitor","criador","lider","admin"],"type":"string"}},{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}","slow":false,"summary":"Mudar nível de API de um membro"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Revoga um token pessoal de um membro, e só ele.\n\nOs metadados e a auditoria ficam. Repetir não muda mais nada.","document":false,"effect":"destroy","example":{"memberId":"01990000-0000-7000-8000-000000000001","tokenId":"01990000-0000-7000-8000-000000000032"},"keyed":true,"method":"DELETE","name":"revoke_member_token","parameters":[{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}},{"in":"path","name":"tokenId","required":true,"schema":{"description":"Identificador público do token.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}/tokens/{tokenId}","slow":false,"summary":"Revogar token de um membro"},
    {"access":"session","area":"access","capabilities":[],"description":"Lista os tokens pessoais de quem chama, dos mais novos aos mais antigos, sem segredos.","document":false,"effect":"read","example":{"limit":5},"keyed":false,"method":"GET","name":"list_my_tokens","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/access/tokens","slow":false,"summary":"Listar meus tokens pessoais"},
    {"access":"session","area":"access","capabilities":[],"description":"Cria um token pessoal para quem chama; o segredo aparece só nesta resposta.\n\nOs escopos só podem ser permissões que os tokens do membro podem usar agora (veja `GET /api/access/me`). No máximo 10 tokens ativos por pessoa.","document":false,"effect":"write","example":{"expiresInDays":30,"label":"Claude Code no notebook","scopes":["tasks_view","draft_save","enviar"]},"keyed":false,"method":"POST","name":"create_my_token","parameters":[{"in":"body","name":"expiresInDays","required":false,"schema":{"description":"Validade em dias; ausente, 30.","maximum":90,"minimum":1,"type":"integer"}},{"in":"body","name":"expires_in_days","required":false,"schema":{"deprecated":true,"description":"Nome antigo de `expiresInDays`.","maximum":90,"minimum":1,"type":"integer"}},{"in":"body","name":"label","required":true,"schema":{"description":"Nome para reconhecer o token.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"scopes","required":false,"schema":{"description":"Permissões do token; ausente, todas as que os tokens do membro podem usar agora.","items":{"enum":["config_view","tasks_view","skills_view","projects_view","reels_view","connections_view","email_drafts_view","analytics","rag","art","carousel","draft_save","enviar","email_drafts_edit","projects_edit","roteiro","video","approve","tasks_assign","publish","projects_manage","projects_audit_view","delete","config","connections","team_admin","members","vendas"],"type":"string"},"maxItems":64,"minItems":1,"type":"array","uniqueItems":true}}],"path":"/api/access/tokens","slow":false,"summary":"Criar token pessoal"},
    {"access":"session","area":"access","capabilities":[],"description":"Revoga um token pessoal de quem chama; vale a partir do próximo pedido.\n\nRepetir não muda mais nada. Um token de outra pessoa não é encontrado.","document":false,"effect":"destroy","example":{"tokenId":"01990000-0000-7000-8000-000000000031"},"keyed":true,"method":"DELETE","name":"revoke_my_token","parameters":[{"in":"path","name":"tokenId","required":true,"schema":{"description":"Identificador público do token.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/tokens/{tokenId}","slow":false,"summary":"Revogar meu token pessoal"},
    {"access":"session","area":"access","capabilities":[],"description":"Lista os agentes que quem chama ligou por OAuth, dos mais novos aos mais antigos.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_my_agents","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/access/agents","slow":false,"summary":"Listar meus agentes conectados"},
    {"access":"session","area":"access","capabilities":[],"description":"Encerra o acesso de um agente que quem chama ligou; vale a partir do próximo pedido.\n\nRepetir não muda mais nada. Um agente de outra pessoa não é encontrado.","document":false,"effect":"destroy","example":{"agentId":"01990000-0000-7000-8000-000000000051"},"keyed":true,"method":"DELETE","name":"revoke_my_agent","parameters":[{"in":"path","name":"agentId","required":true,"schema":{"description":"Identificador do agente.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/agents/{agentId}","slow":false,"summary":"Encerrar o acesso de meu agente"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Encerra o acesso de um agente que um membro ligou, e só dele.\n\nA auditoria fica. Repetir não muda mais nada.","document":false,"effect":"destroy","example":{"agentId":"01990000-0000-7000-8000-000000000052","memberId":"01990000-0000-7000-8000-000000000001"},"keyed":true,"method":"DELETE","name":"revoke_member_agent","parameters":[{"in":"path","name":"agentId","required":true,"schema":{"description":"Identificador do agente.","maxLength":64,"minLength":1,"type":"string"}},{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}/agents/{agentId}","slow":false,"summary":"Encerrar o acesso do agente de um membro"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Revoga o endereço de um calendário de um membro, já na próxima leitura.\n\nRepetir não muda mais nada.","document":false,"effect":"destroy","example":{"calendarId":"01990000-0000-7000-8000-000000000161","memberId":"01990000-0000-7000-8000-000000000001"},"keyed":true,"method":"DELETE","name":"revoke_member_calendar_feed","parameters":[{"in":"path","name":"calendarId","required":true,"schema":{"description":"Identificador do calendário.","maxLength":64,"minLength":1,"type":"string"}},{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}/calendarios/{calendarId}","slow":false,"summary":"Revogar calendário de um membro"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Deixa de mandar avisos a um aparelho de um membro, que pode registrá-lo de novo.","document":false,"effect":"destroy","example":{"deviceId":"01990000-0000-7000-8000-000000000162","memberId":"01990000-0000-7000-8000-000000000001"},"keyed":true,"method":"DELETE","name":"remove_member_push_device","parameters":[{"in":"path","name":"deviceId","required":true,"schema":{"description":"Identificador do aparelho.","maxLength":64,"minLength":1,"type":"string"}},{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}/aparelhos/{deviceId}","slow":false,"summary":"Remover aparelho de um membro"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Define quantas chamadas e imagens por dia um token pode fazer.\n\nSubstitui os dois limites, que `list_access_members` mostra. Vale em poucos segundos. O dia é o de Brasília.","document":false,"effect":"destroy","example":{"chamadas_por_dia":2000,"imagens_por_dia":50,"memberId":"01990000-0000-7000-8000-000000000001","tokenId":"01990000-0000-7000-8000-000000000032"},"keyed":true,"method":"PUT","name":"set_token_limits","parameters":[{"in":"body","name":"chamadas_por_dia","required":false,"schema":{"description":"Chamadas por dia; ausente não limita.","maximum":10000000,"minimum":0,"type":"integer"}},{"in":"body","name":"imagens_por_dia","required":false,"schema":{"description":"Imagens e vídeos gerados por dia; ausente não limita.","maximum":100000,"minimum":0,"type":"integer"}},{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}},{"in":"path","name":"tokenId","required":true,"schema":{"description":"Identificador público do token.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}/tokens/{tokenId}/limites","slow":false,"summary":"Definir limites de um token"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Define quantas chamadas e imagens por dia um agente pode fazer.\n\nSubstitui os dois limites, que `list_access_members` mostra. Vale em poucos segundos. O dia é o de Brasília.","document":false,"effect":"destroy","example":{"agentId":"01990000-0000-7000-8000-000000000052","chamadas_por_dia":2000,"imagens_por_dia":50,"memberId":"01990000-0000-7000-8000-000000000001"},"keyed":true,"method":"PUT","name":"set_agent_limits","parameters":[{"in":"path","name":"agentId","required":true,"schema":{"description":"Identificador do agente.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"chamadas_por_dia","required":false,"schema":{"description":"Chamadas por dia; ausente não limita.","maximum":10000000,"minimum":0,"type":"integer"}},{"in":"body","name":"imagens_por_dia","required":false,"schema":{"description":"Imagens e vídeos gerados por dia; ausente não limita.","maximum":100000,"minimum":0,"type":"integer"}},{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/members/{memberId}/agents/{agentId}/limites","slow":false,"summary":"Definir limites de um agente"},
    {"access":"session","area":"access","capabilities":[],"description":"Lista o que agentes e tokens pessoais mudaram, desde ontem ou desde um dia, do mais novo ao mais antigo.\n\nTraz as mudanças dos agentes de quem chama; para quem vê toda a agenda, também as de outros nos eventos; para quem administra os acessos, todas. São no máximo 50 ou, com `por_agente`, as 5 mais novas de cada agente.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_agent_activity","parameters":[{"in":"query","name":"de","required":false,"schema":{"description":"Primeiro dia (AAAA-MM-DD), no horário de Brasília; ausente, ontem. Nada de mais de 30 dias atrás.","format":"date","type":"string"}},{"in":"query","name":"member_id","required":false,"schema":{"description":"Só o que fizeram os agentes e tokens deste membro: `id` de `list_team`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"meus","required":false,"schema":{"default":false,"description":"Só o que fizeram os agentes e tokens de quem chama.","type":"boolean"}},{"in":"query","name":"por_agente","required":false,"schema":{"default":false,"description":"As 5 mais novas de cada agente, e quantas ele fez, em vez das 50 mais novas de todos.","type":"boolean"}}],"path":"/api/access/agents/atividade","slow":false,"summary":"Listar o que agentes fizeram"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Lista a auditoria do acesso à API, do mais novo ao mais antigo.\n\nNunca contém corpos, segredos nem cabeçalhos. Leituras comuns aparecem somadas por minuto, em `metadata.count`.","document":false,"effect":"read","example":{"limit":2,"outcome":"succeeded"},"keyed":false,"method":"GET","name":"list_audit_events","parameters":[{"in":"query","name":"action","required":false,"schema":{"description":"Só esta ação, como `create_my_token` ou `sign_in_failed`.","maxLength":80,"minLength":1,"type":"string"}},{"in":"query","name":"ate","required":false,"schema":{"description":"Último dia, inclusive (AAAA-MM-DD), no horário de Brasília.","format":"date","type":"string"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"de","required":false,"schema":{"description":"Primeiro dia (AAAA-MM-DD), no horário de Brasília.","format":"date","type":"string"}},{"in":"query","name":"door","required":false,"schema":{"description":"Só o que veio por esta porta: API, MCP, console ou linha de comando.","enum":["rest","mcp","console","cli"],"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"member_id","required":false,"schema":{"description":"Só o que este membro fez.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"outcome","required":false,"schema":{"description":"Só este desfecho.","enum":["allowed","denied","succeeded","failed"],"type":"string"}},{"in":"query","name":"token_id","required":false,"schema":{"description":"Só o que este token pessoal ou agente conectado fez.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/access/audit","slow":false,"summary":"Listar auditoria"},
    {"access":"session","area":"access","capabilities":["team_admin"],"description":"Lista todas as rotas do serviço com a permissão, o nível e a ferramenta MCP de cada uma.\n\nAs rotas além do contrato têm `contrato: false`.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_route_catalog","parameters":[],"path":"/api/access/catalog","slow":false,"summary":"Ver catálogo de rotas"},
    {"access":"member","area":"workflow","capabilities":["tasks_assign"],"description":"Cria uma demanda (pauta nova, tarefa): um evento `a fazer`, com briefing, responsável e data. Várias: `create_demands`.\n\nA `description` fica também como `briefing`, que nunca muda; a legenda vem depois, em `save_draft`.","document":false,"effect":"write","example":{"assignee_id":"01990000-0000-7000-8000-000000000001","channel":"instagram","day":20,"description":"Oito ideias de forno, tom leve.","hour":"12:00","month":6,"tipo":"carrossel","title":"Arraial sem fritura","year":2027},"keyed":true,"method":"POST","name":"create_demand","parameters":[{"in":"body","name":"assignee_id","required":false,"schema":{"description":"Responsável: `id` de `list_team`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"channel","required":false,"schema":{"default":"instagram","description":"Canal de publicação.","maxLength":60,"minLength":1,"type":"string"}},{"in":"body","name":"day","required":false,"schema":{"description":"Dia, com `month`.","maximum":31,"minimum":1,"type":"integer"}},{"in":"body","name":"description","required":false,"schema":{"description":"Briefing: o que se pede.","maxLength":20000,"type":"string"}},{"in":"body","name":"hour","required":false,"schema":{"description":"`HH:mm` de Brasília; ausente, 12:00 ou a atual.","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$","type":"string"}},{"in":"body","name":"month","required":false,"schema":{"description":"Mês, com `day`.","maximum":12,"minimum":1,"type":"integer"}},{"in":"body","name":"tipo","required":false,"schema":{"description":"Etiqueta, como `reel` ou `carrossel`.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"title","required":true,"schema":{"description":"Título do evento.","maxLength":300,"minLength":1,"type":"string"}},{"in":"body","name":"year","required":false,"schema":{"description":"Ausente, a próxima data.","maximum":9999,"minimum":2000,"type":"integer"}}],"path":"/api/demanda","slow":false,"summary":"Criar demanda"},
    {"access":"member","area":"workflow","capabilities":["tasks_view"],"description":"Lista a agenda editorial (posts) que quem chama pode ver, pela data; sem data, no fim.\n\nUm evento com histórico: `get_event`. O que espera decisão: `list_pending_approvals`.","document":false,"effect":"read","example":{"channel":"instagram","limit":5,"q":"canjica","status":"em aprovação"},"keyed":false,"method":"GET","name":"list_events","parameters":[{"in":"query","name":"assignee_id","required":false,"schema":{"description":"`id` de `list_team`.","maxLength":64,"minLength":1,"pattern":"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$","type":"string"}},{"in":"query","name":"ate","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"atrasados","required":false,"schema":{"default":false,"description":"Só os atrasados, também por canal.","type":"boolean"}},{"in":"query","name":"channel","required":false,"schema":{"description":"Só este canal.","maxLength":60,"minLength":1,"type":"string"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"de","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"q","required":false,"schema":{"description":"Texto de título, legenda, etiqueta ou responsável.","maxLength":200,"minLength":1,"type":"string"}},{"in":"query","name":"sem_data","required":false,"schema":{"default":false,"description":"Só os sem data.","type":"boolean"}},{"in":"query","name":"status","required":false,"schema":{"description":"Só este status.","enum":["a fazer","em progresso","processing","em aprovação","aprovado","recusado","publicado","arquivado"],"type":"string"}}],"path":"/api/eventos","slow":false,"summary":"Listar peças"},
    {"access":"member","area":"workflow","capabilities":["tasks_view"],"description":"Lê um evento com legenda, mídias, `api_revision` e histórico (o mais novo antes).\n\nLeia antes de cada escrita. `description` é a legenda (`caption` nas escritas), `briefing` a `description` da demanda, `editorial_tag` o `tipo`.","document":false,"effect":"read","example":{"eventId":"01990000-0000-7000-8000-000000000019"},"keyed":false,"method":"GET","name":"get_event","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` da página anterior do histórico.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/eventos/{eventId}","slow":false,"summary":"Ler peça"},
    {"access":"member","area":"workflow","capabilities":["tasks_assign","publish"],"description":"Muda título, canal, data (agendar, remarcar), responsáveis ou etiqueta de um evento; também arquivar, reabrir e marcar como publicado à mão. Legenda: `save_draft`.\n\nSó os campos informados mudam. `arquivado` vale de qualquer status; `a fazer` reabre ou recomeça; `publicado`, só de um aprovado, com a permissão `publish`.","document":false,"effect":"destroy","example":{"assignee_ids":["01990000-0000-7000-8000-000000000001"],"day":25,"eventId":"01990000-0000-7000-8000-000000000014","expected_revision":1,"hour":"18:30","month":6,"year":2027},"keyed":true,"method":"PATCH","name":"update_event","parameters":[{"in":"body","name":"assignee_ids","required":false,"schema":{"description":"Todos os responsáveis, `id` de `list_team`, em ordem; vazia, nenhum.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"type":"array","uniqueItems":true}},{"in":"body","name":"channel","required":false,"schema":{"description":"Canal novo.","maxLength":60,"minLength":1,"type":"string"}},{"in":"body","name":"day","required":false,"schema":{"description":"Dia, com `month`.","maximum":31,"minimum":1,"type":"integer"}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"hour","required":false,"schema":{"description":"`HH:mm` de Brasília; ausente, 12:00 ou a atual.","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$","type":"string"}},{"in":"body","name":"month","required":false,"schema":{"description":"Mês, com `day`.","maximum":12,"minimum":1,"type":"integer"}},{"in":"body","name":"sem_data","required":false,"schema":{"default":false,"description":"Tira a data.","type":"boolean"}},{"in":"body","name":"sem_tipo","required":false,"schema":{"default":false,"description":"Tira a etiqueta.","type":"boolean"}},{"in":"body","name":"status","required":false,"schema":{"description":"Status novo.","enum":["arquivado","a fazer","publicado"],"type":"string"}},{"in":"body","name":"tipo","required":false,"schema":{"description":"Etiqueta nova.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"title","required":false,"schema":{"description":"Título novo.","maxLength":300,"minLength":1,"type":"string"}},{"in":"body","name":"year","required":false,"schema":{"description":"Ausente, a próxima data.","maximum":9999,"minimum":2000,"type":"integer"}}],"path":"/api/eventos/{eventId}","slow":false,"summary":"Atualizar peça"},
    {"access":"member","area":"workflow","capabilities":["draft_save"],"description":"Salva a legenda e o estado de um evento em elaboração. Enviar: `submit_for_approval`; data e responsáveis: `update_event`.","document":false,"effect":"destroy","example":{"caption":"Fubá, leite e paciência: o bolo que perdoa tudo. 🌽","event_id":"01990000-0000-7000-8000-000000000011","expected_revision":1},"keyed":true,"method":"POST","name":"save_draft","parameters":[{"in":"body","name":"caption","required":false,"schema":{"description":"Legenda; ausente mantém.","maxLength":20000,"type":"string"}},{"in":"body","name":"caption_revision","required":false,"schema":{"description":"Em vez de `caption`: a desta revisão.","maximum":9007199254740991,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"status","required":false,"schema":{"default":"em progresso","description":"Estado de trabalho.","enum":["a fazer","em progresso","processing"],"type":"string"}}],"path":"/api/draft","slow":false,"summary":"Salvar rascunho"},
    {"access":"member","area":"workflow","capabilities":["enviar"],"description":"Envia um evento para aprovação.\n\nEle deixa de ser editável; `decide_approval` decide, `reopen_event` desfaz.","document":false,"effect":"destroy","example":{"day":22,"event_id":"01990000-0000-7000-8000-000000000012","expected_revision":1,"hour":"12:00","month":6,"year":2027},"keyed":true,"method":"POST","name":"submit_for_approval","parameters":[{"in":"body","name":"caption","required":false,"schema":{"description":"Legenda; ausente mantém.","maxLength":20000,"type":"string"}},{"in":"body","name":"comentarios_respondidos","required":false,"schema":{"default":[],"description":"Conversas de `list_remarks` atendidas.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":500,"type":"array"}},{"in":"body","name":"day","required":false,"schema":{"description":"Dia, com `month`.","maximum":31,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"hour","required":false,"schema":{"description":"`HH:mm` de Brasília; ausente, 12:00 ou a atual.","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$","type":"string"}},{"in":"body","name":"month","required":false,"schema":{"description":"Mês, com `day`.","maximum":12,"minimum":1,"type":"integer"}},{"in":"body","name":"tipo","required":false,"schema":{"description":"Etiqueta; ausente mantém.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"year","required":false,"schema":{"description":"Ausente, a próxima data.","maximum":9999,"minimum":2000,"type":"integer"}}],"path":"/api/enviar","slow":false,"summary":"Enviar para aprovação"},
    {"access":"member","area":"workflow","capabilities":["approve"],"description":"Lista o que espera aprovação, pela data, com legenda e mídias. Decida com `decide_approval` e o `api_revision` daqui.","document":false,"effect":"read","example":{"limit":5},"keyed":false,"method":"GET","name":"list_pending_approvals","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"de_quem","required":false,"schema":{"description":"Em etapas; ausente, `mim`.","enum":["mim","todos"],"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"q","required":false,"schema":{"description":"Texto, como em `list_events`.","maxLength":200,"minLength":1,"type":"string"}}],"path":"/api/aprovacoes","slow":false,"summary":"Listar aprovações pendentes"},
    {"access":"member","area":"workflow","capabilities":["approve"],"description":"Aprova ou recusa um evento em aprovação, ou pede ajustes. Só o `automatica` sai sozinho.\n\n`pedir_ajustes` recusa por comentários abertos ou `motivo`. Em etapas, leva à seguinte. Repetir a decisão não muda nada. Leia antes com `get_event`; a fila é `list_pending_approvals`.","document":false,"effect":"destroy","example":{"action":"aprovar","event_id":"01990000-0000-7000-8000-000000000013","expected_revision":1},"keyed":true,"method":"POST","name":"decide_approval","parameters":[{"in":"body","name":"action","required":true,"schema":{"description":"A decisão.","enum":["aprovar","recusar","pedir_ajustes"],"type":"string"}},{"in":"body","name":"caption","required":false,"schema":{"description":"Legenda final, ao aprovar; ausente mantém.","maxLength":20000,"type":"string"}},{"in":"body","name":"day","required":false,"schema":{"description":"Dia, com `month`.","maximum":31,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":false,"schema":{"description":"O `api_revision` lido, sempre.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"hour","required":false,"schema":{"description":"`HH:mm` de Brasília; ausente, 12:00 ou a atual.","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$","type":"string"}},{"in":"body","name":"month","required":false,"schema":{"description":"Mês, com `day`.","maximum":12,"minimum":1,"type":"integer"}},{"in":"body","name":"motivo","required":false,"schema":{"description":"Para quem refaz.","maxLength":2000,"type":"string"}},{"in":"body","name":"year","required":false,"schema":{"description":"Ausente, a próxima data.","maximum":9999,"minimum":2000,"type":"integer"}}],"path":"/api/aprovar","slow":false,"summary":"Aprovar ou recusar"},
    {"access":"guest","area":"workflow","capabilities":[],"description":"Aprova uma peça do link, ou pede ajustes, como pessoa convidada.","document":false,"effect":"destroy","example":{"acao":"pedir_ajustes","api_revision":1,"event_id":"01990000-0000-7000-8000-000000000061","texto":"O paio ficou longe demais na foto."},"keyed":true,"method":"POST","name":"decide_as_guest","parameters":[{"in":"body","name":"acao","required":true,"schema":{"description":"A decisão.","enum":["aprovar","pedir_ajustes"],"type":"string"}},{"in":"body","name":"api_revision","required":true,"schema":{"description":"O `api_revision` visto.","maximum":9007199254740991,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":true,"schema":{"description":"Id da peça.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"texto","required":false,"schema":{"description":"O que ajustar; grava um comentário. Obrigatório quando a peça não tem conversa aberta.","maxLength":4000,"minLength":1,"type":"string"}}],"path":"/api/convidado/decisao","slow":false,"summary":"Decidir como convidado"},
    {"access":"member","area":"workflow","capabilities":["draft_save"],"description":"Grava o que a peça diz em cada canal; o que falta é o da peça.\n\nCada item é a variante inteira; as outras ficam. Em peça aprovada, as mudadas esperam `decide_variants`.","document":false,"effect":"destroy","example":{"eventId":"01990000-0000-7000-8000-000000000063","expected_revision":1,"variantes":[{"canal":"linkedin","day":20,"hour":"09:00","legenda":"Fubá, leite e paciência: a receita inteira está no blog. {link}","link":"https://padaria.exemplo.test/bolo-de-fuba","month":8},{"canal":"threads","legenda":"O bolo que perdoa tudo. 🌽"}]},"keyed":true,"method":"PUT","name":"put_variants","parameters":[{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"variantes","required":true,"schema":{"description":"`midias` da peça, em ordem. `{link}` na legenda vira o `link` com UTM. Data de Brasília. `automatica`: o serviço publica.","items":{"additionalProperties":false,"dependentRequired":{"day":["month"],"hour":["day"],"month":["day"],"year":["day"]},"description":"Uma variante inteira: o que não vem é o da peça.","properties":{"canal":{"description":"Canal, como `instagram` ou `linkedin`.","maxLength":60,"minLength":1,"type":"string"},"capa":{"description":"Imagem da peça que é a capa do vídeo.","maxLength":64,"minLength":1,"type":"string"},"capa_segundo":{"description":"Segundo do vídeo que é a capa, no Reel e no TikTok.","format":"double","maximum":43200,"minimum":0,"type":"number"},"colaboradores":{"default":[],"description":"Contas convidadas como coautoras.","items":{"maxLength":60,"minLength":1,"type":"string"},"maxItems":10,"type":"array"},"day":{"description":"Dia, com `month`.","maximum":31,"minimum":1,"type":"integer"},"formato":{"description":"No Instagram, `feed`, `reel` ou `story`; no YouTube, `video` ou `short`; no LinkedIn, `post` ou `documento` (PDF com as imagens); ausente, o usual.","enum":["post","feed","story","reel","video","short","documento"],"type":"string"},"hour":{"description":"`HH:mm` de Brasília; ausente, 12:00 ou a atual.","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$","type":"string"},"legenda":{"description":"Legenda deste canal.","maxLength":20000,"type":"string"},"link":{"description":"Endereço https; `{link}` na legenda vira ele, com os parâmetros UTM.","maxLength":2000,"minLength":1,"type":"string"},"midias":{"description":"Mídias da peça, na ordem deste canal.","items":{"additionalProperties":false,"description":"Uma mídia da variante.","properties":{"alt":{"description":"Texto alternativo deste canal.","maxLength":4086,"minLength":1,"type":"string"},"media_id":{"description":"A mídia.","maxLength":64,"minLength":1,"type":"string"},"recorte":{"additionalProperties":false,"description":"Recorte da imagem.","properties":{"proporcao":{"description":"Largura por altura.","enum":["4:5","1:1","1.91:1","16:9","9:16","2:3"],"type":"string"},"x":{"description":"O ponto que fica à vista, em fração da largura; ausente, o meio.","format":"double","maximum":1,"minimum":0,"type":"number"},"y":{"description":"Idem, da altura.","format":"double","maximum":1,"minimum":0,"type":"number"}},"required":["proporcao"],"type":"object","x-described-by":"put_variants"}},"required":["media_id"],"type":"object","x-described-by":"put_variants"},"maxItems":35,"type":"array"},"month":{"description":"Mês, com `day`.","maximum":12,"minimum":1,"type":"integer"},"playlist":{"description":"Id da lista do YouTube, como `PL…` no endereço dela.","maxLength":100,"minLength":1,"type":"string"},"primeiro_comentario":{"description":"Primeiro comentário, depois do post.","maxLength":10000,"minLength":1,"type":"string"},"privacidade":{"description":"Quem vê, com o valor da rede.","maxLength":40,"minLength":1,"type":"string"},"publicacao":{"description":"Quem publica: uma pessoa (`manual`), ou o serviço, na hora.","enum":["manual","automatica"],"type":"string"},"remover":{"default":false,"description":"Tira a variante.","type":"boolean"},"sem_comentarios":{"default":false,"description":"Sem comentários.","type":"boolean"},"tags":{"default":[],"description":"Palavras-chave do YouTube.","items":{"maxLength":100,"minLength":1,"type":"string"},"maxItems":100,"type":"array"},"tiktok":{"default":[],"description":"O que o TikTok pede: marca própria, parceria paga, sem dueto, sem stitch.","items":{"enum":["marca","parceria","sem_dueto","sem_stitch"],"type":"string"},"type":"array"},"titulo":{"description":"Título, como no YouTube.","maxLength":300,"minLength":1,"type":"string"},"year":{"description":"Ausente, a próxima data.","maximum":9999,"minimum":2000,"type":"integer"}},"required":["canal"],"type":"object","x-described-by":"put_variants"},"maxItems":20,"minItems":1,"type":"array"}}],"path":"/api/eventos/{eventId}/variantes","slow":false,"summary":"Gravar variantes"},
    {"access":"member","area":"workflow","capabilities":["approve"],"description":"Aprova ou recusa variantes mudadas depois que a peça foi aprovada.\n\nAs outras seguem aprovadas. Uma recusada não vai ao ar até ser mudada e aprovada.","document":false,"effect":"destroy","example":{"action":"aprovar","eventId":"01990000-0000-7000-8000-000000000064","expected_revision":1,"variantes":["01990000-0000-7000-8000-000000000153"]},"keyed":true,"method":"POST","name":"decide_variants","parameters":[{"in":"body","name":"action","required":true,"schema":{"description":"A decisão.","enum":["aprovar","recusar"],"type":"string"}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"motivo","required":false,"schema":{"description":"Para quem refaz.","maxLength":2000,"type":"string"}},{"in":"body","name":"variantes","required":false,"schema":{"description":"Ids das variantes; ausente, todas as que esperam.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"minItems":1,"type":"array","uniqueItems":true}}],"path":"/api/eventos/{eventId}/variantes/decisao","slow":false,"summary":"Aprovar variantes"},
    {"access":"member","area":"workflow","capabilities":["enviar","approve"],"description":"Devolve a `em progresso` um evento `em aprovação` ou `aprovado`.\n\nQuem enviou ou aprova retira o envio sem decisão; só quem aprova reabre o aprovado, com `motivo`.","document":false,"effect":"write","example":{"eventId":"01990000-0000-7000-8000-000000000020","expected_revision":1,"motivo":"A legenda diz \"Brôa\"; o certo é \"Broa\"."},"keyed":true,"method":"POST","name":"reopen_event","parameters":[{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"motivo","required":false,"schema":{"description":"Obrigatório para um `aprovado`.","maxLength":2000,"minLength":1,"type":"string"}}],"path":"/api/eventos/{eventId}/reabrir","slow":false,"summary":"Reabrir peça"},
    {"access":"member","area":"workflow","capabilities":["publish"],"description":"Registra o post que uma pessoa publicou à mão, com o link dele.\n\nUm evento `aprovado` vira `publicado`; num já `publicado`, o link novo substitui o anterior. Sem link a informar, use `update_event` com `status` `publicado`.\n\nCom `variant_id`, registra o post de uma variante, e o link pode faltar: o evento vira `publicado` quando todas as variantes estiverem no ar.","document":false,"effect":"write","example":{"eventId":"01990000-0000-7000-8000-000000000065","expected_revision":1,"post_url":"https://www.instagram.com/p/C9aBoloDeRolo/"},"keyed":true,"method":"POST","name":"record_post","parameters":[{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"post_url","required":false,"schema":{"description":"O endereço do post na rede, com `https://`.","maxLength":2000,"minLength":1,"type":"string"}},{"in":"body","name":"variant_id","required":false,"schema":{"description":"A variante publicada; ausente, é o post da peça.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/eventos/{eventId}/post","slow":false,"summary":"Registrar post publicado à mão"},
    {"access":"member","area":"workflow","capabilities":["art"],"description":"Lista os eventos editáveis, que aceitam mídia, pela data. A agenda inteira: `list_events`.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_attachable_events","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/anexaveis","slow":false,"summary":"Listar peças que aceitam mídia"},
    {"access":"member","area":"workflow","capabilities":["tasks_view"],"description":"Lista as tarefas de quem chama: eventos atribuídos que ainda pedem trabalho, pela data.\n\nOs recusados vêm com o motivo. De outras pessoas: `list_events`.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_my_tasks","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"q","required":false,"schema":{"description":"Texto, como em `list_events`.","maxLength":200,"minLength":1,"type":"string"}}],"path":"/api/tarefas","slow":false,"summary":"Listar minhas tarefas"},
    {"access":"member","area":"workflow","capabilities":["tasks_view"],"description":"Lê o dia de quem chama: o que foi recusado, o que espera decisão, o que atrasou, e o que sai hoje e na semana.\n\nCada lista traz no máximo 30 eventos; a semana, 100. As outras estão em `list_events`.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_my_day","parameters":[],"path":"/api/meu-dia","slow":false,"summary":"Ler meu dia"},
    {"access":"member","area":"workflow","capabilities":["tasks_view"],"description":"Conta o que espera por quem chama: recusas, aprovações, atrasos e notificações não lidas.\n\nCada contagem para em 100, que quer dizer 100 ou mais.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"count_waiting","parameters":[],"path":"/api/espera","slow":false,"summary":"Contar o que espera"},
    {"access":"member","area":"workflow","capabilities":["tasks_view","tasks_assign"],"description":"Lista as pessoas ativas da equipe, por nome, com o `id` que `assignee_id` e `assignee_ids` pedem.","document":false,"effect":"read","example":{"limit":5},"keyed":false,"method":"GET","name":"list_team","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/equipe","slow":false,"summary":"Listar equipe"},
    {"access":"member","area":"workflow","capabilities":["tasks_assign"],"description":"Cria de 1 a 50 demandas: todas ou nenhuma. Uma só: `create_demand`.\n\nUma recusa diz em `details.demanda` qual falhou, desde 0.","document":false,"effect":"write","example":{"demandas":[{"channel":"instagram","day":21,"description":"Três passos, com foto de cada um.","month":6,"title":"Canjica de panela de pressão","year":2027},{"assignee_id":"01990000-0000-7000-8000-000000000001","channel":"tiktok","title":"Paçoca em um minuto"}]},"keyed":true,"method":"POST","name":"create_demands","parameters":[{"in":"body","name":"demandas","required":true,"schema":{"description":"Cada uma como em `create_demand`; horas de Brasília.","items":{"additionalProperties":false,"dependentRequired":{"day":["month"],"hour":["day"],"month":["day"],"year":["day"]},"properties":{"assignee_id":{"description":"Responsável: `id` de `list_team`.","maxLength":64,"minLength":1,"type":"string"},"channel":{"default":"instagram","description":"Canal de publicação.","maxLength":60,"minLength":1,"type":"string"},"day":{"description":"Dia, com `month`.","maximum":31,"minimum":1,"type":"integer"},"description":{"description":"Briefing: o que se pede.","maxLength":20000,"type":"string"},"hour":{"description":"`HH:mm` de Brasília; ausente, 12:00 ou a atual.","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$","type":"string"},"month":{"description":"Mês, com `day`.","maximum":12,"minimum":1,"type":"integer"},"tipo":{"description":"Etiqueta, como `reel` ou `carrossel`.","maxLength":80,"minLength":1,"type":"string"},"title":{"description":"Título do evento.","maxLength":300,"minLength":1,"type":"string"},"year":{"description":"Ausente, a próxima data.","maximum":9999,"minimum":2000,"type":"integer"}},"required":["title"],"type":"object","x-described-by":"create_demand"},"maxItems":50,"minItems":1,"type":"array"}}],"path":"/api/demandas","slow":false,"summary":"Criar demandas"},
    {"access":"member","area":"workflow","capabilities":["analytics"],"description":"Sugere os melhores horários para postar: dias e horas de Brasília.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_publishing_time_insights","parameters":[{"in":"query","name":"channel","required":false,"schema":{"description":"Só este canal.","maxLength":60,"minLength":1,"type":"string"}}],"path":"/api/insights/horarios","slow":false,"summary":"Sugerir horários"},
    {"access":"member","area":"workflow","capabilities":["art"],"description":"Gera uma imagem de um texto e, com `event_id`, anexa ao evento.\n\nO gerador embutido (`local`) não ilustra: compõe o texto (`#`, `-` e `**` valem) e recusa descrições. Vários cards: `generate_carousel`; foto pronta: `import_media`. A mesma chave não paga de novo.","document":false,"effect":"destroy","example":{"event_id":"01990000-0000-7000-8000-000000000015","prompt":"Café coado é conversa demorada","size":"1080x1350","style":"editorial"},"keyed":true,"method":"POST","name":"generate_art","parameters":[{"in":"body","name":"event_id","required":false,"schema":{"description":"Evento editável.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":false,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"format","required":false,"schema":{"description":"Como `4:5`; concorda com `size`.","pattern":"^[1-9][0-9]?:[1-9][0-9]?$","type":"string"}},{"in":"body","name":"insert","required":false,"schema":{"default":false,"description":"Abre lugar em vez de substituir.","type":"boolean"}},{"in":"body","name":"kind","required":false,"schema":{"default":"imagem","description":"Tipo lógico da mídia.","maxLength":40,"minLength":1,"type":"string"}},{"in":"body","name":"media_id","required":false,"schema":{"description":"Imagem de fundo.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"prompt","required":true,"schema":{"description":"O que a imagem mostra; no embutido, o texto.","maxLength":4000,"minLength":1,"type":"string"}},{"in":"body","name":"quality","required":false,"schema":{"default":"medium","description":"Esforço do provedor.","enum":["low","medium","high"],"type":"string"}},{"in":"body","name":"size","required":false,"schema":{"description":"Lados de 256 a 2048: `1080x1350` (padrão), `1080x1920` (story, reel), `1200x628` (X), `1280x720` (YouTube).","pattern":"^(25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|1[0-9]{3}|20[0-3][0-9]|204[0-8])x(25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|1[0-9]{3}|20[0-3][0-9]|204[0-8])$","type":"string"}},{"in":"body","name":"slide_index","required":false,"schema":{"default":0,"description":"Posição no evento, substituindo.","maximum":99,"minimum":0,"type":"integer"}},{"in":"body","name":"style","required":false,"schema":{"default":"epico","description":"Desenho da peça.","enum":["epico","minimalista","editorial","vibrante"],"type":"string"}}],"path":"/api/art","slow":true,"summary":"Gerar imagem"},
    {"access":"member","area":"workflow","capabilities":["carousel"],"description":"Gera um carrossel: 1 a 10 cards de 1080x1350, na ordem, com o texto dado; todos ou nenhum.\n\nCom `event_id`, ocupam os slides desde 0. Uma imagem, ou trocar um card: `generate_art`. A mesma chave não paga de novo.","document":false,"effect":"destroy","example":{"cards":[{"text":"Cinco erros do arroz"},{"text":"1. Mexer depois que a água entra"}],"event_id":"01990000-0000-7000-8000-000000000016","style":"vibrante"},"keyed":true,"method":"POST","name":"generate_carousel","parameters":[{"in":"body","name":"cards","required":true,"schema":{"description":"Na ordem.","items":{"additionalProperties":false,"description":"Um card.","properties":{"prompt":{"description":"O que o fundo mostra; ausente, o do estilo.","maxLength":4000,"minLength":1,"type":"string"},"text":{"description":"Texto do card; primeira linha curta é título; `#`, `-` e `**` valem.","maxLength":2000,"minLength":1,"type":"string"}},"required":["text"],"type":"object"},"maxItems":10,"minItems":1,"type":"array"}},{"in":"body","name":"event_id","required":false,"schema":{"description":"Evento editável.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"media_id","required":false,"schema":{"description":"Fundo dos cards sem `prompt`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"style","required":false,"schema":{"default":"epico","description":"Desenho dos cards.","enum":["epico","minimalista","editorial","vibrante"],"type":"string"}}],"path":"/api/carousel","slow":true,"summary":"Gerar carrossel"},
    {"access":"member","area":"conversation","capabilities":["tasks_view"],"description":"Lista comentários de peças: o que ajustar. Conversas antigas antes.","document":false,"effect":"read","example":{"event_id":"01990000-0000-7000-8000-000000000019"},"keyed":false,"method":"GET","name":"list_remarks","parameters":[{"in":"query","name":"autor","required":false,"schema":{"description":"Em que escreveu.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"estado","required":false,"schema":{"default":"aberto","description":"Da conversa.","enum":["aberto","resolvido","todos"],"type":"string"}},{"in":"query","name":"event_id","required":false,"schema":{"description":"Só desta peça.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"mencionam_me","required":false,"schema":{"default":false,"description":"Só as que me mencionam.","type":"boolean"}},{"in":"query","name":"template_id","required":false,"schema":{"description":"Só deste e-mail.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"}}],"path":"/api/comentarios","slow":false,"summary":"Listar comentários"},
    {"access":"member","area":"conversation","capabilities":["draft_save","approve"],"description":"Comenta uma peça em texto simples, ou responde.","document":false,"effect":"write","example":{"ancora":{"posicao":11,"tipo":"legenda","trecho":"Dona Cida"},"eventId":"01990000-0000-7000-8000-000000000019","mencoes":["01990000-0000-7000-8000-000000000001"],"texto":"A Dona Cida prefere \"receita de família\"."},"keyed":true,"method":"POST","name":"add_remark","parameters":[{"in":"body","name":"ancora","required":false,"schema":{"additionalProperties":false,"description":"Onde; ausente, a peça toda. `legenda` ou `email` (`template_id`): `trecho` igual; se repetido, `posicao`. `imagem` (`media_id`): ponto ou retângulo, em frações desde o alto à esquerda.","properties":{"altura":{"description":"Idem.","format":"double","maximum":1,"minimum":0,"type":"number"},"largura":{"description":"Idem, num retângulo.","format":"double","maximum":1,"minimum":0,"type":"number"},"media_id":{"description":"A mídia da peça.","maxLength":64,"minLength":1,"type":"string"},"posicao":{"description":"Onde começa, em caracteres desde 0; só se o trecho se repete.","maximum":2000000,"minimum":0,"type":"integer"},"segundo":{"description":"Do vídeo.","format":"double","maximum":86400,"minimum":0,"type":"number"},"template_id":{"description":"Do e-mail.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"},"tipo":{"description":"De que é.","enum":["legenda","imagem","video","email"],"type":"string"},"trecho":{"description":"Da legenda ou do e-mail, igual.","maxLength":1000,"minLength":1,"type":"string"},"x":{"description":"Fração da imagem, de 0 a 1.","format":"double","maximum":1,"minimum":0,"type":"number"},"y":{"description":"Idem.","format":"double","maximum":1,"minimum":0,"type":"number"}},"required":["tipo"],"type":"object","x-described-by":"add_remark"}},{"in":"body","name":"api_revision","required":false,"schema":{"description":"O valor lido.","maximum":9007199254740991,"minimum":1,"type":"integer"}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"mencoes","required":false,"schema":{"default":[],"description":"`id` de `list_team`.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":50,"type":"array"}},{"in":"body","name":"publico","required":false,"schema":{"description":"De conversa nova.","enum":["equipe","convidados"],"type":"string"}},{"in":"body","name":"responde_a","required":false,"schema":{"description":"A `conversa`, sem `ancora`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"texto","required":true,"schema":{"description":"Texto simples.","maxLength":4000,"minLength":1,"type":"string"}}],"path":"/api/eventos/{eventId}/comentarios","slow":false,"summary":"Comentar"},
    {"access":"member","area":"conversation","capabilities":["draft_save","approve"],"description":"Edita um comentário próprio, ou resolve a conversa.","document":false,"effect":"destroy","example":{"remarkId":"01990000-0000-7000-8000-000000000081","resolvido":true},"keyed":true,"method":"PATCH","name":"update_remark","parameters":[{"in":"path","name":"remarkId","required":true,"schema":{"description":"Id do comentário.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"resolvido","required":false,"schema":{"description":"`false` reabre.","type":"boolean"}},{"in":"body","name":"texto","required":false,"schema":{"description":"Texto novo.","maxLength":4000,"minLength":1,"type":"string"}}],"path":"/api/comentarios/{remarkId}","slow":false,"summary":"Editar ou resolver comentário"},
    {"access":"member","area":"conversation","capabilities":["draft_save","approve"],"description":"Remove um comentário próprio, sem volta.","document":false,"effect":"destroy","example":{"remarkId":"01990000-0000-7000-8000-000000000082"},"keyed":true,"method":"DELETE","name":"remove_remark","parameters":[{"in":"path","name":"remarkId","required":true,"schema":{"description":"Id do comentário.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/comentarios/{remarkId}","slow":false,"summary":"Remover comentário"},
    {"access":"guest","area":"conversation","capabilities":[],"description":"Comenta, como pessoa convidada, uma peça do link.","document":false,"effect":"write","example":{"api_revision":1,"event_id":"01990000-0000-7000-8000-000000000062","texto":"Pode dizer que rende trinta?"},"keyed":true,"method":"POST","name":"add_guest_remark","parameters":[{"in":"body","name":"ancora","required":false,"schema":{"additionalProperties":false,"description":"Onde na peça, como em `add_remark`; ausente, a peça toda.","properties":{"altura":{"description":"Idem.","format":"double","maximum":1,"minimum":0,"type":"number"},"largura":{"description":"Idem, num retângulo.","format":"double","maximum":1,"minimum":0,"type":"number"},"media_id":{"description":"A mídia da peça.","maxLength":64,"minLength":1,"type":"string"},"posicao":{"description":"Onde começa, em caracteres desde 0; só se o trecho se repete.","maximum":2000000,"minimum":0,"type":"integer"},"segundo":{"description":"Do vídeo.","format":"double","maximum":86400,"minimum":0,"type":"number"},"template_id":{"description":"Do e-mail.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"},"tipo":{"description":"De que é.","enum":["legenda","imagem","video","email"],"type":"string"},"trecho":{"description":"Da legenda ou do e-mail, igual.","maxLength":1000,"minLength":1,"type":"string"},"x":{"description":"Fração da imagem, de 0 a 1.","format":"double","maximum":1,"minimum":0,"type":"number"},"y":{"description":"Idem.","format":"double","maximum":1,"minimum":0,"type":"number"}},"required":["tipo"],"type":"object","x-described-by":"add_remark"}},{"in":"body","name":"api_revision","required":true,"schema":{"description":"O `api_revision` visto.","maximum":9007199254740991,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":true,"schema":{"description":"Id da peça.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"responde_a","required":false,"schema":{"description":"A `conversa` a que responde, sem `ancora`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"texto","required":true,"schema":{"description":"Texto simples.","maxLength":4000,"minLength":1,"type":"string"}}],"path":"/api/convidado/comentarios","slow":false,"summary":"Comentar como convidado"},
    {"access":"guest","area":"conversation","capabilities":[],"description":"Edita, como pessoa convidada, um comentário próprio.","document":false,"effect":"destroy","example":{"remarkId":"01990000-0000-7000-8000-000000000083","texto":"O paio ficou longe demais na foto, à esquerda."},"keyed":true,"method":"PATCH","name":"update_guest_remark","parameters":[{"in":"path","name":"remarkId","required":true,"schema":{"description":"Id do comentário.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"texto","required":true,"schema":{"description":"Texto novo.","maxLength":4000,"minLength":1,"type":"string"}}],"path":"/api/convidado/comentarios/{remarkId}","slow":false,"summary":"Editar comentário como convidado"},
    {"access":"guest","area":"conversation","capabilities":[],"description":"Remove, como pessoa convidada, um comentário próprio, sem volta.","document":false,"effect":"destroy","example":{"remarkId":"01990000-0000-7000-8000-000000000084"},"keyed":true,"method":"DELETE","name":"remove_guest_remark","parameters":[{"in":"path","name":"remarkId","required":true,"schema":{"description":"Id do comentário.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/convidado/comentarios/{remarkId}","slow":false,"summary":"Remover comentário como convidado"},
    {"access":"member","area":"notifications","capabilities":["tasks_view"],"description":"Lista as suas notificações.","document":false,"effect":"read","example":{"todas":true},"keyed":false,"method":"GET","name":"list_notifications","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"tipo","required":false,"schema":{"description":"Só este.","enum":["atribuicao","mencao","decisao","ajustes","decidida","publicada","falha","conexao","agente","webhook","convidado","lembrete"],"type":"string"}},{"in":"query","name":"todas","required":false,"schema":{"default":false,"description":"E as lidas.","type":"boolean"}}],"path":"/api/notificacoes","slow":false,"summary":"Listar notificações"},
    {"access":"member","area":"notifications","capabilities":["tasks_view"],"description":"Marca as notificações como lidas.","document":false,"effect":"write","example":{"ate":1},"keyed":true,"method":"POST","name":"mark_notifications_read","parameters":[{"in":"body","name":"ate","required":false,"schema":{"description":"Da lista.","maximum":9007199254740991,"minimum":1,"type":"integer"}},{"in":"body","name":"ids","required":false,"schema":{"description":"Ou `ate`.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":200,"minItems":1,"type":"array"}}],"path":"/api/notificacoes/lidas","slow":false,"summary":"Marcar notificações como lidas"},
    {"access":"member","area":"notifications","capabilities":["tasks_view"],"description":"Lê de que quem chama é notificado, e quando por e-mail.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_notification_settings","parameters":[],"path":"/api/notificacoes/preferencias","slow":false,"summary":"Ler preferências de notificação"},
    {"access":"session","area":"notifications","capabilities":["tasks_view"],"description":"Define de que quem chama é notificado, e quando por e-mail e nos aparelhos.","document":false,"effect":"destroy","example":{"expected_revision":0,"ligados":["atribuicao","mencao","decisao","decidida","falha"]},"keyed":true,"method":"PUT","name":"set_notification_settings","parameters":[{"in":"body","name":"expected_revision","required":true,"schema":{"description":"A `revision` lida; 0 se nada foi mudado ainda.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"fora_da_lista","required":false,"schema":{"description":"Os ligados que não ficam na lista: só vão por e-mail e aos aparelhos. Ausente, não muda.","items":{"enum":["atribuicao","mencao","decisao","ajustes","decidida","publicada","falha","conexao","agente","webhook","convidado","lembrete"],"type":"string"},"maxItems":12,"type":"array"}},{"in":"body","name":"ligados","required":false,"schema":{"default":[],"description":"Os tipos de que a pessoa é notificada; dos outros, não.","items":{"enum":["atribuicao","mencao","decisao","ajustes","decidida","publicada","falha","conexao","agente","webhook","convidado","lembrete"],"type":"string"},"maxItems":12,"type":"array"}},{"in":"body","name":"por_email","required":false,"schema":{"description":"Os ligados que também vão por e-mail, se a Pauta o envia; os outros, não. Ausente, não muda.","items":{"enum":["atribuicao","mencao","decisao","ajustes","decidida","publicada","falha","conexao","agente","webhook","convidado","lembrete"],"type":"string"},"maxItems":12,"type":"array"}},{"in":"body","name":"por_push","required":false,"schema":{"description":"Os ligados que também vão aos aparelhos; os outros, não. Ausente, não muda.","items":{"enum":["atribuicao","mencao","decisao","ajustes","decidida","publicada","falha","conexao","agente","webhook","convidado","lembrete"],"type":"string"},"maxItems":12,"type":"array"}},{"in":"body","name":"resumo","required":false,"schema":{"description":"A hora de Brasília do único e-mail do dia; ausente, cada aviso é enviado logo.","maximum":23,"minimum":0,"type":"integer"}},{"in":"body","name":"silencio_ate","required":false,"schema":{"description":"A hora de Brasília a partir da qual voltam a ser enviados.","maximum":23,"minimum":0,"type":"integer"}},{"in":"body","name":"silencio_de","required":false,"schema":{"description":"A hora de Brasília a partir da qual nada é enviado por e-mail nem a aparelhos.","maximum":23,"minimum":0,"type":"integer"}}],"path":"/api/notificacoes/preferencias","slow":false,"summary":"Definir preferências de notificação"},
    {"access":"session","area":"push","capabilities":["tasks_view"],"description":"Lista os aparelhos em que você recebe avisos, do mais novo ao mais antigo.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_push_devices","parameters":[],"path":"/api/notificacoes/aparelhos","slow":false,"summary":"Listar aparelhos que recebem avisos"},
    {"access":"session","area":"push","capabilities":["tasks_view"],"description":"Passa a mandar avisos a um navegador, pela assinatura que ele criou (`PushSubscription`).\n\nO navegador passa a ser de quem chama. Repetir atualiza o aparelho.","document":false,"effect":"write","example":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","endpoint":"https://push.exemplo.invalid/aparelho/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV","nome":"Chrome em Android","p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"},"keyed":false,"method":"POST","name":"add_push_device","parameters":[{"in":"body","name":"anterior","required":false,"schema":{"description":"O endereço que esta assinatura substitui: sem um aparelho seu com ele, 404.","maxLength":2000,"minLength":12,"type":"string"}},{"in":"body","name":"auth","required":true,"schema":{"description":"O segredo do navegador (16 bytes em base64url).","pattern":"^[A-Za-z0-9_-]{22}$","type":"string"}},{"in":"body","name":"endpoint","required":true,"schema":{"description":"O endereço do serviço de push: https, da internet pública.","maxLength":2000,"minLength":12,"type":"string"}},{"in":"body","name":"nome","required":true,"schema":{"description":"Como o aparelho aparece na lista.","maxLength":60,"minLength":1,"type":"string"}},{"in":"body","name":"p256dh","required":true,"schema":{"description":"A chave pública do navegador (65 bytes em base64url).","pattern":"^[A-Za-z0-9_-]{87}$","type":"string"}}],"path":"/api/notificacoes/aparelhos","slow":false,"summary":"Receber avisos neste aparelho"},
    {"access":"session","area":"push","capabilities":["tasks_view"],"description":"Deixa de mandar avisos a um aparelho seu.","document":false,"effect":"destroy","example":{"deviceId":"01990000-0000-7000-8000-000000000099"},"keyed":true,"method":"DELETE","name":"remove_push_device","parameters":[{"in":"path","name":"deviceId","required":true,"schema":{"description":"Identificador do aparelho.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/notificacoes/aparelhos/{deviceId}","slow":false,"summary":"Parar de receber avisos em um aparelho"},
    {"access":"session","area":"mail","capabilities":["members"],"description":"Lista os últimos e-mails a membros que não chegaram, ou que talvez não, do mais novo ao mais antigo.\n\nSem o texto deles. Ficam na lista por 30 dias.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_undelivered_mails","parameters":[],"path":"/api/emails-nao-entregues","slow":false,"summary":"Listar e-mails que não chegaram"},
    {"access":"session","area":"webhooks","capabilities":["config"],"description":"Cria um webhook: avisa um endereço do que acontece, com mensagens assinadas.\n\nAs mensagens seguem o Standard Webhooks e só têm identificadores. O segredo aparece só nesta resposta. Quem cria é o responsável: o webhook avisa do que essa pessoa pode ver.","document":false,"effect":"write","example":{"descricao":"Painel do estúdio","tipos":["piece_decided","piece_published"],"url":"https://painel.exemplo.com.br/pauta"},"keyed":false,"method":"POST","name":"create_webhook","parameters":[{"in":"body","name":"channel","required":false,"schema":{"description":"Só o que é de peças que vão a este canal.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"descricao","required":true,"schema":{"description":"Para que serve.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"project_id","required":false,"schema":{"description":"Só o que é de peças deste projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"tipos","required":true,"schema":{"description":"De que avisar.","items":{"enum":["piece_created","piece_updated","piece_submitted","piece_decided","variants_wait","variants_decided","piece_published","remark_added","stage_overdue","publication_ended","post_due","connection_ending","connection_ended","agent_connected"],"type":"string"},"maxItems":32,"minItems":1,"type":"array","uniqueItems":true}},{"in":"body","name":"url","required":true,"schema":{"description":"O endereço que recebe as mensagens (POST): https, na internet pública.","maxLength":2000,"minLength":1,"type":"string"}}],"path":"/api/webhooks","slow":false,"summary":"Criar webhook"},
    {"access":"member","area":"webhooks","capabilities":["config"],"description":"Lista os webhooks, do mais antigo ao mais novo. Não mostra segredos.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_webhooks","parameters":[],"path":"/api/webhooks","slow":false,"summary":"Listar webhooks"},
    {"access":"session","area":"webhooks","capabilities":["config"],"description":"Substitui o que um webhook envia e para onde. O que já espera também vai para um endereço novo, e já.","document":false,"effect":"destroy","example":{"channel":"instagram","descricao":"Painel do estúdio","expected_revision":1,"tipos":["piece_published"],"url":"https://painel.exemplo.com.br/pauta","webhookId":"01990000-0000-7000-8000-000000000094"},"keyed":true,"method":"PUT","name":"update_webhook","parameters":[{"in":"body","name":"channel","required":false,"schema":{"description":"Só o que é de peças que vão a este canal.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"descricao","required":true,"schema":{"description":"Para que serve.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"A `revision` lida.","maximum":9007199254740991,"minimum":1,"type":"integer"}},{"in":"body","name":"project_id","required":false,"schema":{"description":"Só o que é de peças deste projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"tipos","required":true,"schema":{"description":"De que avisar.","items":{"enum":["piece_created","piece_updated","piece_submitted","piece_decided","variants_wait","variants_decided","piece_published","remark_added","stage_overdue","publication_ended","post_due","connection_ending","connection_ended","agent_connected"],"type":"string"},"maxItems":32,"minItems":1,"type":"array","uniqueItems":true}},{"in":"body","name":"url","required":true,"schema":{"description":"O endereço que recebe as mensagens (POST): https, na internet pública.","maxLength":2000,"minLength":1,"type":"string"}},{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}","slow":false,"summary":"Mudar webhook"},
    {"access":"member","area":"webhooks","capabilities":["config"],"description":"Pausa um webhook ativo. As mensagens ficam guardadas por até 30 dias, para a retomada.","document":false,"effect":"write","example":{"webhookId":"01990000-0000-7000-8000-000000000096"},"keyed":true,"method":"POST","name":"pause_webhook","parameters":[{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}/pausa","slow":false,"summary":"Pausar webhook"},
    {"access":"session","area":"webhooks","capabilities":["config"],"description":"Retoma um webhook pausado ou encerrado. Quem retoma passa a ser o responsável, e o que espera é enviado já.","document":false,"effect":"write","example":{"webhookId":"01990000-0000-7000-8000-000000000094"},"keyed":true,"method":"POST","name":"resume_webhook","parameters":[{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}/retomada","slow":false,"summary":"Retomar webhook"},
    {"access":"session","area":"webhooks","capabilities":["config"],"description":"Troca o segredo de um webhook. Cada segredo trocado ainda assina por 24 horas.","document":false,"effect":"write","example":{"webhookId":"01990000-0000-7000-8000-000000000094"},"keyed":false,"method":"POST","name":"rotate_webhook_secret","parameters":[{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}/segredo","slow":false,"summary":"Trocar segredo do webhook"},
    {"access":"member","area":"webhooks","capabilities":["config"],"description":"Envia a um webhook uma mensagem de teste, de tipo `test`. O resultado aparece no registro.","document":false,"effect":"write","example":{"webhookId":"01990000-0000-7000-8000-000000000094"},"keyed":true,"method":"POST","name":"test_webhook","parameters":[{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}/teste","slow":false,"summary":"Testar webhook"},
    {"access":"session","area":"webhooks","capabilities":["config"],"description":"Apaga um webhook, com o registro e o que espera.","document":false,"effect":"destroy","example":{"webhookId":"01990000-0000-7000-8000-000000000096"},"keyed":true,"method":"DELETE","name":"delete_webhook","parameters":[{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}","slow":false,"summary":"Apagar webhook"},
    {"access":"member","area":"webhooks","capabilities":["config"],"description":"Lista as mensagens de um webhook nos últimos 30 dias, da mais nova à mais antiga, com as tentativas de cada uma.","document":false,"effect":"read","example":{"webhookId":"01990000-0000-7000-8000-000000000094"},"keyed":false,"method":"GET","name":"list_webhook_messages","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"estado","required":false,"schema":{"description":"Só neste estado.","enum":["pendente","recebida","descartada","recusada"],"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}/mensagens","slow":false,"summary":"Listar mensagens do webhook"},
    {"access":"member","area":"webhooks","capabilities":["config"],"description":"Reenvia uma mensagem de um webhook, ou as de alguns dias, na ordem em que foram feitas.\n\nCada uma mantém o `webhook-id`: quem já a recebeu pode ignorá-la. Até 10.000 por vez. Encerra a pausa que o destino pediu.","document":false,"effect":"write","example":{"mensagem_id":"01990000-0000-7000-8000-000000000095","webhookId":"01990000-0000-7000-8000-000000000094"},"keyed":true,"method":"POST","name":"replay_webhook_messages","parameters":[{"in":"body","name":"ate","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"body","name":"de","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"body","name":"mensagem_id","required":false,"schema":{"description":"A mensagem; ou `de` e `ate`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"path","name":"webhookId","required":true,"schema":{"description":"Id do webhook.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/webhooks/{webhookId}/reenvio","slow":false,"summary":"Reenviar mensagens do webhook"},
    {"access":"member","area":"media","capabilities":["art"],"description":"Guarda uma imagem ou um vídeo pronto e, com `event_id`, anexa ao evento.\n\nO tipo é julgado pelos bytes: PNG, JPEG, WebP ou GIF até 25 MB, MP4 ou QuickTime até 500 MB. Um envio interrompido ou grande demais não deixa nada guardado.","document":false,"effect":"write","example":{"alt":"Pães de queijo dourados em uma frigideira","event_id":"01990000-0000-7000-8000-000000000018","file":"pao-de-queijo.png"},"keyed":true,"method":"POST","name":"upload_media","parameters":[{"in":"body","name":"alt","required":false,"schema":{"description":"Texto alternativo.","maxLength":1000,"minLength":1,"type":"string"}},{"in":"body","name":"event_id","required":false,"schema":{"description":"Evento editável que a recebe.","maxLength":64,"minLength":1,"type":"string"}},{"in":"file","name":"file","required":true,"schema":{"description":"O arquivo.","type":"string"}},{"in":"body","name":"insert","required":false,"schema":{"default":false,"description":"Abre lugar em vez de substituir.","type":"boolean"}},{"in":"body","name":"kind","required":false,"schema":{"description":"Tipo lógico; ausente, `imagem` ou `video`.","maxLength":40,"minLength":1,"type":"string"}},{"in":"body","name":"slide_index","required":false,"schema":{"description":"Posição na sequência; ausente, no fim. O que estava na mesma posição é substituído.","maximum":99,"minimum":0,"type":"integer"}}],"path":"/api/upload","slow":true,"summary":"Enviar arquivo"},
    {"access":"member","area":"media","capabilities":["art"],"description":"Dá um link assinado, de um uso e 15 minutos, para enviar uma foto (até 25 MB) ou vídeo (500 MB) local, e o `comando` que o envia.\n\nSem acesso ao arquivo, dê o link à pessoa. Depois, `get_upload`. Já na internet: `import_media`.","document":false,"effect":"write","example":{"alt":"A banca da feira, de manhã","bytes":4821300,"event_id":"01990000-0000-7000-8000-000000000018","media_type":"video/mp4"},"keyed":false,"method":"POST","name":"create_upload","parameters":[{"in":"body","name":"alt","required":false,"schema":{"description":"Texto alternativo.","maxLength":1000,"minLength":1,"type":"string"}},{"in":"body","name":"bytes","required":false,"schema":{"description":"Tamanho exato, se em partes (tus).","maximum":500000000,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":false,"schema":{"description":"Evento editável que o recebe.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"media_type","required":false,"schema":{"description":"Se conhecido; outro é recusado.","enum":["image/png","image/jpeg","image/webp","image/gif","video/mp4","video/quicktime"],"type":"string"}}],"path":"/api/uploads","slow":false,"summary":"Pedir link de envio"},
    {"access":"member","area":"media","capabilities":["art"],"description":"Diz se o arquivo de um link de `create_upload` chegou, e devolve a mídia.","document":false,"effect":"read","example":{"uploadId":"01990000-0000-7000-8000-000000000071"},"keyed":false,"method":"GET","name":"get_upload","parameters":[{"in":"path","name":"uploadId","required":true,"schema":{"description":"Id do envio.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/uploads/{uploadId}","slow":false,"summary":"Ver envio"},
    {"access":"member","area":"media","capabilities":["art"],"description":"Traz uma foto, imagem ou vídeo pronto (só um de `url`, `file` e `data`) e, com `event_id`, anexa ao evento.\n\nPNG, JPEG, WebP ou GIF até 25 MB, MP4 ou QuickTime até 500 MB. Arquivo local: `create_upload`.","document":false,"effect":"write","example":{"alt":"Pães de queijo dourados em uma frigideira","data":"iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mN4tiWAJMQwqmFUw/DVAAAVEeoQqbfJ2wAAAABJRU5ErkJggg==","event_id":"01990000-0000-7000-8000-000000000018"},"keyed":true,"method":"POST","name":"import_media","parameters":[{"in":"body","name":"alt","required":false,"schema":{"description":"Texto alternativo.","maxLength":1000,"minLength":1,"type":"string"}},{"in":"body","name":"data","required":false,"schema":{"description":"Imagem pequena em Base64, até 256 kB.","maxLength":349528,"minLength":4,"pattern":"^[A-Za-z0-9+/]+={0,2}$","type":"string"}},{"in":"body","name":"event_id","required":false,"schema":{"description":"Evento editável.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"file","required":false,"schema":{"additionalProperties":false,"description":"Anexo da conversa (ChatGPT).","properties":{"download_url":{"description":"Endereço https.","maxLength":4000,"minLength":9,"pattern":"^[hH][tT][tT][pP][sS]?://[!-~]+$","type":"string"},"file_id":{"description":"Id na conversa.","maxLength":400,"type":"string"},"file_name":{"description":"Nome dado ao arquivo.","maxLength":400,"type":"string"},"mime_type":{"description":"Tipo; valem os bytes.","maxLength":400,"type":"string"}},"required":["download_url"],"type":"object"}},{"in":"body","name":"insert","required":false,"schema":{"default":false,"description":"Abre lugar em vez de substituir.","type":"boolean"}},{"in":"body","name":"slide_index","required":false,"schema":{"description":"Posição a substituir; ausente, o fim.","maximum":99,"minimum":0,"type":"integer"}},{"in":"body","name":"url","required":false,"schema":{"description":"Endereço https público.","maxLength":4000,"minLength":9,"pattern":"^[hH][tT][tT][pP][sS]?://[!-~]+$","type":"string"}}],"path":"/api/media","slow":true,"summary":"Importar arquivo"},
    {"access":"member","area":"media","capabilities":["art"],"description":"Lista as mídias (fotos e vídeos) próprias e de eventos visíveis, as novas antes, com links assinados.","document":false,"effect":"read","example":{"limit":2,"tipo":"imagem"},"keyed":false,"method":"GET","name":"list_media","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"event_id","required":false,"schema":{"description":"Só deste evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"tipo","required":false,"schema":{"description":"Só este tipo.","enum":["imagem","video"],"type":"string"}}],"path":"/api/media","slow":false,"summary":"Listar mídias"},
    {"access":"member","area":"media","capabilities":["art"],"description":"Muda as mídias de um evento em elaboração: anexar, tirar, reordenar, descrever.\n\nPrimeiro `detach`, depois `attach` (no fim), depois `order`; os slides são renumerados desde 0.","document":false,"effect":"destroy","example":{"alt":[{"alt":"Banca de feira com milho verde","media_id":"01990000-0000-7000-8000-000000000021"}],"attach":["01990000-0000-7000-8000-000000000021"],"eventId":"01990000-0000-7000-8000-000000000017","expected_revision":1},"keyed":true,"method":"PATCH","name":"update_event_media","parameters":[{"in":"body","name":"alt","required":false,"schema":{"description":"Textos alternativos novos.","items":{"additionalProperties":false,"description":"O texto alternativo de uma mídia.","properties":{"alt":{"description":"O que ela mostra; vazio apaga.","maxLength":1000,"type":"string"},"media_id":{"description":"A mídia.","maxLength":64,"minLength":1,"type":"string"}},"required":["media_id","alt"],"type":"object"},"maxItems":100,"type":"array"}},{"in":"body","name":"attach","required":false,"schema":{"default":[],"description":"Ids que entram.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"type":"array","uniqueItems":true}},{"in":"body","name":"detach","required":false,"schema":{"default":[],"description":"Ids que saem.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":100,"type":"array","uniqueItems":true}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"order","required":false,"schema":{"default":[],"description":"A ordem; as que faltarem vêm depois.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":100,"type":"array","uniqueItems":true}}],"path":"/api/eventos/{eventId}/media","slow":false,"summary":"Atualizar mídias da peça"},
    {"access":"member","area":"media","capabilities":["carousel"],"description":"Corrige o carrossel de um evento: só desenha de novo os cards que mudam.\n\n`cards` é o carrossel inteiro, na nova ordem; sai o card que não está na lista. Um card com o `media_id` de antes e nada mais fica como está, com o mesmo id; é desenhado de novo se mudar texto, fundo ou estilo, ou se mudar o número impresso nele. O fundo que um provedor desenhou é aproveitado: só se pede outro quando `prompt` muda. As outras mídias do evento ficam na ordem em que estão. Ou vale tudo, ou nada.","document":false,"effect":"destroy","example":{"cards":[{"media_id":"01990000-0000-7000-8000-000000000024"},{"media_id":"01990000-0000-7000-8000-000000000025","text":"1. Caldo verde\n\n- Couve cortada bem fina\n- Batata cozida e amassada\n- Azeite no prato"}],"eventId":"01990000-0000-7000-8000-000000000023","expected_revision":2},"keyed":true,"method":"PATCH","name":"update_carousel","parameters":[{"in":"body","name":"cards","required":true,"schema":{"description":"Todos os cards, na nova ordem.","items":{"additionalProperties":false,"description":"Um card que fica, muda ou entra.","properties":{"copy_of":{"description":"Card do evento de que um card novo parte; o que vier aqui toma o lugar do que era dele.","maxLength":64,"minLength":1,"type":"string"},"media_id":{"description":"Card do evento que fica; ausente, o card é novo.","maxLength":64,"minLength":1,"type":"string"},"photo_id":{"description":"Imagem guardada que passa a ser o fundo, sem `prompt`.","maxLength":64,"minLength":1,"type":"string"},"prompt":{"description":"O que o fundo mostra; ausente, o fundo é o de antes; vazio, é o do estilo.","maxLength":4000,"type":"string"},"text":{"description":"Texto do card; ausente, o de antes.","maxLength":2000,"minLength":1,"type":"string"}},"type":"object"},"maxItems":10,"minItems":1,"type":"array"}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_revision","required":true,"schema":{"description":"O `api_revision` lido.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"style","required":false,"schema":{"description":"Desenho de todos os cards; ausente, cada um fica com o seu, e um novo tem o do primeiro.","enum":["epico","minimalista","editorial","vibrante"],"type":"string"}}],"path":"/api/eventos/{eventId}/carousel","slow":true,"summary":"Corrigir carrossel"},
    {"access":"session","area":"guests","capabilities":["approve"],"description":"Cria um link para alguém de fora da equipe ver, comentar ou decidir peças.\n\nMostra as peças escolhidas, ou as de um projeto num mês, já enviadas para aprovação. Link e código aparecem só nesta resposta.","document":false,"effect":"write","example":{"contato":"+55 11 91234-5678","dias":14,"direito":"decidir","nome":"Beatriz Rocha","pecas":["01990000-0000-7000-8000-000000000061"]},"keyed":false,"method":"POST","name":"create_guest_link","parameters":[{"in":"body","name":"codigo","required":false,"schema":{"default":false,"description":"Pede um código de seis números, mandado por outro caminho.","type":"boolean"}},{"in":"body","name":"contato","required":true,"schema":{"description":"E-mail ou telefone dela.","maxLength":254,"minLength":3,"type":"string"}},{"in":"body","name":"dias","required":false,"schema":{"description":"Validade em dias; ausente, 14.","maximum":90,"minimum":1,"type":"integer"}},{"in":"body","name":"direito","required":true,"schema":{"description":"O que ela pode; cada direito inclui o anterior.","enum":["ver","comentar","decidir"],"type":"string"}},{"in":"body","name":"mes","required":false,"schema":{"description":"Mês do projeto: `2026-11`.","pattern":"^20[0-9]{2}-(0[1-9]|1[0-2])$","type":"string"}},{"in":"body","name":"nome","required":true,"schema":{"description":"Nome da pessoa.","maxLength":120,"minLength":1,"type":"string"}},{"in":"body","name":"pecas","required":false,"schema":{"default":[],"description":"Ids das peças; ou `project_id` e `mes`.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":100,"type":"array"}},{"in":"body","name":"project_id","required":false,"schema":{"description":"Projeto cujas peças do mês ela vê.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/convidados","slow":false,"summary":"Criar link de convidado"},
    {"access":"session","area":"guests","capabilities":["approve"],"description":"Lista os links de convidados, do mais novo ao mais antigo.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_guest_links","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"encerrados","required":false,"schema":{"default":false,"description":"Também os vencidos e revogados.","type":"boolean"}},{"in":"query","name":"event_id","required":false,"schema":{"description":"Só os que mostram esta peça escolhida.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/convidados","slow":false,"summary":"Listar links de convidados"},
    {"access":"session","area":"guests","capabilities":["approve"],"description":"Revoga um link de convidado, já no próximo pedido. Repetir não muda nada.","document":false,"effect":"destroy","example":{"linkId":"01990000-0000-7000-8000-000000000091"},"keyed":true,"method":"DELETE","name":"revoke_guest_link","parameters":[{"in":"path","name":"linkId","required":true,"schema":{"description":"Identificador do link.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/convidados/{linkId}","slow":false,"summary":"Revogar link de convidado"},
    {"access":"guest","area":"guests","capabilities":[],"description":"Mostra a uma pessoa convidada as peças do seu link, com os comentários que são para convidados.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_guest_pieces","parameters":[],"path":"/api/convidado/pecas","slow":false,"summary":"Ver peças de um link de convidado"},
    {"access":"guest","area":"guests","capabilities":[],"description":"Confere o código de um link de convidado.\n\nA `prova` vai depois do segredo e de um ponto, no mesmo bearer. Depois de oito códigos errados é preciso esperar; depois de cinquenta, o link é encerrado. Um código certo desconta os errados que vieram da mesma rede pouco antes.","document":false,"effect":"write","example":{"codigo":"271828"},"keyed":false,"method":"POST","name":"enter_guest_code","parameters":[{"in":"body","name":"codigo","required":true,"schema":{"description":"Os seis números.","pattern":"^[0-9]{6}$","type":"string"}}],"path":"/api/convidado/codigo","slow":true,"summary":"Informar código de convidado"},
    {"access":"session","area":"calendar_feeds","capabilities":["tasks_view"],"description":"Cria um calendário da agenda num endereço secreto, que o seu programa de calendário assina.\n\nMostra as peças com data que você pode ver na hora de cada leitura. Sem filtro, todas elas. O endereço aparece só nesta resposta.","document":false,"effect":"write","example":{"channel":"instagram","nome":"Agenda do Instagram"},"keyed":false,"method":"POST","name":"create_calendar_feed","parameters":[{"in":"body","name":"assignee_id","required":false,"schema":{"description":"Só os desta pessoa: `id` de `list_team`.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"channel","required":false,"schema":{"description":"Só este canal.","maxLength":60,"minLength":1,"type":"string"}},{"in":"body","name":"minhas","required":false,"schema":{"default":false,"description":"Só as peças que você criou ou de que é responsável.","type":"boolean"}},{"in":"body","name":"nome","required":true,"schema":{"description":"O nome do calendário no programa.","maxLength":80,"minLength":1,"type":"string"}},{"in":"body","name":"project_id","required":false,"schema":{"description":"Só as peças dos itens deste projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"q","required":false,"schema":{"description":"Texto de título, legenda, etiqueta ou responsável.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"status","required":false,"schema":{"description":"Só este status, e as arquivadas, que o programa risca.","enum":["a fazer","em progresso","processing","em aprovação","aprovado","recusado","publicado"],"type":"string"}},{"in":"body","name":"tipo","required":false,"schema":{"description":"Só este tipo (etiqueta editorial).","maxLength":80,"minLength":1,"type":"string"}}],"path":"/api/calendarios","slow":false,"summary":"Criar calendário"},
    {"access":"session","area":"calendar_feeds","capabilities":["tasks_view"],"description":"Lista os seus calendários em vigor, do mais novo ao mais antigo.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_calendar_feeds","parameters":[],"path":"/api/calendarios","slow":false,"summary":"Listar calendários"},
    {"access":"session","area":"calendar_feeds","capabilities":["tasks_view"],"description":"Revoga o endereço de um calendário seu, já na próxima leitura. Repetir não muda nada.","document":false,"effect":"destroy","example":{"calendarId":"01990000-0000-7000-8000-000000000097"},"keyed":true,"method":"DELETE","name":"revoke_calendar_feed","parameters":[{"in":"path","name":"calendarId","required":true,"schema":{"description":"Identificador do calendário.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/calendarios/{calendarId}","slow":false,"summary":"Revogar calendário"},
    {"access":"member","area":"config","capabilities":["config_view"],"description":"Lê a versão atual de cada chave de configuração da equipe. Anteriores: `list_config_history`.","document":false,"effect":"read","example":{"limit":10},"keyed":false,"method":"GET","name":"get_config","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"key","required":false,"schema":{"description":"Só esta chave.","maxLength":200,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/config","slow":false,"summary":"Ler configuração"},
    {"access":"member","area":"config","capabilities":["config"],"description":"Publica uma versão nova de uma chave de configuração, inteira: leia antes com `get_config`. As anteriores ficam no histórico.","document":false,"effect":"write","example":{"key":"editorial.tom","value":{"evitar":["gíria datada","promessa vazia"],"voz":"próxima e direta"}},"keyed":true,"method":"POST","name":"publish_config_version","parameters":[{"in":"body","name":"expected_version","required":false,"schema":{"description":"A `version` lida; 0 se ainda não há. Ausente não confere.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"key","required":true,"schema":{"description":"Nome da chave. `marca`, `comercial.comissoes`, `conhecimento.sinonimos` e `aprovacao` têm a forma que `get_config` dá em `formatos`.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"value","required":true,"schema":{"description":"Qualquer JSON, até 64 níveis e 50.000 valores; inteiros exatos, de -2^63 a 2^64-1."}}],"path":"/api/config","slow":false,"summary":"Publicar configuração"},
    {"access":"member","area":"config","capabilities":["config"],"description":"Lista as versões publicadas da configuração, as novas antes.","document":false,"effect":"read","example":{"key":"editorial.tom","limit":5},"keyed":false,"method":"GET","name":"list_config_history","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"key","required":false,"schema":{"description":"Só esta chave.","maxLength":200,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/config/log","slow":false,"summary":"Listar histórico da configuração"},
    {"access":"member","area":"email_drafts","capabilities":["email_drafts_view"],"description":"Lista os rascunhos de e-mail da equipe. O HTML: `get_email_draft`.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_email_drafts","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"q","required":false,"schema":{"description":"Texto do nome ou dos metadados.","maxLength":200,"minLength":1,"type":"string"}}],"path":"/api/email-drafts","slow":false,"summary":"Listar rascunhos de e-mail"},
    {"access":"member","area":"email_drafts","capabilities":["email_drafts_view"],"description":"Lê um rascunho de e-mail: o HTML inteiro, uma janela ou só trechos.\n\nHTML longo, em janelas: `de` e `tamanho`, até `janela.proxima` nula. Com `busca`, só os trechos, cada um com o `procurar` de `replace_in_email_draft`.","document":false,"effect":"read","example":{"templateId":"exemplo.aviso"},"keyed":false,"method":"GET","name":"get_email_draft","parameters":[{"in":"query","name":"busca","required":false,"schema":{"description":"Texto como se lê ou como está no HTML.","maxLength":1000,"minLength":1,"type":"string"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `ocorrencias.next_cursor` da página anterior; só com `busca`.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"de","required":false,"schema":{"description":"Primeiro caractere, desde 0.","maximum":2000000,"minimum":0,"type":"integer"}},{"in":"query","name":"tamanho","required":false,"schema":{"description":"Caracteres; ausente, 20.000.","maximum":2000000,"minimum":1,"type":"integer"}},{"in":"path","name":"templateId","required":true,"schema":{"description":"Nome do modelo.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"}}],"path":"/api/email-drafts/{templateId}","slow":false,"summary":"Ler rascunho de e-mail"},
    {"access":"member","area":"email_drafts","capabilities":["email_drafts_edit"],"description":"Grava um rascunho de e-mail inteiro: novo ou, com `expected_updated_at`, no lugar do lido em `get_email_draft`. Só um trecho: `replace_in_email_draft`.","document":false,"effect":"destroy","example":{"expected_updated_at":"2026-08-20T13:00:00.000Z","html":"<!doctype html><h1>Curso de pão</h1><p>As inscrições abrem na terça, às 10h.</p>","metadata":{"assunto":"Curso de pão: inscrições abertas"},"templateId":"exemplo.curso"},"keyed":true,"method":"PUT","name":"put_email_draft","parameters":[{"in":"body","name":"expected_updated_at","required":true,"schema":{"description":"O `updated_at` lido. Ausente, cria.","format":"date-time","type":["string","null"]}},{"in":"body","name":"html","required":true,"schema":{"description":"O HTML inteiro.","maxLength":2000000,"type":"string"}},{"in":"body","name":"metadata","required":false,"schema":{"additionalProperties":true,"description":"Objeto livre, até 20 kB; ausente mantém.","type":"object"}},{"in":"path","name":"templateId","required":true,"schema":{"description":"Nome do modelo, sem espaços, até 200.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"}}],"path":"/api/email-drafts/{templateId}","slow":false,"summary":"Gravar rascunho de e-mail"},
    {"access":"member","area":"email_drafts","capabilities":["email_drafts_edit"],"description":"Substitui um trecho do HTML de um rascunho de e-mail.\n\n`procurar` é texto exato (`busca` em `get_email_draft` o dá pronto) que aparece uma só vez; senão, envie `todas`.","document":false,"effect":"destroy","example":{"expected_updated_at":"2026-08-20T13:00:00.000Z","procurar":"mexerica","templateId":"exemplo.feira","trocar_por":"tangerina"},"keyed":true,"method":"POST","name":"replace_in_email_draft","parameters":[{"in":"body","name":"expected_updated_at","required":true,"schema":{"description":"O `updated_at` lido.","format":"date-time","type":"string"}},{"in":"body","name":"procurar","required":true,"schema":{"description":"O trecho exato do HTML.","maxLength":100000,"minLength":1,"type":"string"}},{"in":"path","name":"templateId","required":true,"schema":{"description":"Nome do modelo.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"}},{"in":"body","name":"todas","required":false,"schema":{"default":false,"description":"Troca todas as ocorrências.","type":"boolean"}},{"in":"body","name":"trocar_por","required":true,"schema":{"description":"O que fica no lugar; vazio apaga.","maxLength":100000,"type":"string"}}],"path":"/api/email-drafts/{templateId}/substituir","slow":false,"summary":"Substituir trecho de e-mail"},
    {"access":"member","area":"email_drafts","capabilities":["delete"],"description":"Apaga um rascunho de e-mail, e só ele; não há como desfazer.","document":false,"effect":"destroy","example":{"expected_updated_at":"2026-08-20T13:00:00.000Z","templateId":"exemplo.antigo"},"keyed":true,"method":"DELETE","name":"delete_email_draft","parameters":[{"in":"query","name":"expected_updated_at","required":true,"schema":{"description":"O `updated_at` lido.","format":"date-time","type":"string"}},{"in":"path","name":"templateId","required":true,"schema":{"description":"Nome do modelo.","maxLength":200,"minLength":1,"pattern":"^[A-Za-z0-9._:~-]+$","type":"string"}}],"path":"/api/email-drafts/{templateId}","slow":false,"summary":"Apagar rascunho de e-mail"},
    {"access":"session","area":"members","capabilities":["members"],"description":"Lista os membros ativos da equipe, por nome.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_members","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/membros","slow":false,"summary":"Listar membros"},
    {"access":"session","area":"members","capabilities":["members"],"description":"Muda o papel de um membro ou a permissão de ver vendas; vale a partir do próximo pedido.\n\nUm nível de API acima do papel novo fica limitado por ele. Recusado quando a equipe ficaria sem admin ativo.","document":false,"effect":"destroy","example":{"access_level":"lider","member_id":"01990000-0000-7000-8000-000000000001"},"keyed":true,"method":"PATCH","name":"update_member","parameters":[{"in":"body","name":"access_level","required":false,"schema":{"description":"Papel novo; ausente, fica o atual.","enum":["criador","lider","admin"],"type":"string"}},{"in":"body","name":"financeiro","required":false,"schema":{"description":"Se a pessoa vê os painéis de vendas; ausente, fica como está.","type":"boolean"}},{"in":"body","name":"member_id","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/membros","slow":false,"summary":"Mudar papel ou permissão financeira"},
    {"access":"session","area":"members","capabilities":["members"],"description":"Convida uma pessoa para a equipe; o link do convite aparece só nesta resposta e vale 72 horas, ou vai por e-mail.\n\nQuem já foi desligado volta com o mesmo identificador, papel novo e convite novo. O acesso por API começa em `nenhum`. Recusado quando um membro ativo já tem este e-mail.","document":false,"effect":"write","example":{"access_level":"criador","email":"iara.fontes@demo.pauta.test","name":"Iara Fontes"},"keyed":false,"method":"POST","name":"invite_member","parameters":[{"in":"body","name":"access_level","required":true,"schema":{"description":"Papel na equipe.","enum":["criador","lider","admin"],"type":"string"}},{"in":"body","name":"email","required":true,"schema":{"description":"E-mail com que ela entra.","maxLength":254,"minLength":3,"pattern":"^\\s*[!-?A-~]+@[!-?A-~]+\\s*$","type":"string"}},{"in":"body","name":"financeiro","required":false,"schema":{"default":false,"description":"Se a pessoa vê os painéis de vendas.","type":"boolean"}},{"in":"body","name":"name","required":true,"schema":{"description":"Nome da pessoa.","maxLength":120,"minLength":1,"type":"string"}},{"in":"body","name":"por_email","required":false,"schema":{"default":false,"description":"Se o link vai por e-mail à pessoa, em vez de aparecer na resposta; assim vale 7 dias.","type":"boolean"}}],"path":"/api/membros","slow":true,"summary":"Convidar membro"},
    {"access":"session","area":"members","capabilities":["members"],"description":"Faz um convite novo para quem ainda não aceitou o seu; o anterior deixa de valer.\n\nO link aparece só nesta resposta e vale 72 horas, ou vai por e-mail. Recusado quando a pessoa já definiu a senha.","document":false,"effect":"write","example":{"memberId":"01990000-0000-7000-8000-000000000001"},"keyed":false,"method":"POST","name":"reissue_invitation","parameters":[{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"por_email","required":false,"schema":{"default":false,"description":"Se o link vai por e-mail à pessoa, em vez de aparecer na resposta; assim vale 7 dias.","type":"boolean"}}],"path":"/api/membros/{memberId}/convite","slow":true,"summary":"Refazer convite"},
    {"access":"session","area":"members","capabilities":["members"],"description":"Desliga um membro: encerra sessões e tokens na hora e o tira das tarefas em andamento.\n\nAutoria, comentários e histórico ficam. Com 207, o acesso já está revogado e `pendente` diz o que falta: repita a mesma chamada para concluir. Recusado para o último admin ativo.","document":false,"effect":"destroy","example":{"memberId":"01990000-0000-7000-8000-000000000002"},"keyed":true,"method":"DELETE","name":"offboard_member","parameters":[{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/membros/{memberId}","slow":true,"summary":"Desligar membro"},
    {"access":"session","area":"members","capabilities":["members"],"description":"Define uma senha nova para um membro e encerra as sessões dele.\n\nRevoga também os tokens pessoais do membro; com `revoke_tokens` falso, eles ficam como estão. Recusada quando tem menos de 12 caracteres, é comum ou repete o nome ou o e-mail da pessoa.","document":false,"effect":"write","example":{"memberId":"01990000-0000-7000-8000-000000000003","senha":"tapioca-com-coco-ralado-7"},"keyed":false,"method":"POST","name":"set_member_password","parameters":[{"in":"path","name":"memberId","required":true,"schema":{"description":"Id do membro.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"revoke_tokens","required":false,"schema":{"default":true,"description":"Se os tokens pessoais e os endereços de calendário do membro são revogados também.","type":"boolean"}},{"in":"body","name":"senha","required":true,"schema":{"description":"Senha nova.","maxLength":256,"minLength":1,"type":"string"}}],"path":"/api/membros/{memberId}/senha","slow":true,"summary":"Definir senha de um membro"},
    {"access":"member","area":"skills","capabilities":["skills_view"],"description":"Lista as skills da equipe (guias), por nome, na versão atual.\n\nCom `name`, só ela, com o histórico; `version` lê uma anterior. Longa, em janelas: `de` e `tamanho`, até `janela.proxima` nula.","document":false,"effect":"read","example":{"name":"glossario-da-casa"},"keyed":false,"method":"GET","name":"list_skills","parameters":[{"in":"query","name":"conteudo","required":false,"schema":{"default":true,"description":"Falso omite o conteúdo.","type":"boolean"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"de","required":false,"schema":{"description":"Primeiro caractere, desde 0.","maximum":2000000,"minimum":0,"type":"integer"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Quantas skills por página; com `name`, quantas versões do histórico.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"name","required":false,"schema":{"description":"Só esta.","pattern":"^[a-z0-9-]{1,64}$","type":"string"}},{"in":"query","name":"tamanho","required":false,"schema":{"description":"Caracteres; ausente, 20.000.","maximum":2000000,"minimum":1,"type":"integer"}},{"in":"query","name":"version","required":false,"schema":{"description":"Versão de `name`.","maximum":9007199254740991,"minimum":1,"type":"integer"}}],"path":"/api/skills","slow":false,"summary":"Listar skills"},
    {"access":"member","area":"skills","capabilities":["config"],"description":"Publica uma versão nova de uma skill, que vale no ato para todos os agentes e é achada na base de conhecimento. As anteriores ficam no histórico.","document":false,"effect":"write","example":{"content":"# Glossário\n\nEscrevemos \"e-mail\", \"on-line\", \"post\" e \"newsletter\".\n","description":"Como a casa escreve os termos do dia a dia.","expected_version":1,"name":"glossario-da-casa"},"keyed":true,"method":"POST","name":"publish_skill_version","parameters":[{"in":"body","name":"content","required":true,"schema":{"description":"O texto da skill em Markdown.","maxLength":200000,"minLength":1,"type":"string"}},{"in":"body","name":"description","required":true,"schema":{"description":"O que a skill faz e quando usar.","maxLength":1024,"minLength":1,"type":"string"}},{"in":"body","name":"expected_version","required":false,"schema":{"description":"A `version` lida em `list_skills`; 0 se ainda não há. Ausente não confere.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"name","required":true,"schema":{"description":"Nome da skill: a-z 0-9 e hífen, até 64 caracteres.","pattern":"^[a-z0-9-]{1,64}$","type":"string"}}],"path":"/api/skills","slow":false,"summary":"Publicar skill"},
    {"access":"member","area":"research","capabilities":["rag"],"description":"Pesquisa na base de conhecimento da equipe e devolve trechos com as fontes para citar.\n\nAcha por radical, sinônimos e sentido. Entre aspas, a expressão inteira; `ferment*`, o começo.","document":false,"effect":"read","example":{"limite":2,"pergunta":"Até que temperatura assar o frango?","tags":["seguranca"]},"keyed":false,"method":"POST","name":"search_knowledge","parameters":[{"in":"body","name":"limite","required":false,"schema":{"default":6,"description":"Trechos, no máximo.","maximum":20,"minimum":1,"type":"integer"}},{"in":"body","name":"pergunta","required":true,"schema":{"description":"Pergunta ou palavras de busca.","maxLength":4000,"minLength":1,"type":"string"}},{"in":"body","name":"tags","required":false,"schema":{"description":"Só documentos com uma destas etiquetas.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"minItems":1,"type":"array"}}],"path":"/api/rag","slow":false,"summary":"Pesquisar na base de conhecimento"},
    {"access":"member","area":"research","capabilities":["rag"],"description":"Lista os documentos da base de conhecimento, do mudado por último ao mais antigo, sem o texto.","document":false,"effect":"read","example":{"limit":2,"tag":"equipe"},"keyed":false,"method":"GET","name":"list_knowledge_documents","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"tag","required":false,"schema":{"description":"Só documentos com esta etiqueta.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/rag/documentos","slow":false,"summary":"Listar documentos da base de conhecimento"},
    {"access":"member","area":"research","capabilities":["config"],"description":"Acrescenta um documento à base de conhecimento.\n\nO tipo é julgado pelos bytes: PDF até 50 MB; Markdown, texto ou HTML em UTF-8 até 5 MB. Só o texto fica. O nome do arquivo é a fonte nas citações. Recusado quando a base já tem um documento com este nome ou este texto.","document":false,"effect":"write","example":{"file":"guia-de-legendas.md","tags":"editorial, legendas"},"keyed":true,"method":"POST","name":"add_knowledge_document","parameters":[{"in":"file","name":"file","required":true,"schema":{"description":"O arquivo.","type":"string"}},{"in":"body","name":"tags","required":false,"schema":{"description":"Etiquetas, separadas por vírgula.","maxLength":1400,"type":"string"}}],"path":"/api/rag/documentos","slow":true,"summary":"Acrescentar documento à base de conhecimento"},
    {"access":"member","area":"research","capabilities":["config"],"description":"Troca um documento da base de conhecimento por outro arquivo.\n\nO documento mantém o id e toma o nome e o texto do arquivo novo. Recusado quando o documento já mudou: releia com `list_knowledge_documents`. O de uma skill troca-se publicando a skill.","document":false,"effect":"destroy","example":{"documentoId":"01990000-0000-7000-8000-000000000061","expected_updated_at":"2026-08-20T13:00:00.000Z","file":"cardapio-de-setembro.md"},"keyed":true,"method":"PUT","name":"replace_knowledge_document","parameters":[{"in":"path","name":"documentoId","required":true,"schema":{"description":"Id do documento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"expected_updated_at","required":true,"schema":{"description":"O `updated_at` lido.","format":"date-time","type":"string"}},{"in":"file","name":"file","required":true,"schema":{"description":"O arquivo.","type":"string"}},{"in":"body","name":"tags","required":false,"schema":{"description":"Etiquetas, separadas por vírgula; ausente, as que o documento tem.","maxLength":1400,"type":"string"}}],"path":"/api/rag/documentos/{documentoId}","slow":true,"summary":"Trocar documento da base de conhecimento"},
    {"access":"member","area":"research","capabilities":["config"],"description":"Tira um documento da base de conhecimento.\n\nRecusado quando o documento já mudou: releia com `list_knowledge_documents`. O de uma skill sai com a skill. Não há como desfazer.","document":false,"effect":"destroy","example":{"documentoId":"01990000-0000-7000-8000-000000000062","expected_updated_at":"2026-08-20T13:00:00.000Z"},"keyed":true,"method":"DELETE","name":"remove_knowledge_document","parameters":[{"in":"path","name":"documentoId","required":true,"schema":{"description":"Id do documento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"expected_updated_at","required":true,"schema":{"description":"O `updated_at` lido.","format":"date-time","type":"string"}}],"path":"/api/rag/documentos/{documentoId}","slow":false,"summary":"Tirar documento da base de conhecimento"},
    {"access":"member","area":"research","capabilities":["roteiro"],"description":"Escreve um roteiro da base de conhecimento e confere cada afirmação com as fontes.\n\nLeva até 40 s e custa; a mesma chave dá o mesmo roteiro. Sem `verificado`, confira antes de publicar.","document":false,"effect":"read","example":{"duracao_s":30,"formato":"reel","publico":"quem cozinha em casa","tema":"Como assar um peixe inteiro no ponto certo","tom":"direto"},"keyed":true,"method":"POST","name":"generate_script","parameters":[{"in":"body","name":"duracao_s","required":false,"schema":{"description":"Segundos, só em `reel` (padrão 30).","maximum":600,"minimum":5,"type":"integer"}},{"in":"body","name":"fontes","required":false,"schema":{"description":"Só estes `documento_id` de `search_knowledge`.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"minItems":1,"type":"array"}},{"in":"body","name":"formato","required":true,"schema":{"description":"Tipo de peça.","enum":["reel","carrossel","post","email"],"type":"string"}},{"in":"body","name":"publico","required":false,"schema":{"description":"Para quem.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"tema","required":true,"schema":{"description":"Assunto e o que dizer.","maxLength":2000,"minLength":1,"type":"string"}},{"in":"body","name":"tom","required":false,"schema":{"description":"Tom de voz.","maxLength":200,"minLength":1,"type":"string"}}],"path":"/api/roteiro","slow":true,"summary":"Escrever roteiro"},
    {"access":"member","area":"projects","capabilities":["projects_view"],"description":"Lista os projetos da equipe, os novos antes, com contagens. O conteúdo: `get_project`.","document":false,"effect":"read","example":{"limit":10,"status":"ativo"},"keyed":false,"method":"GET","name":"list_projects","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"status","required":false,"schema":{"description":"Só neste estado.","enum":["ativo","arquivado"],"type":"string"}}],"path":"/api/projects","slow":false,"summary":"Listar projetos"},
    {"access":"member","area":"projects","capabilities":["projects_manage"],"description":"Cria um projeto vazio, na revisão 1; preencha com `apply_project_operations`.","document":false,"effect":"write","example":{"description":"Três semanas, da lista de espera à primeira aula.","name":"Lançamento: Bolos de Festa"},"keyed":true,"method":"POST","name":"create_project","parameters":[{"in":"body","name":"description","required":false,"schema":{"description":"Do que se trata.","maxLength":10000,"type":"string"}},{"in":"body","name":"name","required":true,"schema":{"description":"Nome do projeto.","maxLength":200,"minLength":1,"type":"string"}}],"path":"/api/projects","slow":false,"summary":"Criar projeto"},
    {"access":"member","area":"projects","capabilities":["projects_view"],"description":"Lê um projeto: cabeçalho, seções, itens e a `revision` a enviar na próxima mudança.\n\nDe um grande, filtre os itens e leia em páginas.","document":false,"effect":"read","example":{"projectId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_project","parameters":[{"in":"query","name":"assignee_member_id","required":false,"schema":{"description":"Só itens a fazer desta pessoa.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"item_status","required":false,"schema":{"description":"Só neste estado.","enum":["aberto","feito"],"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"description":"Itens por página; ausente, todos.","maximum":200,"minimum":1,"type":"integer"}},{"in":"path","name":"projectId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"section_id","required":false,"schema":{"description":"Só desta seção.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/projects/{projectId}","slow":false,"summary":"Ler projeto"},
    {"access":"member","area":"projects","capabilities":["projects_audit_view"],"description":"Lista o histórico de um projeto, as operações novas antes.\n\nAs que acrescentam trazem no `payload` o id gerado.","document":false,"effect":"read","example":{"limit":10,"projectId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"list_project_operations","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"path","name":"projectId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/projects/{projectId}/operations","slow":false,"summary":"Listar histórico do projeto"},
    {"access":"member","area":"projects","capabilities":["projects_edit","projects_manage"],"description":"Muda um projeto com uma operação; várias: `apply_project_operations`.\n\n`STALE_REVISION` traz em `details.since` o que mudou: se não toca no mesmo item ou seção, repita com `details.current`. `project.*` e `member.*` pedem a permissão `projects_manage`.","document":false,"effect":"destroy","example":{"expected_revision":3,"payload":{"assignee_member_ids":["01990000-0000-7000-8000-000000000003"],"due_on":"2027-06-20","section_id":"01990000-0000-7000-8000-000000000042","title":"Lembrete na véspera"},"projectId":"01990000-0000-7000-8000-000000000041","type":"item.add"},"keyed":true,"method":"POST","name":"apply_project_operation","parameters":[{"in":"body","name":"expected_revision","required":true,"schema":{"description":"A `revision` lida.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"expected_updated_at","required":false,"schema":{"description":"O `updated_at` lido, também.","format":"date-time","type":"string"}},{"in":"body","name":"payload","required":true,"schema":{"additionalProperties":false,"description":"Só os campos do tipo; sem campos, `{}`. section: add(title, position?) rename(section_id, title) move(position, section_id) remove(section_id); item: add(section_id, title, assignee_member_ids?, due_on?, notes?, position?) update(item_id, notes?, title?) move(item_id, position?, section_id?) complete|reopen|remove(item_id) assign(assignee_member_ids, item_id) schedule(item_id, due_on?) link_event|unlink_event(event_id, item_id); project: rename(title) describe(notes) schedule(ends_on?, starts_on?) archive|restore(); member: add|remove(member_id).","properties":{"assignee_member_ids":{"description":"`id` de `list_team`; vazia, nenhum.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"type":"array","uniqueItems":true},"due_on":{"description":"Dia de Brasília; ausente, apaga.","format":"date","type":"string"},"ends_on":{"description":"Ausente, apaga.","format":"date","type":"string"},"event_id":{"maxLength":64,"minLength":1,"type":"string"},"item_id":{"maxLength":64,"minLength":1,"type":"string"},"member_id":{"description":"Quem sai deixa os itens abertos.","maxLength":64,"minLength":1,"type":"string"},"notes":{"description":"Vazio apaga.","maxLength":10000,"type":"string"},"position":{"description":"Desde 0; ausente, o fim.","maximum":1000,"minimum":0,"type":"integer"},"section_id":{"description":"Em `item.move`, a de destino.","maxLength":64,"minLength":1,"type":"string"},"starts_on":{"description":"Ausente, apaga.","format":"date","type":"string"},"title":{"maxLength":200,"minLength":1,"type":"string"}},"type":"object"}},{"in":"path","name":"projectId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"type","required":true,"schema":{"description":"O tipo da operação.","enum":["section.add","section.rename","section.move","section.remove","item.add","item.update","item.move","item.complete","item.reopen","item.remove","item.assign","item.schedule","item.link_event","item.unlink_event","project.rename","project.describe","project.schedule","project.archive","project.restore","member.add","member.remove"],"type":"string"}}],"path":"/api/projects/{projectId}/operations","slow":false,"summary":"Aplicar operação ao projeto"},
    {"access":"member","area":"projects","capabilities":["projects_edit","projects_manage"],"description":"Aplica de 1 a 50 operações a um projeto, em ordem: todas ou nenhuma, em uma só revisão. Os tipos e campos são os de `apply_project_operation`.\n\n`$0` é o id do que a primeira acrescentou, `$1` o da segunda: `[{\"type\":\"section.add\",\"payload\":{\"title\":\"Gravação\"}},{\"type\":\"item.add\",\"payload\":{\"section_id\":\"$0\",\"title\":\"Roteiro\"}}]`.","document":false,"effect":"destroy","example":{"expected_revision":4,"operations":[{"payload":{"position":0,"title":"Semana da festa"},"type":"section.add"},{"payload":{"due_on":"2027-06-20","section_id":"$0","title":"Lembrete na véspera"},"type":"item.add"}],"projectId":"01990000-0000-7000-8000-000000000041"},"keyed":true,"method":"POST","name":"apply_project_operations","parameters":[{"in":"body","name":"expected_revision","required":true,"schema":{"description":"A `revision` lida.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"operations","required":true,"schema":{"description":"Em ordem.","items":{"additionalProperties":false,"oneOf":[{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"position":{"description":"Lugar, desde 0; ausente, o fim.","maximum":1000,"minimum":0,"type":"integer"},"title":{"description":"Título, ou nome do projeto.","maxLength":200,"minLength":1,"pattern":"^[^\\u0000]*[^\\u0000\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb][^\\u0000]*$","type":"string"}},"required":["title"],"type":"object"},"type":{"const":"section.add","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"section_id":{"description":"Id da seção; em `item.move`, a de destino.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"title":{"description":"Título, ou nome do projeto.","maxLength":200,"minLength":1,"pattern":"^[^\\u0000]*[^\\u0000\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb][^\\u0000]*$","type":"string"}},"required":["section_id","title"],"type":"object"},"type":{"const":"section.rename","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"position":{"description":"Lugar, desde 0; ausente, o fim.","maximum":1000,"minimum":0,"type":"integer"},"section_id":{"description":"Id da seção; em `item.move`, a de destino.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["section_id","position"],"type":"object"},"type":{"const":"section.move","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"section_id":{"description":"Id da seção; em `item.move`, a de destino.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["section_id"],"type":"object"},"type":{"const":"section.remove","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"assignee_member_ids":{"description":"Responsáveis, `id` de `list_team`; vazia, nenhum.","items":{"maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"maxItems":20,"type":"array","uniqueItems":true},"due_on":{"description":"Dia de Brasília; ausente, apaga.","format":"date","type":"string"},"notes":{"description":"Notas ou descrição; vazio apaga.","maxLength":10000,"pattern":"^[^\\u0000]*$","type":"string"},"position":{"description":"Lugar, desde 0; ausente, o fim.","maximum":1000,"minimum":0,"type":"integer"},"section_id":{"description":"Id da seção; em `item.move`, a de destino.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"title":{"description":"Título, ou nome do projeto.","maxLength":200,"minLength":1,"pattern":"^[^\\u0000]*[^\\u0000\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb][^\\u0000]*$","type":"string"}},"required":["section_id","title"],"type":"object"},"type":{"const":"item.add","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"notes":{"description":"Notas ou descrição; vazio apaga.","maxLength":10000,"pattern":"^[^\\u0000]*$","type":"string"},"title":{"description":"Título, ou nome do projeto.","maxLength":200,"minLength":1,"pattern":"^[^\\u0000]*[^\\u0000\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb][^\\u0000]*$","type":"string"}},"required":["item_id"],"type":"object"},"type":{"const":"item.update","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"position":{"description":"Lugar, desde 0; ausente, o fim.","maximum":1000,"minimum":0,"type":"integer"},"section_id":{"description":"Id da seção; em `item.move`, a de destino.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id"],"type":"object"},"type":{"const":"item.move","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id"],"type":"object"},"type":{"const":"item.complete","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id"],"type":"object"},"type":{"const":"item.reopen","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id"],"type":"object"},"type":{"const":"item.remove","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"assignee_member_ids":{"description":"Responsáveis, `id` de `list_team`; vazia, nenhum.","items":{"maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"maxItems":20,"type":"array","uniqueItems":true},"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id","assignee_member_ids"],"type":"object"},"type":{"const":"item.assign","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"due_on":{"description":"Dia de Brasília; ausente, apaga.","format":"date","type":"string"},"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id"],"type":"object"},"type":{"const":"item.schedule","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"event_id":{"description":"Id do evento.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id","event_id"],"type":"object"},"type":{"const":"item.link_event","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"event_id":{"description":"Id do evento.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"},"item_id":{"description":"Id do item.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["item_id","event_id"],"type":"object"},"type":{"const":"item.unlink_event","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"title":{"description":"Título, ou nome do projeto.","maxLength":200,"minLength":1,"pattern":"^[^\\u0000]*[^\\u0000\\u0001-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb][^\\u0000]*$","type":"string"}},"required":["title"],"type":"object"},"type":{"const":"project.rename","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"notes":{"description":"Notas ou descrição; vazio apaga.","maxLength":10000,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["notes"],"type":"object"},"type":{"const":"project.describe","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"ends_on":{"description":"Ausente, apaga.","format":"date","type":"string"},"starts_on":{"description":"Ausente, apaga.","format":"date","type":"string"}},"type":"object"},"type":{"const":"project.schedule","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{},"type":"object"},"type":{"const":"project.archive","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{},"type":"object"},"type":{"const":"project.restore","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"member_id":{"description":"Id do membro; quem sai deixa os itens abertos.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["member_id"],"type":"object"},"type":{"const":"member.add","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"},{"additionalProperties":true,"properties":{"payload":{"additionalProperties":false,"properties":{"member_id":{"description":"Id do membro; quem sai deixa os itens abertos.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},"required":["member_id"],"type":"object"},"type":{"const":"member.remove","description":"O tipo da operação.","type":"string"}},"required":["type","payload"],"type":"object"}],"properties":{"payload":{"additionalProperties":false,"description":"Só os campos do tipo; sem campos, `{}`. section: add(title, position?) rename(section_id, title) move(position, section_id) remove(section_id); item: add(section_id, title, assignee_member_ids?, due_on?, notes?, position?) update(item_id, notes?, title?) move(item_id, position?, section_id?) complete|reopen|remove(item_id) assign(assignee_member_ids, item_id) schedule(item_id, due_on?) link_event|unlink_event(event_id, item_id); project: rename(title) describe(notes) schedule(ends_on?, starts_on?) archive|restore(); member: add|remove(member_id).","properties":{"assignee_member_ids":{"description":"`id` de `list_team`; vazia, nenhum.","items":{"maxLength":64,"minLength":1,"type":"string"},"maxItems":20,"type":"array","uniqueItems":true},"due_on":{"description":"Dia de Brasília; ausente, apaga.","format":"date","type":"string"},"ends_on":{"description":"Ausente, apaga.","format":"date","type":"string"},"event_id":{"maxLength":64,"minLength":1,"type":"string"},"item_id":{"maxLength":64,"minLength":1,"type":"string"},"member_id":{"description":"Quem sai deixa os itens abertos.","maxLength":64,"minLength":1,"type":"string"},"notes":{"description":"Vazio apaga.","maxLength":10000,"type":"string"},"position":{"description":"Desde 0; ausente, o fim.","maximum":1000,"minimum":0,"type":"integer"},"section_id":{"description":"Em `item.move`, a de destino.","maxLength":64,"minLength":1,"type":"string"},"starts_on":{"description":"Ausente, apaga.","format":"date","type":"string"},"title":{"maxLength":200,"minLength":1,"type":"string"}},"type":"object"},"type":{"description":"O tipo da operação.","enum":["section.add","section.rename","section.move","section.remove","item.add","item.update","item.move","item.complete","item.reopen","item.remove","item.assign","item.schedule","item.link_event","item.unlink_event","project.rename","project.describe","project.schedule","project.archive","project.restore","member.add","member.remove"],"type":"string"}},"required":["type","payload"],"type":"object","x-described-by":"apply_project_operation"},"maxItems":50,"minItems":1,"type":"array"}},{"in":"path","name":"projectId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/projects/{projectId}/batch","slow":false,"summary":"Aplicar operações ao projeto"},
    {"access":"member","area":"search","capabilities":[],"description":"Procura eventos, projetos, e-mails, mídias, skills, documentos e pessoas pelas palavras.\n\nVale o radical de cada palavra, sem acento (`pães` acha `pão`); a última também acha as que começam com ela, a não ser que um espaço a termine. Traz só o que quem chama pode listar. Primeiro vem o que tem todas as palavras no título, depois o mais recente.","document":false,"effect":"read","example":{"limite":5,"q":"canjica","tipos":"evento,projeto"},"keyed":false,"method":"GET","name":"search_everything","parameters":[{"in":"query","name":"limite","required":false,"schema":{"default":8,"description":"Quantos resultados de cada tipo, no máximo.","maximum":50,"minimum":1,"type":"integer"}},{"in":"query","name":"q","required":true,"schema":{"description":"As palavras.","maxLength":200,"minLength":1,"type":"string"}},{"in":"query","name":"tipos","required":false,"schema":{"description":"Só estes tipos, separados por vírgula: `evento`, `projeto`, `email`, `midia`, `skill`, `documento`, `pessoa`.","pattern":"^(evento|projeto|email|midia|skill|documento|pessoa)(,(evento|projeto|email|midia|skill|documento|pessoa)){0,6}$","type":"string"}}],"path":"/api/busca","slow":false,"summary":"Procurar em tudo"},
    {"access":"member","area":"publishing","capabilities":["connections_view"],"description":"Lista as redes que o serviço pode conectar (`providers`; vazia, nenhuma foi configurada) e as contas conectadas, com nome, estado e validade.\n\nConsulte antes de `publish_shortvideo`.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"list_connected_accounts","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/oauth/_accounts","slow":false,"summary":"Listar contas conectadas"},
    {"access":"session","area":"publishing","capabilities":["connections"],"description":"Começa a conexão da equipe com uma rede social.\n\nAbra o `url` da resposta no mesmo navegador em até 10 minutos: a autorização só é aceita onde começou, e uma vez. Começar de novo invalida o começo anterior da mesma pessoa nessa rede.","document":false,"effect":"write","example":{"provider":"youtube"},"keyed":false,"method":"POST","name":"start_o_auth_connection","parameters":[{"in":"path","name":"provider","required":true,"schema":{"description":"Rede registrada: `shortvideo`, `instagram`, `youtube` ou `linkedin`.","examples":["shortvideo"],"type":"string"}}],"path":"/oauth/{provider}/start","slow":false,"summary":"Começar a conectar uma rede social"},
    {"access":"session","area":"publishing","capabilities":["connections"],"description":"Desconecta a conta da equipe em uma rede social.\n\nA Pauta apaga a credencial e pede à rede que a revogue. Se a rede não responde, a conta fica desconectada mesmo assim, e `avisos` diz o que fazer nela.","document":false,"effect":"destroy","example":{"provider":"linkedin"},"keyed":true,"method":"POST","name":"disconnect_o_auth_account","parameters":[{"in":"path","name":"provider","required":true,"schema":{"description":"Rede conectada.","examples":["shortvideo"],"type":"string"}}],"path":"/oauth/{provider}/disconnect","slow":true,"summary":"Desconectar uma rede social"},
    {"access":"member","area":"publishing","capabilities":["connections_view"],"description":"Pergunta ao TikTok o que a conta conectada pode publicar agora: `privacy_level`, duração máxima e o que está desligado. Leia antes de `publish_shortvideo`.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_shortvideo_creator_info","parameters":[],"path":"/oauth/shortvideo/creator-info","slow":true,"summary":"Ler opções da conta do TikTok"},
    {"access":"member","area":"publishing","capabilities":["publish"],"description":"Publica (posta) fotos ou um vídeo na conta conectada do TikTok.\n\nMídia de evento, só com ele `aprovado`. O resultado sai em `list_shortvideo_publications`. Com `OUTCOME_UNKNOWN`, não repita.","document":false,"effect":"destroy","example":{"caption":"Feira de sábado: abóbora, milho e conversa #feira","mediaIds":["01990000-0000-7000-8000-000000000022"],"privacy_level":"SELF_ONLY"},"keyed":true,"method":"POST","name":"publish_shortvideo","parameters":[{"in":"body","name":"auto_add_music","required":false,"schema":{"description":"Só fotos.","type":"boolean"}},{"in":"body","name":"brand_content_toggle","required":false,"schema":{"description":"Parceria paga.","type":"boolean"}},{"in":"body","name":"brand_organic_toggle","required":false,"schema":{"description":"Marca própria.","type":"boolean"}},{"in":"body","name":"caption","required":false,"schema":{"description":"Ausente, a do evento.","maxLength":4000,"type":"string"}},{"in":"body","name":"despite_publication_id","required":false,"schema":{"description":"Publica apesar desta: `unknown` que uma pessoa viu fora do ar, ou `published` a repetir.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"disable_comment","required":false,"schema":{"description":"Sem comentários.","type":"boolean"}},{"in":"body","name":"disable_duet","required":false,"schema":{"description":"Só vídeo.","type":"boolean"}},{"in":"body","name":"disable_stitch","required":false,"schema":{"description":"Só vídeo.","type":"boolean"}},{"in":"body","name":"event_id","required":false,"schema":{"description":"Se mais de um evento aprovado tem as mídias.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"mediaIds","required":true,"schema":{"description":"Em ordem: até 35 fotos, ou um vídeo.","items":{"maxLength":64,"minLength":1,"pattern":"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$","type":"string"},"maxItems":35,"minItems":1,"type":"array","uniqueItems":true}},{"in":"body","name":"privacy_level","required":false,"schema":{"description":"Um de `get_shortvideo_creator_info`.","maxLength":60,"type":"string"}},{"in":"body","name":"type","required":false,"schema":{"default":"PHOTO","description":"Fotos ou vídeo.","enum":["PHOTO","VIDEO"],"type":"string"}}],"path":"/oauth/shortvideo/publish","slow":true,"summary":"Publicar no TikTok"},
    {"access":"member","area":"publishing","capabilities":["connections_view"],"description":"Lista as publicações no TikTok, as novas antes: estado, por que falhou e o que fazer.","document":false,"effect":"read","example":{"limit":5},"keyed":false,"method":"GET","name":"list_shortvideo_publications","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"event_id","required":false,"schema":{"description":"Só as deste evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"publication_id","required":false,"schema":{"description":"Só esta.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/oauth/shortvideo/publications","slow":false,"summary":"Listar publicações no TikTok"},
    {"access":"member","area":"publishing","capabilities":["publish"],"description":"Lista as publicações das variantes, pela hora: as agendadas, as que saíram e as que esperam uma pessoa.","document":false,"effect":"read","example":{"status":"scheduled"},"keyed":false,"method":"GET","name":"list_publications","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"esperam","required":false,"schema":{"default":false,"description":"Só as que esperam a hora ou uma pessoa.","type":"boolean"}},{"in":"query","name":"event_id","required":false,"schema":{"description":"Só as deste evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"publication_id","required":false,"schema":{"description":"Só esta.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"status","required":false,"schema":{"description":"Só neste estado.","enum":["scheduled","preparing","ready","publishing","checking","published","failed","unknown","late","canceled"],"type":"string"}}],"path":"/api/publicacoes","slow":false,"summary":"Listar publicações das variantes"},
    {"access":"member","area":"publishing","capabilities":["publish"],"description":"Pausa todas as publicações, agendadas ou pedidas na hora, numa crise, ou as retoma.\n\nNa retomada, o que passou demais da hora espera uma pessoa.","document":false,"effect":"write","example":{"paused":true,"reason":"Crise no atendimento"},"keyed":true,"method":"POST","name":"pause_publishing","parameters":[{"in":"body","name":"paused","required":true,"schema":{"description":"`true` pausa, `false` retoma.","type":"boolean"}},{"in":"body","name":"reason","required":false,"schema":{"description":"Por quê.","maxLength":300,"minLength":1,"type":"string"}}],"path":"/api/publicacoes/pausa","slow":false,"summary":"Pausar ou retomar publicações"},
    {"access":"member","area":"publishing","capabilities":["publish"],"description":"Decide sobre a publicação de uma variante: `publicar_agora`, `cancelar`, `no_ar` (com o link) ou `tentar_de_novo`.\n\n`unknown` só com uma pessoa que olhou a conta.","document":false,"effect":"destroy","example":{"action":"cancelar","publication_id":"01990000-0000-7000-8000-000000000151"},"keyed":true,"method":"POST","name":"decide_publication","parameters":[{"in":"body","name":"action","required":true,"schema":{"description":"A decisão.","enum":["publicar_agora","cancelar","no_ar","tentar_de_novo"],"type":"string"}},{"in":"body","name":"link","required":false,"schema":{"description":"O endereço do post no ar, com `https://`.","maxLength":2000,"minLength":9,"type":"string"}},{"in":"path","name":"publication_id","required":true,"schema":{"description":"Id da publicação.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/publicacoes/{publication_id}/decisao","slow":false,"summary":"Decidir sobre uma publicação"},
    {"access":"member","area":"publishing","capabilities":["analytics"],"description":"Lista os posts que o serviço publicou e o que deram (30 dias): o que funcionou.","document":false,"effect":"read","example":{"ordem":"alcance"},"keyed":false,"method":"GET","name":"list_results","parameters":[{"in":"query","name":"channel","required":false,"schema":{"description":"Só este canal.","maxLength":60,"minLength":1,"type":"string"}},{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"event_id","required":false,"schema":{"description":"Só deste evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"idade","required":false,"schema":{"description":"A leitura que ordena; ausente, a última.","enum":["1h","24h","7d","30d"],"type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"ordem","required":false,"schema":{"description":"Do maior ao menor; ausente, os mais novos.","enum":["publicado_em","alcance","visualizacoes","curtidas","comentarios","compartilhamentos","salvos","cliques"],"type":"string"}},{"in":"query","name":"projeto_id","required":false,"schema":{"description":"Só deste projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/resultados","slow":false,"summary":"Listar resultados"},
    {"access":"member","area":"publishing","capabilities":["publish"],"description":"Lembra quem chama, daqui a uma hora, do post que espera ser publicado à mão.\n\nQuem chama não é lembrado se até lá o post for registrado, mudar ou tiver outra hora.","document":false,"effect":"write","example":{"canal":"whatsapp","eventId":"01990000-0000-7000-8000-000000000064","formato":"post"},"keyed":true,"method":"POST","name":"snooze_post_reminder","parameters":[{"in":"body","name":"canal","required":true,"schema":{"description":"O canal.","maxLength":60,"minLength":1,"type":"string"}},{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"formato","required":true,"schema":{"description":"O formato.","enum":["post","feed","story","reel","video","short","documento"],"type":"string"}}],"path":"/api/eventos/{eventId}/lembrete","slow":false,"summary":"Lembrar de novo em 1 h"},
    {"access":"session","area":"platforms","capabilities":["team_admin"],"description":"Lista as plataformas que têm senha, pelo nome, sem as senhas.","document":false,"effect":"read","example":{"limit":20},"keyed":false,"method":"GET","name":"list_platform_passwords","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/plataformas","slow":false,"summary":"Listar plataformas com senha"},
    {"access":"session","area":"platforms","capabilities":["team_admin"],"description":"Lê a senha de uma plataforma.\n\nCada leitura fica na auditoria. Uma senha que nunca foi definida, ou foi apagada, responde 404.","document":false,"effect":"read","example":{"platformId":"hotmart"},"keyed":false,"method":"GET","name":"get_platform_password","parameters":[{"in":"path","name":"platformId","required":true,"schema":{"description":"Nome da plataforma, como a equipe a chama.","pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$","type":"string"}}],"path":"/api/plataformas/{platformId}/senha","slow":false,"summary":"Ler a senha de uma plataforma"},
    {"access":"session","area":"platforms","capabilities":["team_admin"],"description":"Define ou apaga a senha de uma plataforma.\n\nA senha é guardada cifrada. `senha` nula a apaga, com o usuário; sem `usuario`, o de antes sai.","document":false,"effect":"destroy","example":{"platformId":"hotmart","senha":"uma-senha-de-exemplo","usuario":"redacao@pauta.test"},"keyed":false,"method":"PUT","name":"put_platform_password","parameters":[{"in":"path","name":"platformId","required":true,"schema":{"description":"Nome da plataforma, como a equipe a chama.","pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$","type":"string"}},{"in":"body","name":"senha","required":true,"schema":{"description":"Senha nova; nula apaga a que há.","maxLength":4096,"minLength":1,"type":["string","null"]}},{"in":"body","name":"usuario","required":false,"schema":{"description":"Nome de usuário na plataforma.","maxLength":320,"minLength":1,"type":"string"}}],"path":"/api/plataformas/{platformId}/senha","slow":false,"summary":"Definir ou apagar a senha de uma plataforma"},
    {"access":"member","area":"video","capabilities":["video"],"description":"Gera um vídeo no provedor: custa e leva minutos; confirme antes com a pessoa. Acompanhe com `get_video_generation`.\n\nA mesma chave não paga de novo. O evento fica `processing` até o fim.","document":false,"effect":"write","example":{"aspect":"9:16","duration_s":8,"event_id":"01990000-0000-7000-8000-000000000014","prompt":"Curau mexido na panela de ferro, luz da manhã, vapor subindo"},"keyed":true,"method":"POST","name":"start_video_generation","parameters":[{"in":"body","name":"aspect","required":true,"schema":{"description":"Proporção.","enum":["9:16","16:9","1:1"],"type":"string"}},{"in":"body","name":"despite_video_id","required":false,"schema":{"description":"O em produção deste evento, apesar dele.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"duration_s","required":false,"schema":{"description":"Segundos.","maximum":60,"minimum":1,"type":"integer"}},{"in":"body","name":"event_id","required":false,"schema":{"description":"Evento editável.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"media_id","required":false,"schema":{"description":"Imagem com que começa.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"prompt","required":true,"schema":{"description":"O que se vê.","maxLength":4000,"minLength":1,"type":"string"}}],"path":"/api/reels","slow":false,"summary":"Gerar vídeo"},
    {"access":"member","area":"video","capabilities":["reels_view"],"description":"Mostra um vídeo pedido: `status`, `progress` de 0 a 100, `error` com o motivo e, pronto, `media` com o link.\n\nUm vídeo leva minutos: consulte a cada 30 s.","document":false,"effect":"read","example":{"id":"01990000-0000-7000-8000-000000000052"},"keyed":false,"method":"GET","name":"get_video_generation","parameters":[{"in":"path","name":"id","required":true,"schema":{"description":"Id do vídeo.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/reels/{id}","slow":false,"summary":"Acompanhar vídeo"},
    {"access":"member","area":"video","capabilities":["reels_view"],"description":"Lista os vídeos pedidos pela equipe, os novos antes: estado, progresso, evento e erro.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_video_generations","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"status","required":false,"schema":{"description":"Só este estado.","enum":["queued","in_progress","completed","failed","canceled"],"type":"string"}}],"path":"/api/reels","slow":false,"summary":"Listar vídeos pedidos"},
    {"access":"member","area":"video","capabilities":["video"],"description":"Cancela um vídeo que ainda não ficou pronto. Não tem volta, e o provedor pode cobrar o que já fez.","document":false,"effect":"destroy","example":{"id":"01990000-0000-7000-8000-000000000051"},"keyed":true,"method":"DELETE","name":"cancel_video_generation","parameters":[{"in":"path","name":"id","required":true,"schema":{"description":"Id do vídeo.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/reels/{id}","slow":false,"summary":"Cancelar vídeo"},
    {"access":"webhook","area":"timeline","capabilities":[],"description":"Recebe eventos da jornada: o que as pessoas fizeram em um site. Cada item é julgado sozinho.","document":false,"effect":"write","example":{"eventos":[{"detalhe":{"pagina":"/oferta","utm_campaign":"paes-2026-lote-1","utm_medium":"social","utm_source":"instagram"},"evento":"visitou_pagina","id":"v-1","lancamento":"paes-2026","sessao":"navegador-1"},{"email":"ana@exemplo.com.br","evento":"identificou","id":"i-1","sessao":"navegador-1"}]},"keyed":false,"method":"POST","name":"ingest_timeline_events","parameters":[{"in":"body","name":"eventos","required":true,"schema":{"description":"Os eventos.","items":{"description":"Objeto com `evento` (abriu_checkout, etapa_checkout, identificou, respondeu_enquete ou visitou_pagina), `sessao` e `id` (até 128 caracteres; juntos não se repetem) e, se houver: `email` (obrigatório em identificou e respondeu_enquete; só o hash fica guardado), `produto`, `lancamento`, `ocorreu_em` (até 1 dia de agora; ausente, agora) e `detalhe` (textos: etapa, pagina, origem, lote, utm_*, votacao, opcao, peso, titulo, site, referencia, gclid, fbclid)."},"maxItems":50,"minItems":1,"type":"array"}}],"path":"/api/jornada/eventos","secret":{"env":"PAUTA_JORNADA_TOKEN","header":"x-jornada-token"},"slow":false,"summary":"Receber eventos da jornada"},
    {"access":"webhook","area":"timeline","capabilities":[],"description":"Resume um lead para um CRM externo, pelo e-mail: compras de todas as lojas, primeiro e último toque e as últimas cinco páginas. O e-mail não fica guardado. Visitas anônimas só aparecem depois que a pessoa se identifica na mesma sessão.","document":false,"effect":"read","example":{"email":"ana@exemplo.com.br"},"keyed":false,"method":"POST","name":"get_lead_context","parameters":[{"in":"body","name":"email","required":true,"schema":{"description":"O e-mail da pessoa.","maxLength":254,"minLength":3,"pattern":"^\\s*[!-?A-~]+@[!-?A-~]+\\s*$","type":"string"}}],"path":"/api/jornada/lead","secret":{"env":"PAUTA_JORNADA_LEAD_TOKEN","header":"x-jornada-token"},"slow":false,"summary":"Ler o contexto de um lead"},
    {"access":"member","area":"timeline","capabilities":["vendas"],"description":"Perfil de uma pessoa pelo e-mail: compras, toques, páginas, enquetes, assinaturas e e-mails. Cada consulta fica na auditoria.","document":false,"effect":"read","example":{"email":"ana@exemplo.com.br"},"keyed":false,"method":"POST","name":"get_personal_profile","parameters":[{"in":"body","name":"email","required":true,"schema":{"description":"O e-mail da pessoa.","maxLength":254,"minLength":3,"pattern":"^\\s*[!-?A-~]+@[!-?A-~]+\\s*$","type":"string"}}],"path":"/api/jornada/perfil","slow":false,"summary":"Ler o perfil de uma pessoa"},
    {"access":"webhook","area":"timeline","capabilities":[],"description":"Recebe os eventos de e-mail (SES) de um tópico SNS. A assinatura da mensagem é a credencial; uma mensagem com mais de 1 hora só entra com a credencial de um membro. Repetida, não conta de novo.","document":false,"effect":"write","example":{"Message":"{\"eventType\": \"Open\", \"mail\": {\"timestamp\": \"2026-08-22T14:00:00.000Z\", \"messageId\": \"ses-1\", \"destination\": [\"ana@exemplo.com.br\"], \"tags\": {\"disparo\": [\"d-12\"]}}, \"open\": {\"timestamp\": \"2026-08-22T14:05:00.000Z\"}}","MessageId":"0198c0de-0000-7000-8000-000000000501","Signature":"YXNzaW5hdHVyYSBkbyBTTlM=","SignatureVersion":"2","SigningCertURL":"https://sns.sa-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem","Timestamp":"2026-08-22T15:00:00.000Z","TopicArn":"arn:aws:sns:sa-east-1:123456789012:emails","Type":"Notification"},"keyed":false,"method":"POST","name":"receive_email_delivery_events","parameters":[{"in":"body","name":"Message","required":true,"schema":{"description":"O evento do SES, em JSON.","maxLength":300000,"type":"string"}},{"in":"body","name":"MessageId","required":true,"schema":{"maxLength":100,"type":"string"}},{"in":"body","name":"Signature","required":true,"schema":{"maxLength":2000,"type":"string"}},{"in":"body","name":"SignatureVersion","required":true,"schema":{"maxLength":10,"type":"string"}},{"in":"body","name":"SigningCertURL","required":true,"schema":{"maxLength":2000,"type":"string"}},{"in":"body","name":"Subject","required":false,"schema":{"maxLength":200,"type":"string"}},{"in":"body","name":"SubscribeURL","required":false,"schema":{"maxLength":4000,"type":"string"}},{"in":"body","name":"Timestamp","required":true,"schema":{"format":"date-time","type":"string"}},{"in":"body","name":"Token","required":false,"schema":{"description":"De uma confirmação de assinatura.","maxLength":2000,"type":"string"}},{"in":"body","name":"TopicArn","required":true,"schema":{"maxLength":300,"type":"string"}},{"in":"body","name":"Type","required":true,"schema":{"enum":["Notification","SubscriptionConfirmation","UnsubscribeConfirmation"],"type":"string"}}],"path":"/api/jornada/ses","slow":true,"summary":"Receber eventos de entrega de e-mail"},
    {"access":"member","area":"timeline","capabilities":["config"],"description":"Busca nas lojas e plataformas o que há de novo em vendas, assinaturas e mídia paga, e liga visitas a pessoas. Repetir não duplica nada. Com `inicio` ou `fim`, relê esses dias.","document":false,"effect":"write","example":{"fim":"2026-08-21","inicio":"2026-08-01"},"keyed":true,"method":"POST","name":"synchronize_timeline","parameters":[{"in":"body","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"body","name":"fonte","required":false,"schema":{"description":"Só esta fonte; ausente, todas.","enum":["hotmart","meta"],"type":"string"}},{"in":"body","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}}],"path":"/api/jornada/sincronizar","slow":true,"summary":"Sincronizar jornada"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Lista os lançamentos, os novos antes, com receita, vendas e o `projeto_id` que os painéis pedem.","document":false,"effect":"read","example":{"limit":10},"keyed":false,"method":"GET","name":"list_launches","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/lancamentos","slow":false,"summary":"Listar lançamentos"},
    {"access":"member","area":"launches","capabilities":["config"],"description":"Lista os projetos ativos que ainda não têm lançamento, os novos antes.","document":false,"effect":"read","example":{"limit":10},"keyed":false,"method":"GET","name":"list_projects_without_launch","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}}],"path":"/api/projetos-sem-lancamento","slow":false,"summary":"Listar projetos sem lançamento"},
    {"access":"member","area":"launches","capabilities":["vendas","config"],"description":"Lê o painel de um lançamento como foi gravado: nome, período, meta, produtos, campanhas, código e `revision`.\n\nLeia antes de `update_launch_dashboard`. Números: `get_launch_summary`.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_dashboard","parameters":[{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}","slow":false,"summary":"Ver painel do lançamento"},
    {"access":"member","area":"launches","capabilities":["config"],"description":"Cria o painel de lançamento de um projeto (um por projeto), ou o substitui inteiro; só alguns campos: `update_launch_dashboard`.\n\nSão do lançamento as compras com o código `lancamento` e, sem código, as dos `produtos`; a mídia e as visitas, também pelas `campanhas`.","document":false,"effect":"destroy","example":{"campanhas":["pao_*"],"expected_revision":1,"fim":"2026-08-30","inicio":"2026-08-10","lancamento":"pao-em-casa","meta_centavos":6000000,"nome":"Pão em Casa, turma de outubro","produtos":["pao-em-casa","caderno"],"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":true,"method":"PUT","name":"put_launch_dashboard","parameters":[{"in":"body","name":"campanhas","required":true,"schema":{"description":"`utm_campaign`; `*` é qualquer texto.","items":{"maxLength":200,"minLength":1,"type":"string"},"maxItems":50,"type":"array"}},{"in":"body","name":"expected_revision","required":false,"schema":{"description":"A `revision` lida; 0 se ainda não há. Ausente não confere.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"fim","required":true,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"body","name":"inicio","required":true,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"body","name":"lancamento","required":false,"schema":{"description":"Código de compras e eventos.","maxLength":200,"minLength":1,"type":["string","null"]}},{"in":"body","name":"meta_centavos","required":true,"schema":{"description":"Receita a alcançar.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"moeda","required":false,"schema":{"description":"Ausente, BRL.","pattern":"^[A-Z]{3}$","type":"string"}},{"in":"body","name":"nome","required":true,"schema":{"description":"Nome do lançamento.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"produtos","required":true,"schema":{"description":"`produto_id` das lojas.","items":{"maxLength":200,"minLength":1,"type":"string"},"maxItems":50,"type":"array"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}","slow":false,"summary":"Gravar lançamento"},
    {"access":"member","area":"launches","capabilities":["config"],"description":"Muda só os campos enviados do painel de um lançamento. Leia antes com `get_launch_dashboard`; `produtos` e `campanhas` substituem a lista inteira.","document":false,"effect":"destroy","example":{"meta_centavos":6500000,"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":true,"method":"PATCH","name":"update_launch_dashboard","parameters":[{"in":"body","name":"campanhas","required":false,"schema":{"description":"`utm_campaign`; `*` é qualquer texto.","items":{"maxLength":200,"minLength":1,"type":"string"},"maxItems":50,"type":"array"}},{"in":"body","name":"expected_revision","required":false,"schema":{"description":"A `revision` lida. Ausente não confere.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"body","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"body","name":"lancamento","required":false,"schema":{"description":"Código de compras e eventos.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"meta_centavos","required":false,"schema":{"description":"Receita a alcançar.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"body","name":"moeda","required":false,"schema":{"description":"Como BRL.","pattern":"^[A-Z]{3}$","type":"string"}},{"in":"body","name":"nome","required":false,"schema":{"description":"Nome do lançamento.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"produtos","required":false,"schema":{"description":"`produto_id` das lojas.","items":{"maxLength":200,"minLength":1,"type":"string"},"maxItems":50,"type":"array"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"body","name":"sem_lancamento","required":false,"schema":{"default":false,"description":"Tira o código, se não vem outro.","type":"boolean"}}],"path":"/api/lancamentos/{projetoId}","slow":false,"summary":"Mudar lançamento"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Resume um lançamento: receita, vendas, reembolsos, ticket médio, conversão e dias. Ante a meta: `get_launch_decision_panel`. Sem período, o do lançamento.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_summary","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/resumo","slow":false,"summary":"Resumir lançamento"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Compara um lançamento com a meta: realizado, ritmo, projeção, o que falta por dia e alertas. Dia a dia: `get_launch_summary`.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_decision_panel","parameters":[{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/decisao","slow":false,"summary":"Ver decisão do lançamento"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Conta as pessoas de um lançamento em cada etapa do CRM, como a equipe comercial o importou. Da visita à compra no site: `get_launch_timeline_funnel`. Sem período, o do lançamento.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_crm_funnel","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/funil","slow":false,"summary":"Ver funil do CRM"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Conta sessões e pessoas de um lançamento em cada passo do site, da visita à compra, com taxas. Etapas da equipe comercial: `get_launch_crm_funnel`. Sem período, o do lançamento.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_timeline_funnel","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/jornada","slow":false,"summary":"Ver funil da jornada"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Mostra os anúncios de um lançamento, por campanha e por dia: gasto, impressões, cliques, vendas e retorno. Vendas sem anúncio também: `get_launch_sales_origin`. Sem período, o do lançamento.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_paid_media","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/midia","slow":false,"summary":"Ver mídia paga"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Mostra de onde vieram as vendas de um lançamento, pelo primeiro e pelo último toque.\n\nUm toque é uma visita da pessoa nos 90 dias antes da compra; sem visita, o que a loja informou.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_sales_origin","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/origem","slow":false,"summary":"Ver origem das vendas"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Lista os disparos de e-mail e mensagem de um lançamento, os novos antes: enviados, entregues, abertos, clicados, devolvidos, reclamações, e vendas pelo último toque. Sem período, o do lançamento.","document":false,"effect":"read","example":{"limit":2,"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"list_launch_dispatches","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/disparos","slow":false,"summary":"Listar disparos"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Lista quem comprou em um lançamento, as compras novas antes, sem nome nem e-mail.\n\nOs filtros escolhem compras, pelo valor menos o reembolso; cada linha só conta as escolhidas. O `comprador` só vale neste lançamento. Sem período, o do lançamento.","document":false,"effect":"read","example":{"limit":2,"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"list_launch_buyers","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"produto_id","required":false,"schema":{"description":"Só deste produto.","maxLength":200,"minLength":1,"type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"status","required":false,"schema":{"description":"Só neste estado.","enum":["aprovada","parcial","reembolsada","chargeback"],"type":"string"}},{"in":"query","name":"valor_maximo_centavos","required":false,"schema":{"description":"Maior valor, incluído.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"query","name":"valor_minimo_centavos","required":false,"schema":{"description":"Menor valor.","maximum":9007199254740991,"minimum":0,"type":"integer"}}],"path":"/api/lancamentos/{projetoId}/compradores","slow":false,"summary":"Listar compradores"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Agrupa quem está em um lançamento pelo produto comprado e pelas respostas de enquetes; grupos de menos de 5 pessoas somam em `outros`. Um por um, `list_launch_buyers`. Sem período, o do lançamento.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_profiles","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/perfis","slow":false,"summary":"Ver perfis do lançamento"},
    {"access":"member","area":"launches","capabilities":["vendas"],"description":"Diz se os números de um lançamento merecem confiança: idade de cada fonte, vendas sem origem, devoluções e reclamações de e-mail, alertas. Fonte velha: `synchronize_timeline`. Sem período, o do lançamento.","document":false,"effect":"read","example":{"projetoId":"01990000-0000-7000-8000-000000000041"},"keyed":false,"method":"GET","name":"get_launch_health","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"path","name":"projetoId","required":true,"schema":{"description":"Id do projeto.","maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/lancamentos/{projetoId}/saude","slow":false,"summary":"Conferir dados do lançamento"},
    {"access":"member","area":"sales","capabilities":["vendas"],"description":"Resume as vendas do mês ou de outro período (relatório): totais, por dia, produto e loja. Por vendedor: `get_commercial_team_sales`; por canal e origem, num lançamento: `get_launch_sales_origin`. Sem período, os últimos 30 dias.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_sales_summary","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}}],"path":"/api/vendas/resumo","slow":false,"summary":"Resumir vendas"},
    {"access":"member","area":"sales","capabilities":["vendas"],"description":"Mostra vendas, receita e comissão de cada vendedor, pelas taxas de `comercial.comissoes`. Por produto e loja: `get_sales_summary`. Sem período, os últimos 30 dias.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_commercial_team_sales","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}}],"path":"/api/vendas/comercial","slow":false,"summary":"Ver vendas da equipe comercial"},
    {"access":"member","area":"subscriptions","capabilities":["vendas"],"description":"Resume as assinaturas, também por plano: ativas, novas, canceladas, em atraso, churn e receita mensal. Quem saiu: `list_leaving_subscribers`. Sem período, os últimos 30 dias.","document":false,"effect":"read","example":{},"keyed":false,"method":"GET","name":"get_subscription_summary","parameters":[{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"query","name":"plano","required":false,"schema":{"description":"Só este plano.","maxLength":200,"minLength":1,"type":"string"}}],"path":"/api/subs/resumo","slow":false,"summary":"Resumir assinaturas"},
    {"access":"member","area":"subscriptions","capabilities":["vendas"],"description":"Lista as assinaturas canceladas, da última à primeira, com plano, valor por mês e motivo.\n\nNúmeros: `get_subscription_summary`. Anotar um motivo: `record_cancellation_reason`. Sem período, os últimos 30 dias.","document":false,"effect":"read","example":{"limit":2},"keyed":false,"method":"GET","name":"list_leaving_subscribers","parameters":[{"in":"query","name":"cursor","required":false,"schema":{"description":"O `next_cursor` anterior.","maxLength":2048,"minLength":1,"type":"string"}},{"in":"query","name":"fim","required":false,"schema":{"description":"Último dia.","format":"date","type":"string"}},{"in":"query","name":"inicio","required":false,"schema":{"description":"Dia de Brasília.","format":"date","type":"string"}},{"in":"query","name":"limit","required":false,"schema":{"default":100,"description":"Por página.","maximum":200,"minimum":1,"type":"integer"}},{"in":"query","name":"motivo","required":false,"schema":{"description":"Só com este último motivo.","enum":["preco","conteudo","tempo","tecnico","outro"],"type":"string"}},{"in":"query","name":"plano","required":false,"schema":{"description":"Só as deste plano.","maxLength":200,"minLength":1,"type":"string"}},{"in":"query","name":"sem_motivo","required":false,"schema":{"default":false,"description":"Só sem motivo.","type":"boolean"}},{"in":"query","name":"valor_maximo_centavos","required":false,"schema":{"description":"Maior valor, incluído.","maximum":9007199254740991,"minimum":0,"type":"integer"}},{"in":"query","name":"valor_minimo_centavos","required":false,"schema":{"description":"Menor valor.","maximum":9007199254740991,"minimum":0,"type":"integer"}}],"path":"/api/subs/saidas","slow":false,"summary":"Listar saídas de assinantes"},
    {"access":"member","area":"subscriptions","capabilities":["vendas"],"description":"Registra por que um assinante saiu, como a equipe soube. Vale o último motivo; os anteriores ficam guardados.","document":false,"effect":"write","example":{"assinatura_id":"CLUBE-0001","motivo":"preco","texto":"Achou caro depois do reajuste."},"keyed":true,"method":"POST","name":"record_cancellation_reason","parameters":[{"in":"body","name":"assinatura_id","required":true,"schema":{"description":"O `assinatura_id` de `list_leaving_subscribers`.","maxLength":200,"minLength":1,"type":"string"}},{"in":"body","name":"motivo","required":true,"schema":{"description":"O principal.","enum":["preco","conteudo","tempo","tecnico","outro"],"type":"string"}},{"in":"body","name":"texto","required":false,"schema":{"description":"Detalhe, sem nome, e-mail nem telefone.","maxLength":2000,"minLength":1,"type":"string"}}],"path":"/api/subs/cancelamentos","slow":false,"summary":"Registrar motivo de saída"},
    {"access":"public","area":"system","capabilities":[],"description":"200 quando o banco de dados aceita escritas e o armazenamento de mídias responde; senão 503, com o motivo em uma linha.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_readiness","parameters":[],"path":"/readyz","slow":false,"summary":"Verificar se o serviço pode atender"},
    {"access":"public","area":"auth","capabilities":[],"description":"A página em que uma pessoa convidada define sua senha. O código do convite fica no fragmento do endereço, que o navegador não envia.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_invitation_page","parameters":[],"path":"/convite","slow":false,"summary":"Abrir a página do convite"},
    {"access":"public","area":"auth","capabilities":[],"description":"A página em que quem esqueceu a senha define outra. O código do link fica no fragmento do endereço, que o navegador não envia.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_password_reset_page","parameters":[],"path":"/redefinir-senha","slow":false,"summary":"Abrir a página da senha nova"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O contrato OpenAPI 3.1 desta instalação, gerado do registro de operações. Com `perfil=chatgpt`, o recorte que cabe nas ações de um GPT.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_openapi_json_artifact","parameters":[{"in":"query","name":"perfil","required":false,"schema":{"description":"`chatgpt`: só o que cabe nas ações de um GPT.","pattern":"^chatgpt$","type":"string"}}],"path":"/api/ai/openapi.json","slow":false,"summary":"Baixar o contrato OpenAPI em JSON"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O mesmo contrato OpenAPI 3.1, em YAML.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_openapi_yaml_artifact","parameters":[],"path":"/api/ai/openapi.yaml","slow":false,"summary":"Baixar o contrato OpenAPI em YAML"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O que é este serviço e onde está cada documento, em poucas linhas.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_llms_txt_artifact","parameters":[],"path":"/api/ai/llms.txt","slow":false,"summary":"Baixar o índice para agentes"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Fluxos, estados, permissões, erros e cada operação com exemplos para curl e MCP, em um só texto.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_llms_full_txt_artifact","parameters":[],"path":"/api/ai/llms-full.txt","slow":false,"summary":"Baixar a referência completa para agentes"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Uma coleção v2.1 com uma pasta por área, exemplos e um teste por pedido. Só traz variáveis no lugar de credenciais.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_postman_json_artifact","parameters":[],"path":"/api/ai/postman.json","slow":false,"summary":"Baixar a coleção do Postman"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"A skill com que um agente usa este serviço só com HTTP.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_skill_md_artifact","parameters":[],"path":"/api/ai/SKILL.md","slow":false,"summary":"Baixar a skill"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"A skill e suas referências em um zip, idêntico a cada geração. O SHA-256 está no manifesto.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_skill_zip_artifact","parameters":[],"path":"/api/ai/skill.zip","slow":false,"summary":"Baixar o pacote da skill"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Versão, e de cada artefato o endereço, o tamanho e o SHA-256 dos bytes servidos.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_manifest_json_artifact","parameters":[],"path":"/api/ai/manifest.json","slow":false,"summary":"Baixar o manifesto dos artefatos"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Como ligar cada cliente MCP a este serviço, e o que cada um não faz.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_mcp_setup_md_artifact","parameters":[],"path":"/api/ai/mcp-setup.md","slow":false,"summary":"Baixar a configuração da MCP"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Uma regra de projeto para o Cursor usar este serviço.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_cursor_mdc_artifact","parameters":[],"path":"/api/ai/cursor.mdc","slow":false,"summary":"Baixar a regra para o Cursor"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Como usar este serviço no Claude Code, no Claude Desktop e em claude.ai.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_claude_md_artifact","parameters":[],"path":"/api/ai/claude.md","slow":false,"summary":"Baixar o guia para o Claude"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Como usar este serviço no ChatGPT: ações, skills e o que não dá.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_chatgpt_md_artifact","parameters":[],"path":"/api/ai/chatgpt.md","slow":false,"summary":"Baixar o guia para o ChatGPT"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Um arquivo para Node 18 ou mais novo, sem dependências: um comando por operação.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_cli_mjs_artifact","parameters":[],"path":"/api/ai/cli.mjs","slow":false,"summary":"Baixar a linha de comando"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"A ficha (`server.json`) com que o registro da MCP descreve este servidor; o domínio é uma variável.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_server_json_artifact","parameters":[],"path":"/api/ai/server.json","slow":false,"summary":"Baixar a ficha para o registro da MCP"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"A skill e o servidor MCP em um plugin para o Claude, idêntico a cada geração.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_claude_plugin_artifact","parameters":[],"path":"/api/ai/claude-plugin.zip","slow":false,"summary":"Baixar o plugin para o Claude"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O catálogo de que `claude plugin marketplace add` instala o plugin, com o SHA-256 dele.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_marketplace_artifact","parameters":[],"path":"/api/ai/marketplace.json","slow":false,"summary":"Baixar o catálogo de plugins para o Claude"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"A skill com ícones e `agents/openai.yaml`, que nomeia o servidor MCP, para o ChatGPT e o Codex.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_openai_skill_artifact","parameters":[],"path":"/api/ai/openai-skill.zip","slow":false,"summary":"Baixar o pacote da skill para a OpenAI"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O ícone da Pauta, com 512 pixels de lado.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_icon_png_artifact","parameters":[],"path":"/api/ai/icon.png","slow":false,"summary":"Baixar o ícone em PNG"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O ícone da Pauta, em qualquer tamanho.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_icon_svg_artifact","parameters":[],"path":"/api/ai/icon.svg","slow":false,"summary":"Baixar o ícone em SVG"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"O índice de skills no endereço convencional (Agent Skills Discovery 0.2), com o SHA-256 da skill.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_skill_index","parameters":[],"path":"/.well-known/agent-skills/index.json","slow":false,"summary":"Baixar o índice de skills"},
    {"access":"public","area":"artifacts","capabilities":[],"description":"Um arquivo a que a skill se refere.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_skill_reference","parameters":[{"in":"path","name":"file","required":true,"schema":{"description":"Nome do arquivo.","examples":["fluxos.md"],"pattern":"^[a-z-]{1,40}\\.md$","type":"string"}}],"path":"/.well-known/agent-skills/pauta/references/{file}","slow":false,"summary":"Baixar uma referência da skill"},
    {"access":"member","area":"mcp","capabilities":[],"description":"Uma mensagem JSON-RPC 2.0 do Model Context Protocol, sem estado entre chamadas. As ferramentas são as operações deste contrato que têm `x-mcp-tool`, com a mesma permissão, revisão e idempotência.","document":false,"effect":"write","example":{"id":1,"jsonrpc":"2.0","method":"tools/list"},"keyed":false,"method":"POST","name":"post_mcp","open":true,"parameters":[],"path":"/api/mcp","slow":false,"summary":"Chamar uma ferramenta por MCP"},
    {"access":"public","area":"mail","capabilities":[],"description":"A página do endereço secreto que vai em cada e-mail de avisos: um botão para não recebê-los mais.","document":true,"effect":"read","keyed":false,"method":"GET","name":"unsubscribe_page","parameters":[{"in":"path","name":"membro","required":true,"schema":{"description":"Id do membro.","examples":["01990000-0000-7000-8000-000000000001"],"type":"string"}},{"in":"path","name":"tipo","required":true,"schema":{"description":"O tipo de notificação, ou `todas`.","examples":["atribuicao"],"type":"string"}},{"in":"path","name":"segredo","required":true,"schema":{"description":"O segredo do endereço.","examples":["segredo-de-exemplo"],"type":"string"}}],"path":"/avisos/cancelar/{membro}/{tipo}/{segredo}","slow":false,"summary":"Abrir a página de cancelar e-mails"},
    {"access":"public","area":"mail","capabilities":[],"description":"Cancela os e-mails de um tipo de aviso com um clique, sem entrar (RFC 8058). Isto muda só os e-mails.","document":true,"effect":"write","keyed":false,"method":"POST","name":"unsubscribe","parameters":[{"in":"path","name":"membro","required":true,"schema":{"description":"Id do membro.","examples":["01990000-0000-7000-8000-000000000001"],"type":"string"}},{"in":"path","name":"tipo","required":true,"schema":{"description":"O tipo de notificação, ou `todas`.","examples":["atribuicao"],"type":"string"}},{"in":"path","name":"segredo","required":true,"schema":{"description":"O segredo do endereço.","examples":["segredo-de-exemplo"],"type":"string"}}],"path":"/avisos/cancelar/{membro}/{tipo}/{segredo}","slow":false,"summary":"Cancelar os e-mails de um tipo de aviso"},
    {"access":"public","area":"media","capabilities":[],"description":"Os bytes de uma mídia. O link vem assinado nas respostas das operações e vale 7 dias; aceita HEAD, Range e If-None-Match.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_media","parameters":[{"in":"path","name":"id","required":true,"schema":{"description":"Identificador.","minLength":1,"type":"string"}},{"in":"query","name":"exp","required":true,"schema":{"description":"Até quando vale, em segundos Unix.","pattern":"^[0-9]{1,12}$","type":"string"}},{"in":"query","name":"sig","required":true,"schema":{"description":"Assinatura do link.","pattern":"^[A-Za-z0-9._-]{1,128}$","type":"string"}}],"path":"/media/{id}","slow":false,"summary":"Baixar mídia por link assinado"},
    {"access":"member","area":"media","capabilities":["tasks_view"],"description":"As mídias na ordem da publicação, a legenda e os textos alternativos, em um zip, para publicar à mão.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_event_package","parameters":[{"in":"path","name":"eventId","required":true,"schema":{"description":"Id do evento.","examples":["01990000-0000-7000-8000-000000000017"],"maxLength":64,"minLength":1,"type":"string"}}],"path":"/api/eventos/{eventId}/pacote.zip","slow":false,"summary":"Baixar tudo de uma peça"},
    {"access":"guest","area":"guests","capabilities":[],"description":"Os bytes de uma mídia das peças de um link de convidado.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_guest_media","parameters":[{"in":"path","name":"link","required":true,"schema":{"description":"O segredo do link.","examples":["convidada-de-exemplo-do-demo-da-Pauta-00001"],"type":"string"}},{"in":"path","name":"mediaId","required":true,"schema":{"description":"Id da mídia.","examples":["01990000-0000-7000-8000-000000000021"],"maxLength":64,"minLength":1,"type":"string"}},{"in":"query","name":"canal","required":false,"schema":{"description":"O canal.","maxLength":60,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},{"in":"query","name":"formato","required":false,"schema":{"description":"O formato.","enum":["post","feed","story","reel","video","short","documento"],"type":"string"}},{"in":"query","name":"peca","required":false,"schema":{"description":"Com `canal` e `formato`: a imagem como este canal desta peça a recorta.","maxLength":64,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}}],"path":"/convidado/{link}/midia/{mediaId}","slow":false,"summary":"Ver mídia de um link de convidado"},
    {"access":"public","area":"calendar_feeds","capabilities":[],"description":"O calendário de um endereço secreto (RFC 5545), para um programa de calendário.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_calendar_feed","parameters":[{"in":"path","name":"calendario","required":true,"schema":{"description":"O segredo do endereço.","examples":["agenda-assinada-de-exemplo-do-demo-da-Pauta"],"type":"string"}}],"path":"/calendario/{calendario}/agenda.ics","slow":false,"summary":"Ler um calendário"},
    {"access":"public","area":"publishing","capabilities":[],"description":"Para onde a rede devolve a pessoa, no navegador em que a conexão começou. Pede `state` e `code`; o `state` vale uma vez, por 10 minutos.","document":true,"effect":"read","keyed":false,"method":"GET","name":"complete_o_auth_connection","parameters":[{"in":"path","name":"provider","required":true,"schema":{"description":"Rede registrada.","examples":["shortvideo"],"type":"string"}},{"in":"query","name":"code","required":false,"schema":{"description":"Código da autorização; a rede o envia quando a pessoa autoriza.","examples":["exemplo"],"maxLength":4000,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}},{"in":"query","name":"error","required":false,"schema":{"description":"Código do erro, quando a pessoa ou a rede não autoriza.","maxLength":200,"pattern":"^[^\\u0000]*$","type":"string"}},{"in":"query","name":"state","required":false,"schema":{"description":"O `state` que a conexão levou à rede.","examples":["exemplo"],"maxLength":200,"minLength":1,"pattern":"^[^\\u0000]*$","type":"string"}}],"path":"/oauth/{provider}/callback","slow":false,"summary":"Concluir a conexão com uma rede social"},
    {"access":"member","area":"publishing","capabilities":["connections_view"],"description":"O estado da conexão com uma rede, em uma página para pessoas: conta, validade, renovação e a última falha.","document":true,"effect":"read","keyed":false,"method":"GET","name":"get_o_auth_status_page","parameters":[{"in":"path","name":"provider","required":true,"schema":{"description":"Rede registrada.","examples":["shortvideo"],"type":"string"}}],"path":"/oauth/{provider}/status","slow":false,"summary":"Ver o estado de uma conexão"}
  ]
};

const EXIT = {
  defect: 1, usage: 2, credential: 3, forbidden: 4, notFound: 5, conflict: 6, invalid: 7, rate: 8, server: 9,
  network: 10, unknown: 11, interrupted: 130,
};
const EXIT_HELP = [
  "0 feito · 1 defeito desta linha de comando · 2 uso · 3 credencial (401) · 4 sem permissão (403) ·",
  "5 não encontrado (404) · 6 conflito (409) · 7 entrada inválida (400, 413, 415, 422) · 8 limite de pedidos (429) ·",
  "9 serviço ou provedor (5xx) · 10 rede · 11 resultado desconhecido: o pedido pode ter tido efeito · 130 interrompido",
];
const TRIES = 3;
const FIRST_PAUSE = 500; // milliseconds; doubled at each try
const LONGEST_PAUSE = 60_000; // whoever asks for more is not waited for
const SILENCE = { usual: 60, slow: 300 }; // seconds without a byte in either direction
const KEY = /^[A-Za-z0-9._:~-]{8,128}$/;
// What must not stand in a process list; such fields are taken from --json alone.
const SECRET = /^(senha|password|token)$|_(password|token)$/;
// Characters that move a terminal's cursor, start its commands or turn the direction of its text.
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
// A grapheme that takes two columns: East Asian scripts, and what is drawn as an emoji.
const WIDE = new RegExp(
  "^[\\p{Emoji_Presentation}\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97c\\uac00-\\ud7a3" +
    "\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}]|\\ufe0f|^\\p{RI}{2}",
  "u",
);
const MEDIA_TYPES = {
  png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", webp: "image/webp", gif: "image/gif", mp4: "video/mp4",
  mov: "video/quicktime",
};
// The columns that say most, for a table that has not room for all.
const TELLING = [
  "id", "event_id", "title", "titulo", "name", "nome", "label", "key", "status", "due_at", "occurred_at", "actor_name",
  "action", "channel", "assignees_names", "email", "api_revision",
];
// Columns that others say better: a person's id beside the name, the parts of an instant beside the instant.
const SAID_BY = {
  assignee_member_ids: "assignees_names", actor_member_id: "actor_name", created_by: "created_by_name",
  actor_user_id: "actor_name", updated_by: "updated_by_name", user_id: "id", day: "due_at", month: "due_at", year: "due_at", hour: "due_at",
};
// Believable values for the examples in the help.
const EXAMPLES = {
  title: "Pão de queijo em cinco passos", name: "Ana Lima", label: "Meu computador", email: "ana@example.org",
  prompt: "Pão de queijo saindo do forno", text: "Cinco passos para o pão de queijo", value: { padrao: 0.05 },
  hour: "09:30", token: "…", password: "…", current_password: "…", senha: "…", exp: "1795000000", file: "foto.png",
  date: "2026-12-01", "date-time": "2026-12-01T12:00:00.000Z",
};
const EXAMPLE_ID = "0190a6b2-7c3e-7d41-9a25-3f6e8b0c1d2e";
const FORMATS = {
  date: [/^\d{4}-\d\d-\d\d$/, "uma data AAAA-MM-DD"],
  "date-time": [
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i, "um instante como 2026-08-22T12:00:00.000Z",
  ],
};

const COMMON = [
  { flag: "json", value: "JSON", help: "os campos como objeto JSON; `-` lê a entrada padrão, `@arquivo` um arquivo" },
  {
    flag: "output", value: "table|json", on: (o) => !o.own,
    help: "forma da resposta; ausente, tabela em um terminal e JSON fora dele",
  },
  { flag: "columns", value: "A,B", help: "só estas colunas, em tabela", on: (o) => !o.own },
  { flag: "all", help: "segue as páginas até o fim", on: (o) => o.parameters.some((p) => p.name === "cursor") },
  { flag: "out", value: "ARQUIVO", help: "grava a resposta neste arquivo", on: (o) => !o.own },
  {
    flag: "idempotency-key", value: "CHAVE", on: (o) => o.keyed,
    help: "torna a repetição segura por 24 horas; ausente, uma é criada para as tentativas desta chamada",
  },
  { flag: "no-retry", help: "uma tentativa só" },
  { flag: "timeout", value: "SEGUNDOS", help: "espera sem sinal do serviço; ausente, 60 (300 em geração e envio)" },
  { flag: "token-file", value: "ARQUIVO", help: "lê o token deste arquivo", on: (o) => o.access !== "public" },
  { flag: "verbose", help: "mostra método, endereço, status, pedido e tempo na saída de erros" },
  { flag: "help", help: "esta ajuda" },
];

/** Why the command ends without success. */
class Failure extends Error {
  constructor(exit, code, message, details = {}, more = {}) {
    super(message);
    Object.assign(this, { exit, code, details, ...more });
  }
}

const usage = (message, fields, next) => new Failure(EXIT.usage, "USAGE", message, { fields, next });

// ---- Text ----

const clean = (text) => String(text).replace(CONTROL, "\ufffd");
const oneLine = (text) => clean(String(text).replace(/[\s\u2028\u2029]+/g, " ")).trim();
const escaped = (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
/** JSON that says the same and is safe to show. */
const json = (value) => JSON.stringify(value, null, 2).replace(CONTROL, escaped).replace(/[\u2028\u2029]/g, escaped);
let shown; // the percentage of progress on the terminal's last line
const graphemes = new Intl.Segmenter("pt-BR");

function clearProgress() {
  if (shown !== undefined) process.stderr.write("\r\x1b[K");
  shown = undefined;
}

function say(text) {
  clearProgress();
  process.stderr.write(`${clean(text)}\n`);
}

const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\x1b[1m${text}\x1b[22m` : text);
const lineWidth = () => process.stdout.columns || Number(process.env.COLUMNS) || 100;
const amount = (bytes) => {
  const [unit, size] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(bytes / size).toLocaleString("pt-BR", { maximumFractionDigits: 1 })} ${unit}`;
};

function graphemeWidth(grapheme) {
  if (WIDE.test(grapheme)) return 2;
  return /^[\p{M}\u200b-\u200d]/u.test(grapheme) ? 0 : 1;
}

/** Columns that a terminal gives to a text. */
function width(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment);
  return columns;
}

/** The text in exactly as many columns, cut with an ellipsis or filled with blanks. */
function fit(text, columns) {
  const own = width(text);
  if (own <= columns) return text + " ".repeat(columns - own);
  let [kept, used] = ["", 0];
  for (const { segment } of graphemes.segment(text)) {
    const next = used + graphemeWidth(segment);
    if (next > columns - 1) break;
    [kept, used] = [kept + segment, next];
  }
  return `${kept}…${" ".repeat(columns - 1 - used)}`;
}

function wrap(text, columns, indent = "") {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line && width(line) + 1 + width(word) > columns) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.join(`\n${indent}`);
}

const kebab = (name) => name.replace(/_/g, "-").replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
/** What `--event-id`, `--event_id` and `--eventId` have in common. */
const bare = (name) => name.replace(/[-_]/g, "").toLowerCase();

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}

/** " Você quis dizer …?", or nothing. */
function suggestion(word, names, prefix = "") {
  const near = (name) => distance(bare(word), bare(name));
  const nearest = Math.min(Math.max(2, word.length / 4), ...names.map(near));
  const close = names.filter((name) => near(name) <= nearest);
  const holding = word.length > 2 ? names.filter((name) => bare(name).includes(bare(word))) : [];
  const best = [...new Set([...close, ...holding])].slice(0, 3).map((name) => prefix + name);
  return best.length ? ` Você quis dizer ${best.join(" ou ")}?` : "";
}

// ---- Fields: from words to values, judged before anything is sent ----

/** What is wrong with one field. */
class Fault extends Error {}

const IS = {
  string: [(v) => typeof v === "string", "um texto"],
  boolean: [(v) => typeof v === "boolean", "true ou false"],
  integer: [Number.isSafeInteger, "um número inteiro"],
  number: [Number.isFinite, "um número, com ponto decimal"],
  array: [Array.isArray, "uma lista JSON"],
  object: [(v) => typeof v === "object" && v !== null && !Array.isArray(v), "um objeto JSON"],
  any: [() => true, "JSON; um texto vai entre aspas: '\"texto\"'"],
};
const isObject = IS.object[0];

/** The schema of what is not null, and whether null is allowed. */
function plainSchema(schema) {
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== "null");
  return { ...schema, type: types.length === 1 ? types[0] : undefined, nullable: types.length < schema.type.length };
}

const typeOf = (schema) => (Object.hasOwn(IS, schema.type ?? "") ? schema.type : "any");

function parseJson(text, refused) {
  try {
    return JSON.parse(text);
  } catch {
    throw refused; // never with the parser's message: it quotes the text
  }
}

/** One word as a value of the schema's type; JSON, but for texts. */
function fromText(text, given) {
  const schema = plainSchema(given);
  if (schema.nullable && text === "null") return null;
  return typeOf(schema) === "string" ? text : parseJson(text, new Fault(`precisa ser ${IS[typeOf(schema)][1]}`));
}

/** A list comes as the flag repeated, or once as a JSON list. */
function fromTexts(texts, given) {
  const schema = plainSchema(given);
  if (typeOf(schema) === "array" && !(texts.length === 1 && texts[0].startsWith("[")))
    return texts.map((text) => fromText(text, schema.items ?? { type: "string" }));
  if (texts.length > 1) throw new Fault("veio mais de uma vez");
  return fromText(texts[0], given);
}

function matches(text, pattern) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // a pattern that only the service understands is for it to judge
  }
}

function judgeText(text, schema) {
  const long = [...text].length;
  if (long === 0 && schema.minLength > 0) return "não pode ser vazio";
  if (long < schema.minLength) return `precisa de ${schema.minLength} caracteres ou mais`;
  if (long > schema.maxLength) return `tem ${long} caracteres e pode ter no máximo ${schema.maxLength}`;
  if (schema.pattern && !matches(text, schema.pattern))
    return `não tem a forma pedida${schema.description ? `: ${oneLine(schema.description)}` : ""}`;
  const [pattern, what] = FORMATS[schema.format] ?? [];
  if (pattern && !(pattern.test(text) && !Number.isNaN(Date.parse(text)))) return `precisa ser ${what}`;
  return undefined;
}

function judgeOne(value, schema) {
  const [is, what] = IS[typeOf(schema)];
  if (!is(value)) return `precisa ser ${what}`;
  if (schema.enum && !schema.enum.includes(value)) return `precisa ser ${schema.enum.join(" | ")}`;
  if (value < schema.minimum) return `precisa ser no mínimo ${schema.minimum}`;
  if (value > schema.maximum) return `precisa ser no máximo ${schema.maximum}`;
  if (value.length < schema.minItems) return `precisa de ${schema.minItems} ou mais`;
  if (value.length > schema.maxItems) return `aceita no máximo ${schema.maxItems}`;
  return typeof value === "string" ? judgeText(value, schema) : undefined;
}

/** The faults of a value and of its items, as `[field, message]`. What is inside of objects the service judges. */
function judge(value, given, name) {
  const schema = plainSchema(given);
  if (value === null && schema.nullable) return [];
  const message = judgeOne(value, schema);
  if (message) return [[name, message]];
  return Array.isArray(value) ? value.flatMap((item, i) => judge(item, schema.items ?? {}, `${name}.${i}`)) : [];
}

// ---- The command's words ----

const commonFor = (operation) => COMMON.filter((option) => option.on?.(operation) ?? true);

/** Flags by their bare name. A deprecated name gives way to the one that replaced it. */
function flagsOf(operation) {
  const flags = new Map();
  for (const parameter of operation.parameters)
    if (!flags.get(bare(parameter.name)) || !parameter.schema.deprecated) flags.set(bare(parameter.name), parameter);
  return flags;
}

/** Splits the words into options for us and texts for the operation's fields. */
function readWords(words, operation) {
  const fields = flagsOf(operation);
  const common = new Map(commonFor(operation).map((option) => [bare(option.flag), option]));
  const [options, texts] = [{}, new Map()];
  const isBoolean = (field) => field && typeOf(plainSchema(field.schema)) === "boolean";
  for (let i = 0; i < words.length; i++) {
    const word = words[i] === "-h" ? "--help" : words[i];
    if (!word.startsWith("--") || word === "--")
      throw usage(`\`${oneLine(word)}\` está solto: todo valor vem depois de uma opção.`, [], nextHelp(operation));
    const [, name, inline] = /^--([^=]*)(?:=(.*))?$/s.exec(word);
    const option = common.get(bare(name));
    const field = option ? undefined : fields.get(bare(name));
    const denied = /^no-/.test(name) && fields.get(bare(name.slice(3)));
    if (option && !option.value && inline === undefined) {
      options[option.flag] = true;
    } else if (!field && !option && isBoolean(denied) && inline === undefined) {
      texts.set(denied, ["false"]);
    } else if (isBoolean(field) && inline === undefined && !/^(true|false)$/.test(words[i + 1])) {
      texts.set(field, ["true"]);
    } else if (field || option?.value) {
      const text = inline ?? words[++i];
      if (text === undefined || (inline === undefined && text.startsWith("--")))
        throw usage(`\`--${name}\` precisa de um valor; um que começa com \`--\` vai como \`--${name}=…\`.`);
      if (option) options[option.flag] = text;
      else texts.set(field, [...(texts.get(field) ?? []), text]);
    } else if (option) {
      throw usage(`\`--${name}\` não leva valor.`);
    } else {
      const names = [...operation.parameters.map((p) => kebab(p.name)), ...[...common.values()].map((o) => o.flag)];
      const near = suggestion(name, names, "--");
      throw usage(`\`--${oneLine(name)}\` não existe em ${kebab(operation.name)}.${near}`, [], nextHelp(operation));
    }
  }
  return { options, texts };
}

const script = path.basename(process.argv[1]);
const program = /\.m?js$/.test(script) ? `node ${script}` : script;
const nextHelp = (operation) => `Veja \`${program} ${operation ? `${kebab(operation.name)} ` : ""}--help\`.`;

async function readJsonOption(text, operation) {
  let source = text;
  if (text === "-") source = await readInput();
  else if (text.startsWith("@")) source = readOwnFile(text.slice(1));
  const refused = usage("`--json` precisa ser um objeto JSON.", [], nextHelp(operation));
  const value = parseJson(source, refused);
  if (!isObject(value)) throw refused;
  return value;
}

async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function readOwnFile(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    throw usage(`Não foi possível ler \`${oneLine(file)}\` (${error.code}).`);
  }
}

/** The whole input of a call: --json, and over it the flags. Every fault at once. */
async function readFields(operation, options, texts) {
  const input = options.json === undefined ? {} : await readJsonOption(options.json, operation);
  const faults = [];
  for (const [{ name, schema }, given] of texts) {
    try {
      if (SECRET.test(name)) throw new Fault("é segredo: informe em `--json -`, nunca na linha de comando");
      input[name] = fromTexts(given, schema);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push([name, error.message]);
    }
  }
  const known = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
  const judged = new Set([...Object.keys(input), ...faults.map(([name]) => name)]);
  for (const { name, required } of operation.parameters)
    if (required && !judged.has(name)) faults.push([name, "é obrigatório"]);
  for (const [name, value] of Object.entries(input)) {
    if (known.has(name)) faults.push(...judge(value, known.get(name).schema, name));
    else if (!operation.open) faults.push([name, `não existe.${suggestion(name, [...known.keys()])}`]);
  }
  if (faults.length) {
    const fields = faults.map(([field, message]) => ({ field, message }));
    throw usage("Entrada inválida; nada foi enviado.", fields, nextHelp(operation));
  }
  return input;
}

// ---- Address and credential ----

const onWindows = process.platform === "win32";
const isExposed = (file) => !onWindows && (fs.statSync(file).mode & 0o077) !== 0;

function configFile() {
  const { XDG_CONFIG_HOME: xdg, APPDATA } = process.env;
  const ours = xdg && path.isAbsolute(xdg) ? xdg : path.join(os.homedir(), ".config");
  return path.join(onWindows && APPDATA ? APPDATA : ours, "pauta", "config.json");
}

/** What `login` kept, or nothing. Refused when someone else could have read it. */
function readConfig() {
  const file = configFile();
  if (!fs.existsSync(file)) return {};
  if (isExposed(file))
    throw new Failure(EXIT.credential, "CONFIG_EXPOSED", `\`${file}\` pode ser lido por outras pessoas.`, {
      next: `Rode \`chmod 600 ${file}\`; se alguém pode ter lido, revogue o token e crie outro.`,
    });
  return parseJson(readOwnFile(file), usage(`\`${file}\` não é JSON.`, [], `Rode \`${program} login\` de novo.`));
}

function writeConfig(config) {
  const file = configFile();
  const folder = path.dirname(file);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.chmodSync(folder, 0o700); // it may have been there
  const fresh = path.join(folder, `.config.${process.pid}.${randomBytes(6).toString("hex")}`);
  try {
    fs.writeFileSync(fresh, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    fs.renameSync(fresh, file);
  } finally {
    fs.rmSync(fresh, { force: true });
  }
  return file;
}

/** The service's address. A token never goes in the clear over a network. */
function serviceUrl(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw usage("O endereço do serviço (PAUTA_URL) não é um endereço http(s).");
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw usage("O endereço do serviço (PAUTA_URL) precisa ser http(s), sem usuário, consulta nem fragmento.");
  const loopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !loopback && process.env.PAUTA_ALLOW_HTTP !== "1")
    throw usage(`\`${url.origin}\` não usa https: o token iria às claras.`, [], "Use https, ou PAUTA_ALLOW_HTTP=1.");
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

function checkedToken(text) {
  const token = text.trim();
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new Failure(EXIT.credential, "INVALID_TOKEN", "O token está vazio ou tem caracteres que um token não tem.");
}

function tokenFrom(file) {
  const text = readOwnFile(file);
  if (isExposed(file)) say(`Aviso: \`${file}\` pode ser lido por outras pessoas desta máquina.`);
  return checkedToken(text);
}

/** Where to call and with what. What `login` kept counts only at the address it was kept for, and that address only in
 *  files of the service that `login` ran from: another service's file calls its own. */
async function connection(operation, options) {
  const { PAUTA_URL, PAUTA_TOKEN } = process.env;
  const inSession = operation.access === "session";
  const given = options["token-file"] ? tokenFrom(options["token-file"]) : PAUTA_TOKEN && checkedToken(PAUTA_TOKEN);
  // What a personal token may not do is done in the session that was kept, if there is one.
  const fits = given && !(inSession && given.startsWith("svc_"));
  const kept = PAUTA_URL && (operation.access === "public" || fits) ? {} : readConfig();
  const ofThisFile = (kept.service ?? SERVICE.url) === SERVICE.url;
  const url = serviceUrl(PAUTA_URL || (ofThisFile && kept.url) || SERVICE.url);
  if (operation.access === "public") return { url };
  if (fits) return { url, token: given };
  const here = kept.url !== undefined && serviceUrl(kept.url).href === url.href;
  const token = here && kept.token ? checkedToken(kept.token) : undefined;
  const lasts = kept.session && !SERVICE.issuer;
  if (here && lasts && (inSession || !(given ?? token))) return { url, token: await sessionOf(kept, url, options) };
  if (given ?? token) return { url, token: given ?? token };
  if (operation.access === "webhook" && process.env[operation.secret?.env]) return { url };
  throw new Failure(EXIT.credential, "NO_TOKEN", `Não há ${inSession ? "sessão" : "token"} para ${url.origin}.`, {
    next: inSession && SERVICE.issuer
      ? `Entre em ${SERVICE.issuer} e passe em PAUTA_TOKEN ou --token-file o token de acesso que ele dá.`
      : inSession
      ? `Esta operação só aceita uma sessão: rode \`${program} login --session\`.`
      : `Rode \`${program} login\`, ou defina ${operation.secret?.env ?? "PAUTA_TOKEN"} ou --token-file.`,
  });
}

/** The access token of the session that was kept, renewed when it has ended or is about to. */
async function sessionOf(kept, url, options) {
  const { access_token: current, refresh_token, expires_at } = kept.session;
  if (expires_at - 30 > Date.now() / 1000) return checkedToken(current);
  const input = { grant_type: "refresh_token", refresh_token };
  try {
    const { value } = await fetchAll(operationNamed("issue_session"), input, options, { url });
    writeConfig({ ...kept, session: sessionFrom(value) });
    return checkedToken(value.access_token);
  } catch (error) {
    if (error.exit !== EXIT.credential) throw error;
    throw new Failure(EXIT.credential, "SESSION_ENDED", "A sessão guardada terminou.", {
      next: `Entre de novo: \`${program} login --session\`.`,
    });
  }
}

const sessionFrom = ({ access_token, refresh_token, expires_at }) => ({ access_token, refresh_token, expires_at });
const operationNamed = (wanted) => SERVICE.operations.find(({ name }) => name === wanted);

// ---- Requests ----

/** The form with its file read as it is sent, and its exact length. */
function form(fields, name, file) {
  const boundary = `pauta-${randomBytes(16).toString("hex")}`;
  const quoted = (text) => text.replace(/["\r\n]/g, (c) => ({ '"': "%22", "\r": "%0D", "\n": "%0A" })[c]);
  const part = (field, more, text) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(field)}"${more}\r\n\r\n${text}`;
  const filename = file.split(/[\\/]/).pop(); // Windows paths too, wherever they are read
  const type = MEDIA_TYPES[filename.split(".").pop().toLowerCase()] ?? "application/octet-stream";
  const texts = Object.entries(fields).map(([field, value]) => `${part(field, "", asText(value))}\r\n`);
  const about = `; filename="${quoted(filename)}"\r\nContent-Type: ${type}`;
  const head = Buffer.from(texts.join("") + part(name, about, ""));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const size = sizeOf(file);
  async function* bytes() {
    yield head;
    let sent = 0;
    if (size > 0)
      for await (const chunk of fs.createReadStream(file, { end: size - 1 })) {
        yield chunk;
        progress("Enviando", filename, (sent += chunk.length), size);
      }
    if (sent !== size) throw usage(`\`${oneLine(file)}\` mudou durante o envio.`);
    yield tail;
  }
  const length = head.length + size + tail.length;
  return { type: `multipart/form-data; boundary=${boundary}`, length, bytes };
}

function sizeOf(file) {
  let stat;
  try {
    stat = fs.statSync(file);
    fs.accessSync(file, fs.constants.R_OK);
  } catch (error) {
    throw usage(`Não foi possível ler \`${oneLine(file)}\` (${error.code}).`);
  }
  if (!stat.isFile()) throw usage(`\`${oneLine(file)}\` não é um arquivo.`);
  return stat.size;
}

function progress(doing, name, done, size) {
  const percent = Math.floor((done / size) * 100);
  if (!process.stderr.isTTY || percent === shown) return;
  shown = percent;
  process.stderr.write(`\r\x1b[K${doing} ${oneLine(name)}: ${amount(done)} de ${amount(size)}, ${percent}%`);
}

const asText = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Puts the input where the operation wants it. */
function requestOf(operation, input, options, { url: base, token }) {
  const place = (name) => operation.parameters.find((parameter) => parameter.name === name)?.in ?? "body";
  const taken = (where) => Object.fromEntries(Object.entries(input).filter(([name]) => place(name) === where));
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
    // A dot segment would be resolved away and call another address.
    if (/^\.{0,2}$/.test(String(input[name]))) throw usage(`\`--${kebab(name)}\` não pode ser vazio nem pontos.`);
    return encodeURIComponent(input[name]);
  });
  const url = new URL(base.href.replace(/\/$/, "") + filled);
  for (const [name, value] of Object.entries(taken("query"))) url.searchParams.set(name, asText(value));
  const headers = {
    accept: operation.document ? "*/*" : "application/json",
    "user-agent": `pauta-cli/${SERVICE.version} node/${process.versions.node}`,
  };
  if (token) headers.authorization = `Bearer ${token}`;
  const { header, env } = operation.secret ?? {};
  if (process.env[env]) headers[header] = process.env[env];
  const key = operation.keyed ? (options["idempotency-key"] ?? `cli:${randomUUID()}`) : undefined;
  if (key !== undefined && !KEY.test(key))
    throw usage("`--idempotency-key` precisa de 8 a 128 caracteres de A-Z a-z 0-9 . _ : ~ -");
  if (key) headers["idempotency-key"] = key;
  const body = bodyOf(operation, taken("body"), taken("file"));
  if (body) Object.assign(headers, { "content-type": body.type, "content-length": body.length });
  return { operation, method: operation.method, url, headers, body, key, timeout: timeoutOf(operation, options) };
}

function bodyOf(operation, fields, files) {
  const [file] = Object.entries(files);
  if (file) return form(fields, ...file);
  if (["GET", "DELETE"].includes(operation.method)) return undefined;
  const bytes = Buffer.from(JSON.stringify(fields));
  return { type: "application/json", length: bytes.length, bytes: () => [bytes] };
}

function timeoutOf(operation, options) {
  const seconds = Number(options.timeout ?? (operation.slow ? SILENCE.slow : SILENCE.usual));
  if (!(seconds > 0 && seconds <= 86_400)) throw usage("`--timeout` precisa ser um número de segundos, maior que zero");
  return Math.ceil(seconds * 1000);
}

/** Writes the body until it ends or `enough` says that the answer is there. */
async function send(body, call, enough) {
  try {
    for await (const chunk of body.bytes()) {
      // Looks for an early refusal just before writing on: to write to who has gone ends in EPIPE and loses the answer.
      // The first turn ends the one in which the chunk was read, the second begins with a look at the socket.
      await soon();
      await soon();
      if (enough.aborted) return;
      if (!call.write(chunk)) await once(call, "drain", { signal: enough });
    }
    call.end();
  } catch (error) {
    if (!enough.aborted) call.destroy(error);
  }
}

/** One attempt, up to the head of the answer. Redirects are not followed: a token stays with its origin. */
function attempt({ method, url, headers, body, timeout }) {
  const secure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const call = (secure ? https : http).request(url, { method, headers, timeout, rejectUnauthorized: true });
    const answered = new AbortController();
    let reached = false; // whether the service can have seen a byte of it
    call.on("socket", (socket) => {
      if (!socket.connecting) reached = true;
      else socket.once(secure ? "secureConnect" : "connect", () => (reached = true));
    });
    call.on("timeout", () => call.destroy(Object.assign(new Error("no sign"), { code: "ETIMEDOUT" })));
    call.on("error", (error) => {
      answered.abort();
      reject(Object.assign(error, { reached }));
    });
    call.on("response", (response) => {
      answered.abort(); // before the end of the body it is a refusal: the rest is not wanted
      resolve(Object.assign(response, { call }));
    });
    if (body) send(body, call, answered.signal);
    else call.end();
  });
}

async function collect(response) {
  const chunks = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch (error) {
    throw Object.assign(error, { reached: true });
  } finally {
    if (!response.call.writableFinished) response.call.destroy();
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Milliseconds until the next try, or undefined when there must be none. */
function pauseBefore(tried, retryAfter) {
  const usual = FIRST_PAUSE * 2 ** (tried - 1) * (0.5 + Math.random() / 2);
  if (retryAfter === undefined) return usual;
  const asked = /^\d+$/.test(retryAfter) ? retryAfter * 1000 : Date.parse(retryAfter) - Date.now();
  if (Number.isNaN(asked)) return usual;
  return asked <= LONGEST_PAUSE ? Math.max(asked, 0) : undefined;
}

let underway; // the request whose outcome an interruption leaves open

/** The answer: `{status, headers, text}`, or the response itself where the caller wants a document's stream. */
async function exchange(request, options) {
  const { operation, key } = request;
  const writes = operation.effect !== "read";
  const tries = options["no-retry"] || (writes && !key) ? 1 : TRIES;
  let lost = false; // whether an attempt may have had its effect unseen
  for (let tried = 1; ; tried++) {
    const began = Date.now();
    let pause;
    try {
      underway = request;
      const response = await attempt(request);
      clearProgress();
      const { statusCode: status, headers } = response;
      trace(options, request, `${status} em ${Date.now() - began} ms, pedido ${headers["x-request-id"] ?? "?"}`);
      if (operation.document && status < 300) return { status, headers, response };
      const answer = { status, headers, text: await collect(response) };
      // With our own key "in progress" is the attempt before this one.
      if (status !== 429 && status !== 503 && errorOf(answer).code !== "IDEMPOTENCY_IN_PROGRESS") return answer;
      pause = tried < tries ? pauseBefore(tried, headers["retry-after"]) : undefined;
      if (pause === undefined) return { ...answer, lost: lost && writes };
    } catch (error) {
      if (error instanceof Failure) throw error;
      lost ||= error.reached;
      trace(options, request, `${error.code ?? error.message} em ${Date.now() - began} ms`);
      if (tried >= tries) throw unreachable(request, error, lost && writes);
      pause = pauseBefore(tried);
    } finally {
      underway = undefined;
    }
    if (options.verbose) say(`  nova tentativa em ${Math.round(pause)} ms`);
    await sleep(pause);
  }
}

function trace(options, { method, url, key }, what) {
  // Without the query: links are signed there.
  if (options.verbose) say(`${method} ${url.origin}${url.pathname} → ${what}${key ? `, chave ${key}` : ""}`);
}

const CAUSES = {
  ECONNREFUSED: "a conexão foi recusada", ENOTFOUND: "o nome não existe", EAI_AGAIN: "o nome não pôde ser resolvido",
  ECONNRESET: "a conexão caiu", ERR_STREAM_PREMATURE_CLOSE: "a conexão caiu", EPIPE: "a conexão caiu",
  ETIMEDOUT: "não houve resposta a tempo",
};

function unreachable(request, error, lost) {
  const cause = CAUSES[error.code] ?? error.code ?? "falha de rede";
  if (lost) return unknownOutcome(request, lostAnswer(cause));
  return new Failure(EXIT.network, "NETWORK", `Não foi possível falar com ${request.url.origin}: ${cause}.`, {
    next: "Confira o endereço (PAUTA_URL) e a rede.",
  });
}

const lostAnswer = (cause) => `A resposta se perdeu (${cause}); o pedido pode ter tido efeito.`;

function unknownOutcome({ key }, message) {
  const next = key ? "Repita com a mesma chave: não haverá segundo efeito." : "Confira o resultado antes de repetir.";
  return new Failure(EXIT.unknown, "OUTCOME_UNKNOWN", message, { next }, { key });
}

// ---- Answers ----

function errorOf({ text }) {
  try {
    const value = JSON.parse(text);
    return isObject(value) && typeof value.error === "string" ? value : {};
  } catch {
    return {};
  }
}

function exitFor(status, code) {
  if (code === "OUTCOME_UNKNOWN") return EXIT.unknown;
  if (status >= 500 || status < 400) return EXIT.server;
  const known = { 401: EXIT.credential, 403: EXIT.forbidden, 404: EXIT.notFound, 409: EXIT.conflict, 429: EXIT.rate };
  return known[status] ?? EXIT.invalid;
}

function refusal(answer, request) {
  const { status, headers, text, lost } = answer;
  const { error, code = `HTTP_${status}`, details } = errorOf(answer);
  const exit = exitFor(status, code);
  const more = { status, requestId: headers["x-request-id"], key: exit >= EXIT.rate ? request.key : undefined };
  // A gateway that gave up says nothing about what the service did.
  const gaveUp = error === undefined && (status === 502 || status === 504) && request.operation.effect !== "read";
  if (lost || gaveUp) return Object.assign(unknownOutcome(request, lostAnswer(status)), more);
  const moved = status < 400 ? "O serviço mandou para outro endereço, e o token não segue." : undefined;
  const message = error ?? moved ?? (oneLine(text).slice(0, 300) || `O serviço respondeu ${status}.`);
  return new Failure(exit, String(code), message, isObject(details) ? details : {}, more);
}

function parsed({ status, headers, text }, { key }) {
  if (text === "") return { status };
  const more = { requestId: headers["x-request-id"], key };
  return parseJson(text, new Failure(EXIT.server, "UNEXPECTED_ANSWER", "A resposta não é JSON.", {}, more));
}

/** The call and, with --all, the pages after it: their lists joined, the rest as on the first page. */
async function fetchAll(operation, input, options, place) {
  const wanted = operation.parameters.find((p) => p.name === "limit")?.schema.maximum;
  const first = options.all && wanted && input.limit === undefined ? { ...input, limit: wanted } : input;
  let whole;
  for (let cursor; ; ) {
    const request = requestOf(operation, cursor ? { ...first, cursor } : first, options, place);
    const answer = await exchange(request, options);
    if (answer.status >= 300) throw refusal(answer, request);
    if (answer.response) return answer;
    const page = parsed(answer, request);
    whole = whole ? joined(whole, page) : page;
    if (answer.status === 207) say("Aviso: ficou incompleto; repita o mesmo comando para terminar.");
    if (!options.all || !page.next_cursor) return { value: whole };
    if (page.next_cursor === cursor) throw new Failure(EXIT.server, "UNEXPECTED_ANSWER", "As páginas não terminam.");
    cursor = page.next_cursor;
  }
}

function joined(whole, page) {
  const isRows = (value) => Array.isArray(value) && value.every(isObject);
  const hasRows = Object.values(page).some(isRows);
  const join = ([name, value]) => {
    if (isRows(value)) return [name, [...whole[name], ...value]];
    if (!hasRows && isObject(value)) return [name, { ...whole[name], ...value }]; // a page of named entries
    return [name, name === "next_cursor" ? value : whole[name]];
  };
  return Object.fromEntries(Object.entries(page).map(join));
}

// ---- Tables ----

const LOCAL_TIME = new Intl.DateTimeFormat("pt-BR", {
  timeZone: "America/Sao_Paulo", day: "2-digit", month: "2-digit", year: "numeric", hour: "2-digit", minute: "2-digit",
});
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** An instant as people in Brasília say it, any other text as it is. */
const local = (text) =>
  INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? LOCAL_TIME.format(new Date(text)).replace(",", "") : text;
const isLink = (value) => typeof value === "string" && /^https?:\/\//.test(value);

const isScalar = (value) => value === null || typeof value !== "object";
const isEmpty = (value) => value === null || value === undefined || value === "";

function cell(value) {
  if (isEmpty(value)) return "—";
  if (typeof value === "boolean") return value ? "sim" : "não";
  if (Array.isArray(value) && !value.every(isScalar)) return `${value.length} itens`;
  if (Array.isArray(value)) return value.map(cell).join(", ") || "—";
  if (isChanges(value)) return changesOf(value);
  if (typeof value === "object") return oneLine(JSON.stringify(value));
  return oneLine(local(String(value)));
}

/** `{field: {before, after}}`, as a history has it. */
const isChanges = (value) =>
  isObject(value) && Object.values(value).every((v) => isObject(v) && "before" in v && "after" in v);

/** "status: a fazer → em progresso, description"; long texts are only named. */
function changesOf(value) {
  const changed = ([name, { before, after }]) => {
    const told = [before, after].map((side) => (isScalar(side) ? cell(side) : undefined));
    const short = told.every((text) => text !== undefined && width(text) <= 24);
    return short ? `${oneLine(name)}: ${told.join(" → ")}` : oneLine(name);
  };
  return Object.entries(value).map(changed).join(", ") || "—";
}

/** The columns with something in them, the most telling first. */
function columnsOf(rows, asked) {
  const all = [...new Set(rows.flatMap(Object.keys))];
  const unknown = asked?.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw usage(`Não há coluna \`${oneLine(unknown)}\` nesta resposta. Há: ${all.map(oneLine).join(", ")}.`);
  if (asked) return asked;
  const says = (value) => !isEmpty(value) && (isScalar(value) || Array.isArray(value));
  const better = (name) => rows.every((row) => isEmpty(row[name]) || !isEmpty(row[SAID_BY[name]]));
  const plain = all.filter((name) => rows.some((row) => says(row[name])) && !(SAID_BY[name] && better(name)));
  const rank = (name) => (TELLING.includes(name) ? TELLING.indexOf(name) : TELLING.length);
  return (plain.length ? plain : all).sort((a, b) => rank(a) - rank(b));
}

/** The columns that fit: the first three, and then each of which enough can be seen. Links come last, as wide as they are. */
function chooseColumns(names, natural, room, links) {
  let left = room;
  return names.map((_, c) => c).filter((c) => {
    if (links.has(c)) return true;
    const enough = /(^|_)id$/.test(names[c]) && TELLING.includes(names[c]) ? 40 : Math.max(width(oneLine(names[c])), 24);
    const least = Math.min(natural[c], enough) + 2;
    if (c > 2 && least > left + 2) return false;
    left -= least;
    return true;
  });
}

/** Lines of a history: who did what and when, and below it why and what changed. */
function historyOf(rows, room) {
  const block = ({ occurred_at, actor_name, action, api_revision, reason, changes }) => {
    const head = [occurred_at, actor_name, action].map(cell).join("  ");
    const below = [
      !isEmpty(reason) && `motivo: ${oneLine(reason)}`,
      Object.keys(changes).length > 0 && `mudou: ${changesOf(changes)}`,
    ];
    const wrapped = below.filter(Boolean).map((text) => `    ${wrap(text, room - 4, "    ")}`);
    return [`${head}  (revisão ${cell(api_revision)})`, ...wrapped];
  };
  return rows.flatMap(block);
}

function tableOf(rows, asked, room) {
  if (!rows.length) return ["Nenhum resultado."];
  if (!asked && rows.every((row) => isChanges(row.changes))) return historyOf(rows, room);
  const names = columnsOf(rows, asked);
  const texts = rows.map((row) => names.map((name) => cell(row[name])));
  const longest = (c) => texts.reduce((most, row) => Math.max(most, width(row[c])), 0);
  const natural = names.map((name, c) => Math.max(width(oneLine(name)), longest(c)));
  const all = names.map((_, c) => c);
  const links = new Set(all.filter((c) => rows.some((row) => isLink(row[names[c]]))));
  const chosen = asked ? all : chooseColumns(names, natural, room, links);
  if (!asked) chosen.sort((a, b) => links.has(a) - links.has(b));
  const widths = chosen.map((c) => natural[c]);
  // The widest gives way; an id last, since half of one is of no use, and a link never.
  const excess = () => widths.reduce((sum, own, i) => (links.has(chosen[i]) ? sum : sum + own + 2), -2) - room;
  const give = (i) => (links.has(chosen[i]) ? 0 : names[chosen[i]] === "id" ? 1 : widths[i]);
  while (excess() > 0 && Math.max(...widths.map((_, i) => give(i))) > 1) {
    const most = widths.reduce((best, _, i) => (give(i) > give(best) ? i : best), 0);
    widths[most] -= Math.min(excess(), widths[most] > 40 ? widths[most] - 40 : 1);
  }
  const line = (cells) => chosen.map((c, i) => fit(cells[c], widths[i])).join("  ").trimEnd();
  const hidden = names.filter((_, c) => !chosen.includes(c)).map(oneLine);
  const note = hidden.length ? ["", wrap(`Outras colunas (--columns escolhe): ${hidden.join(", ")}.`, room)] : [];
  return [bold(line(names.map(oneLine))), ...texts.map(line), ...note];
}

/** Names and values, then what is nested. */
function recordOf(value, asked, room) {
  const entries = Object.entries(value).filter(([name]) => name !== "next_cursor");
  const fitsLine = (v) => Array.isArray(v) && v.every(isScalar) && (v.length > 0 || entries.length > 1);
  const simple = entries.filter(([, v]) => isScalar(v) || fitsLine(v));
  const labels = simple.reduce((longest, [name]) => Math.max(longest, width(oneLine(name))), 0);
  const indent = " ".repeat(labels + 2);
  const most = Math.max(20, room - labels - 2);
  const shownIn = (text) => text.split("\n").map((line) => wrap(oneLine(line), most, indent));
  const lines = simple.map(([name, v]) => {
    const text = typeof v === "string" && v.includes("\n") ? clean(v).trimEnd() : cell(v);
    return `${fit(oneLine(name), labels)}  ${shownIn(text).join(`\n${indent}`)}`;
  });
  for (const [name, v] of entries.filter((entry) => !simple.includes(entry))) {
    const alone = entries.length === 1;
    if (!alone) lines.push(...(lines.length ? [""] : []), bold(oneLine(name)));
    const inner = Array.isArray(v) ? tableOf(v.filter(isObject), asked, room - 2) : sectionOf(v, asked, room - 2);
    lines.push(...inner.map((line) => (alone ? line : `  ${line}`.replaceAll("\n", "\n  ").trimEnd())));
  }
  return lines;
}

/** Entries that are alike are rows under their names; anything else is a record. */
function sectionOf(value, asked, room) {
  const inner = Object.values(value);
  const shapes = new Set(inner.map((v) => isObject(v) && Object.keys(v).sort().join()));
  if (shapes.size !== 1 || shapes.has(false)) return recordOf(value, asked, room);
  return tableOf(Object.entries(value).map(([key, v]) => ({ key, ...v })), asked, room);
}

// ---- What is shown and kept ----

async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

async function showAnswer({ value, response, headers }, options) {
  if (response) return keepDocument(response, headers, options);
  if (options.out) return keep(options.out, (file) => fs.promises.writeFile(file, `${json(value)}\n`));
  const asTable = options.output ? options.output === "table" : options.columns !== undefined || process.stdout.isTTY;
  if (!asTable || !isObject(value)) return write(`${json(value)}\n`);
  const lines = recordOf(value, options.columns?.split(","), lineWidth());
  await write(`${lines.join("\n")}\n`);
  if (value.next_cursor) say(`\nHá mais: --all traz tudo, --cursor ${value.next_cursor} a próxima página.`);
}

async function keepDocument(response, headers, options) {
  if (options.out) return keep(options.out, (file) => pipeline(response, fs.createWriteStream(file)));
  if (!process.stdout.isTTY) return pipeline(response, process.stdout, { end: false });
  if (!/^(text\/|application\/(json|yaml|javascript))/.test(headers["content-type"] ?? "")) {
    response.destroy();
    throw usage("A resposta não é texto.", [], "Grave em um arquivo com --out ARQUIVO.");
  }
  return write(clean(await collect(response)));
}

let unfinished; // a file that an interruption must not leave behind

/** Writes beside the file and then takes its place, so that it is whole or not there. */
async function keep(file, fill) {
  unfinished = `${file}.${process.pid}.part`;
  try {
    await fill(unfinished);
    fs.renameSync(unfinished, file);
  } catch (error) {
    if (!/^(EACCES|ENOENT|EISDIR|ENOTDIR|ENOSPC|EPERM|EROFS)$/.test(error.code)) throw error;
    throw usage(`Não foi possível gravar \`${oneLine(file)}\` (${error.code}).`);
  } finally {
    fs.rmSync(unfinished, { force: true });
    unfinished = undefined;
  }
  say(`Gravado em ${file} (${amount(fs.statSync(file).size)}).`);
}

function showFailure(failure, asJson) {
  const { code, message, details, exit, status, requestId, key } = failure;
  if (asJson) {
    const more = { status, request_id: requestId, idempotency_key: key, exit_code: exit };
    return process.stderr.write(`${json({ error: message, code, details, ...more })}\n`);
  }
  const { fields, next, ...rest } = details;
  const faults = Array.isArray(fields) ? fields.filter(isObject) : [];
  say(`${oneLine(code)}: ${oneLine(faults.length ? message.split(": ")[0] : message)}`); // the faults follow one by one
  for (const { field, message: fault } of faults)
    say(`  ${/^\w+$/.test(field) ? `--${kebab(field)}` : oneLine(field)}: ${oneLine(fault)}`);
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    say(`  ${oneLine(name)}: ${cell(value)}`);
    const rows = Array.isArray(value) ? value.filter(isObject) : [];
    for (const row of rows) say(`    ${Object.values(row).map((part) => oneLine([part].flat().join(", "))).join(" · ")}`);
  }
  if (next) say(`  → ${oneLine(next)}`);
  if (key) say(`  chave: ${key} (--idempotency-key)`);
  if (requestId) say(`  pedido: ${oneLine(requestId)}`);
}

// ---- Help ----

const TYPES = {
  string: "texto", integer: "inteiro", number: "número", boolean: "sim ou não", array: "lista", object: "objeto JSON",
  any: "JSON",
};

/** "inteiro, 1 a 200" */
function shape(given) {
  const schema = plainSchema(given);
  const between = (low, high, unit) => {
    if (low !== undefined && high !== undefined) return `${low} a ${high}${unit}`;
    return low !== undefined ? `${low}${unit} ou mais` : high !== undefined ? `até ${high}${unit}` : undefined;
  };
  const highest = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const parts = [
    schema.enum?.join(" | ") ?? FORMATS[schema.format]?.[1] ?? TYPES[typeOf(schema)],
    between(schema.minimum, highest, ""), between(schema.minLength, schema.maxLength, " caracteres"),
    between(schema.minItems, schema.maxItems, " itens"),
  ];
  if (schema.items) parts[0] = `lista de ${shape({ ...schema.items, minLength: undefined, maxLength: undefined })}`;
  const optional = (name) => (schema.required?.includes(name) ? "" : "?");
  const fields = Object.keys(schema.properties ?? {}).map((name) => name + optional(name));
  if (fields.length) parts[0] = `objeto JSON {${fields.join(", ")}}`;
  return parts.filter(Boolean).join(", ") + (schema.nullable ? ", ou null" : "");
}

function exampleValue(name, given) {
  const schema = plainSchema(given);
  const told = /como `([^`]+)`/.exec(schema.description ?? "")?.[1];
  const ready = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? EXAMPLES[name] ?? schema.default;
  if (ready !== undefined) return ready;
  switch (typeOf(schema)) {
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
    case "any":
      return true;
    case "array":
      return [exampleValue(name, schema.items ?? { type: "string" })];
    case "object":
      return exampleObject(schema);
  }
  const isId = /(^|_)ids?$|Ids?$/.test(name);
  return EXAMPLES[schema.format] ?? told ?? (isId ? EXAMPLE_ID : schema.pattern ? "abc12345" : "texto");
}

function exampleObject({ required = [], properties }) {
  return Object.fromEntries(required.map((name) => [name, exampleValue(name, properties[name])]));
}

const quote = (text) => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A line that a shell runs as it stands. */
function exampleOf(operation) {
  const given = operation.example;
  const wanted = operation.parameters.filter((p) => (given ? Object.hasOwn(given, p.name) : p.required));
  const input = given ?? Object.fromEntries(wanted.map((p) => [p.name, exampleValue(p.name, p.schema)]));
  const asJson = Object.entries(input).filter(([name]) => SECRET.test(name) || !wanted.some((p) => p.name === name));
  const words = wanted.filter((p) => !SECRET.test(p.name)).flatMap((p) => {
    const texts = Array.isArray(input[p.name]) ? input[p.name].map(asText) : [asText(input[p.name])];
    return texts.map((text) => `--${kebab(p.name)} ${quote(text)}`);
  });
  const command = [program, kebab(operation.name), ...words].join(" ");
  return asJson.length ? `echo ${quote(JSON.stringify(Object.fromEntries(asJson)))} | ${command} --json -` : command;
}

function optionLines(options, room) {
  const longest = Math.min(30, Math.max(...options.map(([name]) => width(name))));
  return options.map(([name, ...lines]) => {
    const indent = " ".repeat(longest + 4);
    const wrapped = lines.filter(Boolean).map((line) => wrap(oneLine(line), room - indent.length, indent));
    const text = wrapped.join(`\n${indent}`);
    return `  ${width(name) > longest ? `${name}\n${indent}` : `${fit(name, longest)}  `}${text}`;
  });
}

function commonLines(options, room) {
  return optionLines(options.map(({ flag, value = "", help }) => [`--${flag} ${value}`.trim(), help]), room);
}

const LABELS = { array: "…", integer: "N", number: "N", boolean: "" };

function fieldLine({ name, required, schema, in: place }) {
  const type = typeOf(plainSchema(schema));
  const notes = [
    required && "obrigatório",
    place === "file" ? "arquivo" : shape(schema),
    schema.default !== undefined && `padrão ${asText(schema.default)}`,
    type === "array" && "repita a opção ou dê uma lista JSON",
    schema.deprecated && "em desuso",
    SECRET.test(name) && "segredo: só em --json",
  ];
  const label = place === "file" ? "CAMINHO" : (LABELS[type] ?? "VALOR");
  return [`--${kebab(name)} ${label}`.trim(), schema.description, `(${notes.filter(Boolean).join("; ")})`];
}

function fieldLines(operation, room) {
  const fields = [...flagsOf(operation).values()].sort((a, b) => b.required - a.required);
  return fields.length ? optionLines(fields.map(fieldLine), room) : [];
}

function commandHelp(operation) {
  const room = Math.min(lineWidth(), 100);
  const access = {
    public: "público", member: "sessão ou token pessoal", session: "só em sessão interativa",
    link: "link assinado", guest: "link de convidado em PAUTA_TOKEN, como svc_guest_ e o segredo",
    webhook: operation.secret ? `segredo em ${operation.secret.env}` : "assinatura de quem envia",
  }[operation.access];
  const capabilities = operation.capabilities.length ? `; permissão ${operation.capabilities.join(" ou ")}` : "";
  const fields = fieldLines(operation, room);
  return [
    `${bold(kebab(operation.name))}: ${operation.summary}`, "",
    ...clean(operation.description).split("\n\n").map((paragraph) => `${wrap(oneLine(paragraph), room)}\n`),
    `Pedido: ${operation.method} ${operation.path}`, `Acesso: ${access}${capabilities}`, "",
    ...(fields.length ? [bold("Campos"), ...fields, ""] : []),
    bold("Opções"), ...commonLines(commonFor(operation), room), "",
    bold("Exemplo"), `  ${exampleOf(operation)}`,
  ].join("\n");
}

const TEXT = { type: "string" };
const field = (name, schema) => ({ name, in: "body", required: false, schema });
/** The commands that are this file's own. */
const LOCAL = [
  {
    name: "login", access: "public", own: true, keyed: false,
    summary: SERVICE.issuer
      ? "guarda um token pessoal; para criar um, veja create-my-token"
      : "entra com e-mail e senha, cria um token pessoal e o guarda; --session guarda a sessão",
    parameters: SERVICE.issuer ? [] : [
      field("email", { ...TEXT, description: "E-mail da pessoa; ausente, PAUTA_EMAIL, ou é perguntado." }),
      field("password", { ...TEXT, description: "Ausente, PAUTA_PASSWORD, perguntada sem eco ou lida da entrada padrão." }),
      field("label", { ...TEXT, maxLength: 80, description: "Nome do token, para reconhecê-lo depois." }),
      field("level", {
        enum: SERVICE.levels.map(({ name }) => name), type: "string",
        description: "O que o token pode, no máximo; ausente, tudo o que os seus tokens podem.",
      }),
      field("days", { type: "integer", minimum: 1, maximum: 90, description: "Validade do token em dias; ausente, 30." }),
      field("session", { type: "boolean", description: "Guarda a sessão em vez de um token: para o que só aceita sessão." }),
    ],
  },
  {
    name: "logout", access: "public", own: true, keyed: false, parameters: [],
    summary: "apaga o que login guardou e encerra a sessão; o token continua valendo até ser revogado",
  },
];

function localHelp(command) {
  const room = Math.min(lineWidth(), 100);
  const fields = fieldLines(command, room);
  return [
    `${bold(command.name)}: ${command.summary}`, "",
    ...(fields.length ? [bold("Campos"), ...fields, ""] : []),
    bold("Opções"), ...commonLines(commonFor(command), room),
  ].join("\n");
}

function generalHelp() {
  const room = Math.min(lineWidth(), 110);
  const areas = [...new Set(SERVICE.operations.map((operation) => operation.area))];
  const chapter = (area) => SERVICE.operations.filter((o) => o.area === area).map((o) => [kebab(o.name), o.summary]);
  const own = LOCAL.map(({ name, summary }) => [name, summary]);
  const chapters = [["conta", own], ...areas.map((area) => [area, chapter(area)])];
  const aligned = Math.max(...chapters.flatMap(([, commands]) => commands.map(([name]) => name.length)));
  const indent = " ".repeat(aligned + 4);
  const show = ([name, text]) => `  ${fit(name, aligned)}  ${wrap(oneLine(text), room - aligned - 4, indent)}`;
  return [
    `${bold("Pauta")} ${SERVICE.version}, a linha de comando de ${SERVICE.url}`, "",
    `Uso: ${program} COMANDO [opções]`, `     ${program} COMANDO --help`, "",
    ...chapters.flatMap(([area, commands]) => [bold(area), ...commands.map(show), ""]),
    bold("Opções de todo comando"), ...commonLines(COMMON, room), "",
    bold("Ambiente"),
    ...optionLines([
      ["PAUTA_URL", `endereço do serviço; ausente, o de login ou ${SERVICE.url}`],
      ["PAUTA_TOKEN", "token pessoal ou de sessão; --token-file vale mais, e o de login menos"],
      ...(SERVICE.issuer ? [] : [["PAUTA_EMAIL, PAUTA_PASSWORD", "com que login entra quando ninguém pode ser perguntado"]]),
      ["PAUTA_ALLOW_HTTP", "1 aceita http fora desta máquina"],
    ], room), "",
    `login guarda em ${configFile()}`, "",
    bold("Códigos de saída"), ...EXIT_HELP.map((line) => `  ${line}`),
  ].join("\n");
}

// ---- Commands ----

let typedAhead = ""; // after the line that was asked for last

async function* typing() {
  if (typedAhead) yield typedAhead;
  yield* process.stdin.setEncoding("utf8").iterator({ destroyOnReturn: false });
}

/** Asks for a line; a secret one is not shown as it is typed. */
async function ask(question, secret = false) {
  const { stdin } = process;
  stdin.setRawMode(true); // before anybody sees that they are asked
  process.stderr.write(question);
  let typed = "";
  try {
    for await (const chunk of typing()) {
      typedAhead = "";
      const letters = [...chunk.replace(/\x1b\[[\d;]*[A-Za-z~]/g, "")];
      for (const [at, c] of letters.entries()) {
        if (c === "\x03") interrupted();
        if (c === "\r" || c === "\n" || c === "\x04") {
          typedAhead = letters.slice(at + 1).join("");
          return typed.trim();
        }
        if (c === "\x7f" || c === "\b") typed = [...typed].slice(0, -1).join("");
        else typed += c;
        if (!secret) process.stderr.write(`\r\x1b[K${question}${clean(typed)}`);
      }
    }
    return typed.trim();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    process.stderr.write("\n");
  }
}

/** Signs in and keeps a new personal token, or the session; without an e-mail, a token that there is. */
async function login(input, options) {
  const { url } = await connection({ access: "public" }, {});
  readConfig(); // refused before a token is created that could not be kept
  const asks = process.stdin.isTTY;
  let email = SERVICE.issuer ? undefined : (input.email ?? process.env.PAUTA_EMAIL);
  if (!email && asks && !SERVICE.issuer) email = await ask(`E-mail em ${url.origin} (vazio, para colar um token): `);
  if (!email) {
    if (input.session) throw usage("Para abrir uma sessão falta o e-mail.", [], "Informe --email ou PAUTA_EMAIL.");
    return keepToken(checkedToken(asks ? await ask(`Token para ${url.origin}: `, true) : await readInput()), url, options);
  }
  const typed = async () => (asks ? ask("Senha: ", true) : (await readInput()).split(/\r?\n/)[0]);
  const password = input.password ?? process.env.PAUTA_PASSWORD ?? (await typed());
  const answer = await fetchAll(
    operationNamed("issue_session"), { grant_type: "password", email, password }, options, { url },
  );
  const session = sessionFrom(answer.value);
  const place = { url, token: session.access_token };
  if (input.session) {
    const file = keepAt(url, { session });
    return say(`Pronto: sessão de ${oneLine(answer.value.user?.name)} em ${url.origin}. Guardada em ${file}.`);
  }
  try {
    const { value } = await fetchAll(operationNamed("create_my_token"), await tokenAsked(input, options, place), options, place);
    await keepToken(checkedToken(value.token), url, options);
  } finally {
    await endSession(place, options);
  }
}

/** The input of a new token: its label and level are asked for, where somebody can answer. */
async function tokenAsked(input, options, place) {
  const { value } = await fetchAll(operationNamed("get_my_access"), {}, options, place);
  const { id, effective_api_access_level: most } = value.member;
  const names = SERVICE.levels.map(({ name }) => name);
  const allowed = names.slice(0, names.indexOf(most) + 1);
  if (!allowed.length)
    throw new Failure(EXIT.forbidden, "API_ACCESS_DISABLED", "A senha está certa, mas o seu acesso por API está desligado.", {
      next: `Um admin o liga com \`${program} update-member-api-access --member-id ${id} --api-access-level criador\`. ` +
        `Até lá, \`${program} login --session\` guarda a sua sessão.`,
    });
  const answered = async (given, question, otherwise) =>
    given ?? ((process.stdin.isTTY && (await ask(`${question} [${otherwise}]: `))) || otherwise);
  const label = await answered(input.label, "Nome do token", `linha de comando em ${os.hostname()}`.slice(0, 80));
  const level = await answered(input.level, `Nível do token: ${allowed.join(", ")}`, most);
  if (!allowed.includes(level)) throw usage(`O nível do token precisa ser ${allowed.join(" | ")}.`);
  const within = SERVICE.levels[names.indexOf(level)].capabilities;
  const scopes = level === most ? undefined : value.capabilities.filter((name) => within.includes(name));
  return { label, scopes, expiresInDays: input.days };
}

async function keepToken(token, url, options) {
  const { value } = await fetchAll(operationNamed("get_me"), {}, options, { url, token });
  const file = keepAt(url, { token });
  const { member, caps } = value;
  say(`Pronto: ${oneLine(member?.name)}, ${caps?.length} permissões em ${url.origin}. Guardado em ${file}.`);
}

/** Keeps it beside what was kept for the same address. */
function keepAt(url, fresh) {
  const kept = readConfig();
  const same = kept.url !== undefined && serviceUrl(kept.url).href === url.href;
  return writeConfig({ ...(same ? kept : {}), url: url.href.replace(/\/$/, ""), service: SERVICE.url, ...fresh });
}

/** Signs out; a session that cannot be ended ends by itself. */
async function endSession(place, options) {
  try {
    await fetchAll(operationNamed("sign_out"), { scope: "local" }, { ...options, "no-retry": true }, place);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

async function logout(options) {
  const file = configFile();
  if (!fs.existsSync(file)) return say("Não havia nada guardado.");
  let [kept, ended] = [{}];
  try {
    kept = JSON.parse(readOwnFile(file)); // what others may have read is ended all the same
  } catch {
    // Nothing in it can be ended.
  }
  if (kept.session && !SERVICE.issuer) {
    const url = serviceUrl(kept.url);
    const token = await sessionOf(kept, url, options).catch(() => kept.session.access_token);
    ended = await endSession({ url, token }, options);
  }
  fs.rmSync(file, { force: true });
  const notes = [
    ended === true && "A sessão terminou.",
    ended === false && "A sessão não pôde ser encerrada no serviço; ela termina sozinha em 30 dias.",
    kept.token && "O token continua valendo até ser revogado.",
  ];
  say([`Apagado: ${file}.`, ...notes.filter(Boolean)].join(" "));
}

async function run(operation, words) {
  const { options, texts } = readWords(words, operation);
  if (options.help) return write(`${commandHelp(operation)}\n`);
  if (![undefined, "table", "json"].includes(options.output)) throw usage("`--output` precisa ser table ou json.");
  if (options.columns && options.output === "json") throw usage("`--columns` só vale para tabela.");
  const input = await readFields(operation, options, texts);
  return showAnswer(await fetchAll(operation, input, options, await connection(operation, options)), options);
}

async function main([command, ...words]) {
  if (command === "--version") return write(`${SERVICE.version}\n`);
  if (command === "help" && words.length) return main([words[0], "--help"]);
  if (["--help", "-h", "help"].includes(command)) return write(`${generalHelp()}\n`);
  if (command === undefined) throw usage("Falta o comando.", [], nextHelp());
  if (command === "login" || command === "logout") return runLocal(command, words);
  const operation = SERVICE.operations.find(({ name }) => bare(name) === bare(command));
  if (operation) return run(operation, words);
  const names = [...LOCAL.map(({ name }) => name), ...SERVICE.operations.map(({ name }) => kebab(name))];
  throw usage(`O comando \`${oneLine(command)}\` não existe.${suggestion(command, names)}`, [], nextHelp());
}

async function runLocal(name, words) {
  const command = LOCAL.find((local) => local.name === name);
  if (name === "login" && SERVICE.issuer && words.some((word) => /^--(email|password|session|label|level|days)\b/.test(word)))
    throw usage(
      `Este serviço não confere senhas: as pessoas entram em ${SERVICE.issuer}.`, [],
      "Passe em PAUTA_TOKEN ou --token-file o token de acesso que ele dá; com ele, `create-my-token` cria um token " +
        `pessoal, que \`${program} login\` guarda.`,
    );
  const { options, texts } = readWords(words, command);
  if (options.help) return write(`${localHelp(command)}\n`);
  return name === "login" ? login(await readFields(command, options, texts), options) : logout(options);
}

/** A download that broke off, or a defect of ours. */
function unforeseen(error) {
  const cause = CAUSES[error.code];
  if (cause) return new Failure(EXIT.network, "NETWORK", `A resposta não chegou inteira: ${cause}.`);
  return new Failure(EXIT.defect, "FAILED", error.stack);
}

function interrupted() {
  if (unfinished) fs.rmSync(unfinished, { force: true });
  if (process.stdin.isTTY) process.stdin.setRawMode(false);
  say("\nInterrompido.");
  if (underway && underway.operation.effect !== "read")
    showFailure(unknownOutcome(underway, "O pedido pode ter tido efeito."));
  process.exit(EXIT.interrupted);
}

process.on("SIGINT", interrupted);
// Whoever reads us, such as `head`, has had enough.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });

const words = process.argv.slice(2);
try {
  await main(words);
} catch (error) {
  if (!(error instanceof Failure) && error.code === "EPIPE") process.exit();
  const asJson = words.includes("--output=json") || words[words.indexOf("--output") + 1] === "json";
  const failure = error instanceof Failure ? error : unforeseen(error);
  showFailure(failure, asJson);
  process.exitCode = failure.exit;
}
