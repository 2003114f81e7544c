import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openProofBlobs } from '../../../platform/blob-store/azure-proof-blobs.ts';
import type { ProofBlobs } from '../../../platform/blob-store/proof-blobs.ts';
import { verifyCheckpoint } from '../../../platform/proof-log/heads-log.ts';
import { originOf } from '../../../platform/proof-log/origin.ts';
import { type ProofPaths, proofPaths } from '../../../platform/proof-log/proof-paths.ts';
import { headsTile } from '../../../platform/proof-log/stored-tiles.ts';
import { consistencyProof, inclusionProof } from '../../../proofs/merkle/proofs.ts';
import {
  parseVerifierKey,
  signerKey,
  signingKeyOf,
  type VerifierKey,
  verifierKeyText,
} from '../../../proofs/notes/keys.ts';
import { cosignedAt } from '../../../proofs/notes/signed-note.ts';
import { entriesOfBundle } from '../../../proofs/tiles/tile-bytes.ts';
import { tiledNodes } from '../../../proofs/tiles/tiled-nodes.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type ComponentProcess, startComponent } from '../../helpers/component-process.ts';
import { foreignVerifier } from '../../helpers/foreign-verifier.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { assigned, prepared, requested } from '../../helpers/render-events.ts';
import { caller } from '../../helpers/renderctl.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { startWitness } from '../../helpers/test-witness.ts';
import { readHeads, rootOfLeaves } from './_heads.ts';

type World = {
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly blobs: ProofBlobs;
  readonly paths: ProofPaths;
  readonly key: VerifierKey;
  readonly witness: Awaited<ReturnType<typeof startWitness>>;
  readonly folder: string;
  readonly stop: () => Promise<void>;
};

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(400_000);
  const folder = await mkdtemp(join(tmpdir(), 'notary-'));
  const witness = await startWitness();
  const env = { NOTARY_INTERVAL_S: '1', NOTARY_WITNESSES: witness.setting, NOTARY_ORIGIN: 'rendering.test/log' };
  const stack = await startTestStack({ dataDir: join(folder, 'data'), components: ['notary'], env });
  const clients = await openStackClients(stack.env);
  const { AZURE_STORAGE_CONNECTION_STRING: connection_string = '', BLOB_CONTAINER = 'renders' } = stack.env;
  const blobs = openProofBlobs({ connection_string, public_url: undefined, container: `${BLOB_CONTAINER}-proofs` });
  const origin = await originOf(clients.records.log, 'rendering.test/log', stack.env.KAFKA_TOPIC_PREFIX ?? '');
  const private_key = signingKeyOf(stack.env.NOTARY_KEY ?? '');
  if (private_key === undefined) throw new Error('the stack has no key');
  const key = signerKey('note', origin, private_key);
  witness.know(key);
  t.context = {
    ...{ folder, stack, clients, blobs, paths: proofPaths(origin), key, witness },
    stop: async () => {
      await clients.close();
      await stack.stop();
      await witness.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context?.stop?.();
});

const append = async ({ clients }: World, topic: string, count: number, partition?: number): Promise<void> => {
  const value = Buffer.from(`a record ${Date.now()}`);
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const appended = await clients.records.log.append({ topic, partition, key: `rend_${i}`, value });
      if (E.isLeft(appended)) throw new Error(appended.left.message);
    }),
  );
};

const published = async ({ blobs, paths, key }: Pick<World, 'blobs' | 'paths' | 'key'>) => {
  const found = await blobs.read(paths.checkpoint);
  if (found === null) return null;
  const opened = verifyCheckpoint(found.bytes.toString(), [key]);
  if (E.isLeft(opened)) throw new Error(opened.left);
  return opened.right;
};

const base64 = (hashes: readonly Buffer[]): readonly string[] => hashes.map((hash) => hash.toString('base64'));

