import type { Collection } from 'mongodb';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import type {
  GenerationDocument,
  ReadModel,
  RebuildDocument,
  ServingGeneration,
} from '../../read-models/generations.ts';
import type { ProjectorDependencies } from '../projector-dependencies.ts';
import { claimGeneration, type GenerationClaim } from './claim.ts';
import { tryCutover } from './cutover.ts';
import { tryRebuildCutover } from './rebuild.ts';
import { createThrottle, type Throttle } from './throttle.ts';
import { type ClaimWatch, watchClaim } from './watch-claim.ts';

const CHECK_MS = 200;
/** Readers cache the pointer to the serving generation for less than this time. */
const READERS_FOLLOW_MS = 2_000;

export type FollowedReadModel = {
  /** Finishes the current batches and leaves the group. */
  readonly stop: () => Promise<void>;
};

/** `building`: the generation is folded and not read yet, so it publishes nothing. */
export type GenerationRole = 'serving' | 'former' | 'building';

export type ReadModelSpec = {
  readonly read_model: ReadModel;
  /** Next offset of each partition of its topic. */
  readonly ends: () => Promise<readonly number[]>;
  readonly checkpoints: (generation: number) => Collection<CheckpointDocument>;
  /** Creates collections and indexes. */
  readonly prepare: (generation: number) => Promise<void>;
  /** Resolves when the consumer has joined its group. */
  readonly follow: (
    generation: ServingGeneration,
    role: GenerationRole,
    throttle: Throttle,
  ) => Promise<FollowedReadModel>;
  /** Whether a serving generation publishes records. */
  readonly publishes: boolean;
};

/** Claims this process's generation, and creates the collections of that one and of the former one. */
export const openGenerations = async (db: ReadStore['db'], spec: ReadModelSpec): Promise<GenerationClaim> => {
  const claim = await claimGeneration(db, spec.read_model, spec.ends);
  if (claim.former !== null) await spec.prepare(claim.former.generation);
  await spec.prepare(claim.own.generation);
  return claim;
};

type FollowReadModelDependencies = Pick<ProjectorDependencies, 'store' | 'logger' | 'clock'>;

/** A generation that this process follows. Its throttle pauses it while its successor is nearly complete. */
type Followed = { readonly following: FollowedReadModel; readonly throttle: ReturnType<typeof createThrottle> };

type Generation = Pick<ServingGeneration, 'generation'>;

const checkpointsOf = (spec: ReadModelSpec, former: Generation, own: Generation) => ({
  former_checkpoints: spec.checkpoints(former.generation),
  own_checkpoints: spec.checkpoints(own.generation),
});

const createFollowedSet = (spec: ReadModelSpec, clock: Clock) => {
  const followed = new Set<Followed>();
  const end = async (one: Followed): Promise<void> => {
    followed.delete(one);
    await one.following.stop();
  };
  return {
    begin: async (of: ServingGeneration, role: GenerationRole): Promise<Followed> => {
      const throttle = createThrottle(clock);
      const started = { following: await spec.follow(of, role, throttle), throttle };
      followed.add(started);
      return started;
    },
    end,
    endAll: async (): Promise<void> => {
      await Promise.all([...followed].map(end));
    },
  };
};

/**
 * Runs one change of generations at a time. A request during a change is ignored, because the watch repeats it every
 * second.
 */
const oneAtATime = (signal: AbortSignal) => {
  let running: Promise<void> | null = null;
  return {
    start: (work: () => Promise<void>): void => {
      if (running !== null || signal.aborted) return;
      running = work().finally(() => {
        running = null;
      });
      running.catch((error: unknown) => {
        // Only an abort makes a change fail, so any other error ends the process.
        if (!signal.aborted) throw error;
      });
    },
    settled: async (): Promise<void> => {
      await running?.catch(() => undefined);
    },
  };
};

type Waiting = { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal; readonly logger: Logger };

