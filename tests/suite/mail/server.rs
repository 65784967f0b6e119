//! An SMTP server on loopback whose behaviour the test chooses.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tokio_rustls::TlsAcceptor;

/// How the server behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Accepting,
    /// Answers 421 instead of a greeting.
    Closed,
    /// Answers 450 to the recipient, so that the client must try again later.
    Greylisting,
    /// Answers 550 to the recipient.
    UnknownRecipient,
    /// Answers 550 5.7.1 to the recipient, like a server that does not relay.
    NoRelay,
    /// Answers 550 to the sender.
    RefusedSender,
    /// Answers 554 after the text.
    RefusedText,
    /// Answers 451 after the text.
    LaterAfterText,
    /// Accepts the text and closes the connection without an answer.
    Silent,
    /// Accepts the text and never answers.
    HangingAfterText,
    /// Sends its greeting a byte at a time.
    Slow,
    /// Closes the connection at this step: 0 is the greeting, 1 EHLO, 2 MAIL, 3 RCPT, 4 DATA.
    Dropping(usize),
    /// Stops answering at this step.
    Hanging(usize),
}

/// An e-mail whose text the server has received.
#[derive(Clone, Debug)]
pub struct Received {
    pub from: String,
    pub to: String,
    pub raw: String,
    /// The command with which the client has signed in.
    pub auth: String,
    /// Whether the server has answered that it accepts the e-mail.
    pub accepted: bool,
    /// Whether the client has signed in and sent the text over an encrypted connection.
    pub encrypted: bool,
}

/// How the server encrypts connections.
#[derive(Clone)]
pub enum Encryption {
    None,
    /// Encrypts the connection from its beginning.
    Implicit(TlsAcceptor),
    /// Encrypts the connection after the command STARTTLS.
    Offered(TlsAcceptor),
}

/// A connection, encrypted or not.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Wire for S {}

type Stream = BufReader<Box<dyn Wire>>;

impl Received {
    /// Returns the unfolded value of a header. Panics if the e-mail does not have the header.
    pub fn header(&self, name: &str) -> String {
        self.find_header(name).expect("the header")
    }

    pub fn find_header(&self, name: &str) -> Option<String> {
        let head = self.raw.split("\r\n\r\n").next().unwrap_or_default();
        find_header(head, name)
    }

    /// Returns the decoded subject.
    pub fn subject(&self) -> String {
        decode_words(&self.header("Subject"))
    }

    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    pub fn html(&self) -> String {
        self.part("text/html")
    }

    /// Returns the first URL in the text that begins with `start`.
    pub fn link(&self, start: &str) -> String {
        let text = self.text();
        let mut words = text.split_whitespace();
        words
            .find(|word| word.starts_with(start))
            .expect("a link")
            .to_owned()
    }

    fn part(&self, media_type: &str) -> String {
        let kind = self.header("Content-Type");
        let boundary = kind.split("boundary=\"").nth(1).expect("a boundary");
        let boundary = format!("--{}", boundary.split('"').next().expect("a boundary"));
        let mut parts = self.raw.split(&boundary);
        let is_part = |part: &&str| {
            let head = part.split("\r\n\r\n").next().unwrap_or_default();
            find_header(head.trim_start(), "Content-Type")
                .is_some_and(|kind| kind.starts_with(media_type))
        };
        let part = parts.find(is_part).expect("the part").trim_start();
        let (head, body) = part.split_once("\r\n\r\n").expect("a body");
        match find_header(head, "Content-Transfer-Encoding").as_deref() {
            Some("quoted-printable") => decode_quoted(body),
            Some("base64") => {
                let text: String = body.split_whitespace().collect();
                String::from_utf8(STANDARD.decode(text).expect("base64")).expect("UTF-8")
            }
            _ => body.to_owned(),
        }
    }
}

fn find_header(head: &str, name: &str) -> Option<String> {
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    let mut lines = unfolded.lines();
    lines.find_map(|line| {
        let (given, value) = line.split_once(": ")?;
        given.eq_ignore_ascii_case(name).then(|| value.to_owned())
    })
}

/// Decodes the words `=?utf-8?b?…?=` of a header.
fn decode_words(text: &str) -> String {
    let joined = text.replace("?= =?", "?==?");
    let mut decoded = String::new();
    let mut rest = joined.as_str();
    while let Some((before, word)) = rest.split_once("=?utf-8?b?") {
        let (word, after) = word.split_once("?=").expect("an encoded word");
        let bytes = STANDARD.decode(word).expect("base64");
        decoded.push_str(before);
        decoded.push_str(&String::from_utf8(bytes).expect("UTF-8"));
        rest = after;
    }
    decoded + rest
}

fn decode_quoted(text: &str) -> String {
    let joined = text.replace("=\r\n", "");
    let mut bytes = vec![];
    let mut given = joined.bytes();
    while let Some(byte) = given.next() {
        if byte != b'=' {
            bytes.push(byte);
            continue;
        }
        let pair = [
            given.next().expect("a digit"),
            given.next().expect("a digit"),
        ];
        let pair = std::str::from_utf8(&pair).expect("ASCII");
        bytes.push(u8::from_str_radix(pair, 16).expect("a hexadecimal number"));
    }
    String::from_utf8(bytes).expect("UTF-8")
}

struct State {
    manner: Manner,
    received: Vec<Received>,
    connections: usize,
}

/// A running server.
#[derive(Clone)]
pub struct SmtpServer {
    pub port: u16,
    state: Arc<Mutex<State>>,
    /// The number of steps of the newest connection.
    steps: Arc<watch::Sender<usize>>,
}

