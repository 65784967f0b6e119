//! The stages that a piece follows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{MemberId, Role, text_enum};

text_enum! {
    /// How many of the deciders of a stage must approve.
    pub enum Quorum {
        One = "um",
        All = "todos",
    }
}

text_enum! {
    /// What happens when the deadline of a stage passes.
    pub enum WhenOverdue {
        /// The members to notify are waited for too.
        Remind = "lembrar",
        /// The members to notify may decide too.
        Escalate = "escalar",
        /// Nothing but the mark.
        Hold = "segurar",
    }
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    #[serde(rename = "nome")]
    pub name: String,
    #[serde(rename = "membros")]
    pub members: Vec<MemberId>,
    /// Every member with exactly this role decides.
    #[serde(rename = "papel")]
    pub role: Option<Role>,
    /// Whether guests of the piece decide.
    #[serde(rename = "convidados")]
    pub guests: bool,
    #[serde(rename = "exige")]
    pub quorum: Quorum,
    /// The deadline in working hours from the start of the stage.
    #[serde(rename = "prazo_horas_uteis")]
    pub hours: Option<u32>,
    /// The members to notify when the deadline passes.
    #[serde(rename = "avisar")]
    pub notify: Vec<MemberId>,
    #[serde(rename = "ao_vencer")]
    pub when_overdue: WhenOverdue,
}

/// The copy of a rule that a submitted piece follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the rule.
    #[serde(rename = "regra")]
    pub name: String,
    /// Without stages, one approval of any approver suffices.
    #[serde(rename = "etapas")]
    pub stages: Vec<Stage>,
    /// The members who may not approve this piece, because it is their own.
    #[serde(rename = "impedidos")]
    pub barred: BTreeSet<MemberId>,
}
