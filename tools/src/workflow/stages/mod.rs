//! Approval in stages: `aprovacao` in the configuration, and the stages of submitted pieces.
//!
//! The state machine and its rules are in `domain::approval`. A piece gets a copy of its rule when
//! it is submitted, so a change of the configuration never moves a piece that waits. Without a rule
//! everybody with `approve` decides, and nothing of this area shows.
//!
//! Decided here:
//!
//! - To be named in a stage is not enough: the capability `approve` stays required. The
//!   configuration refuses members who cannot approve, also in `avisar`, because only they see all
//!   pieces. A member who loses the role later is treated like one who left.
//! - An admin may always decide, because a piece would be stuck when its only approver is away. The
//!   history says so (`decided_as`). Where the stage names the admin and needs all, the others are
//!   still awaited. A token needs the level `admin` for that. If nobody of a stage
//!   is left, leads may decide too.
//! - Channel, tag and projects of a submitted or approved piece change only where the same rule
//!   applies.
//! - `sem_autoaprovacao` also holds for admins and for pieces without a rule. The authors are who
//!   created the piece and who submitted it, not who edited it between.
//! - Who approves a stage may change the caption. The approvals of earlier stages stay valid, because
//!   a comma would otherwise send a piece back to its first stage. But nothing is silent: the answer
//!   warns, the history has `changed_after_approval_of`, and each earlier approval says
//!   `mudou_depois` to those who decide next. Media do not change while a piece is in approval.
//! - Date and caption of an approval are stored at every stage, not only at the last one.
//! - A repeated approval of a stage changes nothing. It is recognised by its author and the
//!   revision that it names, or without one by its author alone. Who decides two stages in a row
//!   names the revision for the second one.
//! - A decision without `expected_revision` is not repeated on another stage than the one on which
//!   it began: the loser of a race gets `STALE_REVISION`.
//! - The deadline of a stage is handled once, by a job. It reminds or escalates, and never decides.
//!   Its entry is in the audit trail and not in the history, because it is no change of the piece:
//!   the revision that people have read stays valid.
//! - A lead or admin for whom a piece does not wait still finds it with `de_quem` `todos`.
//! - Each variant says whether the service publishes it at its hour, so there is no option to schedule at
//!   the approval: the configuration refuses the field `agendar_ao_aprovar`.
//! - A changed variant of an approved piece is decided by one of those who may decide the last stage.

mod begin;
mod changed_for_caller;
mod configuration;
mod decision;
mod overdue;
mod people;
mod view;
mod waiting_for_caller;

use gateway::Code;

pub(super) use begin::{begin_approval, require_last_decider, require_same_rule};
pub(super) use changed_for_caller::{count_changed_for_caller, list_changed_for_caller};
pub(crate) use configuration::require_valid_rules;
pub(super) use decision::{AllowedDecision, PendingDecision};
pub use overdue::HandleOverdueStages;
pub use view::ApprovalView;
pub(super) use view::{Detail, load_views};
pub(super) use waiting_for_caller::{count_waiting_for_caller, list_waiting_for_caller};

pub const NOT_YOUR_STAGE: Code = Code::new(
    "NOT_YOUR_STAGE",
    403,
    "A peça está em uma etapa de aprovação que outras pessoas decidem.",
)
.with_next_step("Quem decide agora está em `aprovacao.espera_por` de `get_event`.");

pub const OWN_PIECE: Code = Code::new(
    "OWN_PIECE",
    403,
    "Ninguém aprova a própria peça nesta equipe.",
)
.with_next_step(
    "Peça a outra pessoa que aprove. Se a peça tem etapas, `aprovacao.espera_por` diz quem.",
);
