import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { PendingFault, PendingText, PendingTexts } from '../../read-models/pending-texts.ts';
import type { Projection, Session } from '../checkpoint/projection.ts';
import { type PayloadRead, readPayload } from '../payload-reads.ts';
import type { PendingReport } from './report-pending.ts';

const EVERY_MS = 500;
/** Rows that are looked at, of which those read lately are left out. */
const LOOKED_AT = 200;
const READ_AT_ONCE = 16;
const MOST_AT_ONCE = 32;
/** A read that takes longer fails: some stalled blobs must not delay the others. */
const READ_MS = 2_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS: { readonly [F in PendingFault]: number } = { unavailable: 10_000, refused: 60_000 };
/** Pauses that are remembered. A row whose pause is forgotten is read sooner. */
const MOST_PAUSES = 10_000;

/** After so many failed reads in a row. */
export const pauseMs = (failures: number, fault: PendingFault): number =>
  Math.min(LONGEST_PAUSE_MS[fault], FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));

export type PendingParts<Row extends PendingText, Content> = {
  readonly store: Pick<ReadStore, 'transaction'>;
  readonly pending: PendingTexts<Row>;
  readonly checkpoints: Projection<never, never>['checkpoints'];
  /** By partition that is held here, the offset below which everything is committed. */
  readonly held: () => ReadonlyMap<number, number>;
  readonly read: (row: Row, signal: AbortSignal) => Promise<Content>;
  /** Writes what the fold writes with this text. Pending rows are not its matter. */
  readonly fill: (row: Row, content: Content, session: Session) => Promise<void>;
  /** What is read, for the log. */
  readonly what: string;
  readonly onCorrupt: () => void;
  readonly report: PendingReport;
  readonly logger: Logger;
  readonly clock: Clock;
};

/**
 * Reads the texts that folds went on without, until each is filled in, gone, or erased with its subject. The rows in the
 * store are its only position. Only the owner of a partition fills in, and only while the checkpoint is its own: another
 * process may hold a document in memory that lacks the text.
 */
export const fillPending = <Row extends PendingText, Content>(
  parts: PendingParts<Row, Content>,
): { readonly stop: () => Promise<void> } => {
  const { store, pending, checkpoints, held, fill, what, onCorrupt, report, logger, clock } = parts;
  const warn = sparingWarnings(logger);
  const stopping = new AbortController();
  const turn = pLimit(READ_AT_ONCE);
  const not_before = new LRUCache<string, number>({ max: MOST_PAUSES });

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
      // It moves, is another process's, or is closed: the row is read again in a moment.
      if (checkpoint === null || checkpoint.next !== held().get(partition) || checkpoint.closed !== undefined) return;
      // An erasure that is folded meanwhile deletes the row as well: one of the two transactions fails.
      const { deletedCount } = await pending.deleteOne({ _id, offset } as object, { session });
      if (deletedCount === 1 && content !== null) await fill(row, content, session);
    });

  const attempt = async (row: Row): Promise<void> => {
    const { _id, tries } = row;
    const found = await readOne(row);
    if (found.tag === 'pending') {
      const { fault } = found;
      not_before.set(_id, clock.monotonic() + pauseMs(tries, fault));
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
    return (rows as Row[]).filter(({ _id }) => (not_before.get(_id) ?? 0) <= now).slice(0, MOST_AT_ONCE);
  };

  const round = async (): Promise<void> => {
    const partitions = [...held().keys()];
    if (await report.look(partitions)) not_before.clear();
    if (partitions.length === 0) return;
    const tried = (row: Row): Promise<void> =>
      attempt(row).catch((error: unknown) => {
        if (!stopping.signal.aborted)
          warn({ error, _id: row._id }, `${what} could not be filled in; it is tried again`);
      });
    await turn.map([...(await dueRows(partitions))], tried);
  };

  const filling = repeatedly(clock, EVERY_MS, round, (error) => warn({ error }, `pending texts cannot be looked at`));
  return {
    stop: async () => {
      stopping.abort(new DOMException('it is stopped', 'AbortError'));
      await filling.stop();
      await report.stop();
    },
  };
};
