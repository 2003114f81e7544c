import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { EndpointAnswer, EndpointHistoryAnswer } from '../../catalogue/answers.ts';
import {
  activateSecret,
  chooseEvents,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EndpointWithSecret,
  enableEndpoint,
  endpointWithHistory,
  listEndpoints,
  type RotatedEndpoint,
  rotateSecret,
} from '../../catalogue/endpoints.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import { tableText, timeText } from '../table.ts';
import { collectedEvent, idOption, ownId } from './arguments.ts';
import {
  addCommand,
  answeredAs,
  answeredChange,
  answerTo,
  type CommandContext,
  group,
  type JsonOption,
} from './command.ts';
import { webhookDeliveryCommands } from './webhook-delivery-commands.ts';
import { webhookListenCommand } from './webhook-listen-command.ts';

/** Why an endpoint is disabled, in words. A reason of newer code is shown unchanged. */
const REASONS: Readonly<Record<string, string>> = {
  by_hand: 'by hand',
  gone: 'it answered with the status 410',
  failing: 'all deliveries failed for too long',
};
const reasonText = (reason: string): string => REASONS[reason] ?? reason;

const stateText = ({ state, disabled, rotation, deleted_at }: EndpointAnswer): string => {
  if (deleted_at !== null) return `deleted ${timeText(deleted_at)}`;
  const since = disabled === null ? state : `disabled ${timeText(disabled.since)}: ${reasonText(disabled.reason)}`;
  return rotation === null ? since : `${since}; a new secret, activated ${timeText(rotation.until)} at the latest`;
};

const endpointsText = (endpoints: readonly EndpointAnswer[]): string =>
  tableText(
    ['id', 'team', 'url', 'events', 'state'],
    endpoints.map((endpoint) => [
      endpoint.id,
      endpoint.team_id,
      endpoint.url,
      endpoint.events.join(' '),
      stateText(endpoint),
    ]),
  );
const endpointText = (endpoint: EndpointAnswer): string => endpointsText([endpoint]);

const historyText = (endpoint: EndpointHistoryAnswer): string => {
  const { failing, subscriptions, disabled_periods } = endpoint;
  const chosen = tableText(
    ['since', 'subscribed to'],
    subscriptions.map(({ since, events }) => [timeText(since), events.join(' ')]),
  );
  const periods = tableText(
    ['disabled', 'until', 'why'],
    disabled_periods.map(({ from, to, reason }) => [
      timeText(from),
      to === null ? null : timeText(to),
      reasonText(reason),
    ]),
  );
  return [
    endpointText(endpoint),
    ...(failing === null
      ? []
      : [`All deliveries have failed since ${timeText(failing.since)}; ${failing.exhausted} are exhausted.`]),
    chosen,
    ...(disabled_periods.length === 0 ? [] : [periods]),
  ].join('\n\n');
};

const shownOnce = (secret: string): string =>
  `${secret}\n\nThis is the signing secret. It is shown only once. Give it to the receiver now.`;

const createdText = ({ secret, ...endpoint }: EndpointWithSecret): string =>
  secret === null
    ? `${endpointText(endpoint)}\n\nIts secret was shown when it was created. If you lost it: renderctl webhook rotate-secret ${endpoint.id}`
    : `${shownOnce(secret)}\n\n${endpointText(endpoint)}`;

const rotatedText = ({ secret, replaces, ...endpoint }: RotatedEndpoint): string => {
  const until = endpoint.rotation === null ? '' : ` ${timeText(endpoint.rotation.until)}`;
  return [
    shownOnce(secret ?? ''),
    ...(replaces === null ? [] : [`The secret that was shown ${timeText(replaces.since)} is no longer valid.`]),
    `X-Webhook-Signature uses the old secret until "renderctl webhook activate-secret ${endpoint.id}", or${until};`,
    'webhook-signature has both signatures until then.',
    '',
    endpointText(endpoint),
  ].join('\n');
};

type EventOptions = { event?: readonly EventKind[]; allEvents?: true };
type CreateOptions = JsonOption & EventOptions & { id?: string };

const eventOption = (): Option =>
  new Option('--event <event>', 'an event to subscribe to; repeatable')
    .argParser(collectedEvent)
    .conflicts('allEvents');

/** The selected events. A call without any is a usage error. */
const selectedEvents = ({ event, allEvents }: EventOptions, command: Command): readonly EventKind[] => {
  if (allEvents === true) return EVENT_KINDS;
  return event ?? command.error('error: give at least one --event, or --all-events');
};

