import test from 'ava';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { MAX_IGNORED_EVENTS } from '../../../projectors/render/document.ts';
import { type Documents, foldBatch } from '../../../projectors/render/fold-batch.ts';
import { batchEntries, recordAt } from '../../helpers/batch-entries.ts';
import {
  assigned,
  cancelled,
  completed,
  failed,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-events.ts';

const NOTHING: Documents = new Map();
const of = (documents: Documents, id = RENDER_ID) => documents.get(id);

test('the first event creates the document for every query', (t) => {
  const { after, passed, stop } = foldBatch(NOTHING, batchEntries([requested()], 7));
  t.is(passed, 1);
  t.is(stop, null);
  t.like(of(after.documents), {
    partition: 2,
    offset: 7,
    open: true,
    status: 'initializing',
    project_id: 'proj_1',
    account_id: 'acc_1',
    by_project: `proj_1:0000000001007${RENDER_ID}`,
    by_project_status: `proj_1:initializing:0000000001007${RENDER_ID}`,
    by_team_status: `team_1:initializing:0000000001007${RENDER_ID}`,
    ignored_count: 0,
  });
});

test('each accepted event is published with the render after it', (t) => {
  const { after } = foldBatch(NOTHING, batchEntries([requested(), prepared, assigned('att_1', 1)]));
  t.deepEqual(
    after.status.map(({ record }) => [record.source_offset, record.fact_type, record.render.status]),
    [
      [0, 'RenderRequested', 'initializing'],
      [1, 'RenderPrepared', 'ready'],
      [2, 'RenderAssigned', 'queued'],
    ],
  );
});

test('a status record is a pure function of the event and carries its trace', (t) => {
  const event = requested();
  const headers = { traceparent: '00-1-2-01', other: 'x' };
  const record = recordAt(4, { key: Buffer.from(event.render_id), headers });
  const { after } = foldBatch(NOTHING, [{ tag: 'event', record, event: event }]);
  t.like(after.status[0], {
    headers: { traceparent: '00-1-2-01' },
    record: {
      meta: {
        event_id: `${event.meta.event_id}/accepted`,
        causation_id: event.meta.event_id,
        occurred_at: event.meta.occurred_at,
        actor: 'key:key_1',
        correlation_id: 'req_1',
      },
      appended_at: 1_004,
      transition: { seq: 1, from: null, to: 'initializing', at: 1_004 },
    },
  });
  t.deepEqual(Object.keys(after.status[0]?.headers ?? {}), ['traceparent']);
});

test('an ignored event moves the offset and is shown, not published', (t) => {
  const { after } = foldBatch(NOTHING, batchEntries([requested(), completed('att_1')]));
  t.is(after.status.length, 1);
  t.like(of(after.documents), { offset: 1, ignored_count: 1, status: 'initializing' });
  t.like(of(after.documents)?.facts[1], { verdict: 'ignored', type: 'RenderCompleted', reason: 'attempt_not_open' });
});

test('events of an unrequested render give a document without a render', (t) => {
  const { after } = foldBatch(NOTHING, batchEntries([prepared]));
  t.like(of(after.documents), { render: null, status: null, open: false, by_project: null, ignored_count: 1 });
});

test('ignored events are counted, and shown up to a limit', (t) => {
  const events = [requested(), ...Array.from({ length: MAX_IGNORED_EVENTS + 20 }, (): RenderEvent => requested())];
  const { after } = foldBatch(NOTHING, batchEntries(events));
  t.is(of(after.documents)?.facts.length, MAX_IGNORED_EVENTS + 1);
  t.is(of(after.documents)?.ignored_count, MAX_IGNORED_EVENTS + 20);
  const later = foldBatch(after.documents, batchEntries([prepared], events.length));
  t.like(of(later.after.documents)?.facts.at(-1), { verdict: 'accepted' });
});

test('quarantined records are skipped', (t) => {
  const { after, passed } = foldBatch(NOTHING, batchEntries([null, requested(), null, prepared]));
  t.is(passed, 4);
  t.like(of(after.documents), { offset: 3, status: 'ready' });
});

test('an unknown fold_version stops right before its record', (t) => {
  const { after, passed, stop } = foldBatch(NOTHING, batchEntries([requested({ fold_version: 99 }), prepared], 3));
  t.is(passed, 0);
  t.is(after.documents.size, 0);
  t.is(stop, 'render-events/2/3: unknown fold_version 99');
});

test('documents ahead of the checkpoint stop the partition', (t) => {
  const { after } = foldBatch(NOTHING, batchEntries([requested(), prepared]));
  const again = foldBatch(after.documents, batchEntries([prepared], 1));
  t.regex(again.stop ?? '', /ahead of the checkpoint/);
  t.is(again.passed, 0);
});

test('only documents that changed are written', (t) => {
  const other = requested({ render_id: 'rend_2' });
  const { after } = foldBatch(NOTHING, batchEntries([requested(), other]));
  const later = foldBatch(after.documents, batchEntries([prepared], 2));
  t.deepEqual([...later.after.documents.keys()], [RENDER_ID]);
});

test('a batch sees the changes of its own events', (t) => {
  const { after } = foldBatch(
    NOTHING,
    batchEntries([requested(), prepared, assigned('att_1', 1), progressed('att_1')]),
  );
  t.like(of(after.documents), { status: 'processing', offset: 3 });
});

test('the audit has cancellations, even late ones, and no progress events', (t) => {
  const { after } = foldBatch(
    NOTHING,
    batchEntries([
      requested({ fold_version: 2 }),
      prepared,
      cancelled('user:user_1'),
      cancelled(),
      failed('dispatcher:disp_1', null),
    ]),
  );
  t.deepEqual(
    after.audit.map(({ offset, at, actor, account_id, team_ids, refused }) => [
      ...[offset, at, actor, account_id],
      ...[team_ids, refused],
    ]),
    [
      [2, 1_002, 'user:user_1', 'acc_1', ['team_1'], null],
      [3, 1_003, 'key:key_1', 'acc_1', ['team_1'], 'already_final'],
    ],
  );
  const [of_nobody] = foldBatch(NOTHING, batchEntries([cancelled()])).after.audit;
  t.like(of_nobody, { account_id: null, team_ids: [], refused: 'not_requested' });
});

test('a request is found by its account, its team and its actor', (t) => {
  const { after } = foldBatch(NOTHING, batchEntries([requested()]));
  const listed = (after.search.get(RENDER_ID) ?? []).filter((token) => token.startsWith('['));
  t.deepEqual(
    listed.filter((token) => JSON.parse(token)[1] === 0).map((token) => JSON.parse(token).slice(2)),
    [
      ['all', null, 'any', null],
      ['all', null, 'actor', 'key:key_1'],
      ['account', 'acc_1', 'any', null],
      ['account', 'acc_1', 'actor', 'key:key_1'],
      ['team', 'team_1', 'any', null],
      ['team', 'team_1', 'actor', 'key:key_1'],
    ],
  );
});
