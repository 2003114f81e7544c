import type { Document } from 'mongodb';

/**
 * The shape of a command: its name, options, filters, sorts, pipelines and updates. Types replace the values. A server
 * treats two commands of one shape as the same form.
 */

/** Commands that the driver or tools send; no form of the code. */
const OF_THE_DRIVER = [
  'hello',
  'isMaster',
  'ismaster',
  'endSessions',
  'killCursors',
  'getMore',
  'buildInfo',
  'explain',
];
const ADMINISTRATION = ['ping', 'listCollections', 'create', 'commitTransaction', 'abortTransaction'];

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype;

const each = (values: readonly unknown[], shape: (value: unknown) => string): string =>
  [...new Set(values.map(shape))].sort().join(' | ');

/** Names and operators stay, and types replace values; a list becomes the types of its elements. */
const valueShape = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${each(value, valueShape) || 'string'}]`;
  if (value instanceof Date) return 'date';
  if (isDocument(value))
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}: ${valueShape(inner)}`)
      .join(', ')}}`;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'number' : typeof value;
};

/** Keeps each value of sorts, projections and keys of indexes, because it matters there. */
const literal = (value: unknown): string => JSON.stringify(value);

/** Only the operators of an update. The fields that it sets do not matter. */
const updateShape = (update: unknown): string =>
  isDocument(update) && Object.keys(update).some((name) => name.startsWith('$'))
    ? Object.keys(update).sort().join(' ')
    : 'a whole document';

const stageShape = (stage: unknown): string => {
  if (!isDocument(stage)) return '?';
  const [name = '', value] = Object.entries(stage)[0] ?? [];
  if (name === '$limit') return '$limit';
  return `${name} ${name === '$sort' || name === '$project' ? literal(value) : valueShape(value)}`;
};

const indexShape = ({ key, v: _v, name: _name, ...options }: Document): string =>
  [literal(key), ...Object.entries(options).map(([name, value]) => `${name} ${valueShape(value)}`)].join(' ');

const context = ({ autocommit, writeConcern, maxTimeMS }: Document): string =>
  [
    autocommit === false ? ', in a transaction' : '',
    isDocument(writeConcern) ? `, w ${writeConcern.w}${writeConcern.j === true ? ' j' : ''}` : '',
    maxTimeMS === undefined ? '' : ', bounded by the server',
  ].join('');

const list = (value: unknown): readonly Document[] => (Array.isArray(value) ? value.filter(isDocument) : []);

export const shapesOf = (command: Document): readonly string[] => {
  const [name = ''] = Object.keys(command);
  if (OF_THE_DRIVER.includes(name)) return [];
  const where = context(command);
  const order = command.ordered === false ? ', in any order' : '';
  switch (name) {
    case 'find': {
      const { filter, sort, projection, limit, skip } = command;
      const parts = [
        `find ${valueShape(filter ?? {})}`,
        sort === undefined ? '' : ` sort ${literal(sort)}`,
        projection === undefined ? '' : ` show ${literal(projection)}`,
        limit === undefined ? '' : limit === 1 ? ' limit 1' : ' limit',
        skip === undefined ? '' : ' skip',
      ];
      return [`${parts.join('')}${where}`];
    }
    case 'aggregate':
      return [`aggregate ${list(command.pipeline).map(stageShape).join(', ')}${where}`];
    case 'insert':
      return [`insert${order}${where}`];
    case 'update':
      return list(command.updates).map(
        ({ q, u, upsert, multi }) =>
          `update ${valueShape(q)} by ${updateShape(u)}${upsert ? ', or insert' : ''}${multi ? ', all' : ''}${order}${where}`,
      );
    case 'delete':
      return list(command.deletes).map(
        ({ q, limit }) => `delete ${valueShape(q)}${limit === 1 ? '' : ', all'}${order}${where}`,
      );
    case 'createIndexes':
      return list(command.indexes).map((index) => `index ${indexShape(index)}`);
    default:
      return ADMINISTRATION.includes(name)
        ? [name]
        : [
            `${name} ${Object.keys(command)
              .filter((key) => !key.startsWith('$') && key !== 'lsid')
              .slice(1)
              .sort()
              .join(' ')}`.trim(),
          ];
  }
};
