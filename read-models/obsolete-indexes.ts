import type { IndexNames } from '../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from './collections.ts';

/** Indexes of earlier versions, which no query uses. Projectors drop them from existing stores. */
export const OBSOLETE_INDEXES: IndexNames = new Map([[COLLECTIONS.uploads, ['state_1_queued_at_1']]]);
