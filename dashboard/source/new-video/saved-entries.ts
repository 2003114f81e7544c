import { readKept, removeKept, saveKept } from '../session/kept-texts.ts';
import type { Values } from './field-values.ts';

export type Entries = {
  readonly name: string;
  readonly values: Values;
  readonly draft: boolean;
};

/** @param form identifies the project, the template and the render that is repeated */
const nameOf = (form: string): string => `new video ${form}`;

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

/** The entries of the person in this tab before a sign-in or a reload; null without any. */
export const readEntries = (person: string, form: string): Entries | null =>
  decodeEntries(readKept(person, nameOf(form)) ?? '');

export const saveEntries = (person: string, form: string, entries: Entries): void =>
  saveKept(person, nameOf(form), JSON.stringify(entries));

export const removeEntries = (person: string, form: string): void => removeKept(person, nameOf(form));
