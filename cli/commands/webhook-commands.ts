import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
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
import type { CliFault } from '../fault.ts';
import {
  changeRemoteEndpoint,
  createRemoteEndpoint,
  type EndpointAnswer,
  type EndpointHistoryAnswer,
  type EndpointSecretAnswer,
  listRemoteEndpoints,
  type RotatedEndpointAnswer,
  remoteEndpoint,
  rotateRemoteSecret,
} from '../http/webhooks.ts';
import { createdText, endpointsText, endpointText, historyText, rotatedText } from '../webhooks/endpoint-text.ts';
import { collectEvents, idOption, optionalId } from './arguments.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type DirectOption,
  directOption,
  type JsonOption,
  remotelyOrDirectly,
  runCommand,
} from './command.ts';
import { inTeam, type TeamOption, teamOption } from './team-option.ts';
import { webhookDeliveryCommands } from './webhook-delivery-commands.ts';
import { webhookListenCommand } from './webhook-listen-command.ts';

type EventOptions = { event?: readonly EventKind[]; allEvents?: true };
type CreateOptions = JsonOption & DirectOption & EventOptions & { id?: string };
type PlaceOptions = JsonOption & DirectOption & TeamOption;

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

const withEvents = (command: Command): Command =>
  command.addOption(eventOption()).option('--all-events', `all events: ${EVENT_KINDS.join(', ')}`);

const endpointArgument = () => new Argument('<endpoint>', 'the id of the endpoint');

type Changed = EndpointAnswer & { readonly repeated?: true };

const usage = (message: string): E.Either<CliFault, never> => E.left({ tag: 'usage', message });

/** With a log-in, the only argument may be the URL. */
const createAt = (context: CommandContext, places: readonly string[], options: CreateOptions, command: Command) => {
  const events = selectedEvents(options, command);
  const [url = '', team] = places.toReversed();
  return remotelyOrDirectly<EndpointSecretAnswer & { readonly repeated?: true }>(context, options, {
    asPerson: async (session) => {
      if (options.id !== undefined) return usage('--id works only on the servers');
      return await inTeam(team, (at) => createRemoteEndpoint(at, { url, events }))(session);
    },
    directly: async () => {
      if (team === undefined) return usage('on the servers, an endpoint needs the team and the URL');
      const wanted = { team_id: team, url, events, ...optionalId(options.id) };
      return await context.connection.addresses((checkAddress) =>
        context.connection.sealing((catalogue) => createEndpoint(catalogue, checkAddress, wanted)),
      );
    },
  });
};

const createCommand = (webhooks: Command, context: CommandContext): void => {
  withEvents(
    addCommand(webhooks, 'create', 'create an endpoint of a team; its signing secret is shown only once', [
      'webhook create https://hooks.example.com/renders --event render.complete       # with a log-in',
      'webhook create team_01JD… https://hooks.example.com/renders --event render.complete --event render.failed',
      'webhook create team_01JD… https://hooks.example.com/renders --all-events',
    ]),
  )
    .addArgument(new Argument('[team]', 'the team (with a log-in: default your team)'))
    .addArgument(new Argument('[url]', 'the URL for deliveries, a public https address'))
    .addOption(idOption('whe'))
    .addOption(directOption())
    .action((first: string | undefined, second: string | undefined, options: CreateOptions, command: Command) => {
      const places = [first, second].filter((one) => one !== undefined);
      if (places.length === 0) command.error("error: missing required argument 'url'");
      return runCommand(
        context,
        options.json,
        changeOutputOf(createAt(context, places, options, command), createdText),
      );
    });
};

const readCommands = (webhooks: Command, context: CommandContext): void => {
  addCommand(webhooks, 'list', 'list endpoints', ['webhook list', 'webhook list --team team_01JD… --json'])
    .option('--team <team>', 'only endpoints of this team (with a log-in: default your team)')
    .option('--deleted', 'include deleted endpoints (with a log-in: the 100 that were deleted last)')
    .addOption(directOption())
    .action(async (options: PlaceOptions & { deleted?: true }) => {
      const { team, deleted, json } = options;
      const list = remotelyOrDirectly<readonly EndpointAnswer[]>(context, options, {
        asPerson: inTeam(team, (at) => listRemoteEndpoints(at, deleted === true)),
        directly: () =>
          context.connection.view((view) => listEndpoints(view, team ?? null, deleted === true, Date.now())),
      }).then(E.map((data: readonly EndpointAnswer[]) => ({ data })));
      await runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => endpointsText(data)),
      );
    });

  addCommand(webhooks, 'show', 'show an endpoint, its events and whether it is disabled', ['webhook show whe_01JD…'])
    .addArgument(endpointArgument())
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: PlaceOptions) => {
      const show = remotelyOrDirectly<EndpointHistoryAnswer>(context, options, {
        asPerson: inTeam(options.team, (team) => remoteEndpoint(team, id)),
        directly: () => context.connection.view((view) => endpointWithHistory(view, id, Date.now())),
      });
      return runCommand(context, options.json, commandOutputOf(show, historyText));
    });
};

const changeCommands = (webhooks: Command, context: CommandContext): void => {
  withEvents(
    addCommand(webhooks, 'events', 'change the events of an endpoint; returns when the change is in effect', [
      'webhook events whe_01JD… --event render.status_changed',
      'webhook events whe_01JD… --all-events',
    ]),
  )
    .addArgument(endpointArgument())
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: PlaceOptions & EventOptions, command: Command) => {
      const events = selectedEvents(options, command);
      const choose = remotelyOrDirectly<Changed>(context, options, {
        asPerson: inTeam(options.team, (team) => changeRemoteEndpoint(team, id, 'events', { events })),
        directly: () => context.connection.catalogue((catalogue) => chooseEvents(catalogue, id, events)),
      });
      return runCommand(context, options.json, changeOutputOf(choose, endpointText));
    });

  addCommand(webhooks, 'rotate-secret', 'add a second signing secret to an endpoint; it is shown only once', [
    'webhook rotate-secret whe_01JD…',
  ])
    .addArgument(endpointArgument())
    .addOption(teamOption())
    .addOption(directOption())
    .action((id: string, options: PlaceOptions) => {
      const rotate = remotelyOrDirectly<RotatedEndpointAnswer>(context, options, {
        asPerson: inTeam(options.team, (team) => rotateRemoteSecret(team, id)),
        directly: () => context.connection.sealing((catalogue) => rotateSecret(catalogue, id)),
      });
      return runCommand(context, options.json, commandOutputOf(rotate, rotatedText));
    });

  for (const { name, about, change } of ENDPOINT_CHANGES)
    addCommand(webhooks, name, about, [`webhook ${name} whe_01JD…`])
      .addArgument(endpointArgument())
      .addOption(teamOption())
      .addOption(directOption())
      .action((id: string, options: PlaceOptions) => {
        const changed = remotelyOrDirectly<Changed>(context, options, {
          asPerson: inTeam(options.team, (team) => changeRemoteEndpoint(team, id, name)),
          directly: () => context.connection.catalogue((catalogue) => change(catalogue, id)),
        });
        return runCommand(context, options.json, changeOutputOf(changed, endpointText));
      });
};

export const webhookCommands = (program: Command, context: CommandContext): void => {
  const webhooks = addCommandGroup(program, 'webhook', 'webhook endpoints of teams and their deliveries');
  createCommand(webhooks, context);
  readCommands(webhooks, context);
  changeCommands(webhooks, context);
  webhookDeliveryCommands(webhooks, context);
  webhookListenCommand(webhooks, context);
};
