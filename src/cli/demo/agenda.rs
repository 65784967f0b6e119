//! The demo's agenda for the weeks around today: the content of a small cooking school.

use domain::{
    Style,
    time::{Millis, brasilia_day},
};
use jiff::{
    ToSpan,
    civil::{Date, Weekday},
};

/// The state that a piece of content has reached today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Undated,
    Todo,
    InProgress,
    InApproval,
    /// Rejected with the first caption for this reason, then submitted again with another caption.
    Again(&'static str, &'static str),
    Approved,
    Refused(&'static str),
    Published,
    Archived,
}

/// One piece of content of the agenda.
pub(super) struct Piece {
    pub title: &'static str,
    pub channel: &'static str,
    pub tipo: &'static str,
    /// The author, as an index in the team.
    pub author: usize,
    /// The due date, in working days from today.
    pub due_in: i64,
    pub hour: &'static str,
    pub fate: Fate,
    pub briefing: &'static str,
    pub caption: &'static str,
    /// The text on each image.
    pub art: &'static [&'static str],
}

impl Piece {
    pub fn style(&self) -> Style {
        match (self.channel, self.author) {
            ("linkedin" | "newsletter", _) => Style::Minimalista,
            (_, 1) => Style::Vibrante,
            (_, 2) => Style::Editorial,
            _ => Style::Epico,
        }
    }
}

/// Returns the date `count` working days after today; before today if negative.
pub(super) fn working_day(today: Millis, count: i64) -> Date {
    let mut day = brasilia_day(today);
    let mut left = count.abs();
    while left > 0 {
        day = day.saturating_add(count.signum().days());
        if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            left -= 1;
        }
    }
    day
}

macro_rules! agenda {
    ($($days:literal $hour:literal $channel:literal $tipo:literal $author:literal $fate:expr;
        $title:literal; $briefing:literal; $caption:literal $(; $art:literal)*)+) => {
        pub(super) const AGENDA: &[Piece] = &[$(Piece {
            title: $title, channel: $channel, tipo: $tipo, author: $author, due_in: $days,
            hour: $hour, fate: $fate, briefing: $briefing, caption: $caption, art: &[$($art),*],
        }),+];
    };
}

