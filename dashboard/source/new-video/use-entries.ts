import { useState } from 'react';
import { type Entries, readEntries, removeEntries, saveEntries } from './saved-entries.ts';

/** The entries of a form. They outlive a reload and a sign-in, until the form is sent. */
export const useEntries = (person: string, form: string, first: Entries) => {
  const [entries, setEntries] = useState(() => readEntries(person, form) ?? first);
  const change = (next: (before: Entries) => Partial<Entries>): void =>
    setEntries((before) => {
      const after = { ...before, ...next(before) };
      saveEntries(person, form, after);
      return after;
    });
  return { entries, change, forget: () => removeEntries(person, form) };
};
