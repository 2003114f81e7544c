import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createConnection } from '../../../cli/connection.ts';
import { STILL_HEADER, stillHeader } from '../../../schemas/http/still.ts';

const STACK = {
  ...{ base_url: 'http://127.0.0.1:8080', kafka: '127.0.0.1:9092', registry_url: 'http://127.0.0.1:8085' },
  ...{ mongodb_url: 'mongodb://127.0.0.1:27017/', blob_connection_string: 'here' },
  ...{ stills_url: 'http://127.0.0.1:4000', stills_secret: 'of the stack' },
};

test('stills come from the service that uses the same store as renderctl', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stills-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'stack.json');
  await writeFile(file, JSON.stringify(STACK));
  const asked = async (env: NodeJS.ProcessEnv, path = file) => {
    const found = await createConnection(env, path, new AbortController().signal).stills();
    return found._tag === 'Right' ? found.right : found.left;
  };
  const own = { url: STACK.stills_url, secret: STACK.stills_secret };
  t.deepEqual(await asked({}), own);
  t.deepEqual(await asked({ MONGODB_URL: STACK.mongodb_url }), own, 'the same server under another name');
  for (const other of [{ MONGODB_URL: 'mongodb://elsewhere/' }, { MONGODB_DATABASE: 'x' }, { BLOB_CONTAINER: 'x' }])
    t.is(await asked(other), null);
  t.is(await asked({}, '/nonexistent/stack.json'), null);
  const given = { RENDERCTL_STILLS_URL: 'http://stills:8080', STILLS_SECRET: 'mine' };
  t.deepEqual(await asked({ ...given, MONGODB_URL: 'mongodb://elsewhere/' }), {
    url: 'http://stills:8080',
    secret: 'mine',
  });
  t.like(await asked({ RENDERCTL_STILLS_URL: 'http://stills:8080' }), { tag: 'usage' });
  await writeFile(file, JSON.stringify({ ...STACK, stills_url: undefined }));
  t.is(await asked({}), null, 'the file of an older stack');
});

test(`${STILL_HEADER} fits into the header of an answer, however much is left out`, (t) => {
  const facts = { frame: 1, at_s: 1, width: 2, height: 2 };
  const few = { ...facts, left_out: ['values.Überschrift: the template has no such field'] };
  t.deepEqual(JSON.parse(stillHeader(few)), few);
  const long = stillHeader({
    ...facts,
    left_out: Array.from({ length: 100 }, (_, n) => `values.${'Ж'.repeat(60)}${n}`),
  });
  t.true(long.length < 5_000 && /^[\x20-\x7e]+$/.test(long));
  t.regex(JSON.parse(long).left_out.at(-1), /^8\d more values: the template does not have these fields$/);
  const [one] = JSON.parse(stillHeader({ ...facts, left_out: ['x'.repeat(110_000)] })).left_out;
  t.is(one, '1 more values: the template does not have these fields');
});
