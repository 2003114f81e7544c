import * as E from 'fp-ts/lib/Either.js';
import { type AddressCheck, createAddressCheck } from '../catalogue/endpoint-address.ts';
import type { BlobCaches } from '../engine/cache/blob-cache.ts';
import type { KeptCopies } from '../platform/blob-store/azure-kept-copies.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../platform/blob-store/evictable-blobs.ts';
import type { VersionedBlobs } from '../platform/blob-store/versioned-blobs.ts';
import {
  decodeConfiguration,
  type Environment,
  type Parts,
  type Values,
} from '../platform/configuration/configuration.ts';
import {
  BLOB_STORE,
  EVENT_LOG,
  OUTBOUND,
  PROOFS,
  READ_STORE,
  SCHEMA_REGISTRY,
  WEBHOOK_SEALING_KEY,
  WEBHOOK_SECRETS,
} from '../platform/configuration/parts.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { createLogger, type Logger } from '../platform/logging/logger.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { outboundRules } from '../platform/outbound/outbound-rules.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { createReadiness } from '../platform/process/readiness.ts';
import { openReadStore } from '../platform/read-store/mongodb-read-store.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { RegistrySettings } from '../platform/records/registry-api.ts';
import type { SealOpener } from '../platform/seals/opener.ts';
import { type SealSecret, secretSeal } from '../platform/secrets/sealed-secret.ts';
import type { CliFault } from './fault.ts';
import type { Proofs } from './notary/proofs.ts';
import { addressesOf, type StackFile, usesExternalServers } from './stack-file.ts';
import { type Certificate, localCertificate } from './webhooks/local-certificate.ts';

/**
 * Each server is opened at its first use and then reused. The libraries of the log and of Blob are imported then,
 * because they load slowly.
 */
export type Servers = {
  readonly log: () => Promise<E.Either<CliFault, EventLog>>;
  readonly registry: () => E.Either<CliFault, RegistrySettings>;
  readonly records: () => Promise<E.Either<CliFault, RecordLog>>;
  readonly db: () => Promise<E.Either<CliFault, ReadStore['db']>>;
  readonly blobs: () => Promise<E.Either<CliFault, BlobStore>>;
  /** Opens sealed texts of records. */
  readonly seals: () => Promise<E.Either<CliFault, SealOpener>>;
  readonly keyBlobs: () => Promise<E.Either<CliFault, VersionedBlobs>>;
  readonly keptCopies: () => Promise<E.Either<CliFault, KeptCopies>>;
  readonly listing: () => Promise<E.Either<CliFault, EvictableBlobs>>;
  readonly segments: () => Promise<E.Either<CliFault, BlobCaches>>;
  /** The function that encrypts the signing secrets of webhook endpoints; only the relay can decrypt them. */
  readonly seal: () => Promise<E.Either<CliFault, SealSecret>>;
  readonly addresses: () => Promise<E.Either<CliFault, AddressCheck>>;
  /** The certificate for a server on this machine, which the relay trusts. */
  readonly certificate: () => Promise<E.Either<CliFault, Certificate>>;
  readonly proofs: () => Promise<E.Either<CliFault, Proofs>>;
  readonly close: () => Promise<void>;
};

/** A compromise: a person waits for the command, but a server under load needs some seconds. */
const CONNECT_TIMEOUT_MS = 10_000;

const NAME = 'renderctl';

