//! The facts that the privacy page states about this installation. They come from its configuration
//! and from the constants that limit how long data are stored.

use console::{Contact, PrivacyNotice, Recipient, Stored};
use domain::time::{DAY, HOUR, MINUTE, Millis};
use gateway::ANSWERS_KEPT;
use identity::{
    INVITE_LIFETIME, browser, mail::forgotten_password::LIFETIME as RESET_LIFETIME,
    operations::REFRESH_LIFETIME,
};
use reqwest::Url;
use store::{accounts::SESSIONS_KEPT, known_networks};
use tools::{
    media::{ABANDONED, LINK_LIFETIME, UPLOAD_LIFETIME},
    system::{DEVICES_KEPT, ENDED_JOBS, MAILS_KEPT, PUSHES_KEPT, WEBHOOK_LOG_KEPT},
};

use crate::config::{Config, Images, StorageLocation, TextApi, VideoApi};

/// Returns the notice for an installation with this configuration.
pub(crate) fn describe_installation(config: &Config) -> PrivacyNotice {
    PrivacyNotice {
        contact: config.privacy_contact.clone().map(|contact| {
            if contact.starts_with("https://") {
                Contact::Page(contact)
            } else {
                Contact::Email(contact)
            }
        }),
        places: describe_storage_locations(config),
        stored: describe_stored_data(config),
        recipients: list_recipients(config),
    }
}

fn describe_storage_locations(config: &Config) -> Vec<String> {
    let database = if config.database_file().is_some() {
        "Os dados ficam em um banco de dados no servidor desta Pauta."
    } else {
        "Os dados ficam em um banco de dados PostgreSQL, de quem opera esta Pauta."
    };
    let files = match &config.storage {
        StorageLocation::Folder(_) => "As mídias ficam em uma pasta no mesmo servidor.",
        StorageLocation::S3(_) => "As mídias ficam em um armazenamento de arquivos, citado abaixo.",
    };
    let secrets = "Credenciais de contas ligadas e senhas de plataformas ficam cifradas no banco.";
    [database, files, secrets].map(str::to_owned).into()
}

