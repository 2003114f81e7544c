import test from 'ava';
import type { CatalogueEvent } from '../../../../domain/catalogue/events.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { get, startWorld, type World } from '../_world.ts';
import { appendCatalogue, keyFor, teamCreated } from './_lists.ts';

let starting: Promise<World> | undefined;

/**
 * One world for the suites of lists.test.ts, each with its own teams, projects and keys. It has its own store, because
 * lists of ten thousand renders occupy it for seconds.
 */
export const sharedWorld = (): Promise<World> => {
  starting ??= startWorld({ own_servers: ['store'] });
  return starting;
};

test.after.always(async (t) => {
  t.timeout(180_000);
  await (await starting)?.stop();
});

/** The world with a key that reaches team_1 and another team, once the events are folded. */
export const inTeam = async (world: World, team_id: string, events: readonly CatalogueEvent[]): Promise<World> => {
  const { key, event } = keyFor(`key_of_${team_id}`, ['team_1', team_id]);
  await appendCatalogue(world, [teamCreated(team_id), ...events, event]);
  await pollUntil(
    `the key of ${team_id} is folded`,
    async () => (await get(world, `teams/${team_id}`, key)).status === 200,
  );
  return { ...world, keys: { ...world.keys, ours: key } };
};
