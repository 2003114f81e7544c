import type { IndexDescription } from 'mongodb';

/** A page of any list is one range of this index. */
export const AUDIT_INDEXES: readonly IndexDescription[] = [{ key: { lists: 1, position: 1 } }];
