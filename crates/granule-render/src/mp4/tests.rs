//! What is written is found again: the boxes by their lengths, the pictures by openh264's own decoder. Another one reads such
//! films in `tests/python/read_mp4.py`.

use super::*;
use openh264::decoder::Decoder;
use openh264::formats::YUVSource;

/// A square that moves over a ground of many colours.
fn picture([width, height]: [u32; 2], number: u32) -> Image {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixels = places.flat_map(|(x, y)| {
        let inside = x.wrapping_sub(3 * number) < 20 && (10..30).contains(&y);
        let ground = [(2 * x) as u8, (3 * y) as u8, 90];
        if inside { [240, 30, 30] } else { ground }
    });
    Image {
        width,
        height,
        pixels: pixels.collect(),
    }
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

/// What is in a box of a kind that is in others.
fn inside<'a>(mut bytes: &'a [u8], kinds: &[&[u8; 4]]) -> &'a [u8] {
    let [kind, rest @ ..] = kinds else {
        return bytes;
    };
    while !bytes.is_empty() {
        let (length, head) = match number(&bytes[..4]) {
            1 => (number(&bytes[8..16]), 16),
            length => (length, 8),
        };
        if bytes[4..8] == **kind {
            return inside(&bytes[head..length], rest);
        }
        bytes = &bytes[length..];
    }
    panic!("no {kind:?}");
}

fn film(size: [u32; 2], count: u32) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.mp4");
    let mut film = Film::create(&path, size, 24.0).unwrap();
    for k in 0..count {
        film.append(&Picture::of(&picture(size, k))).unwrap();
    }
    film.finish().unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn films_hold_their_pictures() {
    for (size, count) in [([120, 90], 60), ([61, 47], 3), ([64, 48], 1)] {
        let bytes = film(size, count);
        let tables = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
        let table = |kind| inside(inside(&bytes, &tables), &[kind]);
        let numbers = |kind, skipped: usize| -> Vec<usize> {
            let (words, rest) = table(kind)[skipped..].as_chunks::<4>();
            assert!(rest.is_empty());
            words.iter().map(|word| number(word)).collect()
        };
        assert_eq!(numbers(b"stts", 4), [1, count as usize, 3750]);
        let keys: Vec<usize> = (1..=count as usize).step_by(KEYS as usize).collect();
        assert_eq!(numbers(b"stss", 8), keys);
        let sizes = numbers(b"stsz", 12);
        assert_eq!(sizes.len(), count as usize);
        // All pictures are in one piece, which begins where the table says and ends with the file.
        let pictures = inside(&bytes, &[b"mdat"]);
        assert_eq!(numbers(b"stco", 8), [bytes.len() - pictures.len()]);
        assert_eq!(sizes.iter().sum::<usize>(), pictures.len());

        // The parameters: how many bytes of each kind, and these.
        let sample = inside(table(b"stsd").get(8..).unwrap(), &[b"avc1"]);
        let head = inside(&sample[78..], &[b"avcC"]);
        let sequence = &head[8..8 + number(&head[6..8])];
        let rest = &head[8 + sequence.len() + 1..];
        let of_pictures = &rest[2..2 + number(&rest[..2])];
        let mut decoder = Decoder::new().unwrap();
        let start: &[u8] = &[0, 0, 0, 1];
        let parameters = [start, sequence, start, of_pictures].concat();
        assert!(decoder.decode(&parameters).unwrap().is_none());
        let mut shown = 0;
        let mut at = 0;
        for (k, length) in (0..).zip(&sizes) {
            let (mut stream, mut sample) = (Vec::new(), &pictures[at..at + length]);
            at += length;
            while !sample.is_empty() {
                let length = number(&sample[..4]);
                stream.extend(start);
                stream.extend(&sample[4..4 + length]);
                sample = &sample[4 + length..];
            }
            let Some(decoded) = decoder.decode(&stream).unwrap() else {
                continue;
            };
            shown += 1;
            let given = Picture::of(&picture(size, k)).0;
            assert_eq!(decoded.dimensions(), given.dimensions());
            let [wide, high] = size.map(|side| side.next_multiple_of(2) as usize);
            let rows = (0..high).flat_map(|y| {
                let own = &decoded.y()[y * decoded.strides().0..][..wide];
                own.iter().zip(&given.y()[y * wide..][..wide])
            });
            let off: f64 = rows.map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
            assert!(off / ((wide * high) as f64) < 2.0, "{size:?}, picture {k}");
        }
        assert_eq!(shown, count);
    }
}

#[test]
fn sizes_that_no_player_shows_are_refused() {
    for size in [[3842, 100], [2162, 2162], [8, 100]] {
        let refused = Film::create(Path::new("film.mp4"), size, 24.0);
        let why = refused.err().unwrap();
        assert_eq!(why.source.kind(), io::ErrorKind::InvalidInput, "{size:?}");
    }
}
