import test from 'ava';
import fc from 'fast-check';
import type { Help, HelpWanted, SegmentSpan, WorkerBeat } from '../../../domain/dispatch/heartbeats.ts';
import {
  applyHeartbeat,
  chooseAttemptToHelp,
  createHelpBoard,
  type HelpBoard,
  helpersOf,
  helpRequestFor,
  isHelperNeeded,
  nextSpanFor,
  ownsSpan,
} from '../../../domain/dispatch/help.ts';
import { WORKER_FRESH_MS } from '../../../domain/dispatch/liveness.ts';
import { metaBy } from '../../helpers/render-events.ts';

const beats = new Map<string, number>();

const heartbeat = (worker_id: string, change: Partial<WorkerBeat>): WorkerBeat => {
  const beat = (beats.get(worker_id) ?? 0) + 1;
  beats.set(worker_id, beat);
  return {
    ...{ type: 'WorkerBeat', meta: metaBy(`worker:${worker_id}`), worker_id, beat, slots: 1, draining: false },
    ...{ attempts: [], failed: [], engines: [1], impediments: [], wanted: [], helps: [] },
    ...change,
  };
};

const wanting = (attempt_id: string, lacking: SegmentSpan[]): HelpWanted => ({
  ...{ render_id: `rend_${attempt_id}`, attempt_id, account_id: 'acc_1', project_id: 'proj_1' },
  ...{ composition: { path: 'composition.json', sha256: 'ab' }, parts_sha256: 'cd', lacking },
});

const span = (from: number, until: number): SegmentSpan => ({ from, until });

const helping = (attempt_id: string, taken: SegmentSpan[] = [], stored: SegmentSpan[] = []): Help => ({
  attempt_id,
  taken,
  stored,
});

const boardOf = (...read: readonly (readonly [string, Partial<WorkerBeat>])[]): HelpBoard => {
  const board = createHelpBoard();
  for (const [worker_id, change] of read) applyHeartbeat(board, heartbeat(worker_id, change), 0);
  return board;
};

const no = (): boolean => false;

test('a worker helps the film with the most missing parts per worker', (t) => {
  const [long, short] = [wanting('att_long', [span(1, 9)]), wanting('att_short', [span(1, 6)])];
  const board = boardOf(['w1', { wanted: [long] }], ['w2', { wanted: [short] }]);
  t.is(chooseAttemptToHelp(board, 'w3', no, 0)?.attempt_id, 'att_long');
  t.is(chooseAttemptToHelp(board, 'w1', no, 0)?.attempt_id, 'att_short');
  t.is(chooseAttemptToHelp(board, 'w3', (id) => id === 'att_long', 0)?.attempt_id, 'att_short');
  applyHeartbeat(board, heartbeat('w4', { helps: [helping('att_long')] }), 0);
  t.is(chooseAttemptToHelp(board, 'w3', no, 0)?.attempt_id, 'att_short', 'half of eight is less than five');
});

test('films with one missing segment, enough helpers or a silent worker get none', (t) => {
  t.is(chooseAttemptToHelp(boardOf(['w1', { wanted: [wanting('a', [span(7, 8)])] }]), 'w3', no, 0), null);
  const board = boardOf(['w1', { wanted: [wanting('a', [span(5, 8)])] }], ['w2', { helps: [helping('a')] }]);
  t.is(chooseAttemptToHelp(board, 'w3', no, 0)?.attempt_id, 'a');
  applyHeartbeat(board, heartbeat('w4', { helps: [helping('a')] }), 0);
  t.is(chooseAttemptToHelp(board, 'w3', no, 0), null);
  const silent = boardOf(['w1', { wanted: [wanting('a', [span(0, 9)])] }]);
  t.is(chooseAttemptToHelp(silent, 'w3', no, WORKER_FRESH_MS + 1), null);
  t.is(helpRequestFor(silent, 'a', WORKER_FRESH_MS + 1), null);
});

test('if helpers exceed segments, the first ones in the log remain', (t) => {
  const wanted = wanting('a', [span(5, 8)]);
  const board = boardOf(
    ['w1', { wanted: [wanted] }],
    ...['w2', 'w3', 'w4'].map((id): [string, Partial<WorkerBeat>] => [id, { helps: [helping('a')] }]),
  );
  t.deepEqual(
    ['w2', 'w3', 'w4', 'w5'].map((id) => isHelperNeeded(board, wanted, id, 0)),
    [true, true, false, false],
  );
});

test('spans come from the back, below an equal share, about 3 s long', (t) => {
  const film = { frames: Array.from({ length: 16 }, () => 120), frames_per_s: 30 };
  const wanted = wanting('a', [span(1, 16)]);
  const one = boardOf(['w1', { wanted: [wanted] }], ['w2', { helps: [helping('a')] }]);
  t.deepEqual(nextSpanFor(one, wanted, 'w2', film, 0), span(10, 16));
  const two = boardOf(['w1', { wanted: [wanted] }], ['w2', { helps: [helping('a', [span(13, 16)])] }]);
  applyHeartbeat(two, heartbeat('w3', { helps: [helping('a')] }), 0);
  t.deepEqual(nextSpanFor(two, wanted, 'w3', film, 0), span(10, 13));
  const short = { frames: [30, 30, 30, 30, 30], frames_per_s: 30 };
  t.deepEqual(nextSpanFor(one, wanting('a', [span(1, 5)]), 'w2', short, 0), span(2, 5), 'three of one second');
  t.is(nextSpanFor(two, wanting('a', [span(13, 16)]), 'w3', film, 0), null);
  t.is(nextSpanFor(one, wanting('a', [span(7, 8)]), 'w2', film, 0), null);
});

