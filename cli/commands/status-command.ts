import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { KeptCopies } from '../../platform/blob-store/azure-kept-copies.ts';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { type ReadModelState, readModelStates } from '../../read-models/catch-up.ts';
import { findRebuild, rebuildProgress } from '../../read-models/rebuilds.ts';
import { openUnpuncturedSeals } from '../../read-models/retention/unpunctured-seals.ts';
import { openUploads, type Uploads } from '../../read-models/uploads/uploads.ts';
import type { Connection } from '../connection.ts';
import { unpuncturedText } from '../erase/unpunctured-text.ts';
import { tableText, timeText } from '../table.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const HELP = `
A read model is "behind" after its store was lost or restored from a backup. Until it
has caught up, the API answers 503, and no renders are prepared or dispatched. It
catches up automatically; "folded" shows the progress. If "caught up" does not change,
see docs/operations.md, "Stopped partitions".

An upload is inspected by the stills service. If uploads wait for long, start another one.

An erased text is "still readable" if Blob refuses to change the file with its key.
"retention" tries again each minute. See docs/operations.md, "Key trees".

Soft delete and versions of Blob keep copies of erased texts and of their keys. See
docs/privacy.md, "What outlasts an erasure, and how long".`;

const stateText = ({ generation, behind }: ReadModelState): string => {
  if (generation === null) return 'no data: are the projectors running?';
  if (behind === null) return 'behind: a partition has no position yet';
  return behind === 0 ? 'serves' : `${behind} records behind`;
};

type RebuildState = Pick<ReadModelState, 'read_model'> & {
  readonly generation: number;
  readonly folded: number;
  readonly of: number;
};

const rebuildStates = async (db: ReadStore['db']): Promise<readonly RebuildState[]> => {
  const states: RebuildState[] = [];
  for (const read_model of ['renders', 'catalogue'] as const) {
    const rebuild = await findRebuild(db, read_model);
    const progress = rebuild === null ? null : await rebuildProgress(db, rebuild);
    if (rebuild === null || progress?.tag !== 'folding') continue;
    const { folded, of } = progress;
    states.push({ read_model, generation: rebuild.generation, folded, of });
  }
  return states;
};

const rebuildText = ({ read_model, generation, folded, of }: RebuildState): string =>
  `Rebuilding the read model "${read_model}" as generation ${generation}: ${folded} of ${of} records.`;

const statesText = (states: readonly ReadModelState[], now: number): string =>
  tableText(
    ['read model', 'generation', 'folded', 'state', 'caught up'],
    states.map((one) => [
      ...[one.read_model, one.generation ?? '-', one.folded, stateText(one)],
      one.caught_up_at === null || one.caught_up_at === 0
        ? '-'
        : now - one.caught_up_at < 10_000
          ? 'now'
          : timeText(one.caught_up_at),
    ]),
  );

type UploadCounts = Awaited<ReturnType<Uploads['counts']>>;

const uploadsText = ({ waiting, claimed }: UploadCounts): string =>
  `Uploads: ${waiting} wait for an inspection, ${claimed} are being inspected.`;

type Status = {
  readonly data: readonly ReadModelState[];
  readonly rebuilds: readonly RebuildState[];
  readonly unpunctured_seals: number;
  readonly uploads: UploadCounts;
  /** Null if Blob is not configured, does not answer or refuses. */
  readonly kept_copies: KeptCopies | null;
};

export const keptCopiesTexts = (copies: KeptCopies | null): readonly string[] => {
  if (copies === null) return ['The settings of Blob for soft delete and versions could not be read.'];
  const { soft_delete_days, has_versions } = copies;
  return [
    ...(soft_delete_days === null
      ? []
      : [`Blob keeps deleted blobs for ${soft_delete_days} days, so erased texts stay readable for that time.`]),
    ...(has_versions ? ['Blob keeps old versions of blobs, so erased texts stay readable until these expire.'] : []),
  ];
};

const statusText = ({ data, rebuilds, unpunctured_seals, uploads, kept_copies }: Status, now: number): string =>
  [
    statesText(data, now),
    ...[
      rebuilds.map(rebuildText),
      uploads.waiting + uploads.claimed === 0 ? [] : [uploadsText(uploads)],
      unpunctured_seals === 0 ? [] : [unpuncturedText(unpunctured_seals)],
      keptCopiesTexts(kept_copies),
    ].flatMap((lines) => (lines.length === 0 ? [] : ['', ...lines])),
  ].join('\n');

const readKeptCopies = async ({ keptCopies }: Connection): Promise<KeptCopies | null> => {
  try {
    const copies = await keptCopies(async (found) => E.right(found));
    return E.isRight(copies) ? copies.right : null;
  } catch (error) {
    if (error instanceof BlobFault) return null;
    throw error;
  }
};

const readStatus = async (db: ReadStore['db'], connection: Connection): Promise<Status> => ({
  data: await readModelStates(db),
  rebuilds: await rebuildStates(db),
  unpunctured_seals: await openUnpuncturedSeals(db).count(),
  uploads: await openUploads(db).counts(),
  kept_copies: await readKeptCopies(connection),
});

export const statusCommand = (program: Command, context: CommandContext): void => {
  addCommand(program, 'status', 'show the progress of the read models', ['status', 'status --json'])
    .addHelpText('after', HELP)
    .action(({ json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
          context.connection.db(async (db) => E.right(await readStatus(db, context.connection))),
          (status) => statusText(status, SYSTEM_CLOCK.now()),
        ),
      ),
    );
};
