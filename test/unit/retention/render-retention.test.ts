import test from 'ava';
import fc from 'fast-check';
import { isRight } from 'fp-ts/lib/Either.js';
import type { AccountRetention } from '../../../domain/catalogue/entities.ts';
import { type RenderEvent, SEALED_REQUEST } from '../../../domain/render/events.ts';
import { foldRender, SEALED_SINCE, type TimestampedEvent } from '../../../domain/render/fold.ts';
import { type RenderBlobs, renderBlobsOf } from '../../../read-models/renders/render-blobs.ts';
import {
  type AccountDeletionTimes,
  isDeletable,
  type RenderBlob,
} from '../../../retention/renders/render-retention.ts';
import { renderBlobAt } from '../../../schemas/blobs/paths.ts';
import { assigned, completed, EVERY_EVENT, failed, master, prepared, requested } from '../../helpers/render-events.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const AGES = { leftovers_ms: DAY_MS, sources_ms: 30 * DAY_MS, used_parts_ms: 60 * DAY_MS };

const ID = 'rend_01JD0000000000000000000001';
const at = (name: string, stored_at = 0): RenderBlob => {
  const path = `renders/${ID}/${name}`;
  const known = renderBlobAt(path);
  if (known?.render_id !== ID) throw new Error(`no path of ours: ${path}`);
  return { path, kind: known.kind, stored_at };
};
const REQUEST = at('request-01JD0000000000000000000000.json');
const COMPOSITION = at('composition-01JD0000000000000000000000.json');
const MEDIA = at(`media/${'a'.repeat(64)}`);
const MASTER = at('att_1/master.mp4');
const POSTER = at('att_1/poster.jpg');
const OTHERS = [
  at('request-01JD0000000000000000000001.json'),
  at('composition-01JD0000000000000000000001.json'),
  at('att_2/master.mp4'),
  at('att_1/half.mp4'),
];
const USED_PARTS = at('parts/att_1.json');
const ALL = [REQUEST, COMPOSITION, MEDIA, USED_PARTS, MASTER, POSTER, ...OTHERS];

const render = (ended_at: number | null): RenderBlobs => ({
  account_id: 'acc_1',
  ended_at,
  request: REQUEST.path,
  outputs: new Set([MASTER.path, POSTER.path]),
  composition: COMPOSITION.path,
  erased_at: null,
});
const unlimited = (retention: AccountRetention | null): AccountDeletionTimes => ({
  retention,
  outputs_until: Number.POSITIVE_INFINITY,
});
const NOTHING_SET = unlimited(null);
const going = (of: RenderBlobs | null, now: number, retention: AccountRetention | null = null): readonly RenderBlob[] =>
  ALL.filter((blob) => isDeletable(blob, of, unlimited(retention), now, AGES));

test('only payloads of an unknown render are deleted after a day', (t) => {
  t.deepEqual(going(null, DAY_MS - 1), []);
  t.deepEqual(going(null, DAY_MS), [REQUEST, ...OTHERS.slice(0, 1)]);
  t.deepEqual(
    going(null, 1_000 * DAY_MS),
    [REQUEST, ...OTHERS.slice(0, 1)],
    'a log that lost a render can be restored',
  );
});

test('an old payload of a repeated request is deleted by its own age', (t) => {
  const folded_until = 40 * DAY_MS;
  t.true(isDeletable(at('request-01JD0000000000000000000001.json', 0), null, NOTHING_SET, folded_until, AGES));
  t.false(
    isDeletable(
      at('request-01JD0000000000000000000002.json', folded_until - HOUR_MS),
      null,
      NOTHING_SET,
      folded_until,
      AGES,
    ),
  );
});

test('blobs of a running render stay at any age', (t) => {
  t.deepEqual(going(render(null), 1_000 * DAY_MS), []);
});

