import { Writable } from 'node:stream';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { foldStep } from '../../../domain/render/fold.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { openEnvironmentGate } from '../../../render-workers/preparer/environment-gate.ts';
import type { PreparationFault } from '../../../render-workers/preparer/preparation-fault.ts';
import { type PrepareOneDependencies, prepareWithRetries } from '../../../render-workers/preparer/preparer.ts';
import { openAccountSlots } from '../../../render-workers/queue/account-slots.ts';
import type { AnyRecord } from '../../../schemas/any-record.ts';
import { prepared, requested } from '../../helpers/render-events.ts';

const { meta: _meta, render_id: _render_id, type: _type, ...PREPARED } = prepared;

const SILENT = createLogger('test', 'silent');

const clock: Clock = { ...SYSTEM_CLOCK, sleep: async (_ms, signal) => signal?.throwIfAborted() };

type World = {
  readonly make?: (nth: number) => E.Either<PreparationFault, typeof PREPARED>;
  readonly refuses?: (record: AnyRecord) => boolean;
  readonly stop?: AbortController;
};

const run = async ({ make = () => E.right(PREPARED), refuses = () => false, stop = new AbortController() }: World) => {
  const step = foldStep(null, requested({ render_id: 'rend_1' }), 1);
  if (step.tag !== 'accepted') throw new Error('not accepted');
  const lines: string[] = [];
  const written = new Writable({ write: (line, _encoding, done) => done(void lines.push(String(line))) });
  const appended: AnyRecord[] = [];
  const counted: string[] = [];
  let tries = 0;
  const parts: PrepareOneDependencies = {
    isInitializing: async () => true,
    slots: openAccountSlots({ at_once: 1, at_once_per_account: 1 }),
    gate: openEnvironmentGate({ disk: async () => true, blob_store: async () => true }, SILENT, clock),
    environment_timeout_ms: 1_000,
    paused: new Set(),
    prepare: async () => {
      tries += 1;
      return make(tries);
    },
    append: async (_topic, _key, record) => {
      if (refuses(record)) throw new TypeError('not well-formed Unicode');
      appended.push(record);
      return null;
    },
    recordCost: async ({ id }) => void counted.push(id),
    by: createMetaFactory('preparer', 'prep_1', clock),
    logger: createLogger('test', 'error', written),
    clock,
  };
  const job = { render: step.render, causation_id: null, headers: {} };
  const failed = await prepareWithRetries(parts, job, stop.signal).catch((error: unknown) => error);
  const errors = lines.map((line) => JSON.parse(line));
  return { appended, counted, tries, errors, failed };
};

const mistaken = (): never => {
  throw new TypeError('a mistake of ours');
};

test('an exception is tried three times, then fails its render without a charge', async (t) => {
  const { appended, counted, tries, errors, failed } = await run({ make: mistaken });
  t.is(failed, undefined);
  t.is(tries, 3);
  t.like(appended, [{ type: 'RenderFailed', stage: 'preparation', code: 'internal_error', attempt_id: null }]);
  t.is(appended.length, 1);
  t.notRegex(JSON.stringify(appended), /a mistake of ours/, 'the message can contain anything');
  t.deepEqual(counted, []);
  t.is(errors.length, 3);
  for (const line of errors) {
    t.is(line.render_id, 'rend_1');
    t.regex(line.error.stack, /TypeError: a mistake of ours\n {4}at mistaken /);
  }
});

test('a temporary exception costs the render nothing', async (t) => {
  const { appended, tries } = await run({ make: (nth) => (nth < 3 ? mistaken() : E.right(PREPARED)) });
  t.is(tries, 3);
  t.like(appended, [{ type: 'RenderPrepared' }]);
});

test('a render whose outcome cannot be appended fails too', async (t) => {
  const half = 'half \ud83d';
  const fault: PreparationFault = { code: 'unreadable_media', message: half, field: null };
  const refuses = (record: AnyRecord): boolean => JSON.stringify(record).includes('ud83d');
  const { appended, failed } = await run({ make: () => E.left(fault), refuses });
  t.is(failed, undefined);
  t.like(appended, [{ type: 'RenderFailed', code: 'internal_error' }]);
});

test('a preparation that a stop interrupts does not count and appends nothing', async (t) => {
  const stop = new AbortController();
  const { appended, tries, errors, failed } = await run({
    stop,
    make: () => {
      stop.abort();
      return mistaken();
    },
  });
  t.is(failed, stop.signal.reason);
  t.is(tries, 1);
  t.deepEqual(appended, []);
  t.deepEqual(errors, []);
});

test('a stop between two attempts appends nothing', async (t) => {
  const stop = new AbortController();
  const { appended, failed } = await run({
    stop,
    make: (nth) => {
      if (nth === 2) stop.abort();
      return mistaken();
    },
  });
  t.is(failed, stop.signal.reason);
  t.deepEqual(appended, []);
});
