import { type AvroField, type AvroRecord, type AvroType, isRecord, recordsIn } from '../../schemas/avro.ts';
import { writtenSchemas } from '../../schemas/avro-history.ts';
import { avroOf, RECORDS } from '../../schemas/records.ts';
import { TOPICS, type Topic, type TopicDefinition } from '../event-log/topics.ts';
import { NAMESPACES } from './namespaces.ts';

type TopicDoc = {
  readonly key: string;
  readonly written_by: string;
  readonly read_by: string;
  readonly holds: string;
};

const OF_TOPIC: { readonly [T in Topic]: TopicDoc } = {
  'render-events': {
    key: 'the render',
    written_by: 'command-api, management-api, preparer, dispatcher, workers; retention and `renderctl` (erasures)',
    read_by: 'projectors, command-api, `renderctl`',
    holds: 'what happened to renders, and what was said too late and is ignored: the source of truth',
  },
  'render-status': {
    key: 'the render',
    written_by: 'projectors',
    read_by: 'preparer, dispatcher, webhook-relay, retention',
    holds: 'the events that the fold accepted, each with the render as it then was',
  },
  'catalogue-events': {
    key: 'the account, team, user, project, … that the record is about',
    written_by: '`renderctl`, management-api, preparer (thumbnails), webhook-relay (HTTP 410)',
    read_by: 'projectors',
    holds: 'accounts, teams, users, projects, keys, endpoints, credits',
  },
  'render-commands': {
    key: 'the worker',
    written_by: 'dispatcher',
    read_by: 'workers',
    holds: 'what workers are to begin and to end',
  },
  'worker-heartbeats': {
    key: 'the worker or dispatcher',
    written_by: 'workers, dispatcher',
    read_by: 'dispatcher, projectors',
    holds: 'who is alive, and how far attempts are',
  },
  'webhook-events': {
    key: 'the render',
    written_by: 'webhook-relay, `renderctl webhook deliver-again`',
    read_by: 'webhook-relay',
    holds: 'webhook deliveries: requested, planned, attempted, and how they ended',
  },
  deployment: {
    key: 'what is told',
    written_by: 'the deploy step',
    read_by: 'every process that reads or writes records',
    holds: 'JSON: schemas with their ids, the number of partitions; of a key the last record counts',
  },
};

const PAGE = `# The log

Everything that the service knows came from these topics, and can be computed from them again. This page is made from the
schemas: \`node platform/records/write-documentation.ts\`. \`renderctl log read\` shows records as JSON, \`renderctl log
export\` and \`renderctl log sql\` make tables of them ([the log](renderctl.md#the-log),
[examples](../examples/analysis/README.md)).

- **Bytes.** The value of a record is in the Confluent wire format: a zero byte, the id of a schema in four bytes, Avro. The
  subject in the registry is the full name of the record. Compatibility is \`FULL_TRANSITIVE\`: each version reads what
  every other one has written. The header \`traceparent\` leads to the request.
- **Order.** Offsets order the records of a partition. All records of a render are in one partition, which has the same
  number in \`render-events\`, \`render-status\` and \`webhook-events\`. Between partitions there is the append time alone,
  which is the broker's clock, as ms; it may be set back.
- **Repeats.** Every record may stand in the log twice, and some are too late to count. \`render-status\` has what counted: skip
  what has no higher \`source_offset\` than a record of the same partition before it. In the other topics the same \`event_id\`
  is the same event.
- **Null** means what the last column says; members are never absent. A version that lacks a member is read as if it had the
  member's default: null, 0, false, empty. Kinds, stages, codes and reasons are strings: new ones may come.
- **Texts.** Names and values of renders, names and documents of projects and e-mail addresses are outside the log; records from
  before that have some of them ([privacy](privacy.md)). \`renderctl log\` leaves those out.

`;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const keptText = ({ retention_ms }: TopicDefinition): string => {
  if (retention_ms === null) return 'for ever';
  return retention_ms < HOUR_MS ? `${retention_ms / MINUTE_MS} minutes` : `${retention_ms / HOUR_MS} hours`;
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(row), ''].join('\n');

