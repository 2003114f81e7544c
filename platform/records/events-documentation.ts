import { type AvroField, type AvroRecord, type AvroType, isRecord, nestedRecordsIn } from '../../schemas/avro.ts';
import { storedSchemaVersions } from '../../schemas/avro-history.ts';
import { avroOf, RECORDS } from '../../schemas/records.ts';
import { TOPICS, type Topic, type TopicDefinition } from '../event-log/topics.ts';
import { AVRO_NAMESPACES } from './namespaces.ts';

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
    holds: 'events of renders, also late ones that the fold ignores: the source of truth',
  },
  'render-status': {
    key: 'the render',
    written_by: 'projectors',
    read_by: 'preparer, dispatcher, webhook-relay, retention',
    holds: 'events that the fold accepted, each with the state of the render after it',
  },
  'catalogue-events': {
    key: 'the account, team, user, project, … of the record',
    written_by: '`renderctl`, management-api, command-api (projects), preparer (thumbnails), webhook-relay (HTTP 410)',
    read_by: 'projectors',
    holds: 'accounts, teams, users, projects, keys, endpoints, credits',
  },
  'render-commands': {
    key: 'the worker',
    written_by: 'dispatcher',
    read_by: 'workers',
    holds: 'commands to start and stop attempts',
  },
  'worker-heartbeats': {
    key: 'the worker or dispatcher',
    written_by: 'workers, dispatcher',
    read_by: 'dispatcher, projectors',
    holds: 'heartbeats, and the progress of attempts',
  },
  'webhook-events': {
    key: 'the render',
    written_by: 'webhook-relay, `renderctl webhook deliver-again`',
    read_by: 'webhook-relay',
    holds: 'webhook deliveries: requests, plans, attempts and outcomes',
  },
  deployment: {
    key: 'the name of the entry',
    written_by: 'the deploy step',
    read_by: 'every process that reads or writes records',
    holds: 'JSON: schemas with their ids, the number of partitions; the last record of each key counts',
  },
};

const PAGE = `# The log

These topics hold everything that the service knows. All other data can be computed from them. \`renderctl log read\` prints records as
JSON. \`renderctl log export\` and \`renderctl log sql\` turn them into tables ([the log](renderctl.md#the-log),
[examples](../examples/analysis/README.md)). This page is generated from the schemas:
\`node platform/records/write-documentation.ts\`.

- **Format.** A value is in the Confluent wire format: a zero byte, the schema id in four bytes, then Avro. The subject in the registry is
  the full name of the record. Compatibility is \`FULL_TRANSITIVE\`: each version can read the records of every other version. The header
  \`traceparent\` refers to the request.
- **Order.** Offsets order the records of a partition. All records of a render are in one partition, with the same number in
  \`render-events\`, \`render-status\` and \`webhook-events\`. Across partitions there is only the append time: the broker's clock, in ms. It can go
  back.
- **Duplicates.** Every record can be in the log twice, and some records arrive too late to count. \`render-status\` has the ones that count:
  skip a record if its \`source_offset\` is not higher than that of an earlier record of the same partition. In the other topics, records with
  the same \`event_id\` are the same event.
- **Null** has the meaning in the last column. No member is ever absent. If a version lacks a member, it reads as the default: null, 0,
  false, empty. Kinds, stages, codes and reasons are strings: expect new values.
- **Texts.** Names and values of renders, names and documents of projects, and e-mail addresses are outside the log. Some older records
  contain them ([privacy](privacy.md)); \`renderctl log\` omits them.

`;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const keptText = ({ retention_ms }: TopicDefinition): string => {
  if (retention_ms === null) return 'forever';
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

/**
 * The schema version that added each member, by `<namespace>.<record>.<member>`. Members of version 1 have no entry.
 */
const versionsOf = (subject: string): ReadonlyMap<string, number> => {
  const since = new Map<string, number>();
  for (const { version, text } of storedSchemaVersions(subject))
    for (const { namespace, name, fields } of nestedRecordsIn(JSON.parse(text)))
      for (const field of fields) {
        const member = `${namespace}.${name}.${field.name}`;
        if (!since.has(member)) since.set(member, version);
      }
  return new Map([...since].filter(([, version]) => version > 1));
};

/** @param since the result of `versionsOf` for the subject that contains the record */
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
  const namespace = AVRO_NAMESPACES[name];
  const own = RECORDS.filter(({ full_name }) => full_name.startsWith(`${namespace}.`));
  const sections = own.flatMap(({ type, full_name }) => {
    const since = versionsOf(full_name);
    const [record, ...nested] = nestedRecordsIn(avroOf(type));
    const inside = nested.filter((one, i) => one.namespace === namespace && nested.findIndex(named(one)) === i);
    return [record, ...inside].flatMap((one) => (one === undefined ? [] : [recordText(one, since)]));
  });
  return [`## Records of \`${name}\`\n`, ...sections].join('\n');
};

const named =
  ({ name }: AvroRecord) =>
  (other: AvroRecord): boolean =>
    other.name === name;

const commonText = (): string => {
  const all = RECORDS.flatMap(({ type }) => nestedRecordsIn(avroOf(type))).filter(
    ({ namespace }) => namespace === 'rendering',
  );
  const once = all.filter((one, i) => all.findIndex(named(one)) === i);
  return ['## Nested records of several topics\n', ...once.map((one) => recordText(one, new Map()))].join('\n');
};

/** @param reader example program in Python */
export const eventsDocumentation = (reader: string): string =>
  [
    `${PAGE}${topicTable()}`,
    `## Read it in Python

\`\`\`sh
python3 -m venv .local/analysis
.local/analysis/bin/pip install 'confluent-kafka[avro,schemaregistry]==2.16.0'
eval "$(./renderctl env)"
.local/analysis/bin/python examples/analysis/read_log.py render-status catalogue-events
\`\`\`

This runs [examples/analysis/read_log.py](../examples/analysis/read_log.py):

\`\`\`python
${reader}\`\`\`
`,
    `The tables below list the members of each record. **Since** is the first version of the record with the member, if it is not version 1. A
**time** is a \`timestamp-millis\`: milliseconds since the epoch, UTC. Earlier versions declare it as a long with the same number. Suffixes give units:
\`_ms\` milliseconds, \`_bytes\` bytes, \`_credits\` credits, \`_id\` ids.
`,
    commonText(),
    ...TOPICS.filter(({ name }) => AVRO_NAMESPACES[name] !== null).map(topicText),
  ].join('\n');