impl SmtpServer {
    pub async fn start() -> Self {
        Self::start_with(Encryption::None).await
    }

    pub async fn start_with(encryption: Encryption) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let server = Self {
            port: listener.local_addr().expect("an address").port(),
            state: Arc::new(Mutex::new(State {
                manner: Manner::Accepting,
                received: vec![],
                connections: 0,
            })),
            steps: Arc::new(watch::channel(0).0),
        };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = serving.clone();
                server.state.lock().expect("no panic").connections += 1;
                let encryption = encryption.clone();
                tokio::spawn(async move {
                    let _ = server.talk(stream, encryption).await;
                });
            }
        });
        server
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    pub fn behave(&self, manner: Manner) {
        self.state.lock().expect("no panic").manner = manner;
    }

    /// Returns the e-mails whose texts have arrived since the last call.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.lock().expect("no panic").received)
    }

    pub fn take_one(&self) -> Received {
        let mut all = self.take();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Returns the number of connections since the last call.
    pub fn take_connections(&self) -> usize {
        std::mem::take(&mut self.state.lock().expect("no panic").connections)
    }

    /// Waits until a client has reached this step or a later one.
    pub async fn wait_for_step(&self, step: usize) {
        let mut steps = self.steps.subscribe();
        let reached = steps.wait_for(|reached| *reached > step).await;
        reached.expect("the server runs");
    }

    pub fn forget_steps(&self) {
        self.steps.send_replace(0);
    }

    async fn talk(&self, stream: TcpStream, encryption: Encryption) -> std::io::Result<()> {
        let manner = self.state.lock().expect("no panic").manner;
        let (mut encrypted, mut offered) = (false, None);
        let mut stream: Stream = match encryption {
            Encryption::None => BufReader::new(Box::new(stream)),
            Encryption::Offered(tls) => {
                offered = Some(tls);
                BufReader::new(Box::new(stream))
            }
            Encryption::Implicit(tls) => {
                encrypted = true;
                BufReader::new(Box::new(tls.accept(stream).await?))
            }
        };
        if self.closes_connection(manner, 0).await {
            return Ok(());
        }
        match manner {
            Manner::Closed => return say(&mut stream, "421 closed").await,
            Manner::Slow => {
                for byte in b"220 slow.test\r\n" {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    stream.get_mut().write_all(&[*byte]).await?;
                }
            }
            _ => say(&mut stream, "220 double.test").await?,
        }
        let [mut from, mut to, mut auth] = [const { String::new() }; 3];
        let mut line = String::new();
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let command = line.trim_end();
            if command == "STARTTLS"
                && let Some(tls) = offered.take()
            {
                say(&mut stream, "220 go on").await?;
                stream = BufReader::new(Box::new(tls.accept(stream.into_inner()).await?));
                encrypted = true;
                continue;
            }
            let (step, answer) = match command.get(..4) {
                Some("EHLO") if offered.is_some() => (1, "250-double.test\r\n250 STARTTLS"),
                Some("EHLO") => (1, "250-double.test\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN"),
                Some("AUTH") => {
                    auth = command.to_owned();
                    (1, "235 welcome")
                }
                Some("MAIL") => {
                    from = command.to_owned();
                    let refused = manner == Manner::RefusedSender;
                    (2, if refused { "550 sender" } else { "250 ok" })
                }
                Some("RCPT") => {
                    to = command.to_owned();
                    let answer = match manner {
                        Manner::Greylisting => "450 later",
                        Manner::UnknownRecipient => "550 nobody",
                        Manner::NoRelay => "550 5.7.1 relaying denied",
                        _ => "250 ok",
                    };
                    (3, answer)
                }
                Some("DATA") => (4, "354 go on"),
                Some("QUIT") => return say(&mut stream, "221 bye").await,
                _ => (0, "500 what"),
            };
            if self.closes_connection(manner, step).await {
                return Ok(());
            }
            say(&mut stream, answer).await?;
            if answer.starts_with("354") {
                let raw = read_text(&mut stream).await?;
                let answer = match manner {
                    Manner::RefusedText => Some("554 no"),
                    Manner::LaterAfterText => Some("451 later"),
                    Manner::Silent | Manner::HangingAfterText => None,
                    _ => Some("250 accepted"),
                };
                let received = Received {
                    from: from.clone(),
                    to: to.clone(),
                    auth: auth.clone(),
                    raw,
                    encrypted,
                    accepted: answer.is_none_or(|answer| answer.starts_with("250")),
                };
                self.state.lock().expect("no panic").received.push(received);
                self.steps.send_replace(6);
                match answer {
                    Some(answer) => say(&mut stream, answer).await?,
                    None if manner == Manner::Silent => return Ok(()),
                    None => std::future::pending().await,
                }
            }
        }
    }

    /// Reports the step. Returns true if the server closes the connection at this step; never
    /// returns if the server hangs at this step.
    async fn closes_connection(&self, manner: Manner, step: usize) -> bool {
        self.steps.send_replace(step + 1);
        match manner {
            Manner::Hanging(at) if at == step => std::future::pending().await,
            Manner::Dropping(at) => at == step,
            _ => false,
        }
    }
}

async fn say(stream: &mut Stream, text: &str) -> std::io::Result<()> {
    stream
        .get_mut()
        .write_all(format!("{text}\r\n").as_bytes())
        .await
}

/// Reads a text up to the line with a single dot.
async fn read_text(stream: &mut Stream) -> std::io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == ".\r\n" {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
