import { verifierKeyText } from '../../proofs/notes/keys.ts';
import type { Succession } from '../../proofs/notes/succession.ts';

export type SuccessionAnswer = { readonly from: string; readonly to: string; readonly entries: number };

export const successionAnswer = ({ from, to, size }: Succession): SuccessionAnswer => ({
  ...{ from: verifierKeyText(from), to: verifierKeyText(to) },
  entries: size,
});

/** Tells a user with an older key which keys signed after it. Empty without successions. */
export const successionLines = (successions: readonly SuccessionAnswer[]): readonly string[] =>
  successions.length === 0
    ? []
    : [
        // Each key has its own line, for copying.
        ...successions.flatMap(({ from, to, entries }) => [from, `handed over at ${entries} entries to`, to]),
        'Compare the last key with an operator, then give it as --key. A stolen older key can then not deceive you.',
      ];
