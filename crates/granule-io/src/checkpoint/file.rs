//! The layout of one checkpoint file.

use serde::de::DeserializeOwned;
use std::io;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"GRANCKPT";
const VERSION: u64 = 11;
const HEADER: usize = 48;

/// Why a file is no use as a checkpoint.
#[derive(Debug, Error)]
pub(super) enum Damage {
    #[error("{0}")]
    Unreadable(io::Error),
    #[error("not a checkpoint")]
    NotACheckpoint,
    #[error(
        "written by another version of this program: its layout has the version {0}, and {VERSION} is read"
    )]
    Version(u64),
    #[error("cut short or damaged")]
    Torn,
    #[error("written by another version of this program ({0})")]
    Payload(String),
}

/// What stands before the payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub generation: u64,
    pub step: u64,
    length: u64,
    checksum: u64,
}

impl Header {
    pub(super) fn new(generation: u64, step: u64, payload: &[u8]) -> Self {
        let mut header = Self {
            generation,
            step,
            length: payload.len() as u64,
            checksum: 0,
        };
        header.checksum = header.expected_checksum(payload);
        header
    }

    fn fields(&self) -> [u64; 4] {
        [VERSION, self.generation, self.step, self.length]
    }

    fn expected_checksum(&self, payload: &[u8]) -> u64 {
        let fields = self.fields().map(u64::to_le_bytes);
        fnv1a(fields.as_flattened().iter().chain(payload))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in self.fields().into_iter().chain([self.checksum]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }
}

fn fnv1a<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Checks a file and gives its header and payload.
pub(super) fn open(bytes: &[u8]) -> Result<(Header, &[u8]), Damage> {
    let (head, payload) = bytes.split_at_checked(HEADER).ok_or(Damage::Torn)?;
    if head[..8] != MAGIC {
        return Err(Damage::NotACheckpoint);
    }
    let numbers = head[8..].as_chunks::<8>().0;
    let number = |index: usize| numbers.get(index).map_or(0, |b| u64::from_le_bytes(*b));
    if number(0) != VERSION {
        return Err(Damage::Version(number(0)));
    }
    let header = Header {
        generation: number(1),
        step: number(2),
        length: number(3),
        checksum: number(4),
    };
    let whole = header.length == payload.len() as u64
        && header.checksum == header.expected_checksum(payload);
    if whole {
        Ok((header, payload))
    } else {
        Err(Damage::Torn)
    }
}

/// Reads the payload.
pub(super) fn decode<T: DeserializeOwned>(payload: &[u8]) -> Result<T, Damage> {
    match postcard::take_from_bytes(payload) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(Damage::Payload(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(Damage::Payload(error.to_string())),
    }
}
