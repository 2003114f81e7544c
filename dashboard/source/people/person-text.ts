import type { People } from './people.ts';

/** The name of a person; without one the address, and then the ID. */
export const personText = (people: People, user_id: string): string => {
  const { name = null, email = null } = people.get(user_id) ?? {};
  return name ?? email ?? user_id;
};

/** Also the address, because two people can have one name. */
export const fullPersonText = (people: People, user_id: string): string => {
  const { name = null, email = null } = people.get(user_id) ?? {};
  return name === null || email === null ? personText(people, user_id) : `${name} (${email})`;
};

const SERVICES: Readonly<Record<string, string>> = {
  relay: 'Webhook relay',
  preparer: 'Preparer',
  worker: 'Worker',
  dispatcher: 'Dispatcher',
  retention: 'Retention',
};

/** An author as the log names them, in words: `operator:on-call` as "Operator on-call (name not verified)". */
export const authorText = (people: People, actor: string, names: ReadonlyMap<string, string> = new Map()): string => {
  const [kind = '', id = ''] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  if (kind === 'user') return personText(people, id);
  if (kind === 'key') return names.has(id) ? `API key “${names.get(id)}”` : `API key ${id}`;
  // An operator's name is unverified: the caller of renderctl chooses it.
  if (kind === 'operator') return `Operator ${id} (name not verified)`;
  return Object.hasOwn(SERVICES, kind) ? `${SERVICES[kind]}` : actor;
};

/** People whose name or address contains the text. An exact match excludes the others. */
export const peopleLike = (people: People, typed: string): readonly string[] => {
  const text = typed.trim().toLowerCase();
  if (text === '') return [];
  const known = [...people].map(([id, { name, email }]) => ({
    id,
    texts: [name, email, fullPersonText(people, id)].flatMap((one) => one?.toLowerCase() ?? []),
  }));
  const exact = known.filter(({ texts }) => texts.includes(text));
  const found = exact.length > 0 ? exact : known.filter(({ texts }) => texts.some((one) => one.includes(text)));
  return found.map(({ id }) => id);
};

/**
 * The author that a search means: a person by name, address or a part of them, or an author as the log names them. Null
 * if the text matches several people or none; then it is searched as it is.
 */
export const authorOf = (people: People, typed: string): string | null => {
  if (typed.includes(':')) return null;
  const [id, ...others] = peopleLike(people, typed);
  return id === undefined || others.length > 0 ? null : `user:${id}`;
};
