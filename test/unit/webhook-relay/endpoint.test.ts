import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeEndpoint, type EndpointSettings } from '../../../webhook-relay/endpoint.ts';
import { EVENT_KINDS } from '../../../webhook-relay/event-kinds.ts';

const settings = (change: Partial<EndpointSettings>): EndpointSettings => ({
  url: 'https://example.org/hooks',
  secret: 'whsec_1',
  events: EVENT_KINDS,
  allow_private: false,
  ...change,
});

test('no address means no endpoint', (t) => {
  t.deepEqual(decodeEndpoint(settings({ url: undefined })), E.right(null));
});

test('an endpoint gets the events that it names', (t) => {
  const decoded = decodeEndpoint(settings({ events: ['render.failed', 'render.complete'] }));
  t.deepEqual(E.isRight(decoded) ? decoded.right?.events : null, ['render.failed', 'render.complete']);
});

for (const url of ['http://example.org/hooks', 'ftp://example.org', 'http://127.0.0.1:9000/']) {
  test(`${url} is refused`, (t) => {
    const decoded = decodeEndpoint(settings({ url }));
    t.regex(E.isLeft(decoded) ? (decoded.left[0] ?? '') : '', /must begin with https/);
  });
}

test('http on loopback is allowed where it is asked for, and only there', (t) => {
  const loopback = { url: 'http://127.0.0.1:9000/', allow_private: true };
  t.true(E.isRight(decodeEndpoint(settings(loopback))));
  t.true(E.isLeft(decodeEndpoint(settings({ ...loopback, url: 'http://10.0.0.1/' }))));
});

test('every fault is told at once', (t) => {
  const decoded = decodeEndpoint(settings({ url: 'hooks', secret: '', events: ['render.done'] }));
  t.deepEqual(E.isLeft(decoded) ? decoded.left.map((fault) => fault.split(':')[0]) : [], [
    'WEBHOOK_ENDPOINT_URL',
    'WEBHOOK_ENDPOINT_SECRET',
    'WEBHOOK_ENDPOINT_EVENTS',
  ]);
});

test('an address with a password in it is refused without showing it', (t) => {
  const decoded = decodeEndpoint(settings({ url: 'https://me:hunter2@example.org/' }));
  t.true(E.isLeft(decoded));
  t.notRegex(JSON.stringify(decoded), /hunter2/);
});
