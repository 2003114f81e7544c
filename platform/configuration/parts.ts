import { tmpdir } from 'node:os';
import { FOLD_VERSION } from '../../domain/render/fold.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../domain/uploads/limits.ts';
import {
  blobConnectionString,
  blobContainerName,
  brokers,
  databaseName,
  flag,
  httpUrl,
  integerBetween,
  mongodbUrl,
  names,
  oneOf,
  originName,
  origins,
  ports,
  privateKeys,
  publicKey,
  scopes,
  secretText,
  secureOrigin,
  secureUrl,
  signingKey,
  text,
  topicPrefix,
  verifierKeys,
  witnesses,
} from './forms.ts';
import { optional, required, type Variable, withDefault } from './variable.ts';

export type Part = {
  readonly title: string;
  readonly variables: Readonly<Record<string, Variable<unknown>>>;
};

export const PUBLIC_SERVER = {
  title: 'Interface (gateway, command API, query API, management API and stills service)',
  variables: {
    host: withDefault(
      { name: 'HOST', description: 'Address that the interface listens on.', example: '0.0.0.0' },
      text,
      '127.0.0.1',
    ),
    port: withDefault(
      {
        name: 'PORT',
        description: 'Port that the interface listens on. 0 takes a free port and logs it.',
        example: '8080',
      },
      integerBetween(0, 65_535),
      0,
    ),
  },
} satisfies Part;

export const HEALTH_AND_LOGS = {
  title: 'Health, metrics and log of every component',
  variables: {
    health_host: withDefault(
      {
        name: 'HEALTH_HOST',
        description: 'Address that serves `/health/live`, `/health/ready` and `/metrics`. Never use a public address.',
        example: '10.1.0.7',
      },
      text,
      '127.0.0.1',
    ),
    health_port: withDefault(
      {
        name: 'HEALTH_PORT',
        description: 'Port that serves them. It must differ from PORT. 0 takes a free port and logs it.',
        example: '8081',
      },
      integerBetween(0, 65_535),
      0,
    ),
    log_level: withDefault(
      { name: 'LOG_LEVEL', description: 'Lowest level of messages to log.', example: 'debug' },
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'info',
    ),
  },
} satisfies Part;

export const EVENT_LOG = {
  title: 'Event log (Kafka)',
  variables: {
    brokers: required(
      { name: 'KAFKA_BROKERS', description: 'Bootstrap brokers.', example: 'kafka-1:9092,kafka-2:9092' },
      brokers,
    ),
    tls: withDefault(
      { name: 'KAFKA_TLS', description: '1 to connect to the brokers with TLS.', example: '1' },
      flag,
      false,
      '0',
    ),
    sasl_mechanism: withDefault(
      { name: 'KAFKA_SASL_MECHANISM', description: 'SASL mechanism, used if KAFKA_USERNAME is set.', example: 'plain' },
      oneOf('plain', 'scram-sha-256', 'scram-sha-512'),
      'scram-sha-512',
    ),
    username: optional({ name: 'KAFKA_USERNAME', description: 'SASL user name.', example: 'rendering' }, text),
    password: withDefault(
      { name: 'KAFKA_PASSWORD', description: 'SASL password.', example: '…', secret: true },
      text,
      '',
      'empty',
    ),
    topic_prefix: withDefault(
      {
        name: 'KAFKA_TOPIC_PREFIX',
        description:
          'Prefix of all topics and consumer groups, for services that share a cluster. You cannot change it once they exist.',
        example: 'rendering.',
      },
      topicPrefix,
      '',
      'empty',
    ),
  },
} satisfies Part;

export const SCHEMA_REGISTRY = {
  title: 'Schema registry',
  variables: {
    url: required(
      {
        name: 'SCHEMA_REGISTRY_URL',
        description: 'Base URL of a registry with the API of the Confluent Schema Registry.',
        example: 'http://127.0.0.1:8080/apis/ccompat/v7',
      },
      httpUrl,
    ),
    username: optional(
      {
        name: 'SCHEMA_REGISTRY_USERNAME',
        description: 'User name or API key for basic authentication.',
        example: 'rendering',
      },
      text,
    ),
    password: withDefault(
      {
        name: 'SCHEMA_REGISTRY_PASSWORD',
        description: 'Password for basic authentication.',
        example: '…',
        secret: true,
      },
      text,
      '',
      'empty',
    ),
  },
} satisfies Part;

export const READ_STORE = {
  title: 'Read models (MongoDB)',
  variables: {
    url: required(
      {
        name: 'MONGODB_URL',
        description: 'MongoDB server. It must be a replica set; one node is enough.',
        example: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
        secret: true,
      },
      mongodbUrl,
    ),
    database: withDefault(
      { name: 'MONGODB_DATABASE', description: 'Database of the read models.', example: 'rendering' },
      databaseName,
      'rendering',
    ),
  },
} satisfies Part;

