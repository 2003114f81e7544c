import { ANYWHERE, answerLike } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';

const AT = 1_763_740_800_000;

const lists = (
  operationId: string,
  summary: string,
  schema: string,
  one: unknown,
  more: Readonly<Record<string, unknown>> = {},
): ManagementOperation => ({
  ...{ operationId, tags: ['Operators'], summary, description: 'For operators.' },
  responses: { '200': answerLike('As it is now.', schema, { ...more, data: [one] }), ...ANYWHERE },
});

const QUEUE = { preparing: 3, queued: 40, running: 2, longest_wait_ms: 61_500 };

export const OPERATOR_PATHS = {
  '/manage/v1/operators/queues': {
    get: lists(
      'listQueues',
      'List the accounts that have renders waiting or running',
      'QueueList',
      { account_id: 'acc_01KAJX4A', account_name: 'Acme', ...QUEUE },
      { is_whole: true, all: { accounts: 1, ...QUEUE } },
    ),
  },
  '/manage/v1/operators/workers': {
    get: lists('listWorkers', 'List the workers', 'WorkerList', {
      ...{ worker_id: 'wkr_01KAJX4A', machine: 'wkr_01KAJX4A', standing: 'offering', impediments: [], losses: null },
      ...{ left_ms: null, attempts: 1, helping: 0, slots: 2, engines: [4], heard_ms_ago: 900 },
    }),
  },
  '/manage/v1/operators/read-models': {
    get: lists('listReadModels', 'Say how far the read models are', 'ReadModelList', {
      ...{ read_model: 'renders', generation: 1, folded: 4_711, behind: 0, caught_up_at: AT },
    }),
  },
  '/manage/v1/operators/stopped-partitions': {
    get: lists('listStoppedPartitions', 'List the partitions that are stopped', 'StoppedPartitionList', {
      ...{ group: 'projectors', topic: 'render-events', partition: 3, offset: 815, reason: 'unknown fold_version 9' },
      stopped_at: AT,
    }),
  },
  '/manage/v1/operators/quarantine': {
    get: lists('listQuarantine', 'List the records in quarantine', 'QuarantineList', {
      ...{ topic: 'render-events', partition: 3, offset: 814, reason: 'not Avro', found_at: AT },
    }),
  },
} as const;
