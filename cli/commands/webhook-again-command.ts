import { type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { EndpointView } from '../../catalogue/answers.ts';
import { endpointWithHistory, listEndpoints } from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { CliFault } from '../fault.ts';
import { listRemoteEndpoints, repeatManyRemotely, repeatRemotely, type TeamWebhooks } from '../http/webhooks.ts';
import { type CommandOutput, type PendingOutput, toCommandOutput } from '../output.ts';
import { repeatDelivery } from '../webhooks/repeat-delivery.ts';
import { type RepeatResult, repeatDeliveries } from '../webhooks/repeat-many.ts';
import { endpointRefusal } from '../webhooks/repeatable.ts';
import { requestProgress } from '../webhooks/request-progress.ts';
import { sinceOption } from './arguments.ts';
import {
  addCommand,
  type CommandContext,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { followedInLog, followedRemotely } from './followed-delivery.ts';
import { inTeam } from './team-option.ts';

type AgainOptions = JsonOption &
  DirectOption & {
    since?: number;
    failedOrSkipped?: true;
    endpoint?: string;
    team?: string;
    watch?: true;
  };

const UNCHANGED = 'This was already requested; nothing changed.';

const oneAgain = (context: CommandContext, delivery_id: string, { watch, json }: AgainOptions): PendingOutput =>
  context.connection.deliveries(async (deliveries) => {
    const again = await repeatDelivery(deliveries, delivery_id);
    if (E.isLeft(again)) return again;
    const { id, repeated } = again.right;
    if (watch) {
      context.stderr.write(`${id}\n`);
      return followedInLog(context, deliveries.log, id, json === true);
    }
    const line = `${id} repeats ${delivery_id}.`;
    return toCommandOutput(again, () => (repeated ? `${line}\n\n${UNCHANGED}` : line));
  });

const manyText = ({ requested, repeated_before, disabled_endpoint_ids }: RepeatResult): string =>
  [
    `Repeating ${requested} deliveries.`,
    ...(repeated_before === 0 ? [] : [`${repeated_before} were already repeated.`]),
    ...disabled_endpoint_ids.map(
      (id) =>
        `Skipped ${id} because it is disabled. Enable it with "renderctl webhook enable ${id}", then repeat the command.`,
    ),
  ].join('\n');

/** The endpoints of a team, one endpoint, or all. Left if the user named one endpoint and it gets no deliveries. */
const selectedEndpoints = async (
  view: CatalogueReadModel,
  { endpoint, team }: AgainOptions,
): Promise<E.Either<CliFault | CatalogueFault, readonly EndpointView[]>> => {
  if (endpoint === undefined) return listEndpoints(view, team ?? null, false, Date.now());
  const one = await endpointWithHistory(view, endpoint, Date.now());
  if (E.isLeft(one)) return one;
  const closed = endpointRefusal(one.right);
  return closed === null ? E.right([one.right]) : E.left(closed);
};

const manyAgain = (context: CommandContext, since: number, options: AgainOptions): PendingOutput =>
  context.connection.deliveries(async (deliveries) => {
    const endpoints = await selectedEndpoints(deliveries.read_model, options);
    if (E.isLeft(endpoints)) return endpoints;
    const progress = requestProgress(context.stderr);
    const repeating = { since, endpoints: endpoints.right, on_progress: progress.show, stop: context.stop };
    const repeated = await repeatDeliveries(deliveries, repeating);
    progress.stop();
    return toCommandOutput(repeated, manyText);
  });

const oneAgainRemotely = async (
  context: CommandContext,
  team: TeamWebhooks,
  delivery_id: string,
  { watch, json }: AgainOptions,
): PendingOutput => {
  const id = await repeatRemotely(team, delivery_id);
  if (E.isLeft(id)) return id;
  if (watch === true) {
    context.stderr.write(`${id.right}\n`);
    return await followedRemotely(context, team, id.right, json === true);
  }
  return E.right({ text: `${id.right} repeats ${delivery_id}.`, json: { id: id.right } });
};

/** One endpoint, or all endpoints of the team. */
const manyAgainRemotely = async (
  context: CommandContext,
  team: TeamWebhooks,
  since: number,
  endpoint: string | undefined,
): PendingOutput => {
  const all =
    endpoint === undefined ? await listRemoteEndpoints(team, false) : E.right([{ id: endpoint, state: 'enabled' }]);
  if (E.isLeft(all)) return all;
  const disabled_endpoint_ids = all.right.filter(({ state }) => state === 'disabled').map(({ id }) => id);
  let sum = { requested: 0, repeated_before: 0 };
  const progress = requestProgress(context.stderr);
  for (const { id } of all.right.filter(({ state }) => state === 'enabled')) {
    const before = sum.requested;
    const done = await repeatManyRemotely(team, id, since, (count) => progress.show(before + count));
    if (E.isLeft(done)) {
      progress.stop();
      return done;
    }
    const { requested, repeated_before } = done.right;
    sum = { requested: sum.requested + requested, repeated_before: sum.repeated_before + repeated_before };
  }
  progress.stop();
  return toCommandOutput(E.right({ ...sum, disabled_endpoint_ids }), manyText);
};

const USAGE = 'use either the id of a delivery, or --since with --failed-or-skipped';

const again = (context: CommandContext, id: string | undefined, options: AgainOptions): PendingOutput => {
  const { since, failedOrSkipped, endpoint, team } = options;
  const isOnlyTeam = since === undefined && !failedOrSkipped && endpoint === undefined && team !== undefined;
  const narrowed = since !== undefined || failedOrSkipped || endpoint !== undefined || team !== undefined;
  if (id !== undefined && (!narrowed || isOnlyTeam))
    return remotelyOrDirectly<CommandOutput>(context, options, {
      asPerson: inTeam(team, (at) => oneAgainRemotely(context, at, id, options)),
      directly: async () =>
        isOnlyTeam ? E.left({ tag: 'usage', message: USAGE }) : await oneAgain(context, id, options),
    });
  if (id === undefined && since !== undefined && failedOrSkipped && !options.watch)
    return remotelyOrDirectly<CommandOutput>(context, options, {
      asPerson: inTeam(team, (at) => manyAgainRemotely(context, at, since, endpoint)),
      directly: () => manyAgain(context, since, options),
    });
  return Promise.resolve(E.left({ tag: 'usage', message: USAGE }));
};

export const webhookAgainCommand = (webhooks: Command, context: CommandContext): void => {
  addCommand(
    webhooks,
    'deliver-again',
    'send a delivery again, with a new id and a current body; the command is safe to repeat',
    [
      'webhook deliver-again hook_4f1d… --watch',
      'webhook deliver-again --since 2026-11-21T12:00:00Z --failed-or-skipped --endpoint whe_01JD…',
      'webhook deliver-again --since 2h --failed-or-skipped --team team_01JD…',
    ],
  )
    .argument('[delivery]', 'the id of a finished delivery')
    .addOption(sinceOption())
    .option('--failed-or-skipped', 'repeat all failed or skipped deliveries that were not repeated yet')
    .addOption(new Option('--endpoint <endpoint>', 'only deliveries of this endpoint').conflicts('team'))
    .option('--team <team>', 'only deliveries of this team (default: all teams)')
    .option('--watch', 'for a single delivery: wait until it ends')
    .addOption(directOption())
    .action((id: string | undefined, options: AgainOptions) =>
      runCommand(context, options.json, again(context, id, options)),
    );
};
