import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { EndpointView } from '../../catalogue/answers.ts';
import {
  activateSecret,
  chooseEvents,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  endpointWithHistory,
  listEndpoints,
  rotateSecret,
} from '../../catalogue/endpoints.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import { createdText, endpointsText, endpointText, historyText, rotatedText } from '../webhooks/endpoint-text.ts';
import { collectEvents, idOption, optionalId } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';
import { webhookDeliveryCommands } from './webhook-delivery-commands.ts';
import { webhookListenCommand } from './webhook-listen-command.ts';

type EventOptions = { event?: readonly EventKind[]; allEvents?: true };
type CreateOptions = JsonOption & EventOptions & { id?: string };

const eventOption = (): Option =>
  new Option('--event <event>', 'an event to subscribe to; repeatable').argParser(collectEvents).conflicts('allEvents');

/** Without any event, the command ends with a usage error. */
const selectedEvents = ({ event, allEvents }: EventOptions, command: Command): readonly EventKind[] => {
  if (allEvents === true) return EVENT_KINDS;
  return event ?? command.error('error: use at least one --event, or --all-events');
};

/** The commands that need only the id of an endpoint. */
const ENDPOINT_CHANGES = [
  {
    name: 'activate-secret',
    about: 'end the rotation and sign only with the new secret; returns when the change is in effect',
    change: activateSecret,
  },
  { name: 'disable', about: 'disable an endpoint; returns when the change is in effect', change: disableEndpoint },
  { name: 'enable', about: 'enable an endpoint for new events', change: enableEndpoint },
  {
    name: 'delete',
    about: 'delete an endpoint permanently; returns when the change is in effect',
    change: deleteEndpoint,
  },
] as const;

export const webhookCommands = (program: Command, context: CommandContext): void => {
  const webhooks = addCommandGroup(program, 'webhook', 'webhook endpoints of teams and their deliveries');
  const endpoint = () => new Argument('<endpoint>', 'the id of the endpoint');
  const withEvents = (command: Command): Command =>
    command.addOption(eventOption()).option('--all-events', `all events: ${EVENT_KINDS.join(', ')}`);

  withEvents(
    addCommand(webhooks, 'create', 'create an endpoint of a team; its signing secret is shown only once', [
      'webhook create team_01JD… https://hooks.example.com/renders --event render.complete --event render.failed',
      'webhook create team_01JD… https://hooks.example.com/renders --all-events',
    ]),
  )
    .addArgument(new Argument('<team>', 'the team'))
    .addArgument(new Argument('<url>', 'the URL for deliveries, a public https address'))
    .addOption(idOption('whe'))
    .action((team_id: string, url: string, options: CreateOptions, command: Command) => {
      const wanted = { team_id, url, events: selectedEvents(options, command), ...optionalId(options.id) };
      const create = context.connection.addresses((checkAddress) =>
        context.connection.sealing((catalogue) => createEndpoint(catalogue, checkAddress, wanted)),
      );
      return runCommand(context, options.json, changeOutputOf(create, createdText));
    });

  addCommand(webhooks, 'list', 'list endpoints', ['webhook list', 'webhook list --team team_01JD… --json'])
    .option('--team <team>', 'only endpoints of this team')
    .option('--deleted', 'include deleted endpoints')
    .action(({ team, deleted, json }: JsonOption & { team?: string; deleted?: true }) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly EndpointView[]) => ({ data }))(
          await listEndpoints(view, team ?? null, deleted === true, Date.now()),
        ),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => endpointsText(data)),
      );
    });

  addCommand(webhooks, 'show', 'show an endpoint, its events and whether it is disabled', ['webhook show whe_01JD…'])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) =>
      runCommand(
        context,
        json,
        commandOutputOf(
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
      return runCommand(context, options.json, changeOutputOf(choose, endpointText));
    });

  addCommand(webhooks, 'rotate-secret', 'add a second signing secret to an endpoint; it is shown only once', [
    'webhook rotate-secret whe_01JD…',
  ])
    .addArgument(endpoint())
    .action((id: string, { json }: JsonOption) => {
      const rotate = context.connection.sealing((catalogue) => rotateSecret(catalogue, id));
      return runCommand(context, json, commandOutputOf(rotate, rotatedText));
    });

  for (const { name, about, change } of ENDPOINT_CHANGES)
    addCommand(webhooks, name, about, [`webhook ${name} whe_01JD…`])
      .addArgument(endpoint())
      .action((id: string, { json }: JsonOption) => {
        const changed = context.connection.catalogue((catalogue) => change(catalogue, id));
        return runCommand(context, json, changeOutputOf(changed, endpointText));
      });

  webhookDeliveryCommands(webhooks, context);
  webhookListenCommand(webhooks, context);
};
