import type { CatalogueCommand } from '../../domain/catalogue/commands.ts';
import type { Customer } from './catalogue.ts';
import type { ClientsDependencies, Listening } from './clients.ts';
import type { Answer } from './components/command-api.ts';
import type { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** People who erase projects and revoke keys while others render. */
export type Managers = {
  readonly waiting: () => number;
  readonly isErasing: (project_id: string) => boolean;
};

export type ManagersDependencies = {
  readonly apis: readonly Listening[];
  /** Whether an answer can come from a store that was restored recently. */
  readonly mayBeOld: ClientsDependencies['mayBeOld'];
};

const TIMEOUT_MS = 30_000;
const TRIES_OF_KEY = 3;
const NO_RENDER = 'rend_01JD0000000000000000000000';

export const startManagers = (
  { scheduler, violate, trace }: World,
  random: Random,
  customers: readonly Customer[],
  { apis, mayBeOld }: ManagersDependencies,
): Managers => {
  const erasing = new Set<string>();
  let waiting = 0;

  const passed = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scheduler.after(ms, resolve);
    return promise;
  };

  const ask = (work: () => Promise<Answer>): Promise<Answer | 'late'> =>
    Promise.race([work(), passed(TIMEOUT_MS).then(() => 'late' as const)]);

  const carryOut = async (command: CatalogueCommand, what: string): Promise<void> => {
    for (;;) {
      const api = random.pick(apis).commands();
      if (api !== null) {
        const asked_at = scheduler.now();
        const answer = await ask(() => api.manage(command));
        trace(`${what}: ${answer === 'late' ? answer : answer.status}`);
        if (answer !== 'late' && answer.status === 200) return;
        if (answer !== 'late' && answer.status !== 503 && !mayBeOld(asked_at))
          violate(`${what} was answered ${answer.status}: ${answer.body}`);
      }
      await passed(random.between(500, 3_000));
    }
  };

  /** Whether a key is accepted; null without an answer. Tries it on a render id that belongs to no account. */
  const opens = async (key: string, id: string): Promise<boolean | null> => {
    const api = random.pick(apis).commands();
    if (api === null) return null;
    const asked_at = scheduler.now();
    const answer = await ask(() => api.cancel({ id, key, render_id: NO_RENDER }));
    if (answer === 'late' || answer.status === 503 || mayBeOld(asked_at)) return null;
    return answer.status !== 401;
  };

  /** Revokes the spare key. After the answer, the key must not work. */
  const revoke = async ({ spare: { key, key_id } }: Customer): Promise<void> => {
    for (let i = 1; i <= TRIES_OF_KEY; i += 1) await opens(key, `req-${key_id}-before-${i}`);
    await carryOut({ type: 'RevokeKey', key_id }, `revoking ${key_id}`);
    for (let i = 1; i <= TRIES_OF_KEY; i += 1) {
      await passed(random.between(0, 3_000));
      if ((await opens(key, `req-${key_id}-${i}`)) === true) violate(`${key_id} is revoked, and opens the API`);
    }
  };

  const erase = async ({ projects: { doomed } }: Customer): Promise<void> => {
    erasing.add(doomed);
    await carryOut({ type: 'EraseProject', project_id: doomed }, `erasing ${doomed}`);
  };

  for (const customer of customers)
    for (const work of [revoke, erase])
      if (random.chance(0.6)) {
        waiting += 1;
        scheduler.after(random.between(6_000, 20_000), () => {
          void work(customer).finally(() => {
            waiting -= 1;
          });
        });
      }
  return { waiting: () => waiting, isErasing: (project_id) => erasing.has(project_id) };
};

export const NO_MANAGERS: Managers = { waiting: () => 0, isErasing: () => false };
