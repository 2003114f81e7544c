import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { pollUntil } from '../../stack/testing/until.ts';
import { SMALL_FILM, startLoad } from '../e2e/_load.ts';
import { importFilm, openService } from '../e2e/_service.ts';
import { type BrokerId, startThreeBrokers } from './_three-brokers.ts';

// `make test-brokers`: the whole service over three brokers, while each is killed and partitions move.
const TOPICS = ['render-events', 'render-status'] as const;
const PARTITIONS = 6;
const BROKERS: readonly BrokerId[] = [1, 2, 3];
const DOWN_MS = 10_000;

test('renders continue while brokers die, leaders move and a partition has no leader', async (t) => {
  t.timeout(15 * 60_000);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'three brokers '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const brokers = await startThreeBrokers(folder);
  t.teardown(brokers.stop);
  const service = await openService(brokers.env, { own_servers: ['kafka'] });
  t.teardown(service.close);
  const load = startLoad(service, {
    project_id: await importFilm(service, 'film', SMALL_FILM),
    ...{ say, between_ms: 500, acknowledged_within_ms: 60_000, stands_still_after_ms: 120_000 },
  });
  const during = async (what: string, fault: () => Promise<void>): Promise<void> => {
    const before = load.posted();
    const began = Date.now();
    await Promise.race([fault(), load.broken]);
    say(`${what}: ${Date.now() - began} ms, ${load.posted() - before} renders posted`);
  };

  await during('nothing', () => pause(DOWN_MS));
  for (const id of BROKERS)
    await during(`broker ${id} is killed`, async () => {
      await brokers.kill(id, 'SIGKILL');
      await pause(DOWN_MS);
      await brokers.start(id);
    });
  for (const id of BROKERS)
    await during(`broker ${id} is frozen`, async () => {
      await brokers.kill(id, 'SIGSTOP');
      await pause(DOWN_MS);
      await brokers.kill(id, 'SIGCONT');
    });
  await during('every leader moves', async () => {
    for (const topic of TOPICS)
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        const leader = await pollUntil('the partition has a leader', async () => {
          const its = await brokers.leader(topic, partition);
          return its > 0 && its;
        });
        const others = BROKERS.filter((id) => id !== leader);
        await brokers.move(topic, partition, others);
        await brokers.move(topic, partition, [...others, ...BROKERS.filter((id) => id === leader)]);
      }
  });
  await during('a partition has no leader', async () => {
    await brokers.move('render-events', 0, [3]);
    await brokers.move('render-status', 1, [3]);
    await brokers.kill(3, 'SIGTERM');
    await pause(2 * DOWN_MS);
    await brokers.start(3);
    for (const [topic, partition] of [['render-events', 0] as const, ['render-status', 1] as const])
      await pollUntil(`${topic}/${partition} has a leader`, async () => (await brokers.leader(topic, partition)) === 3);
    await brokers.move('render-events', 0, [3, 1, 2]);
    await brokers.move('render-status', 1, [3, 1, 2]);
  });
  const { renders, render_ms, post_ms } = await load.settle(t);
  say(`${renders} renders complete, each within ${render_ms} ms, and acknowledged within ${post_ms} ms`);
});
