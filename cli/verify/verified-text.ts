import { successionLines } from '../notary/succession-text.ts';
import { tableText } from '../table.ts';
import type { VerifiedTopics } from './verify-topics.ts';

export const verifiedTopicsText = ({
  log,
  keys,
  listed,
  successions,
  checkpoints,
  partitions,
}: VerifiedTopics): string => {
  const unsigned = partitions.reduce((sum, { records, signed }) => sum + records - signed, 0);
  return [
    tableText(
      ['partition', 'records', 'signed', 'by your checkpoints'],
      partitions.map(({ partition, records, signed, kept }) => [partition, records, signed, kept]),
    ),
    '',
    `All signed records of ${log} are unchanged according to checkpoints of ${checkpoints.join(' and ')} entries.`,
    ...(checkpoints.length > 1
      ? ['The records that your checkpoints cover cannot have been changed, not even by the owner of the key.']
      : ['Without --checkpoint, the owner of the key could have rewritten the whole log.']),
    ...successionLines(listed ? [] : successions),
    ...(unsigned === 0
      ? []
      : [`${unsigned} records are newer than the newest checkpoint; sign them with "renderctl notary sign".`]),
    ...(listed
      ? [
          `The keys come from the list next to the proofs and are not trusted: ${keys.join(', ')}`,
          'Use --key with a key from a person you trust, and --checkpoint with a checkpoint that you kept.',
        ]
      : []),
  ].join('\n');
};
