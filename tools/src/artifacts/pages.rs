//! The table of the published documents.

use super::{
    get_document::GetDocument,
    get_openapi::GetOpenapi,
    get_skill_file::{GetSkillIndex, GetSkillReference},
};
use gateway::{Access, Entry, OutputForm, Spec, Verb};

/// Builds the spec of a public document.
const fn document_spec(
    name: &'static str,
    title: &'static str,
    path: &'static str,
    media_type: &'static str,
) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Public)
        .serves(OutputForm::Document(media_type))
        .partial(&[304])
        .fails(&[500, 503])
}

/// The entries of all documents.
pub const PAGES: &[Entry] = &[
    Entry::for_page::<GetOpenapi>(
        document_spec(
            "get_openapi_json_artifact",
            "Baixar o contrato OpenAPI em JSON",
            "/api/ai/openapi.json",
            "application/json",
        )
        .fails(&[400, 500, 503]),
        "O contrato OpenAPI 3.1 desta instalação, gerado do registro de operações. Com `perfil=chatgpt`, o recorte que cabe nas ações de um GPT.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_openapi_yaml_artifact",
            "Baixar o contrato OpenAPI em YAML",
            "/api/ai/openapi.yaml",
            "application/yaml",
        ),
        "O mesmo contrato OpenAPI 3.1, em YAML.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_llms_txt_artifact",
            "Baixar o índice para agentes",
            "/api/ai/llms.txt",
            "text/plain",
        )
        .also_at(&["/llms.txt"]),
        "O que é este serviço e onde está cada documento, em poucas linhas.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_llms_full_txt_artifact",
            "Baixar a referência completa para agentes",
            "/api/ai/llms-full.txt",
            "text/plain",
        )
        .also_at(&["/llms-full.txt"]),
        "Fluxos, estados, permissões, erros e cada operação com exemplos para curl e MCP, em um só texto.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_postman_json_artifact",
            "Baixar a coleção do Postman",
            "/api/ai/postman.json",
            "application/json",
        ),
        "Uma coleção v2.1 com uma pasta por área, exemplos e um teste por pedido. Só traz variáveis no lugar de credenciais.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_skill_md_artifact",
            "Baixar a skill",
            "/api/ai/SKILL.md",
            "text/markdown",
        )
        .also_at(&["/.well-known/agent-skills/pauta/SKILL.md"]),
        "A skill com que um agente usa este serviço só com HTTP.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_skill_zip_artifact",
            "Baixar o pacote da skill",
            "/api/ai/skill.zip",
            "application/zip",
        ),
        "A skill e suas referências em um zip, idêntico a cada geração. O SHA-256 está no manifesto.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_manifest_json_artifact",
            "Baixar o manifesto dos artefatos",
            "/api/ai/manifest.json",
            "application/json",
        ),
        "Versão, e de cada artefato o endereço, o tamanho e o SHA-256 dos bytes servidos.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_mcp_setup_md_artifact",
            "Baixar a configuração da MCP",
            "/api/ai/mcp-setup.md",
            "text/markdown",
        ),
        "Como ligar cada cliente MCP a este serviço, e o que cada um não faz.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_cursor_mdc_artifact",
            "Baixar a regra para o Cursor",
            "/api/ai/cursor.mdc",
            "text/plain",
        ),
        "Uma regra de projeto para o Cursor usar este serviço.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_claude_md_artifact",
            "Baixar o guia para o Claude",
            "/api/ai/claude.md",
            "text/markdown",
        ),
        "Como usar este serviço no Claude Code, no Claude Desktop e em claude.ai.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_chatgpt_md_artifact",
            "Baixar o guia para o ChatGPT",
            "/api/ai/chatgpt.md",
            "text/markdown",
        ),
        "Como usar este serviço no ChatGPT: ações, skills e o que não dá.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_cli_mjs_artifact",
            "Baixar a linha de comando",
            "/api/ai/cli.mjs",
            "text/javascript",
        ),
        "Um arquivo para Node 18 ou mais novo, sem dependências: um comando por operação.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_server_json_artifact",
            "Baixar a ficha para o registro da MCP",
            "/api/ai/server.json",
            "application/json",
        )
        .extension(),
        "A ficha (`server.json`) com que o registro da MCP descreve este servidor; o domínio é uma variável.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_claude_plugin_artifact",
            "Baixar o plugin para o Claude",
            "/api/ai/claude-plugin.zip",
            "application/zip",
        )
        .extension(),
        "A skill e o servidor MCP em um plugin para o Claude, idêntico a cada geração.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_marketplace_artifact",
            "Baixar o catálogo de plugins para o Claude",
            "/api/ai/marketplace.json",
            "application/json",
        )
        .extension(),
        "O catálogo de que `claude plugin marketplace add` instala o plugin, com o SHA-256 dele.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_openai_skill_artifact",
            "Baixar o pacote da skill para a OpenAI",
            "/api/ai/openai-skill.zip",
            "application/zip",
        )
        .extension(),
        "A skill com ícones e `agents/openai.yaml`, que nomeia o servidor MCP, para o ChatGPT e o Codex.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_icon_png_artifact",
            "Baixar o ícone em PNG",
            "/api/ai/icon.png",
            "image/png",
        )
        .extension(),
        "O ícone da Pauta, com 512 pixels de lado.",
    ),
    Entry::for_page::<GetDocument>(
        document_spec(
            "get_icon_svg_artifact",
            "Baixar o ícone em SVG",
            "/api/ai/icon.svg",
            "image/svg+xml",
        )
        .extension(),
        "O ícone da Pauta, em qualquer tamanho.",
    ),
    Entry::for_page::<GetSkillIndex>(
        document_spec(
            "get_skill_index",
            "Baixar o índice de skills",
            "/.well-known/agent-skills/index.json",
            "application/json",
        )
        .extension(),
        "O índice de skills no endereço convencional (Agent Skills Discovery 0.2), com o SHA-256 da skill.",
    ),
    Entry::for_page::<GetSkillReference>(
        document_spec(
            "get_skill_reference",
            "Baixar uma referência da skill",
            "/.well-known/agent-skills/pauta/references/{file}",
            "text/markdown",
        )
        .fails(&[400, 404, 500, 503])
        .extension(),
        "Um arquivo a que a skill se refere.",
    ),
];
