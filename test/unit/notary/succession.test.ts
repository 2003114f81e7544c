import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { type CliFault, reportOf } from '../../../cli/fault.ts';
import { handOverKey } from '../../../cli/notary/hand-over.ts';
import { type VerifiedTopics, type VerifyTopicsOptions, verifyTopics } from '../../../cli/verify/verify-topics.ts';
import { createLogCheck } from '../../../notary/check-log.ts';
import { writeKeys } from '../../../notary/keys.ts';
import { NotExtended } from '../../../platform/proof-log/not-extended.ts';
import { type SignerKey, signerKey, verifierKeyText } from '../../../proofs/notes/keys.ts';
import { parseNote } from '../../../proofs/notes/signed-note.ts';
import { parseSuccession, successionNote } from '../../../proofs/notes/succession.ts';
import {
  appendForged,
  forgedHead,
  forgeTiles,
  type KeyHolder,
  signEntries,
  signedEntries,
} from '../../helpers/key-holder.ts';
import { runs } from '../../helpers/runs.ts';
import { createWorld, KEY, ORIGIN, type Passage } from './_world.ts';

// Keys of the notary that succeed one another. The tests show which of them a verifier of one key accepts, and what
// the holder of an old key can do.

type World = ReturnType<typeof createWorld>;

const freshKey = (name = ORIGIN): SignerKey => signerKey('note', name, generateKeyPairSync('ed25519').privateKey);
const [SECOND, THIRD, STRANGER] = [freshKey(), freshKey(), freshKey()];

const PLACE = { topic: 'render-events', partition: 1 };
const TIME_MS = 1_764_100_000_000;

const DIRECT: Passage = async (serve) => serve();

const proofsOf = (world: World, pass: Passage = DIRECT) => ({
  ...world.reading(),
  origin: ORIGIN,
  blobs: {
    read: (path: string) => pass(() => world.blobs().get(path) ?? null),
    replace: (path: string, bytes: Buffer, version: string | null) =>
      pass(() => {
        if ((world.blobs().get(path)?.version ?? null) !== version) return false;
        world.put(path, bytes);
        return true;
      }),
  },
});

const checkpointIn = (world: World): string => world.blobs().get(world.paths.checkpoint)?.bytes.toString() ?? '';

type Audit = Partial<Omit<VerifyTopicsOptions, 'checkpoints'>> &
  Pick<VerifyTopicsOptions, 'keys'> & { readonly checkpoints?: readonly string[] };

const audited = async (world: World, { checkpoints = [], ...asked }: Audit) =>
  await verifyTopics(proofsOf(world), {
    ...{ topics: null, stop: new AbortController().signal, onProgress: () => undefined },
    ...asked,
    checkpoints: checkpoints.map((text, i) => ({ path: `kept ${i}`, text })),
  });

const faultText = (found: E.Either<CliFault, unknown>): string => {
  if (E.isRight(found)) return 'nothing is wrong';
  const { message, details } = reportOf(found.left);
  return [message, ...details].join('; ');
};

const verified = (found: E.Either<CliFault, VerifiedTopics>): VerifiedTopics => {
  if (E.isLeft(found)) throw new Error(faultText(found));
  return found.right;
};

const handedOver = async (world: World, from: SignerKey, to: SignerKey) => {
  const found = await handOverKey(proofsOf(world), { from, to });
  if (E.isLeft(found)) throw new Error(faultText(found));
  return found.right;
};

/** The notary appends and signs with this key, to which the former ones handed over. */
const signWith = async (world: World, signer: SignerKey, former: readonly SignerKey[], count = 40): Promise<void> => {
  world.append(PLACE.topic, PLACE.partition, count);
  await writeKeys(proofsOf(world).blobs, world.paths, [signer, ...former]);
  await world.notary(undefined, undefined, { signer, former }).sign(false);
};

const holderOf = (world: World, signer: SignerKey): KeyHolder => ({
  ...world.reading(),
  signer,
  put: async (path, bytes) => world.put(path, bytes),
});

/** Two entries of the first key, two of the second, two of the third; a checkpoint after each entry. */
const rotatedWorld = async () => {
  const world = createWorld();
  const kept: string[] = [];
  const sign = async (signer: SignerKey, former: readonly SignerKey[]) => {
    for (let i = 0; i < 2; i += 1) {
      await signWith(world, signer, former);
      kept.push(checkpointIn(world));
    }
  };
  await sign(KEY, []);
  await handedOver(world, KEY, SECOND);
  await sign(SECOND, [KEY]);
  await handedOver(world, SECOND, THIRD);
  await sign(THIRD, [SECOND, KEY]);
  return { world, kept };
};

