import * as E from 'fp-ts/lib/Either.js';
import { createEndpoint, deleteEndpoint, listEndpoints } from '../catalogue/endpoints.ts';
import { type Connection, createConnection } from '../cli/connection.ts';
import { type CliFault, reportOf } from '../cli/fault.ts';
import { reportLine } from '../cli/report.ts';
import { EVENT_KINDS } from '../domain/webhooks/event-kinds.ts';
import { portFault } from '../stack/process/ports.ts';
import type { Certificate } from '../stack/tls/certificate.ts';
import { openWebhookReceiver, type Received } from './webhook-receiver.ts';

export type DemoEndpoint = {
  /** Each delivery once, in the order of arrival. */
  readonly received: () => readonly Received[];
  /** Never rejects. Returns a message if the endpoint could not be deleted, otherwise null. */
  readonly remove: () => Promise<string | null>;
};

export type DemoEndpointOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly team_id: string;
  /** A certificate for this machine, signed by an authority that the stack trusts. */
  readonly certificate: Certificate;
};

const PATH = '/receiver-of-the-demo';

const lineOf = (fault: CliFault): string => reportLine(reportOf(fault));

/** Deletes endpoints of killed demos, because a team can have only a limited number. */
const removeLeftovers = async (servers: Connection, team_id: string): Promise<void> => {
  const listed = await servers.view((view) => listEndpoints(view, team_id, false, Date.now()));
  if (E.isLeft(listed)) return;
  const ownEndpoints = listed.right.flatMap(({ id, url }) => {
    const { hostname, pathname, port } = new URL(url);
    return hostname === '127.0.0.1' && pathname === PATH ? [{ id, port: Number(port) }] : [];
  });
  await Promise.all(
    ownEndpoints.map(async ({ id, port }) => {
      if ((await portFault(port)) === null) await servers.catalogue((catalogue) => deleteEndpoint(catalogue, id));
    }),
  );
};

const deleted = async (servers: Connection, id: string): Promise<string | null> => {
  try {
    const result = await servers.catalogue((catalogue) => deleteEndpoint(catalogue, id));
    return E.isLeft(result) ? lineOf(result.left) : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/**
 * Starts a receiver on this machine and creates an endpoint for it, subscribed to every event. Rejects with a message
 * of one line.
 */
export const openDemoEndpoint = async (options: DemoEndpointOptions): Promise<DemoEndpoint> => {
  const { env, team_id, certificate } = options;
  // Never aborted, so that the endpoint is deleted after an interrupt too.
  const servers = createConnection(env, '', new AbortController().signal);
  const receiver = await openWebhookReceiver(certificate);
  const close = async (): Promise<void> => {
    await servers.close();
    await receiver.close();
  };
  try {
    await removeLeftovers(servers, team_id);
    const wanted = { team_id, url: `${receiver.origin}${PATH}`, events: EVENT_KINDS };
    const created = await servers.addresses((checkAddress) =>
      servers.sealing((catalogue) => createEndpoint(catalogue, checkAddress, wanted)),
    );
    if (E.isLeft(created)) throw new Error(lineOf(created.left));
    const { id, secret } = created.right;
    if (secret !== null) receiver.expect(secret);
    return {
      received: receiver.received,
      remove: async () => {
        const fault = await deleted(servers, id);
        await close();
        return fault === null
          ? null
          : `The endpoint of the demo could not be deleted (${fault}). Delete it: renderctl webhook delete ${id}`;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};
