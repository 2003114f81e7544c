import { successionLines } from '../notary/succession-text.ts';
import { tableText } from '../table.ts';
import type { VerifiedTopics } from './verify-topics.ts';

export const verifiedText = ({ log, keys, listed, successions, checkpoints, partitions }: VerifiedTopics): string => {
  const unsigned = partitions.reduce((sum, { records, signed }) => sum + records - signed, 0);
  return [
    tableText(
      ['partition', 'records', 'as they were signed', 'by what you kept'],
      partitions.map(({ partition, records, signed, kept }) => [partition, records, signed, kept]),
    ),
    '',
    `All that was signed of ${log} is as it was signed: by checkpoints of ${checkpoints.join(' and ')} entries.`,
    ...(checkpoints.length > 1
      ? ['Nobody can have changed what the checkpoints that you kept cover, not even with the key.']
      : [
          'No checkpoint that you kept was given, with --checkpoint: whoever has the key can have written all of it anew.',
        ]),
    ...successionLines(listed ? [] : successions),
    ...(unsigned === 0
      ? []
      : [`${unsigned} records are newer than the newest checkpoint: "renderctl notary sign" signs them.`]),
    ...(listed
      ? [
          `The keys are those that are listed beside the proofs: ${keys.join(', ')}`,
          'Give one that you have from a person, with --key, and a checkpoint that you kept, with --checkpoint.',
        ]
      : []),
  ].join('\n');
};
