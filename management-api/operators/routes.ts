import * as E from 'fp-ts/lib/Either.js';
import type { Account } from '../../domain/catalogue/entities.ts';
import type { ListedWorker } from '../../domain/dispatch/listed-workers.ts';
import type { StoppedPartitionDocument } from '../../platform/read-store/stopped-partitions.ts';
import type { ReadModelState } from '../../read-models/catch-up.ts';
import { listPosition } from '../../read-models/position.ts';
import type { QuarantinedRecord } from '../../read-models/quarantine.ts';
import type { AccountQueue, AccountQueues } from '../../read-models/renders/account-queues.ts';
import { Account as ShownAccount } from '../../schemas/http/management/teams.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { Route, RouteGuards, SignedInHandler } from '../access/route-guards.ts';
import { type SortableList, sortedPage } from '../lists/page-of-all.ts';
import { busiestQueues, sumOfQueues } from './queues.ts';

const listAccounts =
  ({ read_model, readPage }: RouteDependencies): SignedInHandler =>
  async ({ query }) => {
    const list: SortableList<Account> = {
      ...{ endpoint: 'accounts', scope: '', status: null },
      all: read_model.accounts,
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await sortedPage(readPage, query, list, ShownAccount.encode);
  };

/** State of the installation for operators. Every read rejects on outage of the store or the log. */
export type OperatorReads = {
  readonly queues: () => Promise<AccountQueues>;
  readonly workers: () => Promise<readonly ListedWorker[]>;
  readonly readModels: () => Promise<readonly ReadModelState[]>;
  readonly stoppedPartitions: () => Promise<readonly StoppedPartitionDocument[]>;
  readonly quarantine: (limit: number) => Promise<readonly QuarantinedRecord[]>;
};

const MAX_SHOWN = 60;
const MAX_WORKERS = 1_000;

const listReply = (data: readonly object[]) => E.right({ status: 200, body: { data } });

/** Shows the wait as a duration instead of a time, because the clocks of browsers differ. */
const waitOf = <A extends Pick<AccountQueue, 'waiting_since'>>({ waiting_since, ...rest }: A, now: number) => ({
  ...rest,
  longest_wait_ms: waiting_since === null ? null : Math.max(0, now - waiting_since),
});

const listQueues =
  ({ read_model, clock }: RouteDependencies, { queues: read }: OperatorReads): SignedInHandler =>
  async () => {
    const { queues, is_whole } = await read();
    const now = clock.now();
    const shown = busiestQueues(queues);
    const accounts = await read_model.entities(
      'account',
      shown.map(({ account_id }) => account_id),
    );
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    const data = shown.map((queue) => ({ ...waitOf(queue, now), account_name: names.get(queue.account_id) ?? null }));
    return E.right({ status: 200, body: { is_whole, all: waitOf(sumOfQueues(queues), now), data } });
  };

const listWorkers =
  ({ workers }: OperatorReads): SignedInHandler =>
  async () =>
    listReply((await workers()).slice(0, MAX_WORKERS));

const listReadModels =
  ({ readModels }: OperatorReads): SignedInHandler =>
  async () =>
    listReply(await readModels());

const listStopped =
  ({ stoppedPartitions }: OperatorReads): SignedInHandler =>
  async () =>
    listReply(
      (await stoppedPartitions()).map(({ group, topic, partition, offset, reason, stopped_at }) => ({
        ...{ group, topic, partition, offset, reason, stopped_at: stopped_at.getTime() },
      })),
    );

const listQuarantined =
  ({ quarantine }: OperatorReads): SignedInHandler =>
  async () =>
    listReply(
      (await quarantine(MAX_SHOWN)).map(({ topic, partition, offset, reason, found_at }) => ({
        ...{ topic, partition, offset, reason, found_at: found_at.getTime() },
      })),
    );

export const operatorRoutes = (
  guards: RouteGuards,
  parts: RouteDependencies,
  installation: OperatorReads,
): readonly Route[] => [
  guards.forOperator('GET', '/manage/v1/operators/accounts', listAccounts(parts)),
  guards.forOperator('GET', '/manage/v1/operators/queues', listQueues(parts, installation)),
  guards.forOperator('GET', '/manage/v1/operators/workers', listWorkers(installation)),
  guards.forOperator('GET', '/manage/v1/operators/read-models', listReadModels(installation)),
  guards.forOperator('GET', '/manage/v1/operators/stopped-partitions', listStopped(installation)),
  guards.forOperator('GET', '/manage/v1/operators/quarantine', listQuarantined(installation)),
];
