import test from 'ava';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { CheckpointMoved } from '../../../projectors/checkpoint/checkpoint-store.ts';
import { type Audit, type AuditQuery, openAudit } from '../../../read-models/audit/audit.ts';
import type { AuditEntry } from '../../../read-models/audit/documents.ts';
import { recordAt } from '../../helpers/batch-entries.ts';
import { cancelled, metaBy, requested } from '../../helpers/render-events.ts';
import { leaveStore, openStore, ownDatabase, type StoreServer, startStore } from '../store/_store.ts';
import { type Folding, folding } from './_folding.ts';

const OPS = 'operator:ops';
const START = 1_795_000_000_000;
/** Changes of the catalogue, and renders; each is half a second later than the one before. */
const CHANGES = 300;
const RENDERS = 200;

let server: StoreServer;
let store: ReadStore;
let audit: Audit;
let fold: Folding;
let shown: readonly AuditEntry[];

const at = (n: number): number => START + 500 * n;
const meta = (n: number, actor: string) => ({ ...metaBy(actor), event_id: `event ${n}` });

const teamOf = (n: number): string => `team_${n % 4}`;
const accountOf = (n: number): string => `acc_${(n % 4) % 2}`;

const change = (n: number): CatalogueEvent => {
  if (n < 2)
    return {
      ...{ type: 'AccountCreated', rules: 0, meta: meta(n, OPS), account_id: `acc_${n}`, name: '=cmd()' },
      unlimited_credits: true,
    };
  if (n < 6)
    return {
      ...{ type: 'TeamCreated', rules: 0, meta: meta(n, OPS), team_id: `team_${n - 2}` },
      ...{ account_id: `acc_${(n - 2) % 2}`, name: 'Team' },
    };
  const name = n % 5 === 0 ? `Name ${n - 4}` : `Name ${n}`;
  const team_id = n % 5 === 0 ? teamOf(n - 4) : teamOf(n);
  return { type: 'TeamRenamed', rules: 0, meta: meta(n, n % 7 === 0 ? 'relay:rel_1' : OPS), team_id, name };
};

const catalogueLog: readonly BatchEntry<CatalogueEvent>[] = Array.from({ length: CHANGES }, (_, n) => ({
  tag: 'event',
  record: recordAt(n, { topic: 'catalogue-events', partition: 0, append_time_ms: at(n) }),
  event: change(n),
}));

const renderIdOf = (n: number): string => `rend_${String(n).padStart(26, '0')}`;

/** Requests with a key; a person cancels each tenth render at once. */
const renderLog: readonly BatchEntry<RenderEvent>[] = Array.from({ length: RENDERS }, (_, n) => n)
  .flatMap((n): readonly RenderEvent[] => {
    const render_id = renderIdOf(n);
    const of = { render_id, fold_version: 2, account_id: accountOf(n), team_id: teamOf(n) };
    const request = requested({ ...of, meta: meta(n, `key:key_${n % 3}`), name: 'Sale' });
    return n % 10 === 0 ? [request, { ...cancelled('user:user_1'), render_id }] : [request];
  })
  .map((event, offset) => ({
    tag: 'event',
    record: recordAt(offset, { partition: 0, append_time_ms: at(offset) + 1, key: Buffer.from(event.render_id) }),
    event,
  }));

