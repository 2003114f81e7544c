import type { EventLog, LogRecord, Subscription } from './event-log.ts';

/**
 * Adds the prefix to the names of all topics, so that several services can share a cluster. Callers use names without
 * the prefix.
 */
export const withTopicPrefix = (log: EventLog, prefix: string): EventLog => {
  if (prefix === '') return log;
  const wire = (name: string): string => `${prefix}${name}`;
  const known = (topic: string): string => topic.slice(prefix.length);
  const withoutPrefix = (record: LogRecord): LogRecord => ({ ...record, topic: known(record.topic) });
  async function* replayed(records: AsyncIterable<LogRecord>): AsyncIterable<LogRecord> {
    for await (const record of records) yield withoutPrefix(record);
  }
  const withPlainNames = (subscription: Subscription): Subscription => ({
    ...subscription,
    pause: (topic, partition) => subscription.pause(wire(topic), partition),
    resume: (topic, partition) => subscription.resume(wire(topic), partition),
    seek: (topic, partition, offset) => subscription.seek(wire(topic), partition, offset),
    stopPartition: (topic, partition, reason) => subscription.stopPartition(wire(topic), partition, reason),
    handOver: (topic, partition) => subscription.handOver(wire(topic), partition),
    restartPartition: (topic, partition, offset) => subscription.restartPartition(wire(topic), partition, offset),
  });
  const prefixed =
    (begin: EventLog['subscribe']): EventLog['subscribe'] =>
    async ({ group, topics, position, on_batch, ...options }) => {
      const { on_subscription, on_assigned, on_revoked, ...others } = options;
      const subscription = await begin({
        ...others,
        group: wire(group),
        topics: topics.map(wire),
        position: (topic, partition) => position(known(topic), partition),
        on_batch: (batch) =>
          on_batch({ ...batch, topic: known(batch.topic), records: batch.records.map(withoutPrefix) }),
        ...(on_subscription && { on_subscription: (subscription) => on_subscription(withPlainNames(subscription)) }),
        ...(on_assigned && { on_assigned: (topic, partitions) => on_assigned(known(topic), partitions) }),
        ...(on_revoked && { on_revoked: (topic, partitions) => on_revoked(known(topic), partitions) }),
      });
      return withPlainNames(subscription);
    };
  return {
    ...log,
    append: (request) => log.append({ ...request, topic: wire(request.topic) }),
    appendBatch: (request) => log.appendBatch({ ...request, topic: wire(request.topic) }),
    subscribe: prefixed(log.subscribe),
    follow: prefixed(log.follow),
    read: async (positions) => {
      const found = await log.read(positions.map((one) => ({ ...one, topic: wire(one.topic) })));
      return found.map((record) => (record === null ? null : withoutPrefix(record)));
    },
    partitions: (topic) => log.partitions(wire(topic)),
    bounds: (topic) => log.bounds(wire(topic)),
    reachableBounds: (topic) => log.reachableBounds(wire(topic)),
    committed: (group, topic) => log.committed(wire(group), wire(topic)),
    offsetsAt: (topic, at_ms) => log.offsetsAt(wire(topic), at_ms),
    replay: (topic, ...range) => replayed(log.replay(wire(topic), ...range)),
  };
};
