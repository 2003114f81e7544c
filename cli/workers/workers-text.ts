import type { ListedWorker } from '../../domain/dispatch/listed-workers.ts';
import { tableText } from '../table.ts';

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

const standingText = ({ standing, impediments, losses, left_ms }: ListedWorker): string => {
  if (standing === 'impeded') return `impeded: ${impediments.join(', ')}`;
  if (standing === 'set_aside' && left_ms !== null)
    return `set aside for ${seconds(left_ms)} after ${losses} lost renders in a row`;
  return standing;
};

export const workersText = (workers: readonly ListedWorker[]): string =>
  workers.length === 0
    ? 'No worker sent a heartbeat in the last minute.'
    : tableText(
        ['worker', 'machine', 'new renders', 'running', 'helping', 'slots', 'reads', 'heard'],
        workers.map((worker) => [
          worker.worker_id,
          worker.machine === worker.worker_id ? null : worker.machine,
          standingText(worker),
          worker.attempts,
          worker.helping,
          worker.slots,
          worker.engines.length === 0 ? null : worker.engines.join(', '),
          worker.heard_ms_ago === null ? null : `${seconds(worker.heard_ms_ago)} ago`,
        ]),
      );
