import { ACCOUNT_ID } from '../ids.ts';
import {
  boolean,
  count,
  definitionsOf,
  integer,
  listOf,
  number,
  oneOf,
  orNull,
  resource,
  text,
  time,
  wholeList,
  withDescription,
  withKeywords,
} from '../shapes.ts';
import { contract, jsonResponse } from './operation.ts';

const countOrNull = (description: string) => orNull(count(''), description);
const msOrNull = (description: string) => orNull(number('', { minimum: 0 }), description);
const PLACE = { topic: text('The topic.'), partition: count('The partition of the topic.') };

const QUEUE = {
  preparing: count('Renders that wait for preparation, or are being prepared.'),
  queued: count('Renders that wait for a worker.'),
  running: count('Renders that are being rendered, or were when their worker was lost.'),
  longest_wait_ms: countOrNull('How long the oldest waiting request has waited; null if none waits.'),
};

const Queue = resource('Queue', 'Renders of an account that are neither complete nor failed.', {
  account_id: ACCOUNT_ID,
  account_name: orNull(text(''), 'The name of the account; null if unknown.'),
  ...QUEUE,
});
const QueueSum = resource('QueueSum', 'The sum over all accounts.', {
  ...{ accounts: count('The number of accounts with such renders.'), ...QUEUE },
});
const QueueList = resource('QueueList', 'Waiting and running renders by account; up to 5 s old.', {
  is_whole: boolean(
    'False if there are more renders than the service counts: 100,000, or 20,000 in the embedded store.',
  ),
  all: withDescription(QueueSum, 'The sum over all accounts.'),
  data: withKeywords(
    listOf(
      Queue,
      'The 50 accounts with the most waiting renders, and the 50 with the longest waits; the most waiting renders first.',
    ),
    { maxItems: 100 },
  ),
});
const Worker = resource('Worker', 'A worker at its last heartbeat, or a machine that was set aside.', {
  worker_id: orNull(text(''), 'Null for a machine that was set aside and has no worker now.'),
  machine: text('The machine that it runs on.'),
  standing: oneOf(
    ['offering', 'silent', 'draining', 'impeded', 'set_aside'],
    'Whether it gets new renders (`offering`), and why not.',
  ),
  impediments: listOf(text(''), 'Why it takes no renders.'),
  losses: countOrNull('Attempts lost in a row; null if it is not set aside.'),
  left_ms: msOrNull('How long it stays set aside; null if it is not.'),
  attempts: count('Its current attempts.'),
  helping: count('Renders of other workers for which it encodes parts now.'),
  slots: count('The maximum number of attempts.'),
  engines: listOf(integer(''), 'Versions of compositions that it reads.'),
  heard_ms_ago: msOrNull('The age of its last heartbeat; null without one.'),
});
const WorkerList = wholeList('WorkerList', Worker, 'The workers with a heartbeat in the last minute; 1,000 at most.');
const ReadModel = resource('ReadModel', 'The progress of a read model.', {
  read_model: text('Its name.'),
  generation: countOrNull('The serving generation; null before the first one.'),
  folded: count('Records that it contains.'),
  behind: countOrNull('Earlier records that it lacks; null until a projector reports.'),
  caught_up_at: orNull(
    number(''),
    'The time up to which it contains all records, in milliseconds since the epoch; null if unknown.',
  ),
});
const ReadModelList = wholeList('ReadModelList', ReadModel, 'The read models.');
const StoppedPartition = resource('StoppedPartition', 'A partition that is stopped now.', {
  group: text('The consumer group that stopped it.'),
  ...PLACE,
  offset: countOrNull('The record at which it waits; null if it stopped when it was opened.'),
  reason: text('Why.'),
  stopped_at: time('Since when'),
});
const StoppedPartitionList = wholeList(
  'StoppedPartitionList',
  StoppedPartition,
  'The partitions that are stopped now.',
);
const QuarantinedRecord = resource('QuarantinedRecord', 'A record that is not a valid event of its topic.', {
  ...PLACE,
  offset: count('Its offset.'),
  reason: text('Why.'),
  found_at: time('When it was found'),
});
const QuarantineList = wholeList('QuarantineList', QuarantinedRecord, 'The latest records, newest first; 60 at most.');

export const OPERATOR_SCHEMAS = definitionsOf([
  ...[Queue, QueueSum, QueueList, Worker, WorkerList, ReadModel, ReadModelList],
  ...[StoppedPartition, StoppedPartitionList, QuarantinedRecord, QuarantineList],
]);

const AT = 1_763_740_800_000;
const COUNTS = { preparing: 3, queued: 40, running: 2, longest_wait_ms: 61_500 };
const NOW = 'The current state.';
const common = { guard: 'operator', tag: 'Operators', description: 'For operators.' } as const;

export const OPERATORS = contract({
  'GET /manage/v1/operators/queues': {
    ...{ ...common, id: 'listQueues', summary: 'List the accounts that have renders waiting or running' },
    answers: {
      200: jsonResponse(NOW, QueueList, {
        ...{ is_whole: true, all: { accounts: 1, ...COUNTS } },
        data: [{ account_id: 'acc_01KAJX4A', account_name: 'Acme', ...COUNTS }],
      }),
    },
  },
  'GET /manage/v1/operators/workers': {
    ...{ ...common, id: 'listWorkers', summary: 'List the workers' },
    answers: {
      200: jsonResponse(NOW, WorkerList, {
        data: [
          {
            ...({ worker_id: 'wkr_01KAJX4A', machine: 'wkr_01KAJX4A', standing: 'offering', impediments: [] } as const),
            ...{ losses: null, left_ms: null, attempts: 1, helping: 0, slots: 2, engines: [4], heard_ms_ago: 900 },
          },
        ],
      }),
    },
  },
  'GET /manage/v1/operators/read-models': {
    ...{ ...common, id: 'listReadModels', summary: 'Read the progress of the read models' },
    answers: {
      200: jsonResponse(NOW, ReadModelList, {
        data: [{ read_model: 'renders', generation: 1, folded: 4_711, behind: 0, caught_up_at: AT }],
      }),
    },
  },
  'GET /manage/v1/operators/stopped-partitions': {
    ...{ ...common, id: 'listStoppedPartitions', summary: 'List the partitions that are stopped' },
    answers: {
      200: jsonResponse(NOW, StoppedPartitionList, {
        data: [
          {
            ...{ group: 'projectors', topic: 'render-events', partition: 3, offset: 815 },
            ...{ reason: 'unknown fold_version 9', stopped_at: AT },
          },
        ],
      }),
    },
  },
  'GET /manage/v1/operators/quarantine': {
    ...{ ...common, id: 'listQuarantine', summary: 'List the records in quarantine' },
    answers: {
      200: jsonResponse(NOW, QuarantineList, {
        data: [{ topic: 'render-events', partition: 3, offset: 814, reason: 'not Avro', found_at: AT }],
      }),
    },
  },
});
