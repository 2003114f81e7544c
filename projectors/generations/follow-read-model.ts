import type { Collection } from 'mongodb';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import type { ReadModel, ServingGeneration } from '../../read-models/generations.ts';
import type { ProjectorDeps } from '../projector-deps.ts';
import { type Claim, claimGeneration } from './claim.ts';
import { tryCutover } from './cutover.ts';
import { createHold, type Hold, NEVER_HELD } from './hold.ts';
import { watchClaim } from './watch-claim.ts';

/** How often a generation that is being made is looked at. */
const LOOK_MS = 200;
/** Every reader has read the pointer anew within this time after it moved. */
const READERS_FOLLOW_MS = 2_000;

export type Following = {
  /** Finishes the batches under way and leaves the group. */
  readonly stop: () => Promise<void>;
};

/** What a generation is followed for: `made` is folded and not read yet, so it publishes nothing. */
export type Role = 'serving' | 'former' | 'made';

export type ReadModelSpec = {
  readonly read_model: ReadModel;
  /** Next offset of each partition of its topic. */
  readonly ends: () => Promise<readonly number[]>;
  readonly checkpoints: (generation: number) => Collection<CheckpointDocument>;
  /** Collections and indexes. */
  readonly prepare: (generation: number) => Promise<void>;
  /** Resolves once it has joined its group. */
  readonly follow: (generation: ServingGeneration, role: Role, hold: Hold) => Promise<Following>;
  /** Whether it leads to something outside of the store, which begins only when it is taken up as `serving`. */
  readonly publishes: boolean;
};

/** The own generation, with the collections of both. */
export const openGenerations = async (db: ReadStore['db'], spec: ReadModelSpec): Promise<Claim> => {
  const claim = await claimGeneration(db, spec.read_model, spec.ends);
  if (claim.former !== null) await spec.prepare(claim.former.generation);
  await spec.prepare(claim.own.generation);
  return claim;
};

type Deps = Pick<ProjectorDeps, 'store' | 'logger' | 'clock'>;

const followGenerations = async (
  { own, former }: Claim,
  spec: ReadModelSpec,
  { store, logger: parent, clock }: Deps,
): Promise<Following> => {
  const { generation } = own;
  if (former === null) return await spec.follow(own, 'serving', NEVER_HELD);

  const logger = parent.child({ read_model: spec.read_model, from: former.generation, to: generation });
  const warn = sparingWarnings(logger);
  const cutover = {
    own,
    former_checkpoints: spec.checkpoints(former.generation),
    own_checkpoints: spec.checkpoints(generation),
  };
  const stopping = new AbortController();
  const following = new Set<Following>();

  const hold = createHold(clock);

  const begin = async (of: ServingGeneration, role: Role): Promise<Following> => {
    const begun = await spec.follow(of, role, role === 'former' ? hold : NEVER_HELD);
    following.add(begun);
    return begun;
  };
  const end = async (one: Following): Promise<void> => {
    following.delete(one);
    await one.stop();
  };

  const complete = async (): Promise<void> => {
    for (;;) {
      const outcome = await tryCutover(store, cutover).catch((error: unknown) => {
        warn({ error }, 'could not hand over to the new generation; it is tried again');
        return 'behind';
      });
      if (outcome === 'serves') return;
      // Under load it would be some records behind at every look.
      if (outcome === 'near') hold.begin();
      await clock.sleep(LOOK_MS, stopping.signal);
    }
  };

  const replace = async (older: Following, made: Following): Promise<void> => {
    await complete();
    logger.info('the new generation of the read model serves');
    await end(older);
    if (!spec.publishes) return;
    // Nothing is published that a reader of the former generation would not find.
    await clock.sleep(READERS_FOLLOW_MS, stopping.signal);
    await end(made);
    await begin(own, 'serving');
  };

  logger.info('a new generation of the read model is made');
  const [older, made] = await Promise.all([begin(former, 'former'), begin(own, 'made')]);
  const replacing = replace(older, made);
  replacing.catch((error: unknown) => {
    // It gives up for no other reason: so this ends the process.
    if (!stopping.signal.aborted) throw error;
  });

  return {
    stop: async () => {
      stopping.abort();
      await replacing.catch(() => undefined);
      await Promise.all([...following].map(end));
    },
  };
};

/**
 * Follows the generation of this code's version. Where an older one serves, that one is followed too, while the own is
 * folded from the first record; once it is complete it serves, and the older one is left as it is.
 */
export const followReadModel = async (claim: Claim, spec: ReadModelSpec, deps: Deps): Promise<Following> => {
  const following = await followGenerations(claim, spec, deps);
  const watching = watchClaim(deps.store.db, claim.own, deps.logger, deps.clock);
  return {
    stop: async () => {
      await watching.stop();
      await following.stop();
    },
  };
};
