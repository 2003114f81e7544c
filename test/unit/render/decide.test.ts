import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import {
  decideAppend,
  decideCancelRender,
  decideRequestRender,
  type RequestRender,
} from '../../../domain/render/decide.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { foldRender } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { renderId, renderIdTime } from '../../../domain/render/render-id.ts';
import {
  assigned,
  cancelled,
  completed,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-events.ts';
import { compositionJson, projectJson, storedJson } from '../composition/_project.ts';

const folded = (events: readonly RenderEvent[]): Render | null => {
  const render = foldRender(events.map((event, at) => ({ event, at })));
  if (E.isLeft(render)) throw new Error('a fold version that is not known');
  return render.right;
};
const given = (...events: readonly RenderEvent[]) => ({
  when: (event: RenderEvent) => decideAppend(folded(events), event, 99),
});
const COMPLETE = [requested(), prepared, assigned('a', 1), progressed('a'), finished('a'), completed('a')];

test('legal commands give their events', (t) => {
  t.deepEqual(given().when(requested()), E.right([requested()]));
  t.deepEqual(given(requested(), prepared).when(assigned('a', 1)), E.right([assigned('a', 1)]));
  t.deepEqual(given(requested(), prepared, assigned('a', 1)).when(lost('a')), E.right([lost('a')]));
});

test('a repeated command gives no event', (t) => {
  t.deepEqual(given(requested()).when(requested()), E.right([]));
  t.deepEqual(given(requested(), prepared).when(prepared), E.right([]));
  t.deepEqual(given(...COMPLETE).when(completed('a')), E.right([]));
});

test('illegal commands are refused, with the reason', (t) => {
  t.deepEqual(given().when(prepared), E.left('not_requested'));
  t.deepEqual(given(requested(), prepared, assigned('a', 1)).when(assigned('b', 2)), E.left('attempt_open'));
  t.deepEqual(given(requested(), prepared).when(failed('worker:w', 'a')), E.left('attempt_not_open'));
  t.deepEqual(given().when(requested({ fold_version: 99 })), E.left('unknown_version'));
});

const projectWith = (parts: Record<string, unknown>) => {
  const clip = storedJson('clip', 'video');
  const assets = [clip, storedJson('logo', 'image'), storedJson('other-logo', 'image')];
  const document = decodeProjectDocument(projectJson({ assets, ...parts }));
  if (E.isLeft(document)) throw new Error(JSON.stringify(document.left));
  return { id: 'proj_1', team_id: 'team_1', account_id: 'acc_1', version: 3, document: document.right };
};
const project = projectWith({});
const by = {
  actor: 'key:key_1',
  user_id: 'user_1',
  meta: { event_id: '01JD0000000000000000000000', occurred_at: 1_000, correlation_id: 'req_1' },
  render_type: 'local',
  fold_version: 2,
};
const command: RequestRender = {
  render_id: RENDER_ID,
  name: 'Spring sale',
  template_id: 'tpl_sale',
  values: {},
  draft: false,
};

test('a request pins the version, names its actor and reserves the price', (t) => {
  t.deepEqual(
    decideRequestRender(command, project, by),
    // 10 s of 1280x720: 9.216 credits, rounded up.
    E.right(requested({ template_id: 'tpl_sale', request: null, reserved_credits: 10, fold_version: 2 })),
  );
});

test('since version 3 the event does not have the name', (t) => {
  const decided = decideRequestRender(command, project, { ...by, fold_version: 3 });
  t.true(E.isRight(decided));
  if (E.isRight(decided)) t.like(decided.right, { name: '', name_sha256: null, fold_version: 3 });
});

test('the fold accepts decided events', (t) => {
  const decided = decideRequestRender({ ...command, template_id: null }, project, { ...by, user_id: null });
  t.true(E.isRight(decided));
  if (E.isRight(decided)) t.like(folded([decided.right]), { created_by: null, created_at: 0, seq: 1 });
});

test("the price is that of the template's composition", (t) => {
  const small = compositionJson({ width: 320, height: 180, duration: 1, layers: [] });
  const large = compositionJson({ id: 'comp_large', width: 1920, height: 1080, duration: 60, layers: [] });
  const template = { id: 'tpl_large', name: 'Large', target_composition_id: 'comp_large', fields: [] };
  const two = projectWith({ compositions: [small, large], variants: [], templates: [template] });
  const priceOf = (template_id: string | null) => {
    const decided = decideRequestRender({ ...command, template_id }, two, by);
    return E.isRight(decided) ? decided.right.reserved_credits : null;
  };
  t.is(priceOf(null), 1);
  t.is(priceOf('tpl_large'), 125);
});

test('a draft is marked in the event, and has the price of its size', (t) => {
  const decided = decideRequestRender({ ...command, draft: true }, project, by);
  t.true(E.isRight(decided));
  // 10 s of 640x360: 2.304 credits, rounded up.
  if (E.isRight(decided)) t.like(decided.right, { draft: true, reserved_credits: 3 });
});

const canceller = { meta: { event_id: '01JD0000000000000000000000', occurred_at: 1_000, actor: 'key:key_1' } };
const cancelling = (...events: readonly RenderEvent[]) => {
  const render = folded(events);
  if (render === null) throw new Error('nothing was accepted');
  return decideCancelRender(render, canceller, 1_000);
};

test('a render is cancelled once, at any time before its end', (t) => {
  const request = requested({ fold_version: 2 });
  const at_work = [request, prepared, assigned('a', 1)];
  t.deepEqual(cancelling(request), E.right(cancelled()));
  t.deepEqual(cancelling(...at_work), E.right({ ...cancelled(), stage: 'dispatch' }));
  t.deepEqual(cancelling(...at_work, cancelled()), E.right(null));
});

test('ended renders and those of other rules cannot be cancelled', (t) => {
  const [, ...life] = COMPLETE;
  t.deepEqual(cancelling(requested({ fold_version: 2 }), ...life), E.left('complete'));
  t.deepEqual(cancelling(requested({ fold_version: 2 }), failed('preparer:p', null)), E.left('failed'));
  t.deepEqual(cancelling(requested()), E.left('of_older_version'));
  const render = folded([requested()]);
  if (render === null) return t.fail();
  t.deepEqual(decideCancelRender({ ...render, fold_version: 99 }, canceller, 1_000), E.left('unknown_version'));
});

test('an undefined template is refused, never replaced by the project', (t) => {
  t.deepEqual(
    decideRequestRender({ ...command, template_id: 'tpl_other' }, project, by),
    E.left({ tag: 'template_unknown' }),
  );
});

test('invalid values are refused, and unknown keys are ignored', (t) => {
  const decided = decideRequestRender({ ...command, values: { size: 'big', unknown: '\u0000' } }, project, by);
  t.deepEqual(
    decided,
    E.left({ tag: 'values_refused', param: 'values.size', message: 'values.size: must be a number' }),
  );
});

test('a render id contains its time, and other ids are invalid', (t) => {
  t.is(renderIdTime(renderId('01ARYZ6S41TSV4RRFFQ69G5FAV')), 1_469_918_176_385);
  t.is(renderIdTime(renderId('0000000000TSV4RRFFQ69G5FAV')), 0);
  for (const id of [
    '',
    'rend_',
    'rend_1',
    'proj_01ARYZ6S41TSV4RRFFQ69G5FAV',
    'rend_01ARYZ6S41TSV4RRFFQ69G5FAI',
    'rend_81ARYZ6S41TSV4RRFFQ69G5FAV',
    'rend_01aryz6s41tsv4rrffq69g5fav',
  ])
    t.is(renderIdTime(id), null, id);
});
