//! The bodies that move, and D of contacts of any kind on their velocities (v, r ω).

use super::cone::outer;
use super::path::{load, store};
use crate::math::{DMat3, DVec3};
use crate::problem::{BodySpace, MatrixFree, RowForm, round};

/// Linear and surface velocity of a body, or momenta that go with them.
pub(super) type BodyVector = [DVec3; 2];

/// How a body resists turning, on lines of bodies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turning {
    /// It does not turn.
    Never,
    /// J/r², kg, the same about every axis.
    Round(f64),
    /// r⁻² J, kg, and its inverse.
    Tensor { resistance: DMat3, ease: DMat3 },
}

/// The inertia of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inertia {
    /// m, kg.
    pub(super) mass: f64,
    pub(super) turning: Turning,
}

impl Inertia {
    pub(super) fn turns(&self) -> bool {
        !matches!(self.turning, Turning::Never)
    }

    /// M v.
    #[inline(always)]
    pub(super) fn momenta(&self, [v, s]: BodyVector) -> BodyVector {
        let turning = match self.turning {
            Turning::Never => DVec3::ZERO,
            Turning::Round(inertia) => inertia * s,
            Turning::Tensor { resistance, .. } => resistance * s,
        };
        [self.mass * v, turning]
    }

    /// p·M⁻¹ p of momenta.
    #[inline(always)]
    pub(super) fn energy(&self, [p, l]: BodyVector) -> f64 {
        let turning = match self.turning {
            Turning::Never => 0.0,
            Turning::Round(inertia) => l.length_squared() / inertia,
            Turning::Tensor { ease, .. } => l.dot(ease * l),
        };
        p.length_squared() / self.mass + turning
    }
}

/// What a contact does with one of its bodies: `u += linear v + turning (r ω)`.
pub(super) struct End {
    /// The number of the body among those that move.
    pub(super) place: Option<usize>,
    pub(super) linear: DMat3,
    pub(super) turning: DMat3,
}

/// The bodies that move.
#[derive(Default)]
pub(super) struct MovingBodies {
    /// The number of each body among those that move.
    place: Vec<Option<u32>>,
    pub(super) inertia: Vec<Inertia>,
    /// Whether any of them turns.
    turn: bool,
}

/// How a round contact sees the surfaces of its bodies turn, as a matrix.
fn turning(normal: DVec3) -> DMat3 {
    let [x, y, z] = DVec3::AXES.map(|axis| round::relative_velocity(normal, DVec3::ZERO, axis));
    DMat3::from_cols(x, y, z)
}

/// Whether contacts turn bodies: not where all are round and without friction.
fn turns(space: &BodySpace) -> bool {
    space.rows > 1 || !space.general.is_empty()
}

/// Whether some body only turns, for which there is no place here.
pub(super) fn some_only_turn(space: &BodySpace) -> bool {
    let still = |body: &usize| space.inverse_mass[*body] == 0.0;
    let mut bodies = (0..space.inverse_mass.len()).filter(still);
    turns(space) && bodies.any(|body| space.turning(body) > 0.0)
}

impl MovingBodies {
    /// Takes the bodies of an operator.
    pub(super) fn prepare(&mut self, operator: &MatrixFree) {
        let space = &operator.space;
        self.place.clear();
        self.inertia.clear();
        for (body, inverse_mass) in space.inverse_mass.iter().enumerate() {
            if *inverse_mass == 0.0 {
                self.place.push(None);
                continue;
            }
            self.place.push(Some(self.inertia.len() as u32));
            let ease = if turns(space) {
                space.turning(body)
            } else {
                0.0
            };
            let turning = match operator.tensor(body as u32) {
                Some([ease, resistance]) => Turning::Tensor { resistance, ease },
                None if ease > 0.0 => Turning::Round(1.0 / ease),
                None => Turning::Never,
            };
            let mass = 1.0 / inverse_mass;
            self.inertia.push(Inertia { mass, turning });
        }
        self.turn = self.inertia.iter().any(Inertia::turns);
    }

