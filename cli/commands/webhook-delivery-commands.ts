import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { EndpointView } from '../../catalogue/answers.ts';
import { deliveryView, type ListedDelivery, listedDelivery } from '../../catalogue/delivery-answers.ts';
import { endpointWithHistory, listEndpoints } from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { catalogueReadModel } from '../../read-models/catalogue/management.ts';
import {
  type DeliveredRender,
  type DeliveryLog,
  type DeliveryQuery,
  type DeliveryWithoutBody,
  openDeliveryLog,
} from '../../read-models/deliveries/delivery-log.ts';
import type { DeliveryState } from '../../read-models/deliveries/documents.ts';
import { renderDocument } from '../../read-models/renders/renders.ts';
import type { CliFault } from '../fault.ts';
import { jsonText, type PendingOutput, toCommandOutput } from '../output.ts';
import { attemptText, deliveriesText, deliveryText } from '../webhooks/delivery-text.ts';
import { followDelivery } from '../webhooks/follow-delivery.ts';
import { repeatDelivery } from '../webhooks/repeat-delivery.ts';
import { type RepeatResult, repeatDeliveries } from '../webhooks/repeat-many.ts';
import { endpointRefusal } from '../webhooks/repeatable.ts';
import { requestProgress } from '../webhooks/request-progress.ts';
import { testDelivery } from '../webhooks/test-delivery.ts';
import { countParser, parsePastTime } from './arguments.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const STATES: readonly DeliveryState[] = ['pending', 'succeeded', 'exhausted', 'skipped'];
const MAX_LISTED = 1_000;

/** Follows a delivery. Writes progress to stderr, so that stdout has only the delivery, even if it failed. */
const followed = async (context: CommandContext, log: DeliveryLog, id: string, as_json: boolean): PendingOutput => {
  const tell = (line: string): void => void context.stderr.write(`${line}\n`);
  const ended = await followDelivery(log, id, {
    on_attempt: (attempt, next_at) => tell(attemptText(attempt, next_at === null ? null : next_at - Date.now())),
    on_waiting: () => tell('attempt 1 is in progress; Ctrl-C does not stop the delivery'),
    stop: context.stop,
  });
  if (E.isLeft(ended)) return ended;
  const delivery = ended.right;
  if (delivery.state === 'succeeded') return toCommandOutput(ended, deliveryText);
  context.stdout.write(as_json ? jsonText(delivery) : `${deliveryText(delivery)}\n`);
  const why = [delivery.state, delivery.reason ?? delivery.attempts.at(-1)?.fault?.message].filter(Boolean).join(', ');
  return E.left({ tag: 'not_delivered', id, why });
};

const tested = (
  context: CommandContext,
  endpoint_id: string,
  event: EventKind | null,
  as_json: boolean,
): PendingOutput =>
  context.connection.deliveries(async (deliveries) => {
    const id = await testDelivery(deliveries, endpoint_id, event);
    if (E.isLeft(id)) return id;
    context.stderr.write(`${id.right}\n`);
    return followed(context, deliveries.log, id.right, as_json);
  });

type ListOptions = JsonOption & { state?: DeliveryState; since?: number; limit: number };
type Listed = { readonly data: readonly ListedDelivery[] };

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
  { state, since, limit }: ListOptions,
): Promise<E.Either<CliFault, Listed>> =>
  context.connection.db(async (db) => {
    const found = await logged(db, subject, { state: state ?? null, since: since ?? null, limit });
    return E.isLeft(found) ? found : E.right({ data: found.right.map(deliveryView).map(listedDelivery) });
  });

const listText = ({ data }: Listed, { limit }: ListOptions): string => {
  const table = deliveriesText(data);
  return data.length < limit ? table : `${table}\n\nThere may be more deliveries: use --limit and --since.`;
};

const shown = (context: CommandContext, id: string, watch: boolean, as_json: boolean): PendingOutput =>
  context.connection.db(async (db) => {
    const log = openDeliveryLog(db, Date.now);
    const delivery = await log.find(id);
    if (delivery === null)
      return E.left({ tag: 'not_found', what: 'delivery', id, list: 'renderctl webhook deliveries ENDPOINT' });
    return watch ? followed(context, log, id, as_json) : toCommandOutput(E.right(deliveryView(delivery)), deliveryText);
  });

type AgainOptions = JsonOption & {
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
      return followed(context, deliveries.log, id, json === true);
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

const USAGE = 'use either the id of a delivery, or --since with --failed-or-skipped';

const again = (context: CommandContext, id: string | undefined, options: AgainOptions): PendingOutput => {
  const { since, failedOrSkipped, endpoint, team } = options;
  const narrowed = since !== undefined || failedOrSkipped || endpoint !== undefined || team !== undefined;
  if (id !== undefined && !narrowed) return oneAgain(context, id, options);
  if (id === undefined && since !== undefined && failedOrSkipped && !options.watch)
    return manyAgain(context, since, options);
  return Promise.resolve(E.left({ tag: 'usage', message: USAGE }));
};

export const webhookDeliveryCommands = (webhooks: Command, context: CommandContext): void => {
  const endpoint = () => new Argument('<endpoint>', 'the id of the endpoint');
  const delivery = () => new Argument('<delivery>', 'the id of the delivery');
  const since = () =>
    new Option(
      '--since <time>',
      'created at that time or later: a date like 2026-11-21, a time like 2026-11-21T12:00:00Z, or how long ago, like 2h',
    ).argParser(parsePastTime);

  addCommand(webhooks, 'test', 'send a test delivery to an endpoint and wait for the result', [
    'webhook test whe_01JD…',
    'webhook test whe_01JD… --event render.complete',
  ])
    .addArgument(endpoint())
    .addOption(
      new Option('--event <event>', 'the event (default: the first event of the endpoint)').choices(EVENT_KINDS),
    )
    .action((id: string, { event, json }: JsonOption & { event?: EventKind }) =>
      runCommand(context, json, tested(context, id, event ?? null, json === true)),
    );

  addCommand(webhooks, 'deliveries', 'list the deliveries of an endpoint or a render, newest first', [
    'webhook deliveries whe_01JD…',
    'webhook deliveries whe_01JD… --state exhausted --since 2h --limit 100',
    'webhook deliveries rend_01JD… --json',
  ])
    .argument('<endpoint or render>', 'the id of an endpoint, or of a render')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(STATES))
    .addOption(since())
    .option('--limit <n>', `number of deliveries, at most ${MAX_LISTED}`, countParser(MAX_LISTED), 20)
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
    .action((id: string, { watch, json }: JsonOption & { watch?: true }) =>
      runCommand(context, json, shown(context, id, watch === true, json === true)),
    );

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
    .addOption(since())
    .option('--failed-or-skipped', 'repeat all failed or skipped deliveries that were not repeated yet')
    .addOption(new Option('--endpoint <endpoint>', 'only deliveries of this endpoint').conflicts('team'))
    .option('--team <team>', 'only deliveries of this team (default: all teams)')
    .option('--watch', 'for a single delivery: wait until it ends')
    .action((id: string | undefined, options: AgainOptions) =>
      runCommand(context, options.json, again(context, id, options)),
    );
};