/** Repeats `look` until the successor serves or its rebuild was given up. */
const untilOver = async <Outcome extends string>(
  look: () => Promise<Outcome>,
  { throttle }: Followed,
  { clock, signal, logger }: Waiting,
): Promise<Exclude<Outcome, 'near' | 'behind'>> => {
  const warn = throttledWarn(logger);
  const isOver = (outcome: Outcome): outcome is Exclude<Outcome, 'near' | 'behind'> =>
    outcome !== 'near' && outcome !== 'behind';
  for (;;) {
    const outcome = await look().catch((error: unknown) => {
      warn({ error }, 'could not hand over to the new generation; it is tried again');
      return null;
    });
    if (outcome !== null && isOver(outcome)) return outcome;
    // Without the pause of the serving generation, the successor would be some records behind at every check under
    // load.
    if (outcome === 'near') throttle.pause();
    await clock.sleep(CHECK_MS, signal);
  }
};

/**
 * Follows the generation of this code's model version. If an older generation serves, this process follows it too while
 * it folds its own from the first record. When the own one is complete, it serves, and the older one is left unchanged.
 * A rebuild works the same way, with another generation of the same version.
 */
export const followReadModel = async (
  claim: GenerationClaim,
  spec: ReadModelSpec,
  deps: FollowReadModelDependencies,
): Promise<FollowedReadModel> => {
  const { store, clock } = deps;
  const { former } = claim;
  const stopping = new AbortController();
  const { signal } = stopping;
  const followed = createFollowedSet(spec, clock);
  const { begin, end } = followed;
  const changes = oneAtATime(signal);
  /** The generation of this code's version: it serves already, or after the upgrade that is in progress. */
  let { own } = claim;

  const loggerOf = (from: ServingGeneration, to: ServingGeneration) =>
    deps.logger.child({ read_model: spec.read_model, from: from.generation, to: to.generation });

  /** @param successor null if this process does not follow the next generation yet */
  const serveNext = async (older: Followed, successor: Followed | null): Promise<Followed> => {
    await end(older);
    if (successor !== null && !spec.publishes) return successor;
    // Readers of the former generation must find everything that is published. So publishing starts only after they
    // have followed the pointer to the new one.
    await clock.sleep(READERS_FOLLOW_MS, signal);
    if (successor !== null) await end(successor);
    return await begin(own, 'serving');
  };

  const upgrade = async (from: ServingGeneration, older: Followed, successor: Followed): Promise<void> => {
    const logger = loggerOf(from, own);
    const cutover = { own, ...checkpointsOf(spec, from, own) };
    await untilOver(() => tryCutover(store, cutover, clock.now), older, { clock, signal, logger });
    logger.info('the new generation of the read model serves');
    serving = await serveNext(older, successor);
  };

  const rebuild = async (request: RebuildDocument): Promise<void> => {
    const logger = loggerOf(own, request);
    const onFailure = (error: unknown): void => logger.warn({ error }, 'waiting for the store and the log');
    logger.info({ requested_by: request.requested_by }, 'the read model is rebuilt');
    const start = async (): Promise<Followed> => {
      await spec.prepare(request.generation);
      return await begin(request, 'building');
    };
    const successor = await retry(start, { clock, signal, onFailure });
    const rebuilding = { rebuild: request, ...checkpointsOf(spec, own, request) };
    const outcome = await untilOver(() => tryRebuildCutover(store, rebuilding, clock.now), serving, {
      clock,
      signal,
      logger,
    });
    if (outcome === 'given_up') {
      logger.info('the rebuild of the read model was given up');
      return await end(successor);
    }
    logger.info('the rebuilt read model serves');
    own = { ...own, generation: request.generation };
    serving = await serveNext(serving, successor);
  };

  /** Another process has made a rebuilt generation serve, which this process did not follow. */
  const followReplacement = async (by: GenerationDocument): Promise<void> => {
    loggerOf(own, by).info('a rebuilt read model serves');
    own = by;
    serving = await serveNext(serving, null);
  };

  let serving: Followed;
  if (former === null) serving = await begin(own, 'serving');
  else {
    loggerOf(former, own).info('a new generation of the read model is being folded');
    const [older, successor] = await Promise.all([begin(former, 'former'), begin(own, 'building')]);
    serving = older;
    changes.start(() => upgrade(former, older, successor));
  }

  const watch: ClaimWatch = {
    own: () => own,
    rebuild: (request) => changes.start(() => rebuild(request)),
    replaced: (by) => changes.start(() => followReplacement(by)),
  };
  const watching = watchClaim(store.db, watch, deps.logger, clock);

  return {
    stop: async () => {
      await watching.stop();
      stopping.abort();
      await changes.settled();
      await followed.endAll();
    },
  };
};
