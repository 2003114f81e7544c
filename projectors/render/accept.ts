import * as E from 'fp-ts/lib/Either.js';
import { isRenderEvent, type RenderEvent } from '../../domain/render/events.ts';
import type { Accept } from '../../platform/processor/decode-batch.ts';

/**
 * An event is valid only in the partition that its key names, under the key of its render. Anywhere else it would have
 * no order relative to the other events of the render. Only its bytes and its place decide, so all readers decide
 * alike.
 *
 * @param partitionOf the partition of a key
 */
export const acceptRenderEvents =
  (partitionOf: (key: Buffer) => number): Accept<RenderEvent> =>
  (decoded, { key, partition }) => {
    if (!isRenderEvent(decoded)) return E.left('wrong_topic');
    if (!key?.equals(Buffer.from(decoded.render_id))) return E.left('key_mismatch');
    return partitionOf(key) === partition ? E.right(decoded) : E.left('wrong_partition');
  };
