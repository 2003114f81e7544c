import { readFile } from 'node:fs/promises';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { isNotarized, NOTARIZED_TOPICS, type NotarizedTopic } from '../../platform/proof-log/notarized-topics.ts';
import { parsedBundle, provenBy } from '../../proofs/bundle/proof-bundle.ts';
import { type KeyType, parsedVerifierKey, type VerifierKey } from '../../proofs/notes/keys.ts';
import type { CliFault } from '../fault.ts';
import { provenAnswer, provenText } from '../prove/proven-text.ts';
import { verifiedText } from '../verify/verified-text.ts';
import { type VerifiedTopics, verifyTopics } from '../verify/verify-topics.ts';
import { addCommand, answeredAs, answerTo, type CommandContext, type JsonOption } from './command.ts';

const keyOf =
  (type: KeyType) =>
  (text: string, before: readonly VerifierKey[] = []): readonly VerifierKey[] => {
    const key = parsedVerifierKey(text);
    if (key?.type !== type) throw new InvalidArgumentError('It must be a line like "name+1f3c5a7b+AW…".');
    return [...before, key];
  };

type Keys = { readonly key?: readonly VerifierKey[]; readonly witness?: readonly VerifierKey[] };

const readText = async (path: string): Promise<E.Either<CliFault, string>> => {
  try {
    return E.right(await readFile(path, 'utf8'));
  } catch (error) {
    return E.left({ tag: 'unreadable_file', path, message: messageOf(error) });
  }
};

const verifiedFile = async (path: string, { key, witness = [] }: Keys) => {
  if (key === undefined) return E.left<CliFault>({ tag: 'usage', message: 'give the key of the log with --key' });
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

type LogOptions = JsonOption & { readonly key?: readonly VerifierKey[]; readonly checkpoint?: string };

const verifiedTopics = async (
  context: CommandContext,
  topics: readonly NotarizedTopic[],
  { json, key, checkpoint }: LogOptions,
): Promise<E.Either<CliFault, VerifiedTopics>> => {
  const kept = checkpoint === undefined ? E.right(null) : await readText(checkpoint);
  if (E.isLeft(kept)) return kept;
  const onProgress = (place: string, done: number, all: number): void => {
    if (json !== true) context.stderr.write(`${place}: ${done} of ${all} records\n`);
  };
  return await context.connection.proofs((proofs) =>
    verifyTopics(proofs, { topics, keys: key ?? null, checkpoint: kept.right, stop: context.stop, onProgress }),
  );
};

const topicOf = (text: string): NotarizedTopic => {
  if (!isNotarized(text)) throw new InvalidArgumentError(`It must be one of ${NOTARIZED_TOPICS.join(', ')}.`);
  return text;
};

const addLogCommand = (parent: Command, usage: string, description: string, examples: readonly string[]): Command =>
  addCommand(parent, usage, description, examples)
    .addOption(
      new Option(
        '--key <key>',
        'the key of the log, from a person; may be repeated. Without it, the listed ones',
      ).argParser(keyOf('note')),
    )
    .addOption(new Option('--checkpoint <file>', 'a checkpoint that you kept: the log must go on from it'));

export const verifyCommands = (program: Command, context: CommandContext): void => {
  const verify = addCommand(
    program,
    'verify',
    'check that the log is as it was signed: a file that "renderctl prove" wrote, without any server; a topic; all of it',
    [
      'verify proof.json --key "$KEY"',
      'verify proof.json --key "$KEY" --witness "$WITNESS_KEY"',
      'verify log --key "$KEY" --checkpoint checkpoint-20251126',
    ],
  )
    .addArgument(new Argument('<file>', 'the file of a proof'))
    .addOption(
      new Option('--key <key>', 'the key of the log, as "renderctl notary key" shows it; may be repeated').argParser(
        keyOf('note'),
      ),
    )
    .addOption(
      new Option('--witness <key>', 'the key of a witness that should have cosigned; may be repeated').argParser(
        keyOf('cosignature'),
      ),
    )
    // Options behind "topic" and "log" are theirs.
    .enablePositionalOptions()
    .action((path: string, { json, ...keys }: JsonOption & Keys) =>
      answerTo(context, json, answeredAs(verifiedFile(path, keys), provenText)),
    );
  addLogCommand(
    verify,
    'topic',
    'compute the trees of a topic anew, and name the first record that is not as it was signed',
    ['verify topic render-events --key "$KEY"'],
  )
    .addArgument(new Argument('<topic>', 'the topic').argParser(topicOf))
    .action((topic: NotarizedTopic, options: LogOptions) =>
      answerTo(context, options.json, answeredAs(verifiedTopics(context, [topic], options), verifiedText)),
    );
  addLogCommand(verify, 'log', 'the same of all topics that are signed, and of the log of heads', [
    'verify log --key "$KEY" --checkpoint checkpoint-20251126',
  ]).action((options: LogOptions) =>
    answerTo(context, options.json, answeredAs(verifiedTopics(context, NOTARIZED_TOPICS, options), verifiedText)),
  );
};
