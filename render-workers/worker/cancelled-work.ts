import { LRUCache } from 'lru-cache';
import type { FailedAttempt } from '../../domain/dispatch/heartbeats.ts';

const MAX_KNOWN = 1_000;

/**
 * Counts the cost of cancelled attempts. The cancellation may arrive before or after the end of the attempt. @param
 * count called once per attempt
 */
export const createCancelledWorkCounter = (count: (attempt: FailedAttempt) => void) => {
  const costs = new LRUCache<string, FailedAttempt>({ max: MAX_KNOWN });
  const cancelled = new LRUCache<string, true>({ max: MAX_KNOWN });
  return {
    ended: (cost: FailedAttempt): void => {
      if (cancelled.delete(cost.attempt_id)) count(cost);
      else costs.set(cost.attempt_id, cost);
    },
    cancelled: (attempt_id: string): void => {
      const cost = costs.get(attempt_id);
      costs.delete(attempt_id);
      if (cost === undefined) cancelled.set(attempt_id, true);
      else count(cost);
    },
  };
};
