import * as E from 'fp-ts/lib/Either.js';
import type { Account } from '../../domain/catalogue/entities.ts';
import type { ListedWorker } from '../../domain/dispatch/listed-workers.ts';
import type { StoppedPartitionDocument } from '../../platform/read-store/stopped-partitions.ts';
import type { ReadModelState } from '../../read-models/catch-up.ts';
import { listPosition } from '../../read-models/position.ts';
import type { QuarantinedRecord } from '../../read-models/quarantine.ts';
import type { AccountQueue, AccountQueues } from '../../read-models/renders/account-queues.ts';
import { Account as ShownAccount } from '../../schemas/http/management/teams.ts';
import type { Commands } from '../access/commands.ts';
import type { Route, RouteGuards, SignedInHandler } from '../access/route-guards.ts';
import { pageOfAll, type WholeList } from '../lists/page-of-all.ts';
import { shownQueues, sumOfQueues } from './queues.ts';

/** GET /manage/v1/operators/accounts: all of them, the newest first. */
const listAccounts =
  ({ read_model, readPage }: Commands): SignedInHandler =>
  async ({ query }) => {
    const list: WholeList<Account> = {
      ...{ endpoint: 'accounts', scope: '', status: null },
      all: read_model.accounts,
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await pageOfAll(readPage, query, list, ShownAccount.encode);
  };

/** What the service is made of, as operators see it. Every read rejects when the store or the log does not answer. */
export type Installation = {
  readonly queues: () => Promise<AccountQueues>;
  readonly workers: () => Promise<readonly ListedWorker[]>;
  readonly readModels: () => Promise<readonly ReadModelState[]>;
  readonly stoppedPartitions: () => Promise<readonly StoppedPartitionDocument[]>;
  readonly quarantine: (limit: number) => Promise<readonly QuarantinedRecord[]>;
};

const MAX_SHOWN = 60;
/** More machines and attempts than any installation has. */
const MAX_WORKERS = 1_000;

const told = (data: readonly object[]) => E.right({ status: 200, body: { data } });

/** A wait instead of a time: clocks of browsers differ. */
const waitOf = <A extends Pick<AccountQueue, 'waiting_since'>>({ waiting_since, ...rest }: A, now: number) => ({
  ...rest,
  longest_wait_ms: waiting_since === null ? null : Math.max(0, now - waiting_since),
});

/** GET …/queues: what waits and runs, by account. */
const listQueues =
  ({ read_model, clock }: Commands, { queues: read }: Installation): SignedInHandler =>
  async () => {
    const { queues, is_whole } = await read();
    const now = clock.now();
    const shown = shownQueues(queues);
    const accounts = await read_model.entities(
      'account',
      shown.map(({ account_id }) => account_id),
    );
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    const data = shown.map((queue) => ({ ...waitOf(queue, now), account_name: names.get(queue.account_id) ?? null }));
    return E.right({ status: 200, body: { is_whole, all: waitOf(sumOfQueues(queues), now), data } });
  };

/** GET …/workers: those that were heard in the last minute, and machines that were set aside. */
const listWorkers =
  ({ workers }: Installation): SignedInHandler =>
  async () =>
    told((await workers()).slice(0, MAX_WORKERS));

/** GET …/read-models: how far each is. */
const listReadModels =
  ({ readModels }: Installation): SignedInHandler =>
  async () =>
    told(await readModels());

/** GET …/stopped-partitions */
const listStopped =
  ({ stoppedPartitions }: Installation): SignedInHandler =>
  async () =>
    told(
      (await stoppedPartitions()).map(({ group, topic, partition, offset, reason, stopped_at }) => ({
        ...{ group, topic, partition, offset, reason, stopped_at: stopped_at.getTime() },
      })),
    );

/** GET …/quarantine: what was found last, without its content. */
const listQuarantined =
  ({ quarantine }: Installation): SignedInHandler =>
  async () =>
    told(
      (await quarantine(MAX_SHOWN)).map(({ topic, partition, offset, reason, found_at }) => ({
        ...{ topic, partition, offset, reason, found_at: found_at.getTime() },
      })),
    );

export const operatorRoutes = (guards: RouteGuards, parts: Commands, installation: Installation): readonly Route[] => [
  guards.forOperator('GET', '/manage/v1/operators/accounts', listAccounts(parts)),
  guards.forOperator('GET', '/manage/v1/operators/queues', listQueues(parts, installation)),
  guards.forOperator('GET', '/manage/v1/operators/workers', listWorkers(installation)),
  guards.forOperator('GET', '/manage/v1/operators/read-models', listReadModels(installation)),
  guards.forOperator('GET', '/manage/v1/operators/stopped-partitions', listStopped(installation)),
  guards.forOperator('GET', '/manage/v1/operators/quarantine', listQuarantined(installation)),
];
