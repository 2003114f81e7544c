import test from 'ava';
import { workersText } from '../../../cli/workers/workers-text.ts';
import type { DispatcherBeat, WorkerBeat } from '../../../domain/dispatch/heartbeats.ts';
import { listedWorkers } from '../../../domain/dispatch/listed-workers.ts';
import { metaBy } from '../../helpers/render-events.ts';

const NOW = 1_700_000_000_000;
const ON_A = 'wkr_aaaaaaaa_01JD0000000000000000000001';

const worker = (worker_id: string, change: Partial<WorkerBeat> = {}): WorkerBeat => ({
  ...{ type: 'WorkerBeat', meta: metaBy(`worker:${worker_id}`), worker_id, beat: 1, slots: 2, draining: false },
  ...{ attempts: [], failed: [], engines: [1, 2], impediments: [], wanted: [], helps: [] },
  ...change,
});
const dispatcher = (set_aside: DispatcherBeat['set_aside']): DispatcherBeat => ({
  ...{ type: 'DispatcherBeat', meta: metaBy('dispatcher:disp_1'), dispatcher_id: 'disp_1', beat: 1, set_aside },
});

test('the list says why a worker gets no renders, from the newest heartbeats', (t) => {
  const listed = listedWorkers(
    [
      { beat: worker('wkr_gone'), at: NOW - 61_000 },
      { beat: worker(ON_A), at: NOW - 1_000 },
      {
        beat: worker('wkr_old', { engines: [], helps: [{ attempt_id: 'att_1', taken: [], stored: [] }] }),
        at: NOW - 500,
      },
      { beat: worker('wkr_full', { slots: 2 }), at: NOW - 3_000 },
      { beat: worker('wkr_full', { slots: 0, impediments: ['disk'] }), at: NOW - 1_000 },
      { beat: worker('wkr_silent'), at: NOW - 10_000 },
      { beat: worker('wkr_stops', { draining: true }), at: NOW },
      { beat: dispatcher([]), at: NOW - 4_000 },
      {
        beat: dispatcher([
          { machine_id: 'aaaaaaaa', losses: 4, left_ms: 30_000 },
          { machine_id: 'bbbbbbbb', losses: 3, left_ms: 10_000 },
        ]),
        at: NOW - 2_000,
      },
    ],
    NOW,
  );
  const cells = workersText(listed)
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  t.deepEqual(cells, [
    ['worker', 'machine', 'new renders', 'running', 'helping', 'slots', 'reads', 'heard'],
    [ON_A, 'aaaaaaaa', 'set aside for 28 s after 4 lost renders in a row', '0', '0', '2', '1, 2', '1 s ago'],
    ['wkr_old', '-', 'offering', '0', '1', '2', '-', '1 s ago'],
    ['wkr_full', '-', 'impeded: disk', '0', '0', '0', '1, 2', '1 s ago'],
    ['wkr_silent', '-', 'silent', '0', '0', '2', '1, 2', '10 s ago'],
    ['wkr_stops', '-', 'draining', '0', '0', '2', '1, 2', '0 s ago'],
    ['-', 'bbbbbbbb', 'set aside for 8 s after 3 lost renders in a row', '0', '0', '0', '-', '-'],
  ]);
  t.is(workersText([]), 'No worker sent a heartbeat in the last minute.');
});
