import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { originOf } from '../../../platform/proof-log/origin.ts';
import { signerKey, signingKeyOf, verifierKeyText } from '../../../proofs/notes/keys.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startComponent } from '../../helpers/component-process.ts';
import { foreignVerifier } from '../../helpers/foreign-verifier.ts';
import { scraped, sumOf } from '../../helpers/metrics.ts';
import { assigned, prepared, requested } from '../../helpers/render-events.ts';
import { caller } from '../../helpers/renderctl.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

const RENDER = requested().render_id;

const append = async ({ records }: StackClients, event: RenderEvent): Promise<void> => {
  const appended = await records.append('render-events', RENDER, event);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

/** The base64 of a private key, as openssl makes it for NOTARY_KEY. */
const mintedKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

type Keys = {
  readonly old_text: string;
  readonly new_text: string;
  readonly old_key: string;
  readonly new_key: string;
};

/** A stack with a notary, and a folder with the files of two keys. */
const openWorld = async (t: ExecutionContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'succession-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const env = { NOTARY_INTERVAL_S: '1' };
  const stack = await startTestStack({ dataDir: join(folder, 'data'), components: ['notary'], env });
  t.teardown(() => stack.stop());
  const clients = await openStackClients(stack.env);
  t.teardown(() => clients.close());
  const renderctl = caller(stack.env);
  const called = async (...words: readonly string[]): Promise<string> => {
    const { exit_code, stdout, stderr } = await renderctl(...words);
    t.is(exit_code, 0, `${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  const file = (name: string): string => join(folder, name);
  const origin = await originOf(clients.records.log, 'rendering', stack.env.KAFKA_TOPIC_PREFIX ?? '');
  const keyText = (text: string): string => {
    const private_key = signingKeyOf(text);
    if (private_key === undefined) throw new Error('it is no key');
    return verifierKeyText(signerKey('note', origin, private_key));
  };
  const [old_text, new_text] = [stack.env.NOTARY_KEY ?? '', mintedKey()];
  await writeFile(file('old.key'), `${old_text}\n`);
  await writeFile(file('new.key'), `${new_text}\n`);
  const keys: Keys = { old_text, new_text, old_key: keyText(old_text), new_key: keyText(new_text) };
  const handing = ['notary', 'hand-over', '--old-key', file('old.key'), '--new-key', file('new.key')];
  return { stack, clients, renderctl, called, file, origin, keyText, keys, handing };
};

type World = Awaited<ReturnType<typeof openWorld>>;

const keepCheckpointAndProof = async ({ called, file }: World, name: string): Promise<void> => {
  await writeFile(file(`kept-${name}`), await called('notary', 'sign'));
  await called('prove', RENDER, '-o', file(`proof-${name}.json`));
};

const handOver = async (t: ExecutionContext, { called, handing, keys }: World): Promise<void> => {
  const { old_key, new_key, old_text, new_text } = keys;
  const output = await called(...handing);
  t.true(output.startsWith(`${old_key}\nhanded over at `), output);
  t.true(output.includes(`\n${new_key}\n`), output);
  t.false(output.includes(new_text) || output.includes(old_text), 'private keys are not shown');
  t.is(await called(...handing), output, 'it may be repeated');
};

const waitUntilOldNotaryStops = async (t: ExecutionContext, { stack, keys }: World): Promise<void> => {
  const { old_key, new_key } = keys;
  const health_url = stack.component('notary').health_url ?? '';
  await pollUntil(
    'the notary with the old key stops',
    async () => sumOf(await scraped(health_url), 'notary_stopped') === 1,
  );
  const ready = await (await fetch(`${health_url}/health/ready`)).text();
  t.true(ready.includes(`${old_key}, handed over at `) && ready.includes(`to ${new_key}`), ready);
};

const startNewNotary = async (t: ExecutionContext, { stack, keys }: World): Promise<void> => {
  const env = { ...stack.env, NOTARY_KEY: keys.new_text, NOTARY_FORMER_KEYS: keys.old_key };
  const notary = await startComponent('notary', env);
  t.teardown(() => notary.kill());
};

const verifyWithEitherKey = async (t: ExecutionContext, { called, file, keys }: World): Promise<void> => {
  const { old_key, new_key } = keys;
  const kept = ['--checkpoint', file('kept-old'), '--checkpoint', file('kept-new')];
  for (const key of [old_key, new_key]) {
    t.regex(
      await called('verify', 'log', '--key', key, ...kept),
      /The records that your checkpoints cover cannot have been changed/,
    );
    await called('verify', 'topic', 'render-events', '--key', key, ...kept);
    t.regex(await called('verify', file('proof-new.json'), '--key', key), /^PROVEN: 3 records /);
  }
  const succession = `\n${old_key}\nhanded over at `;
  t.true((await called('verify', 'log', '--key', old_key)).includes(succession));
  t.false((await called('verify', 'log', '--key', new_key)).includes(succession));
  await called('verify', 'log');
};

const verifyOfflineProofs = async (t: ExecutionContext, { called, renderctl, file, keys }: World): Promise<void> => {
  const { old_key, new_key } = keys;
  await called('verify', file('proof-old.json'), '--key', old_key);
  // A proof without a server cannot show that the old key signed it before it handed over.
  t.is((await renderctl('verify', file('proof-old.json'), '--key', new_key)).exit_code, 1);
  const foreign = await foreignVerifier.bundle(file('proof-new.json'), new_key);
  t.is(foreign.exitCode, 0, foreign.all);
};

const readNoteAsOutsider = async (t: ExecutionContext, { called, handing, origin }: World): Promise<void> => {
  const { url, query } = JSON.parse(await called('notary', 'share', '--json')) as { url: string; query: string };
  const { note, path } = JSON.parse(await called(...handing, '--json')) as { note: string; path: string };
  const fetched = await fetch(`${url}${path.slice(origin.length)}?${query}`);
  t.is(await fetched.text(), note, 'outsiders read it');
};

/** Neither a foreign key nor a proof without its successions is accepted. */
const refuseUnknownSuccessions = async (t: ExecutionContext, world: World): Promise<void> => {
  const { renderctl, file, keyText, keys } = world;
  const stranger = keyText(mintedKey());
  const refused = await renderctl('verify', 'log', '--key', stranger);
  t.is(refused.exit_code, 1);
  t.true(refused.stderr.includes(`no succession leads there from ${stranger}`), refused.stderr);
  const proof = JSON.parse(await readFile(file('proof-new.json'), 'utf8')) as object;
  await writeFile(file('proof-cut.json'), JSON.stringify({ ...proof, successions: [] }));
  const cut = await renderctl('verify', file('proof-cut.json'), '--key', keys.old_key);
  t.true(cut.stderr.includes(`no succession leads there from ${keys.old_key}`), cut.stderr);
};

test('either notary key verifies log, topics and proofs after a succession', async (t) => {
  t.timeout(450_000);
  const world = await openWorld(t);
  const { clients, called, file, keys } = world;
  await append(clients, requested());
  await keepCheckpointAndProof(world, 'old');
  await handOver(t, world);
  await waitUntilOldNotaryStops(t, world);
  for (const key of [keys.old_key, keys.new_key])
    await called('verify', 'log', '--key', key, '--checkpoint', file('kept-old'));
  await startNewNotary(t, world);
  await append(clients, prepared);
  await append(clients, assigned('att_1', 1));
  await keepCheckpointAndProof(world, 'new');
  await verifyWithEitherKey(t, world);
  await verifyOfflineProofs(t, world);
  await readNoteAsOutsider(t, world);
  await refuseUnknownSuccessions(t, world);
});