export const webhookCommands = (program: Command, context: CommandContext): void => {
  const webhooks = group(program, 'webhook', 'webhook endpoints of teams and their deliveries');
  const endpoint = () => new Argument('<endpoint>', 'the id of the endpoint');
  const withEvents = (command: Command): Command =>
    command.addOption(eventOption()).option('--all-events', `all events: ${EVENT_KINDS.join(', ')}`);

  withEvents(
    addCommand(webhooks, 'create', 'create an endpoint of a team; its signing secret is shown once', [
      'webhook create team_01JD… https://hooks.example.com/renders --event render.complete --event render.failed',
      'webhook create team_01JD… https://hooks.example.com/renders --all-events',
    ]),
  )
    .addArgument(new Argument('<team>', 'the team'))
    .addArgument(new Argument('<url>', 'the URL for deliveries, a public https address'))
    .addOption(idOption('whe'))
    .action((team_id: string, url: string, options: CreateOptions, command: Command) => {
      const wanted = { team_id, url, events: selectedEvents(options, command), ...ownId(options.id) };
      const create = context.connection.addresses((checkAddress) =>
        context.connection.sealing((catalogue) => createEndpoint(catalogue, checkAddress, wanted)),
      );
      return answerTo(context, options.json, answeredChange(create, createdText));
    });

  addCommand(webhooks, 'list', 'list endpoints', ['webhook list', 'webhook list --team team_01JD… --json'])
    .option('--team <team>', 'only endpoints of this team')
    .option('--deleted', 'include deleted endpoints')
    .action(({ team, deleted, json }: JsonOption & { team?: string; deleted?: true }) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly EndpointAnswer[]) => ({ data }))(
          await listEndpoints(view, team ?? null, deleted === true, Date.now()),
        ),
      );
      return answerTo(
        context,
        json,
        answeredAs(list, ({ data }) => endpointsText(data)),
      );
    });

  addCommand(webhooks, 'show', 'show an endpoint, its events and whether it is disabled', ['webhook show whe_01JD…'])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) =>
      answerTo(
        context,
        json,
        answeredAs(
          context.connection.view((view) => endpointWithHistory(view, id, Date.now())),
          historyText,
        ),
      ),
    );

  withEvents(
    addCommand(webhooks, 'events', 'change the events of an endpoint; returns when the change is in effect', [
      'webhook events whe_01JD… --event render.status_changed',
      'webhook events whe_01JD… --all-events',
    ]),
  )
    .addArgument(endpoint())
    .action((id: string, options: JsonOption & EventOptions, command: Command) => {
      const events = selectedEvents(options, command);
      const choose = context.connection.catalogue((catalogue) => chooseEvents(catalogue, id, events));
      return answerTo(context, options.json, answeredChange(choose, endpointText));
    });

  addCommand(webhooks, 'rotate-secret', 'add a new secret to an endpoint beside the current one; it is shown once', [
    'webhook rotate-secret whe_01JD…',
  ])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) => {
      const rotate = context.connection.sealing((catalogue) => rotateSecret(catalogue, id));
      return answerTo(context, json, answeredAs(rotate, rotatedText));
    });

  addCommand(
    webhooks,
    'activate-secret',
    'end a rotation and use only the new secret; returns when the change is in effect',
    ['webhook activate-secret whe_01JD…'],
  )
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) => {
      const activate = context.connection.catalogue((catalogue) => activateSecret(catalogue, id));
      return answerTo(context, json, answeredChange(activate, endpointText));
    });

  addCommand(webhooks, 'disable', 'disable an endpoint; returns when the change is in effect', [
    'webhook disable whe_01JD…',
  ])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) => {
      const disable = context.connection.catalogue((catalogue) => disableEndpoint(catalogue, id));
      return answerTo(context, json, answeredChange(disable, endpointText));
    });

  addCommand(webhooks, 'enable', 'enable an endpoint for new events', ['webhook enable whe_01JD…'])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) => {
      const enable = context.connection.catalogue((catalogue) => enableEndpoint(catalogue, id));
      return answerTo(context, json, answeredChange(enable, endpointText));
    });

  addCommand(webhooks, 'delete', 'delete an endpoint permanently; returns when the change is in effect', [
    'webhook delete whe_01JD…',
  ])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) => {
      const remove = context.connection.catalogue((catalogue) => deleteEndpoint(catalogue, id));
      return answerTo(context, json, answeredChange(remove, endpointText));
    });

  webhookDeliveryCommands(webhooks, context);
  webhookListenCommand(webhooks, context);
};