test.before(async (t) => {
  t.timeout(360_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
  fold = await folding(store);
  audit = openAudit(store.db);
  for (let begin = 0; begin < CHANGES; begin += 70) await fold.catalogue(0, catalogueLog.slice(begin, begin + 70));
  await fold.renders(0, renderLog.slice(0, 100));
  await fold.renders(0, renderLog.slice(100));
  shown = await everything();
});

test.after.always(async () => {
  await leaveStore(store);
  await server?.stop();
});

const ALL: AuditQuery = {
  ...{ scope: { tag: 'all' }, actor: null, kind: null, with_requests: false },
  ...{ since: null, until: null },
};

const placeOf = ({ topic, partition, offset }: AuditEntry): string => `${topic}/${partition}/${offset}`;

/** Reads all pages, and asserts that each but the last is full. */
const paged = async (query: AuditQuery, limit: number): Promise<readonly AuditEntry[]> => {
  const found: AuditEntry[] = [];
  for (let after: string | null = null; ; ) {
    const { entries, next } = await audit.page(query, after, limit);
    found.push(...entries);
    if (next === null) return found;
    if (entries.length !== limit) throw new Error(`a page of ${entries.length} has a next one`);
    after = next;
  }
};

const everything = (): Promise<readonly AuditEntry[]> => paged({ ...ALL, with_requests: true }, 1_000);

test('every audited record is listed once, newest first', async (t) => {
  const all = shown;
  t.is(all.length, CHANGES + renderLog.length);
  t.is(new Set(all.map(placeOf)).size, all.length);
  t.true(all.every((entry, n) => n === 0 || entry.at <= (all[n - 1]?.at ?? 0)));
  t.like(
    all.find(({ kind, ids }) => kind === 'RenderCancelled' && ids.render_id === renderIdOf(10)),
    {
      ...{ actor: 'user:user_1', account_id: 'acc_0', team_ids: ['team_2'], refused: null },
    },
  );
  t.like(
    all.find(({ kind, ids }) => kind === 'RenderRequested' && ids.render_id === renderIdOf(7)),
    {
      ...{ actor: 'key:key_1', account_id: 'acc_1', team_ids: ['team_3'], at: at(8) + 1, partition: 0, offset: 8 },
    },
  );
});

test('an ignored change is shown as refused', async (t) => {
  const refused = (await paged(ALL, 60)).filter(({ refused }) => refused !== null);
  t.is(refused.length, catalogueLog.filter((_, n) => n >= 10 && n % 5 === 0).length);
  t.true(refused.every((entry) => entry.refused === 'already_so' && entry.kind === 'TeamRenamed'));
});

const matching =
  ({ scope, actor, kind, with_requests, since, until }: AuditQuery) =>
  (entry: AuditEntry) =>
    (scope.tag === 'all' ||
      (scope.tag === 'account' ? entry.account_id === scope.account_id : entry.team_ids.includes(scope.team_id))) &&
    (actor === null || entry.actor === actor) &&
    (kind === null ? with_requests || entry.kind !== 'RenderRequested' : entry.kind === kind) &&
    entry.at >= (since ?? 0) &&
    entry.at < (until ?? Number.POSITIVE_INFINITY);

const team = { tag: 'team', team_id: 'team_1' } as const;
const account = { tag: 'account', account_id: 'acc_1' } as const;

const QUERIES: Readonly<Record<string, Partial<AuditQuery>>> = {
  'changes only': {},
  'an account': { scope: account, with_requests: true },
  'a team': { scope: team },
  'requests of a team': { scope: team, kind: 'RenderRequested' },
  cancellations: { scope: { tag: 'account', account_id: 'acc_0' }, kind: 'RenderCancelled' },
  'one kind': { kind: 'TeamCreated' },
  'one actor': { actor: 'relay:rel_1' },
  'one key': { actor: 'key:key_1', with_requests: true },
  'a person in a team': { scope: { tag: 'team', team_id: 'team_2' }, actor: 'user:user_1' },
  'a kind by an actor': { scope: account, kind: 'TeamRenamed', actor: 'relay:rel_1' },
  'requests by a key': { scope: account, kind: 'RenderRequested', actor: 'key:key_2' },
  'a period': { since: at(40), until: at(90), with_requests: true },
  'a period of a team': { scope: team, since: at(40) + 1, until: at(90) + 1 },
  'a period without entries': { since: at(1_000), until: at(2_000) },
  'the whole time': { since: 0, until: at(5_000) },
  'a period until after the year 2286': { until: Date.UTC(2400, 0, 1), with_requests: true },
  'a period without entries, after the year 2286': { since: Date.UTC(2400, 0, 1) },
  'a period without entries, before 1970': { until: -1 },
  nobody: { actor: 'user:user_9' },
  'no such team': { scope: { tag: 'team', team_id: 'team_11' }, with_requests: true },
};

for (const [name, asked] of Object.entries(QUERIES)) {
  test(`an audit of ${name} has all matches, in pages`, async (t) => {
    const query = { ...ALL, ...asked };
    const wanted = shown.filter(matching(query)).map(placeOf);
    t.deepEqual((await paged(query, 23)).map(placeOf), wanted);
    t.is(wanted.length > 0, !/nobody|no such|without/.test(name));
  });
}

test('the audit can be read as a stream', async (t) => {
  const streamed: AuditEntry[] = [];
  for await (const entry of audit.stream({ ...ALL, with_requests: true })) streamed.push(entry);
  t.deepEqual(streamed, shown);
});

test('a page can start at a time without an entry', async (t) => {
  const { entries } = await audit.page({ ...ALL, kind: 'TeamRenamed' }, String(at(20)), 3);
  t.deepEqual(
    entries.map(({ offset }) => offset),
    [19, 18, 17],
  );
});

test.serial('folding the same records again changes no audit entries', async (t) => {
  const from = { next: 0, chain: '0'.repeat(64), chain_before: '0'.repeat(64) };
  await t.throwsAsync(fold.catalogue(0, catalogueLog.slice(0, 70), from), { instanceOf: CheckpointMoved });
  await t.throwsAsync(fold.renders(0, renderLog.slice(0, 100), from), { instanceOf: CheckpointMoved });
  t.deepEqual(await everything(), shown);
});
