import type { IndexDescription } from 'mongodb';

/** Of each collection of entries: a page of any list is one range. */
export const AUDIT_INDEXES: readonly IndexDescription[] = [{ key: { lists: 1, position: 1 } }];
