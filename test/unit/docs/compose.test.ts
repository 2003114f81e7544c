import { readFileSync } from 'node:fs';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { PARTS } from '../../../platform/configuration/parts.ts';
import { COMPONENTS } from '../../../stack/components.ts';

const compose = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');

const VARIABLES = PARTS.flatMap(({ variables }) => Object.values(variables));

/** What every component and the deploy step get. */
const settings = Array.from(
  /^x-settings:.*?\n(.*?)^\S/ms.exec(compose)?.[1]?.matchAll(/^ {2}([A-Z_]+):/gm) ?? [],
  ([, name]) => name ?? '',
);

test('the containers are given every variable that must be set, and none that nobody reads', (t) => {
  t.true(settings.length > 8);
  const given = new Set(Array.from(compose.matchAll(/^ +([A-Z_]+):/gm), ([, name]) => name));
  const needed = VARIABLES.filter((variable) => E.isLeft(variable.absent())).map(({ name }) => name);
  t.true(needed.includes('WEBHOOK_SECRETS_KEY'));
  for (const name of needed) t.true(given.has(name), name);
  const known = VARIABLES.map(({ name }) => name);
  for (const name of settings) t.true(known.includes(name), name);
});

test('the image asks for health where it says that health listens', (t) => {
  const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const set = Array.from(/^ENV (.*)$/m.exec(dockerfile)?.[1]?.matchAll(/([A-Z_]+)=/g) ?? [], ([, name]) => name ?? '');
  const known = VARIABLES.map(({ name }) => name);
  for (const name of set) t.true(known.includes(name) || name === 'PATH', name);
  const probed = /^HEALTHCHECK [\s\S]*?process\.env\.([A-Z_]+) \+ '\/health\/ready'/m.exec(dockerfile)?.[1];
  t.is(probed, 'HEALTH_PORT');
  t.true(set.includes('HEALTH_PORT'));
});

test('every secret that has to be made is in the line that makes them', (t) => {
  const made = /^# +for name in ([A-Z_ ]+);/m.exec(compose)?.[1]?.split(' ') ?? [];
  const asked = new Set(Array.from(compose.matchAll(/^ +([A-Z_]+): \$\{\1:\?/gm), ([, name]) => name ?? ''));
  t.deepEqual(made.toSorted(), [...asked].toSorted());
  t.true(made.length >= 3);
});

test('each container has the secrets that its component has in an embedded stack; renderctl is run in one of them', (t) => {
  for (const { name, secrets = [] } of COMPONENTS) {
    const service = new RegExp(`^  ${name}:\n(.*?)(?=^ {0,2}\\S)`, 'ms').exec(compose)?.[1] ?? '';
    const given = Array.from(service.matchAll(/^ +([A-Z_]+): \$\{\1:\?/gm), ([, secret]) => secret ?? '');
    const wanted = name === 'command-api' ? [...secrets, 'WEBHOOK_SECRETS_KEY'] : secrets;
    t.deepEqual(given, [...wanted], name);
  }
});
