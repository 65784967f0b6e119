//! The settings: their variables and purposes.

/// Every setting: its variable and its purpose.
pub const SETTINGS: &[(&str, &str)] = &[
    (
        "PAUTA_LISTEN",
        "endereço e porta em que o serviço escuta (padrão 127.0.0.1:8080)",
    ),
    (
        "PAUTA_DATABASE_URL",
        "banco de dados: sqlite://caminho (padrão) ou postgres://…",
    ),
    (
        "PAUTA_DATABASE_DIRECT_URL",
        "com pgbouncer=true no endereço do banco: o endereço do servidor sem o PgBouncer",
    ),
    (
        "PAUTA_MOVE_TO",
        "banco PostgreSQL vazio para onde `pauta move` copia: postgres://…",
    ),
    (
        "PAUTA_STORAGE",
        "pasta das mídias (padrão: `media` ao lado do banco) ou s3://bucket[/prefixo]",
    ),
    (
        "PAUTA_S3_ENDPOINT",
        "endereço do serviço compatível com S3 (padrão: o da AWS)",
    ),
    ("PAUTA_S3_REGION", "região do bucket (padrão us-east-1)"),
    (
        "PAUTA_S3_ACCESS_KEY_ID",
        "credencial do bucket; ausente, valem as AWS_* e o papel da máquina",
    ),
    ("PAUTA_S3_SECRET_ACCESS_KEY", "segredo da credencial"),
    (
        "PAUTA_IMAGE_PROVIDER",
        "local (padrão, composição tipográfica) ou openai",
    ),
    (
        "PAUTA_OPENAI_BASE_URL",
        "endereço da API de imagens, embeddings e textos, sem /v1 (padrão https://api.openai.com)",
    ),
    ("PAUTA_OPENAI_API_KEY", "chave dessa API"),
    (
        "PAUTA_OPENAI_IMAGE_MODEL",
        "modelo de imagens (padrão gpt-image-2)",
    ),
    (
        "PAUTA_IMAGE_TIMEOUT",
        "segundos de espera por uma imagem do provedor, de 1 a 200 (padrão 120)",
    ),
    (
        "PAUTA_EMBEDDING_PROVIDER",
        "nenhum (padrão, só texto) ou openai: pesquisa também por sentido na base de conhecimento",
    ),
    (
        "PAUTA_OPENAI_EMBEDDING_MODEL",
        "modelo de embeddings (padrão text-embedding-3-small)",
    ),
    (
        "PAUTA_OPENAI_EMBEDDING_DIMENSIONS",
        "dimensões pedidas ao modelo, de 1 a 4096 (padrão: as dele)",
    ),
    (
        "PAUTA_EMBEDDING_TIMEOUT",
        "segundos que uma pergunta espera pelo provedor de embeddings, de 1 a 20 (padrão 3)",
    ),
    (
        "PAUTA_EMBEDDING_SIMILARITY",
        "cosseno a partir do qual um trecho sem as palavras responde, de 0 a 1 (padrão 0.3)",
    ),
    (
        "PAUTA_TEXT_PROVIDER",
        "nenhum (padrão), openai ou anthropic: escreve e verifica roteiros",
    ),
    (
        "PAUTA_OPENAI_TEXT_MODEL",
        "modelo de textos, obrigatório com PAUTA_TEXT_PROVIDER=openai",
    ),
    (
        "PAUTA_ANTHROPIC_BASE_URL",
        "endereço da API da Anthropic, sem /v1 (padrão https://api.anthropic.com)",
    ),
    ("PAUTA_ANTHROPIC_API_KEY", "chave dessa API"),
    (
        "PAUTA_ANTHROPIC_TEXT_MODEL",
        "modelo de textos, obrigatório com PAUTA_TEXT_PROVIDER=anthropic",
    ),
    (
        "PAUTA_TEXT_TIMEOUT",
        "segundos de um roteiro inteiro, de 1 a 40 (padrão 40)",
    ),
    (
        "PAUTA_VIDEO_PROVIDER",
        "nenhum (padrão), openai_videos, runway ou gemini_interactions",
    ),
    (
        "PAUTA_OPENAI_VIDEOS_BASE_URL",
        "endereço de uma API como a de vídeos da OpenAI, sem /v1 (padrão https://api.openai.com)",
    ),
    ("PAUTA_OPENAI_VIDEOS_API_KEY", "chave dessa API"),
    (
        "PAUTA_OPENAI_VIDEOS_MODEL",
        "modelo de vídeos dessa API (padrão sora-2)",
    ),
    (
        "PAUTA_RUNWAY_BASE_URL",
        "endereço da API da Runway, sem /v1 (padrão https://api.dev.runwayml.com)",
    ),
    ("PAUTA_RUNWAY_API_KEY", "chave dessa API"),
    ("PAUTA_RUNWAY_MODEL", "modelo de vídeos (padrão gen4.5)"),
    (
        "PAUTA_GEMINI_BASE_URL",
        "endereço da API Gemini, sem /v1beta (padrão https://generativelanguage.googleapis.com)",
    ),
    ("PAUTA_GEMINI_API_KEY", "chave dessa API"),
    (
        "PAUTA_GEMINI_VIDEO_MODEL",
        "modelo de vídeos (padrão gemini-omni-1.1-flash)",
    ),
    (
        "PAUTA_VIDEO_TIMEOUT",
        "segundos de espera por cada resposta do provedor de vídeos, de 1 a 60 (padrão 50)",
    ),
    (
        "PAUTA_JORNADA_TOKEN",
        "segredo de quem envia eventos da jornada, ao menos 16 caracteres (vazio: desligado)",
    ),
    (
        "PAUTA_JORNADA_LEAD_TOKEN",
        "outro segredo, de quem só lê o contexto de um lead (vazio: desligado)",
    ),
    (
        "PAUTA_SNS_TOPIC_ARNS",
        "tópicos SNS de que chegam eventos de e-mail, separados por vírgula (vazio: nenhum)",
    ),
    (
        "PAUTA_SNS_SIGNATURE_VERSION",
        "1 aceita as duas assinaturas do SNS (padrão); 2 recusa a de SHA-1",
    ),
    (
        "PAUTA_SNS_CERT_HOSTS",
        "só para testes: hosts (host:porta) de certificados além da AWS, também por http",
    ),
    (
        "PAUTA_TIMELINE_MONTHS",
        "meses inteiros de eventos da jornada que ficam guardados, de 1 a 240 (padrão 24)",
    ),
    (
        "PAUTA_IDENTITY_ISSUER",
        "provedor de identidade que abre as sessões, letra por letra como nos tokens (padrão: contas \
         deste serviço)",
    ),
    (
        "PAUTA_IDENTITY_PROFILE",
        "supabase (padrão, se o endereço termina em /auth/v1) ou oidc",
    ),
    (
        "PAUTA_IDENTITY_AUDIENCE",
        "público (aud) dos tokens que são para este serviço; obrigatório com oidc",
    ),
    (
        "PAUTA_IDENTITY_JWKS_URL",
        "endereço das chaves do provedor (padrão: o que ele publica)",
    ),
    (
        "PAUTA_IDENTITY_HS256_SECRET",
        "segredo das sessões antigas da Supabase, sem par de chaves",
    ),
    (
        "PAUTA_IDENTITY_ADMIN_KEY",
        "chave secreta da Supabase: convites, senhas e bloqueio de contas",
    ),
    (
        "PAUTA_IDENTITY_CLIENT_ID",
        "nome deste serviço no provedor OpenID Connect, para entrar pelo navegador; o endereço de \
         retorno é PAUTA_PUBLIC_URL + /entrar/retorno",
    ),
    (
        "PAUTA_IDENTITY_CLIENT_SECRET",
        "segredo desse cliente, se o provedor lhe deu um",
    ),
    (
        "PAUTA_IDENTITY_PUBLISHABLE_KEY",
        "chave publicável da Supabase, com que a senha é conferida",
    ),
    (
        "PAUTA_IDENTITY_TIMEOUT",
        "segundos de espera por uma resposta do provedor de identidade, de 1 a 20 (padrão 5)",
    ),
    (
        "PAUTA_NETWORK_TIMEOUT",
        "segundos de espera por uma rede social, de 1 a 60 (padrão 15)",
    ),
    (
        "PAUTA_PUBLISH_LATE_MINUTES",
        "minutos depois da hora em que uma variante ainda sai sozinha, de 1 a 1440; depois, uma pessoa \
         decide (padrão 30)",
    ),
    (
        "PAUTA_TIKTOK_CLIENT_KEY",
        "aplicativo no TikTok; com o segredo, registra a rede `shortvideo`",
    ),
    ("PAUTA_TIKTOK_CLIENT_SECRET", "segredo do aplicativo"),
    (
        "PAUTA_TIKTOK_BASE_URL",
        "API do TikTok (padrão https://open.tiktokapis.com)",
    ),
    (
        "PAUTA_TIKTOK_AUTH_BASE_URL",
        "autorização do TikTok (padrão https://www.tiktok.com)",
    ),
    (
        "PAUTA_TIKTOK_AUDITED",
        "true se o TikTok auditou o aplicativo; antes, publish_shortvideo publica como SELF_ONLY, e variantes com outra privacidade são recusadas (padrão false)",
    ),
    (
        "PAUTA_INSTAGRAM_CLIENT_ID",
        "aplicativo no Instagram; com o segredo, registra a rede `instagram`",
    ),
    ("PAUTA_INSTAGRAM_CLIENT_SECRET", "segredo do aplicativo"),
    (
        "PAUTA_INSTAGRAM_BASE_URL",
        "API do Instagram (padrão https://graph.instagram.com)",
    ),
    (
        "PAUTA_INSTAGRAM_AUTH_BASE_URL",
        "autorização do Instagram (padrão https://www.instagram.com)",
    ),
    (
        "PAUTA_INSTAGRAM_TOKEN_BASE_URL",
        "troca de códigos do Instagram (padrão https://api.instagram.com)",
    ),
    (
        "PAUTA_YOUTUBE_CLIENT_ID",
        "aplicativo no Google; com o segredo, registra a rede `youtube`",
    ),
    ("PAUTA_YOUTUBE_CLIENT_SECRET", "segredo do aplicativo"),
    (
        "PAUTA_YOUTUBE_BASE_URL",
        "API do YouTube (padrão https://www.googleapis.com)",
    ),
    (
        "PAUTA_YOUTUBE_AUTH_BASE_URL",
        "autorização do Google (padrão https://accounts.google.com)",
    ),
    (
        "PAUTA_YOUTUBE_TOKEN_BASE_URL",
        "troca de códigos do Google (padrão https://oauth2.googleapis.com)",
    ),
    (
        "PAUTA_LINKEDIN_CLIENT_ID",
        "aplicativo no LinkedIn; com o segredo, registra a rede `linkedin`",
    ),
    ("PAUTA_LINKEDIN_CLIENT_SECRET", "segredo do aplicativo"),
    (
        "PAUTA_LINKEDIN_BASE_URL",
        "API do LinkedIn (padrão https://api.linkedin.com)",
    ),
    (
        "PAUTA_LINKEDIN_AUTH_BASE_URL",
        "autorização do LinkedIn (padrão https://www.linkedin.com)",
    ),
    (
        "PAUTA_YOUTUBE_UPLOADS_A_DAY",
        "vídeos que o aplicativo pode enviar ao YouTube por dia, de 1 a 1000000; o Google dá 100, e mais a \
         quem pede (padrão 100)",
    ),
    (
        "PAUTA_LINKEDIN_VERSION",
        "versão da API do LinkedIn, como 202609, quando ele aposenta a do serviço",
    ),
    (
        "PAUTA_SYNC_EVERY",
        "minutos entre sincronizações das lojas e da mídia paga, de 5 a 1440; 0 só a pedido (padrão 60)",
    ),
    (
        "PAUTA_HOTMART_CLIENT_ID",
        "credencial da Hotmart: vendas, reembolsos e assinaturas são sincronizados",
    ),
    ("PAUTA_HOTMART_CLIENT_SECRET", "segredo dessa credencial"),
    (
        "PAUTA_HOTMART_BASE_URL",
        "endereço da API da Hotmart (padrão https://developers.hotmart.com)",
    ),
    (
        "PAUTA_HOTMART_AUTH_BASE_URL",
        "endereço que dá o token da Hotmart (padrão https://api-sec-vlc.hotmart.com)",
    ),
    (
        "PAUTA_META_ACCESS_TOKEN",
        "token da Meta com ads_read: a mídia paga é sincronizada",
    ),
    (
        "PAUTA_META_ACCOUNT_ID",
        "número da conta de anúncios da Meta",
    ),
    (
        "PAUTA_META_API_VERSION",
        "versão da API da Meta (padrão v25.0)",
    ),
    (
        "PAUTA_META_BASE_URL",
        "endereço da API da Meta (padrão https://graph.facebook.com)",
    ),
    (
        "PAUTA_PUBLIC_URL",
        "endereço público, sem barra no fim; usado em links e na MCP",
    ),
    (
        "PAUTA_SECRET",
        "segredo mestre, ao menos 32 caracteres; obrigatório com PostgreSQL",
    ),
    (
        "PAUTA_KEYRING",
        "chaves que cifram senhas e conexões: id:base64, separadas por vírgula; a primeira cifra",
    ),
    (
        "PAUTA_PRIVACY_CONTACT",
        "e-mail ou página https que a página de privacidade dá como contato",
    ),
    (
        "PAUTA_CLIENT_DOCUMENTS",
        "quais aplicativos se identificam por um documento público: todos (padrão), nenhum, ou domínios \
         separados por vírgula",
    ),
    (
        "PAUTA_CLIENT_REGISTRATION",
        "se aplicativos podem registrar-se sozinhos para pedir autorização: sim (padrão) ou nao",
    ),
    (
        "PAUTA_OPENAI_APPS_CHALLENGE",
        "texto com que o diretório do ChatGPT confere de quem é o endereço",
    ),
    (
        "PAUTA_IMPORT_ORIGINS",
        "origens da própria rede de que `import_media` também pode buscar arquivos, separadas por \
         vírgula (vazio: só a internet pública)",
    ),
    (
        "PAUTA_WEBHOOK_ORIGINS",
        "origens da própria rede a que webhooks também podem ser enviados, mesmo por http, separadas por \
         vírgula (vazio: só a internet pública, por https)",
    ),
    (
        "PAUTA_PUSH_CONTACT",
        "e-mail ou página https que os serviços de push recebem como contato (padrão: o da privacidade, \
         o remetente dos e-mails ou o endereço público)",
    ),
    (
        "PAUTA_PUSH_ORIGINS",
        "origens da própria rede que são serviços de push, mesmo por http, separadas por vírgula \
         (vazio: só a internet pública, por https)",
    ),
    (
        "PAUTA_SMTP_CA",
        "arquivo PEM com a autoridade própria que assina o certificado do servidor de e-mail",
    ),
    ("PAUTA_SMTP_URL", "servidor de e-mail: smtp(s)://…"),
    ("PAUTA_SMTP_FROM", "remetente dos e-mails"),
    ("PAUTA_SMTP_TIMEOUT", "segundos de um envio (padrão 60)"),
    (
        "PAUTA_TRUSTED_PROXIES",
        "redes (CIDR) cujo X-Forwarded-For vale, separadas por vírgula",
    ),
    (
        "PAUTA_QUOTA_CREDENTIAL",
        "chamadas de uma sessão, um token ou um agente em dez minutos; 0 não limita (padrão 300000)",
    ),
    (
        "PAUTA_QUOTA_MEMBER",
        "chamadas de uma pessoa em dez minutos; 0 não limita (padrão 600000)",
    ),
    (
        "PAUTA_QUOTA_ADDRESS",
        "pedidos de uma rede IP em dez minutos; 0 não limita (padrão 1200000)",
    ),
    (
        "PAUTA_MAX_CONNECTIONS",
        "conexões abertas ao mesmo tempo, de 16 a 65536 (padrão 1024)",
    ),
    (
        "PAUTA_DRAIN_TIME",
        "segundos em que, pedida a parada, /readyz já responde 503 e o serviço ainda atende, de 0 a 60 \
         (padrão 2)",
    ),
    ("PAUTA_LOG_FORMAT", "texto (padrão) ou json"),
    (
        "PAUTA_METRICS_LISTEN",
        "endereço e porta de /metrics (desligado por padrão)",
    ),
];
