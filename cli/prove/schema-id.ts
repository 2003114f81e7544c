const MAGIC_BYTE = 0;
const FRAME_BYTES = 5;

/** The id of the schema that a value was written with (the Confluent wire format); null where it has none. */
export const schemaIdOf = (value: Buffer | null): number | null =>
  value !== null && value.length >= FRAME_BYTES && value[0] === MAGIC_BYTE ? value.readUInt32BE(1) : null;
