//! Which address gives what.
//!
//! ```text
//! /TOKEN/                                the page, and its files beside it
//! /TOKEN/runs                            the runs
//! /TOKEN/runs/K                          one of them: walls, materials, joints, columns, summary
//! /TOKEN/runs/K/state?frames=N           how it is, and the times of frames from number N on
//! /TOKEN/runs/K/series?columns=I,J       its series, see `digest`
//! /TOKEN/runs/K/walls/N                  walls as triangles, as they are drawn in frame N
//! /TOKEN/runs/K/solids/S/N               a solid as triangles, for as many bodies as frame N has
//! /TOKEN/runs/K/frames/N?still=HASH      bodies; what does not move only if it is not what the asker knows
//! /TOKEN/runs/K/frames/N/contacts        contacts
//! /TOKEN/runs/K/frames/N/quantity/NAME   a number for each body
//! /TOKEN/runs/K/frames/N/body/ID         all about one body, in full precision
//! /TOKEN/runs/K/trail/ID?from=N&to=M     where a body was
//! /TOKEN/runs/K/control                  POST of `pause`, `resume` or `stop`
//! ```

use crate::frames::{Frame, Frames, shape_number};
use crate::http::{Answer, Method, Request};
use crate::quantities::{QUANTITIES, Quantity, ends};
use crate::runs::{Index, OpenRun};
use crate::wire::Message;
use crate::{meshes, page};
use glam::DVec3;
use granule::joints::Kind;
use granule_io::results::{ContactStates, ReadError};
use granule_io::run::Wish;
use serde_json::{Value, json};

/// Frames of one answer about where a body was.
const TRAIL: usize = 16;
/// Columns of one answer about the series.
const COLUMNS: usize = 64;

/// What is served.
pub struct Site {
    pub runs: Vec<OpenRun>,
    pub frames: Frames,
}

/// Why there is no answer.
enum Trouble {
    /// Nothing is at this address.
    Nowhere,
    /// A file of the run could not be read.
    Read(ReadError),
    /// In words, with a status.
    Refused(u16, String),
}

impl From<ReadError> for Trouble {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

type Answered = Result<Answer, Trouble>;

impl Site {
    /// Answers a request to the part of an address that follows the token.
    pub fn answer(&self, path: &str, request: &Request) -> Answer {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let posted = matches!(parts[..], ["runs", _, "control"]);
        if posted != (request.method == Method::Post) {
            let mut answer = Answer::refused(405, "this address is asked in another way");
            answer.allow = Some(if posted { "POST" } else { "GET, HEAD" });
            return answer;
        }
        let answered = match parts[..] {
            [file] if file != "runs" => page::file(file).ok_or(Trouble::Nowhere),
            ["runs"] => Ok(self.runs()),
            ["runs", run, ref rest @ ..] => self.of_run(run, rest, request),
            _ => Err(Trouble::Nowhere),
        };
        answered.unwrap_or_else(|trouble| match trouble {
            Trouble::Nowhere => Answer::refused(404, "nothing is at this address"),
            Trouble::Read(error @ ReadError::NoSuchFrame { .. }) => {
                Answer::refused(404, &error.to_string())
            }
            Trouble::Read(error) => Answer::refused(500, &error.to_string()),
            Trouble::Refused(status, why) => Answer::refused(status, &why),
        })
    }

    fn runs(&self) -> Answer {
        let runs = self.runs.iter().map(|run| {
            let folder = run.folder.path().display().to_string();
            json!({ "label": run.label, "folder": folder, "state": run.standing().word })
        });
        let runs: Vec<Value> = runs.collect();
        Answer::json(&json!({ "version": env!("CARGO_PKG_VERSION"), "runs": runs }))
    }

