import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueWriter } from '../catalogue/change.ts';
import type { AddressCheck } from '../catalogue/endpoint-address.ts';
import type { CatalogueWriterWithSeal } from '../catalogue/endpoints.ts';
import type { CatalogueFault } from '../catalogue/fault.ts';
import { actor } from '../domain/event/meta.ts';
import type { KeptCopies } from '../platform/blob-store/azure-kept-copies.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../platform/blob-store/evictable-blobs.ts';
import type { VersionedBlobs } from '../platform/blob-store/versioned-blobs.ts';
import { externalAddresses } from '../platform/configuration/stack-addresses.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { RegistrySettings } from '../platform/records/registry-api.ts';
import type { SealOpener } from '../platform/seals/opener.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { openDeliveryLog } from '../read-models/deliveries/delivery-log.ts';
import { cliFault } from './catalogue/catalogue-fault.ts';
import type { CliFault } from './fault.ts';
import { type ServiceConnection, serviceConnection } from './http/service-connection.ts';
import type { Proofs } from './notary/proofs.ts';
import { assetCacheFolder } from './plan/kept-assets.ts';
import type { RenderTools } from './plan/render-tools.ts';
import { openPrograms, type Programs } from './programs.ts';
import type { Servers } from './servers.ts';
import { readStackFile, type StackFile, usesExternalServers } from './stack-file.ts';
import type { StillsAddress } from './still/stills-service.ts';
import type { DeliveryCommandContext } from './webhooks/deliveries.ts';
import type { Certificate } from './webhooks/local-certificate.ts';

const MS_PER_S = 1_000;

type Using<S> = <A>(
  use: (service: S) => Promise<E.Either<CliFault | CatalogueFault, A>>,
) => Promise<E.Either<CliFault, A>>;

export type Connection = ServiceConnection & {
  /** Reads raw records, so it needs no schema registry. */
  readonly log: Using<EventLog>;
  readonly registry: Using<RegistrySettings>;
  readonly records: Using<RecordLog>;
  readonly db: Using<ReadStore['db']>;
  readonly blobs: Using<BlobStore>;
  /** Opens sealed texts of records. */
  readonly seals: Using<SealOpener>;
  readonly keyBlobs: Using<VersionedBlobs>;
  /** Rejects with `BlobFault`. */
  readonly keptCopies: Using<KeptCopies>;
  readonly listing: Using<EvictableBlobs>;
  /** The data that the notary stored about this log. */
  readonly proofs: Using<Proofs>;
  /** Finds the programs that render on this machine. Needs no server. */
  readonly programs: () => Promise<E.Either<CliFault, Programs>>;
  readonly renderTools: Using<RenderTools>;
  readonly view: Using<CatalogueReadModel>;
  readonly catalogue: Using<CatalogueWriter>;
  /** Opens the catalogue and the log of deliveries. */
  readonly deliveries: Using<DeliveryCommandContext>;
  /** Opens the catalogue, and the key that encrypts secrets. */
  readonly sealing: Using<CatalogueWriterWithSeal>;
  readonly addresses: Using<AddressCheck>;
  /** The certificate for a server on this machine, which the relay trusts. */
  readonly certificate: Using<Certificate>;
  /** The address of the stills service; null if only this machine draws stills. */
  readonly stills: () => Promise<E.Either<CliFault, StillsAddress | null>>;
  readonly stack: () => Promise<E.Either<CliFault, StackFile>>;
  readonly close: () => Promise<void>;
};

/** The actor in the log is a role, because personal names do not belong there. */
const operatorOf = (env: NodeJS.ProcessEnv): E.Either<CliFault, string> => {
  const role = env.RENDERCTL_OPERATOR || 'renderctl';
  const message = 'RENDERCTL_OPERATOR must be a role like "on-call": up to 40 of a-z, 0-9 and "-"';
  return /^[a-z0-9-]{1,40}$/.test(role) ? E.right(actor('operator', role)) : E.left({ tag: 'usage', message });
};

const WAIT_S = /^[1-9]\d{0,3}$/;

/** How long a change waits for the read model. */
const waitOf = (env: NodeJS.ProcessEnv): E.Either<CliFault, Pick<CatalogueWriter, 'wait_timeout_ms'>> => {
  const wait_s = env.RENDERCTL_WAIT_S || null;
  if (wait_s === null) return E.right({});
  const message = 'RENDERCTL_WAIT_S must be a whole number of seconds from 1 to 9999';
  return WAIT_S.test(wait_s)
    ? E.right({ wait_timeout_ms: Number(wait_s) * MS_PER_S })
    : E.left({ tag: 'usage', message });
};

