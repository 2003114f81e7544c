import type { Render } from '../../domain/render/render.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { FoldedErasures } from '../../read-models/renders/erasable-renders.ts';

export type OpenErasuresDependencies = {
  readonly records: Pick<RecordLog, 'decode'> & { readonly log: Pick<RecordLog['log'], 'bounds' | 'replay'> };
  /** The positions of `retention` in `render-status`. */
  readonly positions: Pick<ConsumerPositions, 'load'>;
  readonly findErasure: FoldedErasures;
};

const STATUS = 'render-status';
const EVENTS = 'render-events';

type Bounds = { readonly partition: number; readonly start: number; readonly end: number };

/** `erasures`: offsets in `render-status`. `unpublished`: erasures in `render-events` that `render-status` may lack. */
type Partition = {
  readonly read_until: number;
  readonly erasures: readonly number[];
  /** The event of the last status record; null if no such record can be read. */
  readonly published: number | null;
  readonly events_read_until: number;
  readonly unpublished: readonly { readonly offset: number; readonly render_id: string }[];
};

/**
 * Counts the erased renders whose keys and files `retention` has not deleted yet. Each call reads only the records that
 * are new since the previous one. A projector publishes an erasure after the read model shows it, so an erasure that is
 * not published yet counts too.
 */
export const openErasuresUnderWay = (
  { records, positions, findErasure }: OpenErasuresDependencies,
  isIncluded: (render: Render) => boolean,
): (() => Promise<number>) => {
  const { bounds, replay } = records.log;
  const partitions = new Map<number, Partition>();

  const readStatus = async (before: Partition, { partition, start, end }: Bounds, done: number): Promise<Partition> => {
    const erasures = before.erasures.filter((offset) => offset >= done);
    let { published } = before;
    // The first call needs the last record, even if `retention` has passed it.
    const last = published === null ? Math.min(done, end - 1) : done;
    for await (const { offset, value } of replay(STATUS, partition, Math.max(start, before.read_until, last), end)) {
      const decoded = await records.decode(value);
      if (decoded.tag !== 'record' || decoded.record.type !== 'RenderFactAccepted') continue;
      const { source_offset, fact_type, render } = decoded.record;
      published = Math.max(published ?? 0, source_offset);
      if (offset >= done && fact_type === 'RenderErased' && isIncluded(render)) erasures.push(offset);
    }
    return { ...before, read_until: end, erasures, published: end === 0 ? -1 : published };
  };

  const readEvents = async (before: Partition, { partition, end }: Bounds): Promise<Partition> => {
    const { published } = before;
    if (published === null) return before;
    const unpublished = before.unpublished.filter(({ offset }) => offset > published);
    const from = Math.max(before.events_read_until, published + 1);
    for await (const { offset, value } of replay(EVENTS, partition, from, end)) {
      const decoded = await records.decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'RenderErased')
        unpublished.push({ offset, render_id: decoded.record.render_id });
    }
    return { ...before, unpublished, events_read_until: Math.max(end, from) };
  };

  /** Without erasures of other renders, and without those that the fold ignored, which are never published. */
  const withoutOthers = async (before: Partition): Promise<Partition> => {
    const unpublished: Partition['unpublished'][number][] = [];
    for (const one of before.unpublished) {
      const found = await findErasure(one.render_id);
      // If the erasure is not folded, the list of remaining renders still has the render.
      const may_be_published = found !== null && (found.offset === null || found.offset === one.offset);
      if (may_be_published && isIncluded(found.render)) unpublished.push(one);
    }
    return { ...before, unpublished };
  };

  return async () => {
    let count = 0;
    const events = new Map((await bounds(EVENTS)).map((one) => [one.partition, one]));
    for (const of_status of await bounds(STATUS)) {
      const { partition, start } = of_status;
      const done = await positions.load(STATUS, partition);
      const before: Partition = partitions.get(partition) ?? {
        ...{ read_until: start, erasures: [], published: null, events_read_until: 0, unpublished: [] },
      };
      const status = await readStatus(before, of_status, done);
      const of_events = events.get(partition);
      const read = of_events === undefined ? status : await withoutOthers(await readEvents(status, of_events));
      partitions.set(partition, read);
      count += read.erasures.length + read.unpublished.length;
    }
    return count;
  };
};

/** The line of progress; null if `retention` has deleted all keys and files. */
export const openErasuresText =
  (id: string, underWay: () => Promise<number>): (() => Promise<string | null>) =>
  async () => {
    const count = await underWay();
    return count === 0
      ? null
      : `erased renders of ${id} whose keys and files "retention" has not deleted yet: ${count}`;
  };
