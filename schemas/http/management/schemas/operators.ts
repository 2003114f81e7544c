import { type Schema, schemaRef } from '../../openapi/form.ts';
import { wholeList } from '../../openapi/schemas/list.ts';
import { ACCOUNT_ID, object, orNull, shared, text, time } from '../../openapi/schemas/scalars.ts';

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const countOrNull = (description: string): Schema => ({ type: ['integer', 'null'], minimum: 0, description });
const place = { topic: text('The topic.'), partition: count('The partition of it.') };

const QUEUE = {
  preparing: count('Renders that wait to be prepared, or are being prepared.'),
  queued: count('Renders that wait for a worker.'),
  running: count('Renders that are being rendered, or were when their worker was lost.'),
  longest_wait_ms: countOrNull('How long ago the first of those was requested that wait; null where none waits.'),
};

/** Of the installation, for operators. */
export const OPERATOR_SCHEMAS: Readonly<Record<string, Schema>> = {
  Queue: object('Renders of an account that are neither complete nor failed.', {
    account_id: ACCOUNT_ID,
    account_name: orNull(text(''), 'What it is called; null of one that is not known.'),
    ...QUEUE,
  }),
  QueueSum: object('The same of all accounts.', { accounts: count('Accounts that have such renders.'), ...QUEUE }),
  QueueList: object('What waits and runs, by account; up to 5 s old.', {
    is_whole: {
      type: 'boolean',
      description: 'False where there are more renders than are counted, 100,000 (20,000 in the embedded store).',
    },
    all: shared('QueueSum', 'Of all accounts.'),
    data: {
      type: 'array',
      items: schemaRef('Queue'),
      maxItems: 100,
      description: 'The 50 accounts with most that waits, and the 50 with the longest waits; most that waits first.',
    },
  }),
  Worker: object('A worker as it was heard last, or a machine that was set aside.', {
    worker_id: {
      type: ['string', 'null'],
      description: 'Null of a machine that was set aside and shows no worker now.',
    },
    machine: text('Where it runs.'),
    standing: {
      type: 'string',
      enum: ['offering', 'silent', 'draining', 'impeded', 'set_aside'],
      description: 'Whether it gets new renders (`offering`), and why not.',
    },
    impediments: { type: 'array', items: { type: 'string' }, description: 'What keeps it from taking any.' },
    losses: countOrNull('Attempts lost in a row; null where it is not set aside.'),
    left_ms: { type: ['number', 'null'], minimum: 0, description: 'Until it gets another one; null likewise.' },
    attempts: count('Those that it has now.'),
    helping: count('Renders of other workers of which it encodes parts meanwhile.'),
    slots: count('How many it can have.'),
    engines: { type: 'array', items: { type: 'integer' }, description: 'Versions of compositions that it reads.' },
    heard_ms_ago: { type: ['number', 'null'], minimum: 0, description: 'How long ago; null where it was not heard.' },
  }),
  WorkerList: wholeList('Worker', 'Those of the last minute; 1,000 at most.'),
  ReadModel: object('How far a read model is.', {
    read_model: text('What it is called.'),
    generation: countOrNull('The one that serves; null before there is one.'),
    folded: count('Records that are in it.'),
    behind: countOrNull('Records that it lacks of all that was told before; null while no projector has said.'),
    caught_up_at: {
      type: ['number', 'null'],
      description: 'All from before is in it, in milliseconds since the epoch; null where nobody says.',
    },
  }),
  ReadModelList: wholeList('ReadModel', 'The read models.'),
  StoppedPartition: object('A partition that is stopped now.', {
    group: text('Who has stopped.'),
    ...place,
    offset: countOrNull('The record that it waits at; null where it stopped as it was opened.'),
    reason: text('Why.'),
    stopped_at: time('Since when'),
  }),
  StoppedPartitionList: wholeList('StoppedPartition', 'Those that are stopped now.'),
  QuarantinedRecord: object('A record that is no event of its topic.', {
    ...place,
    offset: count('Where it is.'),
    reason: text('Why.'),
    found_at: time('When it was found'),
  }),
  QuarantineList: wholeList('QuarantinedRecord', 'Those that were found last, the latest first; 60 at most.'),
};
