import type { Logger } from '../../platform/logging/logger.ts';
import type { ErasedEntities } from '../../read-models/catalogue/erased-entities.ts';
import type { ClearInactiveCatalogue, ErasableKind } from '../../read-models/left/left-catalogue.ts';
import type { InactiveRenderCleaner } from '../../read-models/left/left-renders.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';

export type InactiveGenerationSweepDependencies = {
  readonly renders: Pick<InactiveRenderCleaner, 'clearPage'>;
  readonly catalogue: ClearInactiveCatalogue;
  readonly erased: { readonly [K in ErasableKind]: ErasedEntities };
  readonly logger: Pick<Logger, 'info'>;
};

const DAY_MS = 86_400_000;
const CATALOGUE_EVERY_MS = 30_000;
const ENTITIES_OF_A_PAGE = 500;
const KINDS: readonly ErasableKind[] = ['project', 'user', 'account'];

/**
 * Sweeps of generations that are no longer folded. Each erasure clears these at once. The sweeps find texts that a
 * restore or a concurrent rebuild brought back.
 */
export const inactiveGenerationSweeps = ({
  renders,
  catalogue,
  erased,
  logger,
}: InactiveGenerationSweepDependencies): readonly Sweep[] => [
  {
    name: 'left_renders',
    every_ms: DAY_MS,
    page: async (from) => {
      const { next, cleared } = await renders.clearPage(from);
      if (cleared > 0) logger.info({ cleared }, 'cleared names of erased renders from an abandoned generation');
      return { next, removed: {} };
    },
  },
  {
    name: 'left_catalogue',
    every_ms: CATALOGUE_EVERY_MS,
    page: async (from) => {
      // `from` is the number of a kind, and a position in the list of that kind.
      const [kind, position] = [KINDS[Number(from?.split('|')[0] ?? 0)], from?.split('|')[1] ?? ''];
      if (kind === undefined) return { next: null, removed: {} };
      const found = await erased[kind](0, position === '' ? null : position, ENTITIES_OF_A_PAGE);
      const cleared =
        found.length === 0
          ? 0
          : await catalogue(
              kind,
              found.map(({ id }) => id),
            );
      if (cleared > 0) logger.info({ kind, cleared }, 'cleared erased texts from an abandoned generation');
      const n = KINDS.indexOf(kind);
      const last = found.length < ENTITIES_OF_A_PAGE ? undefined : found.at(-1);
      const next = last !== undefined ? `${n}|${last.position}` : n + 1 < KINDS.length ? `${n + 1}|` : null;
      return { next, removed: {} };
    },
  },
];
