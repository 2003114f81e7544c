import { ACCOUNT_LIMITS } from './account-limits.ts';
import { ACCOUNT_QUEUES } from './account-queues.ts';
import { AUDIT } from './audit.ts';
import { CHARGES } from './charges.ts';
import { CREDIT_LEASES } from './credit-leases.ts';
import type { Form } from './form.ts';
import { GENERATIONS } from './generations.ts';
import { IGNORED_SEALS } from './ignored-seals.ts';
import { INDEX_CHANGES } from './index-changes.ts';
import { KEY_TREES } from './key-trees.ts';
import { LEASES } from './leases.ts';
import { LEDGER } from './ledger.ts';
import { LEFT_GENERATIONS } from './left-generations.ts';
import { NOTARY } from './notary.ts';
import { OUTPUT_DELETIONS } from './output-deletions.ts';
import { PENDING_TEXTS } from './pending-texts.ts';
import { RANGES } from './ranges.ts';
import { RATE_BUCKETS } from './rate-buckets.ts';
import { SEARCH_TIERS } from './search-tiers.ts';
import { SERVER_AND_INDEXES } from './server.ts';
import { SESSIONS } from './sessions.ts';
import { SEVERAL_DOCUMENTS } from './several-documents.ts';
import { SINGLE_READS } from './single-reads.ts';
import { STATISTICS } from './statistics.ts';
import { STORED_FILES } from './stored-files.ts';
import { TRANSACTIONS } from './transactions.ts';
import { UPLOADS } from './uploads.ts';
import { VALUES_AND_STRINGS } from './values.ts';
import { WEBHOOK_LOG } from './webhook-log.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WINDOWS } from './windows.ts';
import { WRITES } from './writes.ts';

export const FORMS: Readonly<Record<string, readonly Form[]>> = {
  'single reads': SINGLE_READS,
  'several documents': SEVERAL_DOCUMENTS,
  ranges: RANGES,
  'search tiers': SEARCH_TIERS,
  windows: WINDOWS,
  writes: WRITES,
  transactions: TRANSACTIONS,
  ledger: LEDGER,
  charges: CHARGES,
  audit: AUDIT,
  statistics: STATISTICS,
  'limits of accounts': ACCOUNT_LIMITS,
  'queues of accounts': ACCOUNT_QUEUES,
  'leases of credits': CREDIT_LEASES,
  'leases of work': LEASES,
  'deletions of outputs': OUTPUT_DELETIONS,
  'key trees': KEY_TREES,
  'notes of the notary': NOTARY,
  'buckets of rates': RATE_BUCKETS,
  sessions: SESSIONS,
  generations: GENERATIONS,
  'unused generations': LEFT_GENERATIONS,
  'pending texts': PENDING_TEXTS,
  'ignored seals': IGNORED_SEALS,
  webhooks: WEBHOOKS,
  values: VALUES_AND_STRINGS,
  server: SERVER_AND_INDEXES,
  'changes of indexes': INDEX_CHANGES,
  'the log of webhooks': WEBHOOK_LOG,
  uploads: UPLOADS,
  'stored files': STORED_FILES,
};
