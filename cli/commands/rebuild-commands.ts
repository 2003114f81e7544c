import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import { actorText } from '../../domain/event/meta.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { ReadModel } from '../../read-models/generations.ts';
import {
  findRebuild,
  giveUpRebuild,
  type RebuildRefusal,
  rebuildProgress,
  requestRebuild,
} from '../../read-models/rebuilds.ts';
import {
  type DropRefusal,
  dropGeneration,
  type GenerationNeed,
  type StoredGeneration,
  storedGenerations,
} from '../../read-models/unused-generations.ts';
import type { CliFault } from '../fault.ts';
import { followRebuild } from '../rebuild/follow-rebuild.ts';
import { rebuildDisplay } from '../rebuild/rebuild-display.ts';
import { tableText, timeText } from '../table.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';
import { deliveryRebuildCommand } from './rebuild-deliveries-command.ts';

const HELP = `
The projectors fold the read model from the first record into new collections while
the current generation serves. The new generation replaces it when it has caught up.
Nothing is published or sent again. The rebuild continues after Ctrl-C: run the
command again to see its progress. "--stop" ends the rebuild, and the current
generation continues to serve. The store keeps a replaced generation until "rebuild
drop".`;

const DROP_HELP = `
Lists the generations that no process needs: replaced and stopped ones. "--yes" drops
them. Generations that serve, are being built, were replaced within the last minute,
or are still folded by a process stay. Generations of older versions are dropped only
with "--older-versions": you can then no longer go back to those versions, and must
not start their processes.`;

const TOPICS: { readonly [M in ReadModel]: Topic } = { renders: 'render-events', catalogue: 'catalogue-events' };
const READ_MODELS = ['renders', 'catalogue'] as const;

const REFUSED: { readonly [R in RebuildRefusal]: (read_model: ReadModel) => string } = {
  nothing_serves: (read_model) => `no generation of the ${read_model} is complete: are the projectors running?`,
  upgrading: (read_model) =>
    `this renderctl does not know the version of the read model "${read_model}"; the projectors build a new version without this command`,
};

type Rebuilt = {
  readonly read_model: ReadModel;
  readonly generation: number;
  readonly replaced: number;
  readonly records: number;
  readonly took_ms: number;
  readonly requested_by: string;
};

const rebuiltText = ({ read_model, generation, replaced, records, took_ms }: Rebuilt): string =>
  [
    `The read model "${read_model}" was rebuilt from ${records} records in ${(took_ms / 1_000).toFixed(1)} s: generation ${generation} replaced ${replaced}.`,
    `Generation ${replaced} is still stored. To delete it: renderctl rebuild drop`,
  ].join('\n');

const rebuilt = async (
  { stderr, stop }: CommandContext,
  as_json: boolean,
  read_model: ReadModel,
  { records: { log }, actor }: CatalogueWriter,
  db: ReadStore['db'],
): Promise<E.Either<CliFault, Rebuilt>> => {
  const say = (line: string): void => {
    if (!as_json) stderr.write(`${line}\n`);
  };
  const ends = (await log.bounds(TOPICS[read_model])).map(({ end }) => end);
  const request = await requestRebuild(db, read_model, ends, { by: actor, at: new Date(SYSTEM_CLOCK.now()) });
  if (request.tag === 'refused')
    return E.left({ tag: 'refused', reason: request.reason, message: REFUSED[request.reason](read_model) });
  const { rebuild, is_new } = request;
  const { generation, replaces, requested_at, requested_by } = rebuild;
  if (!is_new)
    say(
      `The rebuild has been in progress since ${timeText(requested_at.getTime())}. Requested by: ${actorText(requested_by)}.`,
    );
  const display = as_json ? { show: () => undefined, stop: () => undefined } : rebuildDisplay(stderr, SYSTEM_CLOCK);
  const followed = await followRebuild(
    { what: read_model, maker: 'projector', progress: () => rebuildProgress(db, rebuild) },
    { display, say, stop },
  );
  if (E.isLeft(followed)) {
    if (followed.left.tag === 'interrupted')
      say(`The rebuild continues. To see its progress: renderctl rebuild ${read_model}`);
    return followed;
  }
  const took_ms = SYSTEM_CLOCK.now() - requested_at.getTime();
  const records = Math.max(
    followed.right.records,
    rebuild.ends.reduce((sum, end) => sum + end, 0),
  );
  return E.right({ read_model, generation, replaced: replaces, records, took_ms, requested_by });
};