test.serial('an outsider reads the log of heads by a link, and Go verifies it', async (t) => {
  t.timeout(240_000);
  const { stack, key, witness, paths } = t.context;
  const renderctl = caller(stack.env);
  await append(t.context, 'render-events', 700, 1);
  const first = await renderctl('notary', 'sign');
  t.is(first.exit_code, 0, first.stderr);
  await append(t.context, 'render-status', 3);
  await append(t.context, 'render-events', 1, 1);
  const second = await renderctl('notary', 'sign');
  t.is(second.exit_code, 0, second.stderr);

  const keys = await renderctl('notary', 'key');
  t.is(keys.stdout, `${verifierKeyText(key)}\n`);
  t.deepEqual(parseVerifierKey(keys.stdout.trim()), { ...parseVerifierKey(verifierKeyText(key)) } as never);

  const shared = await renderctl('notary', 'share', '--days', '2', '--json');
  const { url, query } = JSON.parse(shared.stdout) as { url: string; query: string };
  const outside = {
    read: async (path: string) => {
      const answer = await fetch(`${url.slice(0, -key.name.length)}${path}?${query}`);
      return answer.status === 200 ? { bytes: Buffer.from(await answer.arrayBuffer()), version: '' } : null;
    },
  };
  const denied = await fetch(`${url}/checkpoint`);
  t.true(denied.status >= 400, 'not without the link');
  const written = await fetch(`${url}/checkpoint?${query}`, {
    method: 'PUT',
    headers: { 'x-ms-blob-type': 'BlockBlob' },
    body: 'x',
  });
  t.is(written.status, 403);

  const old = verifyCheckpoint(first.stdout, [key]);
  const now = verifyCheckpoint(second.stdout, [key]);
  if (E.isLeft(old) || E.isLeft(now)) return t.fail();
  const { size, root, note } = now.right;
  t.true(old.right.size < size);
  const nodes = tiledNodes(size, headsTile(outside, paths));
  const bundle = await outside.read(paths.entries(0, size));
  const entries = entriesOfBundle(bundle?.bytes ?? Buffer.of(), size);
  if (entries === null) return t.fail('no entries');
  t.regex(entries.join(''), / 701 /);
  t.false(entries.join('').includes('rend_'), 'nothing about tenants');
  const inclusions = await Promise.all(
    entries.map(async (entry, index) => ({
      data: entry.toString('base64'),
      ...{ index, size, root: root.toString('base64') },
      proof: base64(await inclusionProof(index, size, nodes)),
    })),
  );
  const consistency = {
    ...{ old_size: old.right.size, old_root: old.right.root.toString('base64') },
    ...{ size, root: root.toString('base64') },
    proof: base64(await consistencyProof(old.right.size, size, nodes)),
  };
  const statements = { key: verifierKeyText(key), note: second.stdout, inclusions, consistencies: [consistency] };
  const { exitCode, all } = await foreignVerifier.check(statements);
  t.is(exitCode, 0, all);

  const cosigned_at = cosignedAt(note, witness.key) ?? 0;
  t.true(Math.abs(cosigned_at - Date.now() / 1_000) < 120);
  t.true(witness.seen().size >= size);
  t.is(sumOf(await scraped(stack.component('notary').health_url ?? ''), 'notary_unsigned_records'), 0);
});

