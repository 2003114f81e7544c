import * as E from 'fp-ts/lib/Either.js';
import { isRenderEvent, type RenderEvent } from '../../domain/render/events.ts';
import type { AcceptRecord } from '../../platform/processor/decode-batch.ts';

/**
 * An event is valid only under the key of its render and in the partition of this key. Elsewhere it would have no order
 * relative to the render's other events. The check depends only on the record, so all readers get the same result.
 */
export const acceptRenderEvents =
  (partitionOf: (key: Buffer) => number): AcceptRecord<RenderEvent> =>
  (decoded, { key, partition }) => {
    if (!isRenderEvent(decoded)) return E.left('wrong_topic');
    if (!key?.equals(Buffer.from(decoded.render_id))) return E.left('key_mismatch');
    return partitionOf(key) === partition ? E.right(decoded) : E.left('wrong_partition');
  };
