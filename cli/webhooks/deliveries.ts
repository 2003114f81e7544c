import type { Catalogue } from '../../catalogue/change.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';

/** The log of deliveries, and the catalogue with their endpoints. */
export type Deliveries = Catalogue & { readonly log: DeliveryLog };
