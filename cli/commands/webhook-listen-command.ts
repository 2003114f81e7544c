import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { CliFault } from '../fault.ts';
import { timeText } from '../table.ts';
import type { ListenResult } from '../webhooks/listen.ts';
import type { ReceivedAttempt } from '../webhooks/listener.ts';
import { collectEvents, countParser } from './arguments.ts';
import { addCommand, type CommandContext, type JsonOption, runCommand } from './command.ts';

const targetUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('It must be an address like http://localhost:3000/hooks.');
  return url;
};

export const receivedAttemptText = ({ at, delivery, status, fault, duration_ms }: ReceivedAttempt): string => {
  const about = delivery === null ? ['no delivery'] : [delivery.event, delivery.data.id, delivery.id];
  const answer = fault === null ? `${status}` : `${status}: ${fault}`;
  return [timeText(at), ...about, `${answer}, after ${duration_ms} ms`].join('  ').replace(/\p{Cc}/gu, ' ');
};

export const receivedAttemptJson = ({ at, delivery, status, fault, duration_ms }: ReceivedAttempt) => ({
  at,
  id: delivery?.id ?? null,
  event: delivery?.event ?? null,
  render_id: delivery?.data.id ?? null,
  status,
  fault,
  duration_ms,
});

type ListenOptions = JsonOption & { forwardTo: URL; event?: readonly EventKind[]; port?: number };

const teamOf = async (
  { connection }: CommandContext,
  team: string | undefined,
): Promise<E.Either<CliFault, string>> => {
  if (team !== undefined) return E.right(team);
  const stack = await connection.stack();
  const own = E.isRight(stack) ? stack.right.team_id : undefined;
  return own === undefined
    ? E.left({
        tag: 'usage',
        message: 'add the id of a team: no stack of "make start" is running here',
      })
    : E.right(own);
};

const listening = async (
  context: CommandContext,
  team: string | undefined,
  { forwardTo: target, event: events = EVENT_KINDS, port = 0, json }: ListenOptions,
): Promise<E.Either<CliFault, ListenResult>> => {
  const { listenForDeliveries: listen } = await import('../webhooks/listen.ts');
  const { connection, stdout, stderr, stop } = context;
  const url = await connection.remoteUrl();
  // With RENDERCTL_URL, the stack of this folder can still deliver to this machine.
  if (url !== null && E.isLeft(await connection.stack())) return E.left({ tag: 'not_reachable_here', url });
  const team_id = await teamOf(context, team);
  if (E.isLeft(team_id)) return team_id;
  return await connection.certificate((certificate) =>
    connection.addresses((checkAddress) =>
      connection.sealing((catalogue) =>
        listen(catalogue, checkAddress, {
          ...{ team_id: team_id.right, events, target, port, certificate, stop },
          on_leftover: (id) => stderr.write(`Deleted ${id} of an earlier "webhook listen".\n`),
          on_listening: ({ id, url, secret }) =>
            stderr.write(
              `${id} (${url}) forwards deliveries to ${target.href}, signed with ${secret}. Ctrl-C stops it and deletes ${id}.\n`,
            ),
          on_received: (heard) => {
            stdout.write(
              json === true ? `${JSON.stringify(receivedAttemptJson(heard))}\n` : `${receivedAttemptText(heard)}\n`,
            );
          },
        }),
      ),
    ),
  );
};

const listenedText = ({ endpoint_id, attempts }: ListenResult): string =>
  `Received ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}. Deleted ${endpoint_id}.`;

const HELP = `
The relay must reach this machine. So the command needs a stack that "make start" runs in
this folder, and no log-in is enough. For a service elsewhere, give your server a public
https address, for example with a tunnel, and use "webhook create".`;

export const webhookListenCommand = (webhooks: Command, context: CommandContext): void => {
  addCommand(
    webhooks,
    'listen',
    'receive deliveries on this machine, verify them and forward them to your server, until Ctrl-C',
    [
      'webhook listen --forward-to http://localhost:3000',
      'webhook listen team_01JD… --forward-to http://localhost:3000/hooks --event render.complete',
      'webhook listen --forward-to http://localhost:3000 --json      # a line of JSON for each attempt',
    ],
  )
    .addArgument(new Argument('[team]', 'the team (default: that of "make start")'))
    .addOption(
      new Option('--forward-to <url>', 'the URL that gets the deliveries, with the same body and signatures')
        .argParser(targetUrl)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--event <event>', 'an event to subscribe to; repeatable (default: all events)').argParser(
        collectEvents,
      ),
    )
    .option('--port <port>', 'the port to listen on (default: any free port)', countParser(65_535))
    .addHelpText('after', HELP)
    .action(async (team: string | undefined, options: ListenOptions) => {
      const ended = await listening(context, team, options);
      // The summary goes to stderr, because stdout has only the deliveries.
      if (E.isRight(ended)) context.stderr.write(`${listenedText(ended.right)}\n`);
      else await runCommand(context, options.json, Promise.resolve(ended));
    });
};
