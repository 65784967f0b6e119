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
/// The longest deadline of a stage, in working hours: more than half a year.
const MOST_HOURS: u32 = 1_000;

/// When and how pieces are approved in stages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The first rule that applies to a piece is taken.
    pub rules: Vec<Rule>,
    /// Whether nobody may approve their own piece.
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

/// The properties of a piece that rules look at.
#[derive(Debug, Clone, Copy)]
pub struct PieceFacts<'a> {
    pub channel: &'a str,
    pub tag: Option<&'a str>,
    /// The projects that the piece is linked to.
    pub projects: &'a BTreeSet<ProjectId>,
}

/// An id that the configuration names, with its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub field: String,
    pub id: Mentioned,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mentioned {
    /// Must be an active member who may approve.
    Approver(MemberId),
    Project(ProjectId),
}

/// A configuration value as read: complete only if it has no faults.
#[derive(Debug, Default)]
pub struct Reading {
    pub rules: Rules,
    pub faults: Vec<Fault>,
    /// The ids to look up.
    pub mentions: Vec<Mention>,
}

impl Rules {
    /// The key of the rules in the configuration.
    pub const KEY: &str = "aprovacao";

    /// The plan of a piece by its first matching rule; without one, a plan without stages if the
    /// team forbids that `authors` approve their own piece. `is_same` compares names of channels
    /// and tags.
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

    /// True if no piece has a plan by these rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.forbids_own
    }

    /// Reads the configuration value; null means no rules.
    #[must_use]
    pub fn read(value: &Value) -> Reading {
        let mut reading = Reading::default();
        if value.is_null() {
            return reading;
        }
        let faults = &mut reading.faults;
        let known = ["regras", "sem_autoaprovacao"];
        let Some(fields) = Fields::new("value".into(), value, &known, faults) else {
            return reading;
        };
        reading.rules.forbids_own = fields.flag("sem_autoaprovacao", faults);
        let no_rules = fields.get("regras").and_then(Value::as_array);
        if no_rules.is_some_and(Vec::is_empty) {
            return reading;
        }
        for (place, value) in fields.list("regras", MOST_RULES, &mut reading.faults) {
            let rule = read_rule(place, value, &mut reading);
            reading.rules.rules.extend(rule);
        }
        reading
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

fn read_rule(place: String, value: &Value, reading: &mut Reading) -> Option<Rule> {
    let known = ["nome", "canais", "tipos", "projetos", "etapas"];
    let faults = &mut reading.faults;
    let fields = Fields::new(place, value, &known, faults)?;
    let name = fields.text("nome", 80, faults);
    let channels = fields.texts("canais", 60, faults);
    let tags = fields.texts("tipos", 80, faults);
    let mut projects = vec![];
    for (field, id) in fields.ids("projetos", faults) {
        let project = ProjectId::from(id);
        let id = Mentioned::Project(project.clone());
        reading.mentions.push(Mention { field, id });
        projects.push(project);
    }
    if fields.get("etapas").is_none() {
        let message = "é obrigatório: a lista de etapas, em ordem";
        faults.push(fault(fields.place_of("etapas"), "required", message));
    }
    let mut stages = vec![];
    for (place, value) in fields.list("etapas", MOST_STAGES, &mut reading.faults) {
        stages.extend(read_stage(place, value, reading));
    }
    Some(Rule {
        name,
        channels,
        tags,
        projects,
        stages,
    })
}

fn read_stage(place: String, value: &Value, reading: &mut Reading) -> Option<Stage> {
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
    let Reading {
        faults, mentions, ..
    } = reading;
    let fields = Fields::new(place, value, &known, faults)?;
    let mut members = |name: &str, faults: &mut Vec<Fault>| -> Vec<MemberId> {
        let mut found = vec![];
        for (field, id) in fields.ids(name, faults) {
            let member = MemberId::from(id);
            let id = Mentioned::Approver(member.clone());
            mentions.push(Mention { field, id });
            found.push(member);
        }
        found
    };
    let (deciders, notify) = (members("membros", faults), members("avisar", faults));
    // Only these roles may approve.
    let role = fields.word::<Role>("papel", &["lider", "admin"], faults);
    let guests = fields.flag("convidados", faults);
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
    let when_overdue = fields.word("ao_vencer", &ends, faults);
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
        name: fields.text("nome", 80, faults),
        members: deciders,
        role,
        guests,
        quorum: fields
            .word("exige", &["um", "todos"], faults)
            .unwrap_or(Quorum::One),
        hours,
        notify,
        when_overdue,
    })
}

#[cfg(test)]
mod tests;
