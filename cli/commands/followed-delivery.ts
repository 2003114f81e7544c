import * as E from 'fp-ts/lib/Either.js';
import { deliveryView } from '../../catalogue/delivery-answers.ts';
import { isStoreUnavailable } from '../../platform/read-store/store-away.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';
import type { CliFault } from '../fault.ts';
import { type DeliveryAnswer, remoteDelivery, type TeamWebhooks } from '../http/webhooks.ts';
import { jsonText, type PendingOutput, toCommandOutput } from '../output.ts';
import { attemptText, deliveryText } from '../webhooks/delivery-text.ts';
import { followDelivery } from '../webhooks/follow-delivery.ts';
import type { CommandContext } from './command.ts';

type ReadDelivery = () => Promise<E.Either<CliFault, DeliveryAnswer | null>>;

/** Null while the delivery is missing or the store is unavailable. */
const readFromLog =
  (log: DeliveryLog, id: string): ReadDelivery =>
  async () => {
    const found = await log.find(id).catch((error: unknown) => {
      if (isStoreUnavailable(error)) return null;
      throw error;
    });
    return E.right(found === null ? null : deliveryView(found));
  };

const HTTP_NOT_FOUND = 404;
const REMOTE_POLL_MS = 1_000;

const readRemotely =
  (team: TeamWebhooks, id: string): ReadDelivery =>
  async () => {
    const found = await remoteDelivery(team, id);
    const is_missing = E.isLeft(found) && found.left.tag === 'http' && found.left.status === HTTP_NOT_FOUND;
    return is_missing ? E.right(null) : found;
  };

/** Follows a delivery. Writes progress to stderr, so that stdout has only the delivery, even if it failed. */
const followed = async (
  context: CommandContext,
  read: ReadDelivery,
  id: string,
  as_json: boolean,
  poll_ms?: number,
): PendingOutput => {
  const tell = (line: string): void => void context.stderr.write(`${line}\n`);
  const ended = await followDelivery(read, id, {
    ...(poll_ms !== undefined && { poll_ms }),
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

export const followedInLog = (context: CommandContext, log: DeliveryLog, id: string, as_json: boolean): PendingOutput =>
  followed(context, readFromLog(log, id), id, as_json);

export const followedRemotely = (
  context: CommandContext,
  team: TeamWebhooks,
  id: string,
  as_json: boolean,
): PendingOutput => followed(context, readRemotely(team, id), id, as_json, REMOTE_POLL_MS);
