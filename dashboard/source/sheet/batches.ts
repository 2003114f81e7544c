/** The limits of one request of the service. The bytes leave space for the rest of its body. */
const MAX_BATCH = 50;
const MAX_BYTES = 200 * 1_024;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** The first of these requests that fit into one batch: at least one, if there is any. */
export const nextBatch = <A>(wanted: readonly A[], most = MAX_BATCH): readonly A[] => {
  let bytes = 0;
  const too_many = wanted.slice(0, most).findIndex((one) => {
    bytes += bytesOf(one);
    return bytes > MAX_BYTES;
  });
  return wanted.slice(0, too_many === -1 ? most : Math.max(1, too_many));
};
