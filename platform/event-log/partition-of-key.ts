import { Partitioners } from 'kafkajs';

const place = Partitioners.DefaultPartitioner();

/**
 * The partition of a topic that a key belongs to: murmur2, as the Java client does.
 *
 * @param partitions how many the topic has
 */
export const partitionOfKey = (key: string | Buffer, partitions: number): number => {
  const known = Array.from({ length: partitions }, (_, partitionId) => ({
    partitionId,
    leader: 0,
    partitionErrorCode: 0,
    replicas: [],
    isr: [],
  }));
  return place({ topic: '', partitionMetadata: known, message: { key, value: null } });
};
