//! The stages that a piece follows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{MemberId, Role, text_enum};

text_enum! {
    /// The number of deciders of a stage who must approve: one or all.
    pub enum Quorum {
        One = "um",
        All = "todos",
    }
}

text_enum! {
    /// The action when the deadline of a stage passes.
    pub enum WhenOverdue {
        /// The piece then also waits for the members in `notify`, who are reminded but may not
        /// decide.
        Remind = "lembrar",
        /// The members in `notify` may then decide too.
        Escalate = "escalar",
        /// The stage is only marked as overdue.
        Hold = "segurar",
    }
}

/// One stage of an approval.
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
    /// The stages, in order. If there are none, one approval by any member who may approve
    /// suffices.
    #[serde(rename = "etapas")]
    pub stages: Vec<Stage>,
    /// The members who may not approve this piece, because it is their own.
    #[serde(rename = "impedidos")]
    pub barred: BTreeSet<MemberId>,
}
