import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import { actor } from '../../domain/event/meta.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/webhooks/event-kinds.ts';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { WEBHOOK_SEALING_KEY, WEBHOOK_SECRETS } from '../../platform/configuration/parts.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { type SealSecret, secretSeal } from '../../platform/secrets/sealed-secret.ts';
import { mintWebhookSecret } from '../../platform/secrets/webhook-secret.ts';

export type CreatedEndpoint = {
  readonly id: string;
  readonly team_id: string;
  readonly url: string;
  readonly events: readonly EventKind[];
  readonly secret: string;
};

export type NewEndpoint = {
  readonly team_id: string;
  readonly url: string;
  /** The events to deliver; all by default. */
  readonly events?: readonly EventKind[];
};

/** Changes endpoints through the log, without a check of their addresses. */
export type WebhookEndpoints = {
  readonly makeTeams: (ids: readonly string[]) => Promise<void>;
  readonly make: (wanted: NewEndpoint) => Promise<CreatedEndpoint>;
  /** @returns the new secret; the old one is still valid */
  readonly rotate: (endpoint_id: string) => Promise<string>;
  readonly append: (event: CatalogueEvent) => Promise<void>;
};

export const operatorMeta = () => ({
  event_id: ulid(),
  occurred_at: Date.now(),
  actor: actor('operator', 'test'),
  causation_id: null,
  correlation_id: null,
});

/**
 * Encrypts secrets as renderctl does: for the relay's public key, or in the first format if no public key is
 * configured.
 */
const sealOf = (env: Readonly<Record<string, string>>): SealSecret => {
  const decoded = decodeConfiguration(env, { sealing: WEBHOOK_SEALING_KEY, before: WEBHOOK_SECRETS });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { sealing, before } = decoded.right;
  const seal = secretSeal({ ...sealing, secrets_key: before.key });
  if (E.isLeft(seal)) throw new Error(seal.left);
  return seal.right;
};

/** @param env environment of the stack, whose relay has the matching private keys */
export const webhookEndpoints = (records: RecordLog, env: Readonly<Record<string, string>>): WebhookEndpoints => {
  const seal = sealOf(env);
  const append = async (event: CatalogueEvent): Promise<void> => {
    const appended = await records.append('catalogue-events', 'catalogue', event, { partition: 0 });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  };
  return {
    append,
    makeTeams: async (ids) => {
      const account_id = `acc_${ulid()}`;
      const meta = operatorMeta;
      await append({
        type: 'AccountCreated',
        rules: 0,
        meta: meta(),
        account_id,
        name: 'Acme',
        unlimited_credits: true,
      });
      await Promise.all(
        ids.map((team_id) =>
          append({ type: 'TeamCreated', rules: 0, meta: meta(), team_id, account_id, name: team_id }),
        ),
      );
    },
    make: async ({ team_id, url, events = EVENT_KINDS }) => {
      const id = `whe_${ulid()}`;
      const secret = mintWebhookSecret();
      await append({
        type: 'WebhookEndpointCreated',
        rules: 0,
        meta: operatorMeta(),
        endpoint_id: id,
        team_id,
        url,
        events: [...events],
        secret: await seal(id, secret),
      });
      return { id, team_id, url, events, secret };
    },
    rotate: async (endpoint_id) => {
      const secret = mintWebhookSecret();
      await append({
        type: 'WebhookSecretRotated',
        rules: 0,
        meta: operatorMeta(),
        endpoint_id,
        secret: await seal(endpoint_id, secret),
      });
      return secret;
    },
  };
};
