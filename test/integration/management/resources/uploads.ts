import test from 'ava';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

const BYTES = Buffer.from('not quite a picture');
const FILE = { name: 'logo.png', content_type: 'image/png', size_bytes: BYTES.length };

const uploads = () => `/teams/${world.team_id}/uploads`;

const shown = ({ body }: { readonly body: object }) => Object(body);

test('a member uploads a file in blocks from a page, and resumes it', async (t) => {
  const key = { 'Idempotency-Key': 'logo-of-mia' };
  const offered = await ask(world, world.as.mia, 'POST', uploads(), FILE, key);
  t.like(offered, { status: 201, body: { status: 'open', team_id: world.team_id, kind: 'image' } });
  const { id, upload_url } = shown(offered);
  const asked = { Origin: world.origin, 'Access-Control-Request-Method': 'PUT' };
  const preflight = await fetch(upload_url, { method: 'OPTIONS', headers: asked });
  t.is(preflight.status, 200, 'the account lets pages write');
  const block = Buffer.from('00000').toString('base64');
  const put = await fetch(`${upload_url}&comp=block&blockid=${encodeURIComponent(block)}`, {
    ...{ method: 'PUT', body: new Uint8Array(BYTES), headers: { Origin: world.origin } },
  });
  t.is(put.status, 201);
  t.truthy(put.headers.get('access-control-allow-origin'));
  const path = `${uploads()}/${id}`;
  const blocks = [{ id: block, size_bytes: BYTES.length }];
  t.like(await ask(world, world.as.mia, 'GET', path), { status: 200, body: { status: 'open', blocks } });
  t.like(await ask(world, world.as.mia, 'POST', `${path}/complete`), { status: 409 });
  const again = await ask(world, world.as.mia, 'POST', uploads(), FILE, key);
  t.like(again, { status: 200, body: { id } });
  t.is((await ask(world, world.as.mia, 'POST', uploads(), { ...FILE, size_bytes: 3 }, key)).status, 422);
  const other = await ask(world, world.as.ada, 'POST', uploads(), FILE, key);
  t.is(other.status, 201, 'keys belong to a person');
  t.not(shown(other).id, id);
  const list = `<BlockList><Latest>${block}</Latest></BlockList>`;
  t.is((await fetch(`${upload_url}&comp=blocklist`, { method: 'PUT', body: list })).status, 201);
  t.like(await ask(world, world.as.mia, 'POST', `${path}/complete`), { status: 202, body: { status: 'inspecting' } });
});

test('faults of an upload name the member', async (t) => {
  const text = await ask(world, world.as.mia, 'POST', uploads(), { ...FILE, content_type: 'text/html' });
  t.like(text, { status: 400, body: { param: 'content_type' } });
  t.like(await ask(world, world.as.mia, 'GET', `${uploads()}/upload_none`), { status: 404 });
});

test('a member fetches a file by its URL, and a repeat finds it', async (t) => {
  const fetches = `${uploads()}/fetch`;
  const wanted = { url: 'https://192.0.2.1/logo.png?token=secret', kind: 'image' };
  const key = { 'Idempotency-Key': 'fetch-of-mia' };
  const begun = await ask(world, world.as.mia, 'POST', fetches, wanted, key);
  t.like(begun, { status: 202, body: { status: 'fetching', kind: 'image', name: 'logo.png', team_id: world.team_id } });
  t.false(JSON.stringify(begun.body).includes('secret'), 'URLs can be secret');
  const { id } = shown(begun);
  t.like(await ask(world, world.as.mia, 'POST', fetches, wanted, key), { body: { id } });
  t.is((await ask(world, world.as.mia, 'POST', fetches, { ...wanted, kind: 'video' }, key)).status, 422);
  t.not(shown(await ask(world, world.as.ada, 'POST', fetches, wanted, key)).id, id, 'keys belong to a person');
  for (const [body, param] of [
    [{ ...wanted, url: 'http://192.0.2.1/logo.png' }, 'url'],
    [{ ...wanted, kind: 'page' }, 'kind'],
    [{ kind: 'image' }, 'url'],
  ] as const)
    t.like(await ask(world, world.as.mia, 'POST', fetches, body), { status: 400, body: { param } });
  t.is((await ask(world, world.as.eve, 'POST', fetches, wanted)).status, 404);
  t.is((await ask(world, world.as.eve, 'GET', `${uploads()}/${id}`)).status, 404);
  const refused = await pollUntil(
    'a private address is refused',
    async () => {
      const answer = await ask(world, world.as.mia, 'GET', `${uploads()}/${id}`);
      return shown(answer).status === 'refused' ? answer : null;
    },
    60_000,
  );
  t.regex(shown(refused).faults[0], /must have a public address/);
});

test('people outside of the team get 404 for each request of an upload', async (t) => {
  const { id } = shown(await ask(world, world.as.mia, 'POST', uploads(), FILE));
  const of_eve = `/teams/${world.eves.team_id}/uploads/${id}`;
  for (const path of [`${uploads()}/${id}`, of_eve]) {
    t.is((await ask(world, world.as.eve, 'GET', path)).status, 404);
    t.is((await ask(world, world.as.eve, 'POST', `${path}/complete`)).status, 404);
  }
  t.is((await ask(world, world.as.eve, 'POST', uploads(), FILE)).status, 404);
  const renewed = { ...FILE, upload_id: id };
  t.is((await ask(world, world.as.eve, 'POST', `/teams/${world.eves.team_id}/uploads`, renewed)).status, 404);
});
