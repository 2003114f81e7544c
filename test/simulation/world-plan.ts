import { FOLD_VERSION, SEALED_SINCE } from '../../domain/render/fold.ts';
import { type Random, randomOf } from './world/random.ts';

/** The only fault in a world: everything unaffected continues normally. */
export type Lone = 'position' | 'partition' | 'blob';

/** Backups of the blob store are restored: all blobs, or one key tree. */
export type BlobRestore = 'all' | 'tree';

export type WorldPlan = {
  /** One account requests far more than the others. */
  readonly is_loud: boolean;
  readonly lone: Lone | null;
  readonly partitions: number;
  readonly environment_timeout_ms: number;
  readonly workers: number;
  readonly preparers: number;
  readonly customers: number;
  readonly endpoints: number;
  /** Only one customer places orders: the one with limited credits, which pay for a few renders. */
  readonly is_poor: boolean;
  readonly has_few_credits: boolean;
  readonly is_swept: boolean;
  readonly is_managed: boolean;
  readonly store_clock_ms: number;
  readonly is_rebuilt: boolean;
  /** The fold version of new renders, by command API. */
  readonly fold_versions: readonly [number, number];
  readonly blob_restore: BlobRestore | null;
  /** The process whose clock is a month wrong, by the order of starts, and the error in ms. */
  readonly wrong_clock: { readonly process: number; readonly by_ms: number } | null;
};

const MONTH_MS = 31 * 86_400_000;
const LONES: readonly Lone[] = ['position', 'partition', 'blob'];
const MAX_PROCESSES = 14;

const SEALED = FOLD_VERSION;
const UNSEALED = SEALED_SINCE - 1;

/** An upgrade is under way in some worlds: then two command APIs differ, or both have the earlier version. */
const planFoldVersions = (random: Random): WorldPlan['fold_versions'] =>
  random.pick([
    ...Array.from({ length: 6 }, () => [SEALED, SEALED] as const),
    ...([
      [UNSEALED, SEALED],
      [UNSEALED, UNSEALED],
    ] as const),
  ]);

/** Only erasures need a swept world; a lost tree of a writer does not. */
const planBlobRestore = (random: Random, is_swept: boolean): BlobRestore | null => {
  if (!random.chance(is_swept ? 0.4 : 0.05)) return null;
  return is_swept ? random.pick(['all', 'tree']) : 'all';
};

export const planWorld = (seed: number): WorldPlan => {
  const random = randomOf(seed).fork('world plan');
  const is_loud = random.chance(0.02);
  const lone = !is_loud && random.chance(0.06) ? random.pick(LONES) : null;
  const parts = randomOf(seed).fork('parts');
  const is_managed = !is_loud && lone === null && parts.chance(0.3);
  const is_swept = is_managed || (!is_loud && parts.chance(0.1));
  const store = randomOf(seed).fork('clock of the store');
  const is_calm = is_loud || lone !== null;
  const credits = randomOf(seed).fork('credits');
  const is_rebuilt = !is_calm && randomOf(seed).fork('rebuild').chance(0.15);
  const is_poor = !is_calm && credits.chance(0.15);
  const blob_restore = is_calm ? null : planBlobRestore(randomOf(seed).fork('restored blobs'), is_swept);
  return {
    // A restore of all blobs loses payloads. Sealed texts survive it.
    fold_versions: blob_restore === 'all' ? [SEALED, SEALED] : planFoldVersions(randomOf(seed).fork('fold versions')),
    ...{
      blob_restore,
      is_loud,
      lone,
      is_swept,
      is_managed,
      is_rebuilt,
      is_poor,
      has_few_credits: is_poor || (lone === 'partition' && credits.chance(0.5)),
    },
    partitions: lone === 'position' || lone === 'partition' ? random.between(3, 4) : random.between(1, 4),
    environment_timeout_ms: !is_calm && random.chance(0.06) ? 120_000 : 900_000,
    workers: random.between(2, 3),
    preparers: random.between(1, 2),
    customers: random.between(2, 3),
    endpoints: random.between(1, 2),
    store_clock_ms: is_calm || store.chance(0.8) ? store.between(-1_000, 1_000) : store.pick([-1, 1]) * MONTH_MS,
    wrong_clock:
      !is_calm && random.chance(0.2)
        ? {
            process: is_swept && parts.chance(0.5) ? 1 : random.between(1, MAX_PROCESSES),
            by_ms: random.pick([-1, 1]) * MONTH_MS,
          }
        : null,
  };
};
