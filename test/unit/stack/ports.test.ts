import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { COMPONENTS, instancesOf } from '../../../stack/components.ts';
import { startStack } from '../../../stack/launcher.ts';
import { decodePort, freePort, portFault, portMessage, reservePort } from '../../../stack/process/ports.ts';
import { fixedPorts, healthPort, portFaults } from '../../../stack/stack-ports.ts';
import { freeStackPorts } from '../../helpers/free-ports.ts';

test('a free port is below the range of outgoing connections', async (t) => {
  const port = await freePort();
  t.true(port >= 15_000 && port < 31_000);
  t.is(await portFault(port), null);
});

test('a port that another process chose is not reused until that process ends', async (t) => {
  const choose = `
    const { freePort } = await import(${JSON.stringify(new URL('../../../stack/process/ports.ts', import.meta.url).href)});
    process.stdout.write(String(await freePort()));
    process.stdin.resume();`;
  const other = execa('node', ['--input-type=module', '--eval', choose], { stdin: 'pipe', buffer: false });
  t.teardown(() => other.kill('SIGKILL'));
  const [chosen] = await once(other.stdout, 'data');
  const port = Number(String(chosen));
  t.is(await portFault(port), null, 'no server listens on it');
  t.false(await reservePort(port));
  other.kill('SIGKILL');
  await t.throwsAsync(other);
  t.true(await reservePort(port));
});

test('all ports that a process chooses differ', async (t) => {
  const ports = await Promise.all(Array.from({ length: 300 }, () => freePort()));
  t.is(new Set(ports).size, 300);
});

const PROCESSES = instancesOf(undefined, 2).map(({ name }) => name);

test('all taken ports are reported together, each with its variable', async (t) => {
  const ports = await freeStackPorts(PROCESSES);
  t.deepEqual(await portFaults(ports, {}, PROCESSES), []);
  const health = healthPort(ports.first_health, 'worker-2');
  const health_of_gateway = healthPort(ports.first_health, 'gateway');
  for (const port of [ports.gateway, ports.blob, health, health_of_gateway]) {
    const server = createServer().listen(port, '127.0.0.1');
    t.teardown(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
  }
  const taken = 'is in use by another program. Choose another port with';
  t.deepEqual(await portFaults(ports, {}, PROCESSES), [
    `Port ${ports.gateway} (the service) ${taken} PORT=…`,
    `Port ${ports.blob} (the blob store) ${taken} BLOB_PORT=…`,
    `Ports for health and metrics are in use: ${health}, ${health_of_gateway}. Choose other ports with FIRST_HEALTH_PORT=…, the first port`,
  ]);
  const elsewhere = { AZURE_STORAGE_CONNECTION_STRING: 'x' };
  t.is((await portFaults(ports, elsewhere, ['projectors'])).length, 1, "only ports of this stack's servers");
});

test('a start reports all taken ports and starts nothing', async (t) => {
  const ports = await freeStackPorts(PROCESSES);
  const server = createServer().listen(ports.kafka, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const dataDir = mkdtempSync(join(tmpdir(), 'ports '));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const starting = startStack({ dataDir, ports: { ...ports, store: ports.kafka } });
  await t.throwsAsync(starting, {
    message: /^MONGODB_PORT and KAFKA_PORT both use port \d+ \(Kafka, the store\)$/,
  });
  const message = new RegExp(`^Port ${ports.kafka} \\(Kafka\\) is in use by another program\\. .* KAFKA_PORT=…$`);
  await t.throwsAsync(startStack({ dataDir, ports }), { message });
  t.false(existsSync(join(dataDir, 'kafka')));
});

test('health ports are stable for any number of workers', (t) => {
  const ports = instancesOf(undefined, 3).map(({ name }) => healthPort(8090, name));
  t.is(new Set(ports).size, COMPONENTS.length + 2);
  t.deepEqual(
    ['projectors', 'gateway', 'worker', 'worker-2', 'worker-3'].map((name) => healthPort(8090, name)),
    [8090, 8096, 8100, 8101, 8102],
  );
});

test('a refused privileged port is reported as such', (t) => {
  t.is(
    portMessage({ port: 80, server: 'the service', variable: 'PORT' }, 'EACCES'),
    'Port 80 (the service) cannot be used (EACCES). Choose another port with PORT=…',
  );
});

test('variables change the ports', (t) => {
  t.deepEqual(fixedPorts({ PORT: '80', KAFKA_PORT: '19092', FIRST_HEALTH_PORT: '9100' }), {
    ports: { gateway: 80, kafka: 19092, registry: 8085, store: 27017, blob: 10000, provider: 8086, first_health: 9100 },
  });
});

test('all invalid ports are reported together', (t) => {
  t.deepEqual(fixedPorts({ PORT: 'http', BLOB_PORT: '0' }), {
    faults: ['PORT must be a port from 1 to 65535, not "http"', 'BLOB_PORT must be a port from 1 to 65535, not "0"'],
  });
});

test('a duplicate port is refused with both variables or with its process', async (t) => {
  const ports = { gateway: 9092, kafka: 9092, registry: 1, store: 2, blob: 3, provider: 7, first_health: 4 };
  t.deepEqual(await portFaults(ports, {}, []), ['KAFKA_PORT and PORT both use port 9092 (the service, Kafka)']);
  t.deepEqual(await portFaults({ ...ports, kafka: 14 }, {}, ['worker']), [
    'FIRST_HEALTH_PORT and KAFKA_PORT both use port 14 (Kafka, health and metrics of worker)',
  ]);
  t.deepEqual(await portFaults({ ...ports, kafka: 5, first_health: 65_530 }, {}, ['projectors', 'gateway']), [
    'FIRST_HEALTH_PORT is too high: no port remains for health and metrics of gateway',
  ]);
});

for (const text of ['0', '65536', '-1', '80a', '1e3', ' ']) {
  test(`${JSON.stringify(text)} is an invalid port`, (t) => {
    t.deepEqual(decodePort('PORT', text, 8080), {
      fault: `PORT must be a port from 1 to 65535, not ${JSON.stringify(text)}`,
    });
  });
}
