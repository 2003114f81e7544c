import test from 'ava';
import { compareWithDocument, foldTrace, type LoggedRecord, type Trace } from '../../../cli/trace/trace.ts';
import { comparisonText, progressOrFailureText, traceTable } from '../../../cli/trace/trace-text.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { StoredEvent } from '../../../domain/render/stored-event.ts';
import type { RenderDocument } from '../../../read-models/renders/documents.ts';
import {
  assigned,
  completed,
  erased,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-events.ts';

const logged = (events: readonly RenderEvent[]): readonly LoggedRecord[] =>
  events.map((event, i) => ({ tag: 'event', partition: 2, offset: 10 * i, at: 1_000 + i, event }));

const NO_CAUSE = () => null;

const LIFE = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

const documentOf = (trace: Trace, change: Partial<RenderDocument> = {}): RenderDocument => ({
  _id: RENDER_ID,
  partition: 2,
  offset: trace.rows.at(-1)?.offset ?? 0,
  render: trace.render,
  facts: trace.rows.map((row, i): StoredEvent => {
    const { offset, appended_at } = row;
    const event = LIFE[i] ?? prepared;
    return row.verdict === 'accepted'
      ? { verdict: 'accepted', offset, appended_at, fact: event, transition: row.transition }
      : {
          verdict: 'ignored',
          offset,
          appended_at,
          type: row.type,
          event_id: row.event_id ?? '',
          actor: row.actor ?? '',
          reason: row.reason ?? '',
        };
  }),
  ignored_count: trace.rows.filter((row) => row.verdict === 'ignored').length,
  project_id: null,
  account_id: null,
  status: trace.render?.status ?? null,
  open: false,
  by_project: null,
  by_project_status: null,
  by_team_status: null,
  position: null,
  search: [],
  ...change,
});

test('the timeline of a draft says that it is a draft', (t) => {
  const textOf = (draft: boolean | null) => traceTable(foldTrace(logged([requested({ draft })])), NO_CAUSE);
  t.regex(textOf(true), /RenderRequested.*a draft/);
  for (const none of [false, null]) t.notRegex(textOf(none), /draft/);
});

test('every event has a line with place, verdict, resulting status, actor and attempt', (t) => {
  const { rows, render } = foldTrace(logged(LIFE));
  t.is(render?.status, 'complete');
  t.deepEqual(
    rows.map((row) => row.transition?.to),
    ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'],
  );
  t.like(rows[3], {
    partition: 2,
    offset: 30,
    appended_at: 1_003,
    type: 'RenderProgressed',
    verdict: 'accepted',
    status: 'processing',
    actor: 'worker:wkr_1',
    attempt_id: 'att_1',
  });
});

test('an ignored event is shown with its reason, and leaves the status', (t) => {
  const { rows } = foldTrace(
    logged([requested(), prepared, prepared, assigned('att_1', 1), lost('att_1'), completed('att_1')]),
  );
  t.like(rows[2], { verdict: 'ignored', reason: 'already_prepared', status: 'ready', transition: null });
  t.like(rows[5], { verdict: 'ignored', reason: 'attempt_not_open', status: 'queued' });
});

test('an undecodable record has a line too', (t) => {
  const poison: LoggedRecord = { tag: 'poison', partition: 2, offset: 5, at: 1_001, reason: 'no Confluent frame' };
  const { rows, render } = foldTrace([...logged([requested()]), poison]);
  t.like(rows[1], { type: '?', verdict: 'poison', reason: 'no Confluent frame', status: 'initializing' });
  t.is(render?.status, 'initializing');
});

test('an unmodified read model matches the log', (t) => {
  const trace = foldTrace(logged(LIFE));
  t.deepEqual(compareWithDocument(trace, documentOf(trace)), { tag: 'agrees' });
});

test('a read model that has not read the last event is behind, not wrong', (t) => {
  const trace = foldTrace(logged(LIFE));
  t.deepEqual(compareWithDocument(trace, documentOf(trace, { offset: 40 })), {
    tag: 'behind',
    read_to: 40,
    last_fact: 50,
  });
  t.deepEqual(compareWithDocument(trace, null), { tag: 'missing' });
});

test('a modified read model is detected', (t) => {
  const trace = foldTrace(logged(LIFE));
  const { render } = trace;
  const tampered: readonly [Partial<RenderDocument>, RegExp][] = [
    [{ render: render === null ? null : { ...render, charged_credits: 0 } }, /the state of the render differs/],
    [{ facts: documentOf(trace).facts.slice(0, -1) }, /offset 50: RenderCompleted is missing/],
    [{ ignored_count: 3 }, /3 ignored events in the read model, 0 in the log/],
    [
      { facts: documentOf(trace).facts.map((event) => ({ ...event, offset: event.offset + 1 })) },
      /the log has no event of this render there/,
    ],
  ];
  for (const [change, difference] of tampered)
    t.regex(comparisonText(compareWithDocument(trace, documentOf(trace, change))), difference);
});

test('a sealed name is compared with the read model until it is erased', (t) => {
  const sealed = { tree: '01JD0000000000000000000000', leaf: 3, box: 'AA' };
  const life = [requested({ fold_version: 4, name: '', sealed }), ...LIFE.slice(1)];
  const trace = foldTrace(logged(life));
  t.like(trace.sealed, { render_id: RENDER_ID, account_id: 'acc_1', sealed });
  const compared = (name: string | null, sealed_name: string | null) =>
    compareWithDocument(trace, documentOf(trace, { name, name_salt: null }), sealed_name).tag;
  t.is(compared('Ada', 'Ada'), 'agrees');
  t.is(compared('Grace', 'Ada'), 'differs');
  const not_compared: readonly (readonly [string | null, string | null])[] = [
    ['Ada', null],
    ['', 'Ada'],
    [null, 'Ada'],
  ];
  for (const [name, sealed_name] of not_compared) t.is(compared(name, sealed_name), 'agrees');
  t.is(foldTrace(logged([...life, erased('operator:ops')])).sealed, null);
});

test('an ignored event that a document no longer has is no difference', (t) => {
  const trace = foldTrace(logged([requested(), failed('key:key_1', null)]));
  t.deepEqual(compareWithDocument(trace, documentOf(trace, { facts: documentOf(trace).facts.slice(0, 1) })), {
    tag: 'agrees',
  });
});

test('a trace table has a line with verdict and status for each event', (t) => {
  const lines = traceTable(foldTrace(logged([requested(), requested()])), NO_CAUSE).split('\n');
  t.regex(lines[0] ?? '', /^position +appended +event +verdict +status +actor +attempt +cause +details$/);
  t.regex(
    lines[1] ?? '',
    /^2\/0 +1970-01-01T00:00:01\.000Z +RenderRequested +accepted +-> initializing +key:key_1 +- +- +-$/,
  );
  t.regex(lines[2] ?? '', /^2\/10 .* ignored: already_requested +initializing/);
});

test("each line shows the event's data: size, frames, cause of a lost attempt", (t) => {
  const trace = foldTrace(logged([...LIFE.slice(0, 4), lost('att_1'), assigned('att_2', 2), finished('att_2')]));
  t.deepEqual(
    trace.rows.map(({ detail }) => detail),
    [
      null,
      '1280x720, 300 frames, 10 credits',
      'attempt 1, wkr_1',
      '10 of 300 frames',
      'crashed',
      'attempt 2, wkr_1',
      '300 frames in 4.0 s, 120 cached',
    ],
  );
  t.is(foldTrace(logged(LIFE)).rows.at(-1)?.detail, 'master');
});

test('the reason of a failure is in its table line and below it', (t) => {
  const trace = foldTrace(logged([requested(), failed('preparer:prep_1', null)]));
  t.regex(
    traceTable(trace, NO_CAUSE),
    /-> failed +preparer:prep_1 +- +- +rendering, font_unknown: layers\[2\]\.font_family: there is/,
  );
  t.is(
    progressOrFailureText(trace, null),
    'It failed in rendering: layers[2].font_family: there is no such font (font_unknown)',
  );
});

test('the progress of a render appears as soon as it is known', (t) => {
  const trace = foldTrace(logged(LIFE.slice(0, 4)));
  t.is(progressOrFailureText(trace, 0.421), 'Processing: 42 % is done.');
  t.is(progressOrFailureText(trace, null), null);
  t.is(progressOrFailureText(foldTrace(logged(LIFE)), null), null);
});