fn describe_stored_data(config: &Config) -> Vec<Stored> {
    let password = if config.issuer.is_some() {
        "A senha fica com o provedor de identidade da equipe."
    } else {
        "Da senha, só um resumo que não volta a ser a senha (Argon2)."
    };
    let stored = |what, content: String, kept: String| Stored {
        what,
        content,
        kept,
    };
    vec![
        stored(
            "Membros",
            format!("Nome, e-mail, papel e nível de acesso. {password}"),
            format!(
                "enquanto a equipe existir: o desligamento encerra todo acesso, e o nome continua no histórico. Um convite vale {}, ou 7 dias se vai por e-mail; um link de senha nova, {}.",
                format_period(INVITE_LIFETIME),
                format_period(RESET_LIFETIME)
            ),
        ),
        stored(
            "Sessões",
            "Quando começou e até quando vale. Da rede de onde se entrou, só um resumo com chave."
                .into(),
            format!(
                "no navegador, {} sem uso e no máximo {}; fora dele, renovável por {}. Os registros saem até {} depois; o resumo da rede, depois de {} sem uso.",
                format_period(browser::LIFETIME),
                format_period(browser::LONGEST),
                format_period(REFRESH_LIFETIME),
                format_period(SESSIONS_KEPT),
                format_period(known_networks::LIFETIME)
            ),
        ),
        stored(
            "Agentes e tokens pessoais",
            "O nome, o que podem, o último uso; do segredo, só um resumo.".into(),
            "valem até a data que a pessoa escolhe, e o registro de que existiram fica.".into(),
        ),
        stored(
            "Links de convidados",
            "O nome e o contato da pessoa de fora, as peças que o link abre, o que ela pode, quem o criou e quando foi aberto; do endereço e do código, só um resumo. Os comentários e decisões dela ficam com as peças."
                .into(),
            "valem até a data que quem convida escolhe ou até serem revogados, e o registro de que existiram fica."
                .into(),
        ),
        stored(
            "Calendários assinados",
            "O nome e os filtros que um membro escolheu, e quando foram lidos pela última vez; do endereço secreto, só um resumo."
                .into(),
            "valem até serem revogados ou a pessoa deixar a equipe, e o registro de que existiram fica."
                .into(),
        ),
        stored(
            "Números dos posts",
            "De cada post no ar, as somas que a rede informa (alcance, visualizações, curtidas, comentários e outras), sem as pessoas."
                .into(),
            "sem prazo, com a peça.".into(),
        ),
        stored(
            "Trilha de auditoria",
            "Quem fez o quê, quando, por onde, com que agente, e o endereço IP.".into(),
            "sem prazo: as linhas não são apagadas.".into(),
        ),
        stored(
            "Conteúdo da equipe",
            "Peças, legendas, comentários, projetos, e-mails, documentos, skills, mídias e o histórico deles."
                .into(),
            format!(
                "sem prazo, até que a equipe os remova; o texto de um comentário removido sai na hora. Arquivos que nada mais usa saem do armazenamento depois de {}. Um link de mídia vale {}; um de envio, {}.",
                format_period(ABANDONED),
                format_period(LINK_LIFETIME),
                format_period(UPLOAD_LIFETIME)
            ),
        ),
        stored(
            "Jornada e e-mails enviados",
            "Visitas aos sites da equipe e entregas de e-mail. A pessoa é um resumo com chave do e-mail dela, que não fica em nenhuma tabela."
                .into(),
            format!(
                "{} meses além do mês corrente; as somas ficam, sem pessoas.",
                config.timeline.months
            ),
        ),
        stored(
            "Vendas e CRM",
            "Compras, reembolsos, assinaturas e etapas de CRM, com o mesmo resumo no lugar do e-mail."
                .into(),
            "sem prazo, até que alguém peça para ser apagado.".into(),
        ),
        stored(
            "Dados de funcionamento",
            "Respostas guardadas para repetir um pedido sem efeito em dobro, e tarefas que falharam."
                .into(),
            format!(
                "as respostas, {}; as tarefas que falharam, {}.",
                format_period(ANSWERS_KEPT),
                format_period(ENDED_JOBS)
            ),
        ),
        stored(
            "Webhooks",
            "Os avisos aos sistemas que os admins da equipe ligaram: o que aconteceu, quando e por quem, só com identificadores, e o começo do que esses sistemas responderam."
                .into(),
            format!("{}.", format_period(WEBHOOK_LOG_KEPT)),
        ),
        stored(
            "E-mails aos membros",
            "A quem, sobre o quê e quando saíram; o texto não fica. Um link que eles levam fica cifrado até sair."
                .into(),
            format!("{}.", format_period(MAILS_KEPT)),
        ),
        stored(
            "Aparelhos que recebem avisos",
            "O nome do navegador e do sistema, desde quando e o último aviso; o endereço e as chaves que o navegador deu ficam cifrados. De cada aviso, quando saiu; o texto não fica."
                .into(),
            format!(
                "o aparelho, até a pessoa o remover, sair nele, trocar a senha, deixar a equipe ou não o usar por {}; os avisos, {}.",
                format_period(DEVICES_KEPT),
                format_period(PUSHES_KEPT)
            ),
        ),
        stored(
            "Registros do servidor",
            "Erros e recusas, com o endereço IP e o e-mail encoberto de entradas recusadas; nunca credenciais nem o conteúdo dos pedidos."
                .into(),
            "pelo tempo que quem opera os guarda, como as cópias de segurança.".into(),
        ),
    ]
}

