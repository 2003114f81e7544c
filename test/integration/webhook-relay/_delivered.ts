import type { ExecutionContext } from 'ava';
import type { Received } from '../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import type { CreatedEndpoint } from '../../../stack/testing/webhook-endpoints.ts';
import { deliveries, owedOf, type RelayWorld } from './_relay-world.ts';

export type Target = CreatedEndpoint & { readonly path: string };

export const idOf = ({ headers }: Received): string => String(headers['x-webhook-id']);
const seqOf = (owed: readonly string[], received: Received): number => owed.indexOf(idOf(received));

/** Asserts that all deliveries of these renders arrived, in order within a render, and that repeats are equal. */
export const assertDelivered = async (
  t: ExecutionContext,
  { clients, receiver }: Pick<RelayWorld, 'clients' | 'receiver'>,
  endpoints: readonly Target[],
  renders: readonly string[],
  bound_ms: number,
): Promise<void> => {
  const owed = endpoints.flatMap((endpoint) => renders.flatMap((render_id) => owedOf(endpoint, render_id)));
  await pollUntil(
    'all deliveries arrived and are stored',
    async () => {
      const done = await deliveries(clients).countDocuments({ _id: { $in: [...owed] }, state: 'succeeded' });
      return done === owed.length;
    },
    bound_ms,
  ).catch(async (fault: unknown) => {
    const found = await deliveries(clients)
      .find({ _id: { $in: [...owed] } })
      .toArray();
    const states = Object.entries(Object.groupBy(found, ({ state }) => state)).map(([state, of]) => [state, of.length]);
    t.log(`${owed.length} owed, ${found.length} planned, of them ${JSON.stringify(states)}`);
    throw fault;
  });
  for await (const { _id, attempts } of deliveries(clients).find({ _id: { $in: [...owed] } })) {
    const numbers = attempts.map(({ n }) => n);
    t.deepEqual(numbers, [1, 2, 3, 4, 5].slice(0, numbers.length), _id);
  }
  let repeats = 0;
  for (const endpoint of endpoints) {
    const received = receiver.receivedAt(endpoint.path);
    const by_id = Map.groupBy(received, idOf);
    for (const render_id of renders) {
      const own = owedOf(endpoint, render_id);
      const missing = own.filter((id) => !by_id.has(id));
      t.deepEqual(missing, []);
      const firsts = own.map((id) => by_id.get(id)?.[0]).filter((one) => one !== undefined);
      // The last two are events of one transition and may be sent together.
      const transitions = firsts.slice(0, -1);
      const in_order = transitions.toSorted((a, b) => a.began_at - b.began_at).map((one) => seqOf(own, one));
      t.deepEqual(in_order, [0, 1, 2, 3, 4, 5].slice(0, in_order.length), `${endpoint.id} ${render_id}`);
    }
    for (const [id, all] of by_id) {
      repeats += all.length - 1;
      t.is(new Set(all.map(({ body }) => body.toString('hex'))).size, 1, id);
      const signatures = all.map(({ headers }) => String(headers['x-webhook-signature']));
      t.is(new Set(signatures).size, 1, id);
    }
  }
  t.log(`${owed.length} deliveries, ${repeats} repeated`);
};
