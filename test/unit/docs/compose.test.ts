import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import * as codec from 'io-ts';
import { parse } from 'yaml';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import {
  CURSORS,
  ENGINE,
  IDEMPOTENCY,
  OPERATION,
  OUTBOUND,
  PARTS,
  type Part,
  WEBHOOK_OPENING_KEYS,
  WEBHOOK_SEALING_KEY,
  WEBHOOK_SECRETS,
} from '../../../platform/configuration/parts.ts';
import { COMPONENTS, DEPLOY_STEP } from '../../../stack/components.ts';

const compose = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');

const File = codec.type({
  services: codec.record(
    codec.string,
    codec.partial({ environment: codec.record(codec.string, codec.string), command: codec.unknown }),
  ),
});
const decoded = File.decode(parse(compose, { merge: true }));
if (E.isLeft(decoded)) throw new Error('docker-compose.yml is not read');
const { services } = decoded.right;

/** What renderctl decodes beside what the command API does, in whose container it is run. */
const OF_RENDERCTL: readonly Part[] = [ENGINE, OUTBOUND, WEBHOOK_SEALING_KEY, WEBHOOK_SECRETS];

const RUN: readonly { readonly name: string; readonly entry: string; readonly parts: readonly Part[] }[] = [
  ...COMPONENTS.map(({ name, entry, parts }) => ({
    ...{ name, entry },
    parts: [OPERATION, ...parts, ...(name === 'command-api' ? OF_RENDERCTL : [])],
  })),
  { name: 'deploy', ...DEPLOY_STEP },
];

const variablesOf = (parts: readonly Part[]) => parts.flatMap(({ variables }) => Object.values(variables));
const givenTo = (name: string): readonly string[] => Object.keys(services[name]?.environment ?? {});

for (const { name, entry, parts } of RUN)
  test(`the container of ${name} is given every variable that must be set, and none that it does not decode`, (t) => {
    t.deepEqual(services[name]?.command, ['node', entry]);
    const decodes = variablesOf(parts).map((variable) => variable.name);
    t.deepEqual(
      givenTo(name).filter((given) => !decodes.includes(given)),
      [],
    );
    const needed = variablesOf(parts).filter((variable) => E.isLeft(variable.absent()));
    t.deepEqual(
      needed.map((variable) => variable.name).filter((one) => !givenTo(name).includes(one)),
      [],
    );
  });

test('only the relay is given what opens secrets of webhooks; renderctl no more than what opened the first ones', (t) => {
  const holding = (variable: string) => RUN.map(({ name }) => name).filter((name) => givenTo(name).includes(variable));
  t.deepEqual(holding('WEBHOOK_PRIVATE_KEYS'), ['webhook-relay']);
  t.deepEqual(holding('WEBHOOK_PUBLIC_KEY'), ['command-api']);
  t.deepEqual(holding('WEBHOOK_SECRETS_KEY'), ['command-api', 'webhook-relay']);
  // Where there is a public key, that stands in the place of the key of before.
  t.is(
    services['command-api']?.environment?.WEBHOOK_SECRETS_KEY,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of docker compose
    '${WEBHOOK_PUBLIC_KEY:-${WEBHOOK_SECRETS_KEY:-}}',
  );
});

test('webhooks and media are opened to own networks each by itself', (t) => {
  const ranges = (name: string) => services[name]?.environment?.OUTBOUND_ALLOWED_RANGES ?? '';
  t.regex(ranges('preparer'), /\{MEDIA_ALLOWED_RANGES:-\}/);
  t.regex(ranges('webhook-relay'), /\{OUTBOUND_ALLOWED_RANGES:-\}/);
});

test('the lines that make the secrets make all that are asked for, once, as they are read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'compose '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const lines = compose
    .split('\n')
    .filter((line) => /^# {3}/.test(line))
    .map((line) => line.slice(1));
  await execa('bash', ['-euc', lines.join('\n')], { cwd: folder });
  const made = Object.fromEntries(
    readFileSync(join(folder, '.env'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const asked = Array.from(compose.matchAll(/\$\{([A-Z_]+):\?/g), ([, name]) => name ?? '');
  t.deepEqual(Object.keys(made).toSorted(), [...asked, 'WEBHOOK_PRIVATE_KEYS', 'WEBHOOK_PUBLIC_KEY'].toSorted());
  const parts = { a: IDEMPOTENCY, b: CURSORS, opening: WEBHOOK_OPENING_KEYS, sealing: WEBHOOK_SEALING_KEY };
  const configuration = decodeConfiguration(made, parts);
  if (E.isLeft(configuration)) return t.fail(configuration.left.join('\n'));
  const { opening, sealing } = configuration.right;
  t.is(opening.private_keys[0]?.id, sealing.public_key?.id);
  t.is(opening.private_keys.length, 1);
});

test('the image asks for health where it says that health listens', (t) => {
  const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const set = Array.from(/^ENV (.*)$/m.exec(dockerfile)?.[1]?.matchAll(/([A-Z_]+)=/g) ?? [], ([, name]) => name ?? '');
  const known = variablesOf(PARTS).map(({ name }) => name);
  for (const name of set) t.true(known.includes(name) || name === 'PATH', name);
  const probed = /^HEALTHCHECK [\s\S]*?process\.env\.([A-Z_]+) \+ '\/health\/ready'/m.exec(dockerfile)?.[1];
  t.is(probed, 'HEALTH_PORT');
  t.true(set.includes('HEALTH_PORT'));
});
