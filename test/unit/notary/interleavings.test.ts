import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { NotExtended } from '../../../platform/proof-log/not-extended.ts';
import { signerKey } from '../../../proofs/notes/keys.ts';
import { runs } from '../../helpers/runs.ts';
import { createWorld, KEY, ORIGIN, type Passage } from './_world.ts';

class Killed extends Error {}

const killedAt = (scheduler: fc.Scheduler, n: number, served: boolean): Passage => {
  let count = 0;
  return async (serve) => {
    await scheduler.schedule(Promise.resolve());
    count += 1;
    if (count > n || (count === n && !served)) throw new Killed();
    const result = serve();
    if (count === n) throw new Killed();
    return result;
  };
};

const life = fc.record({ requests: fc.nat(60), served: fc.boolean(), rounds: fc.integer({ min: 1, max: 3 }) });
const growth = fc.array(
  fc.record({ topic: fc.constantFrom('render-events', 'render-status'), partition: fc.nat(1), count: fc.nat(300) }),
  { minLength: 1, maxLength: 6 },
);

test('killed and interleaved notaries never sign two trees of one size', async (t) => {
  t.timeout(120_000);
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.array(life, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      growth,
      async (scheduler, processes, appends) => {
        const world = createWorld();
        world.append('catalogue-events', 0);
        const faults: unknown[] = [];
        const live = async (lives: (typeof processes)[number]): Promise<void> => {
          for (const { requests, served, rounds } of lives) {
            const notary = world.notary(killedAt(scheduler, requests, served));
            try {
              for (let round = 0; round < rounds; round += 1) await notary.sign(false);
            } catch (error) {
              if (!(error instanceof Killed)) faults.push(error);
            }
          }
        };
        const grow = async (): Promise<void> => {
          for (const { topic, partition, count } of appends) {
            await scheduler.schedule(Promise.resolve());
            world.append(topic, partition, count);
          }
        };
        await scheduler.waitFor(Promise.all([...processes.map(live), grow()]));
        const last = world.notary();
        await last.sign(false);
        t.deepEqual(faults, []);
        t.deepEqual(await world.faults(), []);
        t.is(world.unsigned(last), 0);
        t.is(Math.max(...world.signed.keys()), last.signed().size);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('an overtaken notary stops, and an idle one signs nothing', async (t) => {
  const world = createWorld();
  world.append('render-events', 0, 10);
  const [one, two] = [world.notary(), world.notary()];
  t.is(await one.sign(true), 1);
  t.is(await two.sign(true), 0);
  t.is(two.signed().size, 1);
  world.append('render-events', 1);
  t.is(await two.sign(true), 1);
  world.append('render-events', 1);
  t.is(await one.sign(true), 0, 'the notary leaves that to the other');
  t.is(await one.sign(true), 1);
  t.deepEqual(await world.faults(), []);
});

test('each bundle of entries names all partitions, and old partial ones are deleted', async (t) => {
  t.timeout(60_000);
  const world = createWorld();
  world.append('catalogue-events', 0);
  world.append('webhook-events', 1);
  const notary = world.notary();
  for (let i = 0; i < 520; i += 1) {
    world.append('render-events', 0);
    t.is(await notary.sign(false), 1);
    if (i % 100 === 50) world.append('render-status', 1);
  }
  t.is(notary.signed().size, 520);
  t.deepEqual(await world.faults(), []);
  const fresh = world.notary();
  await fresh.sign(false);
  t.is(world.unsigned(fresh), 0, 'a new process finds the heads of partitions that are silent for long');
  const paths = [...world.blobs().keys()].filter((path) => path.includes('.p/'));
  t.false(paths.some((path) => /(entries|0)\/000\.p/.test(path)));
  t.true(paths.some((path) => /entries\/002\.p\/8$/.test(path)));
});

const stops = async (
  t: { readonly regex: (text: string, form: RegExp) => void },
  signing: Promise<unknown>,
  said: RegExp,
) => {
  const error = await signing.then(
    () => 'it has signed',
    (fault: unknown) => (fault instanceof NotExtended ? fault.message : `another fault: ${fault}`),
  );
  t.regex(error, said);
};

/** 600 records of one partition, two entries. */
const signedWorld = async () => {
  const world = createWorld();
  world.append('render-events', 1, 300);
  const notary = world.notary();
  await notary.sign(false);
  const before = world.backup();
  world.append('render-events', 1, 300);
  await notary.sign(false);
  return { world, notary, before };
};

test('a notary refuses a restored Blob store, with or without its own restart', async (t) => {
  const { world, notary, before } = await signedWorld();
  before.restoreBlobs();
  world.append('render-events', 1);
  const said = /^Blob is of before: entry 1 of the log of heads was signed, and is gone$/;
  await stops(t, world.notary().sign(false), said);
  const running = /^Blob and MongoDB are of before: 2 entries were signed, and they have 1$/;
  await stops(t, notary.sign(false), running);
  before.restoreNote();
  await stops(t, notary.sign(false), running);
  t.is(world.signed.size, 2);
  t.deepEqual(await world.faults(), []);
});

test('a restored Blob store is refused even after a kill right after publishing', async (t) => {
  const world = createWorld();
  world.append('render-events', 1, 300);
  await world.notary().sign(false);
  const before = world.backup();
  world.append('render-events', 1, 300);
  const untilPublished: Passage = async (serve) => {
    if (world.published().includes('\n2\n')) throw new Killed();
    return serve();
  };
  await t.throwsAsync(world.notary(untilPublished).sign(false), { instanceOf: Killed });
  before.restoreBlobs();
  world.append('render-events', 1);
  await stops(
    t,
    world.notary().sign(false),
    /^Blob is of before: entry 1 of the log of heads was signed, and is gone$/,
  );
  t.deepEqual(await world.faults(), []);
});

test('a Blob store restored from long ago is reported at once', async (t) => {
  const { world, before, notary } = await signedWorld();
  world.append('render-events', 1);
  await notary.sign(false);
  before.restoreBlobs();
  await stops(
    t,
    world.notary().sign(false),
    /^Blob is of before: it has 1 entries of the log of heads, and 3 were signed$/,
  );
});

test('an older MongoDB catches up with the published checkpoint', async (t) => {
  const { world, before } = await signedWorld();
  before.restoreNote();
  world.append('render-events', 1);
  const notary = world.notary();
  t.is(await notary.sign(false), 1);
  t.like(world.note(), { size: 3 });
  t.deepEqual(await world.faults(), []);
});

test('if both stores are older, a witness that has seen more stops the notary', async (t) => {
  const { world, before } = await signedWorld();
  before.restoreBlobs();
  before.restoreNote();
  const asked = async () => ({ signatures: [], seen: 2 });
  world.append('render-events', 1);
  // This notary signs another tree of 2 entries for the witness, but does not publish it.
  await world
    .notary(undefined, async () => ({ signatures: [], seen: 3 }))
    .sign(false)
    .catch(() => undefined);
  t.regex(world.published(), /\n1\n/);
  await stops(
    t,
    world.notary(undefined, async () => ({ ...(await asked()), seen: 3 })).sign(false),
    /^a witness has seen 3 entries/,
  );
});

test('another key continues only from heads that a former key signed', async (t) => {
  const { world } = await signedWorld();
  const signer = signerKey('note', ORIGIN, generateKeyPairSync('ed25519').privateKey);
  world.append('render-events', 0);
  const alone = world.notary(undefined, undefined, { signer, former: [] });
  await stops(t, alone.sign(false), /is signed by none of the keys that are known: /);
  t.is(await world.notary(undefined, undefined, { signer, former: [KEY] }).sign(false), 1);
  world.append('render-events', 0);
  await stops(t, world.notary().sign(false), /is signed by none of the keys that are known: /);
  t.is(world.signed.size, 3);
});

test('a clock jump changes only the times of entries', async (t) => {
  const { world, notary } = await signedWorld();
  for (const ms of [0, 4_000_000_000_000, 1]) {
    world.setClock(ms);
    world.append('render-events', 0);
    t.is(await notary.sign(false), 1);
  }
  t.is(await world.notary().sign(false), 0);
  t.deepEqual(await world.faults(), []);
});

test('a truncated log, at its end or start, is reported with its partition', async (t) => {
  const { world, notary } = await signedWorld();
  const records = world.log.get('render-events/1') ?? [];
  records.length = 599;
  await stops(t, world.notary().sign(false), /^render-events\/1: the log ends at 599, and 600 records were signed$/);
  world.append('render-events', 1);
  world.append('render-events', 1);
  t.is(await notary.sign(false), 1, 'the same record again is the same log');
  world.starts.set('render-events/1', 5);
  await stops(t, world.notary().sign(false), /^render-events\/1: records 0 to 4 are no longer in the log$/);
});

const spoil = (world: ReturnType<typeof createWorld>, offset: number): void => {
  const records = world.log.get('render-events/1') ?? [];
  const one = records[offset];
  if (one !== undefined) records[offset] = { ...one, value: Buffer.from('another') };
};

test('a changed record is found by a running notary, its range after a restart', async (t) => {
  const { world, notary } = await signedWorld();
  spoil(world, 555);
  world.append('render-events', 1);
  await stops(t, notary.sign(false), /^render-events\/1: record 555 is not what was signed \(of records 512 to 599\)$/);
  await stops(
    t,
    world.notary().sign(false),
    /^render-events\/1: a record from 0 to 599 is not what was signed, .* are those of then, one from 512 on$/,
  );
});

test('a stored tile that differs from the log is reported with its record', async (t) => {
  const { world } = await signedWorld();
  const path = world.paths.partitionTile({ topic: 'render-events', partition: 1 }, 0, 1);
  const bytes = Buffer.from(world.blobs().get(path)?.bytes ?? '');
  bytes[32 * 10] = (bytes[32 * 10] ?? 0) ^ 1;
  world.put(path, bytes);
  await stops(
    t,
    world.notary().sign(false),
    /^render-events\/1: record 266 is not what the stored tile has: the log has what was signed, and the tile has not$/,
  );
  world.blobs().delete(path);
  await stops(t, world.notary().sign(false), /render-events\/1\/tile\/0\/001 is missing$/);
});

test('a tile in the place of the next one is reported with its records', async (t) => {
  const { world, notary } = await signedWorld();
  const path = world.paths.partitionTile({ topic: 'render-events', partition: 1 }, 0, 2);
  world.put(path, Buffer.alloc(256 * 32));
  world.append('render-events', 1, 200);
  await stops(t, notary.sign(false), /^render-events\/1: records 512 to 767 differ from the stored tile/);
});

test('a changed entry, tile of heads or checkpoint stops the notary', async (t) => {
  const { world } = await signedWorld();
  const change = async (path: string, said: RegExp, edit: (text: string) => string) => {
    const before = world.blobs().get(path);
    if (before === undefined) return t.fail(path);
    world.put(path, Buffer.from(edit(before.bytes.toString('latin1')), 'latin1'));
    await stops(t, world.notary().sign(false), said);
    world.blobs().set(path, before);
  };
  const { paths } = world;
  const other = (text: string) => text.replace('2025-', '2024-');
  await change(paths.entries(0, 2), /^entry 0 of the log of heads is not what was signed$/, other);
  await change(
    paths.tile(0, 0, 2),
    /^the tiles of the log of heads do not have the root/,
    (text) => `${text.slice(0, -1)}x`,
  );
  await change(paths.tile(0, 0, 2), /is damaged: its content does not match its name$/, (text) => text.slice(1));
  await change(
    paths.checkpoint,
    /is signed by none of the keys that are known: the signature of \S+ is wrong$/,
    (text) => text.replace('\n2\n', '\n1\n'),
  );
  await change(paths.checkpoint, /it is not a signed note/, () => 'nonsense');
  t.is(await world.notary().sign(false), 0);
});
