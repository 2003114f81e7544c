import { RENDER_EVENTS } from '../../domain/render/events.ts';
import { parseFrame } from '../../platform/records/frame.ts';
import { type PayloadDecoder, payloadDecoder } from '../../platform/records/record-decoder.ts';
import { storedSchemaVersions } from '../../schemas/avro-history.ts';
import { RECORDS } from '../../schemas/records.ts';

/** Decoders for every schema version of each render event. */
const decodersOf = (): ReadonlyMap<string, readonly PayloadDecoder[]> =>
  new Map(
    RECORDS.filter(({ type }) => type in RENDER_EVENTS).map(({ type, full_name }) => [
      type,
      storedSchemaVersions(full_name).map(({ text }) => payloadDecoder(text)),
    ]),
  );

/**
 * Finds the type of a render event by decoding its bytes with the schemas of this program, not those in the proof. Null
 * if no type or several types match.
 */
export const recordTypes = (): ((value: Buffer | null) => string | null) => {
  const decoders = decodersOf();
  return (value) => {
    const frame = parseFrame(value);
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
