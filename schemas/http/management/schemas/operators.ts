import type { Schema } from '../../openapi/form.ts';
import { wholeList } from '../../openapi/schemas/list.ts';
import { object, text, time } from '../../openapi/schemas/scalars.ts';

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const countOrNull = (description: string): Schema => ({ type: ['integer', 'null'], minimum: 0, description });
const place = { topic: text('The topic.'), partition: count('The partition of it.') };

/** Of the installation, for operators. */
export const OPERATOR_SCHEMAS: Readonly<Record<string, Schema>> = {
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
