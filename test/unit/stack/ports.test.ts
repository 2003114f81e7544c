import { createServer } from 'node:net';
import test from 'ava';
import { decodePort, freePort, portFault, portMessage } from '../../../stack/process/ports.ts';
import { fixedPorts, takenPort } from '../../../stack/stack-ports.ts';

test('a free port is below those that the system gives to outgoing connections', async (t) => {
  const port = await freePort();
  t.true(port >= 15_000 && port < 31_000);
  t.is(await portFault(port), null);
});

test('a taken port gives one line that names it and the variable that changes it', async (t) => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  t.is(
    await takenPort({ gateway: port, kafka: 0, registry: 0, store: 0, blob: 0 }, {}),
    `Port ${port} (the service) is taken by another program: choose another one with PORT=…`,
  );
});

test('a port of the system that is refused says so', (t) => {
  t.is(
    portMessage({ port: 80, server: 'the service', variable: 'PORT' }, 'EACCES'),
    'Port 80 (the service) cannot be used (EACCES): choose another one with PORT=…',
  );
});

test('variables change the ports', (t) => {
  t.deepEqual(fixedPorts({ PORT: '80', KAFKA_PORT: '19092' }), {
    ports: { gateway: 80, kafka: 19092, registry: 8085, store: 27017, blob: 10000 },
  });
});

test('one port for two servers is refused with both variables', (t) => {
  t.deepEqual(fixedPorts({ PORT: '9092' }), { fault: 'KAFKA_PORT and PORT are both 9092: they must differ' });
});

for (const text of ['0', '65536', '-1', '80a', '1e3', ' ']) {
  test(`${JSON.stringify(text)} is no port`, (t) => {
    t.deepEqual(decodePort('PORT', text, 8080), {
      fault: `PORT must be a port from 1 to 65535, not ${JSON.stringify(text)}`,
    });
  });
}
