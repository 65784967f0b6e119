//! Commands that the operator runs on the machine itself, without a credential.

mod access;
mod caller;
mod imports;
mod knowledge;

use domain::time::Millis;
use gateway::{Door, Origin, Outcome, Progress, RequestHead};
use store::audit::AuditRow;

pub use access::{
    InvitedPerson, RevokedAccess, create_admin, has_members, invite_again, set_password,
};
pub use caller::{
    open_session, principal_by_email, run_operation, run_operation_from, sign_in_path,
};
pub use identity::NewAdmin;
pub use imports::{Imported, finish_import};
pub use knowledge::{add_knowledge, list_knowledge, remove_knowledge};

/// Builds an audit row for an action of the operator.
pub(crate) fn operator_audit_row(action: &'static str, now: Millis) -> AuditRow {
    let mut row = gateway::actorless_row(action, &operator_origin(), now)
        .with_outcome(Outcome::Succeeded, 200);
    row.auth_method = "system";
    row
}

fn operator_origin() -> Origin {
    Origin {
        door: Door::Cli,
        request_id: format!("operator-{}", std::process::id()),
        trace: None,
        client: Some("pauta".into()),
        address: None,
        secret: None,
        head: RequestHead::default(),
        progress: Progress::default(),
    }
}
