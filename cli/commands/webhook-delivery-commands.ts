import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { deliveryView, listedDelivery } from '../../catalogue/delivery-answers.ts';
import { endpointWithHistory, listEndpoints } from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { type CatalogueReadModel, catalogueReadModel } from '../../read-models/catalogue/management.ts';
import {
  type DeliveredRender,
  type DeliveryQuery,
  type DeliveryWithoutBody,
  openDeliveryLog,
} from '../../read-models/deliveries/delivery-log.ts';
import type { DeliveryState } from '../../read-models/deliveries/documents.ts';
import { renderDocument } from '../../read-models/renders/renders.ts';
import type { CliFault } from '../fault.ts';
import {
  type ListedDeliveryAnswer,
  listRemoteDeliveries,
  listRemoteDeliveriesOfRender,
  remoteDelivery,
  testRemotely,
} from '../http/webhooks.ts';
import { type CommandOutput, type PendingOutput, toCommandOutput } from '../output.ts';
import { deliveriesText, deliveryText } from '../webhooks/delivery-text.ts';
import { testDelivery } from '../webhooks/test-delivery.ts';
import { countParser, sinceOption } from './arguments.ts';
import {
  addCommand,
  type CommandContext,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { followedInLog, followedRemotely } from './followed-delivery.ts';
import { inTeam, type TeamOption, teamOption } from './team-option.ts';
import { webhookAgainCommand } from './webhook-again-command.ts';

const STATES: readonly DeliveryState[] = ['pending', 'succeeded', 'exhausted', 'skipped'];
const MAX_LISTED = 1_000;

type TestOptions = JsonOption & DirectOption & TeamOption & { event?: EventKind };

const tested = (context: CommandContext, endpoint_id: string, options: TestOptions): PendingOutput => {
  const event = options.event ?? null;
  const as_json = options.json === true;
  return remotelyOrDirectly<CommandOutput>(context, options, {
    asPerson: inTeam(options.team, async (team) => {
      const id = await testRemotely(team, endpoint_id, event);
      if (E.isLeft(id)) return id;
      context.stderr.write(`${id.right}\n`);
      return await followedRemotely(context, team, id.right, as_json);
    }),
    directly: () =>
      context.connection.deliveries(async (deliveries) => {
        const id = await testDelivery(deliveries, endpoint_id, event);
        if (E.isLeft(id)) return id;
        context.stderr.write(`${id.right}\n`);
        return followedInLog(context, deliveries.log, id.right, as_json);
      }),
  });
};

type ListOptions = JsonOption & DirectOption & TeamOption & { state?: DeliveryState; since?: number; limit: number };
type Listed = { readonly data: readonly ListedDeliveryAnswer[] };

const deliveredRender = async (
  view: CatalogueReadModel,
  db: ReadStore['db'],
  render_id: string,
): Promise<DeliveredRender | null> => {
  const document = await renderDocument(db, render_id);
  if (document?.render == null) return null;
  const { team_id, seq: last_seq } = document.render;
  const endpoints = await listEndpoints(view, team_id, true, Date.now());
  const endpoint_ids = E.isLeft(endpoints) ? [] : endpoints.right.map(({ id }) => id);
  return { render_id, endpoint_ids, last_seq };
};

const logged = async (
  db: ReadStore['db'],
  subject: string,
  query: DeliveryQuery,
): Promise<E.Either<CliFault | CatalogueFault, readonly DeliveryWithoutBody[]>> => {
  const view = catalogueReadModel(db);
  const log = openDeliveryLog(db, Date.now);
  if (subject.startsWith('rend_')) {
    const render = await deliveredRender(view, db, subject);
    return render === null
      ? E.left({ tag: 'not_found', what: 'render', id: subject, list: null })
      : E.right(await log.ofRender(render, query));
  }
  const endpoint = await endpointWithHistory(view, subject, Date.now());
  return E.isLeft(endpoint)
    ? endpoint
    : E.right(await log.ofEndpoint(subject, { ...query, event: null, before: null }));
};

const listed = (
  context: CommandContext,
  subject: string,
  options: ListOptions,
): Promise<E.Either<CliFault, Listed>> => {
  const query = { state: options.state ?? null, since: options.since ?? null, limit: options.limit };
  return remotelyOrDirectly<Listed>(context, options, {
    asPerson: inTeam(options.team, async (team) => {
      const list = subject.startsWith('rend_') ? listRemoteDeliveriesOfRender : listRemoteDeliveries;
      return E.map((data: readonly ListedDeliveryAnswer[]) => ({ data }))(await list(team, subject, query));
    }),
    directly: () =>
      context.connection.db(async (db) => {
        const found = await logged(db, subject, query);
        return E.isLeft(found) ? found : E.right({ data: found.right.map(deliveryView).map(listedDelivery) });
      }),
  });
};

const listText = ({ data }: Listed, { limit }: ListOptions): string => {
  const table = deliveriesText(data);
  return data.length < limit ? table : `${table}\n\nThere may be more deliveries: use --limit and --since.`;
};

type ShowOptions = JsonOption & DirectOption & TeamOption & { watch?: true };

const shown = (context: CommandContext, id: string, options: ShowOptions): PendingOutput => {
  const { watch, json } = options;
  return remotelyOrDirectly<CommandOutput>(context, options, {
    asPerson: inTeam(options.team, async (team) =>
      watch === true
        ? await followedRemotely(context, team, id, json === true)
        : toCommandOutput(await remoteDelivery(team, id), deliveryText),
    ),
    directly: () =>
      context.connection.db(async (db) => {
        const log = openDeliveryLog(db, Date.now);
        const delivery = await log.find(id);
        if (delivery === null)
          return E.left({ tag: 'not_found', what: 'delivery', id, list: 'renderctl webhook deliveries ENDPOINT' });
        return watch === true
          ? followedInLog(context, log, id, json === true)
          : toCommandOutput(E.right(deliveryView(delivery)), deliveryText);
      }),
  });
};

export const webhookDeliveryCommands = (webhooks: Command, context: CommandContext): void => {
  const endpoint = () => new Argument('<endpoint>', 'the id of the endpoint');
  const delivery = () => new Argument('<delivery>', 'the id of the delivery');
  addCommand(webhooks, 'test', 'send a test delivery to an endpoint and wait for the result', [
    'webhook test whe_01JD…',
    'webhook test whe_01JD… --event render.complete',
  ])
    .addArgument(endpoint())
    .addOption(
      new Option('--event <event>', 'the event (default: the first event of the endpoint)').choices(EVENT_KINDS),
    )
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: TestOptions) => runCommand(context, options.json, tested(context, id, options)));

  addCommand(webhooks, 'deliveries', 'list the deliveries of an endpoint or a render, newest first', [
    'webhook deliveries whe_01JD…',
    'webhook deliveries whe_01JD… --state exhausted --since 2h --limit 100',
    'webhook deliveries rend_01JD… --json',
  ])
    .argument('<endpoint or render>', 'the id of an endpoint, or of a render')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(STATES))
    .addOption(sinceOption())
    .option('--limit <n>', `number of deliveries, at most ${MAX_LISTED}`, countParser(MAX_LISTED), 20)
    .addOption(teamOption())
    .addOption(directOption())
    .action((subject: string, options: ListOptions) =>
      runCommand(
        context,
        options.json,
        commandOutputOf(listed(context, subject, options), (found) => listText(found, options)),
      ),
    );

  addCommand(webhooks, 'delivery', 'show a delivery with its attempts and responses', [
    'webhook delivery hook_4f1d…',
    'webhook delivery hook_4f1d… --watch',
  ])
    .addArgument(delivery())
    .option('--watch', 'wait until it ends; Ctrl-C does not stop it')
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: ShowOptions) => runCommand(context, options.json, shown(context, id, options)));

  webhookAgainCommand(webhooks, context);
};
