import { setImmediate as scheduled } from 'node:timers/promises';
import test from 'ava';
import type { WebhookEndpoint } from '../../../domain/webhooks/endpoint.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { CatalogueState } from '../../../read-models/catalogue/endpoints.ts';
import { endpointDirectory } from '../../../webhook-relay/plan/endpoint-directory.ts';
import { endpoint } from './_plan.ts';

const NEVER = new AbortController().signal;

const catalogue = (end: number, state: CatalogueState | null) => {
  const model = {
    end,
    state,
    endpoints: [endpoint()] as readonly WebhookEndpoint[],
    reads: 0,
    is_away: false,
  };
  const read = (isWanted: (one: WebhookEndpoint) => boolean) => {
    if (model.is_away) throw new Error('the store is away');
    model.reads += 1;
    return model.endpoints.filter(isWanted);
  };
  const directory = endpointDirectory({
    endpoints: {
      state: async () => {
        if (model.is_away) throw new Error('the store is away');
        return model.state;
      },
      ofTeams: async (_generation, ids) => read(({ team_id }) => ids.includes(team_id)),
      byIds: async (_generation, ids) => read(({ id }) => ids.includes(id)),
    },
    end: async () => model.end,
    warn: () => undefined,
    clock: SYSTEM_CLOCK,
    waiting: () => undefined,
  });
  return { model, directory };
};

test('endpoints are read once until the catalogue changes', async (t) => {
  const { model, directory } = catalogue(5, { generation: 1, next: 5 });
  for (let i = 0; i < 3; i += 1) {
    const found = await directory.ofTeams(['team_1', 'team_2'], NEVER);
    t.deepEqual([found.get('team_1')?.map(({ id }) => id), found.get('team_2')], [['whe_1'], []]);
  }
  t.is(model.reads, 1);
  Object.assign(model, { end: 6, state: { generation: 1, next: 6 }, endpoints: [] });
  t.deepEqual((await directory.ofTeams(['team_1'], NEVER)).get('team_1'), []);
  t.is(model.reads, 2);
});

test('endpoints include every event appended before the call', async (t) => {
  const { model, directory } = catalogue(6, { generation: 1, next: 5 });
  model.endpoints = [];
  let is_answered = false;
  const answer = directory.ofTeams(['team_1'], NEVER).then((found) => {
    is_answered = true;
    return found;
  });
  for (let i = 0; i < 20; i += 1) await scheduled();
  t.false(is_answered);
  Object.assign(model, { state: { generation: 1, next: 6 }, endpoints: [endpoint()] });
  t.is((await answer).get('team_1')?.length, 1);
});

test('the wait for the projector ends when the partition is revoked', async (t) => {
  const { directory } = catalogue(6, null);
  const stop = new AbortController();
  const answer = directory.ofTeams(['team_1'], stop.signal);
  stop.abort();
  await t.throwsAsync(answer);
});

test('a read model behind the start of the relay is ignored', async (t) => {
  const { directory } = catalogue(5, { generation: 1, next: 2 });
  await t.throwsAsync(directory.endpoint('whe_1'), { name: 'NotFolded' });
});

test('a rebuilt read model is ignored until it reaches the former position', async (t) => {
  const { model, directory } = catalogue(5, { generation: 1, next: 5 });
  await directory.ofTeams(['team_1'], NEVER);
  Object.assign(model, { end: 6, state: { generation: 2, next: 3 }, endpoints: [] });
  const answer = directory.ofTeams(['team_1'], NEVER);
  for (let i = 0; i < 20; i += 1) await scheduled();
  Object.assign(model, { state: { generation: 2, next: 6 }, endpoints: [endpoint({ id: 'whe_2' })] });
  t.deepEqual(
    (await answer).get('team_1')?.map(({ id }) => id),
    ['whe_2'],
  );
});

test('a known endpoint stays available while the store is unavailable', async (t) => {
  const { model, directory } = catalogue(5, { generation: 1, next: 5 });
  t.is(await directory.endpoint('whe_2'), null);
  t.is((await directory.endpoint('whe_1'))?.id, 'whe_1');
  model.is_away = true;
  t.is((await directory.endpoint('whe_1'))?.id, 'whe_1');
});

test('a restored store that is being folded does not count as empty', async (t) => {
  const { model, directory } = catalogue(5, { generation: 1, next: 5 });
  await directory.ofTeams(['team_1'], NEVER);
  Object.assign(model, { state: { generation: 1, next: 2 }, endpoints: [] });
  const answer = directory.ofTeams(['team_2'], NEVER);
  for (let i = 0; i < 20; i += 1) await scheduled();
  Object.assign(model, { state: { generation: 1, next: 5 }, endpoints: [endpoint({ team_id: 'team_2' })] });
  t.is((await answer).get('team_2')?.length, 1);
});
