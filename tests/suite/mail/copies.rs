//! Copies of the database: a service that uses a copy must not send the e-mails of the original
//! service.

use domain::{MailId, MailKind, Role};
use store::{
    mails::{self, NewMail, SECRET},
    secrets::{self, Sealed},
};

use crate::support::{TestApp, back_up};

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_has_no_pending_emails() {
    let app = TestApp::on_sqlite().await;
    let member = app.add_member(Role::Criador).await;
    let tx = app.begin().await;
    let id = MailId::new(app.now());
    let new = NewMail {
        id: &id,
        kind: MailKind::Invitation,
        member_id: Some(&member.id),
    };
    mails::insert(&tx.conn(), &new, app.now())
        .await
        .expect("inserts");
    let keys = &app.app.gateway.services.keys;
    let record = Sealed {
        purpose: SECRET.to_owned(),
        id: id.to_string(),
        kid: keys.active_key_id().to_owned(),
        sealed: keys
            .seal(SECRET, id.as_str(), b"http://x/convite#abc")
            .expect("seals"),
    };
    secrets::save_record(&tx.conn(), &record)
        .await
        .expect("saves");
    tx.commit().await.expect("commits");
    let backup = back_up(&app);
    let files = std::fs::read_dir(backup.folder()).expect("a folder");
    let mut files: Vec<_> = files
        .map(|file| file.expect("a file").file_name())
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["manifest.json", "pauta.db"]);
    let copy = backup.open().await;
    let due = mails::list_due(&copy.reader(), i64::MAX, 9).await;
    assert_eq!(due.expect("reads").len(), 0);
    let left = secrets::find_sealed(&copy.reader(), SECRET, id.as_str()).await;
    assert_eq!(left.expect("reads"), None);
    copy.close().await.expect("closes");
    // The original service can still send the e-mail.
    assert_eq!(app.count_rows("mails WHERE state = 'pendente'").await, 1);
}
