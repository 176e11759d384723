//! The compression of GIF files: codes of growing length for words that have come before (Lempel, Ziv and Welch).

/// Bits of a byte, of the shortest code and of the longest one.
const BYTE: u32 = 8;
const SHORTEST: u32 = BYTE + 1;
const LONGEST: u32 = 12;
/// Tells that all words are forgotten.
const CLEAR: u32 = 1 << BYTE;
/// Ends the data.
const END: u32 = CLEAR + 1;

/// Bits of the places of the table, so many that four of five are free.
const PLACE_BITS: u32 = 14;
/// A place that holds no word.
const FREE: u32 = u32::MAX;

/// Codes of words: each is a word with a code of its own, and a byte behind it.
struct Words {
    /// The word and the byte (20 bits) above the code (12 bits).
    table: Vec<u32>,
    next: u32,
}

impl Words {
    fn new() -> Self {
        Self {
            table: vec![FREE; 1 << PLACE_BITS],
            next: END + 1,
        }
    }

    fn forget(&mut self) {
        self.table.fill(FREE);
        self.next = END + 1;
    }

    /// The code of a word with a byte behind it; if there is none, the place where it would stand.
    fn find(&self, word: u32, byte: u8) -> Result<u32, usize> {
        let both = word << BYTE | u32::from(byte);
        let mut place = (both.wrapping_mul(0x9e37_79b1) >> (32 - PLACE_BITS)) as usize;
        loop {
            let entry = self.table[place];
            if entry == FREE {
                return Err(place);
            }
            if entry >> LONGEST == both {
                return Ok(entry & ((1 << LONGEST) - 1));
            }
            place = (place + 1) % self.table.len();
        }
    }
}

/// Codes, packed into bytes from their lowest bits on.
struct Packed {
    bytes: Vec<u8>,
    bits: u64,
    count: u32,
}

impl Packed {
    fn push(&mut self, code: u32, length: u32) {
        self.bits |= u64::from(code) << self.count;
        self.count += length;
        while self.count >= BYTE {
            self.bytes.push(self.bits as u8);
            self.bits >>= BYTE;
            self.count -= BYTE;
        }
    }
}

/// Bytes as the data of a picture of a GIF file: the bits of a byte, and codes.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Packed {
        bytes: Vec::with_capacity(bytes.len() / 2 + 16),
        bits: 0,
        count: 0,
    };
    packed.bytes.push(BYTE as u8);
    packed.push(CLEAR, SHORTEST);
    let (mut words, mut length) = (Words::new(), SHORTEST);
    let mut rest = bytes.iter();
    if let Some(&first) = rest.next() {
        let mut word = u32::from(first);
        for &byte in rest {
            let place = match words.find(word, byte) {
                Ok(longer) => {
                    word = longer;
                    continue;
                }
                Err(place) => place,
            };
            packed.push(word, length);
            if words.next == 1 << LONGEST {
                packed.push(CLEAR, length);
                words.forget();
                length = SHORTEST;
            } else {
                words.table[place] = (word << BYTE | u32::from(byte)) << LONGEST | words.next;
                // Who reads knows a word one code later.
                length += u32::from(words.next == 1 << length);
                words.next += 1;
            }
            word = u32::from(byte);
        }
        packed.push(word, length);
        // Who reads makes a last word of it.
        length += u32::from(words.next == 1 << length && length < LONGEST);
    }
    packed.push(END, length);
    packed.push(0, BYTE - 1);
    packed.bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bytes that another program reads.
    fn read(data: Vec<u8>, count: usize) -> Vec<u8> {
        let palette: Vec<u8> = (0..=255).flat_map(|k| [k; 3]).collect();
        let mut file = Vec::new();
        let width = count as u16;
        let mut encoder = gif::Encoder::new(&mut file, width, 1, &palette).unwrap();
        let frame = gif::Frame {
            width,
            height: 1,
            buffer: data.into(),
            ..gif::Frame::default()
        };
        encoder.write_lzw_pre_encoded_frame(&frame).unwrap();
        drop(encoder);
        let mut reader = gif::DecodeOptions::new();
        reader.set_color_output(gif::ColorOutput::Indexed);
        let mut reader = reader.read_info(&file[..]).unwrap();
        reader.read_next_frame().unwrap().unwrap().buffer.to_vec()
    }

    proptest! {
        #[test]
        fn what_is_compressed_is_read_again(
            bytes in prop::collection::vec(0u8..4, 1..3000),
            noise in prop::collection::vec(any::<u8>(), 1..20_000),
        ) {
            prop_assert_eq!(&read(compress(&bytes), bytes.len()), &bytes);
            prop_assert_eq!(&read(compress(&noise), noise.len()), &noise);
        }
    }

    #[test]
    fn every_length_ends_well() {
        // Lengths at which codes grow, and at which the table is full.
        let bytes: Vec<u8> = (0..5000u32)
            .map(|k| (k.wrapping_mul(k) >> 3) as u8)
            .collect();
        for count in (1..600).chain(3700..4300) {
            assert_eq!(
                read(compress(&bytes[..count]), count),
                bytes[..count],
                "{count}"
            );
        }
        assert_eq!(compress(&[]), [8, 0x00, 0x03, 0x02]);
    }

    #[test]
    fn long_runs_become_short() {
        let bytes = vec![7; 60_000];
        assert!(compress(&bytes).len() < 700);
        assert_eq!(read(compress(&bytes), bytes.len()), bytes);
    }
}
