//! A static web server for this machine only: the built page under a sub-path, as a host like GitHub Pages
//! serves it, and files named on the command line. One thread for each connection, one request for each.
//!
//! It listens on 127.0.0.1, answers only requests that name this machine as their host (so that no page from
//! elsewhere can reach the offered files by a name that resolves here), and never leaves its folder.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use crate::archive::Tar;

/// The most bytes of a request that are read.
const REQUEST_BYTES: u64 = 16 << 10;

/// What is served.
pub struct Site {
    /// The folder with `index.html`; another one from when it is changed.
    pub root: Arc<RwLock<PathBuf>>,
    /// The path it is served under, with a slash at both ends: `/` or `/lanescope/`.
    pub base: String,
    /// Files and folders from elsewhere.
    pub offers: Vec<Offer>,
    /// While this is set, connections are dropped: a network that is gone.
    pub is_down: Arc<AtomicBool>,
}

/// A file, or a folder as a tar archive, served beside the page.
pub struct Offer {
    /// Its address below the base, such as `_files/1/trace.json`.
    pub address: String,
    /// Where it is.
    pub source: PathBuf,
}

/// Takes a port of this machine; 0 takes any that is free.
pub fn bind(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Serves a site until the program ends. Returns the address it listens on.
pub fn start(site: Site, listener: TcpListener) -> io::Result<SocketAddr> {
    let address = listener.local_addr()?;
    let site = Arc::new(site);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let site = Arc::clone(&site);
            thread::spawn(move || site.answer(&stream)); // a client that went away is no fault of ours
        }
    });
    Ok(address)
}

/// What a request gets.
enum Reply {
    File(File, u64, &'static str),
    Folder(Tar),
    Moved(String),
    Refused(&'static str),
}

impl Site {
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        if self.is_down.load(Ordering::Relaxed) {
            return Ok(());
        }
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        let Some(request) = Request::read(stream)? else { return Ok(()) };
        let reply = self.reply(&request).unwrap_or(Reply::Refused("404 Not Found"));
        let mut out = stream;
        let with_body = request.method == "GET";
        match reply {
            Reply::File(mut file, len, mime) => {
                head(&mut out, "200 OK", &format!("Content-Type: {mime}\r\nContent-Length: {len}\r\n"))?;
                if with_body {
                    io::copy(&mut (&mut file).take(len), &mut out)?;
                }
            }
            Reply::Folder(tar) => {
                let fields = format!("Content-Type: application/x-tar\r\nContent-Length: {}\r\n", tar.len());
                head(&mut out, "200 OK", &fields)?;
                if with_body {
                    tar.write(&mut out)?;
                }
            }
            Reply::Moved(to) => {
                head(&mut out, "301 Moved Permanently", &format!("Location: {to}\r\nContent-Length: 0\r\n"))?;
            }
            Reply::Refused(status) => {
                let fields = format!("Content-Type: text/plain\r\nContent-Length: {}\r\n", status.len());
                head(&mut out, status, &fields)?;
                if with_body {
                    out.write_all(status.as_bytes())?;
                }
            }
        }
        out.flush()
    }

    /// `None` when there is no such file.
    fn reply(&self, request: &Request) -> Option<Reply> {
        if !request.for_this_machine {
            return Some(Reply::Refused("403 Forbidden"));
        }
        if request.method != "GET" && request.method != "HEAD" {
            return Some(Reply::Refused("405 Method Not Allowed"));
        }
        if format!("{}/", request.path) == self.base {
            return Some(Reply::Moved(self.base.clone()));
        }
        let address = request.path.strip_prefix(&self.base)?;
        if let Some(offer) = self.offers.iter().find(|offer| offer.address == address) {
            return if offer.source.is_dir() {
                Tar::of(&offer.source).ok().map(Reply::Folder)
            } else {
                open(&offer.source)
            };
        }
        let mut path = self.root.read().unwrap_or_else(PoisonError::into_inner).clone();
        for part in address.split('/') {
            match part {
                "" | "." => {}
                ".." => return None,
                _ if part.contains(['\\', ':', '\0']) => return None,
                _ => path.push(part),
            }
        }
        if path.is_dir() {
            path.push("index.html");
        }
        open(&path)
    }
}

/// Opens a file; its type is that of its name.
fn open(path: &Path) -> Option<Reply> {
    let file = File::open(path).ok()?;
    let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some(Reply::File(file, meta.len(), mime(path)))
}

fn head(out: &mut impl Write, status: &str, fields: &str) -> io::Result<()> {
    let common = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n";
    out.write_all(format!("HTTP/1.1 {status}\r\n{fields}{common}\r\n").as_bytes())
}

/// The media type for a file's name.
fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The parts of a request that matter here.
struct Request {
    method: String,
    /// Decoded, without the query.
    path: String,
    for_this_machine: bool,
}

impl Request {
    /// Reads the head of a request; `None` when the client sent nothing that is one.
    fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut lines = BufReader::new(stream.take(REQUEST_BYTES)).lines();
        let Some(first) = lines.next().transpose()? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
        let (path, _query) = target.split_once('?').unwrap_or((target, ""));
        let mut for_this_machine = false;
        for line in lines {
            let line = line?;
            if line.is_empty() {
                let Some(path) = decoded(path) else { return Ok(None) };
                return Ok(Some(Self { method: method.to_owned(), path, for_this_machine }));
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                let host = value.trim();
                let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
                for_this_machine = name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1";
            }
        }
        Ok(None)
    }
}