test.serial('a file proves the records of a render, and a changed file does not', async (t) => {
  t.timeout(240_000);
  const { stack, key, clients, witness, folder } = t.context;
  const renderctl = caller(stack.env);
  const render = requested().render_id;
  const events = [requested(), prepared, assigned('att_1', 1)];
  for (const event of events) {
    const appended = await clients.records.append('render-events', render, event);
    if (E.isLeft(appended)) return t.fail(appended.left.message);
    await append(t.context, 'render-events', 40);
  }
  const file = join(folder, 'proof.json');
  const proved = await renderctl('prove', render, '-o', file);
  t.is(proved.exit_code, 0, proved.stderr);
  t.regex(proved.stdout, /proves 3 records of rend_/);

  const vkey = verifierKeyText(key);
  const offline = caller({});
  const verified = await offline('verify', file, '--key', vkey, '--witness', verifierKeyText(witness.key));
  t.is(verified.exit_code, 0, verified.stderr);
  for (const type of ['RenderRequested', 'RenderPrepared', 'RenderAssigned'])
    t.true(verified.stdout.includes(type), type);
  t.regex(verified.stdout, /witness\.test cosigned the checkpoint at 20/);
  t.regex(verified.stdout, /NOT PROVEN: that these are all records of the render/);
  const foreign = await foreignVerifier.bundle(file, vkey);
  t.is(foreign.exitCode, 0, foreign.all);
  t.is(foreign.all, `3 records are in ${key.name}`);

  const text = await readFile(file, 'utf8');
  const bundle = JSON.parse(text);
  const [first, ...others] = bundle.records;
  const flipped = Buffer.from(first.value, 'base64');
  flipped[10] = (flipped[10] ?? 0) ^ 1;
  const changed: readonly object[] = [
    { ...bundle, records: [{ ...first, value: flipped.toString('base64') }, ...others] },
    { ...bundle, records: [{ ...first, append_time_ms: first.append_time_ms + 1 }, ...others] },
    { ...bundle, records: [{ ...first, offset: first.offset + 1 }, ...others] },
    { ...bundle, records: [{ ...first, proof: first.proof.slice(1) }, ...others] },
    { ...bundle, entry: { ...bundle.entry, text: bundle.entry.text.replace(/ (\d+) /, ' 1$1 ') } },
    { ...bundle, entry: { ...bundle.entry, index: bundle.entry.index + 1 } },
    { ...bundle, checkpoint: bundle.checkpoint.replace(/\n(\d+)\n/, '\n1$1\n') },
  ];
  const spoilt = join(folder, 'spoilt.json');
  for (const [i, one] of changed.entries()) {
    await writeFile(spoilt, JSON.stringify(one));
    const refused = await offline('verify', spoilt, '--key', vkey);
    t.is(refused.exit_code, 1, String(i));
    t.regex(refused.stderr, /is not a valid proof: /);
    t.is((await foreignVerifier.bundle(spoilt, vkey)).exitCode, 1, String(i));
  }
  const other = verifierKeyText(signerKey('note', key.name, generateKeyPairSync('ed25519').privateKey));
  t.regex((await offline('verify', file, '--key', other)).stderr, /is signed by none of the keys that are known/);
  t.regex((await renderctl('prove', 'rend_nothing', '-o', file)).stderr, /there is no render rend_nothing/);
});

test.serial('two notaries that are killed repeatedly sign one log of the topics', async (t) => {
  t.timeout(360_000);
  const { stack, clients, blobs, paths, witness } = t.context;
  const seen = new Map<number, string>();
  let over = false;
  const watch = (async () => {
    while (!over) {
      const checkpoint = await published(t.context);
      if (checkpoint !== null) {
        const root = checkpoint.root.toString('base64');
        t.is(seen.get(checkpoint.size) ?? root, root);
        seen.set(checkpoint.size, root);
      }
    }
  })();
  let other: ComponentProcess | null = null;
  for (let i = 0; i < 6; i += 1) {
    await append(t.context, 'render-events', 90);
    other ??= await startComponent('notary', stack.env);
    await append(t.context, 'webhook-events', 10);
    stack.component('notary').kill('SIGKILL');
    await append(t.context, 'render-status', 10);
    if (i % 2 === 1) {
      await other.kill();
      other = null;
    }
    const before = (await published(t.context))?.size ?? 0;
    await append(t.context, 'catalogue-events', 1);
    await pollUntil('the notary continues', async () => ((await published(t.context))?.size ?? 0) > before, 60_000);
  }
  await other?.kill();
  await stack.component('notary').untilReady();
  const signed = await caller(stack.env)('notary', 'sign');
  over = true;
  await watch;
  t.is(signed.exit_code, 0, signed.stderr);
  const last = await published(t.context);
  const { entries, wrong } = await readHeads(clients.records.log, blobs, paths, last?.size ?? 0);
  t.deepEqual(wrong, []);
  for (const [size, root] of seen) t.is(rootOfLeaves(entries.slice(0, size)).toString('base64'), root, String(size));
  t.true(seen.size >= 6);
  t.true(witness.statuses.includes(409), "a new process learns the witness's last checkpoint");
  t.false(witness.statuses.includes(422));
});

/** Contents of checkpoint files that were saved unchecked. */
const NO_CHECKPOINTS: readonly (readonly [string, RegExp])[] = [
  ['', /no checkpoint is not a checkpoint: it is empty/],
  [
    '\uFEFF<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code></Error>',
    /no checkpoint is not a checkpoint: it is XML or HTML, such as an error page; fetch it with "curl -fsS"/,
  ],
  ['{"error":"not found"}', /no checkpoint is not a checkpoint: it is not a signed note/],
];

