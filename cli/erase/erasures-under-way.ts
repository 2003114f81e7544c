import type { Render } from '../../domain/render/render.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';

export type OpenErasuresDependencies = {
  readonly records: Pick<RecordLog, 'decode'> & { readonly log: Pick<RecordLog['log'], 'bounds' | 'replay'> };
  /** The positions of `retention` in `render-status`. */
  readonly positions: Pick<ConsumerPositions, 'load'>;
};

const STATUS = 'render-status';

/**
 * Counts the erased renders whose keys and files `retention` has not deleted yet. Each call reads only the records that
 * are new since the previous one. A projector publishes an erasure shortly after the read model shows it.
 */
export const openErasuresUnderWay = (
  { records, positions }: OpenErasuresDependencies,
  isIncluded: (render: Render) => boolean,
): (() => Promise<number>) => {
  const partitions = new Map<number, { readonly read_until: number; readonly erasures: readonly number[] }>();

  const isErasure = async (value: Buffer | null): Promise<boolean> => {
    const decoded = await records.decode(value);
    if (decoded.tag !== 'record' || decoded.record.type !== 'RenderFactAccepted') return false;
    return decoded.record.fact_type === 'RenderErased' && isIncluded(decoded.record.render);
  };

  return async () => {
    let count = 0;
    for (const { partition, start, end } of await records.log.bounds(STATUS)) {
      const done = await positions.load(STATUS, partition);
      const { read_until, erasures } = partitions.get(partition) ?? { read_until: start, erasures: [] };
      const found = erasures.filter((offset) => offset >= done);
      for await (const record of records.log.replay(STATUS, partition, Math.max(start, read_until, done), end))
        if (await isErasure(record.value)) found.push(record.offset);
      partitions.set(partition, { read_until: end, erasures: found });
      count += found.length;
    }
    return count;
  };
};

/**
 * The line of progress; null if `retention` has deleted all keys and files. The first call waits for the projectors: they
 * may have published the last erasure after the renders left the read model.
 */
export const openErasuresText = (id: string, underWay: () => Promise<number>): (() => Promise<string | null>) => {
  let is_first = true;
  return async () => {
    const count = await underWay();
    if (count === 0 && !is_first) return null;
    is_first = false;
    return count === 0
      ? `checking the keys and files of the renders of ${id}`
      : `erased renders of ${id} whose keys and files "retention" has not deleted yet: ${count}`;
  };
};