/// Text with its `%xx` replaced; `None` when the bytes are not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = (byte == b'%').then(|| after.get(..2)).flatten();
        let code = digits.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

/// Text as it stands in an address: everything but letters, digits and `-._~/` as `%xx`.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::{Arc, RwLock};

    use super::{Offer, Site, bind, decoded, encoded, start};

    fn ask(request: &str) -> String {
        let root = crate::place::root();
        let offers = vec![Offer { address: "_files/1/a b.toml".into(), source: root.join("Cargo.toml") }];
        let served = Arc::new(RwLock::new(root.join("xtask")));
        let site = Site { root: served, base: "/sub/".into(), offers, is_down: Arc::default() };
        let text = bind(0).and_then(|listener| start(site, listener)).and_then(|address| {
            let mut stream = TcpStream::connect(address)?;
            stream.write_all(request.as_bytes())?;
            let mut text = String::new();
            stream.read_to_string(&mut text).map(|_| text)
        });
        text.unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn each_request_gets_its_status() {
        let rows = [
            ("GET /sub/Cargo.toml", "localhost", "200 OK"),
            ("HEAD /sub/src/lib.rs?x=1", "127.0.0.1:8080", "200 OK"),
            ("GET /sub/_files/1/a%20b.toml", "localhost:1", "200 OK"),
            ("GET /sub", "localhost", "301 Moved Permanently"),
            ("GET /sub/", "localhost", "404 Not Found"),
            ("GET /Cargo.toml", "localhost", "404 Not Found"),
            ("GET /sub/../Cargo.toml", "localhost", "404 Not Found"),
            ("GET /sub/%2e%2e/Cargo.toml", "localhost", "404 Not Found"),
            ("GET /sub/..%2fCargo.toml", "localhost", "404 Not Found"),
            ("GET /sub//etc/passwd", "localhost", "404 Not Found"),
            ("POST /sub/Cargo.toml", "localhost", "405 Method Not Allowed"),
            ("GET /sub/Cargo.toml", "evil.example", "403 Forbidden"),
        ];
        for (line, host, status) in rows {
            let answer = ask(&format!("{line} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{line} at {host}: {answer}");
        }
    }

    #[test]
    fn the_length_stands_in_the_head_and_a_head_request_gets_no_body() {
        let whole = ask("GET /sub/Cargo.toml HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let head = ask("HEAD /sub/Cargo.toml HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let body = whole.strip_prefix(&head).unwrap_or_default();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
        assert!(body.starts_with("[package]"), "{body}");
    }

    #[test]
    fn encoding_and_decoding_are_inverse() {
        let text = "ä b%/c?d#e+f.json";
        assert_eq!(decoded(&encoded(text)).as_deref(), Some(text));
        assert_eq!(decoded("100%"), Some("100%".to_owned()));
    }
}
