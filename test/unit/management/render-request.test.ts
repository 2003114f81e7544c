import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { SEALED_REQUEST } from '../../../domain/render/events.ts';
import { foldStep, SEALED_SINCE } from '../../../domain/render/fold.ts';
import { getRenderRequest } from '../../../management-api/renders/details.ts';
import { RENDER_ID, requested } from '../../helpers/render-events.ts';
import { MINUTE_MS, sealWorld } from '../platform/seals/_world.ts';

test('values of a sealed request are shown while their key exists', async (t) => {
  const { seal, open, puncture, memory, clock } = sealWorld();
  const bare = requested({ fold_version: SEALED_SINCE, name: '', request: SEALED_REQUEST });
  const event = { ...bare, sealed: await seal(bare, { name: 'Ada', values: { headline: 'Hello' }, draft: true }) };
  const step = foldStep(null, event, 1);
  if (step.tag !== 'accepted') return t.fail();
  const { transition, render } = step;
  const facts = [{ verdict: 'accepted', offset: 0, appended_at: 1, fact: event, transition }];
  const deps = {
    renders: { find: async () => ({ render: { ...render, name: 'Ada' }, facts, partition: 0, ignored_count: 0 }) },
    seals: { open },
    blobs: { getPayload: () => Promise.reject(new Error('the request has no payload')) },
  };
  const ask = async () =>
    await getRenderRequest(Object.assign(Object.create(null), deps))(
      Object.assign(Object.create(null), { params: { render_id: RENDER_ID } }),
      Object.assign(Object.create(null), { team: { id: 'team_1' } }),
    );
  const answer = (values: object | null, draft: boolean) =>
    E.right({ status: 200, body: { name: 'Ada', project_id: 'proj_1', template_id: 'tpl_1', values, draft } });
  t.deepEqual(await ask(), answer({ headline: 'Hello' }, true));
  await clock.advance(MINUTE_MS + 1);
  memory.is_away = true;
  t.like(await ask(), { left: { tag: 'unavailable' } });
  memory.is_away = false;
  await puncture(event.sealed);
  t.deepEqual(await ask(), answer(null, false));
  memory.contents.clear();
  t.deepEqual(await ask(), answer(null, false));
  return undefined;
});
