import test from 'ava';
import { getOrElse, left } from 'fp-ts/lib/Either.js';
import { type RenderEvent, SEALED_REQUEST } from '../../../domain/render/events.ts';
import type { IgnoredReason } from '../../../domain/render/evolve.ts';
import { foldRender, foldStep } from '../../../domain/render/fold.ts';
import { openAttempt, type Render, type RenderStatus } from '../../../domain/render/render.ts';
import {
  assigned,
  cancelled,
  completed,
  erased,
  failed,
  finished,
  lost,
  master,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';

const fold = (events: readonly RenderEvent[]) =>
  getOrElse<unknown, Render | null>(() => null)(foldRender(events.map((event, i) => ({ event, at: 100 + i }))));

const after = (...events: RenderEvent[]) => ({
  when: (event: RenderEvent) => foldStep(fold(events), event, 100 + events.length),
});

const UP_TO_ASSIGNED = [requested(), prepared, assigned('att_1', 1)];
const UP_TO_PROGRESSED = [...UP_TO_ASSIGNED, progressed('att_1')];
const UP_TO_FINISHED = [...UP_TO_PROGRESSED, finished('att_1')];
const COMPLETE = [...UP_TO_FINISHED, completed('att_1')];

const legal: readonly [string, readonly RenderEvent[], RenderEvent, RenderStatus | null, RenderStatus][] = [
  ['a request creates the render', [], requested(), null, 'initializing'],
  ['preparation makes the render ready', [requested()], prepared, 'initializing', 'ready'],
  ['an assignment queues the render', [requested(), prepared], assigned('att_1', 1), 'ready', 'queued'],
  ['the first progress starts processing', UP_TO_ASSIGNED, progressed('att_1'), 'queued', 'processing'],
  ['the last frame leads to finalizing', UP_TO_PROGRESSED, finished('att_1'), 'processing', 'finalizing'],
  ['a stored and charged render is complete', UP_TO_FINISHED, completed('att_1'), 'finalizing', 'complete'],
  [
    'the preparer can fail a render while it prepares',
    [requested()],
    failed('preparer:p', null),
    'initializing',
    'failed',
  ],
  [
    'the dispatcher can fail a render between attempts',
    [requested(), prepared],
    failed('dispatcher:d', null),
    'ready',
    'failed',
  ],
  ['a worker can fail a render in its attempt', UP_TO_ASSIGNED, failed('worker:w', 'att_1'), 'queued', 'failed'],
  ['a worker can fail a render while it stores', UP_TO_FINISHED, failed('worker:w', 'att_1'), 'finalizing', 'failed'],
];

/** The same events for a render under version 2. */
const inV2 = (events: readonly RenderEvent[]): readonly RenderEvent[] =>
  events.map((event) => (event.type === 'RenderRequested' ? { ...event, fold_version: 2 } : event));

const inBothVersions = legal.flatMap(([title, given, when, from, to]) => [
  [title, given, when, from, to] as const,
  [`version 2: ${title}`, inV2(given), inV2([when])[0] ?? when, from, to] as const,
]);

for (const [title, given, when, from, to] of inBothVersions) {
  test(title, (t) => {
    const at = 100 + given.length;
    const verdict = after(...given).when(when);
    t.is(verdict.tag, 'accepted');
    if (verdict.tag !== 'accepted') return;
    t.deepEqual(verdict.transition, { seq: given.length + 1, from, to, at });
    t.is(verdict.render.status, to);
    t.is(verdict.render.updated_at, from === null ? null : at);
    t.is(verdict.render.created_at, 100);
  });
}

const illegal: readonly [string, readonly RenderEvent[], RenderEvent, IgnoredReason][] = [
  ['a second request', [requested()], requested({ name: 'Other' }), 'already_requested'],
  ['any event before the request', [], prepared, 'not_requested'],
  ['any event after completion', COMPLETE, failed('worker:w', 'att_1'), 'already_final'],
  ['a loss after completion', COMPLETE, lost('att_1'), 'already_final'],
  ['a second preparation', [requested(), prepared], prepared, 'already_prepared'],
  ['an assignment before preparation', [requested()], assigned('att_1', 1), 'not_prepared'],
  ['an assignment while an attempt is open', UP_TO_ASSIGNED, assigned('att_2', 2), 'attempt_open'],
  ['an assignment that skips a number', [requested(), prepared], assigned('att_1', 2), 'wrong_attempt_number'],
  ['an attempt id that is used already', [...UP_TO_ASSIGNED, lost('att_1')], assigned('att_1', 2), 'attempt_id_taken'],
  ['progress of a closed attempt', [requested(), prepared], progressed('att_1'), 'attempt_not_open'],
  ['repeated progress', UP_TO_PROGRESSED, progressed('att_1'), 'already_progressed'],
  ['an end without progress', UP_TO_ASSIGNED, finished('att_1'), 'not_progressed'],
  ['a repeated end', UP_TO_FINISHED, finished('att_1'), 'already_finished'],
  ['completion before the end', UP_TO_PROGRESSED, completed('att_1'), 'not_finished'],
  ['a late completion of a lost attempt', [...UP_TO_FINISHED, lost('att_1')], completed('att_1'), 'attempt_not_open'],
  [
    'a late failure of a lost attempt',
    [...UP_TO_FINISHED, lost('att_1')],
    failed('worker:w', 'att_1'),
    'attempt_not_open',
  ],
  ['a repeated loss', [...UP_TO_ASSIGNED, lost('att_1')], lost('att_1'), 'attempt_not_open'],
  [
    'a failure by the preparer after preparation',
    [requested(), prepared],
    failed('preparer:p', null),
    'already_prepared',
  ],
  ['a failure by the dispatcher during an open attempt', UP_TO_ASSIGNED, failed('dispatcher:d', null), 'attempt_open'],
  [
    'a failure by any other party without an attempt',
    [requested()],
    failed('key:k', null),
    'not_from_preparer_or_dispatcher',
  ],
];

for (const [title, given, when, reason] of illegal) {
  test(`the fold ignores ${title}`, (t) => {
    t.deepEqual(after(...given).when(when), { tag: 'ignored', reason });
    t.deepEqual(after(...inV2(given)).when(when), { tag: 'ignored', reason });
  });
}

const cancellable: readonly [RenderStatus, readonly RenderEvent[], string][] = [
  ['initializing', [requested()], 'preparation'],
  ['ready', [requested(), prepared], 'dispatch'],
  ['queued', UP_TO_ASSIGNED, 'dispatch'],
  ['queued', [...UP_TO_ASSIGNED, lost('att_1')], 'dispatch'],
  ['processing', UP_TO_PROGRESSED, 'rendering'],
  ['finalizing', UP_TO_FINISHED, 'storing'],
];

for (const [status, given, stage] of cancellable) {
  for (const by of ['key:k', 'user:u', 'operator:o']) {
    test(`version 2: ${by} cancels a render that is ${status} after ${given.length} events, finally`, (t) => {
      const step = after(...inV2(given)).when(cancelled(by));
      t.like(step, { tag: 'accepted', transition: { from: status, to: 'failed' } });
      const ended = [...inV2(given), cancelled(by)];
      const failure = { stage, code: 'cancelled', message: 'the render was cancelled', field: null };
      t.like(fold(ended), { status: 'failed', failure, charged_credits: 0, outputs: [] });
      for (const late of [prepared, assigned('att_2', 2), progressed('att_1'), completed('att_1'), cancelled(by)])
        t.deepEqual(after(...ended).when(late), { tag: 'ignored', reason: 'already_final' });
    });
  }
  test(`version 1: a render that is ${status} after ${given.length} events cannot be cancelled`, (t) => {
    t.deepEqual(after(...given).when(cancelled()), { tag: 'ignored', reason: 'not_from_preparer_or_dispatcher' });
  });
}

test('version 2: a complete render stays complete and charged', (t) => {
  t.deepEqual(after(...inV2(COMPLETE)).when(cancelled()), { tag: 'ignored', reason: 'already_final' });
});

test('version 2: only permitted parties cancel, with their own code', (t) => {
  const ignored = { tag: 'ignored', reason: 'not_from_preparer_or_dispatcher' } as const;
  const given = inV2([requested(), prepared, assigned('att_1', 1)]);
  for (const by of ['worker:w', 'relay:r', 'projector:p', '', 'keys:k'])
    t.deepEqual(after(...given).when(cancelled(by)), ignored);
  t.deepEqual(after(...given).when({ ...cancelled(), code: 'other' }), ignored);
  t.deepEqual(after(...given).when({ ...cancelled(), attempt_id: 'att_9' }), {
    tag: 'ignored',
    reason: 'attempt_not_open',
  });
});

test('a second attempt does not move the status back, and completes', (t) => {
  const second = [lost('att_1'), assigned('att_2', 2)];
  const between = fold([...UP_TO_PROGRESSED, ...second]);
  t.is(between?.status, 'processing');
  t.is(between && openAttempt(between)?.id, 'att_2');
  const whole = fold([
    ...UP_TO_PROGRESSED,
    ...second,
    progressed('att_2'),
    finished('att_2'),
    completed('att_1'),
    completed('att_2'),
  ]);
  t.is(whole?.status, 'complete');
  t.is(whole?.seq, 6);
  t.deepEqual(
    whole?.attempts.map(({ id, lost: reason }) => [id, reason]),
    [
      ['att_1', 'crashed'],
      ['att_2', null],
    ],
  );
});

test('an unknown fold version stops the fold', (t) => {
  t.deepEqual(foldStep(null, requested({ fold_version: 99 }), 1), { tag: 'unknown_version', fold_version: 99 });
});

test('a known render ignores a repeated request with an unknown fold version', (t) => {
  t.deepEqual(after(requested()).when(requested({ fold_version: 99 })), {
    tag: 'ignored',
    reason: 'already_requested',
  });
});

test('a completion charges the prepared price, whatever a worker sends', (t) => {
  t.is(fold(COMPLETE)?.charged_credits, prepared.price_credits);
});

test('the fold ignores a completion without a master', (t) => {
  const bare = { ...completed('att_1'), outputs: [] };
  t.deepEqual(after(...UP_TO_FINISHED).when(bare), { tag: 'ignored', reason: 'no_master' });
});

test('the fold ignores more outputs than any project can list', (t) => {
  const many = { ...completed('att_1'), outputs: Array.from({ length: 33 }, () => master) };
  t.deepEqual(after(...UP_TO_FINISHED).when(many), { tag: 'ignored', reason: 'too_many_outputs' });
});

test("a render's times never move back, even if the broker's clock does", (t) => {
  const times = [500, 200, 100];
  const render = foldRender(UP_TO_ASSIGNED.map((event, i) => ({ event, at: times[i] ?? 0 })));
  t.like(render, { right: { created_at: 500, updated_at: 500, status: 'queued' } });
});

test('a log that needs newer code is not folded', (t) => {
  const unknown = foldRender([
    { event: requested({ fold_version: 99 }), at: 1 },
    { event: requested(), at: 2 },
  ]);
  t.deepEqual(unknown, left({ tag: 'unknown_version' as const, fold_version: 99 }));
});

for (const fold_version of [1, 2, 3, 4]) {
  const inVersion = (events: readonly RenderEvent[]): readonly RenderEvent[] =>
    events.map((event) => (event.type === 'RenderRequested' ? { ...event, fold_version } : event));

  test(`version ${fold_version}: an ended render can be erased once, without a change of status`, (t) => {
    for (const life of [COMPLETE, [requested(), failed('preparer:p', null)]]) {
      const before = fold(inVersion(life));
      const step = foldStep(before, erased(), 900);
      if (step.tag !== 'accepted') return t.fail();
      t.is(step.transition, null);
      t.deepEqual(step.render, { ...before, name: '', erased_at: 900 } as Render);
      t.deepEqual(foldStep(step.render, erased(), 901), { tag: 'ignored', reason: 'already_erased' });
      t.deepEqual(foldStep(step.render, completed('att_1'), 902), { tag: 'ignored', reason: 'already_final' });
    }
    return undefined;
  });

  test(`version ${fold_version}: an open or unrequested render is not erased`, (t) => {
    t.deepEqual(foldStep(fold(inVersion(UP_TO_FINISHED)), erased(), 900), { tag: 'ignored', reason: 'not_final' });
    t.deepEqual(foldStep(null, erased(), 900), { tag: 'ignored', reason: 'not_requested' });
  });
}

test('version 3 is version 2 with the name outside the log', (t) => {
  const inV3 = [requested({ fold_version: 3, name: '', name_sha256: 'ab' }), ...COMPLETE.slice(1)];
  const v2 = fold(inV2(COMPLETE));
  t.deepEqual(fold(inV3), { ...v2, fold_version: 3, name: '' } as Render);
  t.like(foldStep(fold(inV3.slice(0, 3)), cancelled(), 900), { tag: 'accepted', render: { status: 'failed' } });
});

const SEAL = { tree: '01JD0000000000000000000000', leaf: 7, box: 'AQ' };

test('version 4 is version 2 with the name sealed, and keeps the key', (t) => {
  const of_v4 = { fold_version: 4, name: '', sealed: SEAL, request: SEALED_REQUEST };
  const v2 = fold([requested({ fold_version: 2 }), ...COMPLETE.slice(1)]);
  t.deepEqual(fold([requested(of_v4), ...COMPLETE.slice(1)]), {
    ...v2,
    ...of_v4,
    sealed: { tree: SEAL.tree, leaf: SEAL.leaf },
  } as Render);
});

test('an erased render keeps the key of its seal, which is to be punctured', (t) => {
  const render = fold([requested({ fold_version: 4, name: '', sealed: SEAL }), ...COMPLETE.slice(1), erased()]);
  t.like(render, { sealed: { tree: SEAL.tree, leaf: SEAL.leaf }, name: '' });
});

test('a stored request from before seals folds without a key', (t) => {
  const { sealed: _, ...older } = requested();
  t.is(fold([older as RenderEvent])?.sealed, null);
});
