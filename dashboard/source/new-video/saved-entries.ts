import type { Values } from './field-values.ts';

export type Entries = {
  readonly name: string;
  readonly values: Values;
  readonly draft: boolean;
};

const PREFIX = 'new video ';

/** @param form identifies the project, the template and the render that is repeated */
const keyOf = (person: string, form: string): string => `${PREFIX}${person} ${form}`;

const isTexts = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');

export const decodeEntries = (text: string): Entries | null => {
  try {
    const { name, values, draft } = Object(JSON.parse(text));
    if (typeof name !== 'string' || typeof draft !== 'boolean' || !isTexts(values)) return null;
    return { name, values, draft };
  } catch {
    return null;
  }
};

/** Removes what other people left in this tab. */
const removeOfOthers = (person: string): void => {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${person} `)) sessionStorage.removeItem(key);
};

/** The entries of the person in this tab before a sign-in or a reload; null without any. */
export const readEntries = (person: string, form: string): Entries | null => {
  removeOfOthers(person);
  const text = sessionStorage.getItem(keyOf(person, form));
  return text === null ? null : decodeEntries(text);
};

export const saveEntries = (person: string, form: string, entries: Entries): void => {
  try {
    sessionStorage.setItem(keyOf(person, form), JSON.stringify(entries));
  } catch {
    // The storage of the tab is full. The form works without it.
  }
};

export const removeEntries = (person: string, form: string): void => sessionStorage.removeItem(keyOf(person, form));

/** Whether this tab keeps entries of somebody who is signed out now. */
export const hasSavedEntries = (): boolean => Object.keys(sessionStorage).some((key) => key.startsWith(PREFIX));
