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

/** Members that documents of before them lack, with what they are in the log where nothing of theirs was said. */
export const LATER_MEMBERS: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['erased_at', [null]],
  ['name_sha256', [null]],
  ['draft', [null, false]],
  ['frames_cached', [null]],
]);

/**
 * Members that a document may lack whatever the log says. An older projector does not fold them, and workers may be newer
 * than projectors during an upgrade. Nothing is decided by them.
 */
const UNFOLDED_BEFORE: ReadonlySet<string> = new Set(['frames_cached']);

/** A store returns no undefined members. */
const isAbsent = (key: string, value: unknown): boolean =>
  value === undefined || LATER_MEMBERS.get(key)?.includes(value) === true;

/** Both lists, or both with names for their members. */
const areAlike = (wanted: Members, found: Members): boolean =>
  Array.isArray(wanted) === Array.isArray(found) && !(wanted instanceof Date || found instanceof Date);

const isSame = (wanted: unknown, found: unknown): boolean => {
  if (wanted === found) return true;
  if (!(isMembers(wanted) && isMembers(found))) return false;
  if (wanted instanceof Date && found instanceof Date) return wanted.getTime() === found.getTime();
  if (!areAlike(wanted, found)) return false;
  if (Array.isArray(wanted) && Array.isArray(found))
    return wanted.length === found.length && wanted.every((one, n) => isSame(one, found[n]));
  // Neither has members of a prototype; no list of their names is made, as nearly all are the same.
  for (const key in wanted) if (!isSameIn(key, wanted, found)) return false;
  for (const key in found) if (!(Object.hasOwn(wanted, key) || isSameIn(key, wanted, found))) return false;
  return true;
};

const isSameIn = (key: string, wanted: Members, found: Members): boolean =>
  isSame(wanted[key], found[key]) ||
  (found[key] === undefined && UNFOLDED_BEFORE.has(key)) ||
  (isAbsent(key, wanted[key]) && isAbsent(key, found[key]));

/** Of two that are not the same. Most are: only for these a path is made. */
const differingIn = (path: readonly string[], wanted: unknown, found: unknown): Differing => {
  if (isMembers(wanted) && isMembers(found) && areAlike(wanted, found))
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)]))
      if (!isSameIn(key, wanted, found)) return differingIn([...path, key], wanted[key], found[key]);
  return { path, wanted, found };
};

/** The first member, in the order of what the log says, that is another; null where all are the same. */
export const differingMember = (wanted: object, found: object): Member | null => {
  if (isSame(wanted, found)) return null;
  const differing = differingIn([], wanted, found);
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
