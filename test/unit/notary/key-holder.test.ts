import test from 'ava';
import fc from 'fast-check';
import { createLogCheck } from '../../../notary/check-log.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import { verifyCheckpoint } from '../../../platform/proof-log/heads-log.ts';
import type { SignedSize } from '../../../platform/proof-log/partition-check.ts';
import { type VerifyLogOptions, verifyLog } from '../../../platform/proof-log/verify-log.ts';
import { type Head, type HeadsEntry, headsEntryText } from '../../../proofs/heads/heads-entry.ts';
import { appendLeaves, EMPTY_TREE, rootOf } from '../../../proofs/merkle/growing-tree.ts';
import { recordLeaf } from '../../../proofs/records/record-leaf.ts';
import {
  appendForged,
  forgedHead,
  forgeTiles,
  type KeyHolder,
  signEntries,
  signedEntries,
} from '../../helpers/key-holder.ts';
import { runs } from '../../helpers/runs.ts';
import { createWorld, KEY } from './_world.ts';

// The owner of the key rewrites the log and signs it, after a verifier has saved a checkpoint. The verifier finds each
// of these changes.

const PLACE = { topic: 'render-events', partition: 1 };
const PLACE_TEXT = 'render-events/1';
const DEPLOYMENT = { topic: 'deployment', partition: 0 };
/**
 * The numbers of records between the entries of one bundle, so many that its first and last entry do not determine the
 * others.
 */
const STEPS = [40, 3, 50, 7, 12, 1, 90, 60, 30, 20];
const SIZE = STEPS.reduce((sum, step) => sum + step);
const TIME_MS = 1_764_100_000_000;

const checkpointOf = (world: World): SignedSize => {
  const opened = verifyCheckpoint(world.blobs().get(world.paths.checkpoint)?.bytes.toString() ?? '', [KEY]);
  if (opened._tag === 'Left') throw new Error(opened.left);
  return opened.right;
};

type World = ReturnType<typeof createWorld>;

const recordsOf = (world: World, place = PLACE_TEXT): LogRecord[] => world.log.get(place) ?? [];

const holderOf = (world: World): KeyHolder => ({
  ...world.reading(),
  signer: KEY,
  put: async (path, bytes) => world.put(path, bytes),
});

const keptWorld = async () => {
  const world = createWorld();
  const notary = world.notary();
  world.append('deployment', 0, 6);
  world.append('render-events', 0, 5);
  for (const step of STEPS) {
    world.append(PLACE.topic, PLACE.partition, step);
    await notary.sign(false);
  }
  const kept = checkpointOf(world);
  world.append(PLACE.topic, PLACE.partition, 4);
  await notary.sign(false);
  return { world, kept, holder: holderOf(world) };
};

const audited = async (world: World, kept: readonly SignedSize[], asked: Partial<VerifyLogOptions> = {}) =>
  await verifyLog(world.reading(), {
    ...{ kept, newest: checkpointOf(world), topics: null, stop: new AbortController().signal },
    ...asked,
  });

const rewrite = (world: World, offset: number, place = PLACE_TEXT): void => {
  const records = recordsOf(world, place);
  const [record] = records.slice(offset);
  if (record !== undefined) records[offset] = { ...record, value: Buffer.from(`rewritten ${offset}`) };
};

/** Twelve further records, tiles for the current log, and one entry over all of it. */
const signAnew = async (world: World, holder: KeyHolder): Promise<void> => {
  world.append(PLACE.topic, PLACE.partition, 12);
  const size = recordsOf(world).length;
  await forgeTiles(holder, PLACE, size);
  await appendForged(holder, [{ time_ms: TIME_MS, heads: [await forgedHead(holder, PLACE, size)] }]);
};

const signedAround = (offset: number): readonly [number, number] => {
  let from = 0;
  for (const step of STEPS) {
    if (offset < from + step) return [from, from + step];
    from += step;
  }
  return [from, from + 4];
};

