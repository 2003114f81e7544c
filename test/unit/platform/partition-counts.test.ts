import test from 'ava';
import { choosePartitionCount, partitionCountFaults } from '../../../platform/event-log/partition-counts.ts';
import type { Topic } from '../../../platform/event-log/topics.ts';

const counts = (events: number, status: number, webhooks: number, catalogue = 1): ReadonlyMap<Topic, number> =>
  new Map([
    ['render-events', events],
    ['render-status', status],
    ['webhook-events', webhooks],
    ['catalogue-events', catalogue],
  ]);
const EVENTS_ALONE: ReadonlyMap<Topic, number> = new Map([['render-events', 4]]);
const NONE: ReadonlyMap<Topic, number> = new Map();

for (const [title, found, wanted, deployed, render_partitions] of [
  ['a new log gets the default', NONE, undefined, null, 64],
  ['a new log gets the requested count', NONE, 8, null, 8],
  ['a log keeps its count', counts(4, 4, 4), undefined, null, 4],
  ['the same count is accepted', counts(4, 4, 4), 4, 4, 4],
  ['a missing topic gets the count of the others', EVENTS_ALONE, undefined, null, 4],
  ['a deleted log gets its former count', NONE, undefined, 4, 4],
] as const)
  test(`count of partitions: ${title}`, (t) => {
    const chosen = choosePartitionCount(found, wanted, deployed, 64);
    t.deepEqual(chosen, { tag: 'chosen', render_partitions });
  });

for (const [title, found, wanted, deployed, because] of [
  [
    'a count that differs from the log is refused',
    counts(4, 4, 4),
    8,
    null,
    /RENDER_PARTITIONS is 8, but this log has 4 partitions/,
  ],
  ['a count that differs from the deployed one is refused', NONE, 8, 4, /set it to 4/],
  [
    'a count that changed since the deployment is refused',
    counts(8, 8, 8),
    undefined,
    4,
    /render-events: has 8 .* must have 4 as deployed/,
  ],
  [
    'different counts of topics are refused',
    counts(4, 8, 4),
    undefined,
    null,
    /render-status: has 8 .* 4 as render-events has/,
  ],
  [
    'two partitions of a one-partition topic are refused',
    counts(4, 4, 4, 2),
    undefined,
    null,
    /catalogue-events: has 2 partitions, must have 1/,
  ],
] as const)
  test(`count of partitions: ${title}`, (t) => {
    const chosen = choosePartitionCount(found, wanted, deployed, 64);
    t.regex(chosen.tag === 'refused' ? chosen.differences.join('\n') : '', because);
  });

test('while the counts are right, every append succeeds', (t) => {
  t.is(partitionCountFaults(counts(4, 4, 4), 4).size, 0);
  t.is(partitionCountFaults(counts(4, 4, 4), null).size, 0);
  t.is(partitionCountFaults(NONE, 4).size, 0, 'the append itself reports a missing topic');
});

test('a changed count stops exactly the topics that are keyed by render', (t) => {
  const because = 'webhook-events has 5 partitions instead of 4';
  t.deepEqual(
    [...partitionCountFaults(counts(4, 4, 5), 4)],
    [
      ['render-events', because],
      ['render-status', because],
      ['webhook-events', because],
    ],
  );
  t.is(partitionCountFaults(counts(8, 8, 8), null).size, 0, 'no process knows the former count');
  t.is(partitionCountFaults(counts(8, 8, 8), 4).size, 3);
});

test('only the one-partition topic stops if it has two partitions', (t) => {
  t.deepEqual(
    [...partitionCountFaults(counts(4, 4, 4, 2), 4)],
    [['catalogue-events', 'catalogue-events has 2 partitions instead of 1']],
  );
});
