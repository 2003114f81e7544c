import type { Customer, ProjectKind } from './catalogue.ts';
import type { Order } from './clients.ts';
import { randomOf } from './world/random.ts';
import type { Lone, WorldPlan } from './world-plan.ts';

/** The delays of cancellations: at once, in the middle, or about when the render is complete. */
const LIVES_MS = [200, 2_000, 6_000];
const LOUD_ORDERS = 20;
const LAST_MS = 20_000;
/** Nearly simultaneous, at several command APIs, each of which can spend the account's credits. */
const POOR_WITHIN_MS = 400;
const POOR_ORDERS = 8;
/** Times of orders: the ledger already lags too far, and the partition continues long after them. */
const BESIDE_PARTITION_MS = [20_000, 50_000] as const;

const UNTIL_ITS_END = { cancelled_after_ms: null, erased_after_ms: null } as const;

const ofLoudAccount = (seed: number, loud: Customer, quiet: Customer): readonly Order[] => {
  const random = randomOf(seed).fork('orders');
  const many = Array.from({ length: LOUD_ORDERS }, (): Order => {
    const at_ms = 5_000 + random.between(0, 500);
    return { ...{ customer: loud, kind: 'slow', at_ms, is_keyed: false }, ...UNTIL_ITS_END };
  });
  const at_ms = random.between(8_000, 25_000);
  return [...many, { ...{ customer: quiet, kind: 'fine', at_ms, is_keyed: true }, ...UNTIL_ITS_END }];
};

/** Orders that the fault does not affect. */
const ofLoneTrouble = (seed: number, lone: Lone, customers: readonly Customer[]): readonly Order[] => {
  const random = randomOf(seed).fork('orders');
  const [first_ms, last_ms] = lone === 'partition' ? BESIDE_PARTITION_MS : [500, 30_000];
  return Array.from({ length: random.between(3, 6) }, (): Order => {
    const at_ms = random.between(first_ms, last_ms);
    const customer = lone === 'partition' && random.chance(0.5) ? customers[0] : random.pick(customers);
    if (customer === undefined) throw new Error('there is no customer');
    // No idempotency key: it would determine the partition, which can be the waiting one.
    return { ...{ customer, kind: 'fine', at_ms, is_keyed: false }, ...UNTIL_ITS_END };
  });
};

const ofPoorAccount = (seed: number, customers: readonly Customer[]): readonly Order[] => {
  const random = randomOf(seed).fork('orders');
  return Array.from({ length: POOR_ORDERS }, (): Order => {
    const at_ms = 5_000 + random.between(0, POOR_WITHIN_MS);
    return { ...{ customer: random.pick(customers), kind: 'fine', at_ms, is_keyed: false }, ...UNTIL_ITS_END };
  });
};

const kindOf = (random: ReturnType<typeof randomOf>): ProjectKind =>
  random.chance(0.8) ? 'fine' : random.pick(['faulty', 'deadly', 'slow']);

/** The orders of customers in a world. @param customers those that may order */
export const ordersOf = (
  seed: number,
  { is_loud, lone, is_managed, is_poor }: WorldPlan,
  customers: readonly Customer[],
): readonly Order[] => {
  const [loud, quiet] = customers;
  if (is_loud && loud !== undefined && quiet !== undefined) return ofLoudAccount(seed, loud, quiet);
  if (lone !== null) return ofLoneTrouble(seed, lone, customers);
  if (is_poor) return ofPoorAccount(seed, customers);
  const random = randomOf(seed).fork('orders');
  const wishes = randomOf(seed).fork('wishes');
  const erasures = randomOf(seed).fork('erasures');
  const doomed = randomOf(seed).fork('doomed');
  return Array.from({ length: random.between(2, 7) }, (): Order => {
    const kind = kindOf(random);
    if (is_managed && doomed.chance(0.4)) {
      const at_ms = doomed.between(500, 20_000);
      return { ...{ customer: random.pick(customers), kind: 'doomed', at_ms, is_keyed: false }, ...UNTIL_ITS_END };
    }
    return {
      customer: random.pick(customers),
      ...{
        kind,
        at_ms: random.between(500, LAST_MS),
        is_keyed: random.chance(0.6),
      },
      cancelled_after_ms: wishes.chance(0.3) ? wishes.between(0, wishes.pick(LIVES_MS)) : null,
      erased_after_ms: erasures.chance(0.3) ? erasures.between(0, erasures.pick(LIVES_MS)) : null,
    };
  });
};
