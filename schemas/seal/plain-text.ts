import * as t from 'io-ts';
import { decodeJsonText } from '../blobs/decoded-text.ts';

/** The free text of a request. Without `values`, the request has no values or its payload has them. */
export const SealedText = t.intersection([
  t.strict({ name: t.string }),
  t.partial({ values: t.record(t.string, t.string), draft: t.boolean }),
]);
export type SealedText = t.TypeOf<typeof SealedText>;

/** The rest of the largest step is room for the other members. */
const MAX_VALUES_BYTES = 8 * 1024;

/** Whether a seal takes the values: their JSON has at most 8 KiB. */
export const areValuesSealable = (values: Readonly<Record<string, string>>): boolean =>
  Buffer.byteLength(JSON.stringify(values), 'utf8') <= MAX_VALUES_BYTES;

/** Plain texts have one of these lengths, in bytes of UTF-8, so that a box shows little about its text. */
export const PADDED_BYTES = [128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384] as const;

/** JSON, padded with spaces, which `JSON.parse` ignores. Throws if the text exceeds the largest step. */
export const encodeSealedText = (text: SealedText): Buffer => {
  const json = Buffer.from(JSON.stringify(text), 'utf8');
  const length = PADDED_BYTES.find((step) => step >= json.length);
  if (length === undefined) throw new TypeError(`a sealed text has ${json.length} bytes, more than the largest step`);
  const padded = Buffer.alloc(length, ' ');
  json.copy(padded);
  return padded;
};

/** Null if the bytes are not a sealed text. */
export const decodeSealedText = (plain: Buffer): SealedText | null =>
  decodeJsonText(SealedText, plain.toString('utf8'));
