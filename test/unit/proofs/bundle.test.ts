import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { isLeft } from 'fp-ts/lib/Either.js';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { verifiedBundleAnswer, verifiedBundleText } from '../../../cli/prove/proven-text.ts';
import { parseBundle, verifyBundle } from '../../../proofs/bundle/proof-bundle.ts';
import { verifierKeyText } from '../../../proofs/notes/keys.ts';
import { successionNote } from '../../../proofs/notes/succession.ts';
import { caller } from '../../helpers/renderctl.ts';
import { IN_FULL } from '../../helpers/runs.ts';
import { freshKey, jsonOf, LOG_KEY, madeBundles, TYPES } from './_bundle.ts';

/** The proven facts in a comparable form; null if the file is refused. Any other error fails the test. */
const provenOf = (text: string) => {
  const bundle = parseBundle(text);
  if (isLeft(bundle)) return { refused: bundle.left };
  const proven = verifyBundle(bundle.right, [LOG_KEY], []);
  if (isLeft(proven)) return { refused: proven.left };
  const { records, ...answer } = verifiedBundleAnswer(bundle.right, proven.right);
  verifiedBundleText({ records, ...answer });
  return { ...answer, records: records.map(({ type_in_file, ...record }) => record) };
};

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Random = { readonly below: (n: number) => number; readonly pick: <A>(all: readonly A[]) => A | undefined };

const randomOf = (seed: number): Random => {
  const generator = xoroshiro128plus(seed);
  const below = (n: number): number => uniformInt(generator, 0, Math.max(0, n - 1));
  return { below, pick: (all) => all[below(all.length)] };
};

const ODD: readonly Json[] = [
  ...[null, true, 0.5, -1, -0, 1e300, 2 ** 53, 2 ** 31, 253_402_300_800_000, 8.64e15 + 1, '', '\u001b[2J', 'PROVEN'],
  ...[[], {}, 'AA==', '0', '__proto__', 'render-status', 'rend_01JD0000000000000000000002'],
];

const pathsOf = (json: Json, path: readonly string[] = []): readonly (readonly string[])[] => [
  path,
  ...(json !== null && typeof json === 'object'
    ? Object.entries(json).flatMap(([key, value]) => pathsOf(value, [...path, key]))
    : []),
];

const at = (json: Json, path: readonly string[]): Json =>
  path.reduce<Json>((found, key) => (Object(found) as Record<string, Json>)[key] ?? null, json);

const changed = (json: Json, [key, ...rest]: readonly string[], value: Json | undefined): Json => {
  if (key === undefined) return value ?? null;
  if (Array.isArray(json)) {
    const i = Number(key);
    if (rest.length === 0 && value === undefined) return json.toSpliced(i, 1);
    return json.with(i, changed(json[i], rest, value));
  }
  const { [key]: before, ...others } = Object(json) as Record<string, Json>;
  return rest.length === 0 && value === undefined ? others : { ...others, [key]: changed(before ?? null, rest, value) };
};

const spoiltText = (text: string, { below }: Random): string => {
  const i = below(text.length);
  const other = String.fromCharCode(32 + below(95));
  return text.slice(0, i) + other + text.slice(i + below(2));
};

const otherNumber = (value: number, { pick }: Random): number =>
  pick([value + 1, value - 1, value + 0.5, -value, value * 2, value + 7]) ?? 0;

const otherArray = (value: readonly Json[], random: Random): readonly Json[] => {
  const i = random.below(value.length);
  const again = value.slice(i, i + 1);
  return (
    random.pick([
      value.toReversed(),
      value.toSpliced(i, 1),
      value.toSpliced(random.below(value.length + 1), 0, ...again),
      [...value.slice(i), ...value.slice(0, i)],
      value.slice(0, i),
    ]) ?? []
  );
};

const otherMembers = (value: { readonly [key: string]: Json }, { pick }: Random): Json => {
  const keys = Object.keys(value);
  const [one = '', two = ''] = [pick(keys), pick(keys)];
  return { ...value, [one]: value[two] ?? null, [two]: value[one] ?? null };
};

const otherValue = (value: Json, random: Random): Json | undefined => {
  if (random.below(5) === 0) return random.pick(ODD);
  if (random.below(12) === 0) return undefined;
  if (typeof value === 'string') return spoiltText(value, random);
  if (typeof value === 'number') return otherNumber(value, random);
  if (Array.isArray(value)) return otherArray(value, random);
  return value !== null && typeof value === 'object'
    ? otherMembers(value as { readonly [key: string]: Json }, random)
    : (random.pick(ODD) ?? null);
};

