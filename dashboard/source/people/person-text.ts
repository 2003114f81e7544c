import type { People } from './people.ts';

/** The address of a person; the ID if it is not known. */
export const personText = (people: People, user_id: string): string => people.get(user_id) ?? user_id;

const SERVICES: Readonly<Record<string, string>> = {
  relay: 'Webhook relay',
  preparer: 'Preparer',
  worker: 'Worker',
  dispatcher: 'Dispatcher',
  retention: 'Retention',
};

/** An author as the log names them, in words: `operator:on-call` as "Operator on-call (claimed)". */
export const authorText = (people: People, actor: string): string => {
  const [kind = '', id = ''] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  if (kind === 'user') return personText(people, id);
  if (kind === 'key') return `API key ${id}`;
  // An operator's name is unverified: the caller of renderctl chooses it.
  if (kind === 'operator') return `Operator ${id} (claimed)`;
  return Object.hasOwn(SERVICES, kind) ? `${SERVICES[kind]}` : actor;
};

/**
 * The author that a search means: a person by address or a part of it, or an author as the log names them. Null if the
 * text matches several people or none; then it is searched as it is.
 */
export const authorOf = (people: People, typed: string): string | null => {
  const text = typed.trim().toLowerCase();
  if (text === '' || text.includes(':')) return null;
  const known = [...people].flatMap(([id, email]) => (email === null ? [] : [{ id, email: email.toLowerCase() }]));
  const exact = known.filter(({ email }) => email === text);
  const found = exact.length > 0 ? exact : known.filter(({ email }) => email.includes(text));
  return found.length === 1 ? `user:${found[0]?.id}` : null;
};
