import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../platform/configuration/parts.ts';
import type { Stack } from '../../../stack/launcher.ts';
import type { ServerName } from '../../../stack/servers/servers.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { fillCatalogue, type Keys } from './_catalogue.ts';
import { type Answer, bearer, postJsonOnce, send, sendOnce, untilServed } from './_client.ts';

/** Command API, query API and projectors as processes on real servers. No worker runs: tests append its events. */
export type World = {
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly blobs: BlobStore;
  readonly keys: Keys;
  readonly renders: string;
  readonly reads: string;
  readonly stop: () => Promise<void>;
};

export type WorldOptions = {
  /** Components to start besides the projectors and the two APIs, for example `gateway`. */
  readonly components?: readonly string[];
  readonly own_servers?: readonly ServerName[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Tests send requests faster than a client may; tests of the limit set their own. */
const WITHOUT_LIMIT = {
  RATE_LIMIT_PER_S: '1000000',
  RATE_LIMIT_BURST: '1000000',
  GATEWAY_REFUSED_KEYS_PER_MINUTE: '1000000000',
  GATEWAY_OPEN_REQUESTS_PER_MINUTE: '1000000000',
};

export const startWorld = async ({
  components = [],
  own_servers = [],
  env = {},
}: WorldOptions = {}): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), 'api '));
  const stack = await startTestStack({
    dataDir: folder,
    own_servers,
    components: ['projectors', 'command-api', 'query-api', ...components],
    env: { ...WITHOUT_LIMIT, ...env },
  });
  const clients = await openStackClients(stack.env);
  const stop = async () => {
    await clients.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const settings = decodeConfiguration(stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  const blobs = openBlobStore(settings.right.blob_store);
  const keys = await fillCatalogue(clients.records, blobs);
  const renders = `${stack.component('command-api').url}/v1/renders`;
  const reads = `${stack.component('query-api').url}/v1`;
  await pollUntil('the catalogue is folded', async () => {
    return (await send(`${reads}/projects/proj_empty`, { headers: bearer(keys.ours) })).status === 200;
  });
  return { stack, clients, blobs, keys, renders, reads, stop };
};

export const PLAIN = { name: 'Spring sale', project_id: 'proj_1' };
export const OF_TEMPLATE = { ...PLAIN, template_id: 'tpl_sale' };

/** Returns the first answer, also a 503. */
export const postOnce = ({ renders, keys }: World, body: unknown, key = keys.ours): Promise<Answer> =>
  postJsonOnce(renders, key, body);

/** Retries while the answer is 503. If the outcome is unknown, that can create a second render. */
export const post = (world: World, body: unknown, key = world.keys.ours): Promise<Answer> =>
  untilServed(() => postOnce(world, body, key));

/**
 * Retries while the service is busy or the read model is behind: an accepted render is never "not found", but can be
 * "not yet".
 *
 * @param path below /v1/
 */
export const get = ({ reads, keys }: World, path: string, key = keys.ours, method = 'GET'): Promise<Answer> =>
  send(`${reads}/${path}`, { method, headers: bearer(key) });

/** Returns the first answer, also a 503. */
export const getOnce = ({ reads, keys }: World, path: string, key = keys.ours): Promise<Answer> =>
  sendOnce(`${reads}/${path}`, { headers: bearer(key) });
