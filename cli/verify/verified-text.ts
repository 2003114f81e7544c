import { successionLines } from '../notary/succession-text.ts';
import { tableText } from '../table.ts';
import type { VerifiedTopics } from './verify-topics.ts';

export const verifiedText = ({ log, keys, listed, successions, checkpoints, partitions }: VerifiedTopics): string => {
  const unsigned = partitions.reduce((sum, { records, signed }) => sum + records - signed, 0);
  return [
    tableText(
      ['partition', 'records', 'signed', 'by your checkpoints'],
      partitions.map(({ partition, records, signed, kept }) => [partition, records, signed, kept]),
    ),
    '',
    `All signed records of ${log} are unchanged, by checkpoints of ${checkpoints.join(' and ')} entries.`,
    ...(checkpoints.length > 1
      ? ['Nobody can have changed the records that your checkpoints cover, not even with the key.']
      : ['You gave no checkpoint with --checkpoint: the owner of the key could have rewritten the whole log.']),
    ...successionLines(listed ? [] : successions),
    ...(unsigned === 0
      ? []
      : [`${unsigned} records are newer than the newest checkpoint: "renderctl notary sign" signs them.`]),
    ...(listed
      ? [
          `The keys come from the list beside the proofs: ${keys.join(', ')}`,
          'Give a key from a trusted person with --key, and a checkpoint that you kept with --checkpoint.',
        ]
      : []),
  ].join('\n');
};