/** One mutation: a changed place, a swap of two places, or a value from another proof of the same log. */
const mutated = (json: Json, others: readonly Json[], random: Random): Json => {
  const paths = pathsOf(json);
  // Half of the mutations avoid the proofs, which have by far the most places.
  const path = random.pick(random.below(2) === 0 ? paths.filter((one) => one.length < 4) : paths) ?? [];
  switch (random.below(4)) {
    case 0:
      return changed(json, path, at(random.pick(others) ?? null, path));
    case 1:
      return changed(json, path, at(json, random.pick(paths.filter((one) => one.length === path.length)) ?? []));
    default:
      return changed(json, path, otherValue(at(json, path), random));
  }
};

type Found = ReturnType<typeof provenOf>;

/**
 * Whether the proven facts are the original ones. Records can be missing: a proof of some of them is valid, and says
 * that it does not show all.
 */
const isSame = (found: Found, original: Found): boolean => {
  if ('refused' in found || 'refused' in original) return false;
  const { records, ...rest } = found;
  const { records: all, ...original_rest } = original;
  const known = all.map((one) => JSON.stringify(one));
  const places = records.map((one) => known.indexOf(JSON.stringify(one)));
  return (
    JSON.stringify(rest) === JSON.stringify(original_rest) &&
    places.length > 0 &&
    places.every((place, i) => place > (places[i - 1] ?? -1))
  );
};

/** 10,000 with all runs (`make soak-render`). */
const MUTATIONS = IN_FULL ? 10_000 : 400;

for (const count of [0, 2])
  test(`a changed proof with ${count} successions proves the same, or is refused`, async (t) => {
    t.timeout(600_000);
    const bundles = await madeBundles(Array.from({ length: count }, () => freshKey()));
    const [bundle, ...others] = bundles.map((one) => jsonOf(one) as Json);
    if (bundle === undefined) return t.fail();
    // A mutation with parts of another proof can become that other proof.
    const originals = [bundle, ...others]
      .map((one) => provenOf(JSON.stringify(one)))
      .filter((one) => !('refused' in one));
    t.true(originals.length > 1);
    const outcomes = { same: 0, refused: 0 };
    for (let seed = 1; seed <= MUTATIONS; seed += 1) {
      const random = randomOf(seed);
      let text = JSON.stringify(bundle);
      for (let n = 0; n <= random.below(3); n += 1) text = JSON.stringify(mutated(JSON.parse(text), others, random));
      if (random.below(20) === 0) text = spoiltText(text, random);
      const found = provenOf(text);
      if ('refused' in found) outcomes.refused += 1;
      else if (originals.some((original) => isSame(found, original))) outcomes.same += 1;
      else t.fail(`seed ${seed} proves something else: ${JSON.stringify(found).slice(0, 2_000)}`);
    }
    t.log(JSON.stringify(outcomes));
    t.true(outcomes.refused > MUTATIONS / 4 && outcomes.same > 0);
  });

/** The bytes of this type also fit the first schemas of RenderingFinished. */
const AMBIGUOUS: readonly string[] = ['RenderProgressed'];

const TOLD = TYPES.map((type) => (AMBIGUOUS.includes(type) ? null : type));

test('types are those of the bytes, whatever the schemas in the file are', async (t) => {
  const [bundle] = await madeBundles();
  if (bundle === undefined) return t.fail();
  const types = (text: string): readonly (string | null)[] => {
    const found = provenOf(text);
    return 'refused' in found ? [found.refused] : found.records.map(({ type }) => type);
  };
  const json = jsonOf(bundle);
  t.deepEqual(types(JSON.stringify(json)), TOLD);
  const schemas = Object.entries(json.schemas as Record<string, string>);
  const relabelled = Object.fromEntries(schemas.map(([id], i) => [id, schemas.at(i - 1)?.[1] ?? '']));
  t.deepEqual(types(JSON.stringify({ ...json, schemas: relabelled })), TOLD);
  t.deepEqual(types(JSON.stringify({ ...json, schemas: {} })), TOLD);
});

const files = async (t: { readonly teardown: (end: () => Promise<void>) => void }) => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle '));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return async (json: object) => {
    const file = join(folder, 'proof.json');
    await writeFile(file, JSON.stringify(json));
    return await caller({})('verify', file, '--key', verifierKeyText(LOG_KEY));
  };
};

