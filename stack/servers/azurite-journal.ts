import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Makes the index of Azurite durable at each change. Azurite keeps the index in memory (LokiJS) and writes it as a
 * whole every five seconds, so a kill would lose acknowledged changes. This module writes each change to a journal
 * before the client gets its response. The next write of the whole index replaces the journal. A journal survives the
 * end of the process, but not of the machine.
 *
 * Files: `<index>.journal.<n>`, in order of n. Each line has the last state of one document, or its removal.
 */

type Stored = { readonly $loki: number };

/** The part of a LokiJS 1.5 collection that this uses. Listeners run before the change returns to its caller. */
export type Collection = {
  readonly name: string;
  maxId: number;
  readonly on: (event: 'insert' | 'update' | 'delete', listener: (changed: Stored | readonly Stored[]) => void) => void;
  readonly get: (id: number) => Stored | null;
  readonly insertOne: (document: object) => unknown;
  readonly update: (document: Stored) => unknown;
  readonly remove: (document: Stored) => unknown;
};

type Callback = (error?: unknown) => void;

export type Database = {
  readonly filename: string;
  readonly collections: readonly Collection[];
  autosaveInterval: number;
  readonly getCollection: (name: string) => Collection | null;
  loadDatabaseInternal: (options: object, callback: Callback) => void;
  /** Serializes the whole database synchronously, and calls back when it is written. */
  saveDatabaseInternal: (callback: Callback) => void;
  autosaveEnable: (options?: object, callback?: Callback) => void;
};

type Change = { readonly collection: string; readonly id: number; readonly document: Stored | null };

/** The interval between writes of the whole index. Azurite answers no request while it serializes the index. */
const SAVE_EVERY_MS = 60_000;

/** The numbers of the journals, in ascending order. */
const journalsOf = (filename: string): readonly number[] =>
  readdirSync(dirname(filename))
    .flatMap((name) => {
      const prefix = `${basename(filename)}.journal.`;
      const n = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
      return Number.isInteger(n) ? [n] : [];
    })
    .toSorted((a, b) => a - b);

const pathOf = (filename: string, n: number): string => join(dirname(filename), `${basename(filename)}.journal.${n}`);

/** The change in a line. Skips a truncated line, because its change was never acknowledged. */
const changeOf = (line: string): readonly Change[] => {
  try {
    return line === '' ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
};

/** The last change of each document, in order of ids. */
const lastChanges = (filename: string): readonly Change[] => {
  const last = new Map<string, Change>();
  for (const n of journalsOf(filename))
    for (const change of readFileSync(pathOf(filename, n), 'utf8').split('\n').flatMap(changeOf))
      last.set(`${change.collection}/${change.id}`, change);
  return [...last.values()].toSorted((a, b) => a.id - b.id);
};

/**
 * Applies one change. Documents keep their ids, and ids only grow, so a document that is missing in the index is newer
 * than all others.
 */
const apply = (collection: Collection, { id, document }: Change): void => {
  const present = collection.get(id);
  if (document === null) {
    if (present !== null) collection.remove(present);
  } else if (present !== null) collection.update(document);
  else {
    const { $loki: _, ...content } = document;
    collection.maxId = id - 1;
    collection.insertOne(content);
  }
};

/** Applies the changes since the last write of the whole index. */
const replay = (database: Database): void => {
  for (const change of lastChanges(database.filename)) {
    const collection = database.getCollection(change.collection);
    if (collection !== null) apply(collection, change);
  }
};

type Journal = { n: number; file: number; readonly heard: WeakSet<Collection> };

/** Gives every database of this class a journal. Call it before a database is opened. */
export const addJournal = (databases: Database): void => {
  const { loadDatabaseInternal, saveDatabaseInternal, autosaveEnable } = databases;
  const journals = new WeakMap<Database, Journal>();

  const listen = (own: Journal, collection: Collection): void => {
    if (own.heard.has(collection)) return;
    own.heard.add(collection);
    const note = (is_removed: boolean) => (changed: Stored | readonly Stored[]) => {
      for (const document of [changed].flat()) {
        const change: Change = {
          collection: collection.name,
          id: document.$loki,
          document: is_removed ? null : document,
        };
        // The previous line may be incomplete, so each line begins with a line break.
        writeSync(own.file, `\n${JSON.stringify(change)}`);
      }
    };
    collection.on('insert', note(false));
    collection.on('update', note(false));
    collection.on('delete', note(true));
  };

  /** Opens the journal for changes after the current state. */
  const nextJournal = (database: Database): Journal => {
    const { filename } = database;
    const before = journals.get(database);
    const n = (journalsOf(filename).at(-1) ?? 0) + 1;
    const file = openSync(pathOf(filename, n), 'a', 0o600);
    if (before === undefined) {
      const own = { n, file, heard: new WeakSet<Collection>() };
      journals.set(database, own);
      return own;
    }
    closeSync(before.file);
    return Object.assign(before, { n, file });
  };

  databases.loadDatabaseInternal = function load(this: Database, options, callback) {
    loadDatabaseInternal.call(this, options, (error) => {
      if (!error) replay(this);
      callback(error);
    });
  };

  databases.saveDatabaseInternal = function save(this: Database, callback) {
    const own = nextJournal(this);
    const { n } = own;
    for (const collection of this.collections) listen(own, collection);
    saveDatabaseInternal.call(this, (error) => {
      if (!error) for (const older of journalsOf(this.filename)) if (older < n) rmSync(pathOf(this.filename, older));
      callback(error);
    });
  };

  databases.autosaveEnable = function enable(this: Database, options, callback) {
    this.autosaveInterval = SAVE_EVERY_MS;
    autosaveEnable.call(this, options, callback);
  };
};
