//! The rules of a team, as published in the configuration.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    fields::{Fields, fault},
    plan::{Plan, Quorum, Stage, WhenOverdue},
};
use crate::{Fault, MemberId, ProjectId, Role};

const MOST_RULES: usize = 50;
const MOST_STAGES: usize = 10;
/// The longest deadline of a stage, in working hours: about five months.
const MOST_HOURS: u32 = 1_000;

/// The approval rules of a team: which pieces are approved in which stages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The rules, in order. The first rule that applies to a piece is used.
    pub rules: Vec<Rule>,
    /// True if nobody may approve their own piece.
    pub forbids_own: bool,
}

/// A rule; an empty list of channels, tags or projects matches every piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    pub channels: Vec<String>,
    pub tags: Vec<String>,
    pub projects: Vec<ProjectId>,
    pub stages: Vec<Stage>,
}

/// The properties of a piece that decide which rule applies.
#[derive(Debug, Clone, Copy)]
pub struct PieceFacts<'a> {
    pub channel: &'a str,
    pub tag: Option<&'a str>,
    /// The projects that the piece is linked to.
    pub projects: &'a BTreeSet<ProjectId>,
}

/// An id that the configuration contains, with the path of its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub field: String,
    pub id: Mentioned,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mentioned {
    /// A member, who must be active and must have a role that may approve.
    Approver(MemberId),
    Project(ProjectId),
}

/// The result of parsing a configuration value. The rules are complete only if there are no faults.
#[derive(Debug, Default)]
pub struct ParsedRules {
    pub rules: Rules,
    pub faults: Vec<Fault>,
    /// The ids that the caller must look up in the database.
    pub mentions: Vec<Mention>,
}

impl Rules {
    /// The key of the rules in the configuration.
    pub const KEY: &str = "aprovacao";

    /// Returns the plan of a piece by the first rule that applies. If no rule applies, returns a
    /// plan without stages if the team forbids `authors` to approve their own piece, otherwise
    /// `None`. `is_same` compares names of channels and tags.
    #[must_use]
    pub fn plan_for(
        &self,
        piece: PieceFacts<'_>,
        authors: BTreeSet<MemberId>,
        is_same: impl Fn(&str, &str) -> bool,
    ) -> Option<Plan> {
        let mut rules = self.rules.iter();
        let rule = rules.find(|rule| rule.applies_to(piece, &is_same));
        if rule.is_none() && !self.forbids_own {
            return None;
        }
        Some(Plan {
            name: rule.map(|rule| rule.name.clone()).unwrap_or_default(),
            stages: rule.map(|rule| rule.stages.clone()).unwrap_or_default(),
            barred: match self.forbids_own {
                true => authors,
                false => BTreeSet::new(),
            },
        })
    }

    /// True if these rules give no piece a plan.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.forbids_own
    }

    /// Parses the configuration value; null means no rules.
    #[must_use]
    pub fn parse_rules(value: &Value) -> ParsedRules {
        let mut parsed = ParsedRules::default();
        if value.is_null() {
            return parsed;
        }
        let faults = &mut parsed.faults;
        let known = ["regras", "sem_autoaprovacao"];
        let Some(fields) = Fields::new("value".into(), value, &known, faults) else {
            return parsed;
        };
        parsed.rules.forbids_own = fields.read_flag("sem_autoaprovacao", faults);
        let no_rules = fields.get("regras").and_then(Value::as_array);
        if no_rules.is_some_and(Vec::is_empty) {
            return parsed;
        }
        for (place, value) in fields.read_list("regras", MOST_RULES, &mut parsed.faults) {
            let rule = read_rule(place, value, &mut parsed);
            parsed.rules.rules.extend(rule);
        }
        parsed
    }
}

impl Rule {
    fn applies_to(&self, piece: PieceFacts<'_>, is_same: &impl Fn(&str, &str) -> bool) -> bool {
        let is_listed = |names: &[String], name: Option<&str>| {
            names.is_empty() || name.is_some_and(|name| names.iter().any(|one| is_same(one, name)))
        };
        is_listed(&self.channels, Some(piece.channel))
            && is_listed(&self.tags, piece.tag)
            && (self.projects.is_empty()
                || self.projects.iter().any(|id| piece.projects.contains(id)))
    }
}

