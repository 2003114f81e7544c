import type { IndexDescription } from 'mongodb';

/** Of each collection of entries: one range for a page of any list. */
export const AUDIT_INDEXES: readonly IndexDescription[] = [{ key: { lists: 1, position: 1 } }];