test.serial('the log verifies against an earlier checkpoint, and an edited tile is reported', async (t) => {
  t.timeout(240_000);
  const { stack, key, blobs, paths, folder } = t.context;
  const renderctl = caller(stack.env);
  const kept = join(folder, 'checkpoint');
  await writeFile(kept, (await blobs.read(paths.checkpoint))?.bytes ?? '');
  await append(t.context, 'render-status', 20);
  t.is((await renderctl('notary', 'sign')).exit_code, 0);
  const options = ['--key', verifierKeyText(key), '--checkpoint', kept];
  const whole = await renderctl('verify', 'log', ...options);
  t.is(whole.exit_code, 0, whole.stderr);
  t.regex(whole.stdout, /All signed records of .* are unchanged according to checkpoints of \d+ and \d+ entries\./);
  const listed = await renderctl('verify', 'topic', 'catalogue-events');
  t.regex(listed.stdout, /The keys come from the list next to the proofs/);

  const path = paths.partitionTile({ topic: 'render-events', partition: 1 }, 0, 1);
  const tile = await blobs.read(path);
  if (tile === null) return t.fail('there is no tile');
  const edited = Buffer.from(tile.bytes);
  edited[32 * 44] = (edited[32 * 44] ?? 0) ^ 1;
  t.true(await blobs.replace(path, edited, tile.version));
  const found = await renderctl('verify', 'topic', 'render-events', ...options);
  t.is(found.exit_code, 1);
  t.regex(found.stderr, /differs from the signed log/);
  t.regex(found.stderr, /render-events\/1: record 300 is not what the stored tile has/);
  const all = await renderctl('verify', 'all', ...options);
  t.is(all.exit_code, 1);
  t.regex(all.stderr, /differs from the signed log; and the renders of this version are not complete yet/);
  t.regex(all.stderr, /render-events\/1: record 300 is not what the stored tile has/);
  await blobs.replace(path, tile.bytes, (await blobs.read(path))?.version ?? null);
  // The log is unchanged, and no projector has folded it here.
  t.regex((await renderctl('verify', 'all', ...options)).stderr, /the renders of this version are not complete yet/);

  for (const [what, said] of NO_CHECKPOINTS) {
    const file = join(folder, 'no checkpoint');
    await writeFile(file, what);
    const refused = await renderctl('verify', 'log', '--key', verifierKeyText(key), '--checkpoint', file);
    t.is(refused.exit_code, 1);
    t.regex(refused.stderr, said);
  }
  const forged = join(folder, 'forged');
  await writeFile(forged, (await readFile(kept, 'utf8')).replace(/\n(\d+)\n/, '\n1$1\n'));
  const refused = await renderctl('verify', 'log', '--key', verifierKeyText(key), '--checkpoint', forged);
  t.regex(refused.stderr, /is signed by none of the keys that are known/);
});

test.serial('an older checkpoint in Blob makes the notary unready, with a reason and metric', async (t) => {
  t.timeout(240_000);
  const { stack, blobs, paths } = t.context;
  const before = await blobs.read(paths.checkpoint);
  for (let i = 0; i < 2; i += 1) {
    await append(t.context, 'catalogue-events', 1);
    await caller(stack.env)('notary', 'sign');
  }
  const now = await blobs.read(paths.checkpoint);
  t.true(await blobs.replace(paths.checkpoint, before?.bytes ?? Buffer.of(), now?.version ?? null));
  await append(t.context, 'catalogue-events', 1);
  const health_url = stack.component('notary').health_url ?? '';
  await pollUntil('the notary stops', async () => sumOf(await scraped(health_url), 'notary_stopped') === 1);
  const answer = await fetch(`${health_url}/health/ready`);
  t.is(answer.status, 503);
  t.regex(
    await answer.text(),
    /signing has stopped: Blob is of before: it has \d+ entries of the log of heads, and \d+ were signed/,
  );
  const asked = await caller(stack.env)('notary', 'sign');
  t.is(asked.exit_code, 1);
  t.regex(asked.stderr, /the notary did not sign within 30 s/);
  t.deepEqual((await blobs.read(paths.checkpoint))?.bytes, before?.bytes);
});
