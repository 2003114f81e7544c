import type { TimestampedHeartbeat } from '../../domain/dispatch/listed-workers.ts';
import type { RecordLog } from './record-log.ts';

const TOPIC = 'worker-heartbeats';
/** More heartbeats than a thousand workers send in ten seconds. */
const MAX_READ = 5_000;

/** Returns heartbeats in log order, without those that cannot be decoded. */
export const readHeartbeats = async ({ log, decode }: RecordLog): Promise<readonly TimestampedHeartbeat[]> => {
  const beats: TimestampedHeartbeat[] = [];
  for (const { partition, start, end } of await log.bounds(TOPIC)) {
    for await (const source of log.replay(TOPIC, partition, Math.max(start, end - MAX_READ), end)) {
      const decoded = await decode(source.value);
      if (decoded.tag !== 'record') continue;
      const { record: beat } = decoded;
      if (beat.type === 'WorkerBeat' || beat.type === 'DispatcherBeat') beats.push({ beat, at: source.append_time_ms });
    }
  }
  return beats;
};