const rewrite = (world: World, offset: number): void => {
  const records = world.log.get('render-events/1') ?? [];
  const [record] = records.slice(offset);
  if (record !== undefined) records[offset] = { ...record, value: Buffer.from(`rewritten ${offset}`) };
};

/** The log from entry `begun`, rewritten and signed. */
const fork = async (world: World, signer: SignerKey, begun: number, published = THIRD): Promise<void> => {
  const holder = holderOf(world, signer);
  const entries = (await signedEntries({ ...holder, signer: published })).slice(0, begun);
  const size = world.log.get('render-events/1')?.length ?? 0;
  await forgeTiles(holder, PLACE, size);
  await signEntries(holder, entries);
  await appendForged(holder, [{ time_ms: TIME_MS, heads: [await forgedHead(holder, PLACE, size)] }]);
};

const putSuccession = (world: World, from: SignerKey, note: string): void =>
  world.put(world.paths.succession(from), Buffer.from(note));

test('any one of the keys verifies the log and all of its checkpoints', async (t) => {
  const { world, kept } = await rotatedWorld();
  for (const [key, count] of [
    [KEY, 2],
    [SECOND, 1],
    [THIRD, 0],
  ] as const) {
    const { signed_by, successions, checkpoints } = verified(await audited(world, { keys: [key], checkpoints: kept }));
    t.is(signed_by, verifierKeyText(THIRD));
    t.is(successions.length, count);
    t.deepEqual(checkpoints, [1, 2, 3, 4, 5, 6, 6]);
  }
  t.deepEqual(verified(await audited(world, { keys: [KEY] })).successions, [
    { from: verifierKeyText(KEY), to: verifierKeyText(SECOND), entries: 2 },
    { from: verifierKeyText(SECOND), to: verifierKeyText(THIRD), entries: 4 },
  ]);
  verified(await audited(world, { keys: [KEY], topics: ['render-events'] }));
  // Without successions, a verifier gives all keys, or none to use the listed ones. Both are still accepted.
  verified(await audited(world, { keys: [KEY, SECOND, THIRD], checkpoints: kept }));
  verified(await audited(world, { keys: null, checkpoints: kept }));
  const check = createLogCheck({
    ...{ ...world.reading(), keys: [KEY], pace: async () => undefined },
    stop: new AbortController().signal,
  });
  t.is(await check(), 240);
});

test('after a hand-over either key verifies, and the checkpoint has both signatures', async (t) => {
  const world = createWorld();
  await signWith(world, KEY, []);
  const { entries, note } = await handedOver(world, KEY, SECOND);
  t.is(entries, 1);
  t.true(E.isRight(parseSuccession(note)));
  for (const key of [KEY, SECOND]) verified(await audited(world, { keys: [key] }));
  const checkpoint = parseNote(checkpointIn(world));
  t.is(E.isRight(checkpoint) ? checkpoint.right.signatures.length : 0, 2);
  t.is((await handedOver(world, KEY, SECOND)).note, note, 'it may be repeated');
});

test('a notary that still has the old key stops and names the new one', async (t) => {
  const world = createWorld();
  const old = world.notary();
  world.append(PLACE.topic, PLACE.partition, 5);
  await old.sign(false);
  await handedOver(world, KEY, SECOND);
  world.append(PLACE.topic, PLACE.partition, 5);
  const message = `the key of this notary, ${verifierKeyText(KEY)}, handed over at 1 entries to ${verifierKeyText(SECOND)}: start the notary with that one as NOTARY_KEY`;
  for (const notary of [old, world.notary()])
    await t.throwsAsync(notary.sign(false), { instanceOf: NotExtended, message });
  await signWith(world, SECOND, [KEY]);
  await t.throwsAsync(old.sign(false), { message });
  verified(await audited(world, { keys: [KEY] }));
});

test('a key between two others is known from their signatures', async (t) => {
  const { world } = await rotatedWorld();
  const fourth = freshKey();
  await handedOver(world, THIRD, fourth);
  await signWith(world, fourth, [KEY]);
  t.is(verified(await audited(world, { keys: [KEY] })).successions.length, 3);
});

