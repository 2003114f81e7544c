import type { CatalogueWriter } from '../../catalogue/change.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';

export type DeliveryCommandContext = CatalogueWriter & {
  readonly records: RecordLog;
  readonly log: DeliveryLog;
};
