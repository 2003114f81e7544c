import type { Catalogue } from '../../catalogue/change.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';

/** Where deliveries are found and asked for, and the catalogue with the endpoints that they go to. */
export type Deliveries = Catalogue & { readonly log: DeliveryLog };
