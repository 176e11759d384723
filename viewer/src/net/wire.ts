// Arrays of numbers with a word of JSON before them; the server's side is `crates/granule-view/src/wire.rs`.

export type Numbers = Float32Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

interface ArrayHead {
  name: string;
  type: "f32" | "i16" | "u16" | "i32" | "u32";
  width: number;
  offset: number;
  count: number;
}

export interface Message<Head> {
  head: Head;
  arrays: Map<string, Numbers>;
  bytes: number;
}

const TYPES = { f32: Float32Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array };

/** Views into the message: nothing is copied. */
export function decode<Head>(buffer: ArrayBuffer): Message<Head> {
  const view = new DataView(buffer);
  const magic = buffer.byteLength >= 8 ? view.getUint32(0, false) : 0;
  if (magic !== 0x47524e31) throw new Error("the answer is not one of this viewer's");
  const length = view.getUint32(4, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const { head, arrays } = JSON.parse(text) as { head: Head; arrays: ArrayHead[] };
  const start = 8 + length;
  const found = new Map<string, Numbers>();
  for (const { name, type, width, offset, count } of arrays) {
    found.set(name, new TYPES[type](buffer, start + offset, count * width));
  }
  return { head, arrays: found, bytes: buffer.byteLength };
}
