import * as E from 'fp-ts/lib/Either.js';
import { isRenderEvent, type RenderEvent } from '../../domain/render/events.ts';
import type { Accept } from '../../platform/processor/decode-batch.ts';

/**
 * An event belongs to the render that its key names, in the partition that the key names: anywhere else it would stand
 * beside the other events of its render without an order among them. Its bytes and its place alone decide, so every
 * reader decides alike.
 *
 * @param partitionOf where the log puts a key
 */
export const acceptRenderEvents =
  (partitionOf: (key: Buffer) => number): Accept<RenderEvent> =>
  (decoded, { key, partition }) => {
    if (!isRenderEvent(decoded)) return E.left('wrong_topic');
    if (!key?.equals(Buffer.from(decoded.render_id))) return E.left('key_mismatch');
    return partitionOf(key) === partition ? E.right(decoded) : E.left('wrong_partition');
  };
