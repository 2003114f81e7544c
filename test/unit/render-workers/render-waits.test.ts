import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { foldRender } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { renderWaits } from '../../../render-workers/dispatcher/render-waits.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';

const QUEUED = [prepared, assigned('att_1', 1)] as const;

/** A render after its request at `at` (ms) and these events, a second apart. */
const renderOf = (id: string, account_id: string, at: number, ...events: readonly RenderEvent[]): Render => {
  const all = [requested({ account_id }), ...events];
  const folded = foldRender(all.map((event, i) => ({ event: { ...event, render_id: id }, at: at + i * 1_000 })));
  if (E.isLeft(folded) || folded.right === null) throw new Error('not folded');
  return folded.right;
};

const watched = () => {
  const told: [string, number][] = [];
  const waits = renderWaits((account_class, wait_ms) => told.push([account_class, wait_ms]));
  return { waits, told };
};

test('the wait from request to first assignment is observed once', (t) => {
  const { waits, told } = watched();
  waits.seen(renderOf('rend_1', 'acc_1', 0));
  waits.seen(renderOf('rend_1', 'acc_1', 0, prepared));
  t.deepEqual(told, []);
  const life = [
    ...QUEUED,
    lost('att_1'),
    assigned('att_2', 2),
    progressed('att_2'),
    finished('att_2'),
    completed('att_2'),
  ];
  for (let n = QUEUED.length; n <= life.length; n += 1) waits.seen(renderOf('rend_1', 'acc_1', 0, ...life.slice(0, n)));
  t.deepEqual(told, [['idle', 2_000]]);
});

test("a wait is classified by the account's backlog at the time of the request", (t) => {
  const { waits, told } = watched();
  for (let n = 0; n < 25; n += 1) waits.seen(renderOf(`rend_${n}`, 'acc_batch', n));
  waits.seen(renderOf('rend_alone', 'acc_other', 30));
  for (const n of [24, 19, 1, 0]) waits.seen(renderOf(`rend_${n}`, 'acc_batch', n, ...QUEUED));
  waits.seen(renderOf('rend_alone', 'acc_other', 30, ...QUEUED));
  t.deepEqual(
    told.map(([account_class]) => account_class),
    ['batch', 'busy', 'busy', 'idle', 'idle'],
  );
});

test('assigned and failed renders no longer wait', (t) => {
  const { waits, told } = watched();
  waits.seen(renderOf('rend_1', 'acc_1', 0));
  waits.seen(renderOf('rend_2', 'acc_1', 1));
  waits.seen(renderOf('rend_1', 'acc_1', 0, failed('preparer:prep_1', null)));
  waits.seen(renderOf('rend_2', 'acc_1', 1, ...QUEUED));
  waits.seen(renderOf('rend_3', 'acc_1', 5));
  waits.seen(renderOf('rend_3', 'acc_1', 5, ...QUEUED));
  t.deepEqual(told, [
    ['busy', 2_000],
    ['idle', 2_000],
  ]);
});

test('a new dispatcher counts waiting renders, oldest first, and none from before', (t) => {
  const { waits, told } = watched();
  const open = [
    renderOf('rend_2', 'acc_1', 100),
    renderOf('rend_running', 'acc_1', 0, ...QUEUED),
    renderOf('rend_1', 'acc_1', 50, prepared),
  ];
  waits.loaded([renderOf('rend_gone', 'acc_1', 0)]);
  waits.loaded(open);
  t.deepEqual(told, []);
  waits.seen(renderOf('rend_running', 'acc_1', 0, ...QUEUED, progressed('att_1')));
  waits.seen(renderOf('rend_2', 'acc_1', 100, ...QUEUED));
  waits.seen(renderOf('rend_1', 'acc_1', 50, ...QUEUED));
  t.deepEqual(told, [
    ['busy', 2_000],
    ['idle', 2_000],
  ]);
});
