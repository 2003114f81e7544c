import { isDeepStrictEqual } from 'node:util';

/** Where the log and what was made of it differ. */
export type Difference = {
  /** Like `renders@3/17, render rend_…`: read model, generation, partition, document. */
  readonly where: string;
  /** The path of the first member that differs; null where the whole is missing, or is not in the log. */
  readonly member: string | null;
  readonly log: string;
  /** What holds it: the store, a topic, Blob. */
  readonly holder: 'store' | 'topic' | 'blob';
  readonly found: string;
};

const HOLDERS = { store: 'the store', topic: 'the topic', blob: 'Blob' } as const;

export const differenceText = ({ where, member, log, holder, found }: Difference): string =>
  `${where}${member === null ? '' : `, member \`${member}\``}: the log says ${log}, ${HOLDERS[holder]} says ${found}`;

const MOST_CHARACTERS = 80;

/** What a person wrote, and what is secret: it is named, and not shown. */
const UNSHOWN = /(^|\.)(name|name_salt|salt|search|document|secret_sha256|token_sha256)(\.|$)/;

const shown = (path: string, value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value !== null && UNSHOWN.test(path)) return 'another one';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
};

/** As a store returns it: without undefined members. Documents of before renders could be erased lack the time of it. */
const asStored = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === 'erased_at' && member === null ? undefined : member)));

type Member = Pick<Difference, 'log' | 'found'> & { readonly member: string };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const memberIn = (path: string, wanted: unknown, found: unknown): Member | null => {
  if (isDeepStrictEqual(wanted, found)) return null;
  if (isObject(wanted) && isObject(found) && Array.isArray(wanted) === Array.isArray(found)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      const inner = memberIn(path === '' ? key : `${path}.${key}`, wanted[key], found[key]);
      if (inner !== null) return inner;
    }
  }
  return { member: path, log: shown(path, wanted), found: shown(path, found) };
};

/** The first member, in the order of what the log says, that is another; null where all are the same. */
export const differingMember = (wanted: object, found: object): Member | null =>
  memberIn('', asStored(wanted), asStored(found));

/** Of a document; null where it is as the log has it. */
export const documentDifference = (where: string, wanted: object, found: object | null): Difference | null => {
  if (found === null) return { where, member: null, log: 'that it is there', holder: 'store', found: 'nothing' };
  const member = differingMember(wanted, found);
  return member === null ? null : { where, holder: 'store', ...member };
};

export const notInLog = (where: string): Difference => ({
  where,
  member: null,
  log: 'nothing',
  holder: 'store',
  found: 'that it is there',
});
