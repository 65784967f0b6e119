//! Hosts with many tools show a model only the tools that a search finds. A person's words must
//! find the right tool among the first three.

use std::collections::BTreeMap;

use serde_json::Value;

use super::client_with_every_tool;
use crate::{contract::list_tools, support::TestApp};

const EXPECTED: [(&str, &str); 42] = [
    ("postar um vídeo no TikTok", "publish_shortvideo"),
    ("postar fotos", "publish_shortvideo"),
    ("agendar um post", "update_event"),
    ("pausar as publicações", "pause_publishing"),
    ("publicações agendadas", "list_publications"),
    ("remarcar a data", "update_event"),
    ("arquivar o evento", "update_event"),
    ("vendas do mês", "get_sales_summary"),
    ("relatório de vendas", "get_sales_summary"),
    ("vendas de cada vendedor", "get_commercial_team_sales"),
    ("escrever a legenda", "save_draft"),
    ("mudar a legenda", "save_draft"),
    ("enviar uma foto", "create_upload"),
    ("importar uma imagem", "import_media"),
    ("foto pronta", "import_media"),
    ("anexar mídia ao evento", "update_event_media"),
    ("fazer um carrossel", "generate_carousel"),
    ("gerar uma imagem", "generate_art"),
    ("gerar um vídeo", "start_video_generation"),
    ("o vídeo já ficou pronto", "get_video_generation"),
    ("aprovar", "decide_approval"),
    ("recusar com motivo", "decide_approval"),
    ("o que espera aprovação", "list_pending_approvals"),
    ("enviar para aprovação", "submit_for_approval"),
    ("reabrir um evento aprovado", "reopen_event"),
    ("minhas tarefas", "list_my_tasks"),
    ("criar tarefa", "create_demand"),
    ("pauta nova", "create_demand"),
    ("agenda da semana", "list_events"),
    ("melhor horário para postar", "get_publishing_time_insights"),
    ("roteiro de um reel", "generate_script"),
    ("pesquisar na base de conhecimento", "search_knowledge"),
    ("trocar um trecho do e-mail", "replace_in_email_draft"),
    ("apagar rascunho de e-mail", "delete_email_draft"),
    ("quem é da equipe", "list_team"),
    ("o que eu posso fazer", "get_me"),
    ("contas conectadas", "list_connected_accounts"),
    ("quem comprou no lançamento", "list_launch_buyers"),
    ("anúncios: gasto e retorno", "get_launch_paid_media"),
    ("assinaturas canceladas", "list_leaving_subscribers"),
    ("criar projeto", "create_project"),
    ("meta do lançamento", "get_launch_decision_panel"),
];

/// Returns the words of a text, in lower case and without accents.
fn words(text: &str) -> Vec<String> {
    let plain: String = text.to_lowercase().chars().map(without_accent).collect();
    let words = plain.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn without_accent(c: char) -> char {
    match c {
        'á' | 'à' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' => 'u',
        'ç' => 'c',
        _ => c,
    }
}

/// BM25 over name, title and description, with the usual parameters and without stems.
struct Index {
    tools: Vec<(String, BTreeMap<String, f64>, f64)>,
    average: f64,
}

impl Index {
    fn new(tools: &[Value]) -> Self {
        let document = |tool: &Value| {
            let text = ["name", "title", "description"].map(|field| tool[field].as_str());
            let words = words(&text.map(Option::unwrap_or_default).join(" "));
            let mut counts = BTreeMap::<String, f64>::new();
            let length: f64 = words.iter().map(|_| 1.0).sum();
            for word in words {
                *counts.entry(word).or_insert(0.0) += 1.0;
            }
            let name = tool["name"].as_str().expect("a name").to_owned();
            (name, counts, length)
        };
        let tools: Vec<_> = tools.iter().map(document).collect();
        let (count, all) = tools
            .iter()
            .fold((0.0, 0.0), |(count, all), (_, _, length)| {
                (count + 1.0, all + length)
            });
        Self {
            tools,
            average: all / count,
        }
    }

    /// Returns the names of the tools that match the query best, the best first.
    fn find(&self, query: &str) -> Vec<&str> {
        let count = self.tools.iter().map(|_| 1.0).sum::<f64>();
        let mut scores: Vec<(f64, &str)> = self.tools.iter().map(|t| (0.0, &*t.0)).collect();
        for word in words(query) {
            let having = self.tools.iter().filter(|tool| tool.1.contains_key(&word));
            let having = having.map(|_| 1.0).sum::<f64>();
            let rarity = ((count - having + 0.5) / (having + 0.5)).ln_1p();
            for (score, (_, counts, length)) in scores.iter_mut().zip(&self.tools) {
                let times = counts.get(&word).copied().unwrap_or_default();
                let norm = 1.2 * (0.25 + 0.75 * length / self.average);
                score.0 += rarity * times * 2.2 / (times + norm);
            }
        }
        scores.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = scores.into_iter().filter(|(score, _)| *score > 0.0);
        found.map(|(_, name)| name).take(3).collect()
    }
}

#[tokio::test]
async fn the_words_of_a_person_find_the_right_tool() {
    let app = TestApp::new().await;
    let index = Index::new(&list_tools(&client_with_every_tool(&app).await).await);
    let missed: Vec<String> = EXPECTED
        .iter()
        .filter(|(query, tool)| !index.find(query).contains(tool))
        .map(|(query, tool)| format!("{query}: {tool} is not among {:?}", index.find(query)))
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