    fn of_run(&self, run: &str, rest: &[&str], request: &Request) -> Answered {
        let number = parsed::<usize>(run)?;
        let run = self.runs.get(number).ok_or(Trouble::Nowhere)?;
        match *rest {
            [] => about(run),
            ["state"] => state(run, request),
            ["series"] => Ok(series(run, request)),
            ["control"] => control(run, &request.body),
            ["walls", frame] => {
                let (index, frame) = self.frame(number, run, frame)?;
                Ok(binary(meshes::walls(&index, &frame)))
            }
            ["solids", solid, frame] => {
                let (index, frame) = self.frame(number, run, frame)?;
                let mesh = meshes::solid(&index, &frame, parsed(solid)?);
                mesh.map(binary).ok_or(Trouble::Nowhere)
            }
            ["frames", frame] => {
                let (index, frame) = self.frame(number, run, frame)?;
                let origin = run.origin(frame.bounds.center());
                let known = request.number("still");
                Ok(binary(bodies(&index, &frame, origin, known)))
            }
            ["frames", at, "contacts"] => {
                let (index, frame) = self.frame(number, run, at)?;
                let contacts = self.frames.contacts(number, &index, parsed(at)?)?;
                let origin = run.origin(frame.bounds.center());
                Ok(binary(forces(&contacts, origin)))
            }
            ["frames", at, "quantity", name] => {
                let quantity = Quantity::named(name).ok_or(Trouble::Nowhere)?;
                self.quantity(number, run, at, &quantity)
            }
            ["frames", at, "body", id] => {
                let (index, frame) = self.frame(number, run, at)?;
                let contacts = self.frames.contacts(number, &index, parsed(at)?)?;
                body(&index, &frame, &contacts, parsed(id)?)
            }
            ["trail", id] => trail(run, request, parsed(id)?),
            _ => Err(Trouble::Nowhere),
        }
    }

    fn frame(
        &self,
        number: usize,
        run: &OpenRun,
        frame: &str,
    ) -> Result<(std::sync::Arc<Index>, std::sync::Arc<Frame>), Trouble> {
        let index = run.index()?;
        let frame = self.frames.bodies(number, &index, parsed(frame)?)?;
        Ok((index, frame))
    }

