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

type Member = Pick<Difference, 'log' | 'found'> & { readonly member: string };

type Differing = { readonly path: readonly string[]; readonly wanted: unknown; readonly found: unknown };

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** A store returns no undefined members. Documents of before renders could be erased lack the time of it. */
const isAbsent = (key: string, value: unknown): boolean =>
  value === undefined || (key === 'erased_at' && value === null);

const differingIn = (path: readonly string[], wanted: unknown, found: unknown): Differing | null => {
  if (wanted === found) return null;
  if (wanted instanceof Date && found instanceof Date && wanted.getTime() === found.getTime()) return null;
  const are_alike =
    isMembers(wanted) &&
    isMembers(found) &&
    Array.isArray(wanted) === Array.isArray(found) &&
    !(wanted instanceof Date || found instanceof Date);
  if (!are_alike) return { path, wanted, found };
  const differs = (key: string): Differing | null =>
    isAbsent(key, wanted[key]) && isAbsent(key, found[key]) ? null : differingAt(path, key, wanted[key], found[key]);
  for (const key of Object.keys(wanted)) {
    const inner = differs(key);
    if (inner !== null) return inner;
  }
  for (const key of Object.keys(found)) {
    const inner = Object.hasOwn(wanted, key) ? null : differs(key);
    if (inner !== null) return inner;
  }
  return null;
};

/** Most members are the same: only of one that is not a path is made. */
const differingAt = (path: readonly string[], key: string, wanted: unknown, found: unknown): Differing | null =>
  wanted === found ? null : differingIn([...path, key], wanted, found);

/** The first member, in the order of what the log says, that is another; null where all are the same. */
export const differingMember = (wanted: object, found: object): Member | null => {
  const differing = differingIn([], wanted, found);
  if (differing === null) return null;
  const member = differing.path.join('.');
  return { member, log: shown(member, differing.wanted), found: shown(member, differing.found) };
};

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
