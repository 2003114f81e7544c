import type { Document } from 'mongodb';

const at = (document: Document, path: string): unknown => {
  if (!path.includes('.')) return document[path];
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], document);
};

const plain = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

const compared = (one: unknown, other: unknown): number | null => {
  const [a, b] = [plain(one), plain(other)];
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return null;
};

const isEqual = (value: unknown, wanted: unknown): boolean =>
  Array.isArray(value) && !Array.isArray(wanted)
    ? value.includes(wanted)
    : plain(value ?? null) === plain(wanted ?? null);

const holds = (value: unknown, operator: string, wanted: unknown): boolean => {
  const order = compared(value, wanted);
  switch (operator) {
    case '$in':
      return Array.isArray(wanted) && wanted.some((one) => isEqual(value, one));
    case '$ne':
      return !isEqual(value, wanted);
    case '$lt':
      return order !== null && order < 0;
    case '$lte':
      return order !== null && order <= 0;
    case '$gt':
      return order !== null && order > 0;
    case '$gte':
      return order !== null && order >= 0;
    case '$size':
      return Array.isArray(value) && value.length === wanted;
    case '$exists':
      return (value !== undefined) === wanted;
    default:
      throw new Error(`the simulated store does not know ${operator}`);
  }
};

const isOperators = (wanted: unknown): wanted is Document =>
  typeof wanted === 'object' &&
  wanted !== null &&
  Object.getPrototypeOf(wanted) === Object.prototype &&
  Object.keys(wanted).every((key) => key.startsWith('$'));

export const matches = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([path, wanted]): boolean => {
    if (path === '$or') return (wanted as readonly Document[]).some((one) => matches(document, one));
    const value = at(document, path);
    return isOperators(wanted)
      ? Object.entries(wanted).every(([operator, operand]) => holds(value, operator, operand))
      : isEqual(value, wanted);
  });

/** MongoDB projects each element of an array. */
const projectedBelow = (value: unknown, projection: Document): unknown => {
  if (Array.isArray(value)) return value.map((element) => projectedBelow(element, projection));
  return value === null ? null : projected(Object(value), projection);
};

export const projected = (document: Document, projection: Document | undefined): Document => {
  if (projection === undefined) return document;
  const { _id: shows_id = 1, ...members } = projection;
  const names = Object.keys(members);
  const is_exclusion = names.length > 0 && names.every((name) => members[name] === 0);
  const below = (name: string): Document =>
    Object.fromEntries(
      names.flatMap((path) => (path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), 1] as const] : [])),
    );
  const kept = Object.entries(document).flatMap(([name, value]) => {
    const nested = below(name);
    if (!is_exclusion && Object.keys(nested).length > 0) return [[name, projectedBelow(value, nested)] as const];
    const is_kept = name === '_id' ? shows_id !== 0 : is_exclusion !== names.includes(name);
    return is_kept ? [[name, value] as const] : [];
  });
  return Object.fromEntries(kept);
};

export const sorted = (documents: readonly Document[], by: Document): readonly Document[] =>
  documents.toSorted((one, other) => {
    for (const [path, direction] of Object.entries(by)) {
      const order = compared(at(one, path), at(other, path)) ?? 0;
      if (order !== 0) return order * direction;
    }
    return 0;
  });

const pushed = (before: unknown, operand: unknown): readonly unknown[] => {
  const list: readonly unknown[] = Array.isArray(before) ? before : [];
  if (!(typeof operand === 'object' && operand !== null && '$each' in operand)) return [...list, operand];
  const { $each, $slice }: Document = operand;
  const all = [...list, ...$each];
  return typeof $slice === 'number' ? all.slice($slice) : all;
};

/** Adds to the value at a path like `hours.05.requested`; creates absent members on the way. */
const increased = (before: Document, [name = '', ...inner]: readonly string[], by: number): Document => ({
  ...before,
  [name]: inner.length === 0 ? (before[name] ?? 0) + by : increased(before[name] ?? {}, inner, by),
});

/**
 * A document after an update.
 *
 * @param is_insert whether it did not exist before
 */
export const updated = (before: Document, update: Document, is_insert: boolean): Document => {
  let after: Document = { ...before };
  for (const [operator, members] of Object.entries(update)) {
    for (const [name, operand] of Object.entries(Object(members))) {
      if (operator === '$set' || (operator === '$setOnInsert' && is_insert)) after[name] = operand;
      else if (operator === '$unset') delete after[name];
      else if (operator === '$inc') after = increased(after, name.split('.'), Number(operand));
      else if (operator === '$push') after[name] = pushed(after[name], operand);
      else if (operator === '$max') {
        if (after[name] === undefined || (compared(operand, after[name]) ?? 0) > 0) after[name] = operand;
      } else if (operator !== '$setOnInsert') throw new Error(`the simulated store does not know ${operator}`);
    }
  }
  return after;
};

/** The initial document of an upsert: the equalities of its filter. */
export const insertedBy = (filter: Document): Document =>
  Object.fromEntries(Object.entries(filter).filter(([, wanted]) => !isOperators(wanted)));