agenda! {
    -21 "12:00" "instagram" "carrossel" 1 Fate::Published;
    "Sete erros no feijão de todo dia"; "Carrossel didático, um erro por card.";
    "Feijão duro, caldo ralo, gosto de nada? Salve este guia: sete erros comuns e o conserto de cada um. 🫘";
    "# 7 erros\nno feijão de todo dia"
    -20 "08:30" "linkedin" "artigo" 2 Fate::Published;
    "O que a cozinha ensina sobre prazos"; "Texto de opinião da Helena, tom de bastidor.";
    "Toda cozinha profissional trabalha com prazo de minutos. Três hábitos que levamos para o escritório.";
    "“Toda cozinha trabalha com prazo de minutos.”\n— Helena Prado"
    -18 "18:00" "instagram" "reel" 1 Fate::Published;
    "Pão de queijo em 30 segundos"; "Reel com as mãos, sem fala, legenda na tela.";
    "Polvilho, queijo curado e paciência. O resto é forno quente. Qual é o seu ponto?";
    "Pão de queijo\nem 30 segundos"
    -16 "10:00" "newsletter" "email" 3 Fate::Published;
    "Newsletter: doze itens para a despensa"; "Lista comentada, com links para receitas.";
    "Doze ingredientes que seguram a semana, e o que fazer com cada um deles."
    -15 "19:00" "tiktok" "vídeo" 1 Fate::Published;
    "Ovo mexido cremoso, sem leite"; "Vinte segundos, fogo baixo, close na espátula.";
    "Fogo baixo e mão leve. O leite fica para o café.";
    "Ovo mexido\nsem leite"
    -14 "12:00" "instagram" "carrossel" 2 Fate::Published;
    "Guia de cortes: faca certa, corte certo"; "Ilustrar brunoise, julienne e chiffonade.";
    "Brunoise não é picadinho. Entenda os cortes e treine com uma cenoura só.";
    "# Faca certa\ncorte certo"
    -12 "18:00" "youtube" "vídeo" 1 Fate::Published;
    "Aula aberta: molhos da mãe francesa"; "Vídeo de 12 minutos, com capítulos.";
    "Os cinco molhos que dão origem a todos os outros, com versão brasileira de cada um.";
    "# 5 molhos\nque ensinam todos os outros"
    -11 "09:00" "blog" "artigo" 3 Fate::Published;
    "Como escolher peixe fresco na feira"; "Texto com checklist; fotos do acervo.";
    "Olho brilhante, guelra vermelha e cheiro de mar. Leve esta lista no celular.";
    "Peixe fresco,\nsem erro"
    -10 "12:00" "instagram" "post" 3 Fate::Archived;
    "Promoção relâmpago de utensílios"; "Só se o fornecedor confirmar o estoque.";
    "Últimas unidades da nossa faca de ofício."
    -8 "08:30" "linkedin" "artigo" 2 Fate::Published;
    "Como montamos uma turma de 40 alunos"; "Números da última turma, sem nomes.";
    "Da primeira mensagem à matrícula: o que funcionou e o que não repetiremos.";
    "40 alunos\nem uma turma"
    -7 "18:00" "instagram" "reel" 1 Fate::Published;
    "O barulho da crosta perfeita"; "Áudio ambiente, close no pão.";
    "Ouça. É assim que soa um pão que esfriou direito.";
    "“É assim que soa um pão que esfriou direito.”"
    -5 "12:00" "instagram" "carrossel" 2 Fate::Published;
    "Cinco caldos para congelar"; "Validade, porção e uso de cada caldo.";
    "Domingo de caldo, semana de sopa. Cinco bases para guardar em porções.";
    "# 5 caldos\npara congelar"
    -4 "16:00" "facebook" "post" 3 Fate::Published;
    "Enquete: qual receita você nunca acertou?"; "Guardar as respostas para a próxima aula aberta.";
    "Suflê? Merengue? Arroz soltinho? Conte aqui, a mais votada vira aula.";
    "# Qual receita\nvocê nunca acertou?"
    -3 "10:00" "newsletter" "email" 3 Fate::Published;
    "Newsletter: bastidores da aula aberta"; "Agradecer e contar o que vem.";
    "Mil e duzentas pessoas cozinharam com a gente na quinta. Veja as melhores perguntas."
    -2 "18:30" "instagram" "reel" 1 Fate::Published;
    "Caramelo sem termômetro"; "Mostrar as quatro cores na panela branca.";
    "Palha, mel, âmbar, tarde demais. Aprenda a parar no segundo certo.";
    "Palha, mel, âmbar.\nTarde demais."
    -1 "12:00" "instagram" "post" 2 Fate::Published;
    "Pergunta da semana: arroz lava ou não lava?"; "Responder os comentários até as 18h.";
    "Lavar tira amido, não tira sabor. Depende do arroz e do prato. E na sua casa?";
    "# Arroz\nlava ou não lava?"
    0 "18:00" "instagram" "reel" 2 Fate::Approved;
    "Alho frito crocante, sem amargar"; "Reel de 15 s; legenda na tela.";
    "Comece no óleo frio. Tire quando dourar: fora da panela ele ainda escurece. 🧄";
    "Alho frito\nsem amargar"
    0 "20:30" "instagram" "story" 3 Fate::Approved;
    "Enquete: doce ou salgado na próxima aula?"; "Fecha em 24 horas; anotar o resultado.";
    "Doce ou salgado? A aula aberta de quinta é sua.";
    "# Doce ou salgado?\na aula é sua"
    1 "12:00" "instagram" "post" 1 Fate::Approved;
    "Depoimento da Dona Cida"; "Foto dela na cozinha de casa; autorização no drive.";
    "“Aprendi aos 67 que sal é no começo.” Dona Cida, turma de março.";
    "“Aprendi aos 67 que sal é no começo.”\n— Dona Cida"
    2 "09:00" "blog" "artigo" 3 Fate::Approved;
    "Congelar sem perder o sabor"; "Revisar as tabelas de validade com a Bruna.";
    "Três dias na geladeira, três meses no freezer: a tabela que colamos na porta da escola.";
    "3 meses\nno freezer"
    2 "18:00" "instagram" "reel" 2 Fate::Approved;
    "Manteiga noisette sem queimar"; "Reel de 20 s, close na panela.";
    "Do amarelo ao avelã em quatro minutos. O segredo é ouvir a panela.";
    "Manteiga noisette\nsem queimar"
    3 "08:30" "linkedin" "artigo" 3 Fate::InApproval;
    "Por que ensinamos técnica antes de receita"; "Resposta ao comentário mais curtido do mês.";
    "Receita resolve um jantar. Técnica resolve todos. Um texto sobre ordem de ensino.";
    "“Receita resolve um jantar. Técnica resolve todos.”"
    4 "12:00" "instagram" "carrossel" 1
    Fate::Again(
        "O card 2 fala em “um pouco de água”. Diga quanto, em mililitros.",
        "Goma hidratada não esfarela. Ponha um pouco de água e veja o ponto. 🥥",
    );
    "Tapioca: da goma ao recheio"; "Três cards; incluir ponto de hidratação.";
    "Goma hidratada não esfarela: 400 ml de água para 1 kg de polvilho. Veja o ponto, a peneira e três recheios rápidos. 🥥";
    "# Tapioca\nda goma ao recheio"; "# O ponto\n400 ml de água para 1 kg de polvilho doce"; "# Três recheios\n- Queijo coalho\n- Coco e leite condensado\n- Banana e canela"
    4 "12:30" "instagram" "story" 3 Fate::InProgress;
    "Bastidores: a tapioca que grudou"; "Três stories leves, com a enquete no fim.";
    "Rascunho: grudou, rimos, recomeçamos. Já aconteceu aí?";
    "Grudou.\nRimos. Recomeçamos."
    5 "18:00" "youtube" "vídeo" 2 Fate::InApproval;
    "Aula aberta: peixe inteiro, sem medo"; "Chamar para a lista de espera da turma.";
    "Escamar, abrir e assar. Tudo o que ninguém mostrou na peixaria.";
    "Peixe inteiro,\nsem medo"
    6 "10:00" "newsletter" "email" 3
    Fate::Again(
        "O assunto promete desconto, e não há. Tire a promessa.",
        "Vagas com desconto na terça, às 10h. Quem está na lista entra um dia antes.",
    );
    "Newsletter: lista de espera da nova turma"; "Assunto curto, um só botão.";
    "As vagas abrem na terça, às 10h. Quem está na lista entra um dia antes."
    7 "12:00" "instagram" "carrossel" 2 Fate::Refused("O card 3 traz a temperatura errada: é 63 °C, não 83 °C.");
    "Temperaturas seguras, em um carrossel"; "Fonte: cartilha da Anvisa; citar no último card.";
    "Frango, porco, ovo e peixe: a temperatura que protege e a que estraga.";
    "74 °C\nno centro do frango"
    8 "18:00" "instagram" "reel" 1 Fate::InProgress;
    "Afiar a faca em casa"; "Pedra 1000/3000, ângulo na tela.";
    "Faca cega machuca mais. Três minutos por semana bastam.";
    "# 3 minutos\npor semana, faca em dia"
    9 "11:00" "tiktok" "vídeo" 2 Fate::InProgress;
    "Cebola sem choro, três jeitos"; "Testar os três de verdade e dizer qual funciona.";
    "Rascunho: faca afiada, cebola gelada, respirar pela boca. Um deles é mito.";
    "Cebola\nsem choro"
    10 "12:00" "instagram" "carrossel" 3 Fate::InProgress;
    "Oito quitutes de festa sem fritura"; "Ideias de forno; tom leve.";
    "Rascunho: canjica cremosa, bolo de milho, amendoim assado…";
    "# 8 quitutes\nsem fritura"
    11 "08:30" "linkedin" "artigo" 2 Fate::Todo;
    "O custo real de um prato"; "Pedir planilha ao financeiro antes."; ""
    12 "16:00" "facebook" "post" 3 Fate::Todo;
    "Fotos da turma de sábado"; "Só quem autorizou; conferir a lista."; ""
    13 "18:00" "instagram" "reel" 1 Fate::Todo;
    "Café coado: água, moagem, tempo"; "Gravar na cafeteria parceira."; ""
    14 "10:00" "newsletter" "email" 3 Fate::Todo;
    "Newsletter: abertura das inscrições"; "Enviar só depois da aula aberta."; ""
    16 "12:00" "instagram" "carrossel" 2 Fate::Todo;
    "Massa fresca: a farinha certa"; "Comparar três farinhas na mesma receita."; ""
    18 "18:00" "youtube" "vídeo" 1 Fate::Todo;
    "Aula aberta: pão de fermentação lenta"; "Roteiro com a Bruna, gravação em dois dias."; ""
    20 "08:30" "linkedin" "artigo" 2 Fate::Todo;
    "O que uma turma nos ensinou"; "Ouvir três ex-alunas antes de escrever."; ""
    22 "12:00" "instagram" "post" 3 Fate::Todo;
    "Calendário de feiras do bairro"; "Confirmar horários com a subprefeitura."; ""
    24 "18:30" "instagram" "reel" 1 Fate::Todo;
    "Farofa que não resseca"; "Vinte segundos, som da manteiga."; ""
    26 "10:00" "newsletter" "email" 3 Fate::Todo;
    "Newsletter: o que está na época"; "Pedir a lista à feira na véspera."; ""
    0 "12:00" "instagram" "post" 2 Fate::Undated;
    "Banco de ideias: perguntas dos alunos"; "Juntar dúvidas do grupo e escolher três."; ""
    0 "12:00" "youtube" "vídeo" 1 Fate::Undated;
    "Série: a geladeira de quem mora só"; "Quatro episódios curtos; achar três voluntários."; ""
}

#[cfg(test)]
mod tests {
    use domain::time::start_of_day;
    use jiff::civil::date;

    use super::*;

    #[test]
    fn working_days_skip_weekends() {
        let on = |day| start_of_day(day);
        let friday = on(date(2026, 11, 27));
        assert_eq!(working_day(friday, 1), date(2026, 11, 30));
        assert_eq!(working_day(friday, -5), date(2026, 11, 20));
        let sunday = on(date(2026, 11, 22));
        assert_eq!(working_day(sunday, 1), date(2026, 11, 23));
        assert_eq!(working_day(sunday, -1), date(2026, 11, 20));
        assert_eq!(working_day(sunday, 6), date(2026, 11, 30));
    }
}
