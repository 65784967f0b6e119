//! Calls to the measured service.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

/// The file that a demo writes when it is ready.
#[derive(Deserialize)]
pub struct Access {
    url: String,
    token: String,
}

/// A running service.
pub struct Service {
    pub address: SocketAddr,
    token: String,
    pid: u32,
}

impl Service {
    pub fn new(access: Access, pid: u32) -> Result<Self> {
        let address = access.url.trim_start_matches("http://").parse()?;
        Ok(Self {
            address,
            token: access.token,
            pid,
        })
    }

    /// Returns the time to draw one image. Each call draws a new text.
    pub async fn art(&self, style: &str, n: usize) -> Result<Duration> {
        let prompt = format!("Café coado é conversa demorada, parte {n}: água, moagem e tempo");
        let body = json!({ "prompt": prompt, "style": style, "size": "1024x1536" });
        Ok(self.post("/api/art", &body)?.0)
    }

    pub async fn carousel(&self, n: usize) -> Result<Duration> {
        let text = "Pão de queijo pede polvilho azedo, queijo curado e forno bem quente.";
        let cards = (1..=10).map(|card| json!({ "text": format!("{n}.{card} {text}") }));
        let body = json!({ "cards": cards.collect::<Vec<_>>(), "style": "vibrante" });
        Ok(self.post("/api/carousel", &body)?.0)
    }

    /// Uploads an image and returns the path and query of its link.
    pub async fn upload_image(&self, file: &[u8]) -> Result<String> {
        let (_, answer) = self.upload(file.len(), |stream| stream.write_all(file))?;
        let url = answer["url"]
            .as_str()
            .context("an upload answers its link")?;
        let start = url.find("/media/").context("a link")?;
        Ok(url[start..].to_owned())
    }

    /// Uploads a video of this many bytes, generated while it is sent. Returns the time.
    pub async fn upload_video(&self, bytes: usize) -> Result<Duration> {
        let boxed = |kind: &[u8; 4], content: &[u8]| {
            let size = u32::try_from(content.len() + 8).unwrap_or(0).to_be_bytes();
            [size.as_slice(), kind, content].concat()
        };
        let mut track = vec![0; 84];
        (track[77], track[81]) = (200, 200);
        let movie = boxed(b"moov", &boxed(b"trak", &boxed(b"tkhd", &track)));
        let mut head = [boxed(b"ftyp", b"isom\0\0\x02\0isom"), movie].concat();
        let rest = bytes - head.len();
        head.extend_from_slice(&u32::try_from(rest)?.to_be_bytes());
        head.extend_from_slice(b"mdat");
        let piece = vec![7; 1 << 20];
        let sent = self.upload(bytes, |stream| {
            stream.write_all(&head)?;
            let mut left = rest - 8;
            while left > 0 {
                let now = left.min(piece.len());
                stream.write_all(&piece[..now])?;
                left -= now;
            }
            Ok(())
        });
        Ok(sent?.0)
    }

    fn upload(
        &self,
        bytes: usize,
        write: impl FnOnce(&mut TcpStream) -> std::io::Result<()>,
    ) -> Result<(Duration, Value)> {
        let head = "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
        let tail = "\r\n--xx--\r\n";
        let length = head.len() + bytes + tail.len();
        self.send(
            "/api/upload",
            "multipart/form-data; boundary=xx",
            length,
            |stream| {
                stream.write_all(head.as_bytes())?;
                write(stream)?;
                stream.write_all(tail.as_bytes())
            },
        )
    }

    fn post(&self, path: &str, body: &Value) -> Result<(Duration, Value)> {
        let body = body.to_string();
        self.send(path, "application/json", body.len(), |stream| {
            stream.write_all(body.as_bytes())
        })
    }

    fn send(
        &self,
        path: &str,
        content_type: &str,
        length: usize,
        write: impl FnOnce(&mut TcpStream) -> std::io::Result<()>,
    ) -> Result<(Duration, Value)> {
        let began = Instant::now();
        let mut stream = TcpStream::connect(self.address)?;
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n",
            self.address, self.token
        )?;
        write(&mut stream)?;
        let body = answer(&mut stream, path)?;
        Ok((began.elapsed(), serde_json::from_slice(&body)?))
    }

    /// The body of a public path.
    pub async fn get(&self, path: &str) -> Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.address)?;
        let host = self.address;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )?;
        answer(&mut stream, path)
    }

    /// Resident memory in bytes; `None` without `/proc`.
    pub fn resident(&self) -> Option<u64> {
        self.status("VmRSS:")
    }

    /// The peak of the resident memory since the last reset.
    pub fn peak(&self) -> Option<u64> {
        self.status("VmHWM:")
    }

    pub fn forget_peak(&self) -> Result<()> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.pid), "5")?)
    }

    fn status(&self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib * 1024)
    }
}

fn answer(stream: &mut TcpStream, path: &str) -> Result<Vec<u8>> {
    let mut answer = vec![];
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n");
    let body = answer.split_off(end.context("an answer has a head")? + 4);
    let good = answer.starts_with(b"HTTP/1.1 20");
    ensure!(good, "{path}: {}", String::from_utf8_lossy(&body));
    Ok(body)
}

/// An incompressible image, padded to this many bytes.
pub fn noise(bytes: usize) -> Vec<u8> {
    const SIDE: u32 = 570;
    let mut state = 0x9e37_79b9_u32;
    let image = image::RgbImage::from_fn(SIDE, SIDE, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, red, green, blue] = state.to_be_bytes();
        image::Rgb([red, green, blue])
    });
    let mut file = vec![];
    image
        .write_to(
            &mut std::io::Cursor::new(&mut file),
            image::ImageFormat::Png,
        )
        .expect("a vector takes all");
    file.resize(bytes, 0);
    file
}
