import type { Document } from 'mongodb';

type Id = string | number;

/** A document as one transaction wrote it, and its former version; null if it did not exist. */
type Version = { readonly at: number; readonly document: Document | null; readonly before: Version | null };

/** All versions of all documents of a store, so that it can be read and restored as of any time. */
export type Versions = {
  readonly now: () => number;
  readonly find: (collection: string, id: Id, as_of: number) => Document | null;
  readonly all: (collection: string, as_of: number) => readonly Document[];
  readonly names: () => readonly string[];
  /** The transaction that wrote a document last; 0 for none. */
  readonly writtenAt: (collection: string, id: Id) => number;
  readonly commit: (changes: ReadonlyMap<string, ReadonlyMap<Id, Document | null>>) => void;
  /** Removes everything that was written later. */
  readonly restore: (as_of: number) => void;
};

export const createVersions = (): Versions => {
  let collections = new Map<string, Map<Id, Version>>();
  let now = 0;

  const asOf = (version: Version | null | undefined, as_of: number): Version | null => {
    let found = version ?? null;
    while (found !== null && found.at > as_of) found = found.before;
    return found;
  };

  return {
    now: () => now,
    find: (collection, id, as_of) => asOf(collections.get(collection)?.get(id), as_of)?.document ?? null,
    all: (collection, as_of) =>
      [...(collections.get(collection)?.values() ?? [])].flatMap((version) => asOf(version, as_of)?.document ?? []),
    names: () => [...collections.keys()],
    writtenAt: (collection, id) => collections.get(collection)?.get(id)?.at ?? 0,
    commit: (changes) => {
      now += 1;
      for (const [collection, documents] of changes) {
        const its = collections.get(collection) ?? new Map<Id, Version>();
        collections.set(collection, its);
        for (const [id, document] of documents) its.set(id, { at: now, document, before: its.get(id) ?? null });
      }
    },
    restore: (as_of) => {
      now += 1;
      const restored = new Map<string, Map<Id, Version>>();
      for (const [name, documents] of collections) {
        const kept = [...documents].flatMap(([id, version]) => {
          const found = asOf(version, as_of);
          return found === null ? [] : [[id, found] as const];
        });
        restored.set(name, new Map(kept));
      }
      collections = restored;
    },
  };
};
