import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { PendingFault, PendingText, PendingTexts } from '../../read-models/pending-texts.ts';
import type { Projection, Session } from '../checkpoint/projection.ts';
import { type PayloadRead, readPayload } from '../payload-reads.ts';
import type { PendingReport } from './report-pending.ts';

const EVERY_MS = 500;
/** The maximum number of rows that one query reads. Rows that were tried recently are then skipped. */
const LOOKED_AT = 200;
const READ_AT_ONCE = 16;
const MAX_AT_ONCE = 32;
const READ_MS = 2_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS: { readonly [F in PendingFault]: number } = { unavailable: 10_000, refused: 60_000 };
/** The maximum number of pauses in memory. A row whose pause was evicted is read sooner. */
const MAX_PAUSES = 10_000;

export const pendingRetryDelayMs = (failures: number, fault: PendingFault): number =>
  Math.min(LONGEST_PAUSE_MS[fault], FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));

export type FillPendingDependencies<Row extends PendingText, Content> = {
  readonly store: Pick<ReadStore, 'transaction'>;
  readonly pending: PendingTexts<Row>;
  readonly checkpoints: Projection<never, never>['checkpoints'];
  readonly committed: () => ReadonlyMap<number, number>;
  readonly read: (row: Row, signal: AbortSignal) => Promise<Content>;
  /** Writes the same documents as a fold with this text. The caller deletes the pending row. */
  readonly fill: (row: Row, content: Content, session: Session) => Promise<void>;
  readonly what: string;
  readonly onCorrupt: () => void;
  readonly report: PendingReport;
  readonly logger: Logger;
  readonly clock: Clock;
};

/**
 * The rows in the store are the only state. Only the owner of a partition fills in its texts. The owner may have
 * documents without the texts in memory, and would overwrite the change of another process.
 */
export const fillPending = <Row extends PendingText, Content>(
  parts: FillPendingDependencies<Row, Content>,
): { readonly stop: () => Promise<void> } => {
  const { store, pending, checkpoints, committed, fill, what, onCorrupt, report, logger, clock } = parts;
  const warn = throttledWarn(logger);
  const stopping = new AbortController();
  const turn = pLimit(READ_AT_ONCE);
  const not_before = new LRUCache<string, number>({ max: MAX_PAUSES });

  const readOne = async (row: Row): Promise<PayloadRead<Content>> => {
    const giving_up = new AbortController();
    const cancel = clock.after(READ_MS, () => giving_up.abort(new DOMException(`no answer in ${READ_MS} ms`)));
    const ends = { signal: stopping.signal, given_up: giving_up.signal };
    try {
      return await readPayload((signal) => parts.read(row, signal), what, { warn, onCorrupt, clock, ...ends });
    } finally {
      cancel();
    }
  };

  const put = async (row: Row, content: Content | null): Promise<void> =>
    await store.transaction(async (session) => {
      const { _id, partition, offset } = row;
      const checkpoint = await checkpoints.findOne({ _id: partition }, { session });
      // At this moment, this process does not own the partition: the checkpoint has moved or is closed. The row is read
      // again later.
      if (checkpoint === null || checkpoint.next !== committed().get(partition) || checkpoint.closed !== undefined)
        return;
      // The fold of an erasure also deletes the row, so one of the two transactions fails.
      const { deletedCount } = await pending.deleteOne({ _id, offset } as object, { session });
      if (deletedCount === 1 && content !== null) await fill(row, content, session);
    });

  const attempt = async (row: Row): Promise<void> => {
    const { _id, tries } = row;
    const found = await readOne(row);
    if (found.tag === 'pending') {
      const { fault } = found;
      not_before.set(_id, clock.monotonic() + pendingRetryDelayMs(tries, fault));
      await pending.updateOne({ _id } as object, { $set: { fault, tries: tries + 1 } } as object);
      return;
    }
    await put(row, found.tag === 'read' ? found.value : null);
    not_before.delete(_id);
  };

  const dueRows = async (partitions: readonly number[]): Promise<readonly Row[]> => {
    const rows = await pending
      .find({ partition: { $in: [...partitions] } } as object)
      .sort({ tries: 1, _id: 1 })
      .limit(LOOKED_AT)
      .toArray();
    const now = clock.monotonic();
    return (rows as Row[]).filter(({ _id }) => (not_before.get(_id) ?? 0) <= now).slice(0, MAX_AT_ONCE);
  };

  const round = async (): Promise<void> => {
    const partitions = [...committed().keys()];
    if (await report.look(partitions)) not_before.clear();
    if (partitions.length === 0) return;
    const tried = (row: Row): Promise<void> =>
      attempt(row).catch((error: unknown) => {
        if (!stopping.signal.aborted) warn({ error, _id: row._id }, `cannot fill in ${what}; retrying`);
      });
    await turn.map([...(await dueRows(partitions))], tried);
  };

  const filling = runRepeatedly(clock, EVERY_MS, round, (error) => warn({ error }, 'cannot read pending texts'));
  return {
    stop: async () => {
      stopping.abort(new DOMException('stopped', 'AbortError'));
      await filling.stop();
      await report.stop();
    },
  };
};