type Stopped = { readonly read_model: ReadModel; readonly generation: number };

const stopped = async (db: ReadStore['db'], read_model: ReadModel): Promise<E.Either<CliFault, Stopped>> => {
  const rebuild = await findRebuild(db, read_model);
  if (rebuild === null || !(await giveUpRebuild(db, rebuild))) {
    const message = `no rebuild of the ${read_model} is in progress`;
    return E.left({ tag: 'refused', reason: 'not_under_way', message });
  }
  return E.right({ read_model, generation: rebuild.generation });
};

type Found = Omit<StoredGeneration, 'need'> & { readonly why: string };
type Dropped = Found & { readonly outcome: 'listed' | 'dropped' | DropRefusal };

const WHY: { readonly [T in GenerationNeed['tag']]: string } = {
  needed: 'serves or is being built',
  just_replaced: 'replaced less than a minute ago',
  older_version: 'of an older version',
  unused: 'replaced or stopped',
};

const OUTCOMES: { readonly [O in Dropped['outcome']]: string } = {
  listed: '',
  dropped: 'dropped',
  needed: 'kept: a process needs it now',
  followed: 'kept: a process is still folding it',
};

type DropOptions = JsonOption & { readonly yes?: true; readonly olderVersions?: true };

const dropped = async (
  db: ReadStore['db'],
  { yes, olderVersions }: DropOptions,
): Promise<E.Either<CliFault, { readonly data: readonly Dropped[] }>> => {
  const data: Dropped[] = [];
  for (const read_model of READ_MODELS) {
    for (const stored of await storedGenerations(db, read_model, SYSTEM_CLOCK.now())) {
      const { generation, need, collections } = stored;
      if (need.tag === 'needed') continue;
      if (need.tag === 'older_version' && olderVersions !== true) continue;
      const may_go = yes === true && need.tag !== 'just_replaced';
      const outcome = may_go ? ((await dropGeneration(db, stored, SYSTEM_CLOCK)) ?? 'dropped') : 'listed';
      data.push({ read_model, generation, collections, why: WHY[need.tag], outcome });
    }
  }
  return E.right({ data });
};

const droppedText = (data: readonly Dropped[]): string => {
  if (data.length === 0) return 'There are no generations to drop.';
  const table = tableText(
    ['read model', 'generation', 'collections', 'why', ''],
    data.map((one) => [...[one.read_model, one.generation, one.collections.length, one.why, OUTCOMES[one.outcome]]]),
  );
  return data.some(({ outcome }) => outcome === 'listed') ? `${table}\n\nAdd --yes to drop them.` : table;
};

type RebuildOptions = JsonOption & { readonly stop?: true };

export const rebuildCommands = (program: Command, context: CommandContext): void => {
  const { connection } = context;
  const rebuild = addCommandGroup(program, 'rebuild', 'rebuild a read model from the log while the current one serves');
  for (const read_model of READ_MODELS) {
    addCommand(rebuild, read_model, `rebuild the ${read_model}, or show the progress`, [
      `rebuild ${read_model}`,
      `rebuild ${read_model} --stop`,
    ])
      .option('--stop', 'stop the rebuild in progress')
      .addHelpText('after', HELP)
      .action(({ json, stop }: RebuildOptions) =>
        stop === true
          ? runCommand(
              context,
              json,
              commandOutputOf(
                connection.db((db) => stopped(db, read_model)),
                ({ generation }) =>
                  `The rebuild was stopped. Generation ${generation} is still stored. To delete it: renderctl rebuild drop`,
              ),
            )
          : runCommand(
              context,
              json,
              commandOutputOf(
                connection.catalogue((catalogue) =>
                  connection.db((db) => rebuilt(context, json === true, read_model, catalogue, db)),
                ),
                rebuiltText,
              ),
            ),
      );
  }
  deliveryRebuildCommand(rebuild, context);
  addCommand(rebuild, 'drop', 'drop generations that are no longer needed', [
    'rebuild drop',
    'rebuild drop --yes',
    'rebuild drop --older-versions --yes',
  ])
    .option('--yes', 'drop them; by default they are only listed')
    .option('--older-versions', 'include generations of older versions')
    .addHelpText('after', DROP_HELP)
    .action((options: DropOptions) =>
      runCommand(
        context,
        options.json,
        commandOutputOf(
          connection.db((db) => dropped(db, options)),
          ({ data }) => droppedText(data),
        ),
      ),
    );
};