fn read_rule(place: String, value: &Value, parsed: &mut ParsedRules) -> Option<Rule> {
    let known = ["nome", "canais", "tipos", "projetos", "etapas"];
    let faults = &mut parsed.faults;
    let fields = Fields::new(place, value, &known, faults)?;
    let name = fields.read_text("nome", 80, faults);
    let channels = fields.read_texts("canais", 60, faults);
    let tags = fields.read_texts("tipos", 80, faults);
    let mut projects = vec![];
    for (field, id) in fields.read_ids("projetos", faults) {
        let project = ProjectId::from(id);
        let id = Mentioned::Project(project.clone());
        parsed.mentions.push(Mention { field, id });
        projects.push(project);
    }
    if fields.get("etapas").is_none() {
        let message = "é obrigatório: a lista de etapas, em ordem";
        faults.push(fault(fields.place_of("etapas"), "required", message));
    }
    let mut stages = vec![];
    for (place, value) in fields.read_list("etapas", MOST_STAGES, &mut parsed.faults) {
        stages.extend(read_stage(place, value, parsed));
    }
    Some(Rule {
        name,
        channels,
        tags,
        projects,
        stages,
    })
}

fn read_stage(place: String, value: &Value, parsed: &mut ParsedRules) -> Option<Stage> {
    let known = [
        "nome",
        "membros",
        "papel",
        "convidados",
        "exige",
        "prazo_horas_uteis",
        "avisar",
        "ao_vencer",
    ];
    let ParsedRules {
        faults, mentions, ..
    } = parsed;
    let fields = Fields::new(place, value, &known, faults)?;
    let mut members = |name: &str, faults: &mut Vec<Fault>| -> Vec<MemberId> {
        let mut found = vec![];
        for (field, id) in fields.read_ids(name, faults) {
            let member = MemberId::from(id);
            let id = Mentioned::Approver(member.clone());
            mentions.push(Mention { field, id });
            found.push(member);
        }
        found
    };
    let (deciders, notify) = (members("membros", faults), members("avisar", faults));
    // Only these roles may approve.
    let role = fields.read_word::<Role>("papel", &["lider", "admin"], faults);
    let guests = fields.read_flag("convidados", faults);
    let names_nobody = ["membros", "papel"].map(|name| fields.get(name).is_none());
    if names_nobody == [true, true] && !guests {
        let message = "não tem quem decida: informe `membros`, `papel` ou `convidados`";
        faults.push(fault(fields.place.clone(), "required", message));
    }
    let hours = fields.get("prazo_horas_uteis").and_then(|value| {
        let hours = value.as_u64().and_then(|hours| u32::try_from(hours).ok());
        let hours = hours.filter(|hours| (1..=MOST_HOURS).contains(hours));
        if hours.is_none() {
            let message = format!("deve ser um número inteiro de 1 a {MOST_HOURS}");
            faults.push(fault(
                fields.place_of("prazo_horas_uteis"),
                "range",
                &message,
            ));
        }
        hours
    });
    let ends = ["lembrar", "escalar", "segurar"];
    let when_overdue = fields.read_word("ao_vencer", &ends, faults);
    for name in ["ao_vencer", "avisar"] {
        if fields.get(name).is_some() && fields.get("prazo_horas_uteis").is_none() {
            let message = "só vale com `prazo_horas_uteis`";
            faults.push(fault(fields.place_of(name), "dependentRequired", message));
        }
    }
    let (names_people, needs_people) = (
        fields.get("avisar").is_some(),
        when_overdue.is_some_and(|action| action != WhenOverdue::Hold),
    );
    if needs_people && !names_people && fields.get("prazo_horas_uteis").is_some() {
        let message = "é obrigatório para `lembrar` e `escalar`: quem é avisado, ou decide também";
        faults.push(fault(
            fields.place_of("avisar"),
            "dependentRequired",
            message,
        ));
    }
    if when_overdue == Some(WhenOverdue::Hold) && names_people {
        let message = "não vale com `segurar`, que não avisa ninguém";
        faults.push(fault(fields.place_of("avisar"), "not", message));
    }
    let when_overdue = when_overdue.unwrap_or(match names_people {
        true => WhenOverdue::Remind,
        false => WhenOverdue::Hold,
    });
    Some(Stage {
        name: fields.read_text("nome", 80, faults),
        members: deciders,
        role,
        guests,
        quorum: fields
            .read_word("exige", &["um", "todos"], faults)
            .unwrap_or(Quorum::One),
        hours,
        notify,
        when_overdue,
    })
}

#[cfg(test)]
mod tests;
