/** The Confluent frame: a zero byte, the schema's id in four bytes, the Avro bytes. */
const FRAME_BYTES = 5;

export type ConfluentFrame = { readonly schema_id: number; readonly payload: Buffer };

export const parseFrame = (value: Buffer | null): ConfluentFrame | undefined =>
  value === null || value.length < FRAME_BYTES || value[0] !== 0
    ? undefined
    : { schema_id: value.readInt32BE(1), payload: value.subarray(FRAME_BYTES) };

export const encodeFrame = (schema_id: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(FRAME_BYTES);
  head.writeInt32BE(schema_id, 1);
  return Buffer.concat([head, payload]);
};
