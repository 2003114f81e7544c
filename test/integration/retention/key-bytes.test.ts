import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { Seal } from '../../../domain/event/seal.ts';
import { keyTreePath } from '../../../schemas/blobs/paths.ts';
import { decodeKeyTree, TREE_DEPTH } from '../../../schemas/seal/key-tree.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { SHORT, TEMPLATE } from '../../e2e/_films.ts';
import { importFilm, openService, type Service } from '../../e2e/_service.ts';
import { containerOf, foundWhere } from '../../helpers/found-in.ts';
import { caller } from '../../helpers/renderctl.ts';
import { postJson } from '../api/_client.ts';

const COMPONENTS = ['gateway', 'command-api', 'query-api', 'management-api', 'projectors', 'preparer', 'retention'];

const posted = async ({ stack, seeded }: Service, project_id: string, name: string): Promise<string> => {
  const body = { name, project_id, template_id: TEMPLATE, values: { title: name } };
  const answer = await postJson(`${stack.base_url}/v1/renders`, seeded.api_key, body);
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return String(Object(answer.body).id);
};

const sealOf = async ({ clients }: Service, render_id: string): Promise<Seal> => {
  const { log, decode } = clients.records;
  for (const { partition, start, end } of await log.bounds('render-events'))
    for await (const { key, value } of log.replay('render-events', partition, start, end)) {
      if (key?.toString() !== render_id) continue;
      const decoded = await decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'RenderRequested' && decoded.record.sealed !== null)
        return decoded.record.sealed;
    }
  throw new Error(`${render_id} has no seal in the log`);
};

const hmac = (key: Buffer, message: Buffer | string): Buffer => createHmac('sha256', key).update(message).digest();

/** The keys of all nodes from the root to the leaf, and the key of the box. The tree must be new. */
const keysOf = async (service: Service, { tree, leaf }: Seal): Promise<readonly Buffer[]> => {
  const path = keyTreePath(service.seeded.account_id, tree) ?? '';
  const stored = decodeKeyTree(await containerOf(service.stack).getBlobClient(path).downloadToBuffer());
  const root = E.isRight(stored) ? stored.right.nodes[0] : undefined;
  if (root?.depth !== 0) throw new Error(`${path} is not a new tree`);
  const keys = [root.key];
  for (let depth = 1; depth <= TREE_DEPTH; depth += 1)
    keys.push(hmac(keys.at(-1) ?? root.key, Buffer.of((leaf >> (TREE_DEPTH - depth)) & 1)));
  return [...keys, hmac(keys.at(-1) ?? root.key, 'seal/1/RenderRequested')];
};

const formsOf = (key: Buffer): readonly Buffer[] => {
  const hex = key.toString('hex');
  const texts = [hex, hex.toUpperCase(), key.toString('base64'), key.toString('base64url')];
  return [key, ...texts.map((text) => Buffer.from(text, 'latin1'))];
};

/** Files of the stack: extents of Azurite, pages and journal of the store, logs and folders of processes. */
const filesOf = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

const foundKeys = async (service: Service, work_dir: string, keys: readonly Buffer[]): Promise<readonly string[]> => {
  const forms = keys.flatMap(formsOf);
  const hasKey = (content: Buffer | string): boolean => {
    const bytes = Buffer.from(content);
    return forms.some((form) => bytes.includes(form));
  };
  const found = [...(await foundWhere(service, hasKey))];
  for (const path of [...(await filesOf(service.folder)), ...(await filesOf(work_dir))]) {
    // Servers delete files meanwhile.
    const bytes = await readFile(path).catch(() => null);
    if (bytes !== null && hasKey(bytes)) found.push(path);
  }
  return found;
};

test('no byte of an erased key or its ancestors stays outside of memory', async (t) => {
  t.timeout(450_000);
  const work_dir = await mkdtemp(join(tmpdir(), 'key bytes '));
  t.teardown(() => rm(work_dir, { recursive: true, force: true }));
  const service = await openService({ WORK_DIR: work_dir }, { own_servers: ['blob', 'store'], components: COMPONENTS });
  t.teardown(() => service.close());
  const { base_url, env } = service.stack;
  const api = { RENDERCTL_BASE_URL: base_url, RENDERCTL_API_KEY: service.seeded.api_key };
  const renderctl = caller({ ...env, ...api });
  const project = await importFilm(service, 'short', SHORT);
  const [first, other] = [await posted(service, project, 'Lovelace'), await posted(service, project, 'Babbage')];
  const [sealed, other_seal] = [await sealOf(service, first), await sealOf(service, other)];
  t.is(sealed.tree, other_seal.tree);
  const keys = await keysOf(service, sealed);
  const before = await foundKeys(service, work_dir, keys);
  t.true(before.includes(keyTreePath(service.seeded.account_id, sealed.tree) ?? ''), `${before}`);
  t.true(
    before.some((place) => place.includes('__blobstorage__')),
    `${before}`,
  );

  const cancelled = await renderctl('render', 'cancel', first);
  t.is(cancelled.exit_code, 0, cancelled.stderr);
  const erased = await renderctl('erase', 'render', first, '--json');
  t.is(erased.exit_code, 0, erased.stderr);
  t.deepEqual(JSON.parse(erased.stdout), { id: first, files: 'deleted', name_in_log: false });
  let left: readonly string[] = [];
  await pollUntil(
    'the keys are gone',
    async () => {
      left = await foundKeys(service, work_dir, keys);
      return left.length === 0;
    },
    60_000,
  ).catch(() => t.deepEqual(left, []));
});