export const BLOB_STORE = {
  title: 'Blob store (Azure Blob)',
  variables: {
    connection_string: required(
      {
        name: 'AZURE_STORAGE_CONNECTION_STRING',
        description:
          'Storage account with its shared key. (A later release adds Entra credentials and user delegation keys.)',
        example: 'DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…;EndpointSuffix=core.windows.net',
        secret: true,
      },
      blobConnectionString,
    ),
    container: withDefault(
      { name: 'BLOB_CONTAINER', description: 'Private container for all blobs except the proofs.', example: 'renders' },
      blobContainerName,
      'renders',
    ),
    public_url: optional(
      {
        name: 'BLOB_PUBLIC_URL',
        description:
          "Base of signed URLs instead of the account's blob endpoint, for example a CDN in front of it. If it starts with https, signed URLs work only over https, so the CDN must also reach the store over https.",
        example: 'https://media.example.com',
      },
      httpUrl,
    ),
    signed_url_lifetime_s: withDefault(
      { name: 'SIGNED_URL_LIFETIME_S', description: 'How long a signed URL is valid, in seconds.', example: '3600' },
      integerBetween(60, 604_800),
      86_400,
    ),
  },
} satisfies Part;

export const RENDERS = {
  title: 'Renders (command API and management API)',
  variables: {
    type: withDefault(
      {
        name: 'RENDER_TYPE',
        description: '`type` of the renders requested here: `local` in an embedded stack, otherwise `cloud`.',
        example: 'local',
      },
      oneOf('cloud', 'local'),
      'cloud',
    ),
    fold_version: withDefault(
      {
        name: 'RENDER_FOLD_VERSION',
        description:
          'Fold version of new renders. During an upgrade, set the newest version that every process knows: `3` if the old version does not seal free text, `2` if it keeps names of renders in the log, `1` if it cannot cancel renders. Old processes wait at renders of newer versions, and show renders of version 3 without a name.',
        example: '3',
      },
      integerBetween(1, FOLD_VERSION),
      FOLD_VERSION,
    ),
  },
} satisfies Part;

