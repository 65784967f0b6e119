//! The month of the demo: a small cooking school and its content.

/// The state of a piece today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Undated,
    Todo,
    InProgress,
    InApproval,
    Approved,
    Refused(&'static str),
    Published,
    Archived,
}

/// One piece of content.
pub(super) struct Piece {
    pub title: &'static str,
    pub channel: &'static str,
    pub tipo: &'static str,
    /// The author's index in the team.
    pub author: usize,
    pub due_in_days: i64,
    pub hour: &'static str,
    pub fate: Fate,
    pub briefing: &'static str,
    pub caption: &'static str,
}

macro_rules! agenda {
    ($($days:literal $hour:literal $channel:literal $tipo:literal $author:literal $fate:expr;
        $title:literal; $briefing:literal; $caption:literal)+) => {
        pub(super) const AGENDA: &[Piece] = &[$(Piece {
            title: $title, channel: $channel, tipo: $tipo, author: $author, due_in_days: $days,
            hour: $hour, fate: $fate, briefing: $briefing, caption: $caption,
        }),+];
    };
}

agenda! {
    -26 "12:00" "instagram" "carrossel" 1 Fate::Published;
    "Sete erros no feijão de todo dia"; "Carrossel didático, um erro por card.";
    "Feijão duro, caldo ralo, gosto de nada? Salve este guia: sete erros comuns e o conserto de cada um. 🫘"
    -24 "08:30" "linkedin" "artigo" 2 Fate::Published;
    "O que a cozinha ensina sobre prazos"; "Texto de opinião da Helena, tom de bastidor.";
    "Toda cozinha profissional trabalha com prazo de minutos. Três hábitos que levamos para o escritório."
    -22 "18:00" "instagram" "reel" 1 Fate::Published;
    "Pão de queijo em 30 segundos"; "Reel com as mãos, sem fala, legenda na tela.";
    "Polvilho, queijo curado e paciência. O resto é forno quente. Qual é o seu ponto?"
    -20 "10:00" "newsletter" "email" 3 Fate::Published;
    "Newsletter: a despensa de outono"; "Lista comentada de 12 itens, com links para receitas.";
    "Doze ingredientes que seguram a semana, e o que fazer com cada um deles."
    -17 "12:00" "instagram" "carrossel" 2 Fate::Published;
    "Guia de cortes: faca certa, corte certo"; "Ilustrar brunoise, julienne e chiffonade.";
    "Brunoise não é picadinho. Entenda os cortes e treine com uma cenoura só."
    -14 "18:00" "youtube" "video" 1 Fate::Published;
    "Aula aberta: molhos da mãe francesa"; "Vídeo de 12 minutos, com capítulos.";
    "Os cinco molhos que dão origem a todos os outros, com versão brasileira de cada um."
    -12 "12:00" "instagram" "post" 3 Fate::Archived;
    "Promoção relâmpago de utensílios"; "Só se o fornecedor confirmar o estoque.";
    "Últimas unidades da nossa faca de ofício."
    -9 "08:30" "linkedin" "artigo" 2 Fate::Published;
    "Como montamos uma turma de 40 alunos"; "Números da turma de abril, sem nomes.";
    "Da primeira mensagem à matrícula: o que funcionou e o que não repetiremos."
    -7 "18:00" "instagram" "reel" 1 Fate::Published;
    "O barulho da crosta perfeita"; "Áudio ambiente, close no pão.";
    "Ouça. É assim que soa um pão que esfriou direito."
    -5 "12:00" "instagram" "carrossel" 2 Fate::Published;
    "Cinco caldos para congelar"; "Validade, porção e uso de cada caldo.";
    "Domingo de caldo, semana de sopa. Cinco bases para guardar em porções."
    -3 "10:00" "newsletter" "email" 3 Fate::Published;
    "Newsletter: bastidores da aula aberta"; "Agradecer e contar o que vem.";
    "Mil e duzentas pessoas cozinharam com a gente na quinta. Veja as melhores perguntas."
    1 "12:00" "instagram" "post" 1 Fate::Approved;
    "Depoimento da Dona Cida"; "Foto dela na cozinha de casa; autorização no drive.";
    "“Aprendi aos 67 que sal é no começo.” Dona Cida, turma de março."
    2 "18:00" "instagram" "reel" 2 Fate::Approved;
    "Manteiga noisette sem queimar"; "Reel de 20 s, close na panela.";
    "Do amarelo ao avelã em quatro minutos. O segredo é ouvir a panela."
    3 "08:30" "linkedin" "artigo" 3 Fate::InApproval;
    "Por que ensinamos técnica antes de receita"; "Resposta ao comentário mais curtido do mês.";
    "Receita resolve um jantar. Técnica resolve todos. Um texto sobre ordem de ensino."
    4 "12:00" "instagram" "carrossel" 1 Fate::InApproval;
    "Tapioca: da goma ao recheio"; "Seis cards; incluir ponto de hidratação.";
    "Goma hidratada não esfarela. Veja o ponto, a peneira e três recheios rápidos. 🥥"
    5 "18:00" "youtube" "video" 2 Fate::InApproval;
    "Aula aberta: peixe inteiro, sem medo"; "Chamar para a lista de espera da turma.";
    "Escamar, abrir e assar. Tudo o que ninguém mostrou na peixaria."
    6 "10:00" "newsletter" "email" 3 Fate::InApproval;
    "Newsletter: lista de espera da turma de junho"; "Assunto curto, um só botão.";
    "As vagas abrem na terça, às 10h. Quem está na lista entra um dia antes."
    7 "12:00" "instagram" "carrossel" 2 Fate::Refused("O card 3 traz a temperatura errada: é 63 °C, não 83 °C.");
    "Temperaturas seguras, em um carrossel"; "Fonte: cartilha da Anvisa; citar no último card.";
    "Frango, porco, ovo e peixe: a temperatura que protege e a que estraga."
    8 "18:00" "instagram" "reel" 1 Fate::InProgress;
    "Afiar a faca em casa"; "Pedra 1000/3000, ângulo na tela.";
    "Faca cega machuca mais. Três minutos por semana bastam."
    10 "12:00" "instagram" "carrossel" 3 Fate::InProgress;
    "Festa junina sem fritura"; "Oito ideias de forno; tom leve.";
    "Rascunho: canjica cremosa, bolo de milho, amendoim assado…"
    12 "08:30" "linkedin" "artigo" 2 Fate::Todo;
    "O custo real de um prato"; "Pedir planilha ao financeiro antes.";
    ""
    14 "18:00" "instagram" "reel" 1 Fate::Todo;
    "Café coado: água, moagem, tempo"; "Gravar na cafeteria parceira.";
    ""
    16 "10:00" "newsletter" "email" 3 Fate::Todo;
    "Newsletter: abertura da turma de junho"; "Enviar só depois da aula aberta.";
    ""
    0 "12:00" "instagram" "post" 2 Fate::Undated;
    "Banco de ideias: perguntas dos alunos"; "Juntar dúvidas do grupo e escolher três.";
    ""
}
