import * as t from 'io-ts';

/** Fields are null rather than absent: Avro has no absent ones. */
export const nullable = <C extends t.Mixed>(codec: C) => t.union([codec, t.null]);
