import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
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

test('either notary key verifies log, topics and proofs after a succession', async (t) => {
  t.timeout(300_000);
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
  const [old_key, new_key] = [keyText(old_text), keyText(new_text)];
  await writeFile(file('old.key'), `${old_text}\n`);
  await writeFile(file('new.key'), `${new_text}\n`);

  await append(clients, requested());
  await writeFile(file('kept-old'), await called('notary', 'sign'));
  await called('prove', RENDER, '-o', file('proof-old.json'));
  const handing = ['notary', 'hand-over', '--old-key', file('old.key'), '--new-key', file('new.key')];
  const told = await called(...handing);
  t.true(told.startsWith(`${old_key}\nhanded over at `), told);
  t.true(told.includes(`\n${new_key}\n`), told);
  t.false(told.includes(new_text) || told.includes(old_text), 'private keys are not shown');
  t.is(await called(...handing), told, 'it may be repeated');

  const health_url = stack.component('notary').health_url ?? '';
  await pollUntil(
    'the notary with the old key stops',
    async () => sumOf(await scraped(health_url), 'notary_stopped') === 1,
  );
  const ready = await (await fetch(`${health_url}/health/ready`)).text();
  t.true(ready.includes(`${old_key}, handed over at `) && ready.includes(`to ${new_key}`), ready);
  for (const key of [old_key, new_key]) await called('verify', 'log', '--key', key, '--checkpoint', file('kept-old'));

  const notary = await startComponent('notary', { ...stack.env, NOTARY_KEY: new_text, NOTARY_FORMER_KEYS: old_key });
  t.teardown(() => notary.kill());
  await append(clients, prepared);
  await append(clients, assigned('att_1', 1));
  await writeFile(file('kept-new'), await called('notary', 'sign'));
  await called('prove', RENDER, '-o', file('proof-new.json'));

  const kept = ['--checkpoint', file('kept-old'), '--checkpoint', file('kept-new')];
  for (const key of [old_key, new_key]) {
    t.regex(
      await called('verify', 'log', '--key', key, ...kept),
      /The records that your checkpoints cover cannot have been changed/,
    );
    await called('verify', 'topic', 'render-events', '--key', key, ...kept);
    t.regex(await called('verify', file('proof-new.json'), '--key', key), /^PROVEN: 3 records /);
  }
  const said = `\n${old_key}\nhanded over at `;
  t.true((await called('verify', 'log', '--key', old_key)).includes(said));
  t.false((await called('verify', 'log', '--key', new_key)).includes(said));
  await called('verify', 'log');
  await called('verify', file('proof-old.json'), '--key', old_key);
  // A proof without a server cannot show that the old key signed it before it handed over.
  t.is((await renderctl('verify', file('proof-old.json'), '--key', new_key)).exit_code, 1);
  const foreign = await foreignVerifier.bundle(file('proof-new.json'), new_key);
  t.is(foreign.exitCode, 0, foreign.all);

  const { url, query } = JSON.parse(await called('notary', 'share', '--json')) as { url: string; query: string };
  const { note, path } = JSON.parse(await called(...handing, '--json')) as { note: string; path: string };
  const fetched = await fetch(`${url}${path.slice(origin.length)}?${query}`);
  t.is(await fetched.text(), note, 'outsiders read it');

  const stranger = keyText(mintedKey());
  const refused = await renderctl('verify', 'log', '--key', stranger);
  t.is(refused.exit_code, 1);
  t.true(refused.stderr.includes(`no succession leads there from ${stranger}`), refused.stderr);
  const proof = JSON.parse(await readFile(file('proof-new.json'), 'utf8')) as object;
  await writeFile(file('proof-cut.json'), JSON.stringify({ ...proof, successions: [] }));
  const cut = await renderctl('verify', file('proof-cut.json'), '--key', old_key);
  t.true(cut.stderr.includes(`no succession leads there from ${old_key}`), cut.stderr);
});