const present = (all: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

export const stackEnvironmentOf = (stack: StackFile): Readonly<Record<string, string>> => ({
  ...addressesOf(stack),
  ...present({
    WEBHOOK_PUBLIC_KEY: stack.webhook_public_key,
    WEBHOOK_SECRETS_KEY: stack.webhook_secrets_key,
    OUTBOUND_ALLOWED_RANGES: stack.outbound_allowed_ranges,
    OUTBOUND_ALLOWED_PORTS: stack.outbound_allowed_ports,
    OUTBOUND_CA_FILE: stack.outbound_ca_file,
  }),
});

const NO_CERTIFICATE: CliFault = {
  tag: 'refused',
  reason: 'no_certificate',
  message:
    'OUTBOUND_CA_FILE has no certificate for this machine next to it: webhooks can be forwarded only from a stack that "make start" runs on this machine',
};

const environmentOf = async (
  env: Environment,
  stack: () => Promise<E.Either<CliFault, StackFile>>,
): Promise<E.Either<CliFault, Environment>> => {
  const found = await stack();
  // If the environment has any address that "renderctl env" did not set, all addresses come from the environment.
  if (usesExternalServers(env, E.isRight(found) ? found.right : null)) return E.right(env);
  return E.isLeft(found) ? found : E.right({ ...env, ...stackEnvironmentOf(found.right) });
};

const decoded = <P extends Parts[string]>(env: Environment, part: P): E.Either<CliFault, Values<P>> => {
  const configuration = decodeConfiguration(env, { part });
  return E.isLeft(configuration)
    ? E.left({ tag: 'not_configured', faults: configuration.left })
    : E.right(configuration.right.part);
};

/** The host of an address for messages, because the other parts may be secret. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? 'its address';

/** Calls `open` at most once and reuses the result. A failure is not retried, because a command is short. */
const once = <A>(open: () => Promise<A>): (() => Promise<A>) => {
  let opened: Promise<A> | null = null;
  return () => {
    opened ??= open();
    return opened;
  };
};

type Opening = {
  readonly environment: Environment;
  readonly logger: Logger;
  /** Closes an opened server at the end of the command. */
  readonly closeAtEnd: (close: () => Promise<void>) => void;
};

const logServers = ({ environment, logger, closeAtEnd }: Opening): Pick<Servers, 'log' | 'registry' | 'records'> => {
  const log = once(async (): Promise<E.Either<CliFault, EventLog>> => {
    const kafka = decoded(environment, EVENT_LOG);
    if (E.isLeft(kafka)) return kafka;
    const { openEventLog } = await import('../platform/event-log/kafka-event-log.ts');
    const opened = openEventLog({
      settings: kafka.right,
      client_id: NAME,
      logger,
      metrics: createMetrics(NAME),
      readiness: createReadiness(),
      // renderctl has no subscriptions that could crash.
      on_crash: () => undefined,
    });
    closeAtEnd(opened.close);
    return (await opened.healthy(CONNECT_TIMEOUT_MS))
      ? E.right(opened)
      : E.left({ tag: 'unreachable', what: 'Kafka', address: kafka.right.brokers.join(',') });
  });

  const registry = (): E.Either<CliFault, RegistrySettings> => decoded(environment, SCHEMA_REGISTRY);

  const records = once(async (): Promise<E.Either<CliFault, RecordLog>> => {
    const settings = registry();
    if (E.isLeft(settings)) return settings;
    const opened = await log();
    if (E.isLeft(opened)) return opened;
    const { openRecordLog } = await import('../platform/records/avro-record-log.ts');
    const { url } = settings.right;
    try {
      // Opening checks the registry, for which one record type is enough.
      const appends = ['DeliveryRequested'] as const;
      const options = { settings: settings.right, log: opened.right, logger, timeout_ms: CONNECT_TIMEOUT_MS };
      return E.right(await openRecordLog({ ...options, appends }));
    } catch {
      return E.left({ tag: 'unreachable', what: 'the schema registry', address: url });
    }
  });

  return { log, registry, records };
};

const readStore = ({ environment, logger, closeAtEnd }: Opening): Servers['db'] =>
  once(async (): Promise<E.Either<CliFault, ReadStore['db']>> => {
    const settings = decoded(environment, READ_STORE);
    if (E.isLeft(settings)) return settings;
    try {
      const store = await openReadStore({
        settings: settings.right,
        app_name: NAME,
        logger,
        open_timeout_ms: CONNECT_TIMEOUT_MS,
      });
      closeAtEnd(store.close);
      return E.right(store.db);
    } catch {
      return E.left({ tag: 'unreachable', what: 'MongoDB', address: hostOf(settings.right.url) });
    }
  });

const blobServers = ({
  environment,
  logger,
}: Opening): Pick<Servers, 'blobs' | 'seals' | 'keyBlobs' | 'keptCopies' | 'listing' | 'segments'> => {
  const blobs = once(async (): Promise<E.Either<CliFault, BlobStore>> => {
    const settings = decoded(environment, BLOB_STORE);
    if (E.isLeft(settings)) return settings;
    const { openBlobStore } = await import('../platform/blob-store/azure-blob-store.ts');
    return E.right(openBlobStore(settings.right));
  });

  const keyBlobs = once(async (): Promise<E.Either<CliFault, VersionedBlobs>> => {
    const settings = decoded(environment, BLOB_STORE);
    if (E.isLeft(settings)) return settings;
    const { openKeyBlobs } = await import('../platform/seals/open-key-blobs.ts');
    return E.right(openKeyBlobs(settings.right));
  });

  const keptCopies = async (): Promise<E.Either<CliFault, KeptCopies>> => {
    const settings = decoded(environment, BLOB_STORE);
    if (E.isLeft(settings)) return settings;
    const { readKeptCopies } = await import('../platform/blob-store/azure-kept-copies.ts');
    return E.right(await readKeptCopies(settings.right));
  };

  const seals = once(async (): Promise<E.Either<CliFault, SealOpener>> => {
    const key_blobs = await keyBlobs();
    if (E.isLeft(key_blobs)) return key_blobs;
    const { createSealOpener } = await import('../platform/seals/opener.ts');
    return E.right(createSealOpener(key_blobs.right, SYSTEM_CLOCK));
  });

  const listing = once(async (): Promise<E.Either<CliFault, EvictableBlobs>> => {
    const settings = decoded(environment, BLOB_STORE);
    if (E.isLeft(settings)) return settings;
    const { openEvictableBlobs } = await import('../platform/blob-store/azure-evictable-blobs.ts');
    return E.right(openEvictableBlobs(settings.right));
  });

  const segments = once(async (): Promise<E.Either<CliFault, BlobCaches>> => {
    const evictable = await listing();
    if (E.isLeft(evictable)) return evictable;
    const { openBlobCaches } = await import('../engine/cache/blob-cache.ts');
    return E.right(openBlobCaches(evictable.right, logger));
  });

  return { blobs, seals, keyBlobs, keptCopies, listing, segments };
};

/** Parts of webhook commands that need no server. */
const webhookParts = ({ environment }: Opening): Pick<Servers, 'seal' | 'addresses' | 'certificate'> => {
  const seal = once(async (): Promise<E.Either<CliFault, SealSecret>> => {
    const sealing = decoded(environment, WEBHOOK_SEALING_KEY);
    if (E.isLeft(sealing)) return sealing;
    const before = decoded(environment, WEBHOOK_SECRETS);
    if (E.isLeft(before)) return before;
    const found = secretSeal({ ...sealing.right, secrets_key: before.right.key });
    return E.mapLeft((fault: string): CliFault => ({ tag: 'not_configured', faults: [fault] }))(found);
  });

  const addresses = once(async (): Promise<E.Either<CliFault, AddressCheck>> => {
    const settings = decoded(environment, OUTBOUND);
    if (E.isLeft(settings)) return settings;
    const rules = outboundRules(settings.right);
    return E.isLeft(rules)
      ? E.left({ tag: 'not_configured', faults: [rules.left] })
      : E.right(createAddressCheck(rules.right));
  });

  const certificate = once(async (): Promise<E.Either<CliFault, Certificate>> => {
    const settings = decoded(environment, OUTBOUND);
    if (E.isLeft(settings)) return settings;
    const found = await localCertificate(settings.right.ca_file);
    return found === null ? E.left(NO_CERTIFICATE) : E.right(found);
  });

  return { seal, addresses, certificate };
};

const storedProofs = ({ environment }: Opening, log: Servers['log']): Servers['proofs'] =>
  once(async (): Promise<E.Either<CliFault, Proofs>> => {
    const settings = decodeConfiguration(environment, { proofs: PROOFS, blob_store: BLOB_STORE, event_log: EVENT_LOG });
    if (E.isLeft(settings)) return E.left({ tag: 'not_configured', faults: settings.left });
    const opened = await log();
    if (E.isLeft(opened)) return opened;
    const { openProofs } = await import('./notary/open-proofs.ts');
    return E.right(await openProofs(settings.right, opened.right));
  });

export const openServers = async (
  env: Environment,
  stack: () => Promise<E.Either<CliFault, StackFile>>,
): Promise<E.Either<CliFault, Servers>> => {
  const found = await environmentOf(env, stack);
  if (E.isLeft(found)) return found;
  const closings: (() => Promise<void>)[] = [];
  const opening: Opening = {
    environment: found.right,
    logger: createLogger(NAME, 'silent'),
    closeAtEnd: (close) => void closings.push(close),
  };
  const log_servers = logServers(opening);
  return E.right({
    ...log_servers,
    ...blobServers(opening),
    ...webhookParts(opening),
    db: readStore(opening),
    proofs: storedProofs(opening, log_servers.log),
    close: async () => {
      await Promise.all(closings.map((close) => close()));
    },
  });
};
