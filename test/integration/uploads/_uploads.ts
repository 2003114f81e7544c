import { createHash } from 'node:crypto';
import { freePort } from '../../../stack/process/ports.ts';
import { type HttpsReceiver, mediaFrom, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { localCertificate } from '../../../stack/tls/kept-certificates.ts';
import { appendToCatalogue, issued, meta, newKey } from '../api/_catalogue.ts';
import { type Answer, bearer, postJson, send } from '../api/_client.ts';
import { get, startWorld, type World } from '../api/_world.ts';

/**
 * The `server` has the URLs of fetched uploads. The key `writer` reaches one team, and `both` reaches two of the same
 * account. The keys `other`, `many` and `full` reach other accounts; `many` and
 * `full` are for the limits.
 */
export type UploadWorld = World & {
  readonly server: HttpsReceiver;
  readonly writers: Readonly<Record<'writer' | 'other' | 'both' | 'many' | 'full', string>>;
};

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const startUploadWorld = async (components: readonly string[] = []): Promise<UploadWorld> => {
  const port = await freePort();
  const world = await startWorld({ components, env: mediaFrom(port) });
  const certificate = localCertificate(world.stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const server = await startHttpsReceiver({ certificate, port, answer: { tag: 'answer', status: 404 } });
  const [writer, other, both, many, full] = [newKey(), newKey(), newKey(), newKey(), newKey()];
  const scopes = { rules: 4, scopes: ['projects:write'] };
  await appendToCatalogue(world.clients.records, [
    issued('key_writer', writer, scopes),
    issued('key_other', other, { ...scopes, account_id: 'acc_2', team_ids: ['team_2'] }),
    { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_many', name: 'Many', unlimited_credits: true },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_many', account_id: 'acc_many', name: 'Many' },
    issued('key_many', many, { ...scopes, account_id: 'acc_many', team_ids: ['team_many'] }),
    { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_full', name: 'Full', unlimited_credits: true },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_full', account_id: 'acc_full', name: 'Full' },
    issued('key_full', full, { ...scopes, account_id: 'acc_full', team_ids: ['team_full'] }),
    issued('key_both', both, { ...scopes, team_ids: ['team_1', 'team_left'] }),
  ]);
  await pollUntil('the keys are known', async () => (await get(world, 'teams', both.key)).status === 200);
  const stop = async (): Promise<void> => {
    await server.close();
    await world.stop();
  };
  const writers = { writer: writer.key, other: other.key, both: both.key, many: many.key, full: full.key };
  return { ...world, server, stop, writers };
};

const uploads = ({ renders }: World): string => renders.replace('/renders', '/uploads');

export const PNG = { name: 'logo.png', content_type: 'image/png' };

export const postUpload = (world: UploadWorld, body: unknown, key = world.writers.writer): Promise<Answer> =>
  postJson(uploads(world), key, body);

export const postUploadWithKey = (world: UploadWorld, body: unknown, idempotency_key: string): Promise<Answer> =>
  send(uploads(world), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      ...bearer(world.writers.writer),
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotency_key,
    },
  });

export const postProject = (world: UploadWorld, body: unknown, key = world.writers.writer): Promise<Answer> =>
  postJson(world.renders.replace('/renders', '/projects'), key, body);

/** A document that shows the file of an upload. */
export const showing = (upload: string) => ({
  name: 'With an upload',
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 320, height: 180, fps: 30, duration: 1 },
      layers: [{ id: 'logo', type: 'image', asset: 'logo' }],
    },
  ],
  assets: [{ id: 'logo', kind: 'image', upload }],
});

export const complete = (world: UploadWorld, id: string, key = world.writers.writer): Promise<Answer> =>
  send(`${uploads(world)}/${id}/complete`, { method: 'POST', headers: bearer(key) });

export const fetchUpload = (world: UploadWorld, body: unknown, idempotency_key?: string): Promise<Answer> =>
  send(`${uploads(world)}/fetch`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      ...bearer(world.writers.writer),
      'Content-Type': 'application/json',
      ...(idempotency_key !== undefined && { 'Idempotency-Key': idempotency_key }),
    },
  });

/** A document that shows the picture at a URL. */
export const showingUrl = (url: string) => ({ ...showing(''), assets: [{ id: 'logo', kind: 'image', url }] });

export const getUpload = (world: UploadWorld, id: string, key = world.writers.writer): Promise<Answer> =>
  get(world, `uploads/${id}`, key);

type Shown = {
  readonly id: string;
  readonly status: string;
  readonly upload_url: string;
  readonly thumbnail_url: string | null;
  readonly faults: readonly string[];
};

export const shownIn = ({ body }: Answer): Shown => Object(body);

export const put = (url: string, bytes: Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'x-ms-blob-type': 'BlockBlob', ...headers },
  });

/** Creates an upload, and writes the bytes. */
export const written = async (world: UploadWorld, bytes: Buffer, facts: object = PNG): Promise<Shown> => {
  const offered = shownIn(await postUpload(world, { ...facts, size_bytes: bytes.length }));
  const { status } = await put(offered.upload_url, bytes);
  if (status !== 201) throw new Error(`the bytes were refused: ${status}`);
  return offered;
};

/** The upload when its inspection has ended. */
export const ended = (world: UploadWorld, id: string): Promise<Answer> =>
  pollUntil(
    'the upload is inspected',
    async () => {
      const answer = await getUpload(world, id);
      return ['ready', 'refused'].includes(shownIn(answer).status) ? answer : null;
    },
    120_000,
  );

export const inspected = async (world: UploadWorld, bytes: Buffer, facts: object = PNG): Promise<Answer> => {
  const { id } = await written(world, bytes, facts);
  await complete(world, id);
  return await ended(world, id);
};