test('an unchanged log verifies, with the number of records that a saved checkpoint covers', async (t) => {
  const { world, kept } = await keptWorld();
  const { differences, partitions } = await audited(world, [kept]);
  t.deepEqual(differences, []);
  t.like(
    partitions.find(({ partition }) => partition === PLACE_TEXT),
    { records: SIZE + 4, signed: SIZE + 4, kept: SIZE },
  );
  t.like(
    partitions.find(({ partition }) => partition === 'deployment/0'),
    { records: 6, signed: 6, kept: 6 },
  );
});

test('one rewritten record is found between the two signed sizes around it', async (t) => {
  t.timeout(120_000);
  await fc.assert(
    fc.asyncProperty(fc.nat(SIZE - 1), async (offset) => {
      const { world, kept, holder } = await keptWorld();
      rewrite(world, offset);
      await signAnew(world, holder);
      const { differences } = await audited(world, [kept]);
      const [from, to] = signedAround(offset);
      t.is(differences.length, 1);
      const said = differences[0] ?? '';
      t.regex(
        said,
        new RegExp(`^${PLACE_TEXT}: (a )?record .* is not what was signed, as entry \\d+ of the log of heads has it`),
      );
      const [, one, first, last] = /: (?:record (\d+)|a record from (\d+) to (\d+)) /.exec(said) ?? [];
      t.deepEqual([Number(one ?? first), Number(one ?? last) + 1], [from, to], said);
    }),
    { numRuns: runs(100) },
  );
});

test('the rewritten record is also found with few heads at a time', async (t) => {
  const { world, kept, holder } = await keptWorld();
  rewrite(world, 45);
  await signAnew(world, holder);
  const whole = await audited(world, [kept]);
  for (const most_waiting of [1, 2, 5])
    t.deepEqual(await audited(world, [kept], { most_waiting }), whole, String(most_waiting));
  t.deepEqual((await audited(world, [kept], { topics: [PLACE.topic] })).differences, whole.differences);
  t.deepEqual((await audited(world, [kept], { topics: ['render-status'] })).differences, []);
});

test('a forged bundle of 256 entries does not hide a rewritten record', async (t) => {
  t.timeout(60_000);
  const { world, kept, holder } = await keptWorld();
  rewrite(world, 45);
  world.append(PLACE.topic, PLACE.partition, 600);
  const leaves = recordsOf(world).map(recordLeaf);
  let { tree } = appendLeaves(EMPTY_TREE, leaves.slice(0, SIZE + 4));
  const heads: HeadsEntry[] = leaves.slice(SIZE + 4).map((leaf, i) => {
    tree = appendLeaves(tree, [leaf]).tree;
    return { time_ms: TIME_MS + i, heads: [{ ...PLACE, size: tree.size, root: rootOf(tree) }] };
  });
  await forgeTiles(holder, PLACE, recordsOf(world).length);
  await appendForged(holder, heads);
  for (const most_waiting of [1, 100, 1_000]) {
    const { differences } = await audited(world, [kept], { most_waiting });
    t.deepEqual(differences, [
      `${PLACE_TEXT}: a record from 43 to 92 is not what was signed, as entry 2 of the log of heads has it`,
    ]);
  }
});

test('rewritten deployment records that change decoding are found', async (t) => {
  const { world, kept, holder } = await keptWorld();
  rewrite(world, 2, 'deployment/0');
  await appendForged(holder, [{ time_ms: TIME_MS, heads: [await forgedHead(holder, DEPLOYMENT, 6)] }]);
  const { differences } = await audited(world, [kept]);
  t.regex(differences.join('\n'), /^deployment\/0: a record from 0 to 5 is not what was signed, as entry 0 /m);
});

