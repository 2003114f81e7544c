import type { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import { actorText } from '../../domain/event/meta.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import {
  areAllRebuilt,
  type CorrectionCounts,
  type DeliveryRebuild,
  findDeliveryRebuild,
  giveUpDeliveryRebuild,
  NO_CORRECTIONS,
  requestDeliveryRebuild,
  sumCorrections,
} from '../../read-models/deliveries/rebuild.ts';
import type { RebuildProgress } from '../../read-models/rebuilds.ts';
import type { CliFault } from '../fault.ts';
import { followRebuild } from '../rebuild/follow-rebuild.ts';
import { rebuildDisplay } from '../rebuild/rebuild-display.ts';
import { timeText } from '../table.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const HELP = `
Each webhook relay compares the deliveries of its partitions with webhook-events and
repairs those that differ, while it continues to deliver. It sends only what the log
requires. The responses of endpoints and the times of next attempts are not in the
log, so the store keeps them. The comparison continues after Ctrl-C: run the command
again to see its progress. "--stop" ends it.`;

type Rebuilt = {
  readonly read_model: 'deliveries';
  readonly records: number;
  readonly mended: CorrectionCounts;
  readonly took_ms: number;
  readonly requested_by: string;
};

const rebuiltText = ({ records, mended, took_ms }: Rebuilt): string => {
  const { changed, restored, removed, planned_again, left } = mended;
  const lines = [
    `The deliveries match the log (${records} records in ${(took_ms / 1_000).toFixed(1)} s).`,
    `${changed} changed, ${restored} restored, ${removed} removed, ${planned_again} planned again.`,
  ];
  return [...lines, ...(left === 0 ? [] : [`${left} still differ after repeated repairs.`])].join('\n');
};

const progressOf = (db: ReadStore['db'], { rebuild }: DeliveryRebuild) => {
  let [mended, records] = [NO_CORRECTIONS, 0];
  return {
    found: () => ({ mended, records }),
    progress: async (): Promise<RebuildProgress> => {
      const now = await findDeliveryRebuild(db);
      if (now?.wish.rebuild !== rebuild) return { tag: 'given_up' };
      const partitions = [...now.partitions.values()];
      mended = sumCorrections(partitions.map((one) => one.mended));
      records = partitions.reduce((sum, { read }) => sum + read, 0);
      const of = partitions.reduce((sum, one) => sum + one.of, 0);
      return areAllRebuilt(now)
        ? { tag: 'serves' }
        : { tag: 'folding', folded: records, of, is_begun: partitions.length > 0 };
    },
  };
};

const rebuilt = async (
  { stderr, stop }: CommandContext,
  as_json: boolean,
  { records: { log }, actor }: CatalogueWriter,
  db: ReadStore['db'],
): Promise<E.Either<CliFault, Rebuilt>> => {
  const say = (line: string): void => {
    if (!as_json) stderr.write(`${line}\n`);
  };
  const at = SYSTEM_CLOCK.now();
  const { wish, is_new } = await requestDeliveryRebuild(db, {
    rebuild: mintUlid(at),
    requested_at: new Date(at),
    requested_by: actor,
    partitions: (await log.bounds('webhook-events')).length,
  });
  const { requested_at, requested_by } = wish;
  if (!is_new)
    say(
      `The rebuild has been in progress since ${timeText(requested_at.getTime())}. Requested by: ${actorText(requested_by)}.`,
    );
  const display = as_json ? { show: () => undefined, stop: () => undefined } : rebuildDisplay(stderr, SYSTEM_CLOCK);
  const { found, progress } = progressOf(db, wish);
  const followed = await followRebuild(
    { what: 'deliveries', maker: 'webhook relay', progress },
    { display, say, stop },
  );
  if (E.isLeft(followed)) {
    if (followed.left.tag === 'interrupted')
      say('The rebuild continues. To see its progress: renderctl rebuild deliveries');
    return followed;
  }
  const took_ms = SYSTEM_CLOCK.now() - requested_at.getTime();
  return E.right({ read_model: 'deliveries', ...found(), took_ms, requested_by });
};

const stopped = async (db: ReadStore['db']): Promise<E.Either<CliFault, { readonly read_model: 'deliveries' }>> => {
  const there = await findDeliveryRebuild(db);
  if (there === null || areAllRebuilt(there) || !(await giveUpDeliveryRebuild(db, there.wish))) {
    const message = 'no rebuild of the deliveries is in progress';
    return E.left({ tag: 'refused', reason: 'not_under_way', message });
  }
  return E.right({ read_model: 'deliveries' });
};

export const deliveryRebuildCommand = (rebuild: Command, context: CommandContext): void => {
  const { connection } = context;
  addCommand(rebuild, 'deliveries', 'compare the deliveries with the log and repair them, or show the progress', [
    'rebuild deliveries',
    'rebuild deliveries --stop',
  ])
    .option('--stop', 'stop the rebuild in progress')
    .addHelpText('after', HELP)
    .action(({ json, stop }: JsonOption & { readonly stop?: true }) =>
      stop === true
        ? runCommand(
            context,
            json,
            commandOutputOf(connection.db(stopped), () => 'The rebuild was stopped.'),
          )
        : runCommand(
            context,
            json,
            commandOutputOf(
              connection.catalogue((catalogue) =>
                connection.db((db) => rebuilt(context, json === true, catalogue, db)),
              ),
              rebuiltText,
            ),
          ),
    );
};
