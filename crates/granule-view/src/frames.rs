//! Frames as they are read, and the last of them kept.

use crate::runs::{Index, lock};
use glam::{DQuat, DVec3};
use granule::bodies::BodyShape;
use granule::math::DVec3 as Vector;
use granule_io::results::{BodyStates, Bounds, ContactStates, ReadError, cell_corners};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::mem::size_of;
use std::sync::{Arc, Condvar, Mutex};

/// Bytes of frames that are kept.
const KEPT: usize = 256 << 20;
/// Frames that are read at once: each takes several times its size for a moment.
const AT_ONCE: usize = 2;

/// The bodies of a frame.
pub struct Frame {
    /// s.
    pub time: f64,
    /// With the images of those that reach into a periodic cell behind the others.
    pub bodies: BodyStates,
    /// How many are no images.
    pub own: usize,
    /// The corners of a periodic cell, m.
    pub cell: Option<[DVec3; 8]>,
    /// Tells whether bodies are the same but for their motion.
    pub still: u64,
    /// Around all bodies but the few that flew off, m.
    pub bounds: Bounds,
}

impl Frame {
    fn read(index: &Index, number: usize) -> Result<Self, ReadError> {
        let reader = &index.reader;
        let own = reader.bodies(number)?;
        let count = own.id.len();
        let images = reader.frames()[number].images.is_some();
        let bodies = if images {
            reader.bodies_and_images(number)?
        } else {
            own
        };
        let cell = reader.cell(number)?;
        Ok(Self {
            time: reader.frames()[number].time,
            own: count,
            cell: cell.as_ref().map(cell_corners),
            still: still(&bodies),
            bounds: bounds(&bodies),
            bodies,
        })
    }

    /// The place of the body with this id; images come later.
    pub fn place_of(&self, id: u32) -> Option<usize> {
        self.bodies.id[..self.own].binary_search(&id).ok()
    }

    /// Where a body is.
    pub fn pose(&self, id: u32) -> Option<(DVec3, DQuat)> {
        let place = self.place_of(id)?;
        Some((self.bodies.position[place], self.bodies.orientation[place]))
    }
}

fn still(bodies: &BodyStates) -> u64 {
    let mut hasher = DefaultHasher::new();
    bodies.id.hash(&mut hasher);
    bodies.material.hash(&mut hasher);
    for (radius, shape) in bodies.radius.iter().zip(&bodies.shape) {
        radius.to_bits().hash(&mut hasher);
        shape_number(shape).hash(&mut hasher);
    }
    // A number of JSON holds so many bits.
    hasher.finish() >> 11
}

/// The number of a shape in messages: that of the solid, -1 for a sphere, -2 for what only carries walls.
pub fn shape_number(shape: &BodyShape) -> i32 {
    match shape {
        BodyShape::Solid(number) => *number as i32,
        BodyShape::Sphere => -1,
        BodyShape::Walls => -2,
    }
}

/// The box around all bodies but those that are farther from the middle 98 % than these are wide.
fn bounds(bodies: &BodyStates) -> Bounds {
    let mut bounds = Bounds::default();
    let finite = bodies.position.iter().filter(|place| place.is_finite());
    let places: Vec<Vector> = finite.copied().collect();
    if places.is_empty() {
        return bounds;
    }
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for axis in 0..3 {
        let mut along: Vec<f64> = places.iter().map(|place| place[axis]).collect();
        let mut at = |part: f64| {
            let place = (part * (along.len() - 1) as f64).round() as usize;
            *along.select_nth_unstable_by(place, f64::total_cmp).1
        };
        (low[axis], high[axis]) = (at(0.01), at(0.99));
    }
    let margin = DVec3::splat((high - low).max_element());
    let within =
        |place: &DVec3| place.cmpge(low - margin).all() && place.cmple(high + margin).all();
    for (place, &radius) in bodies.position.iter().zip(&bodies.radius) {
        if within(place) {
            bounds.include(*place - radius);
            bounds.include(*place + radius);
        }
    }
    bounds
}

#[derive(Clone)]
enum Kept {
    Frame(Arc<Frame>),
    Contacts(Arc<ContactStates>),
}

impl Kept {
    /// Roughly, bytes.
    fn size(&self) -> usize {
        match self {
            Self::Frame(frame) => {
                let body = 2 * size_of::<f64>() + 4 * size_of::<DVec3>() + size_of::<DQuat>() + 16;
                frame.bodies.id.len() * body
            }
            Self::Contacts(contacts) => {
                contacts.point.len() * (4 * size_of::<DVec3>() + 3 * size_of::<f64>() + 1)
            }
        }
    }
}

/// What of a frame, of which run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    run: usize,
    generation: u64,
    number: usize,
    contacts: bool,
}

