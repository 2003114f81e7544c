export type TracedPlace = { readonly topic: string; readonly partition: number; readonly offset: number };

type Caused = Pick<TracedPlace, 'partition' | 'offset'> & {
  readonly event_id: string | null;
  readonly causation_id: string | null;
};

/** The suffix of the ids of `render-status` records: the rest is the id of the accepted event. */
const ACCEPTED = /\/accepted$/;

/**
 * Returns the position of the record that caused this row, or null if it is not in the traced rows. If several rows
 * have the same event id, the first is the cause; later ones are repeats.
 */
export type FindCause = (row: Pick<Caused, 'causation_id'>) => TracedPlace | null;

export const indexCauses = (
  lists: readonly { readonly topic: string; readonly rows: readonly Caused[] }[],
): FindCause => {
  const places = new Map<string, TracedPlace>();
  for (const { topic, rows } of lists)
    for (const { event_id, partition, offset } of rows)
      if (event_id !== null && !places.has(event_id)) places.set(event_id, { topic, partition, offset });
  return ({ causation_id }) =>
    causation_id === null ? null : (places.get(causation_id.replace(ACCEPTED, '')) ?? null);
};

export const withCauses = <R extends Pick<Caused, 'causation_id'>>(rows: readonly R[], causeOf: FindCause) =>
  rows.map((row) => ({ ...row, cause: causeOf(row) }));

/**
 * The position of the cause if the trace shows that record, otherwise the cause's id. Includes the topic only if it
 * differs from `topic`.
 */
export const causeText = (
  { causation_id, cause }: { readonly causation_id: string | null; readonly cause: TracedPlace | null },
  topic: string,
): string | null => {
  if (cause === null) return causation_id;
  const place = `${cause.partition}/${cause.offset}`;
  return cause.topic === topic ? place : `${cause.topic} ${place}`;
};
