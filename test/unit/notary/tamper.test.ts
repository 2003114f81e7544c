import test from 'ava';
import fc from 'fast-check';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import { verifyCheckpoint } from '../../../platform/proof-log/heads-log.ts';
import type { SignedSize } from '../../../platform/proof-log/partition-check.ts';
import { verifyLog } from '../../../platform/proof-log/verify-log.ts';
import { type HeadsEntry, headsEntryText } from '../../../proofs/heads/heads-entry.ts';
import { appendLeaves, EMPTY_TREE, rootOf, treeEdgeOfSize } from '../../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../../proofs/merkle/hashes.ts';
import { recordLeaf } from '../../../proofs/records/record-leaf.ts';
import { bundleBytes, tileBytes } from '../../../proofs/tiles/tile-bytes.ts';
import { runs } from '../../helpers/runs.ts';
import { createWorld, KEY } from './_world.ts';

// Changes by a person who can write the log, the container and the store, but has no key. A verifier with an earlier
// checkpoint finds each of them.

const PLACE = { topic: 'render-events', partition: 1 };
const PLACE_TEXT = 'render-events/1';
const STEPS = [7, 200, 130, 256, 1, 89, 77];
const SIZE = STEPS.reduce((sum, step) => sum + step);
const TILED = SIZE - (SIZE % 256);

const signedWorld = async () => {
  const world = createWorld();
  const notary = world.notary();
  const checkpoints: SignedSize[] = [];
  for (const step of STEPS) {
    world.append(PLACE.topic, PLACE.partition, step);
    await notary.sign(false);
    const bytes = world.blobs().get(world.paths.checkpoint)?.bytes.toString() ?? '';
    const opened = verifyCheckpoint(bytes, [KEY]);
    if (opened._tag === 'Right') checkpoints.push(opened.right);
  }
  return { world, checkpoints };
};
type World = Awaited<ReturnType<typeof signedWorld>>['world'];

const recordsOf = (world: World): LogRecord[] => world.log.get(PLACE_TEXT) ?? [];

/** The finding of an auditor with this checkpoint, as text; null if nothing was changed. */
const audited = async (world: World, kept: SignedSize): Promise<string | null> => {
  const asked = { kept: [kept], newest: kept, topics: null, stop: new AbortController().signal };
  const { differences } = await verifyLog(world.reading(), asked);
  return differences.at(0) ?? null;
};

const namedIn = (said: string): { readonly from: number; readonly to: number } => {
  const [, one, from, to] = /: (?:record (\d+)|a record from (\d+) to (\d+)) /.exec(said) ?? [];
  return { from: Number(one ?? from), to: Number(one ?? to) + 1 };
};

/** Stores the records with new consecutive offsets, as every log has them. */
const put = (world: World, records: readonly LogRecord[]): void => {
  const all = recordsOf(world);
  all.splice(0, all.length, ...records.map((record, offset) => ({ ...record, offset })));
};

const flipped = (bytes: Buffer | null, at: number): Buffer => {
  const copy = Buffer.from(bytes ?? Buffer.of(0));
  copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << (at % 8));
  return copy;
};

const offset = fc.nat(SIZE - 1);
const NUM_RUNS = runs(100);

const EDITS: Readonly<
  Record<
    string,
    (records: readonly LogRecord[], at: number, other: number) => readonly [readonly LogRecord[], number | null]
  >
> = {
  'a bit of a value is flipped': (records, at, other) => [
    records.map((record, i) => (i === at ? { ...record, value: flipped(record.value, other) } : record)),
    at,
  ],
  'a bit of a key is flipped': (records, at, other) => [
    records.map((record, i) => (i === at ? { ...record, key: flipped(record.key, other) } : record)),
    at,
  ],
  'a time is changed': (records, at) => [
    records.map((record, i) => (i === at ? { ...record, append_time_ms: record.append_time_ms + 1 } : record)),
    at,
  ],
  'a value is removed': (records, at) => [
    records.map((record, i) => (i === at ? { ...record, value: null } : record)),
    at,
  ],
  'a record is deleted': (records, at) => [records.toSpliced(at, 1), at],
  'a record is deleted and another appended': (records, at, other) => {
    const again = records[other];
    return [[...records.toSpliced(at, 1), ...(again === undefined ? [] : [{ ...again, append_time_ms: 1 }])], at];
  },
  'a record is inserted': (records, at, other) => {
    const again = records[other];
    return [records.toSpliced(at, 0, ...(again === undefined ? [] : [{ ...again, append_time_ms: 1 }])), at];
  },
  'two records are swapped': (records, at, other) => {
    const [one, two] = [records[at], records[other]];
    if (one === undefined || two === undefined || at === other) return [records, null];
    return [records.with(at, two).with(other, one), Math.min(at, other)];
  },
  'the end is cut off': (records, at) => [records.slice(0, at), at],
};

for (const [what, edit] of Object.entries(EDITS))
  test(`if ${what}, the record is named, or its range without a tile`, async (t) => {
    t.timeout(120_000);
    const { world, checkpoints } = await signedWorld();
    const [last] = checkpoints.slice(-1);
    const before = [...recordsOf(world)];
    if (last === undefined) return t.fail();
    t.is(await audited(world, last), null);
    await fc.assert(
      fc.asyncProperty(offset, offset, async (at, other) => {
        const [records, first] = edit(before, at, other);
        put(world, records);
        const found = await audited(world, last);
        if (first === null) return t.is(found, null);
        if (found === null) return t.fail(`${what} at ${at} is not found`);
        const { from, to } = namedIn(found);
        if (/and the log ends at/.test(found)) {
          t.true(first >= TILED || first === records.length, found);
          t.deepEqual([from, to], [records.length, SIZE], found);
          return;
        }
        if (first < TILED)
          t.regex(found, new RegExp(`^${PLACE_TEXT}: record ${first} is not what the stored tile has, and `));
        else {
          t.true(from <= first && first < to, found);
          t.regex(found, /is not what was signed/);
          t.true(to - from <= Math.max(...STEPS));
        }
      }),
      { numRuns: NUM_RUNS },
    );
    put(world, before);
    t.is(await audited(world, last), null);
  });

