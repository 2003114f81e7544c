import { tmpdir } from 'node:os';
import { FOLD_VERSION } from '../../domain/render/fold.ts';
import {
  blobConnectionString,
  brokers,
  containerName,
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

/** Variables that belong together: a component asks for the parts it uses. */
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
        description: 'Port that the interface listens on; 0 takes a free one, which is logged.',
        example: '8080',
      },
      integerBetween(0, 65_535),
      0,
    ),
  },
} satisfies Part;

export const OPERATION = {
  title: 'Health, metrics and log of every component',
  variables: {
    health_host: withDefault(
      {
        name: 'HEALTH_HOST',
        description: 'Address that `/health/live`, `/health/ready` and `/metrics` listen on. Never a public one.',
        example: '10.1.0.7',
      },
      text,
      '127.0.0.1',
    ),
    health_port: withDefault(
      {
        name: 'HEALTH_PORT',
        description: 'Port that they listen on, which is another than PORT; 0 takes a free one, which is logged.',
        example: '8081',
      },
      integerBetween(0, 65_535),
      0,
    ),
    log_level: withDefault(
      { name: 'LOG_LEVEL', description: 'The least severe messages that are logged.', example: 'debug' },
      oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'info',
    ),
  },
} satisfies Part;

export const EVENT_LOG = {
  title: 'Event log (Kafka)',
  variables: {
    brokers: required(
      { name: 'KAFKA_BROKERS', description: 'Brokers to ask first.', example: 'kafka-1:9092,kafka-2:9092' },
      brokers,
    ),
    tls: withDefault(
      { name: 'KAFKA_TLS', description: 'Whether the brokers speak TLS.', example: '1' },
      flag,
      false,
      '0',
    ),
    sasl_mechanism: withDefault(
      { name: 'KAFKA_SASL_MECHANISM', description: 'How to log in, where KAFKA_USERNAME is set.', example: 'plain' },
      oneOf('plain', 'scram-sha-256', 'scram-sha-512'),
      'scram-sha-512',
    ),
    username: optional({ name: 'KAFKA_USERNAME', description: 'Name to log in with.', example: 'rendering' }, text),
    password: withDefault(
      { name: 'KAFKA_PASSWORD', description: 'Password to log in with.', example: '…', secret: true },
      text,
      '',
      'empty',
    ),
    topic_prefix: withDefault(
      {
        name: 'KAFKA_TOPIC_PREFIX',
        description:
          'Stands before the names of all topics and consumer groups, where several services share a cluster. Fixed for ever once they exist.',
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
        description: 'Base of an API like that of the Confluent registry.',
        example: 'http://127.0.0.1:8080/apis/ccompat/v7',
      },
      httpUrl,
    ),
    username: optional(
      {
        name: 'SCHEMA_REGISTRY_USERNAME',
        description: 'Name (or API key) for basic authentication.',
        example: 'rendering',
      },
      text,
    ),
    password: withDefault(
      { name: 'SCHEMA_REGISTRY_PASSWORD', description: 'Password to that name.', example: '…', secret: true },
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
        description: 'The server, which must be a replica set (one node is enough).',
        example: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
        secret: true,
      },
      mongodbUrl,
    ),
    database: withDefault(
      { name: 'MONGODB_DATABASE', description: 'Database that holds the read models.', example: 'rendering' },
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
          'The storage account, with its shared key. (Entra credentials and user delegation keys come with a later release.)',
        example: 'DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…;EndpointSuffix=core.windows.net',
        secret: true,
      },
      blobConnectionString,
    ),
    container: withDefault(
      { name: 'BLOB_CONTAINER', description: 'The one private container that holds everything.', example: 'renders' },
      containerName,
      'renders',
    ),
    public_url: optional(
      {
        name: 'BLOB_PUBLIC_URL',
        description:
          "What clients see in signed URLs instead of the account's blob endpoint, for example a CDN in front of it. Where it begins with https, the URLs are good over https alone: what is in front must reach the store over https, too.",
        example: 'https://media.example.com',
      },
      httpUrl,
    ),
    signed_url_lifetime_s: withDefault(
      { name: 'SIGNED_URL_LIFETIME_S', description: 'How long a signed URL is good for, in seconds.', example: '3600' },
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
        description: '`type` of the renders requested here: `local` in an embedded stack, `cloud` elsewhere.',
        example: 'local',
      },
      oneOf('cloud', 'local'),
      'cloud',
    ),
    fold_version: withDefault(
      {
        name: 'RENDER_FOLD_VERSION',
        description:
          'The version of the rules that renders requested here follow. During an upgrade the newest that every process knows: `2` from one whose log has the names of renders, `1` from one that could not cancel them. Old processes wait at renders of newer versions, and show those of version 3 without a name.',
        example: '2',
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
          'Render ids are derived with it from Idempotency-Keys. The same for every command API, and for ever: with another one, a repeat is a new render.',
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
          'Signs the cursors of lists. The same for every query API and management API; cursors given out end when it is changed.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const RATE_LIMITS = {
  title: 'Rate limits (command API, query API and management API, all processes of each together)',
  variables: {
    per_s: withDefault(
      {
        name: 'RATE_LIMIT_PER_S',
        description: 'Requests a second that one API key, or session, may go on with.',
        example: '200',
      },
      integerBetween(1, 1_000_000),
      50,
    ),
    burst: withDefault(
      {
        name: 'RATE_LIMIT_BURST',
        description: 'Requests that one API key, or session, may make at once.',
        example: '400',
      },
      integerBetween(1, 1_000_000),
      100,
    ),
  },
} satisfies Part;

export const FAILED_WORK = {
  title: 'Failed work (command API, management API and preparer)',
  variables: {
    cpu_s_per_hour: withDefault(
      {
        name: 'FAILED_WORK_CPU_S_PER_HOUR',
        description:
          'CPU seconds that the failed renders of one account may cost in an hour of the clock. Beyond it nothing new of the account is taken or prepared until the hour ends.',
        example: '600',
      },
      integerBetween(1, 1_000_000_000),
      1_800,
    ),
    bytes_per_hour: withDefault(
      {
        name: 'FAILED_WORK_BYTES_PER_HOUR',
        description: 'The same for the bytes that were fetched from outside for renders which then failed.',
        example: '5368709120',
      },
      integerBetween(1, 999_999_999_999_999),
      21_474_836_480,
      '21474836480 (20 GiB)',
    ),
  },
} satisfies Part;

export const WAITING_RENDERS = {
  title: 'Waiting renders (command API and management API)',
  variables: {
    per_account: withDefault(
      {
        name: 'WAITING_RENDERS_PER_ACCOUNT',
        description: 'Renders of one account that may be neither complete nor failed at a time.',
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
          'How far the ledger may be behind the log in the partition of a render, in seconds, before it is answered 503 where its account has limited credits.',
        example: '120',
      },
      integerBetween(1, 86_400),
      60,
    ),
  },
} satisfies Part;

export const CORS = {
  title: 'Browsers (command API, query API and gateway)',
  variables: {
    origins: optional(
      {
        name: 'CORS_ORIGINS',
        description: 'Web origins whose pages may call the service. Without it no page may.',
        example: 'https://app.example.com',
      },
      origins,
    ),
  },
} satisfies Part;

export const DEPLOYMENT = {
  title: 'Deploy step (topics and schemas)',
  variables: {
    render_partitions: optional(
      {
        name: 'RENDER_PARTITIONS',
        description:
          'Partitions of the topics that are keyed by render. Fixed for ever once they exist: another count than theirs is refused.',
        example: '16',
      },
      integerBetween(1, 1024),
      'the count of the log that is there',
    ),
    new_log_partitions: withDefault(
      {
        name: 'NEW_LOG_PARTITIONS',
        description: 'The same where there is no log yet and RENDER_PARTITIONS is not set.',
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
        description: 'Replicas that must have a record before an append is acknowledged.',
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
          'Whether media are decoded in isolation: `required` does not start without it, `preferred` takes the best that the machine has and says so, `off` has limits alone.',
        example: 'required',
      },
      oneOf('required', 'preferred', 'off'),
      'preferred',
    ),
    mode: optional(
      {
        name: 'SANDBOX_MODE',
        description:
          'The one way to isolate, instead of the best that works: `namespaces` (bubblewrap) or `filtered` (limits, another user, a system-call filter).',
        example: 'filtered',
      },
      oneOf('namespaces', 'filtered'),
    ),
    readable: optional(
      {
        name: 'SANDBOX_READABLE',
        description: 'Further folders that decoders may read, for an ffmpeg with libraries of its own.',
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
      { name: 'WORKER_SLOTS', description: 'Renders that one worker works on at once.', example: '2' },
      integerBetween(1, 64),
      1,
    ),
    name: optional(
      {
        name: 'WORKER_NAME',
        description:
          'The machine that the worker runs on, whose crashes are counted together: 8 digits of its hash stand in the ids of workers. The host name if left out; in a container that is new at each start, set the name of the node.',
        example: 'node-7',
      },
      text,
    ),
    free_bytes: withDefault(
      {
        name: 'WORKER_FREE_BYTES',
        description: 'With less free space than this in WORK_DIR a worker takes no renders, in bytes.',
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
          'How long a worker that is asked to stop continues its renders before it gives them back. It then ends within 15 s: what kills it must wait longer.',
        example: '600',
      },
      integerBetween(0, 3600),
      20,
    ),
    transfer_s: withDefault(
      {
        name: 'WORKER_TRANSFER_S',
        description:
          'How long a render may take to download its media, and again to store its outputs, in seconds; then it is tried again, from the beginning. For slow links and very large files: a transfer that stalls is begun again after half a minute.',
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
          'What one preparer keeps in WORK_DIR, in bytes: a quarter (2 GiB at most) for copies of projects, the rest for renders in preparation, which wait for room.',
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
          'Authenticates requests for stills. The same for the stills service and renderctl; without it the service refuses every request.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const SEGMENT_CACHE = {
  title: 'Cache of rendered parts (worker)',
  variables: {
    local_bytes: withDefault(
      {
        name: 'SEGMENT_CACHE_LOCAL_BYTES',
        description: 'Parts that one worker keeps in WORK_DIR too, in bytes; 0 for none.',
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
          'How long a blob is kept that nothing refers to, in hours: what requests that were never accepted, repeated work and lost attempts have left.',
        example: '72',
      },
      integerBetween(1, 8_760),
      24,
    ),
    sources_days: withDefault(
      {
        name: 'RETENTION_SOURCES_DAYS',
        description:
          'How long the final composition of a render, and the media that were fetched for it, are kept after its end, in days.',
        example: '7',
      },
      integerBetween(1, 36_500),
      30,
    ),
    max_share_percent: withDefault(
      {
        name: 'RETENTION_MAX_SHARE_PERCENT',
        description:
          'The largest share of the completed renders of one account whose outputs are deleted at once, in percent. Beyond it none of them is deleted until an operator approves it (`renderctl retention approve`).',
        example: '20',
      },
      integerBetween(1, 100),
      50,
    ),
    share_min_renders: withDefault(
      {
        name: 'RETENTION_SHARE_MIN_RENDERS',
        description:
          'The outputs of up to this many renders of one account are deleted at once, whatever share that is.',
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
        description: 'Of the encoded parts of one account in the blob store, the oldest go beyond this, in bytes.',
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
        description: 'Renders of one account that are given to workers at the same time.',
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
          'How long a render waits for what is not its own (disks, the blob store, workers that read its composition) before it fails as `environment`, uncharged, in seconds.',
        example: '172800',
      },
      integerBetween(1, 2_592_000),
      86_400,
    ),
  },
} satisfies Part;

export const WEBHOOK_OPENING_KEYS = {
  title: 'Webhook secrets, to open them (webhook relay)',
  variables: {
    private_keys: withDefault(
      {
        name: 'WEBHOOK_PRIVATE_KEYS',
        description:
          'Opens the signing secrets of webhook endpoints, which stand in the log. A secret opens with the key that it was sealed to, so a key stays here for as long as an endpoint uses such a secret. Must be set where WEBHOOK_SECRETS_KEY is not.',
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
  title: 'Webhook secrets, to seal them (renderctl and management API)',
  variables: {
    public_key: optional(
      {
        name: 'WEBHOOK_PUBLIC_KEY',
        description:
          'Signing secrets of webhook endpoints are sealed to it: the public half of one of WEBHOOK_PRIVATE_KEYS. It opens nothing. Without it they are sealed with WEBHOOK_SECRETS_KEY.',
        example: 'MCowBQYDK2VuAyEA…',
        quoted: false,
      },
      publicKey,
    ),
  },
} satisfies Part;

export const WEBHOOK_SECRETS = {
  title: 'Webhook secrets of the first form (webhook relay; renderctl where there is no public key)',
  variables: {
    key: optional(
      {
        name: 'WEBHOOK_SECRETS_KEY',
        description:
          'Opens, and where there is no WEBHOOK_PUBLIC_KEY seals, secrets of webhook endpoints in their first form. The same for ever: secrets sealed with another one cannot be opened. A new deployment needs none.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
    ),
  },
} satisfies Part;

export const OUTBOUND = {
  title:
    'Requests to the outside (webhook relay; preparer, for media; renderctl and management API, when an endpoint is made)',
  variables: {
    allowed_ranges: withDefault(
      {
        name: 'OUTBOUND_ALLOWED_RANGES',
        description:
          'Addresses that are not public and may be dialled all the same: names like loopback or private, or blocks like 10.1.0.0/16, separated by commas.',
        example: 'loopback,10.1.0.0/16',
      },
      names,
      [],
      'none: public addresses only',
    ),
    allowed_ports: withDefault(
      {
        name: 'OUTBOUND_ALLOWED_PORTS',
        description: 'Ports that may be dialled, separated by commas; `any` for all.',
        example: '443,8443,9443',
      },
      ports,
      [443, 8443],
      '443,8443',
    ),
    ca_file: optional(
      {
        name: 'OUTBOUND_CA_FILE',
        description: 'Certificates (PEM) that are trusted beside the well-known ones.',
        example: '/etc/ssl/own-ca.pem',
      },
      text,
    ),
    dns_servers: optional(
      {
        name: 'OUTBOUND_DNS_SERVERS',
        description: "Name servers to ask, with ports where they are not 53, instead of the system's.",
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
        description: 'Wait after the first failed attempt at a delivery, in milliseconds.',
        example: '500',
      },
      integerBetween(1, 600_000),
      1_000,
    ),
    retry_factor: withDefault(
      {
        name: 'WEBHOOK_RETRY_FACTOR',
        description: 'How many times longer each next wait is; there are five attempts.',
        example: '4',
      },
      integerBetween(1, 20),
      5,
    ),
    attempt_timeout_ms: withDefault(
      {
        name: 'WEBHOOK_ATTEMPT_TIMEOUT_MS',
        description: 'For one attempt in all: look-up, connection, TLS, and the whole answer, in milliseconds.',
        example: '10000',
      },
      integerBetween(100, 15_000),
      15_000,
    ),
    attempts_at_once: withDefault(
      {
        name: 'WEBHOOK_ATTEMPTS_AT_ONCE',
        description: 'Attempts that one relay has under way at once.',
        example: '512',
      },
      integerBetween(2, 4_096),
      256,
    ),
    attempts_per_endpoint: withDefault(
      {
        name: 'WEBHOOK_ATTEMPTS_PER_ENDPOINT',
        description: 'Attempts that one relay has under way at once at one endpoint.',
        example: '16',
      },
      integerBetween(1, 256),
      8,
    ),
    disable_after_s: withDefault(
      {
        name: 'WEBHOOK_DISABLE_AFTER_S',
        description:
          'An endpoint is disabled when that long nothing was delivered to it, and at least 20 deliveries were exhausted; in seconds.',
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
          "Begins the name of the log of heads, and so of the key that signs it: `<this>/<id of the Kafka cluster>/<number of partitions>`. Best a name that is nobody else's, like a domain and a path. Another name is another log.",
        example: 'video.example.com/rendering',
      },
      originName,
      'rendering',
    ),
    container: optional(
      {
        name: 'PROOFS_CONTAINER',
        description: 'Container of the proofs, which outsiders may be given access to. Nothing else is in it.',
        example: 'renders-proofs',
      },
      containerName,
      'BLOB_CONTAINER with `-proofs` behind it',
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
          'Signs the checkpoints of the log of heads. The notary alone has it; see [Operations](operations.md#a-new-key-of-the-notary) before another one takes its place.',
        example: 'MC4C…',
        secret: true,
      },
      signingKey,
    ),
    former_keys: withDefault(
      {
        name: 'NOTARY_FORMER_KEYS',
        description:
          'Verifier keys of those that signed before, as `renderctl notary key` showed them. They stay listed. [A new key](operations.md#a-new-key-of-the-notary) says when.',
        example: 'rendering/4L6g3nShT-eMCtK--X86sw/64+1f3c5a7b+AW…',
      },
      verifierKeys,
      [],
      'none',
    ),
    interval_s: withDefault(
      {
        name: 'NOTARY_INTERVAL_S',
        description: 'How often what has grown is signed, in seconds.',
        example: '600',
      },
      integerBetween(1, 86_400),
      60,
    ),
    witnesses: withDefault(
      {
        name: 'NOTARY_WITNESSES',
        description:
          'Witnesses that are asked to cosign each checkpoint: of each the key that it cosigns with, a space and its URL. One that does not answer is done without.',
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
          'The provider that people sign in at, exactly as its own discovery document names it. Without it nobody can, and `/manage/v1` answers 404.',
        example: 'https://id.example.com/realms/video',
      },
      secureUrl,
    ),
    client_id: optional(
      { name: 'OIDC_CLIENT_ID', description: 'What the provider knows the service as.', example: 'video-rendering' },
      text,
      'none; must be set with OIDC_ISSUER_URL',
    ),
    client_secret: optional(
      {
        name: 'OIDC_CLIENT_SECRET',
        description: 'Proves that to the provider, where the client is a confidential one.',
        example: '…',
        secret: true,
      },
      text,
      'none: a public client, which PKCE alone protects',
    ),
    scope: withDefault(
      {
        name: 'OIDC_SCOPE',
        description: 'What is asked of the provider: `openid`, and what the claim of operators needs, if anything.',
        example: 'openid groups',
      },
      scopes,
      'openid',
    ),
    operator_claim: optional(
      {
        name: 'OIDC_OPERATOR_CLAIM',
        description: 'The claim of the ID token that tells operators of the service.',
        example: 'groups',
      },
      text,
      'none: nobody is one',
    ),
    operator_value: optional(
      {
        name: 'OIDC_OPERATOR_VALUE',
        description: 'What that claim is, or holds among others, of an operator.',
        example: 'video-operators',
      },
      text,
      'none; must be set with OIDC_OPERATOR_CLAIM',
    ),
    public_url: optional(
      {
        name: 'PUBLIC_URL',
        description:
          'Where browsers find the service: the origin of its gateway, or of what is in front of it. The provider leads back to `/manage/v1/sign-in/callback` there.',
        example: 'https://video.example.com',
      },
      secureOrigin,
      'none; must be set with OIDC_ISSUER_URL',
    ),
    identity_secret: optional(
      {
        name: 'IDENTITY_SECRET',
        description:
          'Keys the hashes that stand in the log for people. The same for ever: with another one nobody is known any more.',
        example: '64 random hex digits',
        secret: true,
      },
      secretText,
      'none; must be set with OIDC_ISSUER_URL',
    ),
  },
} satisfies Part;

export const SESSIONS = {
  title: 'Sessions (management API)',
  variables: {
    idle_s: withDefault(
      {
        name: 'SESSION_IDLE_S',
        description: 'A session that makes no request for that long ends, in seconds.',
        example: '1800',
      },
      integerBetween(60, 2_592_000),
      43_200,
      '43200 (12 hours)',
    ),
    lifetime_s: withDefault(
      {
        name: 'SESSION_LIFETIME_S',
        description: 'A session ends that long after it was begun, whatever it does, in seconds.',
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
          'How long ago people may have shown the provider who they are when they make or change what is secret, change roles, or erase, in seconds.',
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
      { name: 'COMMAND_API_URL', description: 'Where writing requests go.', example: 'http://127.0.0.1:8081' },
      httpUrl,
    ),
    query_api_url: required(
      { name: 'QUERY_API_URL', description: 'Where reading requests go.', example: 'http://127.0.0.1:8082' },
      httpUrl,
    ),
    management_api_url: optional(
      {
        name: 'MANAGEMENT_API_URL',
        description: 'Where requests of people who signed in go, those for `/manage/v1`.',
        example: 'http://127.0.0.1:8083',
      },
      httpUrl,
      'none: `/manage/v1` is not there',
    ),
    people_origin: optional(
      {
        name: 'GATEWAY_PEOPLE_ORIGIN',
        description:
          'The only origin that serves people, as `PUBLIC_URL` of the management API: pages under another host name lead there, and `/manage/v1` is refused there. Not for a gateway behind a proxy that changes the header Host.',
        example: 'http://video.localhost:8080',
      },
      secureOrigin,
      'none: every host name serves people',
    ),
    trusted_proxies: withDefault(
      {
        name: 'TRUSTED_PROXIES',
        description:
          'Load balancers in front, whose X-Forwarded-For is trusted: blocks like 10.1.0.0/16, or names like loopback or private, separated by commas. Limits on an address then hold for the clients behind them.',
        example: '10.1.0.0/16',
      },
      names,
      [],
      'none: the peer of a connection is the client',
    ),
    connections: withDefault(
      {
        name: 'GATEWAY_CONNECTIONS',
        description:
          'Connections of all clients together. Beyond it, a connection that keeps the gateway waiting is closed, those without a valid key first.',
        example: '16384',
      },
      integerBetween(16, 1_000_000),
      4_096,
    ),
    connections_per_address: withDefault(
      {
        name: 'GATEWAY_CONNECTIONS_PER_ADDRESS',
        description:
          'Connections of one client address (IPv6: of one /64), likewise; behind trusted proxies, requests under way.',
        example: '64',
      },
      integerBetween(1, 1_000_000),
      256,
    ),
    refused_keys_per_minute: withDefault(
      {
        name: 'GATEWAY_REFUSED_KEYS_PER_MINUTE',
        description:
          'Requests a minute of one client address that may lack a valid API key; more are answered 429. Valid keys still pass.',
        example: '600',
      },
      integerBetween(1, 1_000_000_000),
      120,
    ),
    open_requests_per_minute: withDefault(
      {
        name: 'GATEWAY_OPEN_REQUESTS_PER_MINUTE',
        description:
          'Requests a minute of one client address for the documentation, which need no API key; more are answered 429.',
        example: '3000',
      },
      integerBetween(1, 1_000_000_000),
      600,
    ),
    signed_out_requests_per_minute: withDefault(
      {
        name: 'GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE',
        description:
          'Requests a minute of one client address for `/manage/v1` without a session that was accepted before, and to sign in with or without one; more are answered 429. Other requests of sessions still pass.',
        example: '600',
      },
      integerBetween(1, 1_000_000_000),
      300,
    ),
    headers_timeout_s: withDefault(
      {
        name: 'GATEWAY_HEADERS_TIMEOUT_S',
        description: 'How long headers may take to arrive, in seconds.',
        example: '5',
      },
      integerBetween(1, 600),
      10,
    ),
    request_timeout_s: withDefault(
      {
        name: 'GATEWAY_REQUEST_TIMEOUT_S',
        description: 'How long headers and body may take to arrive, in seconds.',
        example: '15',
      },
      integerBetween(1, 600),
      30,
    ),
    answer_timeout_s: withDefault(
      {
        name: 'GATEWAY_ANSWER_TIMEOUT_S',
        description: 'How long a client may take to read an answer, in seconds.',
        example: '30',
      },
      integerBetween(1, 600),
      60,
    ),
    idle_timeout_s: withDefault(
      {
        name: 'GATEWAY_IDLE_TIMEOUT_S',
        description:
          'How long a connection is kept for a next request, in seconds: longer than a load balancer in front does.',
        example: '125',
      },
      integerBetween(1, 3_600),
      65,
    ),
    buffer_bytes: withDefault(
      {
        name: 'GATEWAY_BUFFER_BYTES',
        description: 'Bodies and answers of all clients together that are kept in memory, in bytes.',
        example: '536870912',
      },
      integerBetween(16_777_216, 999_999_999_999),
      134_217_728,
      '134217728 (128 MiB)',
    ),
  },
} satisfies Part;

/** Every part, in the order of the documentation. */
export const PARTS: readonly Part[] = [
  PUBLIC_SERVER,
  OPERATION,
  EVENT_LOG,
  SCHEMA_REGISTRY,
  READ_STORE,
  BLOB_STORE,
  RENDERS,
  IDEMPOTENCY,
  CURSORS,
  RATE_LIMITS,
  FAILED_WORK,
  WAITING_RENDERS,
  CREDITS,
  CORS,
  DEPLOYMENT,
  ENGINE,
  SANDBOX,
  WORKER,
  PREPARER,
  STILLS,
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