test('a succession made after the notary has the new key is valid too', async (t) => {
  const world = createWorld();
  await signWith(world, KEY, []);
  await signWith(world, SECOND, [KEY]);
  const kept = checkpointIn(world);
  t.regex(faultText(await audited(world, { keys: [KEY] })), /is signed by none of the keys that are known/);
  const { entries } = await handedOver(world, KEY, SECOND);
  t.is(entries, 2);
  await signWith(world, SECOND, [KEY]);
  verified(await audited(world, { keys: [KEY], checkpoints: [kept] }));
});

test("without a succession, the old key's owner learns which key signed", async (t) => {
  const world = createWorld();
  await signWith(world, KEY, []);
  await signWith(world, SECOND, [KEY]);
  const said = faultText(await audited(world, { keys: [KEY] }));
  t.true(said.includes(`the key with the id ${SECOND.id.toString('hex')} signed it`), said);
  t.true(said.includes(`no succession leads there from ${verifierKeyText(KEY)}`), said);
  verified(await audited(world, { keys: [KEY, SECOND] }));
  const elsewhere = freshKey('rendering/elsewhere/2');
  t.true(
    faultText(await audited(world, { keys: [elsewhere] })).includes(
      `these are of another log: ${verifierKeyText(elsewhere)}`,
    ),
  );
});

/** Notes in place of the succession of the first key, and the error for each. */
const FORGED: Readonly<Record<string, readonly [(root: Buffer) => string, string]>> = {
  'is not a note': [() => 'nothing', 'it is not a signed note'],
  'is a checkpoint': [
    () => `${ORIGIN}\n2\n${KEY.id.toString('base64')}\n\n— ${ORIGIN} AAAAAAAA\n`,
    'it is not a "rendering key succession 1"',
  ],
  "lacks the old key's signature": [
    (root) => successionNote({ from: KEY, to: STRANGER, size: 2, root }).replace(/\n\n— .*\n/, '\n\n'),
    `it has no valid signature of ${verifierKeyText(KEY)}`,
  ],
  "lacks the new key's signature": [
    (root) => successionNote({ from: KEY, to: SECOND, size: 2, root }).replace(/(\n\n— .*\n).*\n$/, '$1'),
    `it has no valid signature of ${verifierKeyText(SECOND)}`,
  ],
  'is edited': [
    (root) => successionNote({ from: KEY, to: SECOND, size: 2, root }).replace('\n2\n', '\n9\n'),
    `it has no valid signature of ${verifierKeyText(KEY)}`,
  ],
  'names a key of another log': [
    (root) => successionNote({ from: KEY, to: freshKey('rendering/elsewhere/2'), size: 2, root }),
    'it names a key of another log: rendering/elsewhere/2+',
  ],
  'belongs to another log': [
    (root) => {
      const from = signerKey('note', 'rendering/elsewhere/2', KEY.private_key);
      return successionNote({ from, to: freshKey('rendering/elsewhere/2'), size: 2, root });
    },
    'is that of rendering/elsewhere/2+',
  ],
  'belongs to another key': [
    (root) => successionNote({ from: STRANGER, to: freshKey(), size: 2, root }),
    `is that of ${verifierKeyText(STRANGER)}`,
  ],
  'names itself': [(root) => successionNote({ from: KEY, to: KEY, size: 2, root }), 'it names the same key again'],
  'has no tree': [() => successionNote({ from: KEY, to: SECOND, size: 0, root: Buffer.alloc(32) }), 'it has no size'],
};

for (const [what, [noteOf, said]] of Object.entries(FORGED))
  test(`a succession that ${what} is refused with the key that it is stored for`, async (t) => {
    const { world } = await rotatedWorld();
    putSuccession(world, KEY, noteOf(Buffer.alloc(32, 1)));
    const found = faultText(await audited(world, { keys: [KEY] }));
    t.true(found.includes(`the succession of ${verifierKeyText(KEY)} is`), found);
    t.true(found.includes(said), found);
    verified(await audited(world, { keys: [THIRD] }));
    await t.throwsAsync(signWith(world, THIRD, [SECOND, KEY]), { instanceOf: NotExtended });
    t.regex(faultText(await handOverKey(proofsOf(world), { from: KEY, to: SECOND })), /^the key was not replaced: /);
  });

