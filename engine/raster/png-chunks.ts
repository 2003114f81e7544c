export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const OVERHEAD_BYTES = 12;

/** `at` is the chunk's offset. The body of the last one is truncated if the file is. */
export type PngChunk = { readonly at: number; readonly type: string; readonly body: Buffer };

/** Does not verify the checksums. */
export function* pngChunks(bytes: Buffer): Generator<PngChunk> {
  for (let at = PNG_SIGNATURE.length; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    yield { at, type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, at + 8 + length) };
    at += length + OVERHEAD_BYTES;
  }
}
