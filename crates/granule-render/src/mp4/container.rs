//! The boxes of an MP4 file with one film [ISO/IEC 14496-12, and -15 for H.264].
//!
//! All pictures stand in one piece at the end, and the tables that tell their places before it, so that a browser can begin
//! to show a film while it fetches it.

/// Ticks of the film's clock in a second: all usual numbers of pictures a second divide it.
const TICKS: f64 = 90_000.0;
/// No turn and no scaling, as parts of 65536 and, in the last column, of 2³⁰.
const UNTURNED: [u32; 9] = [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30];

/// A film in memory, compressed.
#[derive(Default)]
pub struct Track {
    /// Pixels, both even.
    pub size: [u32; 2],
    /// What a decoder is told first: the sequence's and the pictures' parameters, without start codes.
    pub parameters: [Vec<u8>; 2],
    /// Bytes of each picture.
    pub sizes: Vec<u32>,
    /// Pictures that need no other one, counted from 1.
    pub keys: Vec<u32>,
    /// The units of all pictures, each after its length.
    pub data: Vec<u8>,
}

impl Track {
    /// All that comes before the pictures, for so many of them a second.
    pub fn head(&self, rate: f64) -> Vec<u8> {
        // Its own length does not depend on what it says of where the pictures begin.
        let length = self.tables(rate, 0).len();
        self.tables(rate, length as u32)
    }

    fn tables(&self, rate: f64, start: u32) -> Vec<u8> {
        let each = (TICKS / rate).clamp(1.0, 60.0 * TICKS).round() as u32;
        let count = self.sizes.len() as u32;
        let time = [0, 0, u64::from(each) * u64::from(count)];
        let film = Bytes::of_version(1, 0)
            .longs(&time[..2])
            .words(&[TICKS as u32])
            .longs(&time[2..])
            // At usual speed and volume.
            .words(&[1 << 16, 1 << 24, 0, 0])
            .words(&UNTURNED)
            .words(&[0; 6])
            // The number that another track would have.
            .words(&[2]);
        let track = Bytes::of_version(1, 3)
            .longs(&time[..2])
            .words(&[1, 0])
            .longs(&time[2..])
            .words(&[0; 4])
            .words(&UNTURNED)
            .words(&self.size.map(|pixels| pixels << 16));
        let clock = Bytes::of_version(1, 0)
            .longs(&time[..2])
            .words(&[TICKS as u32])
            .longs(&time[2..])
            // In no language: `und`, five bits a letter.
            .words(&[0x55c4_0000]);
        let handler = Bytes::of_version(0, 0)
            .words(&[0])
            .text(b"vide")
            .words(&[0; 3])
            .text(b"film\0");
        // What is shown is in this file.
        let here = Bytes::of_version(0, 1).named(b"url ");
        let sources = Bytes::of_version(0, 0).words(&[1]).text(&here);
        let samples = [
            (Bytes::of_version(0, 0).words(&[1]).text(&self.picture())).named(b"stsd"),
            (Bytes::of_version(0, 0).words(&[1, count, each])).named(b"stts"),
            (Bytes::of_version(0, 0).words(&[self.keys.len() as u32]))
                .words(&self.keys)
                .named(b"stss"),
            (Bytes::of_version(0, 0).words(&[1, 1, count, 1])).named(b"stsc"),
            (Bytes::of_version(0, 0).words(&[0, count]))
                .words(&self.sizes)
                .named(b"stsz"),
            (Bytes::of_version(0, 0).words(&[1, start])).named(b"stco"),
        ];
        let media = [
            Bytes::of_version(0, 1).words(&[0; 2]).named(b"vmhd"),
            Bytes(sources.named(b"dref")).named(b"dinf"),
            Bytes(samples.concat()).named(b"stbl"),
        ];
        let media = [
            clock.named(b"mdhd"),
            handler.named(b"hdlr"),
            Bytes(media.concat()).named(b"minf"),
        ];
        let track = [track.named(b"tkhd"), Bytes(media.concat()).named(b"mdia")];
        let film = [film.named(b"mvhd"), Bytes(track.concat()).named(b"trak")];
        let kind = Bytes::default().text(b"isom").words(&[0x200]);
        // Pictures may be more than 4 GiB: their box has a long length.
        let pictures = Bytes::default()
            .words(&[1])
            .text(b"mdat")
            .longs(&[16 + self.data.len() as u64]);
        let parts = [
            kind.text(b"isomiso2avc1mp41").named(b"ftyp"),
            Bytes(film.concat()).named(b"moov"),
            pictures.0,
        ];
        parts.concat()
    }

    /// How pictures are compressed, and what their colours mean.
    fn picture(&self) -> Vec<u8> {
        let [sequence, picture] = &self.parameters;
        let profile = sequence.get(1..4).unwrap_or(&[0; 3]);
        let half = |number: usize| (number as u16).to_be_bytes();
        // Lengths of units take four bytes; one set of parameters of either kind.
        let decoder = Bytes(vec![1])
            .text(profile)
            .text(&[0xff, 0xe1])
            .text(&half(sequence.len()))
            .text(sequence)
            .text(&[1])
            .text(&half(picture.len()))
            .text(picture);
        let colors = Bytes::default().text(b"nclx").text(&super::COLORS);
        let [width, height] = self.size.map(|pixels| half(pixels as usize));
        Bytes::default()
            .words(&[0, 1])
            .words(&[0; 4])
            .text(&[width, height].concat())
            // 72 pixels an inch, and one picture a sample.
            .words(&[72 << 16, 72 << 16, 0])
            .text(&half(1))
            // The name of a program, of 32 bytes.
            .words(&[0; 8])
            .text(&[0, 24, 0xff, 0xff])
            .text(&decoder.named(b"avcC"))
            .text(&colors.named(b"colr"))
            .named(b"avc1")
    }
}

/// Bytes that grow; numbers with the high byte first.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    /// Of a box that has a version and flags.
    fn of_version(version: u8, flags: u8) -> Self {
        Self(vec![version, 0, 0, flags])
    }

    fn text(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    fn words(mut self, numbers: &[u32]) -> Self {
        self.0.extend(numbers.iter().flat_map(|n| n.to_be_bytes()));
        self
    }

    fn longs(mut self, numbers: &[u64]) -> Self {
        self.0.extend(numbers.iter().flat_map(|n| n.to_be_bytes()));
        self
    }

    /// As a box of a kind.
    fn named(self, kind: &[u8; 4]) -> Vec<u8> {
        let length = (self.0.len() + 8) as u32;
        Self::default().words(&[length]).text(kind).text(&self.0).0
    }
}
