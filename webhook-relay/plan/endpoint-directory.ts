import { LRUCache } from 'lru-cache';
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import { batchReads } from '../../platform/read-store/batched-read.ts';
import { readOncePerInterval } from '../../platform/read-store/fresh-read.ts';
import type { CatalogueState, Endpoints } from '../../read-models/catalogue/endpoints.ts';
import type { EndpointDirectory } from '../ports.ts';

export type EndpointDirectoryDependencies = {
  readonly endpoints: Endpoints;
  readonly end: () => Promise<number>;
  readonly warn: Warn;
  readonly clock: Clock;
  /** Reports why planning waits; null once it continues. */
  readonly waiting: (problem: string | null) => void;
};

const MAX_KNOWN = 10_000;
const MAX_IN_ONE_QUERY = 100;
const POLL_MS = 20;
const LONG_MS = 5_000;

type Found = { readonly endpoint: WebhookEndpoint | null };

type Known = {
  readonly state: CatalogueState;
  readonly teams: LRUCache<string, readonly WebhookEndpoint[]>;
  readonly endpoints: LRUCache<string, Found>;
};

const knownAt = (state: CatalogueState): Known => ({
  state,
  teams: new LRUCache({ max: MAX_KNOWN }),
  endpoints: new LRUCache({ max: MAX_KNOWN }),
});

/** Thrown if the read model is missing, or older than a state that this process has already seen. */
class NotFolded extends Error {
  override readonly name = 'NotFolded';
}

/** Reads endpoints, and caches them until the catalogue changes. */
export const endpointDirectory = ({
  endpoints,
  end,
  warn,
  clock,
  waiting,
}: EndpointDirectoryDependencies): EndpointDirectory => {
  let known: Known | null = null;
  /** A read model below this offset is being rebuilt, so its answers are outdated. */
  let floor: number | null = null;

  /** Reads the state of the read model; null while it is outdated. */
  const look = async (): Promise<Known | null> => {
    floor ??= await end();
    const state = await endpoints.state();
    if (state === null || state.next < floor) return null;
    floor = state.next;
    const is_same = known?.state.generation === state.generation && known.state.next === state.next;
    if (known === null || !is_same) known = knownAt(state);
    return known;
  };

  const atLeast = async (offset: number, stop: AbortSignal): Promise<Known> => {
    const began = clock.monotonic();
    for (;;) {
      // The known state can be used even if another generation serves since.
      const enough = known !== null && known.state.next >= offset ? known : await look();
      if (enough !== null && enough.state.next >= offset) {
        waiting(null);
        return enough;
      }
      const waited_ms = Math.round(clock.monotonic() - began);
      if (waited_ms > LONG_MS) {
        waiting(`its read model is not folded up to ${offset}`);
        warn({ offset, waited_ms }, "waiting for the catalogue's projector");
      }
      await clock.sleep(POLL_MS, stop);
    }
  };

  /**
   * Reads, and checks before and after that the read model is current: after a restore, a rebuilt read model has no
   * endpoints yet.
   */
  const whileFolded = async <A>({ state }: Known, read: () => Promise<A>): Promise<A> => {
    const isFolded = async (): Promise<boolean> => (await look())?.state.generation === state.generation;
    const was_folded = await isFolded();
    const found = await read();
    if (!was_folded || !(await isFolded())) throw new NotFolded('the read model of the catalogue is behind');
    return found;
  };

  const ofTeams = async (ids: readonly string[], stop: AbortSignal) => {
    const known_now = await atLeast(await end(), stop);
    const missing = [...new Set(ids)].filter((id) => !known_now.teams.has(id));
    if (missing.length > 0) {
      const read = await whileFolded(known_now, () => endpoints.ofTeams(known_now.state.generation, missing));
      const found = Map.groupBy(read, ({ team_id }) => team_id);
      for (const id of missing) known_now.teams.set(id, found.get(id) ?? []);
    }
    return new Map(ids.map((id) => [id, known_now.teams.get(id) ?? []]));
  };

  const fresh = readOncePerInterval(look, clock);
  const readOne = batchReads(async (ids) => {
    if (known === null) throw new NotFolded('the catalogue is not folded yet');
    const found = await endpoints.byIds(known.state.generation, ids);
    return new Map(found.map((endpoint) => [endpoint.id, endpoint]));
  }, MAX_IN_ONE_QUERY);

  const endpointOf = async (id: string): Promise<WebhookEndpoint | null> => {
    const known_now = await fresh();
    if (known_now === null) throw new NotFolded('the read model of the catalogue is behind');
    const kept = known_now.endpoints.get(id);
    if (kept !== undefined) return kept.endpoint;
    const found = { endpoint: (await whileFolded(known_now, () => readOne(id))) ?? null };
    known_now.endpoints.set(id, found);
    last_known.set(id, found);
    return found.endpoint;
  };
  const last_known = new LRUCache<string, Found>({ max: MAX_KNOWN });

  return {
    ofTeams: async (team_ids, stop) => {
      if (team_ids.length === 0) return new Map();
      const onFailure = (error: unknown): void => warn({ error }, 'the endpoints cannot be read yet');
      return await retry(() => ofTeams(team_ids, stop), { clock, signal: stop, onFailure });
    },
    endpoint: async (id) => {
      try {
        return await endpointOf(id);
      } catch (error) {
        const last = last_known.get(id);
        if (last === undefined) throw error;
        return last.endpoint;
      }
    },
  };
};
