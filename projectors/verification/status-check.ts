import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { differingMember } from './difference.ts';
import type { Findings } from './findings.ts';

const STATUS: Topic = 'render-status';

/** Folded events are published a moment later; after a cutover, at least two seconds later. */
const TRIES = 50;
const TRY_AGAIN_MS = 200;

const MAX_WAITING = 1_000;

export type StatusTopic = Pick<RecordLog, 'decode'> & { readonly log: Pick<EventLog, 'bounds' | 'replay'> };

/** Compares a partition of the status topic, as its readers see it, with the fold, record by record. */
export type StatusCheck = {
  readonly expect: (records: readonly RenderFactAccepted[]) => Promise<void>;
  readonly pass: (source_offset: number) => void;
  /** @param next every record below it was folded */
  readonly end: (next: number) => Promise<void>;
};

export const statusCheck = (
  records: StatusTopic,
  partition: number,
  takes: (render_id: string) => boolean,
  findings: Findings,
  clock: Pick<Clock, 'sleep'>,
): StatusCheck => {
  const passed = new Set<number>();
  const waiting: RenderFactAccepted[] = [];
  let unread = 0;
  let known_end: number | null = null;
  let last = -1;
  let reading: AsyncIterator<{ readonly offset: number; readonly value: Buffer | null }> | null = null;
  let peeked: RenderFactAccepted | null = null;
  let differs = false;
  /** True if too many records wait for the status topic, so that later ones are not compared. */
  let is_cut = false;

  const where = (source_offset: number): string => `${STATUS}/${partition}, source_offset ${source_offset}`;

  const lookForEnd = async (): Promise<number> => {
    known_end = (await records.log.bounds(STATUS)).find((one) => one.partition === partition)?.end ?? 0;
    return known_end;
  };

  const advance = async (): Promise<RenderFactAccepted | null> => {
    for (;;) {
      if (reading === null) {
        const end = known_end ?? (await lookForEnd());
        if (end <= unread) return null;
        reading = records.log.replay(STATUS, partition, unread, end)[Symbol.asyncIterator]();
      }
      const { done, value } = await reading.next();
      if (done === true) {
        reading = null;
        continue;
      }
      unread = value.offset + 1;
      const decoded = await records.decode(value.value);
      if (decoded.tag !== 'record' || decoded.record.type !== 'RenderFactAccepted') continue;
      const { source_offset, render_id } = decoded.record;
      // A reader keeps only records with a higher `source_offset` than all before.
      if (source_offset <= last || passed.has(source_offset) || !takes(render_id)) continue;
      last = source_offset;
      return decoded.record;
    }
  };
  const peek = async (): Promise<RenderFactAccepted | null> => {
    peeked ??= await advance();
    return peeked;
  };

  const compare = async (wanted: RenderFactAccepted): Promise<boolean> => {
    const found = await peek();
    if (found === null) return false;
    peeked = null;
    findings.count('status records', 1);
    const member = differingMember(wanted, found);
    if (member === null) return true;
    // A missing record shifts all later ones, so only the first difference is reported.
    differs = true;
    findings.add({ where: where(Math.min(wanted.source_offset, found.source_offset)), holder: 'topic', ...member });
    return true;
  };

  const compareWaiting = async (): Promise<void> => {
    for (let first = waiting[0]; first !== undefined && !differs; first = waiting[0]) {
      if (!(await compare(first))) return;
      waiting.shift();
    }
  };

  return {
    expect: async (all) => {
      for (const record of all) {
        if (differs || is_cut) return;
        if (waiting.length > 0 || !(await compare(record))) waiting.push(record);
        is_cut = waiting.length >= MAX_WAITING;
      }
    },

    pass: (source_offset) => void passed.add(source_offset),

    end: async (next) => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        await compareWaiting();
        if (differs || waiting.length === 0) break;
        await clock.sleep(TRY_AGAIN_MS);
        await lookForEnd();
      }
      if (differs) return;
      const lacking = waiting[0];
      const missing = { member: null, holder: 'topic' } as const;
      if (lacking !== undefined) {
        findings.add({ where: where(lacking.source_offset), ...missing, log: 'that it is there', found: 'nothing' });
        return;
      }
      const more = is_cut ? null : await peek();
      if (more !== null && more.source_offset < next)
        findings.add({ where: where(more.source_offset), ...missing, log: 'nothing', found: 'that it is there' });
    },
  };
};