export const IDEMPOTENCY = {
  title: 'Idempotency (command API)',
  variables: {
    secret: required(
      {
        name: 'IDEMPOTENCY_SECRET',
        description:
          'Derives render ids from Idempotency-Keys. Set the same value for every command API and never change it: with another value, a repeated request creates a new render.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const CURSORS = {
  title: 'Lists (query API and management API)',
  variables: {
    secret: required(
      {
        name: 'CURSOR_SECRET',
        description:
          'Signs list cursors. Set the same value for every query API and management API. If you change it, existing cursors stop working.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const RATE_LIMITS = {
  title: 'Rate limits (command API, query API and management API; shared by all processes of each)',
  variables: {
    per_s: withDefault(
      {
        name: 'RATE_LIMIT_PER_S',
        description: 'Sustained requests per second of one API key or session.',
        example: '200',
      },
      integerBetween(1, 1_000_000),
      50,
    ),
    burst: withDefault(
      {
        name: 'RATE_LIMIT_BURST',
        description: 'Requests that one API key or session can make at once.',
        example: '400',
      },
      integerBetween(1, 1_000_000),
      100,
    ),
  },
} satisfies Part;

export const FAILED_WORK = {
  title: 'Work of failed renders (command API, management API and preparer)',
  variables: {
    cpu_s_per_hour: withDefault(
      {
        name: 'FAILED_WORK_CPU_S_PER_HOUR',
        description:
          'CPU seconds that failed renders of one account can use in one clock hour. Above it, the service accepts and prepares no renders of the account until the hour ends.',
        example: '600',
      },
      integerBetween(1, 1_000_000_000),
      1_800,
    ),
    bytes_per_hour: withDefault(
      {
        name: 'FAILED_WORK_BYTES_PER_HOUR',
        description: 'The same limit for bytes fetched from outside for renders that then failed.',
        example: '5368709120',
      },
      integerBetween(1, 999_999_999_999_999),
      21_474_836_480,
      '21474836480 (20 GiB)',
    ),
  },
} satisfies Part;

export const UPLOADS = {
  title: 'Uploads (command API, management API and query API)',
  variables: {
    in_progress: withDefault(
      {
        name: 'UPLOADS_IN_PROGRESS_PER_ACCOUNT',
        description: 'Uploads of one account that can be in progress at the same time, neither ready nor refused.',
        example: '500',
      },
      integerBetween(1, 100_000),
      DEFAULT_UPLOAD_LIMITS.in_progress,
    ),
    bytes_in_progress: withDefault(
      {
        name: 'UPLOAD_BYTES_IN_PROGRESS_PER_ACCOUNT',
        description: 'Bytes of these uploads together.',
        example: '107374182400',
      },
      integerBetween(1, 999_999_999_999_999),
      DEFAULT_UPLOAD_LIMITS.bytes_in_progress,
      '21474836480 (20 GiB)',
    ),
    uploads: withDefault(
      {
        name: 'UPLOADS_PER_ACCOUNT',
        description: 'All stored uploads of one account. They expire 7 days after their last use.',
        example: '10000',
      },
      integerBetween(1, 100_000),
      DEFAULT_UPLOAD_LIMITS.uploads,
    ),
    bytes: withDefault(
      {
        name: 'UPLOAD_BYTES_PER_ACCOUNT',
        description: 'Bytes of all stored uploads of one account and of the files of its projects together.',
        example: '1099511627776',
      },
      integerBetween(1, 999_999_999_999_999),
      DEFAULT_UPLOAD_LIMITS.bytes,
      '107374182400 (100 GiB)',
    ),
  },
} satisfies Part;

export const WAITING_RENDERS = {
  title: 'Renders in progress (command API, management API and query API)',
  variables: {
    per_account: withDefault(
      {
        name: 'WAITING_RENDERS_PER_ACCOUNT',
        description: 'Renders of one account that can be in progress at the same time, neither complete nor failed.',
        example: '50000',
      },
      integerBetween(1, 1_000_000),
      20_000,
    ),
  },
} satisfies Part;

export const CREDITS = {
  title: 'Credits (command API and management API)',
  variables: {
    ledger_lag_s: withDefault(
      {
        name: 'CREDIT_LEDGER_LAG_S',
        description:
          "Maximum lag of the ledger in the render's partition, in seconds. Above it, accounts with limited credits get 503.",
        example: '120',
      },
      integerBetween(1, 86_400),
      60,
    ),
  },
} satisfies Part;

export const CORS = {
  title: 'CORS (command API, query API and gateway)',
  variables: {
    origins: optional(
      {
        name: 'CORS_ORIGINS',
        description: 'Web origins whose pages can call the service. Without it, no page can.',
        example: 'https://app.example.com',
      },
      origins,
    ),
  },
} satisfies Part;

export const DEPLOYMENT = {
  title: 'Deploy step (topics, schemas and the blob container)',
  variables: {
    blob_cors_origins: optional(
      {
        name: 'BLOB_CORS_ORIGINS',
        description:
          'Web origins whose pages can upload files and save videos as a ZIP, such as that of the dashboard. The deploy step adds a CORS rule for them to the storage account, and keeps its other rules. Without it, the deploy step does not touch the rules ([Uploads](uploads.md#for-operators)).',
        example: 'https://video.example.com',
      },
      origins,
    ),
    render_partitions: optional(
      {
        name: 'RENDER_PARTITIONS',
        description:
          'Partitions of the topics that are keyed by render. You cannot change it once they exist: the deploy step refuses another count.',
        example: '16',
      },
      integerBetween(1, 1024),
      'the count of the existing log',
    ),
    new_log_partitions: withDefault(
      {
        name: 'NEW_LOG_PARTITIONS',
        description: 'The same for a new log, if RENDER_PARTITIONS is not set.',
        example: '16',
      },
      integerBetween(1, 1024),
      64,
      '64; 4 in an embedded stack',
    ),
    replication_factor: withDefault(
      { name: 'REPLICATION_FACTOR', description: 'Replicas of each partition.', example: '1' },
      integerBetween(1, 32),
      3,
    ),
    min_insync_replicas: withDefault(
      {
        name: 'MIN_INSYNC_REPLICAS',
        description: 'Replicas that must have a record before Kafka acknowledges an append.',
        example: '1',
      },
      integerBetween(1, 32),
      2,
    ),
  },
} satisfies Part;

export const SANDBOX = {
  title: 'Sandbox (preparer, worker and renderctl)',
  variables: {
    wanted: withDefault(
      {
        name: 'SANDBOX',
        description:
          'Isolation of media decoders. `required` does not start without isolation. `preferred` takes the strongest mode that the machine supports and logs it. `off` sets resource limits only.',
        example: 'required',
      },
      oneOf('required', 'preferred', 'off'),
      'preferred',
    ),
    mode: optional(
      {
        name: 'SANDBOX_MODE',
        description:
          'Forces one isolation mode instead of the strongest one that works: `namespaces` (bubblewrap) or `filtered` (limits, another user, a system-call filter).',
        example: 'filtered',
      },
      oneOf('namespaces', 'filtered'),
    ),
    readable: optional(
      {
        name: 'SANDBOX_READABLE',
        description: 'Additional folders that decoders can read, for example for an ffmpeg with its own libraries.',
        example: '/opt/ffmpeg',
      },
      names,
    ),
  },
} satisfies Part;

export const ENGINE = {
  title: 'Rendering engine',
  variables: {
    ffmpeg: withDefault(
      { name: 'FFMPEG_PATH', description: 'The ffmpeg program.', example: '/usr/bin/ffmpeg' },
      text,
      'ffmpeg',
      'ffmpeg, from the PATH',
    ),
    ffprobe: withDefault(
      { name: 'FFPROBE_PATH', description: 'The ffprobe program.', example: '/usr/bin/ffprobe' },
      text,
      'ffprobe',
      'ffprobe, from the PATH',
    ),
    work_dir: withDefault(
      { name: 'WORK_DIR', description: 'Folder for temporary files of renders.', example: '/var/tmp/renders' },
      text,
      tmpdir(),
      "the system's folder for temporary files",
    ),
  },
} satisfies Part;

export const WORKER = {
  title: 'Worker',
  variables: {
    slots: withDefault(
      { name: 'WORKER_SLOTS', description: 'Renders that one worker runs at the same time.', example: '2' },
      integerBetween(1, 64),
      1,
    ),
    name: optional(
      {
        name: 'WORKER_NAME',
        description:
          'Name of the machine. Crashes of all workers with the same name count as crashes of one machine; worker ids contain 8 digits of its hash. The default is the host name. In a container whose host name changes at each start, set the name of the node.',
        example: 'node-7',
      },
      text,
    ),
    free_bytes: withDefault(
      {
        name: 'WORKER_FREE_BYTES',
        description: 'Minimum free space in WORK_DIR, in bytes. Below it, a worker accepts no renders.',
        example: '10737418240',
      },
      integerBetween(1, 999_999_999_999_999),
      536_870_912,
      '536870912 (512 MiB)',
    ),
    drain_s: withDefault(
      {
        name: 'WORKER_DRAIN_S',
        description:
          'How long a worker continues its renders after SIGTERM before it gives them back, in seconds. It then exits within 15 s, so set the kill timeout of your supervisor higher.',
        example: '600',
      },
      integerBetween(0, 3600),
      20,
    ),
    transfer_s: withDefault(
      {
        name: 'WORKER_TRANSFER_S',
        description:
          'How long a render can take to download its media, and again to upload its outputs, in seconds. After it, the attempt is lost and the render starts again. Raise it for slow links and very large files. A stalled transfer restarts after half a minute.',
        example: '7200',
      },
      integerBetween(10, 86_400),
      1_800,
    ),
  },
} satisfies Part;

export const PREPARER = {
  title: 'Preparer',
  variables: {
    disk_bytes: withDefault(
      {
        name: 'PREPARER_DISK_BYTES',
        description:
          'Disk space of one preparer in WORK_DIR, in bytes. A quarter, at most 2 GiB, is for copies of projects. The rest is for renders in preparation, which wait until there is room.',
        example: '34359738368',
      },
      integerBetween(268_435_456, 999_999_999_999_999),
      8_589_934_592,
      '8589934592 (8 GiB)',
    ),
  },
} satisfies Part;

export const STILLS = {
  title: 'Stills (stills service)',
  variables: {
    secret: optional(
      {
        name: 'STILLS_SECRET',
        description:
          'Authenticates requests for stills. Set the same value for the stills service, the command API, the management API and renderctl. Without it, the service refuses every request.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const STILLS_ADDRESS = {
  title: 'Address of the stills service (command API and management API)',
  variables: {
    url: optional(
      {
        name: 'STILLS_URL',
        description:
          'Stills service that draws the stills of clients. Requires STILLS_SECRET. Without it, requests for stills get 503.',
        example: 'http://127.0.0.1:8084',
      },
      httpUrl,
    ),
  },
} satisfies Part;

export const SEGMENT_CACHE = {
  title: 'Local cache of encoded parts (worker)',
  variables: {
    local_bytes: withDefault(
      {
        name: 'SEGMENT_CACHE_LOCAL_BYTES',
        description: 'Size of the local cache of encoded parts in WORK_DIR, for one worker, in bytes. 0 turns it off.',
        example: '0',
      },
      integerBetween(0, 999_999_999_999_999),
      2_147_483_648,
      '2147483648 (2 GiB)',
    ),
  },
} satisfies Part;

export const RETENTION = {
  title: 'Retention',
  variables: {
    leftovers_hours: withDefault(
      {
        name: 'RETENTION_LEFTOVERS_HOURS',
        description:
          'How long unreferenced blobs are kept, in hours: blobs of requests that were never accepted, of repeated work and of lost attempts.',
        example: '72',
      },
      integerBetween(1, 8_760),
      24,
    ),
    sources_days: withDefault(
      {
        name: 'RETENTION_SOURCES_DAYS',
        description:
          'How long the final composition and the fetched media of a render are kept after its end, in days.',
        example: '7',
      },
      integerBetween(1, 36_500),
      30,
    ),
    max_share_percent: withDefault(
      {
        name: 'RETENTION_MAX_SHARE_PERCENT',
        description:
          "Largest share of an account's completed renders whose outputs can be deleted at once, in percent. Above it, none is deleted until an operator approves it (`renderctl retention approve`).",
        example: '20',
      },
      integerBetween(1, 100),
      50,
    ),
    share_min_renders: withDefault(
      {
        name: 'RETENTION_SHARE_MIN_RENDERS',
        description: 'Outputs of up to this many renders of one account are deleted at once, whatever their share.',
        example: '20',
      },
      integerBetween(0, 1_000_000),
      100,
    ),
    segment_days: withDefault(
      {
        name: 'SEGMENT_CACHE_DAYS',
        description: 'How long an encoded part is kept in the blob store, in days.',
        example: '7',
      },
      integerBetween(1, 3_650),
      30,
    ),
    segment_bytes_per_account: withDefault(
      {
        name: 'SEGMENT_CACHE_BYTES_PER_ACCOUNT',
        description:
          'Encoded parts of one account in the blob store, in bytes. Above it, the oldest parts are evicted.',
        example: '107374182400',
      },
      integerBetween(0, 999_999_999_999_999),
      10_737_418_240,
      '10737418240 (10 GiB)',
    ),
  },
} satisfies Part;

export const DISPATCHER = {
  title: 'Dispatcher',
  variables: {
    account_cap: withDefault(
      {
        name: 'DISPATCH_ACCOUNT_CAP',
        description: 'Renders of one account that can run at the same time.',
        example: '10',
      },
      integerBetween(1, 10_000),
      50,
    ),
  },
} satisfies Part;

export const ENVIRONMENT = {
  title: 'Environment of renders (preparer, dispatcher)',
  variables: {
    timeout_s: withDefault(
      {
        name: 'ENVIRONMENT_TIMEOUT_S',
        description:
          'How long a render waits for its environment (disks, the blob store, workers that can read its composition), in seconds. After it, the render fails as `environment` and costs no credits.',
        example: '172800',
      },
      integerBetween(1, 2_592_000),
      86_400,
    ),
  },
} satisfies Part;

export const WEBHOOK_OPENING_KEYS = {
  title: 'Webhook secrets: decryption (webhook relay)',
  variables: {
    private_keys: withDefault(
      {
        name: 'WEBHOOK_PRIVATE_KEYS',
        description:
          'Decrypt the signing secrets of webhook endpoints, which the log holds encrypted. A secret needs the key that it was sealed to, so keep a key as long as an endpoint uses such a secret. Required if WEBHOOK_SECRETS_KEY is not set.',
        example: 'MC4CAQAwBQYDK2VuBCIEI…',
        secret: true,
      },
      privateKeys,
      [],
      'none',
    ),
  },
} satisfies Part;

export const WEBHOOK_SEALING_KEY = {
  title: 'Webhook secrets: encryption (renderctl and management API)',
  variables: {
    public_key: optional(
      {
        name: 'WEBHOOK_PUBLIC_KEY',
        description:
          'Encrypts signing secrets of webhook endpoints: the public half of one of WEBHOOK_PRIVATE_KEYS. It cannot decrypt. Without it, WEBHOOK_SECRETS_KEY encrypts them.',
        example: 'MCowBQYDK2VuAyEA…',
        quoted: false,
      },
      publicKey,
    ),
  },
} satisfies Part;

export const WEBHOOK_SECRETS = {
  title: 'Webhook secrets: first format (webhook relay; renderctl without a public key)',
  variables: {
    key: optional(
      {
        name: 'WEBHOOK_SECRETS_KEY',
        description:
          'Decrypts secrets of webhook endpoints in the first format, and encrypts them if WEBHOOK_PUBLIC_KEY is not set. Never change it: another key cannot decrypt existing secrets. A new deployment does not need it.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const OUTBOUND = {
  title:
    'Outbound requests (webhook relay; preparer and stills, for media; renderctl and management API, when an endpoint is created)',
  variables: {
    allowed_ranges: withDefault(
      {
        name: 'OUTBOUND_ALLOWED_RANGES',
        description:
          'Private addresses that the service can call: range names like loopback or private, or blocks like 10.1.0.0/16, separated by commas.',
        example: 'loopback,10.1.0.0/16',
      },
      names,
      [],
      'none: public addresses only',
    ),
    allowed_ports: withDefault(
      {
        name: 'OUTBOUND_ALLOWED_PORTS',
        description: 'Ports that the service can call, separated by commas; `any` for all.',
        example: '443,8443,9443',
      },
      ports,
      [443, 8443],
      '443,8443',
    ),
    ca_file: optional(
      {
        name: 'OUTBOUND_CA_FILE',
        description: 'File with additional trusted CA certificates (PEM).',
        example: '/etc/ssl/own-ca.pem',
      },
      text,
    ),
    dns_servers: optional(
      {
        name: 'OUTBOUND_DNS_SERVERS',
        description: "DNS servers to use instead of the system's. Add the port if it is not 53.",
        example: '10.0.0.2,10.0.0.3:5353',
      },
      names,
    ),
  },
} satisfies Part;

export const WEBHOOKS = {
  title: 'Webhook relay',
  variables: {
    retry_first_ms: withDefault(
      {
        name: 'WEBHOOK_RETRY_FIRST_MS',
        description: 'Delay after the first failed attempt of a delivery, in milliseconds.',
        example: '500',
      },
      integerBetween(1, 600_000),
      1_000,
    ),
    retry_factor: withDefault(
      {
        name: 'WEBHOOK_RETRY_FACTOR',
        description: 'Backoff factor of each further delay. A delivery has five attempts.',
        example: '4',
      },
      integerBetween(1, 20),
      5,
    ),
    attempt_timeout_ms: withDefault(
      {
        name: 'WEBHOOK_ATTEMPT_TIMEOUT_MS',
        description: 'Timeout of one attempt, in milliseconds. It covers DNS, connection, TLS and the whole response.',
        example: '10000',
      },
      integerBetween(100, 15_000),
      15_000,
    ),
    attempts_at_once: withDefault(
      {
        name: 'WEBHOOK_ATTEMPTS_AT_ONCE',
        description: 'Concurrent attempts of one relay.',
        example: '512',
      },
      integerBetween(2, 4_096),
      256,
    ),
    attempts_per_endpoint: withDefault(
      {
        name: 'WEBHOOK_ATTEMPTS_PER_ENDPOINT',
        description: 'Concurrent attempts of one relay at one endpoint.',
        example: '16',
      },
      integerBetween(1, 256),
      8,
    ),
    disable_after_s: withDefault(
      {
        name: 'WEBHOOK_DISABLE_AFTER_S',
        description:
          'An endpoint is disabled after this time without a successful delivery, in seconds, if at least 20 of its deliveries were exhausted.',
        example: '86400',
      },
      integerBetween(1, 31_536_000),
      259_200,
      '259200 (three days)',
    ),
  },
} satisfies Part;

export const PROOFS = {
  title: 'Proofs (notary and renderctl)',
  variables: {
    origin: withDefault(
      {
        name: 'NOTARY_ORIGIN',
        description:
          'First part of the name of the log of heads and of its signing key: `<this>/<id of the Kafka cluster>/<number of partitions>`. Use a globally unique name, like a domain and a path. Another name starts another log.',
        example: 'video.example.com/rendering',
      },
      originName,
      'rendering',
    ),
    container: optional(
      {
        name: 'PROOFS_CONTAINER',
        description: 'Container of the proofs, which you can share with outsiders. It holds nothing else.',
        example: 'renders-proofs',
      },
      blobContainerName,
      'BLOB_CONTAINER plus `-proofs`',
    ),
  },
} satisfies Part;

export const NOTARY = {
  title: 'Notary',
  variables: {
    key: required(
      {
        name: 'NOTARY_KEY',
        description:
          'Signs the checkpoints of the log of heads. Only the notary has it. Read [Operations](operations.md#a-new-key-of-the-notary) before you replace it.',
        example: 'MC4C…',
        secret: true,
      },
      signingKey,
    ),
    former_keys: withDefault(
      {
        name: 'NOTARY_FORMER_KEYS',
        description:
          'Verifier keys of earlier signing keys, as `renderctl notary key` prints them. The notary still lists them. [A new key](operations.md#a-new-key-of-the-notary) says when to set it.',
        example: 'rendering/4L6g3nShT-eMCtK--X86sw/64+1f3c5a7b+AW…',
      },
      verifierKeys,
      [],
      'none',
    ),
    interval_s: withDefault(
      {
        name: 'NOTARY_INTERVAL_S',
        description: 'How often the notary signs new records, in seconds.',
        example: '600',
      },
      integerBetween(1, 86_400),
      60,
    ),
    witnesses: withDefault(
      {
        name: 'NOTARY_WITNESSES',
        description:
          'Witnesses to cosign each checkpoint: for each, its cosigning key, a space and its URL. The notary continues without a witness that does not answer.',
        example: 'witness.example+5a6b7c8d+BF… https://witness.example/api',
      },
      witnesses,
      [],
      'none',
    ),
  },
} satisfies Part;

export const SIGN_IN = {
  title: 'Signing in with OpenID Connect (management API)',
  variables: {
    issuer: optional(
      {
        name: 'OIDC_ISSUER_URL',
        description:
          'OpenID Connect provider for sign-in: the issuer exactly as in its discovery document. Without it, sign-in is off and `/manage/v1` answers 404.',
        example: 'https://id.example.com/realms/video',
      },
      secureUrl,
    ),
    client_id: optional(
      { name: 'OIDC_CLIENT_ID', description: 'Client id of the service at the provider.', example: 'video-rendering' },
      text,
      'none; required with OIDC_ISSUER_URL',
    ),
    client_secret: optional(
      {
        name: 'OIDC_CLIENT_SECRET',
        description: 'Client secret, if the client is confidential.',
        example: '…',
        secret: true,
      },
      text,
      'none: a public client, protected by PKCE',
    ),
    scope: withDefault(
      {
        name: 'OIDC_SCOPE',
        description:
          'Scopes to request: `openid`, those that the operator claim needs, and `profile email` for the names and addresses of people.',
        example: 'openid profile email groups',
      },
      scopes,
      'openid profile email',
    ),
    operator_claim: optional(
      {
        name: 'OIDC_OPERATOR_CLAIM',
        description: 'ID token claim that marks operators of the service.',
        example: 'groups',
      },
      text,
      'none: there are no operators',
    ),
    operator_value: optional(
      {
        name: 'OIDC_OPERATOR_VALUE',
        description: 'Value that the claim of an operator has, or contains.',
        example: 'video-operators',
      },
      text,
      'none; required with OIDC_OPERATOR_CLAIM',
    ),
    public_url: optional(
      {
        name: 'PUBLIC_URL',
        description:
          'Public origin of the service: its gateway, or the proxy in front of it. The provider redirects to `/manage/v1/sign-in/callback` there.',
        example: 'https://video.example.com',
      },
      secureOrigin,
      'none; required with OIDC_ISSUER_URL',
    ),
    identity_secret: optional(
      {
        name: 'IDENTITY_SECRET',
        description:
          'Keys the hashes that identify people in the log. Never change it: with another value, the service no longer recognizes any user.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
      'none; required with OIDC_ISSUER_URL',
    ),
  },
} satisfies Part;

export const SESSIONS = {
  title: 'Sessions (management API)',
  variables: {
    idle_s: withDefault(
      {
        name: 'SESSION_IDLE_S',
        description: 'A session ends after this time without a request, in seconds.',
        example: '1800',
      },
      integerBetween(60, 2_592_000),
      43_200,
      '43200 (12 hours)',
    ),
    lifetime_s: withDefault(
      {
        name: 'SESSION_LIFETIME_S',
        description: 'A session ends this long after it started, in seconds.',
        example: '86400',
      },
      integerBetween(300, 7_776_000),
      604_800,
      '604800 (7 days)',
    ),
    fresh_s: withDefault(
      {
        name: 'SESSION_FRESH_S',
        description:
          'How recent a sign-in must be to create or change secrets, to change roles, or to erase, in seconds.',
        example: '300',
      },
      integerBetween(60, 86_400),
      900,
    ),
  },
} satisfies Part;

export const GATEWAY = {
  title: 'Gateway',
  variables: {
    command_api_url: required(
      { name: 'COMMAND_API_URL', description: 'Upstream for write requests.', example: 'http://127.0.0.1:8081' },
      httpUrl,
    ),
    query_api_url: required(
      { name: 'QUERY_API_URL', description: 'Upstream for read requests.', example: 'http://127.0.0.1:8082' },
      httpUrl,
    ),
    management_api_url: optional(
      {
        name: 'MANAGEMENT_API_URL',
        description: 'Upstream for requests of signed-in people (`/manage/v1`).',
        example: 'http://127.0.0.1:8083',
      },
      httpUrl,
      'none: `/manage/v1` answers 404',
    ),
    people_origin: optional(
      {
        name: 'GATEWAY_PEOPLE_ORIGIN',
        description:
          'The only origin that serves people, as in PUBLIC_URL of the management API. Pages under another host name redirect to it, and `/manage/v1` is refused there. Do not set it if a proxy in front changes the Host header.',
        example: 'http://video.localhost:8080',
      },
      secureOrigin,
      'none: every host name serves people',
    ),
    trusted_proxies: withDefault(
      {
        name: 'TRUSTED_PROXIES',
        description:
          'Load balancers whose X-Forwarded-For is trusted: blocks like 10.1.0.0/16, or range names like loopback or private, separated by commas. Limits per address then apply to the clients behind them.',
        example: '10.1.0.0/16',
      },
      names,
      [],
      'none: the peer address is the client',
    ),
    connections: withDefault(
      {
        name: 'GATEWAY_CONNECTIONS',
        description:
          'Maximum number of connections of all clients. Above it, the gateway closes connections that wait for their client, first those without a valid key.',
        example: '16384',
      },
      integerBetween(16, 1_000_000),
      4_096,
    ),
    connections_per_address: withDefault(
      {
        name: 'GATEWAY_CONNECTIONS_PER_ADDRESS',
        description:
          'Maximum number of connections of one client address (for IPv6, one /64). Behind trusted proxies it counts requests in progress.',
        example: '64',
      },
      integerBetween(1, 1_000_000),
      256,
    ),
    refused_keys_per_minute: withDefault(
      {
        name: 'GATEWAY_REFUSED_KEYS_PER_MINUTE',
        description:
          'Maximum requests per minute from one client address without a valid API key. More requests get 429. Requests with a valid key still pass.',
        example: '600',
      },
      integerBetween(1, 1_000_000_000),
      120,
    ),
    open_requests_per_minute: withDefault(
      {
        name: 'GATEWAY_OPEN_REQUESTS_PER_MINUTE',
        description:
          'Maximum requests per minute from one client address for the documentation, which needs no API key. More requests get 429.',
        example: '3000',
      },
      integerBetween(1, 1_000_000_000),
      600,
    ),
    signed_out_requests_per_minute: withDefault(
      {
        name: 'GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE',
        description:
          'Maximum requests per minute from one client address for `/manage/v1` without a known session, and for sign-in. More requests get 429. Other requests with a session still pass.',
        example: '600',
      },
      integerBetween(1, 1_000_000_000),
      300,
    ),
    headers_timeout_s: withDefault(
      {
        name: 'GATEWAY_HEADERS_TIMEOUT_S',
        description: 'How long request headers can take to arrive, in seconds.',
        example: '5',
      },
      integerBetween(1, 600),
      10,
    ),
    request_timeout_s: withDefault(
      {
        name: 'GATEWAY_REQUEST_TIMEOUT_S',
        description: 'How long headers and body can take to arrive, in seconds.',
        example: '15',
      },
      integerBetween(1, 600),
      30,
    ),
    answer_timeout_s: withDefault(
      {
        name: 'GATEWAY_ANSWER_TIMEOUT_S',
        description: 'How long a client can take to read a response, in seconds.',
        example: '30',
      },
      integerBetween(1, 600),
      60,
    ),
    idle_timeout_s: withDefault(
      {
        name: 'GATEWAY_IDLE_TIMEOUT_S',
        description:
          'Keep-alive time of an idle connection, in seconds. Set it longer than that of a load balancer in front.',
        example: '125',
      },
      integerBetween(1, 3_600),
      65,
    ),
    buffer_bytes: withDefault(
      {
        name: 'GATEWAY_BUFFER_BYTES',
        description: 'Memory for request and response bodies of all clients together, in bytes.',
        example: '536870912',
      },
      integerBetween(16_777_216, 999_999_999_999),
      134_217_728,
      '134217728 (128 MiB)',
    ),
  },
} satisfies Part;

export const PARTS: readonly Part[] = [
  PUBLIC_SERVER,
  HEALTH_AND_LOGS,
  EVENT_LOG,
  SCHEMA_REGISTRY,
  READ_STORE,
  BLOB_STORE,
  RENDERS,
  IDEMPOTENCY,
  CURSORS,
  RATE_LIMITS,
  FAILED_WORK,
  UPLOADS,
  WAITING_RENDERS,
  CREDITS,
  CORS,
  DEPLOYMENT,
  ENGINE,
  SANDBOX,
  WORKER,
  PREPARER,
  STILLS,
  STILLS_ADDRESS,
  SEGMENT_CACHE,
  RETENTION,
  DISPATCHER,
  ENVIRONMENT,
  WEBHOOK_OPENING_KEYS,
  WEBHOOK_SEALING_KEY,
  WEBHOOK_SECRETS,
  OUTBOUND,
  WEBHOOKS,
  PROOFS,
  NOTARY,
  SIGN_IN,
  SESSIONS,
  GATEWAY,
];
