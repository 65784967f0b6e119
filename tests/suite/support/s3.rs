//! An S3 server that runs in the process of the test and verifies signatures.

use std::path::{Path, PathBuf};

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::{net::TcpListener, sync::watch};

pub const BUCKET: &str = "redacao";
pub const KEY_ID: &str = "AKIAPAUTATEST";
pub const SECRET: &str = "an S3 secret that only the tests know";

/// An S3 server with one bucket. It stops when its test ends.
pub struct S3Server {
    pub endpoint: String,
    root: PathBuf,
    down: watch::Sender<bool>,
}

impl S3Server {
    pub async fn start(directory: &Path) -> Self {
        let root = directory.join("s3");
        std::fs::create_dir_all(root.join(BUCKET)).expect("a bucket");
        let mut builder = S3ServiceBuilder::new(FileSystem::new(&root).expect("a folder"));
        builder.set_auth(SimpleAuth::from_single(KEY_ID, SECRET));
        let service = builder.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let down = watch::Sender::new(false);
        let state = down.subscribe();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (service, mut state) = (service.clone(), state.clone());
                tokio::spawn(async move {
                    let server = Builder::new(TokioExecutor::new());
                    tokio::select! {
                        biased;
                        _ = state.wait_for(|down| *down) => {}
                        // Ignores errors of clients that close their connections.
                        _ = server.serve_connection(TokioIo::new(socket), service) => {}
                    }
                });
            }
        });
        Self {
            endpoint,
            root,
            down,
        }
    }

    /// With `true`, closes open connections and all new ones; with `false`, serves again.
    pub fn set_unavailable(&self, down: bool) {
        self.down.send_replace(down);
    }

    /// The number of objects in the bucket, plus the number of parts of uploads that were neither
    /// completed nor aborted.
    pub fn stored_object_count(&self) -> usize {
        let parts = std::fs::read_dir(&self.root).expect("a folder");
        let parts = parts.filter(|entry| {
            let name = entry.as_ref().expect("an entry").file_name();
            name.to_string_lossy().contains(".part")
        });
        parts.count() + super::count_files(&self.root.join(BUCKET))
    }
}
