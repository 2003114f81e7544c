import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { type CatalogueWriter, changeCatalogue } from '../../catalogue/change.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { CatalogueCommand } from '../../domain/catalogue/commands.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { ErasedEntity } from '../../read-models/catalogue/erased-entities.ts';

export type CatalogueCommandRunnerDependencies = {
  /** Writes to the catalogue. The actor comes from the erasure. */
  readonly catalogue: Omit<CatalogueWriter, 'actor' | 'causation_id'>;
  readonly warn: Warn;
};

/**
 * Executes the commands that complete an erasure. The erasure is their cause and provides the actor. False if some
 * changes were refused.
 */
export type RunCatalogueCommands = (
  entity: ErasedEntity,
  commands: readonly CatalogueCommand[],
  signal: AbortSignal,
) => Promise<boolean>;

const CHANGED_AT_ONCE = 8;

const isRefused = ({ tag }: CatalogueFault): boolean => tag === 'illegal';

/**
 * The function rejects if the log does not accept a change, or the read model does not show it in time. The next pass
 * tries again.
 */
export const createCatalogueCommandRunner = ({
  catalogue,
  warn,
}: CatalogueCommandRunnerDependencies): RunCatalogueCommands => {
  const turn = pLimit(CHANGED_AT_ONCE);
  return async ({ id, erased }, commands, signal) => {
    const of_erasure: CatalogueWriter = { ...catalogue, actor: erased.by, causation_id: erased.event_id };
    const done = await turn.map(commands, async (command) => {
      signal.throwIfAborted();
      const change = await changeCatalogue(of_erasure, command);
      if (E.isRight(change)) return true;
      const fault = change.left;
      if (!isRefused(fault)) throw new Error(`${command.type} of ${id} failed: ${fault.tag}`);
      warn({ id, command: command.type, fault }, 'data of an erased user or account is not removed yet');
      return false;
    });
    return done.every((is_done) => is_done);
  };
};
