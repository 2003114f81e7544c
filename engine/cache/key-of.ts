import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';

/** SHA-256, in hex, of the canonical JSON. */
export const cacheKeyOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
