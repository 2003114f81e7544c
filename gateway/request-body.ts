import type { IncomingMessage } from 'node:http';
import { hasBody } from '../platform/http-server/framing.ts';
import { MAX_BODY_BYTES } from '../platform/http-server/json-body.ts';

export type BodyReadResult =
  | { readonly tag: 'read'; readonly bytes: Buffer }
  | { readonly tag: 'too_large' }
  | { readonly tag: 'no_room' }
  /** The client disconnected, or was too slow and got 408. */
  | { readonly tag: 'gone' };

const FIRST_ROOM_BYTES = 4 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Reads the body into one buffer. A client may send single bytes, and a buffer for each would take many times their
 * size.
 *
 * @param reserveBytes asks for memory before it is used; the caller releases what was granted
 */
export const readBody = (
  request: IncomingMessage,
  reserveBytes: (bytes: number) => boolean,
): Promise<BodyReadResult> | BodyReadResult => {
  if (!hasBody(request)) return { tag: 'read', bytes: NOTHING };
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > MAX_BODY_BYTES) return { tag: 'too_large' };
  return new Promise((resolve) => {
    let room = NOTHING;
    let size = 0;
    const end = (result: BodyReadResult): void => {
      request.off('data', take);
      request.resume();
      resolve(result);
    };
    /** Doubles the buffer to limit copying. */
    const grow = (needed: number): boolean => {
      const most = Number.isNaN(announced) ? MAX_BODY_BYTES : announced;
      const capacity = Math.min(most, Math.max(needed, room.length * 2, FIRST_ROOM_BYTES));
      if (!reserveBytes(capacity - room.length)) return false;
      const larger = Buffer.allocUnsafeSlow(capacity);
      room.copy(larger, 0, 0, size);
      room = larger;
      return true;
    };
    const take = (chunk: Buffer): void => {
      const needed = size + chunk.length;
      if (needed > MAX_BODY_BYTES) end({ tag: 'too_large' });
      else if (needed > room.length && !grow(needed)) end({ tag: 'no_room' });
      else {
        chunk.copy(room, size);
        size = needed;
      }
    };
    request.on('data', take);
    request.once('end', () => end({ tag: 'read', bytes: room.subarray(0, size) }));
    request.once('error', () => end({ tag: 'gone' }));
    request.once('close', () => end({ tag: 'gone' }));
  });
};