/// Returns the outside services that this configuration connects.
fn list_recipients(config: &Config) -> Vec<Recipient> {
    let mut recipients = vec![];
    let mut add = |name: String, receives| recipients.push(Recipient { name, receives });
    if let Some(issuer) = &config.issuer {
        let url = Url::parse(&issuer.issuer).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        add(
            format!("O provedor de identidade da equipe ({host})"),
            "A entrada dos membros: e-mail, senha e convites.",
        );
    }
    if let StorageLocation::S3(bucket) = &config.storage {
        let name = match bucket.endpoint {
            None => "Amazon S3",
            Some(_) => "Um armazenamento compatível com S3, escolhido por quem opera",
        };
        add(name.into(), "As mídias da equipe, que ficam lá guardadas.");
    }
    if let Images::OpenAi(model) = &config.images {
        add(
            provider_name("OpenAI", "openai.com", &model.account.base),
            "Para gerar uma imagem: o pedido que a pessoa ou o agente escreveu.",
        );
    }
    if let Some(model) = &config.text {
        let (title, domain) = match model.api {
            TextApi::OpenAi => ("OpenAI", "openai.com"),
            TextApi::Anthropic => ("Anthropic", "anthropic.com"),
        };
        add(
            provider_name(title, domain, &model.account.base),
            "Para escrever um roteiro: o tema e os trechos da base de conhecimento que o sustentam.",
        );
    }
    if let Some(model) = &config.embeddings {
        add(
            provider_name("OpenAI", "openai.com", &model.account.base),
            "Para a pesquisa por sentido: os textos da base de conhecimento e cada pergunta.",
        );
    }
    if let Some(model) = &config.video {
        let (title, domain) = match model.api {
            VideoApi::OpenAiVideos => ("OpenAI", "openai.com"),
            VideoApi::Runway => ("Runway", "runwayml.com"),
            VideoApi::GeminiInteractions => ("Google (Gemini)", "googleapis.com"),
        };
        add(
            provider_name(title, domain, &model.account.base),
            "Para gerar um vídeo: o pedido e, se houver, a imagem de partida.",
        );
    }
    for app in &config.networks {
        add(
            app.facts.title.into(),
            "O que a equipe publica ou consulta na conta que ligou, com a autorização dessa conta.",
        );
    }
    if config.smtp.is_some() {
        // The address may be internal, so it is not named.
        add(
            "Um servidor de e-mail, escolhido por quem opera".into(),
            "O nome e o e-mail dos membros, e o que a Pauta lhes escreve: avisos, convites e links de senha.",
        );
    }
    if config.stores.hotmart.is_some() {
        add(
            "Hotmart".into(),
            "Nada além da credencial: a Pauta só lê vendas e assinaturas.",
        );
    }
    if config.stores.meta.is_some() {
        add(
            "Meta (anúncios)".into(),
            "Nada além da credencial: a Pauta só lê os gastos e resultados dos anúncios.",
        );
    }
    if config.traces.is_some() {
        // The address may be internal, so it is not named.
        add(
            "Um coletor de rastros (OpenTelemetry), escolhido por quem opera".into(),
            "Quais operações são chamadas, quando e por quanto tempo, com os identificadores de quem as chama; nenhum conteúdo.",
        );
    }
    if !config.timeline.topics.arns.is_empty() {
        add(
            "Amazon SNS".into(),
            "Nada sobre pessoas: de lá vêm os avisos de entrega de e-mails.",
        );
    }
    recipients
}

/// Returns the name of a provider. A server with a compatible API is not named, because its address may
/// be internal.
fn provider_name(title: &str, domain: &str, base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    let is_own = host
        .strip_suffix(domain)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'));
    if is_own {
        title.to_owned()
    } else {
        format!("Um servidor com a API da {title}, escolhido por quem opera")
    }
}

/// Returns a period in the largest unit that divides it.
fn format_period(period: Millis) -> String {
    let (count, one, many) = if period % DAY == 0 {
        (period / DAY, "dia", "dias")
    } else if period % HOUR == 0 {
        (period / HOUR, "hora", "horas")
    } else {
        (period / MINUTE, "minuto", "minutos")
    };
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_in_the_largest_unit() {
        for (period, text) in [
            (DAY, "1 dia"),
            (72 * HOUR, "3 dias"),
            (12 * HOUR, "12 horas"),
            (HOUR, "1 hora"),
            (15 * MINUTE, "15 minutos"),
        ] {
            assert_eq!(format_period(period), text);
        }
    }

    #[test]
    fn only_hosts_in_the_domain_of_a_provider_get_its_name() {
        let name = |url: &str| provider_name("OpenAI", "openai.com", &url.parse().expect("a URL"));
        assert_eq!(name("https://api.openai.com/"), "OpenAI");
        for other in [
            "https://api.notopenai.com/",
            "https://openai.com.example.org/",
            "http://10.0.0.7:8000/",
        ] {
            let name = name(other);
            assert!(name.starts_with("Um servidor"), "{other}: {name}");
            assert!(!name.contains("10.0.0.7") && !name.contains("example"));
        }
    }
}