test('ended renders keep referenced blobs and lose leftovers and inputs by age', (t) => {
  t.deepEqual(going(render(100 * DAY_MS), 101 * DAY_MS), OTHERS);
  t.deepEqual(going(render(100 * DAY_MS), 130 * DAY_MS - 1), OTHERS);
  t.deepEqual(going(render(100 * DAY_MS), 130 * DAY_MS), [COMPOSITION, MEDIA, ...OTHERS]);
  t.deepEqual(going(render(100 * DAY_MS), 160 * DAY_MS), [COMPOSITION, MEDIA, USED_PARTS, ...OTHERS]);
});

test('recently stored blobs stay, such as those of a lost attempt', (t) => {
  t.false(isDeletable(at('att_2/master.mp4', 200 * DAY_MS), render(100 * DAY_MS), NOTHING_SET, 200 * DAY_MS, AGES));
  t.true(isDeletable(at('att_2/master.mp4', 200 * DAY_MS), render(100 * DAY_MS), NOTHING_SET, 201 * DAY_MS, AGES));
});

const set = (change: Partial<AccountRetention>): AccountRetention => ({
  ...{ kind: 'account_retention', id: 'acc_1', outputs: null, media: null, outputs_gone_until: 0, ...change },
});

test('outputs are deleted a day after their URLs end; the request stays', (t) => {
  const ended = render(100 * DAY_MS);
  t.deepEqual(going(ended, 108 * DAY_MS - 1, set({ outputs: 7 })), OTHERS);
  t.deepEqual(going(ended, 108 * DAY_MS, set({ outputs: 7 })), [MASTER, POSTER, ...OTHERS]);
  t.deepEqual(going(ended, 108 * DAY_MS, set({ outputs: 8 })), OTHERS);
  t.deepEqual(going(ended, 108 * DAY_MS, set({ outputs_gone_until: 100 * DAY_MS })), [MASTER, POSTER, ...OTHERS]);
  t.deepEqual(going(render(null), 999 * DAY_MS, set({ outputs: 1, media: 1 })), []);
});

test("inputs of a render are deleted by the account's setting", (t) => {
  const ended = render(100 * DAY_MS);
  t.deepEqual(going(ended, 102 * DAY_MS, set({ media: 2 })), [COMPOSITION, MEDIA, ...OTHERS]);
  t.deepEqual(going(ended, 140 * DAY_MS, set({ media: 50 })), OTHERS);
});

test('a broker clock a month behind does not make blobs older', (t) => {
  const now = 100 * DAY_MS;
  const ended = render(60 * DAY_MS);
  const yesterday = now - DAY_MS - HOUR_MS;
  for (const retention of [null, set({ outputs: 30, media: 30 }), set({ outputs: 30, outputs_gone_until: 1 })])
    for (const { path } of [MASTER, POSTER, COMPOSITION, MEDIA, USED_PARTS])
      t.false(
        isDeletable(at(path.slice(`renders/${ID}/`.length), yesterday), ended, unlimited(retention), now, AGES),
        path,
      );
  // Blob was restored: outputs that an earlier record deleted are deleted again.
  t.true(
    isDeletable(
      at('att_1/master.mp4', yesterday),
      ended,
      unlimited(set({ outputs_gone_until: 70 * DAY_MS })),
      now,
      AGES,
    ),
  );
});

test("outputs of renders beyond the account's limit stay", (t) => {
  const limited = (outputs_until: number) => ({ retention: set({ outputs: 7 }), outputs_until });
  const ended = render(100 * DAY_MS);
  t.false(isDeletable(MASTER, ended, limited(100 * DAY_MS - 1), 900 * DAY_MS, AGES));
  t.true(isDeletable(MASTER, ended, limited(100 * DAY_MS), 900 * DAY_MS, AGES));
});

test('nothing is deleted before the read model has a position', (t) => {
  for (const found of [null, render(null), render(0)]) t.deepEqual(going(found, Number.NEGATIVE_INFINITY), []);
});

