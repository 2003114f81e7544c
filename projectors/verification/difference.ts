export type Difference = {
  /** Like `renders@3/17, render rend_…`: read model, generation, partition, document. */
  readonly where: string;
  /** Path of the first differing member; null if the whole document is missing, or is not in the log. */
  readonly member: string | null;
  readonly log: string;
  readonly holder: 'store' | 'topic' | 'blob';
  readonly found: string;
};

const HOLDERS = { store: 'the store', topic: 'the topic', blob: 'Blob' } as const;

export const differenceText = ({ where, member, log, holder, found }: Difference): string =>
  `${where}${member === null ? '' : `, member \`${member}\``}: the log says ${log}, ${HOLDERS[holder]} says ${found}`;

const MAX_CHARACTERS = 80;

/** People's texts and secrets: the difference names the member and hides its value. */
const UNSHOWN = /(^|\.)(name|name_salt|salt|search|document|secret_sha256|token_sha256)(\.|$)/;

const shown = (path: string, value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value !== null && UNSHOWN.test(path)) return 'another one';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
};

type Member = Pick<Difference, 'log' | 'found'> & { readonly member: string };

type Differing = { readonly path: readonly string[]; readonly wanted: unknown; readonly found: unknown };

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Members that older documents lack, with the values that mean the same. */
export const ADDED_MEMBER_DEFAULTS: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['erased_at', [null]],
  ['name_sha256', [null]],
  ['draft', [null, false]],
  ['frames_cached', [null]],
  ['sealed', [null]],
  ['scopes', [null]],
  ['inline_projects', [null]],
]);

/**
 * Members that a document may lack, because an older projector does not fold them: during an upgrade, workers may be
 * newer than projectors. No decision of a fold depends on these members.
 */
const UNFOLDED_BEFORE: ReadonlySet<string> = new Set(['frames_cached', 'added_by', 'asset_keys']);

/** The driver returns no undefined members, so an undefined member is missing in the document. */
const isAbsent = (key: string, value: unknown): boolean =>
  value === undefined || ADDED_MEMBER_DEFAULTS.get(key)?.includes(value) === true;

const areAlike = (wanted: Members, found: Members): boolean =>
  Array.isArray(wanted) === Array.isArray(found) && !(wanted instanceof Date || found instanceof Date);

const isSame = (wanted: unknown, found: unknown): boolean => {
  if (wanted === found) return true;
  if (!(isMembers(wanted) && isMembers(found))) return false;
  if (wanted instanceof Date && found instanceof Date) return wanted.getTime() === found.getTime();
  if (!areAlike(wanted, found)) return false;
  if (Array.isArray(wanted) && Array.isArray(found))
    return wanted.length === found.length && wanted.every((one, n) => isSame(one, found[n]));
  // The objects have no inherited members. The loop creates no array of keys, because nearly all documents are equal.
  for (const key in wanted) if (!isSameIn(key, wanted, found)) return false;
  for (const key in found) if (!(Object.hasOwn(wanted, key) || isSameIn(key, wanted, found))) return false;
  return true;
};

const isSameIn = (key: string, wanted: Members, found: Members): boolean =>
  isSame(wanted[key], found[key]) ||
  (found[key] === undefined && UNFOLDED_BEFORE.has(key)) ||
  (isAbsent(key, wanted[key]) && isAbsent(key, found[key]));

/** Slower than `isSame`, and only called for documents that differ. */
const differingIn = (path: readonly string[], wanted: unknown, found: unknown): Differing => {
  if (isMembers(wanted) && isMembers(found) && areAlike(wanted, found))
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)]))
      if (!isSameIn(key, wanted, found)) return differingIn([...path, key], wanted[key], found[key]);
  return { path, wanted, found };
};

export const differingMember = (wanted: object, found: object): Member | null => {
  if (isSame(wanted, found)) return null;
  const differing = differingIn([], wanted, found);
  const member = differing.path.join('.');
  return { member, log: shown(member, differing.wanted), found: shown(member, differing.found) };
};

export const documentDifference = (where: string, wanted: object, found: object | null): Difference | null => {
  if (found === null) return { where, member: null, log: 'that it is there', holder: 'store', found: 'nothing' };
  const member = differingMember(wanted, found);
  return member === null ? null : { where, holder: 'store', ...member };
};

export const notInLogDifference = (where: string): Difference => ({
  where,
  member: null,
  log: 'nothing',
  holder: 'store',
  found: 'that it is there',
});
