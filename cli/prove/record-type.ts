import { RENDER_EVENTS } from '../../domain/render/events.ts';
import { frameOf } from '../../platform/records/frame.ts';
import { type PayloadDecoder, payloadDecoder } from '../../platform/records/record-decoder.ts';
import { writtenSchemas } from '../../schemas/avro-history.ts';
import { RECORDS } from '../../schemas/records.ts';

/** Of each event of a render how it was ever written. */
const decodersOf = (): ReadonlyMap<string, readonly PayloadDecoder[]> =>
  new Map(
    RECORDS.filter(({ type }) => type in RENDER_EVENTS).map(({ type, full_name }) => [
      type,
      writtenSchemas(full_name).map(({ text }) => payloadDecoder(text)),
    ]),
  );

/**
 * Tells the type of an event of a render by its bytes alone: it is the one whose schema, as it was ever written, the bytes
 * fit. Null where they fit none that is known here, or several. What a file says of schemas has no part in it.
 */
export const recordTypes = (): ((value: Buffer | null) => string | null) => {
  const decoders = decodersOf();
  return (value) => {
    const frame = frameOf(value);
    if (frame === undefined) return null;
    const fitting = [...decoders].filter(([type, all]) =>
      all.some((decode) => {
        const decoded = decode(frame.payload);
        return decoded.tag === 'record' && decoded.record.type === type;
      }),
    );
    const [only, ...others] = fitting;
    return only === undefined || others.length > 0 ? null : only[0];
  };
};
