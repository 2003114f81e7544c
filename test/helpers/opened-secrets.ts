import * as E from 'fp-ts/lib/Either.js';
import { openingKey } from '../../platform/secrets/key-pair.ts';
import { secretOpen } from '../../platform/secrets/sealed-secret.ts';
import type { WebhookEndpointDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import type { Stack } from '../../stack/launcher.ts';
import type { StackClients } from '../../stack/testing/stack-clients.ts';

export const endpointOf = async ({ store }: StackClients, id: string): Promise<WebhookEndpointDocument | null> =>
  store.db.collection<WebhookEndpointDocument>(catalogueCollections(1).entities.webhook_endpoint).findOne({ _id: id });

export const openedSecretsOf = async (
  { env }: Stack,
  clients: StackClients,
  id: string,
): Promise<readonly (string | null)[]> => {
  const { secret = '', next_secret = null } = (await endpointOf(clients, id)) ?? {};
  const private_key = openingKey(env.WEBHOOK_PRIVATE_KEYS ?? '');
  const open = secretOpen({
    private_keys: private_key === undefined ? [] : [private_key],
    secrets_key: env.WEBHOOK_SECRETS_KEY,
  });
  if (E.isLeft(open)) throw new Error(open.left);
  const opened = [secret, next_secret?.sealed].map(async (sealed) => {
    const found = sealed === undefined ? null : await open.right(id, sealed);
    return found !== null && E.isRight(found) ? found.right : null;
  });
  return await Promise.all(opened);
};