test('circular successions, and more than 64 of them, are refused', async (t) => {
  const { world } = await rotatedWorld();
  const root = Buffer.alloc(32, 1);
  putSuccession(world, THIRD, successionNote({ from: THIRD, to: SECOND, size: 6, root }));
  for (const key of [KEY, SECOND, THIRD])
    t.regex(faultText(await audited(world, { keys: [key] })), /the successions of \S+ lead back to /);
  const keys = [THIRD, ...Array.from({ length: 65 }, () => freshKey())];
  for (const [i, to] of keys.slice(1).entries()) {
    const from = keys[i] ?? THIRD;
    putSuccession(world, from, successionNote({ from, to, size: 6, root }));
  }
  t.true(
    faultText(await audited(world, { keys: [THIRD] })).includes(
      `${verifierKeyText(THIRD)} has more than 64 successions`,
    ),
  );
  // From the second key on, the chain has 64 successions, which are followed to the end.
  t.regex(faultText(await audited(world, { keys: keys.slice(1, 2) })), /is signed by none of the keys that are known/);
});

test('only the signing key hands over, once, to a new key', async (t) => {
  const { world } = await rotatedWorld();
  const refusals: readonly (readonly [SignerKey, SignerKey, RegExp])[] = [
    [KEY, STRANGER, /the key was not replaced: the checkpoint of \S+ is signed by none .*is this the old key\?$/],
    [STRANGER, freshKey(), /is signed by none .*is this the old key\?$/],
    [THIRD, KEY, /is already replaced by another key: create a new key$/],
    [THIRD, THIRD, /the old key and the new key are the same$/],
  ];
  for (const [from, to, said] of refusals) t.regex(faultText(await handOverKey(proofsOf(world), { from, to })), said);
  await handedOver(world, THIRD, STRANGER);
  t.regex(
    faultText(await handOverKey(proofsOf(world), { from: THIRD, to: freshKey() })),
    /a key can be replaced only once$/,
  );
  t.regex(
    faultText(await handOverKey(proofsOf(createWorld()), { from: KEY, to: SECOND })),
    /there is no checkpoint yet/,
  );
});

test('swapped key files hand over nothing', async (t) => {
  const world = createWorld();
  await signWith(world, KEY, []);
  const swapped = () => handOverKey(proofsOf(world), { from: SECOND, to: KEY });
  t.regex(faultText(await swapped()), /already signs checkpoints, but \S+ never did: are the two files swapped\?$/);
  await signWith(world, SECOND, [KEY]);
  t.regex(faultText(await swapped()), /is an earlier key than \S+: are the two files swapped\?$/);
  await handedOver(world, KEY, SECOND);
  t.regex(faultText(await swapped()), /is already replaced by another key: create a new key/);
});

test("verifiers and the notary refuse a thief's signatures after the hand-over", async (t) => {
  const { world, kept } = await rotatedWorld();
  rewrite(world, 90);
  await fork(world, KEY, 2);
  const said = `the checkpoint of 3 entries is signed by ${verifierKeyText(KEY)}, which handed over at 2 entries to ${verifierKeyText(SECOND)}`;
  for (const keys of [[KEY], [KEY, SECOND, THIRD]]) t.true(faultText(await audited(world, { keys })).includes(said));
  t.regex(faultText(await audited(world, { keys: [THIRD], checkpoints: kept })), /none of the keys that are known/);
  await t.throwsAsync(signWith(world, THIRD, [SECOND, KEY]), { instanceOf: NotExtended, message: /handed over at 2/ });
});

test('a removed succession is visible in every later checkpoint and the new key', async (t) => {
  const { world, kept } = await rotatedWorld();
  rewrite(world, 90);
  await fork(world, KEY, 2);
  world.blobs().delete(world.paths.succession(KEY));
  // Without the note, the first key alone still verifies the fork, because nothing shows that this key has a successor.
  verified(await audited(world, { keys: [KEY], checkpoints: kept.slice(0, 2) }));
  const said = faultText(await audited(world, { keys: [KEY], checkpoints: kept.slice(0, 3) }));
  t.true(said.includes(`the key with the id ${SECOND.id.toString('hex')} signed it`), said);
  t.regex(faultText(await audited(world, { keys: [THIRD] })), /is signed by none of the keys that are known/);
  t.regex(
    faultText(await audited(world, { keys: [KEY, THIRD], checkpoints: kept.slice(5) })),
    /the log of heads has 3 entries, but 6 were signed/,
  );
});

