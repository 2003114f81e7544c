/** A place in a JSON document: names of members and indices of entries. */
export type JsonPath = readonly (string | number)[];

const isContainer = (json: unknown): json is Record<string, unknown> | unknown[] =>
  typeof json === 'object' && json !== null;

export const placesIn = (json: unknown, at: JsonPath = []): readonly JsonPath[] => {
  if (!isContainer(json)) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(json)
    ? json.map((value, index) => [index, value])
    : Object.entries(json);
  return entries.flatMap(([key, value]) => [[...at, key], ...placesIn(value, [...at, key])]);
};

export const changedAt = (json: unknown, [key, ...rest]: JsonPath, value: unknown): unknown => {
  if (key === undefined) return value;
  if (Array.isArray(json)) {
    const list: readonly unknown[] = json;
    return list.flatMap((entry, index) => {
      if (index !== key) return [entry];
      return rest.length === 0 && value === undefined ? [] : [changedAt(entry, rest, value)];
    });
  }
  if (!isContainer(json) || typeof key === 'number') return json;
  const others = Object.entries(json).filter(([name]) => name !== key);
  if (rest.length === 0 && value === undefined) return Object.fromEntries(others);
  const before = Object.entries(json).find(([name]) => name === key)?.[1];
  return Object.fromEntries([...others, [key, changedAt(before, rest, value)]]);
};

const SEGMENT = /(?:^|\.)([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

export const placeOf = (path: string): JsonPath | null => {
  const place: (string | number)[] = [];
  SEGMENT.lastIndex = 0;
  while (SEGMENT.lastIndex < path.length) {
    const [, name, index, quoted] = SEGMENT.exec(path) ?? [];
    if (name !== undefined) place.push(name);
    else if (index !== undefined) place.push(Number(index));
    else if (quoted !== undefined) place.push(JSON.parse(quoted));
    else return null;
  }
  return place;
};

/** Whether the place exists in the document, or only lacks one member of an existing object. */
export const existsOrIsMissing = (json: unknown, [key, ...rest]: JsonPath): boolean => {
  if (key === undefined) return true;
  if (Array.isArray(json)) return typeof key === 'number' && key < json.length && existsOrIsMissing(json[key], rest);
  if (!isContainer(json) || typeof key === 'number') return false;
  const member = Object.entries(json).find(([name]) => name === key);
  return member === undefined ? rest.length === 0 : existsOrIsMissing(member[1], rest);
};
