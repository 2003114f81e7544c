import type { EventLog } from '../event-log/event-log.ts';

/** The name of a log of heads, and of its signing key. Another cluster or partition count gives another log. */
export const originOf = async (
  log: Pick<EventLog, 'clusterId' | 'partitions'>,
  name: string,
  topic_prefix: string,
): Promise<string> => `${name}/${await log.clusterId()}/${topic_prefix}${await log.partitions('render-events')}`;
