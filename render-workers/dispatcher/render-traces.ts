import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Headers } from '../log/record-author.ts';

/** Traces of unfinished renders, which the dispatcher's own records continue. */
export type RenderTraces = {
  readonly seen: (render_id: string, trace: Headers) => void;
  /**
   * The render comes from the read model, which has no traces. Its last record is at this offset of `render-events`.
   */
  readonly loaded: (render_id: string, offset: number) => void;
  readonly over: (render_id: string) => void;
  /** Empty if the log does not answer within a second. Never rejects. */
  readonly of: (render_id: string) => Promise<Headers>;
};

const READ_TIMEOUT_MS = 1_000;

export const renderTraces = (log: RecordLog['log'], clock: Clock): RenderTraces => {
  const traces = new Map<string, Headers | Promise<Headers>>();
  const offsets = new Map<string, number>();

  const read = async (render_id: string, offset: number): Promise<Headers> => {
    const partition = partitionOfKey(render_id, await log.partitions('render-events'));
    const [record] = await log.read([{ topic: 'render-events', partition, offset }]);
    return traceHeaders(record?.headers ?? {});
  };

  return {
    seen: (render_id, trace) => {
      if (trace.traceparent === undefined) return;
      traces.set(render_id, trace);
      offsets.delete(render_id);
    },
    loaded: (render_id, offset) => {
      if (!traces.has(render_id)) offsets.set(render_id, offset);
    },
    over: (render_id) => {
      traces.delete(render_id);
      offsets.delete(render_id);
    },
    of: async (render_id) => {
      const offset = offsets.get(render_id);
      if (offset !== undefined) {
        offsets.delete(render_id);
        // Store the promise, so that concurrent actions share one read.
        traces.set(
          render_id,
          withTimeout(READ_TIMEOUT_MS, read(render_id, offset), () => ({}), clock).catch(() => ({})),
        );
      }
      return (await traces.get(render_id)) ?? {};
    },
  };
};