/** Forged contents of the log of heads after the checkpoint, and the error for each. */
const ENTRIES: Readonly<Record<string, readonly [(holder: KeyHolder) => Promise<readonly Head[]>, RegExp]>> = {
  'a tree that is smaller than a signed one': [
    async (holder) => [await forgedHead(holder, PLACE, 100)],
    /^render-events\/1: entry 11 of the log of heads has a tree of 100 records, and entry 10 one of 317$/,
  ],
  'another tree of the same size': [
    async (holder) => [{ ...(await forgedHead(holder, PLACE, SIZE + 4)), root: Buffer.alloc(32, 7) }],
    /^render-events\/1: entries 10 and 11 of the log of heads have different trees of 317 records$/,
  ],
  'an older tree again, and another one': [
    async () => [{ topic: 'render-events', partition: 0, size: 5, root: Buffer.alloc(32, 7) }],
    /^render-events\/0: entries 0 and 11 of the log of heads have different trees of 5 records$/,
  ],
  'a tree of more records than the log has': [
    async (holder) => [{ ...(await forgedHead(holder, PLACE, SIZE)), size: SIZE + 90 }],
    /^render-events\/1: a record from 317 to 402 was signed, as entry 11 of the log of heads has it, and the log ends at 317$/,
  ],
  'a tree of a partition that the log lacks': [
    async (holder) => [{ ...(await forgedHead(holder, PLACE, SIZE)), partition: 77 }],
    /^render-events\/77: a record from 0 to 312 was signed, as entry 11 of the log of heads has it, and the log has no such partition$/,
  ],
  'a tree of a topic that the log lacks': [
    async (holder) => [{ ...(await forgedHead(holder, PLACE, SIZE)), topic: 'other-events' }],
    /^other-events\/1: a record from 0 to 312 was signed, as entry 11 of the log of heads has it, and the log has no such partition$/,
  ],
};

for (const [what, [headsOf, said]] of Object.entries(ENTRIES))
  test(`a signed entry that has ${what} is reported`, async (t) => {
    const { world, kept, holder } = await keptWorld();
    await appendForged(holder, [{ time_ms: TIME_MS, heads: await headsOf(holder) }]);
    const { differences } = await audited(world, [kept]);
    t.is(differences.length, 1);
    t.regex(differences[0] ?? '', said);
  });

test('an entry that names one partition twice is invalid', async (t) => {
  const { world, kept, holder } = await keptWorld();
  const heads = [await forgedHead(holder, PLACE, SIZE), await forgedHead(holder, PLACE, SIZE + 4)];
  await appendForged(holder, [{ time_ms: TIME_MS, heads }]);
  const { differences } = await audited(world, [kept]);
  t.deepEqual(differences, ['entry 11 of the log of heads is invalid: it names a partition twice']);
});

/** Changes of entries that the checkpoint covers, with everything signed again. */
const PASTS: Readonly<Record<string, (entries: readonly Buffer[]) => readonly Buffer[]>> = {
  'an entry is removed': (entries) => entries.toSpliced(3, 1),
  'the last covered entry is removed': (entries) => entries.toSpliced(9, 1),
  'two entries are swapped': (entries) => [
    ...entries.slice(0, 4),
    ...entries.slice(4, 6).toReversed(),
    ...entries.slice(6),
  ],
  'an entry is duplicated': (entries) => entries.toSpliced(4, 0, ...entries.slice(4, 5)),
  'the first head of a partition is removed': (entries) => [
    Buffer.from((entries[0]?.toString() ?? '').replace(/render-events 0 .*\n/, '')),
    ...entries.slice(1),
  ],
  'one entry replaces all over the unchanged log': () => [],
};

for (const [what, change] of Object.entries(PASTS))
  test(`if ${what}, no saved checkpoint fits the newly signed log`, async (t) => {
    const { world, kept, holder } = await keptWorld();
    rewrite(world, 45);
    const heads = [await forgedHead(holder, PLACE, SIZE + 4)];
    const entries = change(await signedEntries(holder));
    const own: HeadsEntry[] = Array.from({ length: Math.max(1, 12 - entries.length) }, (_, i) => ({
      time_ms: TIME_MS + i,
      heads: heads.map((head) => ({ ...head })),
    }));
    await signEntries(holder, [...entries, ...own.map((entry) => Buffer.from(headsEntryText(entry)))]);
    const { differences } = await audited(world, [kept]);
    t.regex(
      differences[0] ?? 'nothing',
      /^the log of heads: (entry \d does|the entries from 0 to 9, or their tiles, do) not match the signed tree of 10 entries$/,
    );
  });

