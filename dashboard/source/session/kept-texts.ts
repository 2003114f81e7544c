/** Unsent texts of a person. They outlive a reload and a sign-in, in this tab and for this person. */
const PREFIX = 'kept ';

/** Texts that the storage of the tab has no room for. They last until the page is left. */
const overflow = new Map<string, string>();

const keyOf = (person: string, name: string): string => `${PREFIX}${person} ${name}`;

const keptKeys = (): readonly string[] =>
  [...Object.keys(sessionStorage), ...overflow.keys()].filter((key) => key.startsWith(PREFIX));

const remove = (key: string): void => {
  sessionStorage.removeItem(key);
  overflow.delete(key);
};

/** Removes what other people left in this tab. */
const removeOfOthers = (person: string): void => {
  for (const key of keptKeys()) if (!key.startsWith(keyOf(person, ''))) remove(key);
};

/** @param name identifies the form. Null without a text. */
export const readKept = (person: string, name: string): string | null => {
  removeOfOthers(person);
  const key = keyOf(person, name);
  return overflow.get(key) ?? sessionStorage.getItem(key);
};

export const saveKept = (person: string, name: string, text: string): void => {
  const key = keyOf(person, name);
  remove(key);
  try {
    sessionStorage.setItem(key, text);
  } catch {
    overflow.set(key, text);
  }
};

export const removeKept = (person: string, name: string): void => remove(keyOf(person, name));

/** Whether this tab keeps texts of somebody who is signed out now. */
export const hasKeptTexts = (): boolean => keptKeys().length > 0;
