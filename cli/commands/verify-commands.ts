import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { parsedBundle, provenBy } from '../../proofs/bundle/proof-bundle.ts';
import { type KeyType, parsedVerifierKey, type VerifierKey } from '../../proofs/notes/keys.ts';
import type { CliFault } from '../fault.ts';
import { provenAnswer, provenText } from '../prove/proven-text.ts';
import { addCommand, answeredAs, answerTo, type CommandContext, type JsonOption } from './command.ts';

const keyOf =
  (type: KeyType) =>
  (text: string, before: readonly VerifierKey[] = []): readonly VerifierKey[] => {
    const key = parsedVerifierKey(text);
    if (key?.type !== type) throw new InvalidArgumentError('It must be a line like "name+1f3c5a7b+AW…".');
    return [...before, key];
  };

type Keys = { readonly key: readonly VerifierKey[]; readonly witness?: readonly VerifierKey[] };

const readText = async (path: string): Promise<E.Either<CliFault, string>> => {
  try {
    return E.right(await readFile(path, 'utf8'));
  } catch (error) {
    return E.left({ tag: 'unreadable_file', path, message: messageOf(error) });
  }
};

const verifiedFile = async (path: string, { key, witness = [] }: Keys) => {
  const text = await readText(path);
  if (E.isLeft(text)) return text;
  const bundle = parsedBundle(text.right);
  const unproven = (said: string): CliFault => ({
    tag: 'refused',
    reason: 'not_proven',
    message: `${path} proves nothing: ${said}`,
  });
  if (E.isLeft(bundle)) return E.left(unproven(bundle.left));
  const proven = provenBy(bundle.right, key, witness);
  return E.isLeft(proven) ? E.left(unproven(proven.left)) : E.right(provenAnswer(bundle.right, proven.right));
};

export const verifyCommands = (program: Command, context: CommandContext): void => {
  addCommand(
    program,
    'verify <file>',
    'check what "renderctl prove" wrote, without any server: what it proves, and what it does not',
    ['verify proof.json --key "$KEY"', 'verify proof.json --key "$KEY" --witness "$WITNESS_KEY"'],
  )
    .addOption(
      new Option('--key <key>', 'the key of the log, as "renderctl notary key" shows it; may be repeated')
        .argParser(keyOf('note'))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--witness <key>', 'the key of a witness that should have cosigned; may be repeated').argParser(
        keyOf('cosignature'),
      ),
    )
    .action((path: string, { json, ...keys }: JsonOption & Keys) =>
      answerTo(context, json, answeredAs(verifiedFile(path, keys), provenText)),
    );
};