test('two signed logs give saved checkpoints that contradict each other', async (t) => {
  const { world, kept, holder } = await keptWorld();
  const mine = checkpointOf(world);
  const entries = (await signedEntries(holder)).slice(0, kept.size);
  rewrite(world, SIZE + 1);
  const heads = [await forgedHead(holder, PLACE, SIZE + 4)];
  await signEntries(holder, [...entries, Buffer.from(headsEntryText({ time_ms: TIME_MS, heads }))]);
  t.deepEqual((await audited(world, [kept])).differences, [], 'the shared part is equal');
  const { differences } = await audited(world, [kept, mine]);
  t.deepEqual(differences, [
    'the log of heads: the entries from 10 to 10, or their tiles, do not match the signed tree of 11 entries',
  ]);
});

test('forged stored tiles do not hide which record was changed', async (t) => {
  const { world, kept, holder } = await keptWorld();
  const honest = world.blobs().get(world.paths.partitionTile(PLACE, 0, 0))?.bytes ?? Buffer.of();
  rewrite(world, 45);
  await signAnew(world, holder);
  const rewritten = world.blobs().get(world.paths.partitionTile(PLACE, 0, 0))?.bytes ?? Buffer.of();
  const forged = Buffer.from(rewritten);
  honest.copy(forged, 5 * 32, 6 * 32, 7 * 32);
  world.put(world.paths.partitionTile(PLACE, 0, 0), forged);
  const { differences } = await audited(world, [kept]);
  t.is(differences.length, 1);
  t.regex(differences[0] ?? '', /^render-events\/1: a record from 43 to 92 is not what was signed, as entry 2 /);
});

test('a running notary stops if someone else signed with its key', async (t) => {
  const { world, holder } = await keptWorld();
  const notary = world.notary();
  await notary.sign(false);
  rewrite(world, SIZE + 1);
  await signAnew(world, holder);
  await t.throwsAsync(notary.sign(false), { message: /^render-events\/1: record \d+ is not what was signed/ });
});

test('a notary that starts later finds the change during its check of the log', async (t) => {
  const { world, holder } = await keptWorld();
  const checksOf = () =>
    createLogCheck({
      ...world.reading(),
      ...{ keys: [KEY], pace: async () => undefined, stop: new AbortController().signal },
    });
  const running = checksOf();
  t.is(await running(), SIZE + 4 + 6 + 5);
  rewrite(world, 45);
  await signAnew(world, holder);
  await world.notary().sign(false);
  const message = /^render-events\/1: a record from 43 to 92 is not what was signed, as entry 2 /;
  await t.throwsAsync(checksOf()(), { message });
  await t.throwsAsync(running(), { message });
});

test('a notary finds that the log of heads differs from its last check', async (t) => {
  const { world, holder } = await keptWorld();
  const { log, blobs, paths } = world.reading();
  const check = createLogCheck({
    ...{ log, blobs, paths, keys: [KEY] },
    ...{ pace: async () => undefined, stop: new AbortController().signal },
  });
  await check();
  rewrite(world, 45);
  const heads = [await forgedHead(holder, PLACE, SIZE + 4)];
  const own = Array.from({ length: 12 }, (_, i) => Buffer.from(headsEntryText({ time_ms: TIME_MS + i, heads })));
  await signEntries(holder, own);
  await forgeTiles(holder, PLACE, SIZE + 4);
  await t.throwsAsync(check(), { message: /^the log of heads: .* not match the signed tree of 11 entries/ });
  await signEntries(holder, own.slice(0, 3));
  await t.throwsAsync(check(), { message: 'the log of heads has 3 entries, but 11 were signed' });
});
