import { decodeSheet, type Sheet } from './sheet.ts';

const PREFIX = 'sheet ';

/** The state of the rows that the service has not accepted yet. */
export type Sending =
  | { readonly tag: 'idle' | 'sending' }
  | { readonly tag: 'waiting' | 'stopped'; readonly error: Error };

type State = {
  readonly sheet: Sheet | null;
  readonly sending: Sending;
  /** False if the storage of the browser has no space for the sheet. */
  readonly is_kept: boolean;
};

export type SheetStore = {
  /** The same object until something changes. */
  readonly get: () => State;
  readonly change: (next: (before: Sheet) => Sheet) => void;
  /** Null removes the sheet. */
  readonly replace: (sheet: Sheet | null) => void;
  readonly tell: (sending: Sending) => void;
  readonly subscribe: (watcher: () => void) => () => void;
  /** False after the sheet was removed, for example because another person signed in. */
  readonly isOpen: () => boolean;
};

const IDLE: Sending = { tag: 'idle' };

const read = (key: string): Sheet | null => {
  const text = localStorage.getItem(key);
  return text === null ? null : decodeSheet(text);
};

/** Returns whether the browser keeps the sheet. */
const write = (key: string, sheet: Sheet | null): boolean => {
  try {
    if (sheet === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(sheet));
    return true;
  } catch {
    return false;
  }
};

const open = (key: string): SheetStore => {
  let state: State = { sheet: read(key), sending: IDLE, is_kept: true };
  const watchers = new Set<() => void>();
  const set = (next: Partial<State>): void => {
    state = { ...state, ...next };
    for (const watcher of watchers) watcher();
  };
  const replace = (sheet: Sheet | null): void => set({ sheet, is_kept: write(key, sheet) });
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key) set({ sheet: read(key) });
  };
  return {
    get: () => state,
    replace,
    change: (next) => {
      if (state.sheet !== null) replace(next(state.sheet));
    },
    tell: (sending) => set({ sending }),
    subscribe: (watcher) => {
      if (watchers.size === 0) window.addEventListener('storage', onStorage);
      watchers.add(watcher);
      return () => {
        watchers.delete(watcher);
        if (watchers.size === 0) window.removeEventListener('storage', onStorage);
      };
    },
    isOpen: () => stores.has(key),
  };
};

const stores = new Map<string, SheetStore>();

/**
 * The sheet of a person. It outlives the page and the tab, until the person removes it or signs out.
 *
 * @param form identifies the project and the template
 */
export const sheetStore = (person: string, form: string): SheetStore => {
  const key = `${PREFIX}${person} ${form}`;
  const known = stores.get(key);
  if (known !== undefined) return known;
  const opened = open(key);
  stores.set(key, opened);
  return opened;
};

/** Removes the sheets of other people from this browser, and stops sending them. @param person null removes all */
export const removeSheetsOfOthers = (person: string | null): void => {
  const isOfOther = (key: string): boolean =>
    key.startsWith(PREFIX) && (person === null || !key.startsWith(`${PREFIX}${person} `));
  for (const key of stores.keys()) if (isOfOther(key)) stores.delete(key);
  for (const key of Object.keys(localStorage)) if (isOfOther(key)) localStorage.removeItem(key);
};
