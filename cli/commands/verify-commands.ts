import { readFile } from 'node:fs/promises';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import { checkpointFault } from '../../platform/proof-log/heads-log.ts';
import { isNotarized, NOTARIZED_TOPICS, type NotarizedTopic } from '../../platform/proof-log/notarized-topics.ts';
import type { VerificationTarget } from '../../projectors/verification/verify-read-models.ts';
import { parseBundle, verifyBundle } from '../../proofs/bundle/proof-bundle.ts';
import { type KeyType, parseVerifierKey, type VerifierKey } from '../../proofs/notes/keys.ts';
import { type CliFault, unexpectedErrorText } from '../fault.ts';
import { verifiedBundleAnswer, verifiedBundleText } from '../prove/proven-text.ts';
import { readModelsText } from '../verify/read-models-text.ts';
import { verifiedTopicsText } from '../verify/verified-text.ts';
import type { VerifiedReadModels } from '../verify/verify-stored.ts';
import { type SavedCheckpointFile, type VerifiedTopics, verifyTopics } from '../verify/verify-topics.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const keyOf =
  (type: KeyType) =>
  (text: string, before: readonly VerifierKey[] = []): readonly VerifierKey[] => {
    const key = parseVerifierKey(text);
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

/** Reads a checkpoint file. Left: the file has other content, for example an error page of a server. */
const readCheckpoint = async (path: string): Promise<E.Either<CliFault, string>> => {
  const text = await readText(path);
  if (E.isLeft(text)) return text;
  const fault = checkpointFault(text.right);
  return fault === null
    ? text
    : E.left({ tag: 'refused', reason: 'no_checkpoint', message: `${path} is not a checkpoint: ${fault}` });
};

const verifiedFile = async (path: string, { key, witness = [] }: Keys) => {
  if (key === undefined) return E.left<CliFault>({ tag: 'usage', message: 'set the key of the log with --key' });
  const text = await readText(path);
  if (E.isLeft(text)) return text;
  const bundle = parseBundle(text.right);
  const unproven = (message: string): CliFault => ({
    tag: 'refused',
    reason: 'not_proven',
    message: `${path} is not a valid proof: ${message}`,
  });
  if (E.isLeft(bundle)) return E.left(unproven(bundle.left));
  const proven = verifyBundle(bundle.right, key, witness);
  return E.isLeft(proven) ? E.left(unproven(proven.left)) : E.right(verifiedBundleAnswer(bundle.right, proven.right));
};

type LogOptions = JsonOption & { readonly key?: readonly VerifierKey[]; readonly checkpoint?: readonly string[] };

const verifiedTopics = async (
  context: CommandContext,
  topics: readonly NotarizedTopic[] | null,
  { json, key, checkpoint = [] }: LogOptions,
): Promise<E.Either<CliFault, VerifiedTopics>> => {
  const checkpoints: SavedCheckpointFile[] = [];
  for (const path of checkpoint) {
    const text = await readCheckpoint(path);
    if (E.isLeft(text)) return text;
    checkpoints.push({ path, text: text.right });
  }
  const onProgress = (place: string, done: number, all: number): void => {
    if (json !== true) context.stderr.write(`${place}: ${done} of ${all} records\n`);
  };
  return await context.connection.proofs((proofs) =>
    verifyTopics(proofs, { topics, keys: key ?? null, checkpoints, stop: context.stop, onProgress }),
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
        'the key of the log, from a person you trust; repeatable (default: the listed keys)',
      ).argParser(keyOf('note')),
    )
    .addOption(
      new Option('--checkpoint <file>', 'an earlier checkpoint that the log must extend; repeatable').argParser(
        (path: string, before: readonly string[] = []) => [...before, path],
      ),
    );

type Thing = VerificationTarget['tag'];

const storedOf = async (
  context: CommandContext,
  thing: VerificationTarget,
  { json, outputs }: { readonly json?: true; readonly outputs?: true },
): Promise<E.Either<CliFault, VerifiedReadModels>> => {
  const { connection, stderr, stop } = context;
  const say = (line: string): void => {
    if (json !== true) stderr.write(`${line}\n`);
  };
  const { verifyStoredReadModels: verifyStored } = await import('../verify/verify-stored.ts');
  // A user who verifies a single render expects a check of its files too.
  const with_outputs = outputs === true || thing.tag === 'render';
  return await connection.records((records) =>
    connection.db((db) =>
      connection.blobs((blobs) =>
        connection.seals((seals) =>
          verifyStored({ records, db, blobs, seals }, thing, { outputs: with_outputs, say, stop }),
        ),
      ),
    ),
  );
};

type AllOptions = LogOptions & { readonly outputs?: true };

/** The fault if folding failed: a log that differs from the signed log may be impossible to fold. */
const notCompared = (error: unknown): E.Either<CliFault, never> => {
  const message = `the stores cannot be compared with the log: ${unexpectedErrorText(error)}`;
  return E.left({ tag: 'refused', reason: 'not_compared', message });
};

/** Runs both checks, even if the first fails: the log against its signatures, the read models against the log. */
const allVerified = async (
  context: CommandContext,
  options: AllOptions,
): Promise<E.Either<CliFault, VerifiedReadModels & { readonly signed: VerifiedTopics }>> => {
  const signed = await verifiedTopics(context, null, options);
  if (E.isLeft(signed) && signed.left.tag !== 'not_as_signed') return signed;
  const storing = storedOf(context, { tag: 'all' }, options);
  const stored = await (E.isLeft(signed) ? storing.catch(notCompared) : storing);
  if (E.isLeft(signed))
    return E.isLeft(stored) ? E.left({ tag: 'several', faults: [signed.left, stored.left] }) : signed;
  return E.isLeft(stored) ? stored : E.right({ ...stored.right, signed: signed.right });
};

const OUTPUTS_HELP = 'also compare the sizes and SHA-256 hashes of the files of renders';

const THINGS: Readonly<Record<Exclude<Thing, 'all'>, string>> = {
  render: 'compare the stored data of a render with the log: document, status, deliveries, files',
  project: 'compare the stored data of a project and its renders with the log; --outputs adds files',
  account: 'compare the stored teams, projects, renders, credits and statistics of an account with the log',
};

const storedCommands = (verify: Command, context: CommandContext): void => {
  for (const tag of ['render', 'project', 'account'] as const) {
    const command = addCommand(verify, tag, THINGS[tag], [`verify ${tag} "$${tag.toUpperCase()}_ID"`]).addArgument(
      new Argument(`<${tag}>`, `the id of the ${tag}`),
    );
    if (tag !== 'render') command.option('--outputs', OUTPUTS_HELP);
    command.action((id: string, options: JsonOption & { readonly outputs?: true }) =>
      runCommand(context, options.json, commandOutputOf(storedOf(context, { tag, id }, options), readModelsText)),
    );
  }
  addLogCommand(verify, 'all', 'verify the log as "verify log" does, then compare all stored data with it', [
    'verify all --key "$KEY" --checkpoint checkpoint-20251126',
  ])
    .option('--outputs', OUTPUTS_HELP)
    .action((options: AllOptions) =>
      runCommand(
        context,
        options.json,
        commandOutputOf(
          allVerified(context, options),
          ({ signed, ...stored }) => `${verifiedTopicsText(signed)}\n\n${readModelsText(stored)}`,
        ),
      ),
    );
};

export const verifyCommands = (program: Command, context: CommandContext): void => {
  const verify = addCommand(program, 'verify', 'verify a proof, the signed log, or stored data', [
    'verify proof.json --key "$KEY"',
    'verify proof.json --key "$KEY" --witness "$WITNESS_KEY"',
    'verify log --key "$KEY" --checkpoint checkpoint-20251126',
    'verify render "$RENDER_ID"',
  ])
    .addArgument(new Argument('<file>', 'a file from "renderctl prove"; needs no server'))
    .addOption(
      new Option('--key <key>', 'the key of the log, as "renderctl notary key" shows it; repeatable').argParser(
        keyOf('note'),
      ),
    )
    .addOption(
      new Option('--witness <key>', 'the key of a required witness; repeatable').argParser(keyOf('cosignature')),
    )
    // Options after the subcommands "topic" and "log" belong to those subcommands.
    .enablePositionalOptions()
    .action((path: string, { json, ...keys }: JsonOption & Keys) =>
      runCommand(context, json, commandOutputOf(verifiedFile(path, keys), verifiedBundleText)),
    );
  addLogCommand(verify, 'topic', 'compare a topic with the signed log, and show the first record that differs', [
    'verify topic render-events --key "$KEY"',
  ])
    .addArgument(new Argument('<topic>', 'the topic').argParser(topicOf))
    .action((topic: NotarizedTopic, options: LogOptions) =>
      runCommand(context, options.json, commandOutputOf(verifiedTopics(context, [topic], options), verifiedTopicsText)),
    );
  addLogCommand(verify, 'log', 'compare all signed topics and the log of heads with the checkpoint', [
    'verify log --key "$KEY" --checkpoint checkpoint-20251126',
  ]).action((options: LogOptions) =>
    runCommand(context, options.json, commandOutputOf(verifiedTopics(context, null, options), verifiedTopicsText)),
  );
  storedCommands(verify, context);
};
