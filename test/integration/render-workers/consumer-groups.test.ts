import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { isLeft } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { EVENT_LOG } from '../../../platform/configuration/parts.ts';
import { kafkaClient } from '../../../platform/event-log/kafka-client.ts';
import { openSockets } from '../../../platform/event-log/sockets.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { openStackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

const ROUNDS = 2;
const HEARTBEATS = 'worker-heartbeats';

const groupsOf = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const decoded = decodeConfiguration(env, { log: EVENT_LOG });
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { log: settings } = decoded.right;
  const sockets = openSockets();
  const admin = kafkaClient(settings, 'groups', createLogger('test', 'silent'), sockets).admin();
  await admin.connect();
  try {
    const { groups } = await admin.listGroups();
    return groups.flatMap(({ groupId }) => (groupId.startsWith(settings.topic_prefix) ? [groupId] : [])).toSorted();
  } finally {
    await admin.disconnect();
    sockets.destroyAll();
  }
};

test('killed and restarted workers and dispatchers leave no consumer group', async (t) => {
  t.timeout(400_000);
  const folder = await mkdtemp(join(tmpdir(), 'groups '));
  const stack = await startTestStack({ dataDir: folder, components: ['projectors', 'dispatcher', 'worker'] });
  const clients = await openStackClients(stack.env);
  t.teardown(async () => {
    await clients.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const working = new Set<string>();
  const { log, decode } = clients.records;
  const ends = new Map((await log.bounds(HEARTBEATS)).map(({ partition, end }) => [partition, end]));
  const heartbeats = await log.follow({
    group: 'test',
    topics: [HEARTBEATS],
    position: async (_topic, partition) => ends.get(partition) ?? 0,
    on_batch: async ({ records }) => {
      for (const { value } of records) {
        const decoded = await decode(value);
        if (decoded.tag !== 'record') continue;
        if (decoded.record.type === 'WorkerBeat') working.add(decoded.record.worker_id);
        if (decoded.record.type === 'DispatcherBeat') working.add(decoded.record.dispatcher_id);
      }
    },
  });
  const bothWork = async () => {
    working.clear();
    await pollUntil('a worker and a dispatcher work', async () => working.size === 2);
  };
  await bothWork();
  const before = await groupsOf(stack.env);
  t.true(before.some((group) => group.endsWith('dispatcher')));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of ['worker', 'dispatcher']) stack.component(name).kill('SIGKILL');
    working.clear();
    for (const name of ['worker', 'dispatcher']) await stack.component(name).untilReady();
    await bothWork();
  }
  t.deepEqual(await groupsOf(stack.env), before);
  t.deepEqual(
    before.filter((group) => /[0-9A-HJKMNP-TV-Z]{26}/.test(group)),
    [],
  );
  await heartbeats.stop();
});
