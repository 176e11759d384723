//! MP4 files: pictures as H.264, which Cisco's openh264 makes of them.

mod container;

use super::image::{Image, ImageError};
use container::Track;
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, VuiConfig,
};
use openh264::formats::YUVBuffer;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The shorter side at least, pixels.
const LEAST: u32 = 16;
/// The longer and the shorter side at most, pixels.
const MOST: [u32; 2] = [3840, 2160];
/// Pictures after which one comes that needs no other, so that players can jump there.
const KEYS: u32 = 50;
/// How often a picture is given to the encoder, which may leave one out after very large ones.
const TRIES: usize = 100;
/// How coarse numbers may be, from 0 to 51: at 20 the eye sees no difference.
const COARSENESS: QpRange = QpRange::new(16, 22);
/// What the bytes of colours mean, in numbers of ISO/IEC 23091-2, 16 bits each: those of BT.709, whose primaries are those of
/// sRGB, and whose curve players take for its; and that they go from 16 to 235.
const COLORS: [u8; 7] = [0, 1, 0, 1, 0, 1, 0];
/// The parts of red, green and blue in brightness [BT.709].
const BRIGHTNESS: [f32; 3] = [0.2126, 0.7152, 0.0722];

/// A film that is being written. It is kept in memory, compressed, until it is whole.
pub struct Film<'a> {
    path: &'a Path,
    rate: f64,
    encoder: Encoder,
    track: Track,
}

/// A picture as brightness, and how far blue and red are from it.
pub struct Picture(YUVBuffer);

impl Picture {
    /// A side with an odd number of pixels becomes one longer by its last pixels: colours are kept for four pixels together.
    pub fn of(image: &Image) -> Self {
        let [width, height] = [image.width, image.height].map(|pixels| pixels as usize);
        let [wide, high] = [width, height].map(|pixels| pixels.next_multiple_of(2));
        let pixel = |x: usize, y: usize| {
            let place = 3 * (y.min(height - 1) * width + x.min(width - 1));
            [0, 1, 2].map(|k| f32::from(image.pixels[place + k]))
        };
        let [red, green, blue] = BRIGHTNESS;
        let bright = |[r, g, b]: [f32; 3]| red * r + green * g + blue * b;
        let mut planes = Vec::with_capacity(3 * wide * high / 2);
        let places = (0..high).flat_map(|y| (0..wide).map(move |x| (x, y)));
        planes.extend(places.map(|(x, y)| (16.5 + 219.0 / 255.0 * bright(pixel(x, y))) as u8));
        for (channel, part) in [(2, blue), (0, red)] {
            let places = (0..high / 2).flat_map(|y| (0..wide / 2).map(move |x| (2 * x, 2 * y)));
            planes.extend(places.map(|(x, y)| {
                let four = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
                let far = four.map(|(x, y)| pixel(x, y)[channel] - bright(pixel(x, y)));
                let mean = 0.25 * far.iter().sum::<f32>();
                (128.5 + 112.0 / 255.0 * mean / (1.0 - part)) as u8
            }));
        }
        Self(YUVBuffer::from_vec(planes, wide, high))
    }
}

impl<'a> Film<'a> {
    /// A film of pictures of one size, so many a second.
    pub fn create(path: &'a Path, size: [u32; 2], rate: f64) -> Result<Self, ImageError> {
        let size = size.map(|pixels| pixels.next_multiple_of(2));
        let [short, long] = [size[0].min(size[1]), size[0].max(size[1])];
        if short < LEAST || long > MOST[0] || short > MOST[1] {
            let why = format!(
                "the pictures of an MP4 have {LEAST} by {LEAST} to {} by {} pixels, not {} by {}",
                MOST[0], MOST[1], size[0], size[1]
            );
            let source = io::Error::new(io::ErrorKind::InvalidInput, why);
            return Err(failed(path, source));
        }
        let config = EncoderConfig::new()
            .rate_control_mode(RateControlMode::Quality)
            .qp(COARSENESS)
            // Bits for a picture, as for one a second: so many that coarseness alone decides.
            .bitrate(BitRate::from_bps(20_000_000))
            .max_frame_rate(FrameRate::from_hz(1.0))
            .intra_frame_period(IntraFramePeriod::from_num_frames(KEYS))
            .num_threads(1)
            .vui(VuiConfig::bt709());
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config);
        Ok(Self {
            path,
            rate,
            encoder: encoder.map_err(|error| failed(path, io::Error::other(error)))?,
            track: Track {
                size,
                ..Track::default()
            },
        })
    }

    /// Appends a picture.
    pub fn append(&mut self, picture: &Picture) -> Result<(), ImageError> {
        for _ in 0..TRIES {
            if self.encode(picture)? {
                return Ok(());
            }
        }
        let why = "the encoder leaves a picture out again and again";
        Err(failed(self.path, io::Error::other(why)))
    }

    /// Encodes a picture; whether the encoder has not left it out.
    fn encode(&mut self, picture: &Picture) -> Result<bool, ImageError> {
        let encoded = self.encoder.encode(&picture.0);
        let encoded = encoded.map_err(|error| failed(self.path, io::Error::other(error)))?;
        if encoded.frame_type() == FrameType::Skip {
            return Ok(false);
        }
        let before = self.track.data.len();
        for layer in (0..encoded.num_layers()).filter_map(|k| encoded.layer(k)) {
            for unit in (0..layer.nal_count()).filter_map(|k| layer.nal_unit(k)) {
                let unit = without_start(unit);
                match unit.first().map(|first| first & 31) {
                    Some(7) => self.track.parameters[0] = unit.to_vec(),
                    Some(8) => self.track.parameters[1] = unit.to_vec(),
                    _ => {
                        let length = unit.len() as u32;
                        self.track.data.extend(length.to_be_bytes());
                        self.track.data.extend(unit);
                    }
                }
            }
        }
        self.track
            .sizes
            .push((self.track.data.len() - before) as u32);
        if encoded.frame_type() == FrameType::IDR {
            self.track.keys.push(self.track.sizes.len() as u32);
        }
        Ok(true)
    }

    /// Writes the file.
    pub fn finish(self) -> Result<(), ImageError> {
        let write = || -> io::Result<()> {
            let mut file = File::create(self.path)?;
            file.write_all(&self.track.head(self.rate))?;
            file.write_all(&self.track.data)
        };
        write().map_err(|error| failed(self.path, error))
    }
}

/// A unit without the zeros and the one that stand before it in a stream.
fn without_start(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
    unit.get(zeros + 1..).unwrap_or_default()
}

fn failed(path: &Path, source: io::Error) -> ImageError {
    ImageError {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
