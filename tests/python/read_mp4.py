"""Reads a film with FFmpeg's libraries: python tests/python/read_mp4.py FILM PICTURES RATE

Needs the packages av and numpy. The film must have the pictures of the folder PICTURES (PNG files, in the order of their
names), RATE of them a second, in their colours as far as the eye can tell. Prints 'N passed, M failed'; the exit code is 0 if
nothing failed.
"""

import itertools
import struct
import sys
from pathlib import Path

import av
import numpy as np

film, folder, rate = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])


def picture(path):
    with av.open(str(path)) as file:
        return next(file.decode(video=0)).to_ndarray(format="rgb24")


def boxes(data):
    """The kinds of the boxes of a file, in their order."""
    at = 0
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind.decode()
        at += length if length != 1 else struct.unpack_from(">Q", data, at + 8)[0]


def even(pixels):
    """A picture whose sides are even, by its last pixels again."""
    return np.pad(pixels, [(0, pixels.shape[0] % 2), (0, pixels.shape[1] % 2), (0, 0)], "edge")


pictures = [even(picture(path)) for path in sorted(folder.glob("*.png"))]
with av.open(str(film)) as file:
    stream = file.streams.video[0]
    codec, length = stream.codec_context.name, float(stream.duration * stream.time_base)
    packets = [packet for packet in file.demux(stream) if packet.size]
with av.open(str(film)) as file:
    frames = list(file.decode(video=0))
times = [float(frame.pts * frame.time_base) for frame in frames]
# The planes as BT.709 says: brightness for each pixel, blue and red less brightness for four together.
parts = np.array([0.2126, 0.7152, 0.0722])


def planes(rgb):
    bright = rgb @ parts
    four = rgb.reshape(rgb.shape[0] // 2, 2, rgb.shape[1] // 2, 2, 3).mean(axis=(1, 3))
    blue, red = ((four[..., k] - four @ parts) / (1 - parts[k]) for k in (2, 0))
    return [16 + 219 / 255 * bright, 128 + 112 / 255 * blue, 128 + 112 / 255 * red]


def shown(frame):
    height, width = frame.height, frame.width
    stacked = frame.to_ndarray(format="yuv420p").ravel().astype(float)
    sizes = [height * width, height * width // 4, height * width // 4]
    parts = np.split(stacked, np.cumsum(sizes)[:2])
    return [part.reshape(height // k, width // k) for part, k in zip(parts, (1, 2, 2))]


pairs = [(shown(frame), planes(rgb)) for frame, rgb in zip(frames, pictures)]
errors = [np.abs(a - b).mean() for own, given in pairs for a, b in zip(own, given)]
shifts = [np.abs(a.mean() - b.mean()) for own, given in pairs for a, b in zip(own, given)]
keys = [k for k, packet in enumerate(packets) if packet.is_keyframe]
# To jump into the middle takes a picture that needs no other.
with av.open(str(film)) as file:
    file.seek(int((times[-1] + 0.5 / rate) * av.time_base), backward=True)
    jumped = next(file.decode(video=0))
checks = {
    "codec": codec == "h264",
    "size": all((frame.height, frame.width) == rgb.shape[:2] for frame, rgb in zip(frames, pictures)),
    "pictures": len(frames) == len(packets) == len(pictures),
    "times": np.allclose(times, np.arange(len(frames)) / rate, atol=1e-4),
    "length": abs(length - len(frames) / rate) < 1e-3,
    "noise": max(errors) < 2,
    "shift": max(shifts) < 0.5,
    "meaning": all((frame.colorspace, frame.color_range) == (1, 1) for frame in frames),
    "keys": keys[0] == 0 and all(b - a <= 50 for a, b in itertools.pairwise([*keys, len(packets)])),
    "jump": round(float(jumped.pts * jumped.time_base) * rate) == keys[-1],
    "boxes": list(boxes(film.read_bytes())) == ["ftyp", "moov", "mdat"],
}
for name, passed in checks.items():
    if not passed:
        print(f"failed: {name}", file=sys.stderr)
print(f"planes are off by {max(errors):.2f} of 255, as a whole by {max(shifts):.2f}; {film.stat().st_size} bytes")
failed = sum(not passed for passed in checks.values())
print(f"{len(checks) - failed} passed, {failed} failed")
sys.exit(failed > 0)
