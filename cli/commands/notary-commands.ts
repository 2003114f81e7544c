import { type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { notarizedPartitionEnds } from '../../platform/proof-log/notarized-topics.ts';
import { type VerifierKey, verifierKeyText } from '../../proofs/notes/keys.ts';
import { readListedKeys, withMismatchAsFault } from '../notary/proofs.ts';
import { parseWholeNumber } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const MS_PER_DAY = 86_400_000;
const LONGEST_DAYS = 366;

const days = (text: string): number => {
  const count = parseWholeNumber(text);
  if (count < 1 || count > LONGEST_DAYS) throw new InvalidArgumentError(`It must be from 1 to ${LONGEST_DAYS}.`);
  return count;
};

const handOverCommand = (notary: Command, context: CommandContext): void => {
  addCommand(notary, 'hand-over', 'replace the notary key: sign the handover from the old to the new key', [
    'notary hand-over --old-key old.key --new-key new.key',
  ])
    .addOption(
      new Option(
        '--old-key <file>',
        'a file with the current private key, in the format of NOTARY_KEY',
      ).makeOptionMandatory(),
    )
    .addOption(new Option('--new-key <file>', 'a file with the new private key').makeOptionMandatory())
    .action(({ json, oldKey, newKey }: JsonOption & { readonly oldKey: string; readonly newKey: string }) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          context.connection.proofs(async (proofs) => {
            const { handOverKey: handOver, readSigner } = await import('../notary/hand-over.ts');
            const from = await readSigner(proofs.origin, oldKey);
            if (E.isLeft(from)) return from;
            const to = await readSigner(proofs.origin, newKey);
            return E.isLeft(to) ? to : await handOver(proofs, { from: from.right, to: to.right });
          }),
          ({ from, to, entries, path }) =>
            [
              from,
              `handed over at ${entries} entries to`,
              to,
              '',
              `Both keys signed the handover in ${path}. A notary with the old key stops at its next checkpoint. Next:`,
              '1. Set NOTARY_KEY to the new key.',
              '2. Add the first line to NOTARY_FORMER_KEYS and start the notary.',
              '3. Send the third line to auditors. Verifiers that trust the old key then accept the new one.',
            ].join('\n'),
        ),
      ),
    );
};

export const notaryCommands = (program: Command, context: CommandContext): void => {
  const notary = addCommandGroup(program, 'notary', 'signed checkpoints of the log (docs/evidence.md)');
  const { connection } = context;

  addCommand(notary, 'key', 'show the current and former public keys, for auditors', ['notary key']).action(
    ({ json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          connection.proofs(async (proofs) =>
            E.map((keys: readonly VerifierKey[]) => ({ data: keys.map(verifierKeyText) }))(
              await readListedKeys(proofs),
            ),
          ),
          ({ data }) => data.join('\n'),
        ),
      ),
  );

  handOverCommand(notary, context);

  addCommand(notary, 'share', 'print a read-only URL of the log of heads, valid for a number of days', [
    'notary share',
    'notary share --days 90',
  ])
    .addOption(new Option('--days <n>', 'days of validity').argParser(days).default(30))
    .action(({ json, days: count }: JsonOption & { readonly days: number }) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          connection.proofs(async ({ origin, share }) => {
            const { url, query, expires_at } = share(SYSTEM_CLOCK.now(), count * MS_PER_DAY);
            return E.right({ origin, url: `${url}/${origin}`, query, expires_at: expires_at.toISOString() });
          }),
          ({ url, query, expires_at }) =>
            [
              `Base URL: ${url}`,
              `Query: ${query}`,
              `Valid until: ${expires_at}`,
              '',
              `Append the query to each path, for example: curl '${url}/checkpoint?${query}'`,
            ].join('\n'),
        ),
      ),
    );

  addCommand(notary, 'sign', 'sign the current log at once and print the checkpoint', [
    'notary sign',
    'notary sign > checkpoint',
  ]).action(({ json }: JsonOption) =>
    runCommand(
      context,
      json,
      commandOutputOf(
        connection.proofs(async (proofs) => {
          const { checkpointCovering: signedUpTo } = await import('../notary/sign-now.ts');
          const ends = await notarizedPartitionEnds(proofs.log);
          return await withMismatchAsFault('the log of heads', () => signedUpTo(connection, proofs, ends));
        }),
        // The checkpoint ends with a line break, and the writer adds another one.
        ({ text }) => text.slice(0, -1),
      ),
    ),
  );
};
