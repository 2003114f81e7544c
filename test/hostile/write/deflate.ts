import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { join, repeated, u32 } from './numbers.ts';

const ADLER = 65_521;
const PIECE_BYTES = 2 ** 20;
const END_OF_STREAM = Buffer.from([3, 0]);

const piece = (bytes: number): Buffer =>
  deflateRawSync(Buffer.alloc(bytes), { level: 9, finishFlush: constants.Z_FULL_FLUSH });

/** A zlib stream of that many zeros in a thousandth of the size, written without allocating them. */
export const deflatedZeros = (bytes: number): Buffer => {
  const whole = Math.floor(bytes / PIECE_BYTES);
  const rest = bytes % PIECE_BYTES;
  // After a full flush no data refers to earlier data, so a piece can be repeated.
  const pieces = repeated(piece(PIECE_BYTES), whole);
  return join(
    Buffer.from([0x78, 0xda]),
    pieces,
    rest > 0 ? piece(rest) : '',
    END_OF_STREAM,
    u32((bytes % ADLER) * 65_536 + 1),
  );
};

/** Deflated twice: the inner stream consists of zeros too. */
export const deflatedTwice = (bytes: number): Buffer => deflateSync(deflatedZeros(bytes), { level: 9 });
