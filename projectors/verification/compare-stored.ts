import { documentDifference } from './difference.ts';
import type { Findings } from './findings.ts';

/** The embedded store finds a hundred ids in a tenth of the time of five hundred. */
export const DOCUMENTS_AT_ONCE = 100;

export type StoredRow = { readonly _id: string; readonly offset: number };

export const inDocumentChunks = <A>(all: readonly A[]): readonly (readonly A[])[] =>
  Array.from({ length: Math.ceil(all.length / DOCUMENTS_AT_ONCE) }, (_, n) =>
    all.slice(n * DOCUMENTS_AT_ONCE, (n + 1) * DOCUMENTS_AT_ONCE),
  );

/** The expected ids of a collection, and those of them that the store lacks. */
type Expected = { readonly ids: Set<string>; readonly missing: Set<string> };

export type ExpectedDocuments = Readonly<Record<'renders' | 'ledger' | 'audit' | 'statistics', Expected>>;

export const noExpectedIds = (): Expected => ({ ids: new Set(), missing: new Set() });

export const addExpectedId = ({ ids, missing }: Expected, id: string, is_there: boolean): void => {
  ids.add(id);
  if (is_there) missing.delete(id);
  else missing.add(id);
};

/**
 * Compares expected documents with the stored ones.
 *
 * @returns ids of documents that include an event at or after `next`, and so cannot be compared yet
 */
export const compareStored = async <D extends StoredRow>(
  kind: keyof ExpectedDocuments,
  name: (id: string) => string,
  expected: readonly D[],
  read: (ids: string[]) => Promise<readonly StoredRow[]>,
  next: number,
  { findings, seen }: { readonly findings: Findings; readonly seen: ExpectedDocuments },
): Promise<readonly string[]> => {
  const moved: string[] = [];
  for (const part of inDocumentChunks(expected)) {
    const found = new Map((await read(part.map(({ _id }) => _id))).map((document) => [document._id, document]));
    for (const wanted of part) {
      const stored = found.get(wanted._id) ?? null;
      addExpectedId(seen[kind], wanted._id, stored !== null);
      if (stored !== null && stored.offset >= next) moved.push(wanted._id);
      else {
        findings.count(kind, 1);
        findings.add(documentDifference(name(wanted._id), wanted, stored));
      }
    }
  }
  return moved;
};
