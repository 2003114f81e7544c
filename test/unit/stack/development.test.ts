import test from 'ava';
import { dashboardProcess, developmentFlags, developmentOf } from '../../../stack/development.ts';

const NAMES = ['query-api', 'worker'];

test('make dev restarts each process on a change and lets one be debugged', (t) => {
  const development = developmentOf({ INSPECT: 'worker' }, NAMES);
  t.deepEqual(developmentFlags(development, 'query-api'), ['--watch', '--watch-preserve-output']);
  t.deepEqual(developmentFlags(development, 'worker'), [
    '--watch',
    '--watch-preserve-output',
    '--inspect=127.0.0.1:9229',
  ]);
});

test('make start passes no flags to a process', (t) => {
  t.deepEqual(developmentFlags(undefined, 'worker'), []);
});

test('invalid settings of make dev name their variable', (t) => {
  t.throws(() => developmentOf({ INSPECT: 'workers' }, NAMES), { message: /^INSPECT: .*query-api, worker$/ });
  t.throws(() => developmentOf({ DASHBOARD_PORT: 'x' }, NAMES), { message: /^DASHBOARD_PORT/ });
  t.throws(() => developmentOf({ DASHBOARD_PORT: '70000' }, NAMES), { message: /^DASHBOARD_PORT/ });
});

test('Vite passes requests to the gateway under the public origin', (t) => {
  const { env } = dashboardProcess({
    root: '/srv',
    port: 5173,
    gateway_url: 'http://127.0.0.1:8080',
    public_url: 'http://video.localhost:8080',
    env: { PATH: '/bin' },
  });
  t.deepEqual(env, {
    PATH: '/bin',
    DASHBOARD_PORT: '5173',
    DASHBOARD_GATEWAY_URL: 'http://127.0.0.1:8080',
    DASHBOARD_PUBLIC_URL: 'http://video.localhost:8080',
  });
});
