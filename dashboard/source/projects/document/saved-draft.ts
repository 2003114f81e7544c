/** A text that is not saved yet, and the version that it was made from. */
export type Draft = { readonly version: number; readonly text: string };

const drafts = new Map<string, Draft>();

const keyOf = (project_id: string): string => `document ${project_id}`;

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && 'version' in value && 'text' in value;

/** Also after the page was left for a sign-in. Null without a draft. */
export const readDraft = (project_id: string): Draft | null => {
  const known = drafts.get(project_id);
  if (known !== undefined) return known;
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(project_id)) ?? 'null');
    return isDraft(stored) && typeof stored.version === 'number' && typeof stored.text === 'string' ? stored : null;
  } catch {
    return null;
  }
};

export const saveDraft = (project_id: string, draft: Draft): void => {
  drafts.set(project_id, draft);
  try {
    sessionStorage.setItem(keyOf(project_id), JSON.stringify(draft));
  } catch {
    // The store of the tab is full. The draft then lasts until the page is left.
  }
};

export const clearDraft = (project_id: string): void => {
  drafts.delete(project_id);
  sessionStorage.removeItem(keyOf(project_id));
};