/// The frames that were asked for last.
#[derive(Default)]
pub struct Frames {
    kept: Mutex<Shelf>,
    reading: Mutex<usize>,
    done: Condvar,
}

#[derive(Default)]
struct Shelf {
    entries: HashMap<Key, (Kept, u64)>,
    bytes: usize,
    clock: u64,
}

impl Shelf {
    fn take(&mut self, key: &Key) -> Option<Kept> {
        self.clock += 1;
        let (kept, used) = self.entries.get_mut(key)?;
        *used = self.clock;
        Some(kept.clone())
    }

    fn put(&mut self, key: Key, kept: Kept) {
        self.clock += 1;
        self.bytes += kept.size();
        if let Some((old, _)) = self.entries.insert(key, (kept, self.clock)) {
            self.bytes -= old.size();
        }
        // One that is larger than all the room is kept alone.
        while self.bytes > KEPT && self.entries.len() > 1 {
            let oldest = self.entries.iter().min_by_key(|(_, (_, used))| *used);
            let Some(key) = oldest.map(|(key, _)| *key) else {
                return;
            };
            if let Some((old, _)) = self.entries.remove(&key) {
                self.bytes -= old.size();
            }
        }
    }
}

impl Frames {
    /// The bodies of a frame.
    pub fn bodies(
        &self,
        run: usize,
        index: &Index,
        number: usize,
    ) -> Result<Arc<Frame>, ReadError> {
        let key = Key {
            run,
            generation: index.generation,
            number,
            contacts: false,
        };
        let kept = self.keep(key, || {
            Ok(Kept::Frame(Arc::new(Frame::read(index, number)?)))
        })?;
        match kept {
            Kept::Frame(frame) => Ok(frame),
            Kept::Contacts(_) => unreachable!("the key says what is kept"),
        }
    }

    /// Its contacts.
    pub fn contacts(
        &self,
        run: usize,
        index: &Index,
        number: usize,
    ) -> Result<Arc<ContactStates>, ReadError> {
        let key = Key {
            run,
            generation: index.generation,
            number,
            contacts: true,
        };
        let read = || Ok(Kept::Contacts(Arc::new(index.reader.contacts(number)?)));
        match self.keep(key, read)? {
            Kept::Contacts(contacts) => Ok(contacts),
            Kept::Frame(_) => unreachable!("the key says what is kept"),
        }
    }

    fn keep(
        &self,
        key: Key,
        read: impl FnOnce() -> Result<Kept, ReadError>,
    ) -> Result<Kept, ReadError> {
        if let Some(kept) = lock(&self.kept).take(&key) {
            return Ok(kept);
        }
        let _turn = self.turn();
        // Somebody may have read it while this one waited.
        if let Some(kept) = lock(&self.kept).take(&key) {
            return Ok(kept);
        }
        let kept = read()?;
        lock(&self.kept).put(key, kept.clone());
        Ok(kept)
    }

    /// Waits until so few frames are being read that one more may be.
    fn turn(&self) -> Turn<'_> {
        let mut reading = lock(&self.reading);
        while *reading >= AT_ONCE {
            reading = self
                .done
                .wait(reading)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *reading += 1;
        Turn(self)
    }
}

struct Turn<'a>(&'a Frames);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *lock(&self.0.reading) -= 1;
        self.0.done.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let mut shelf = Shelf::default();
        let contacts = |count: usize| {
            let point = vec![DVec3::ZERO; count];
            Kept::Contacts(Arc::new(ContactStates {
                point,
                ..Default::default()
            }))
        };
        let key = |number| Key {
            run: 0,
            generation: 0,
            number,
            contacts: true,
        };
        let third = KEPT / 3 / contacts(1).size();
        (0..3).for_each(|number| shelf.put(key(number), contacts(third)));
        assert!(shelf.take(&key(0)).is_some());
        shelf.put(key(3), contacts(third));
        assert!(shelf.take(&key(1)).is_none());
        assert!(
            [0, 2, 3]
                .iter()
                .all(|&number| shelf.take(&key(number)).is_some())
        );
        shelf.put(key(4), contacts(4 * third));
        assert_eq!(shelf.entries.len(), 1);
        assert_eq!(shelf.bytes, contacts(4 * third).size());
    }

    #[test]
    fn bodies_that_flew_off_do_not_count() {
        let mut position: Vec<DVec3> = (0..500).map(|k| DVec3::splat(f64::from(k % 10))).collect();
        position[7] = DVec3::splat(1e6);
        position[8] = DVec3::NAN;
        let radius = vec![0.5; position.len()];
        let found = bounds(&BodyStates {
            position,
            radius,
            ..Default::default()
        });
        assert_eq!(
            (found.min, found.max),
            (DVec3::splat(-0.5), DVec3::splat(9.5))
        );
    }
}