test('a thief who names another successor cannot change saved checkpoints', async (t) => {
  const { world, kept } = await rotatedWorld();
  const [first_kept = '', , third_kept = ''] = kept;
  rewrite(world, 90);
  await fork(world, KEY, 2);
  world.blobs().delete(world.paths.succession(KEY));
  await handedOver(world, KEY, STRANGER);
  const head = await forgedHead(holderOf(world, STRANGER), PLACE, 240);
  await appendForged(holderOf(world, STRANGER), [{ time_ms: TIME_MS, heads: [head] }]);
  verified(await audited(world, { keys: [KEY], checkpoints: [first_kept] }));
  // The thief's chain does not lead to the honest successor, so its checkpoint is refused.
  t.regex(
    faultText(await audited(world, { keys: [KEY], checkpoints: [third_kept] })),
    /is signed by none of the keys that are known: the key with the id/,
  );
  t.regex(faultText(await audited(world, { keys: [SECOND] })), /is signed by none of the keys that are known/);
  rewrite(world, 5);
  await fork(world, STRANGER, 2, STRANGER);
  world.blobs().delete(world.paths.succession(KEY));
  await handedOver(world, KEY, STRANGER);
  t.regex(
    faultText(await audited(world, { keys: [KEY], checkpoints: [first_kept] })),
    /render-events\/1: a record from 0 to 39 is not what was signed, as entry 0 /,
  );
});

test('a log that is rewritten from before the hand-over does not extend its tree', async (t) => {
  const { world } = await rotatedWorld();
  rewrite(world, 5);
  await fork(world, THIRD, 1);
  for (const key of [KEY, SECOND])
    t.regex(
      faultText(await audited(world, { keys: [key] })),
      /the log of heads has 2 entries, but a key handed over to its successor at 4 entries/,
    );
  for (let i = 0; i < 3; i += 1)
    await appendForged(holderOf(world, THIRD), [
      { time_ms: TIME_MS + i, heads: [await forgedHead(holderOf(world, THIRD), PLACE, 240)] },
    ]);
  for (const key of [KEY, SECOND, THIRD])
    t.regex(
      faultText(await audited(world, { keys: [key] })),
      /the log of heads: .* not match the signed tree of [24] entries/,
    );
});

class Killed extends Error {}

test('killed notaries during a hand-over leave a log that either key verifies', async (t) => {
  t.timeout(120_000);
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(80), { minLength: 1, maxLength: 2 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
      async (scheduler, lives, appends) => {
        const world = createWorld();
        await signWith(world, KEY, []);
        const pass = (most: number): Passage => {
          let count = 0;
          return async (serve) => {
            await scheduler.schedule(Promise.resolve());
            count += 1;
            if (count > most) throw new Killed();
            return serve();
          };
        };
        const faults: unknown[] = [];
        const live = async (requests: number): Promise<void> => {
          const notary = world.notary(pass(requests));
          try {
            for (let round = 0; round < 4; round += 1) await notary.sign(false);
          } catch (error) {
            const is_over = error instanceof NotExtended && error.message.startsWith('the key of this notary');
            if (!(error instanceof Killed) && !is_over) faults.push(error);
          }
        };
        const grow = async (): Promise<void> => {
          for (const count of appends) {
            await scheduler.schedule(Promise.resolve());
            world.append(PLACE.topic, PLACE.partition, count);
          }
        };
        let entries = 0;
        const rotate = async (): Promise<void> => {
          const found = await handOverKey(proofsOf(world, pass(Number.MAX_SAFE_INTEGER)), { from: KEY, to: SECOND });
          if (E.isLeft(found)) faults.push(faultText(found));
          else entries = found.right.entries;
        };
        await scheduler.waitFor(Promise.all([...lives.map(live), grow(), rotate()]));
        t.deepEqual(faults, []);
        const verdicts = [
          verified(await audited(world, { keys: [KEY] })),
          verified(await audited(world, { keys: [SECOND] })),
        ];
        for (const { checkpoints } of verdicts) t.deepEqual(checkpoints, [entries], 'the old key signed nothing later');
        const last = checkpointIn(world);
        await signWith(world, SECOND, [KEY]);
        for (const key of [KEY, SECOND]) verified(await audited(world, { keys: [key], checkpoints: [last] }));
      },
    ),
    { numRuns: runs(200) },
  );
});
