import * as t from 'io-ts';
import { parseFrame } from '../../platform/records/frame.ts';
import type { ProofBundle, VerifiedBundle } from '../../proofs/bundle/proof-bundle.ts';
import { verifierKeyText } from '../../proofs/notes/keys.ts';
import { successionAnswer, successionLines } from '../notary/succession-text.ts';
import { cellText, tableText, timeText } from '../table.ts';
import { recordTypes } from './record-type.ts';

const Named = t.type({ name: t.string });

/**
 * The record type according to the schema in the proof file, which the proof does not cover. Null if the file has no
 * schema for the record.
 */
const typeInFile = ({ schemas }: ProofBundle, value: Buffer | null): string | null => {
  const schema = schemas[String(parseFrame(value)?.schema_id)];
  if (schema === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(schema);
    return Named.is(parsed) ? parsed.name : null;
  } catch {
    return null;
  }
};

const MS_PER_S = 1_000;

export const verifiedBundleAnswer = (bundle: ProofBundle, proven: VerifiedBundle) => {
  const { checkpoint, signed_by, successions, cosigned, entry_time_ms, place, size } = proven;
  const typeOf = recordTypes();
  return {
    render: bundle.render,
    log: checkpoint.origin,
    signed_by: verifierKeyText(signed_by),
    successions: successions.map(successionAnswer),
    entries: checkpoint.size,
    signed_no_earlier_than_entry: bundle.entry.index,
    entry_time: new Date(entry_time_ms).toISOString(),
    cosigned: cosigned.map(({ witness, at_s }) => ({ witness, at: timeText(at_s * MS_PER_S) })),
    sizes: { [place]: size },
    records: bundle.records.map(({ topic, partition, offset, append_time_ms, value }) => ({
      ...{ topic, partition, offset },
      appended_at: new Date(append_time_ms).toISOString(),
      type: typeOf(value),
      type_in_file: typeInFile(bundle, value),
    })),
  };
};

export const verifiedBundleText = ({ render, records, ...rest }: ReturnType<typeof verifiedBundleAnswer>): string => {
  const [first, last] = [records.at(0), records.at(-1)];
  const place = first === undefined ? '' : `${first.topic}/${first.partition}`;
  const witnesses = rest.cosigned.map(
    ({ witness, at }) => `  ${witness} cosigned the checkpoint at ${at}, by its own clock.`,
  );
  return [
    `PROVEN: ${records.length} records of ${cellText(render)}, appended from ${first?.appended_at} to ${last?.appended_at}, are in the log`,
    `  ${rest.log}`,
    '',
    tableText(
      ['record', 'appended (UTC)', 'type'],
      records.map(({ offset, appended_at, type, type_in_file }) => [
        `${place}/${offset}`,
        timeText(Date.parse(appended_at)),
        type ?? (type_in_file === null ? null : `${type_in_file} (according to the file)`),
      ]),
    ),
    '',
    `  unchanged since ${place} had ${rest.sizes[place]} records, by the notary's clock at ${rest.entry_time}.`,
    `  Signed, with all ${rest.entries} entries of the log of heads until then, by`,
    `  ${rest.signed_by}`,
    ...successionLines(rest.successions).map((line) => `  ${line}`),
    ...(witnesses.length === 0 ? ['  No witness that you named has cosigned it.'] : witnesses),
    '',
    'NOT PROVEN: that these are all records of the render (others can be between or after them); the headers of the',
    '  records; that their contents are true; times, except by the clocks above; types "according to the file", and the',
    '  schemas in the file; that others see the same log (compare checkpoints, or use witnesses).',
  ].join('\n');
};
