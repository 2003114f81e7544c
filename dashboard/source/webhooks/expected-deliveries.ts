import type { Schemas } from '../api/client.ts';

type Delivery = Schemas['ListedDelivery'];

/** A test as the list will show it, from the moment that it is requested. @param at ms since the epoch */
export const expectedTest = (id: string, endpoint_id: string, event: Delivery['event'], at: number): Delivery => ({
  ...{
    id,
    endpoint_id,
    render_id: '',
    seq: 0,
    event,
    state: 'pending',
    reason: null,
    repeats: null,
    repeated_by: null,
  },
  ...{ planned_at: at, next_attempt_at: null, ended_at: null, attempt_count: 0, last_attempt: null },
});

/** The first page of the list, with the requested deliveries that it does not have yet. */
export const withExpected = (listed: readonly Delivery[], expected: readonly Delivery[]): readonly Delivery[] => {
  const known = new Set(listed.map(({ id }) => id));
  const oldest = listed.at(-1)?.planned_at ?? 0;
  return [...expected.filter(({ id, planned_at }) => !known.has(id) && planned_at >= oldest), ...listed];
};
