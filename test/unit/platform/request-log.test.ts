import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { createHealthServer } from '../../../platform/http-server/health.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';

type Line = { readonly level: string; readonly msg: string; readonly missing?: unknown };

const served = async (t: ExecutionContext) => {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const readiness = createReadiness();
  const server = createHealthServer({ name: 'test', logger, metrics: createMetrics('test'), readiness });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(() => server.close());
  const ask = async (path: string): Promise<number> => {
    const answer = await fetch(`${server.url}${path}`, { headers: { Connection: 'close' } });
    await answer.arrayBuffer();
    return answer.status;
  };
  return { ask, readiness, text: () => lines.join(''), lines: (): Line[] => lines.map((line) => JSON.parse(line)) };
};

test('readiness is logged when it changes, not at each probe', async (t) => {
  const { ask, readiness, lines } = await served(t);
  readiness.set('kafka', 'no broker answers');
  t.deepEqual([await ask('/health/ready'), await ask('/health/ready')], [503, 503]);
  readiness.set('kafka', null);
  t.deepEqual([await ask('/health/ready'), await ask('/health/ready')], [200, 200]);
  readiness.set('mongodb', 'away');
  t.is(await ask('/health/ready'), 503);
  t.deepEqual(
    lines().map(({ level, msg, missing }) => [level, msg, missing]),
    [
      ['info', 'not ready', { kafka: 'no broker answers' }],
      ['info', 'ready', undefined],
      ['warn', 'not ready', { mongodb: 'away' }],
    ],
  );
});

test('client text in an address is not logged', async (t) => {
  const { ask, lines, text } = await served(t);
  t.is(await ask('/v1/users/ana@example.org?search=ana%40example.org'), 404);
  t.deepEqual(
    lines().map(({ level, msg }) => [level, msg]),
    [['info', 'request']],
  );
  t.notRegex(text(), /ana|example\.org/);
});