test('repeated, reversed or foreign records and invalid numbers exit with 1', async (t) => {
  const verify = await files(t);
  const [bundle, elsewhere, status] = (await madeBundles()).map(jsonOf);
  if (bundle === undefined || elsewhere === undefined || status === undefined) return t.fail();
  t.is((await verify(bundle)).exit_code, 0);
  const records = bundle.records as readonly Record<string, unknown>[];
  const [first = {}, second = {}, ...rest] = records;
  const of = (other: Record<string, unknown>) => other.records as readonly Record<string, unknown>[];
  const cases: readonly (readonly [readonly Record<string, unknown>[], RegExp])[] = [
    [[first, first, second, ...rest], /record 3 of render-events\/0 follows record 3/],
    [records.toReversed(), /record 31 of render-events\/0 follows record 38/],
    [[...records, ...of(elsewhere)], /a record is of render-events\/1, and others are of render-events\/0/],
    [of(status), /render-status\/1 is not of render-events/],
    [[], /it has no records/],
    [[{ ...first, offset: 0.5 }], /records\.0\.offset is missing or invalid/],
    [[{ ...first, offset: -1 }], /records\.0\.offset/],
    [[{ ...first, append_time_ms: 1e300 }], /records\.0\.append_time_ms/],
    [[{ ...first, partition: 1.5 }], /records\.0\.partition/],
  ];
  for (const [changed_records, said] of cases) {
    const { exit_code, stdout, stderr } = await verify({ ...bundle, records: changed_records });
    t.is(exit_code, 1);
    t.is(stdout, '');
    t.regex(stderr, /proof\.json is not a valid proof: /);
    t.regex(stderr, said);
  }
});

test('a type that the bytes lack is shown as the file declares it', async (t) => {
  const verify = await files(t);
  const [bundle] = (await madeBundles()).map(jsonOf);
  const { stdout } = await verify(bundle ?? {});
  for (const type of TYPES)
    t.regex(stdout, new RegExp(`Z  ${type}${AMBIGUOUS.includes(type) ? ' \\(according to the file\\)' : ''}\\n`));
});

test("successions in a file let the old key's holder verify the new key", async (t) => {
  const verify = await files(t);
  const [second, third, stranger] = [freshKey(), freshKey(), freshKey()];
  const [bundle] = (await madeBundles([second, third])).map(jsonOf);
  if (bundle === undefined) return t.fail();
  const [first_note = '', second_note = ''] = bundle.successions as readonly string[];
  const { stdout } = await verify(bundle);
  t.regex(stdout, /^PROVEN: /);
  for (const [from, to, entries] of [
    [LOG_KEY, second, 1],
    [second, third, 2],
  ] as const)
    t.true(
      stdout.includes(`  ${verifierKeyText(from)}\n  handed over at ${entries} entries to\n  ${verifierKeyText(to)}\n`),
    );
  t.is((await verify({ ...bundle, successions: [second_note, first_note] })).exit_code, 0, 'in any order');

  const root = Buffer.alloc(32, 1);
  const forged = (changed: Partial<Parameters<typeof successionNote>[0]>): string =>
    successionNote({ from: LOG_KEY, to: second, size: 1, root, ...changed });
  const unsigned = first_note.replace(verifierKeyText(second), verifierKeyText(third));
  const cases: readonly (readonly [readonly string[] | undefined, string])[] = [
    [undefined, 'signed by none of the keys that are known'],
    [[second_note], `no succession leads there from ${verifierKeyText(LOG_KEY)}`],
    [[first_note], `no succession leads there from ${verifierKeyText(second)}`],
    [
      [unsigned, second_note],
      `the succession of ${verifierKeyText(LOG_KEY)} is not valid: it has no valid signature of`,
    ],
    [[forged({ to: freshKey('elsewhere/2') })], `is not valid: it names a key of another log: elsewhere/2+`],
    [[first_note, second_note, forged({ to: stranger })], `it has two successions of ${verifierKeyText(LOG_KEY)}`],
    [[first_note, second_note, first_note], `it has two successions of ${verifierKeyText(LOG_KEY)}`],
    [
      [first_note, second_note, forged({ from: third, to: LOG_KEY })],
      `the successions of ${verifierKeyText(LOG_KEY)} lead back to ${verifierKeyText(LOG_KEY)}`,
    ],
    [
      [first_note, second_note, forged({ from: third, to: stranger, size: 4 })],
      `is signed by ${verifierKeyText(third)}, which handed over at 4 entries to ${verifierKeyText(stranger)}`,
    ],
    [['nothing'], 'it has a succession that names no old key'],
    [Array.from({ length: 65 }, () => first_note), 'it has more than 64 successions of keys'],
  ];
  for (const [successions, said] of cases) {
    const { exit_code, stdout: told, stderr } = await verify({ ...bundle, successions });
    t.is(exit_code, 1, said);
    t.is(told, '');
    t.true(stderr.includes(said), `${said}: ${stderr}`);
  }
});
