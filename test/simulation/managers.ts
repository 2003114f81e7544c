import type { CatalogueCommand } from '../../domain/catalogue/commands.ts';
import type { Customer } from './catalogue.ts';
import type { ClientsDependencies, Listening } from './clients.ts';
import type { Answer } from './components/command-api.ts';
import type { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** People who revoke keys and erase projects, accounts and users while others render. */
export type Managers = {
  readonly waiting: () => number;
  /** Whether somebody has asked for the erasure of the project, or of its account. */
  readonly isErasing: (project_id: string) => boolean;
  readonly isErasingAccount: (account_id: string) => boolean;
};

export type ManagersDependencies = {
  readonly apis: readonly Listening[];
  /** Whether an answer can come from a store that was restored recently. */
  readonly mayBeOld: ClientsDependencies['mayBeOld'];
  /** Decides which accounts and users are erased. Apart from `random`, so that they do not change other decisions. */
  readonly erasures: Random;
};

const TIMEOUT_MS = 30_000;
const TRIES_OF_KEY = 3;
const NO_RENDER = 'rend_01JD0000000000000000000000';

export const startManagers = (
  { scheduler, violate, trace }: World,
  random: Random,
  customers: readonly Customer[],
  { apis, mayBeOld, erasures }: ManagersDependencies,
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

  const eraseAccount = async ({ account_id, projects }: Customer): Promise<void> => {
    for (const id of [account_id, ...Object.values(projects)]) erasing.add(id);
    await carryOut({ type: 'EraseAccount', account_id }, `erasing ${account_id}`);
  };

  const eraseUser = async ({ user: { user_id } }: Customer): Promise<void> => {
    await carryOut({ type: 'EraseUser', user_id }, `erasing ${user_id}`);
  };

  const begin = (customer: Customer, work: (customer: Customer) => Promise<void>, chances: Random, chance: number) => {
    if (!chances.chance(chance)) return;
    waiting += 1;
    scheduler.after(chances.between(6_000, 20_000), () => {
      void work(customer).finally(() => {
        waiting -= 1;
      });
    });
  };

  for (const customer of customers) for (const work of [revoke, erase]) begin(customer, work, random, 0.6);
  for (const customer of customers) {
    begin(customer, eraseAccount, erasures, 0.25);
    begin(customer, eraseUser, erasures, 0.4);
  }
  return {
    waiting: () => waiting,
    isErasing: (project_id) => erasing.has(project_id),
    isErasingAccount: (account_id) => erasing.has(account_id),
  };
};

export const NO_MANAGERS: Managers = { waiting: () => 0, isErasing: () => false, isErasingAccount: () => false };