    /// Vectors a body: its velocity, and that of its surface where some body turns.
    pub(super) fn parts(&self) -> usize {
        if self.turn { 2 } else { 1 }
    }

    /// The number of a body among those that move.
    #[inline(always)]
    pub(super) fn place_of(&self, body: u32) -> Option<usize> {
        self.place[body as usize].map(|place| place as usize)
    }

    /// The velocities of a body; zero for what does not move.
    #[inline(always)]
    fn line(&self, v: &[BodyVector], body: u32) -> BodyVector {
        self.place_of(body)
            .map_or([DVec3::ZERO; 2], |place| v[place])
    }

    /// Dᵀ v of a contact.
    #[inline(always)]
    pub(super) fn relative(&self, operator: &MatrixFree, k: usize, v: &[BodyVector]) -> DVec3 {
        let space = &operator.space;
        let Some(block) = k.checked_sub(space.contacts.len()) else {
            let contact = &space.contacts[k];
            let ([va, sa], [vb, sb]) = (self.line(v, contact.a), self.line(v, contact.b));
            return round::relative_velocity(contact.normal, va - vb, sa + sb);
        };
        let ends = &space.general.blocks[block];
        let of = |body: u32| self.line(v, body);
        let mut rows = [0.0; 3];
        operator.block_velocity(block, of, &mut rows[..space.rows]);
        load(&rows[..space.rows], ends.normal)
    }

    /// Adds D_k f to momenta.
    #[inline(always)]
    pub(super) fn scatter(
        &self,
        operator: &MatrixFree,
        k: usize,
        f: DVec3,
        out: &mut [BodyVector],
    ) {
        let space = &operator.space;
        let loads = match k.checked_sub(space.contacts.len()) {
            None => {
                let contact = &space.contacts[k];
                let twist = round::twist_of(contact.normal, f);
                [(contact.a, [f, twist]), (contact.b, [-f, twist])]
            }
            Some(block) => {
                let mut rows = [0.0; 3];
                store(
                    f,
                    space.general.blocks[block].normal,
                    &mut rows[..space.rows],
                );
                operator.block_load(block, &rows[..space.rows])
            }
        };
        for (body, [force, moment]) in loads {
            if let Some(place) = self.place_of(body) {
                out[place][0] += force;
                if self.inertia[place].turns() {
                    out[place][1] += moment;
                }
            }
        }
    }

    /// D_k as matrices.
    pub(super) fn ends(&self, operator: &MatrixFree, k: usize) -> [End; 2] {
        let space = &operator.space;
        let [a, b] = space.ends(k).map(|body| self.place_of(body));
        let turns = |place: Option<usize>, turning: DMat3| match place {
            Some(place) if self.inertia[place].turns() => turning,
            _ => DMat3::ZERO,
        };
        let end = |place, linear, turning| End {
            place,
            linear,
            turning: turns(place, turning),
        };
        let Some(block) = k.checked_sub(space.contacts.len()) else {
            // Without friction round contacts do not turn bodies, even where others do.
            let spin = if space.rows == 1 {
                DMat3::ZERO
            } else {
                turning(space.contacts[k].normal)
            };
            let one = DMat3::IDENTITY;
            return [end(a, one, spin), end(b, -one, spin)];
        };
        let normal = space.general.blocks[block].normal;
        let sum = |part: fn(&RowForm) -> DVec3| {
            let forms = operator.block_forms(block).iter().enumerate();
            let rows = forms.map(|(row, form)| {
                let axis = if space.rows == 1 {
                    normal
                } else {
                    DVec3::AXES[row]
                };
                outer(axis, part(form))
            });
            rows.fold(DMat3::ZERO, |sum, row| sum + row)
        };
        let linear = sum(|form| form.linear);
        [
            end(a, linear, sum(|form| form.on_a)),
            end(b, -linear, sum(|form| form.on_b)),
        ]
    }
}
