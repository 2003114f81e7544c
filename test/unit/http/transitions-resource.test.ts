import test from 'ava';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { foldStep } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import type { StoredEvent } from '../../../domain/render/stored-event.ts';
import type { LiveProgressDocument } from '../../../read-models/renders/documents.ts';
import { transitionsResource } from '../../../schemas/http/public/transitions-resource.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-events.ts';

type Folded = { readonly render: Render | null; readonly stored: readonly StoredEvent[] };

const documentOf = (events: readonly RenderEvent[]): Folded =>
  events.reduce<Folded>(
    ({ render, stored }, event, offset) => {
      const appended_at = 100 + offset;
      const step = foldStep(render, event, appended_at);
      if (step.tag === 'accepted')
        return {
          render: step.render,
          stored: [...stored, { verdict: 'accepted', offset, appended_at, fact: event, transition: step.transition }],
        };
      const { type, meta } = event;
      const { event_id, actor } = meta;
      const reason = step.tag;
      return {
        render,
        stored: [...stored, { verdict: 'ignored', offset, appended_at, type, event_id, actor, reason }],
      };
    },
    { render: null, stored: [] },
  );

const transitions = (events: readonly RenderEvent[], live: LiveProgressDocument | null = null) => {
  const { render, stored } = documentOf(events);
  return render === null ? [] : transitionsResource(render, stored, live).data;
};

const liveOf = (attempt_id: string, frames_done: number): LiveProgressDocument => ({
  _id: RENDER_ID,
  attempt_id,
  frames_done,
  frames_total: 300,
  stage: 'rendering',
  at: new Date(0),
});

const PROCESSING = [requested(), prepared, assigned('a', 1), progressed('a')];
const COMPLETE = [...PROCESSING, finished('a'), completed('a')];

test('a complete render has six transitions, with the attempt where one exists', (t) => {
  t.deepEqual(transitions(COMPLETE), [
    { seq: 1, status: 'initializing', at: 100, attempt: null },
    { seq: 2, status: 'ready', at: 101, attempt: null },
    { seq: 3, status: 'queued', at: 102, attempt: 1 },
    { seq: 4, status: 'processing', at: 103, attempt: 1 },
    { seq: 5, status: 'finalizing', at: 104, attempt: 1 },
    { seq: 6, status: 'complete', at: 105, attempt: 1 },
  ]);
});

test('ignored events, and accepted ones without a new status, are no transitions', (t) => {
  const seqs = transitions([...PROCESSING, progressed('a'), lost('a'), assigned('b', 2)]).map(({ seq }) => seq);
  t.deepEqual(seqs, [1, 2, 3, 4]);
});

test('during processing the progress is that of the last heartbeat', (t) => {
  t.is(transitions(PROCESSING, liveOf('a', 150)).at(-1)?.progress, 0.5);
  t.is(transitions(PROCESSING, liveOf('a', 999)).at(-1)?.progress, 1);
  t.deepEqual(
    transitions(PROCESSING, liveOf('a', 150)).flatMap(({ progress }) => (progress === undefined ? [] : [progress])),
    [0.5],
  );
});

test('before the first heartbeat, the progress is that of the first report', (t) => {
  t.is(transitions(PROCESSING).at(-1)?.progress, 10 / 300);
});

test('a heartbeat of another attempt does not count', (t) => {
  const second = [...PROCESSING, lost('a'), assigned('b', 2)];
  t.is(transitions(second, liveOf('a', 150)).at(-1)?.progress, 0);
  t.is(transitions([...second, progressed('b')], liveOf('b', 30)).at(-1)?.progress, 0.1);
});

test('a finished render has no progress, whatever the collection contains', (t) => {
  t.true(transitions(COMPLETE, liveOf('a', 300)).every((transition) => !('progress' in transition)));
});

test('a failed render names its stage and reason', (t) => {
  const last = transitions([...PROCESSING, failed('worker:w', 'a')]).at(-1);
  const { stage, code, message } = failed('worker:w', 'a');
  t.deepEqual(last, {
    seq: 5,
    status: 'failed',
    at: 104,
    attempt: 1,
    failure: { stage, code, message, field: 'layers[2].font_family' },
  });
  const nameless = transitions([requested(), { ...failed('preparer:p', null), field: null }]).at(-1);
  t.is(nameless?.attempt, null);
  t.deepEqual(nameless?.failure, { stage, code, message });
});
