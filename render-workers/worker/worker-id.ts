import { createHash } from 'node:crypto';

/**
 * `wkr_<8 hex of the hash of the name>_<ULID>`. The hash identifies the machine, so that lost attempts are counted per
 * machine.
 */
export const workerId = (name: string, ulid: string): string =>
  `wkr_${createHash('sha256').update(name).digest('hex').slice(0, 8)}_${ulid}`;
