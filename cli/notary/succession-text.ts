import { verifierKeyText } from '../../proofs/notes/keys.ts';
import type { Succession } from '../../proofs/notes/succession.ts';

export type SuccessionAnswer = { readonly from: string; readonly to: string; readonly entries: number };

export const successionAnswer = ({ from, to, size }: Succession): SuccessionAnswer => ({
  ...{ from: verifierKeyText(from), to: verifierKeyText(to) },
  entries: size,
});

/** Shows the user of an older key which keys replaced it. Empty without successions. */
export const successionLines = (successions: readonly SuccessionAnswer[]): readonly string[] =>
  successions.length === 0
    ? []
    : [
        // Each key is on its own line, so that users can copy it.
        ...successions.flatMap(({ from, to, entries }) => [from, `handed over at ${entries} entries to`, to]),
        'Ask an operator to confirm the last key, then use it as --key. This protects you from a stolen older key.',
      ];
