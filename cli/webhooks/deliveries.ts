import type { Db } from 'mongodb';
import type { Catalogue } from '../../catalogue/change.ts';

/** Where deliveries are found and asked for, and the catalogue with the endpoints that they go to. */
export type Deliveries = Catalogue & { readonly db: Db };
