//! What the tests share: runs made by the engine, and a browser's side of a connection.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, StepSize, World};
use granule_io::run::Run;
use granule_io::scene::Setup;
use granule_view::Viewer;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// s.
pub const STEP: f64 = 0.01;

/// Two balls fall onto a floor, one onto the other, until `end` (s), with a frame every ten steps.
pub fn balls(end: f64) -> Setup {
    let mut world = World::new(Dimension::Space);
    world.gravity = -9.81 * DVec3::Z;
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.15), 0.1, 1.0));
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 0.0, 0.40), 0.1, 2.0));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut setup = Setup::new("balls", world, Settings::new(StepSize::Fixed(STEP), end));
    setup.output.frame_interval = 10.0 * STEP;
    setup
}

/// A folder with the finished run `balls`, and a viewer of it.
pub struct Place {
    pub folder: TempDir,
    pub viewer: Viewer,
}

impl Place {
    pub fn finished() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(&folder.path().join("balls"), balls(1.0)).unwrap();
        run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
        Self::of(folder)
    }

    pub fn of(folder: TempDir) -> Self {
        let viewer = Viewer::start(&[folder.path().join("balls")], 0).unwrap();
        Self { folder, viewer }
    }

    pub fn run(&self) -> PathBuf {
        self.folder.path().join("balls")
    }

    /// Host and port.
    pub fn host(&self) -> String {
        let rest = self.viewer.address().strip_prefix("http://").unwrap();
        rest.split('/').next().unwrap().to_owned()
    }

    /// The path up to the slash behind the token.
    pub fn base(&self) -> String {
        let rest = self.viewer.address().strip_prefix("http://").unwrap();
        rest[rest.find('/').unwrap()..].to_owned()
    }

    /// Sends bytes as they are and reads until the other side closes.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // A server that refuses may close before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Reply::of(&answer)
    }

    pub fn request(&self, method: &str, path: &str, fields: &str, body: &str) -> Reply {
        let (host, base, length) = (self.host(), self.base(), body.len());
        self.raw(
            format!(
                "{method} {base}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}Content-Length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", "")
    }

    pub fn json(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        serde_json::from_slice(&reply.body).unwrap()
    }
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    /// 0 if nothing came.
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.map_or(bytes.len(), |end| end + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head,
            body: bytes[end..].to_vec(),
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON of a binary message, and its bytes behind that.
    fn message(&self) -> (Value, &[u8]) {
        assert_eq!(self.status, 200, "{}", self.text());
        assert_eq!(&self.body[..4], b"GRN1");
        let length = u32::from_le_bytes(self.body[4..8].try_into().unwrap()) as usize;
        let json = serde_json::from_slice(&self.body[8..8 + length]).unwrap();
        (json, &self.body[8 + length..])
    }

    pub fn head_of_message(&self) -> Value {
        self.message().0["head"].clone()
    }

    pub fn has_array(&self, name: &str) -> bool {
        let (json, _) = self.message();
        json["arrays"]
            .as_array()
            .unwrap()
            .iter()
            .any(|array| array["name"] == name)
    }

    /// The numbers of a single-precision array.
    pub fn floats(&self, name: &str) -> Vec<f32> {
        let (json, bytes) = self.message();
        let array = json["arrays"]
            .as_array()
            .unwrap()
            .iter()
            .find(|array| array["name"] == name);
        let array = array.unwrap_or_else(|| panic!("no array {name}"));
        assert_eq!(array["type"], "f32");
        let number = |key: &str| array[key].as_u64().unwrap() as usize;
        let (start, count) = (number("offset"), number("count") * number("width"));
        let four = bytes[start..start + 4 * count].as_chunks::<4>().0;
        four.iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect()
    }
}
