import type { PendingText } from '../../read-models/pending-texts.ts';
import type { WriteOperation } from '../checkpoint/projection.ts';

/**
 * The write belongs to the transaction of the fold that continued without the text.
 *
 * @param now_ms only shown to operators
 */
export const pendingWrite = (
  { _id, ...row }: Omit<PendingText, 'since' | 'tries'>,
  now_ms: number,
): WriteOperation => ({
  replaceOne: { filter: { _id }, replacement: { ...row, since: new Date(now_ms), tries: 0 }, upsert: true },
});
