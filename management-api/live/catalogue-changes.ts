import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { pollStore } from '../../platform/read-store/poll-store.ts';
import type { Audit } from '../../read-models/audit/audit.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { Listeners } from './listeners.ts';

export type CatalogueChangesDependencies = {
  readonly listeners: Pick<Listeners, 'count' | 'announce' | 'resetAll'>;
  readonly read_model: Pick<CatalogueReadModel, 'outcomeOf'>;
  readonly audit: Pick<Audit, 'ofCatalogue'>;
  readonly clock: Clock;
  readonly warn: Warn;
  readonly stopping: AbortSignal;
};

export type CatalogueChanges = {
  /** Call this for each offset of `catalogue-events`, in order. Never waits. */
  readonly appended: (offset: number) => void;
  /** Resolves when all changes so far are announced. */
  readonly idle: () => Promise<void>;
};

const POLL_MS = 25;
/** With more changes waiting, for example of an import, listeners read everything again. */
const MAX_WAITING = 500;

/**
 * Announces changes of the catalogue after the read model has them, so that a page that reads at once sees the change.
 * The audit has the account and the teams of each change.
 */
export const openCatalogueChanges = (parts: CatalogueChangesDependencies): CatalogueChanges => {
  const { listeners, read_model, audit, clock, warn, stopping } = parts;
  let waiting: number[] = [];
  let is_reset_due = false;
  let running: Promise<void> | null = null;

  const announce = async (offset: number): Promise<void> => {
    const look = () => read_model.outcomeOf(offset);
    // Without a limit: a page that read again before the fold would miss the change.
    const polling = { wait_ms: Number.POSITIVE_INFINITY, every_ms: POLL_MS, clock, signal: stopping };
    const outcome = await pollStore(look, polling);
    if (outcome === null) return;
    if (is_reset_due) {
      is_reset_due = false;
      listeners.resetAll();
      return;
    }
    const entry = outcome.tag === 'accepted' ? await audit.ofCatalogue(offset) : null;
    if (entry === null || entry.account_id === null) return;
    const { account_id, team_ids } = entry;
    if (team_ids.length === 0) listeners.announce({ type: 'account', id: account_id, account_id, team_id: null });
    for (const team_id of team_ids) listeners.announce({ type: 'team', id: team_id, account_id, team_id });
  };

  const run = async (): Promise<void> => {
    for (let offset = waiting.shift(); offset !== undefined; offset = waiting.shift()) {
      try {
        await announce(offset);
      } catch (error) {
        warn({ error, offset }, 'a change of the catalogue cannot be announced; listeners read all again');
        listeners.resetAll();
      }
    }
    running = null;
  };

  return {
    appended: (offset) => {
      if (listeners.count === 0) return;
      if (waiting.length >= MAX_WAITING) {
        waiting = [];
        is_reset_due = true;
      }
      waiting.push(offset);
      running ??= run();
    },
    idle: async () => {
      while (running !== null) await running;
    },
  };
};
