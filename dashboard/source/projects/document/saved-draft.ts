import { readKept, removeKept, saveKept } from '../../session/kept-texts.ts';

/** A text that is not saved yet, and the version that it was made from. */
export type Draft = { readonly version: number; readonly text: string };

const nameOf = (project_id: string): string => `document ${project_id}`;

/** Also after the page was left for a sign-in. Null without a draft. */
export const readDraft = (person: string, project_id: string): Draft | null => {
  try {
    const { version, text } = Object(JSON.parse(readKept(person, nameOf(project_id)) ?? 'null'));
    return typeof version === 'number' && typeof text === 'string' ? { version, text } : null;
  } catch {
    return null;
  }
};

export const saveDraft = (person: string, project_id: string, draft: Draft): void =>
  saveKept(person, nameOf(project_id), JSON.stringify(draft));

export const clearDraft = (person: string, project_id: string): void => removeKept(person, nameOf(project_id));