const rewriteTiles = (world: World): void => {
  for (const { level, index, hashes } of appendLeaves(EMPTY_TREE, recordsOf(world).map(recordLeaf)).tiles)
    world.put(world.paths.partitionTile(PLACE, level, index), tileBytes(hashes));
};

test('a rewritten end with all tiles is found between two signed sizes', async (t) => {
  t.timeout(120_000);
  const { world, checkpoints } = await signedWorld();
  const [last] = checkpoints.slice(-1);
  const before = [...recordsOf(world)];
  if (last === undefined) return t.fail();
  await fc.assert(
    fc.asyncProperty(offset, async (at) => {
      put(
        world,
        before.map((record, i) => (i < at ? record : { ...record, value: Buffer.from(`rewritten ${i}`) })),
      );
      rewriteTiles(world);
      const found = await audited(world, last);
      if (found === null) return t.fail(`${at} is not found`);
      const { from, to } = namedIn(found);
      t.true(from <= at && at < to, `${at}: ${found}`);
      t.true(to - from <= Math.max(...STEPS), `no wider than between two signed sizes: ${found}`);
    }),
    { numRuns: NUM_RUNS },
  );
});

/** Rewrites the log of heads for the changed records, with matching tiles. Returns the new tree. */
const rewriteHeads = (world: World): SignedSize => {
  const leaves = recordsOf(world).map(recordLeaf);
  let size = 0;
  const entries = STEPS.map((step) => {
    size += step;
    const root = rootOf(appendLeaves(EMPTY_TREE, leaves.slice(0, size)).tree);
    const entry: HeadsEntry = { time_ms: 1_764_000_000_000, heads: [{ ...PLACE, size, root }] };
    return Buffer.from(headsEntryText(entry));
  });
  for (let width = 1; width <= entries.length; width += 1) {
    world.put(world.paths.entries(0, width), bundleBytes(entries.slice(0, width)));
    const { tree } = appendLeaves(EMPTY_TREE, entries.slice(0, width).map(leafHash));
    for (const [level, one] of treeEdgeOfSize(width).entries())
      world.put(world.paths.tile(level, one.index, one.width), tileBytes(tree.edge[level] ?? []));
  }
  const { tree } = appendLeaves(EMPTY_TREE, entries.map(leafHash));
  return { size: tree.size, root: rootOf(tree) };
};

test('a rewritten log with new heads is found by any covering checkpoint', async (t) => {
  t.timeout(120_000);
  await fc.assert(
    fc.asyncProperty(offset, fc.nat(STEPS.length - 1), async (at, which) => {
      const { world, checkpoints } = await signedWorld();
      const kept = checkpoints[which];
      const covered = STEPS.slice(0, which + 1).reduce((sum, step) => sum + step);
      if (kept === undefined) return t.fail();
      put(
        world,
        recordsOf(world).map((record, i) => (i < at ? record : { ...record, value: Buffer.from(`rewritten ${i}`) })),
      );
      rewriteTiles(world);
      const forged = rewriteHeads(world);
      t.is(await audited(world, forged), null, 'the log is consistent');
      const found = await audited(world, kept);
      // A change beyond the checkpoint is undetectable.
      if (at >= covered) return t.is(found, null);
      t.regex(
        found ?? `nothing, of ${covered}`,
        /^the log of heads: the entries from 0 to \d+, or their tiles, do not match the signed tree of \d+ entries$/,
      );
    }),
    { numRuns: NUM_RUNS },
  );
});

test('a change that no checkpoint covers is reported as not signed', async (t) => {
  const { world, checkpoints } = await signedWorld();
  const [first] = checkpoints;
  const last = checkpoints.at(-1);
  if (first === undefined || last === undefined) return t.fail();
  put(
    world,
    recordsOf(world).map((record, i) => (i < 7 ? record : { ...record, value: Buffer.from(`rewritten ${i}`) })),
  );
  t.is(await audited(world, first), null, 'seven records were signed by then');
  t.not(await audited(world, last), null);
});

test('an edited entry or partition tile is named', async (t) => {
  const { world, checkpoints } = await signedWorld();
  const last = checkpoints.at(-1);
  if (last === undefined) return t.fail();
  const edit = async (path: string, change: (bytes: Buffer) => Buffer): Promise<string> => {
    const before = world.blobs().get(path);
    if (before === undefined) return `no ${path}`;
    world.put(path, change(Buffer.from(before.bytes)));
    const found = await audited(world, last);
    world.blobs().set(path, before);
    return found ?? 'nothing';
  };
  const { paths } = world;
  const earlier = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').replace(/2025-/, '2024-'), 'latin1');
  t.is(
    await edit(paths.entries(0, 7), earlier),
    'the log of heads: entry 0 does not match the signed tree of 7 entries',
  );
  t.is(
    await edit(paths.partitionTile(PLACE, 0, 1), (bytes) => flipped(bytes, 32 * 3)),
    `${PLACE_TEXT}: record 259 is not what the stored tile has: the log has what was signed, and the tile has not`,
  );
});
