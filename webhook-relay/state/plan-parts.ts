import type { Size } from '../../platform/read-store/group-commit.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Plan } from '../../read-models/deliveries/plan.ts';

/** Of one transaction: servers hold it in memory, and refuse one of more than 16 MiB. */
export const MOST_IN_A_TRANSACTION: Size = { documents: 200, bytes: 4 * 1024 * 1024 };

/** Everything in a delivery but its body. */
const ABOUT_BYTES = 1_500;

const bytesOf = ({ body }: WebhookDeliveryDocument): number => ABOUT_BYTES + Buffer.byteLength(body ?? '', 'utf8');

/** How much a transaction grows by a plan. */
export const sizeOfPlan = ({ deliveries, repeated }: Plan): Size => ({
  documents: 1 + deliveries.length + repeated.length,
  bytes: deliveries.reduce((sum, delivery) => sum + bytesOf(delivery), 0),
});

/** The plan in parts that one transaction can hold each. The last one alone moves the position. */
export const partsOf = (plan: Plan): readonly Plan[] => {
  const groups: WebhookDeliveryDocument[][] = [];
  let bytes = 0;
  for (const delivery of plan.deliveries) {
    const group = groups.at(-1);
    bytes += bytesOf(delivery);
    if (group !== undefined && group.length < MOST_IN_A_TRANSACTION.documents && bytes <= MOST_IN_A_TRANSACTION.bytes) {
      group.push(delivery);
    } else {
      groups.push([delivery]);
      bytes = bytesOf(delivery);
    }
  }
  if (groups.length === 0) return [plan];
  return groups.map((deliveries, i) =>
    i === groups.length - 1 ? { ...plan, deliveries } : { ...plan, deliveries, repeated: [], next: {} },
  );
};