const topicTable = (): string =>
  table(
    ['topic', 'key', 'partitions', 'kept', 'appended by', 'read by', 'holds'],
    TOPICS.map((topic) => {
      const { key, written_by, read_by, holds } = OF_TOPIC[topic.name];
      const partitions = topic.partitions === 1 ? '1' : '`RENDER_PARTITIONS`';
      return [`\`${topic.name}\``, key, partitions, keptText(topic), written_by, read_by, holds];
    }),
  );

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`;

const typeText = (type: AvroType): string => {
  if (typeof type === 'string') return type === 'long' ? 'integer' : type;
  if (isRecord(type)) return linkTo(type.name);
  if ('items' in type) return `list of ${typeText(type.items)}`;
  if ('logicalType' in type) return 'time';
  return type
    .filter((one) => one !== 'null')
    .map((one) => `${typeText(one)} or null`)
    .join();
};

/** By `<record>.<member>`, the first version of a subject that has it; 1 is left out. */
const versionsOf = (subject: string): ReadonlyMap<string, number> => {
  const since = new Map<string, number>();
  for (const { version, text } of writtenSchemas(subject))
    for (const { namespace, name, fields } of recordsIn(JSON.parse(text)))
      for (const field of fields) {
        const member = `${namespace}.${name}.${field.name}`;
        if (!since.has(member)) since.set(member, version);
      }
  return new Map([...since].filter(([, version]) => version > 1));
};

/** What a record and its members mean, under a heading. `since` is of the subject that it stands in. */
const recordText = ({ namespace, name, doc, fields }: AvroRecord, since: ReadonlyMap<string, number>): string => {
  const cells = (field: AvroField): readonly string[] => [
    `\`${field.name}\``,
    typeText(field.type),
    `${since.get(`${namespace}.${name}.${field.name}`) ?? ''}`,
    field.doc ?? '',
  ];
  return `### ${name}\n\n${doc}\n\n${table(['member', 'type', 'since', 'meaning'], fields.map(cells))}`;
};

const topicText = ({ name }: TopicDefinition): string => {
  const namespace = NAMESPACES[name];
  const own = RECORDS.filter(({ full_name }) => full_name.startsWith(`${namespace}.`));
  const sections = own.flatMap(({ type, full_name }) => {
    const since = versionsOf(full_name);
    const [record, ...nested] = recordsIn(avroOf(type));
    const inside = nested.filter((one, i) => one.namespace === namespace && nested.findIndex(named(one)) === i);
    return [record, ...inside].flatMap((one) => (one === undefined ? [] : [recordText(one, since)]));
  });
  return [`## Records of \`${name}\`\n`, ...sections].join('\n');
};

const named =
  ({ name }: AvroRecord) =>
  (other: AvroRecord): boolean =>
    other.name === name;

/** Records that stand in those of several topics. */
const commonText = (): string => {
  const all = RECORDS.flatMap(({ type }) => recordsIn(avroOf(type))).filter(
    ({ namespace }) => namespace === 'rendering',
  );
  const once = all.filter((one, i) => all.findIndex(named(one)) === i);
  return ['## In records of several topics\n', ...once.map((one) => recordText(one, new Map()))].join('\n');
};

/**
 * The page docs/events.md.
 *
 * @param reader the program in Python that it shows
 */
export const eventsDocumentation = (reader: string): string =>
  [
    `${PAGE}${topicTable()}`,
    `## Reading it in Python

\`\`\`sh
python3 -m venv .local/analysis
.local/analysis/bin/pip install 'confluent-kafka[avro,schemaregistry]==2.16.0'
eval "$(./renderctl env)"
.local/analysis/bin/python examples/analysis/read_log.py render-status catalogue-events
\`\`\`

That is [examples/analysis/read_log.py](../examples/analysis/read_log.py):

\`\`\`python
${reader}\`\`\`
`,
    `The tables below say of each member since which version of its record it is there, where that is not the first. A **time** is
a \`timestamp-millis\`: milliseconds since the epoch, UTC; earlier versions call it a long, and it is the same number. Members that end in
\`_ms\` are spans of milliseconds, in \`_bytes\` bytes, in \`_credits\` credits, in \`_id\` ids.
`,
    commonText(),
    ...TOPICS.filter(({ name }) => NAMESPACES[name] !== null).map(topicText),
  ].join('\n');
