import type { CatalogueFault } from '../fault.ts';
import type { DocumentFault } from './resolve-document.ts';

export type ProjectWriteFault =
  | CatalogueFault
  | DocumentFault
  /** An earlier request with the same Idempotency-Key was another one, or its project was erased or is out of reach. */
  | { readonly tag: 'key_reused' | 'key_of_erased' | 'key_taken' }
  /** The project has a newer version than the one that the caller knows. `added_by` is null if it is not recorded. */
  | {
      readonly tag: 'outdated';
      readonly project_id: string;
      readonly version: number;
      readonly added_by: string | null;
      readonly added_at: number | null;
    }
  | { readonly tag: 'too_many_versions'; readonly most: number };
