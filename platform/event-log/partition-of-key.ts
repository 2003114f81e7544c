const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Same result as the Java client. The murmur2 of kafkajs allocates an object for each 64-bit number. */
const murmur2 = (data: Buffer): number => {
  const whole = data.length & ~3;
  let hash = SEED ^ data.length;
  for (let at = 0; at < whole; at += 4) {
    const k = Math.imul(data.readInt32LE(at), M);
    hash = Math.imul(hash, M) ^ Math.imul(k ^ (k >>> 24), M);
  }
  if (whole < data.length) hash = Math.imul(hash ^ data.readUIntLE(whole, data.length - whole), M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
};

export const partitionOfKey = (key: string | Buffer, partitions: number): number =>
  (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % partitions;
