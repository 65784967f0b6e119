//! The project of the demo: the school prepares a launch, and part of the plan is done.

use anyhow::{Context, Result};
use domain::time::{DAY, HOUR, Millis, Timestamp};
use gateway::Principal;
use serde_json::{Value, json};

use super::{sales::course_name, seed::Seeder};

/// Each section with its items: title, assignee (index in the team), due date in days from the
/// start, and whether it is done.
type Plan = [(&'static str, &'static [(&'static str, usize, i64, bool)])];

const PLAN: &Plan = &[
    (
        "Aquecimento",
        &[
            ("Definir a oferta e as datas das turmas", 0, 0, true),
            ("Enquete: qual receita você nunca acertou?", 1, 2, true),
            ("Carrossel com os cinco erros do pão em casa", 2, 4, true),
            ("Convidar as ex-alunas para a aula aberta", 4, 6, false),
        ],
    ),
    (
        "Semana da aula aberta",
        &[
            ("Roteiro da aula: pão de fermentação lenta", 1, 8, true),
            ("Gravar o teaser na cozinha do Bixiga", 2, 9, false),
            (
                "Lembretes nos stories: véspera, manhã e dez minutos antes",
                3,
                13,
                false,
            ),
            ("Mediar o chat e anotar as perguntas", 3, 14, false),
        ],
    ),
    (
        "Carrinho aberto",
        &[
            ("Página de inscrição revisada no celular", 4, 12, false),
            ("Depoimentos em vídeo de três alunas", 2, 16, false),
            ("Perguntas frequentes em um carrossel", 1, 17, false),
            ("Último dia: três mensagens, sem alarde", 4, 21, false),
        ],
    ),
    (
        "Depois",
        &[
            ("Boas-vindas às novas turmas", 0, 23, false),
            ("Reunião: o que repetir e o que largar", 0, 26, false),
        ],
    ),
];

/// A project and its current revision.
struct Progress {
    id: Value,
    revision: Value,
    at: Millis,
}

impl Seeder<'_> {
    /// Creates the plan on behalf of the lead, dated a week ago, and completes items on behalf of
    /// their assignees.
    pub(super) async fn plan_launch(&self, team: &[Principal], today: Millis) -> Result<()> {
        let lead = &team[0];
        let start = today - 7 * DAY;
        self.set_clock(start);
        let about = json!({
            "name": format!("Lançamento: {}", course_name(today)),
            "description": "Um mês, da enquete às boas-vindas. Meta: duas turmas de trinta \
                pessoas.\nTom de sempre: próximo, sem promessa e sem contagem regressiva falsa.",
        });
        let created = self.call_operation(lead, "create_project", about).await?;
        let mut progress = Progress {
            id: created["project"]["id"].clone(),
            revision: created["project"]["revision"].clone(),
            at: start,
        };
        let dates =
            json!({ "starts_on": format_date(start), "ends_on": format_date(start + 27 * DAY) });
        self.apply_change(&mut progress, lead, "project.schedule", dates)
            .await?;
        for person in team {
            let member = json!({ "member_id": person.member.id });
            self.apply_change(&mut progress, lead, "member.add", member)
                .await?;
        }
        let mut done = vec![];
        for (section, items) in PLAN {
            let section = json!({ "title": section });
            let section = self
                .apply_change(&mut progress, lead, "section.add", section)
                .await?;
            for (title, person, after, is_done) in *items {
                let item = json!({
                    "section_id": section["section"]["id"], "title": title,
                    "assignee_member_ids": [team[*person].member.id],
                    "due_on": format_date(start + after * DAY),
                });
                let item = self
                    .apply_change(&mut progress, lead, "item.add", item)
                    .await?;
                if *is_done {
                    done.push((item["item"]["id"].clone(), &team[*person]));
                }
            }
        }
        for (item, person) in done {
            progress.at = (progress.at + DAY).min(today - HOUR);
            self.apply_change(
                &mut progress,
                person,
                "item.complete",
                json!({ "item_id": item }),
            )
            .await?;
        }
        Ok(())
    }

    /// Calls one operation a few minutes after the previous one; returns the changed resource.
    async fn apply_change(
        &self,
        progress: &mut Progress,
        caller: &Principal,
        kind: &str,
        payload: Value,
    ) -> Result<Value> {
        progress.at += HOUR / 20;
        self.set_clock(progress.at);
        let input = json!({
            "projectId": progress.id, "type": kind, "payload": payload,
            "expected_revision": progress.revision,
        });
        let answer = self
            .call_operation(caller, "apply_project_operation", input)
            .await;
        let answer = answer.with_context(|| kind.to_owned())?;
        progress.revision = answer["revision"].clone();
        Ok(answer["changed"].clone())
    }
}

/// Returns the date of an instant at a fixed offset from UTC, which is exact enough for a plan.
fn format_date(instant: Millis) -> String {
    Timestamp(instant - 3 * HOUR).to_string()[..10].to_owned()
}
