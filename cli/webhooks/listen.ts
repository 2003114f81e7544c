import { connect } from 'node:net';
import * as E from 'fp-ts/lib/Either.js';
import type { AddressCheck } from '../../catalogue/endpoint-address.ts';
import {
  type CatalogueWriterWithSeal,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
} from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { EventKind } from '../../domain/webhooks/event-kinds.ts';
import { cliFault } from '../catalogue/catalogue-fault.ts';
import type { CliFault } from '../fault.ts';
import { LISTEN_PATH, type Listener, openListener, type ReceivedAttempt } from './listener.ts';
import type { Certificate } from './local-certificate.ts';

export type ListenOptions = {
  readonly team_id: string;
  readonly events: readonly EventKind[];
  readonly target: URL;
  readonly port: number;
  readonly certificate: Certificate;
  /** Called when the endpoint can receive deliveries. Its secret signs them. */
  readonly on_listening: (endpoint: { readonly id: string; readonly url: string; readonly secret: string }) => void;
  readonly on_received: (heard: ReceivedAttempt) => void;
  /** Called when the endpoint of a killed `webhook listen` was found and deleted. */
  readonly on_leftover: (endpoint_id: string) => void;
  readonly stop: AbortSignal;
};

export type ListenResult = { readonly endpoint_id: string; readonly attempts: number };

type Step<A> = E.Either<CliFault | CatalogueFault, A>;

const CONNECT_TIMEOUT_MS = 1_000;

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: CONNECT_TIMEOUT_MS });
    const end = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(true));
    socket.once('error', () => end(false));
  });

/** Endpoints of the team that an earlier `webhook listen` did not delete. */
const leftovers = async (
  { read_model, clock }: CatalogueWriterWithSeal,
  team_id: string,
): Promise<Step<readonly string[]>> => {
  const listed = await listEndpoints(read_model, team_id, false, clock.now());
  if (E.isLeft(listed)) return listed;
  const found = await Promise.all(
    listed.right.map(async ({ id, url }) => {
      const { hostname, pathname, port } = new URL(url);
      const is_ours = hostname === '127.0.0.1' && pathname === LISTEN_PATH;
      return is_ours && !(await isListening(Number(port))) ? [id] : [];
    }),
  );
  return E.right(found.flat());
};

const removeLeftovers = async (
  catalogue: CatalogueWriterWithSeal,
  { team_id, on_leftover }: Pick<ListenOptions, 'team_id' | 'on_leftover'>,
): Promise<Step<null>> => {
  const found = await leftovers(catalogue, team_id);
  if (E.isLeft(found)) return found;
  for (const id of found.right) {
    const deleted = await deleteEndpoint(catalogue, id);
    if (E.isLeft(deleted)) return deleted;
    on_leftover(id);
  }
  return E.right(null);
};

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const opened = async (options: Parameters<typeof openListener>[0]): Promise<E.Either<CliFault, Listener>> => {
  try {
    return E.right(await openListener(options));
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const message = `cannot listen on port ${options.port} (${why}): choose another --port, or omit it`;
    return E.left({ tag: 'refused', reason: 'port_taken', message });
  }
};

/**
 * Creates an endpoint for a server on this machine, forwards deliveries until `stop`, and deletes the endpoint.
 *
 * @returns on the left why it could not be created; `endpoint_left` if it could not be deleted
 */
export const listenForDeliveries = async (
  catalogue: CatalogueWriterWithSeal,
  checkAddress: AddressCheck,
  options: ListenOptions,
): Promise<Step<ListenResult>> => {
  const { team_id, events, target, port, certificate, stop } = options;
  const removed = await removeLeftovers(catalogue, options);
  if (E.isLeft(removed)) return removed;
  let attempts = 0;
  const on_received = (heard: ReceivedAttempt): void => {
    if (heard.delivery !== null) attempts += 1;
    options.on_received(heard);
  };
  const listener = await opened({ certificate, port, target, on_received });
  if (E.isLeft(listener)) return listener;
  const { url, expect, close } = listener.right;
  try {
    const created = await createEndpoint(catalogue, checkAddress, { team_id, url, events });
    if (E.isLeft(created)) return created;
    const { id } = created.right;
    const secret = created.right.secret ?? '';
    expect(secret);
    if (!stop.aborted) options.on_listening({ id, url, secret });
    await untilAborted(stop);
    const deleted = await deleteEndpoint(catalogue, id);
    return E.isLeft(deleted)
      ? E.left({ tag: 'endpoint_left', id, cause: cliFault(deleted.left) })
      : E.right({ endpoint_id: id, attempts });
  } finally {
    await close();
  }
};
