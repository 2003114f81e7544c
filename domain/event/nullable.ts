import * as t from 'io-ts';

/** Fields are null rather than absent, because Avro has no absent fields. */
export const nullable = <C extends t.Mixed>(codec: C) => t.union([codec, t.null]);