const stillsAddress = async (
  env: NodeJS.ProcessEnv,
  stack: () => Promise<E.Either<CliFault, StackFile>>,
): Promise<E.Either<CliFault, StillsAddress | null>> => {
  const url = env.RENDERCTL_STILLS_URL || undefined;
  const secret = env.STILLS_SECRET || undefined;
  if (url !== undefined && secret === undefined)
    return E.left({ tag: 'usage', message: 'RENDERCTL_STILLS_URL needs STILLS_SECRET' });
  if (url !== undefined && secret !== undefined) return E.right({ url, secret });
  const found = await stack();
  // The stack's stills service uses the stack's own database and blobs, so it cannot serve a command that uses others.
  const other = ['MONGODB_DATABASE', 'BLOB_CONTAINER'].some((name) => env[name]);
  if (E.isLeft(found) || other || usesExternalServers(env, found.right)) return E.right(null);
  const { stills_url, stills_secret } = found.right;
  const known = stills_url !== undefined && stills_secret !== undefined;
  return E.right(known ? { url: stills_url, secret: stills_secret } : null);
};

export const createConnection = (env: NodeJS.ProcessEnv, stack_file: string, stop: AbortSignal): Connection => {
  const stack = () => readStackFile(stack_file);
  const remote = serviceConnection(env, stack, stop);
  let opened: Promise<E.Either<CliFault, Servers>> | null = null;
  const servers = async (): Promise<E.Either<CliFault, Servers>> => {
    const found = await stack();
    if (E.isLeft(found) && found.left.tag === 'no_stack' && externalAddresses(env).length === 0) {
      const url = await remote.remoteUrl();
      return url === null ? found : E.left({ tag: 'needs_servers', url });
    }
    // Loaded on demand: the servers' libraries load slower than --help answers.
    opened ??= import('./servers.ts').then(({ openServers }) => openServers(env, stack));
    return await opened;
  };
  const using =
    <S>(pick: (open: Servers) => Promise<E.Either<CliFault, S>>): Using<S> =>
    async (use) => {
      const open = await servers();
      if (E.isLeft(open)) return open;
      const service = await pick(open.right);
      return E.isLeft(service) ? service : E.mapLeft(cliFault)(await use(service.right));
    };
  const catalogueOf = async (open: Servers): Promise<E.Either<CliFault, DeliveryCommandContext>> => {
    const operator = operatorOf(env);
    if (E.isLeft(operator)) return operator;
    const wait = waitOf(env);
    if (E.isLeft(wait)) return wait;
    const db = await open.db();
    if (E.isLeft(db)) return db;
    const records = await open.records();
    if (E.isLeft(records)) return records;
    const read_model = catalogueReadModel(db.right);
    const log = openDeliveryLog(db.right, SYSTEM_CLOCK.now);
    const by = { actor: operator.right, clock: SYSTEM_CLOCK };
    return E.right({ records: records.right, read_model, log, ...by, ...wait.right });
  };
  return {
    ...remote,
    log: using((open) => open.log()),
    registry: using(async (open) => open.registry()),
    records: using((open) => open.records()),
    db: using((open) => open.db()),
    blobs: using((open) => open.blobs()),
    seals: using((open) => open.seals()),
    keyBlobs: using((open) => open.keyBlobs()),
    keptCopies: using((open) => open.keptCopies()),
    listing: using((open) => open.listing()),
    proofs: using((open) => open.proofs()),
    programs: () => openPrograms(env),
    renderTools: using(async (open) => {
      const db = await open.db();
      if (E.isLeft(db)) return db;
      const programs = await openPrograms(env);
      if (E.isLeft(programs)) return programs;
      const view = catalogueReadModel(db.right);
      return E.right({
        view,
        blobs: open.blobs,
        segments: open.segments,
        ...programs.right,
        cache_folder: assetCacheFolder(env),
      });
    }),
    view: using(async (open) => {
      const db = await open.db();
      return E.map(catalogueReadModel)(db);
    }),
    catalogue: using(catalogueOf),
    deliveries: using(catalogueOf),
    sealing: using(async (open) => {
      const seal = await open.seal();
      if (E.isLeft(seal)) return seal;
      const catalogue = await catalogueOf(open);
      return E.isLeft(catalogue) ? catalogue : E.right({ ...catalogue.right, seal: seal.right });
    }),
    addresses: using((open) => open.addresses()),
    certificate: using((open) => open.certificate()),
    stills: () => stillsAddress(env, stack),
    stack,
    close: async () => {
      const open = await opened;
      if (open !== null && E.isRight(open)) await open.right.close();
    },
  };
};