test('the first helper in the log gets a segment; a silent one gets none', (t) => {
  const board = boardOf(
    ['w1', { wanted: [wanting('a', [span(0, 9)])] }],
    ['w2', { helps: [helping('a', [span(6, 9)])] }],
    ['w3', { helps: [helping('a', [span(5, 7)])] }],
  );
  t.true(ownsSpan(board, 'a', 'w2', span(6, 9), 0));
  t.false(ownsSpan(board, 'a', 'w3', span(5, 7), 0));
  t.is(ownsSpan(board, 'a', 'w3', span(0, 2), 0), null, 'not read back');
  applyHeartbeat(board, heartbeat('w3', { helps: [helping('a', [span(5, 7)])] }), 5_000);
  t.true(ownsSpan(board, 'a', 'w3', span(5, 7), WORKER_FRESH_MS + 1));
  t.deepEqual(
    helpersOf(board, 'a', WORKER_FRESH_MS + 1).map(({ worker_id }) => worker_id),
    ['w3'],
  );
});

test('spans that no film has are skipped', (t) => {
  const odd = [span(0, 9e15), span(-5, 2), span(7, 3), span(4, 4), span(2, 6)];
  const board = boardOf(['w1', { wanted: [wanting('a', odd)] }], ['w2', { helps: [helping('a', odd, odd)] }]);
  t.deepEqual(helpRequestFor(board, 'a', 0)?.lacking, [span(2, 6)]);
  t.like(helpersOf(board, 'a', 0)[0], { taken: { length: 1 }, stored: [span(2, 6)] });
  t.is(chooseAttemptToHelp(board, 'w3', no, 0), null);
});

test('helpers that choose a span at the same time choose different ones', (t) => {
  const film = { frames: Array.from({ length: 16 }, () => 120), frames_per_s: 30 };
  const wanted = wanting('a', [span(0, 16)]);
  const ids = ['w2', 'w3', 'w4'];
  const board = boardOf(
    ['w1', { wanted: [wanted] }],
    ...ids.map((id): [string, Partial<WorkerBeat>] => [id, { helps: [helping('a')] }]),
  );
  t.deepEqual(
    ids.map((id) => nextSpanFor(board, wanted, id, film, 0)),
    [span(13, 16), span(10, 13), span(7, 10)],
  );
});

test('late or repeated heartbeats change nothing', (t) => {
  const board = createHelpBoard();
  const first = heartbeat('w9', { wanted: [wanting('a', [span(0, 9)])] });
  applyHeartbeat(board, heartbeat('w9', {}), 0);
  applyHeartbeat(board, first, 0);
  t.is(helpRequestFor(board, 'a', 0), null);
});

test('helpers in any order share no segment, and leave only the next one', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.infiniteStream(fc.nat(1_000)),
        (segments, helpers, draws) => {
          const film = { frames: Array.from({ length: segments }, (_, i) => 30 + ((i * 37) % 90)), frames_per_s: 30 };
          const wanted = wanting('a', [span(0, segments)]);
          const log: WorkerBeat[] = [heartbeat('owner', { wanted: [wanted] })];
          const workers = Array.from({ length: helpers }, (_, i) => ({
            ...{ id: `h${i}`, board: createHelpBoard(), read: 0, asked: null as SegmentSpan | null },
            taken: [] as SegmentSpan[],
          }));
          const say = (worker: (typeof workers)[number]): void => {
            const { id, taken, asked } = worker;
            log.push(heartbeat(id, { helps: [helping('a', asked === null ? [...taken] : [...taken, asked])] }));
          };
          for (const worker of workers) say(worker);
          for (let turn = 0; turn < 5_000; turn += 1) {
            const worker = workers[Number(draws.next().value) % helpers];
            if (worker === undefined) return false;
            for (
              const upTo = worker.read + 1 + (Number(draws.next().value) % 4);
              worker.read < upTo;
              worker.read += 1
            ) {
              const beat = log[worker.read];
              if (beat === undefined) break;
              applyHeartbeat(worker.board, beat, 0);
            }
            if (worker.asked === null) {
              worker.asked = nextSpanFor(worker.board, wanted, worker.id, film, 0);
              if (worker.asked !== null) say(worker);
              continue;
            }
            const is_own = ownsSpan(worker.board, 'a', worker.id, worker.asked, 0);
            if (is_own === null) continue;
            if (is_own) worker.taken.push(worker.asked);
            worker.asked = null;
            say(worker);
            const all = workers.flatMap(({ taken }) => taken);
            if (all.reduce((sum, { from, until }) => sum + until - from, 0) === segments - 1) break;
          }
          const had = workers.flatMap(({ taken }) =>
            taken.flatMap(({ from, until }) => Array.from({ length: until - from }, (_, i) => from + i)),
          );
          return had.length === segments - 1 && new Set(had).size === had.length && !had.includes(0);
        },
      ),
      { numRuns: 100, seed: 20 },
    ),
  );
});