    fn quantity(&self, number: usize, run: &OpenRun, at: &str, quantity: &Quantity) -> Answered {
        let (index, frame) = self.frame(number, run, at)?;
        let at = parsed(at)?;
        let contacts = match quantity.needs_contacts() {
            true => self.frames.contacts(number, &index, at)?,
            false => Default::default(),
        };
        let start = match quantity.needs_start() {
            true => self.frames.bodies(number, &index, 0)?,
            false => frame.clone(),
        };
        let cell = index.reader.cell(at)?;
        let values = quantity.values(&index, &frame, &contacts, cell.as_ref(), &start);
        let [least, most, low, high] = ends(&values[..frame.own]);
        let mut message =
            Message::new(json!({ "least": least, "most": most, "low": low, "high": high }));
        message.floats("values", 1, values.into_iter());
        Ok(binary(message.finish()))
    }
}

fn parsed<T: std::str::FromStr>(text: &str) -> Result<T, Trouble> {
    text.parse().map_err(|_| Trouble::Nowhere)
}

fn binary(bytes: Vec<u8>) -> Answer {
    Answer::ok("application/octet-stream", bytes)
}

/// All that stays, and how the run is.
fn about(run: &OpenRun) -> Answered {
    let index = run.index()?;
    let record = &index.record;
    let joints = record.joints.iter().map(|joint| {
        let kind = match joint.kind {
            Kind::Ball => "ball",
            Kind::Hinge => "hinge",
            Kind::Slider => "slider",
            Kind::Cylindrical => "cylindrical",
            Kind::Universal => "universal",
            Kind::Fixed => "fixed",
            Kind::Distance { .. } => "distance",
            Kind::PointOnLine => "point-on-line",
            Kind::Gear { .. } => "gear",
            Kind::Link => "link",
        };
        let places = joint.anchors.map(|anchor| anchor.position.to_array());
        let axes = joint.anchors.map(|anchor| (anchor.orientation * DVec3::Z).to_array());
        json!({ "name": joint.name, "kind": kind, "bodies": joint.bodies, "places": places, "axes": axes })
    });
    let joints: Vec<Value> = joints.collect();
    let quantities = QUANTITIES.iter().map(
        |quantity| json!({ "name": quantity.name, "label": quantity.label, "unit": quantity.unit }),
    );
    let quantities: Vec<Value> = quantities.collect();
    let mut digest = run.digest();
    if digest.columns().is_empty() {
        digest.read_on();
    }
    let columns = digest
        .columns()
        .iter()
        .map(|(name, unit)| json!({ "name": name, "unit": unit }));
    let columns: Vec<Value> = columns.collect();
    Ok(Answer::json(&json!({
        "label": run.label,
        "scene": record.scene,
        "dimension": record.dimension.count(),
        "gravity": record.gravity.to_array(),
        "materials": record.materials,
        "solids": record.solids.len(),
        "walls": record.walls.iter().map(|wall| &wall.name).collect::<Vec<_>>(),
        "joints": joints,
        "quantities": quantities,
        "columns": columns,
    })))
}

fn state(run: &OpenRun, request: &Request) -> Answered {
    let standing = run.standing();
    let from: usize = request.number("frames").unwrap_or(0);
    let (frames, times, generation, problem) = match run.index() {
        Ok(index) => {
            let frames = index.reader.frames();
            let times: Vec<f64> = frames.iter().skip(from).map(|frame| frame.time).collect();
            (frames.len(), times, index.generation, None)
        }
        Err(error) => (0, Vec::new(), 0, Some(error.to_string())),
    };
    Ok(Answer::json(&json!({
        "state": standing.word,
        "live": standing.live,
        "summary": standing.summary,
        "frames": frames,
        "times": times,
        "generation": generation,
        "problem": problem,
    })))
}

fn series(run: &OpenRun, request: &Request) -> Answer {
    let mut digest = run.digest();
    digest.read_on();
    let columns = request.numbers("columns");
    let head = json!({ "rows": digest.rows(), "part": digest.part(), "more": digest.more() });
    let mut message = Message::new(head);
    for &column in columns.iter().take(COLUMNS) {
        let ends = digest
            .column(column)
            .flat_map(|(least, most)| [least, most]);
        message.floats(&column.to_string(), 2, ends);
    }
    binary(message.finish())
}

fn control(run: &OpenRun, body: &[u8]) -> Answered {
    let wish = match body {
        b"pause" => Wish::Pause,
        b"resume" => Wish::GoOn,
        b"stop" => Wish::Stop,
        _ => {
            return Err(Trouble::Refused(
                400,
                "a run can `pause`, `resume` or `stop`".to_owned(),
            ));
        }
    };
    if run.folder.live().is_none() {
        return Err(Trouble::Refused(409, "this run is not going on".to_owned()));
    }
    let asked = run.folder.ask(wish);
    asked.map_err(|error| Trouble::Refused(500, format!("the run cannot be asked: {error}")))?;
    Ok(Answer::json(&json!({})))
}

/// The bodies of a frame, from `origin` (m).
fn bodies(index: &Index, frame: &Frame, origin: DVec3, known: Option<u64>) -> Vec<u8> {
    let bodies = &frame.bodies;
    let corner = |place: DVec3| (place - origin).to_array();
    let walls = index.record.walls();
    let mut message = Message::new(json!({
        "time": frame.time,
        "own": frame.own,
        "still": frame.still,
        "origin": origin.to_array(),
        "bounds": [corner(frame.bounds.min), corner(frame.bounds.max)],
        "cell": frame.cell.map(|corners| corners.map(corner)),
    }));
    let places = bodies.position.iter().flat_map(|place| corner(*place));
    message.floats("position", 3, places);
    message.floats(
        "velocity",
        3,
        bodies.velocity.iter().flat_map(|v| v.to_array()),
    );
    let turns = bodies.orientation.iter().flat_map(|turn| turn.to_array());
    message.parts("orientation", 4, turns);
    message.floats(
        "walls",
        7,
        meshes::wall_poses(&walls, frame, origin).into_iter(),
    );
    if known != Some(frame.still) {
        message.words("id", 1, bodies.id.iter().copied());
        message.floats("radius", 1, bodies.radius.iter().copied());
        message.shorts("material", 1, bodies.material.iter().copied());
        message.integers("shape", 1, bodies.shape.iter().map(shape_number));
    }
    message.finish()
}

fn forces(contacts: &ContactStates, origin: DVec3) -> Vec<u8> {
    let mut message = Message::new(json!({}));
    let points = contacts
        .point
        .iter()
        .flat_map(|point| (*point - origin).to_array());
    message.floats("point", 3, points);
    message.floats(
        "force",
        3,
        contacts.force.iter().flat_map(|force| force.to_array()),
    );
    message.integers("a", 1, contacts.body_a.iter().map(|id| *id as i32));
    message.integers("b", 1, contacts.body_b.iter().map(|id| *id as i32));
    message.shorts(
        "bonded",
        1,
        contacts.bonded.iter().map(|bonded| u16::from(*bonded)),
    );
    message.finish()
}

/// All about one body.
fn body(index: &Index, frame: &Frame, contacts: &ContactStates, id: u32) -> Answered {
    let gone = || Trouble::Refused(404, format!("body {id} is not in this frame"));
    let place = frame.place_of(id).ok_or_else(gone)?;
    let bodies = &frame.bodies;
    let material = index
        .record
        .materials
        .get(usize::from(bodies.material[place]));
    let touching = (0..contacts.point.len()).filter_map(|number| {
        let (a, b) = (contacts.body_a[number], contacts.body_b[number]);
        let (other, sign) = match i64::from(id) {
            id if id == a => (b, 1.0),
            id if id == b => (a, -1.0),
            _ => return None,
        };
        let wall = usize::try_from(-1 - other).ok();
        let name = wall.map(|wall| match index.record.walls.get(wall) {
            Some(record) => record
                .name
                .clone()
                .unwrap_or_else(|| format!("wall {wall}")),
            None => format!("wall {wall}"),
        });
        let force = sign * contacts.force[number];
        let normal = sign * contacts.normal[number];
        let along = force.dot(normal);
        Some(json!({
            "other": other,
            "wall": name,
            "normal_force": along,
            "tangential_force": (force - along * normal).length(),
            "gap": contacts.gap[number],
            "bonded": contacts.bonded[number],
        }))
    });
    let touching: Vec<Value> = touching.collect();
    Ok(Answer::json(&json!({
        "id": id,
        "time": frame.time,
        "material": material,
        "shape": shape_number(&bodies.shape[place]),
        "prescribed": index.record.is_prescribed(id),
        "radius": bodies.radius[place],
        "mass": bodies.mass[place],
        "position": bodies.position[place].to_array(),
        "velocity": bodies.velocity[place].to_array(),
        "angular_velocity": bodies.angular_velocity[place].to_array(),
        "contacts": touching,
    })))
}

/// Where a body was, frame by frame, m; nothing where it was not there.
fn trail(run: &OpenRun, request: &Request, id: u32) -> Answered {
    let index = run.index()?;
    let from: usize = request.number("from").unwrap_or(0);
    let to: usize = request.number("to").unwrap_or(from);
    let to = to
        .min(index.reader.frames().len())
        .min(from.saturating_add(TRAIL));
    let mut places = Vec::new();
    for number in from..to {
        // These are looked at once: the frames that are kept are better used otherwise.
        let bodies = index.reader.bodies(number)?;
        let place = bodies.id.binary_search(&id).ok();
        places.push(place.map(|place| bodies.position[place].to_array()));
    }
    Ok(Answer::json(&json!({ "from": from, "places": places })))
}
