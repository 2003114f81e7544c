import type { IndexDescription } from 'mongodb';

export const AUDIT_INDEXES: readonly IndexDescription[] = [{ key: { lists: 1, position: 1 } }];