test('a render that failed before preparation keeps no composition', (t) => {
  const folded = foldRender([requested(), failed('preparer:prep_1', null)].map((event) => ({ event, at: 0 })));
  if (!isRight(folded) || folded.right === null) return t.fail();
  const blobs = renderBlobsOf(folded.right);
  t.is(blobs.request, requested().request?.path ?? '');
  t.deepEqual(blobs.outputs, new Set());
  t.deepEqual([blobs.composition, blobs.ended_at], [null, 0]);
  t.true(isDeletable(COMPOSITION, blobs, NOTHING_SET, DAY_MS, AGES));
});

test('a sealed request refers to no blob', (t) => {
  const sealed = { tree: '01JD0000000000000000000000', leaf: 0, box: '' };
  const event = requested({ fold_version: SEALED_SINCE, request: SEALED_REQUEST, sealed });
  const folded = foldRender([{ event, at: 0 }]);
  if (!isRight(folded) || folded.right === null) return t.fail();
  t.is(renderBlobsOf(folded.right).request, null);
  return undefined;
});

/** Blobs that an event refers to. Each is stored within an hour before the event is appended. */
const referred = (event: RenderEvent): readonly string[] => {
  if (event.type === 'RenderRequested') return event.request === null ? [] : [event.request.path];
  if (event.type === 'RenderPrepared') return [event.composition.path];
  return event.type === 'RenderCompleted' ? event.outputs.map(({ path }) => path) : [];
};

/** The paths in the log: each payload has its own path, and outputs are in folders of their attempts. */
const ownPaths = (events: readonly RenderEvent[]): readonly RenderEvent[] =>
  events.map((event, n) => {
    if (event.type === 'RenderRequested')
      return { ...event, request: { path: at(`request-${n}.json`).path, sha256: 'ab' } };
    if (event.type === 'RenderPrepared')
      return { ...event, composition: { path: at(`composition-${n}.json`).path, sha256: 'cd' } };
    if (event.type !== 'RenderCompleted') return event;
    return { ...event, outputs: [{ ...master, path: at(`${event.attempt_id}/master.mp4`).path }] };
  });

const foldedAt = (log: readonly TimestampedEvent[], time: number): RenderBlobs | null => {
  const folded = foldRender(log.filter((one) => one.at <= time));
  if (!isRight(folded)) throw new Error('an unknown version');
  return folded.right === null ? null : renderBlobsOf(folded.right);
};

test('retention deletes only inputs among the blobs of a final render', (t) => {
  const life = [requested(), prepared, assigned('att_1', 1), completed('att_1')];
  const events = fc
    .array(fc.constantFrom(...EVERY_EVENT, ...life), { minLength: 1, maxLength: 25 })
    .map((some) => ownPaths([requested(), ...some]));
  const gaps_h = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 26, maxLength: 26 });
  fc.assert(
    fc.property(events, gaps_h, fc.integer({ min: -1, max: 60 * 26 }), (log, gaps, until_h) => {
      let hours = 0;
      const dated = log.map((event, n) => {
        hours += gaps[n] ?? 1;
        return { event, at: hours * HOUR_MS };
      });
      const end = foldedAt(dated, Number.POSITIVE_INFINITY);
      // The read model has at least all events before this time.
      const folded_until = until_h * HOUR_MS;
      for (const has_until of [folded_until, folded_until + 30 * HOUR_MS, Number.POSITIVE_INFINITY]) {
        const then = foldedAt(dated, has_until);
        for (const { event, at: appended_at } of dated)
          for (const path of referred(event)) {
            const kind = renderBlobAt(path)?.kind ?? 'requests';
            if (!isDeletable({ path, kind, stored_at: appended_at - HOUR_MS }, then, NOTHING_SET, folded_until, AGES))
              continue;
            t.false(end?.request === path || end?.outputs.has(path), path);
            if (end?.composition === path) t.true((end.ended_at ?? Infinity) <= folded_until - AGES.sources_ms, path);
          }
      }
    }),
  );
});

test('the list of used parts is deleted a day after the erasure', (t) => {
  const erased = { ...render(100 * DAY_MS), erased_at: 200 * DAY_MS };
  t.deepEqual(going(erased, 201 * DAY_MS - 1), []);
  t.deepEqual(going(erased, 201 * DAY_MS), [USED_PARTS]);
});
