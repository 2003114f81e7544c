import type { JsonSchema } from '../domain/shape/json-schema.ts';

/** Descriptions in docs/composition.md, by part of a project, then by `name` or `owner.name`. */
type Descriptions = ReadonlyMap<string, ReadonlyMap<string, string>>;

type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

const tablesOf = (page: string): readonly (readonly [string, Table])[] =>
  page.split(/^#+ /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const tables = section.split('\n\n').filter((block) => block.startsWith('| '));
    return tables.map((table) => {
      const [head = [], , ...rows] = table.trim().split('\n').map(cellsOf);
      return [heading, { head, rows }] as const;
    });
  });

const plain = (cell: string): string => cell.replaceAll('`', '').replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1');

const described = (value: string, otherwise: string): string =>
  otherwise === 'required' ? plain(value) : `${plain(value)}. Default: ${plain(otherwise)}`;

const TYPES = ['video', 'image', 'text', 'shape', 'audio'];

/**
 * The objects that have a property: the layer types in the column `layers`, or the object in a description that begins
 * with "of".
 */
const ownersOf = (layers: string | undefined, value: string): readonly string[] => {
  if (layers?.startsWith('all') === true) return TYPES.filter((type) => !layers.includes(`but ${type}`));
  if (layers !== undefined) return layers.split(', ');
  const [, owner] = /^of `(\w+)`/.exec(value) ?? [];
  return owner === undefined ? [] : [owner];
};

/** The object whose members a table of the section has. */
const OWNER_OF_MEMBERS: Readonly<Record<string, string>> = { Transitions: 'transition', Groups: 'group' };

const entriesOf = (heading: string, { head, rows }: Table): readonly (readonly [string, string])[] =>
  rows.flatMap((row) => {
    const cell = (title: string): string | undefined => row[head.indexOf(title)];
    const value = cell('value');
    if (value === undefined) return [];
    const owner = head[0] === 'member' ? OWNER_OF_MEMBERS[heading] : undefined;
    const owners = owner !== undefined ? [owner] : ownersOf(cell('layers'), value);
    const names = Array.from((row[0] ?? '').matchAll(/`(\w+)`/g), ([, name = '']) => name);
    const text = described(value, cell('default') ?? 'required');
    return names
      .flatMap((name) => (owners.length === 0 ? [name] : owners.map((owner) => `${owner}.${name}`)))
      .map((name) => [name, text] as const);
  });

export const descriptionsIn = (page: string): Descriptions => {
  const found = new Map<string, Map<string, string>>();
  for (const [heading, table] of tablesOf(page)) {
    // The page describes the preview in the section "Encodes", so its table is recognized by the property `fps`.
    const part = heading === 'Encodes' && table.rows.some(([name]) => name === '`fps`') ? 'Preview' : heading;
    found.set(part, new Map([...(found.get(part) ?? []), ...entriesOf(heading, table)]));
  }
  const layers = [
    'Time',
    'Place',
    'Media',
    'Text',
    'Shapes',
    'Effects',
    'Keyframes',
    'Transitions',
    'Groups',
    'Visible by a value',
  ];
  return found.set('Layers', new Map(layers.flatMap((part) => [...(found.get(part) ?? [])])));
};

const PART_OF: Readonly<Record<string, string>> = {
  compositions: 'Composition',
  layers: 'Layers',
  master: 'Encodes',
  variants: 'Encodes',
  preview: 'Preview',
  assets: 'Assets',
  fields: 'Templates',
};

const isSchema = (u: JsonSchema[string] | undefined): u is JsonSchema =>
  typeof u === 'object' && u !== null && !Array.isArray(u);

export const withDescriptions = (
  schema: JsonSchema,
  descriptions: Descriptions,
  part = 'Project',
  owner = '',
): JsonSchema => {
  const within = (u: JsonSchema[string], of = part, by = owner): JsonSchema[string] => {
    if (Array.isArray(u)) return u.map((entry) => within(entry, of, by));
    return isSchema(u) ? withDescriptions(u, descriptions, of, by) : u;
  };
  const of = descriptions.get(part);
  const type =
    isSchema(schema.properties) && isSchema(schema.properties.type) ? schema.properties.type.enum : undefined;
  const by = Array.isArray(type) && type.length === 1 ? String(type[0]) : owner;
  const member = ([name, inner]: readonly [string, JsonSchema[string]]) => {
    const description = of?.get(`${by}.${name}`) ?? of?.get(name);
    const walked = within(inner, PART_OF[name] ?? part, name);
    return [name, isSchema(walked) && description !== undefined ? { description, ...walked } : walked] as const;
  };
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties' && isSchema(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(member))];
      return [keyword, ['default', 'enum', 'if'].includes(keyword) ? value : within(value)];
    }),
  );
};
