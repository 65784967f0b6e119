//! Approval in stages: `aprovacao` in the configuration, and the stages of submitted pieces.
//!
//! The state machine and its rules are in `domain::approval`. A piece gets a copy of its rule when
//! it is submitted, so a change of the configuration never moves a waiting piece. Without a rule
//! everybody with `approve` may decide, and answers show no stages.
//!
//! Decided here:
//!
//! - A member who is named in a stage also needs the capability `approve`. The configuration refuses
//!   members who cannot approve, also in `avisar`, because only members who approve see all pieces. A
//!   member who loses the role later is treated like a member who left.
//! - An admin may always decide, because otherwise a piece would be stuck when its only approver is
//!   away. The history records this (`decided_as`). Where the stage names the admin and needs all
//!   approvals, the other approvals are still awaited. A token needs the level `admin` to decide as
//!   admin. If none of the people of a stage is left in the team, leads may decide too.
//! - Channel, tag and projects of a submitted or approved piece change only if the same rule applies
//!   afterwards.
//! - `sem_autoaprovacao` also applies to admins and to pieces without a rule. The authors are the
//!   members who created and who submitted the piece, not the members who edited it in between.
//! - The approver of a stage may change the caption. The approvals of earlier stages stay valid, because
//!   otherwise a changed comma would send a piece back to its first stage. But the change is visible:
//!   the answer warns, the history has `changed_after_approval_of`, and each earlier approval is shown
//!   with `mudou_depois` to the next deciders. Media do not change while a piece is in approval.
//! - Date and caption of an approval are stored at every stage, not only at the last stage.
//! - A repeated approval of a stage changes nothing. It is recognised by its author and the revision
//!   that it names, or by its author alone if it names no revision. A person who decides two stages in a
//!   row must name the revision for the second stage.
//! - A decision without `expected_revision` is not retried on another stage than the stage on which it
//!   began: the loser of a race gets `STALE_REVISION`.
//! - The deadline of a stage is handled once, by a job. The job reminds or escalates, and never decides.
//!   Its entry is in the audit trail and not in the history, because the piece does not change: the
//!   revision that people have read stays valid.
//! - A lead or admin can list pieces that do not wait for them with `de_quem` `todos`.
//! - Each variant has its own setting for automatic publication, so the approval has no option to
//!   schedule: the configuration refuses the field `agendar_ao_aprovar`.
//! - A changed variant of an approved piece is decided by one of the members who may decide the last
//!   stage.

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
