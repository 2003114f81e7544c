import type { Upload } from '../../../../domain/uploads/upload.ts';
import { createIndexes, dropIndexes } from '../../../../platform/read-store/create-indexes.ts';
import { OBSOLETE_INDEXES } from '../../../../read-models/obsolete-indexes.ts';
import { openUploads, UPLOAD_INDEXES } from '../../../../read-models/uploads/uploads.ts';
import type { Form } from './form.ts';

const used_by = ['read-models/uploads/uploads.ts'];

const MEDIA = {
  ...{ width: 1, height: 1, duration_s: 0, frame_rate: null, video_codec: null, audio_codec: null },
  ...{ has_audio: false, has_alpha: null, color: null, font_family: null },
};

const upload = (account_id: string, n: number, change: Partial<Upload> = {}): Upload => ({
  ...{ id: `upload_${account_id}_${n}`, account_id, team_id: 'team_1', name: 'logo.png', kind: 'image' },
  ...{ content_type: 'image/png', size_bytes: 10, sha256: null, state: 'open', created_at: n, updated_at: n },
  ...{ expires_at: 100 + n, queued_at: null, result: null, faults: [] },
  ...change,
});

const RESULT = { path: 'p', sha256: 'hash', size_bytes: 10, media: MEDIA, thumbnail: null, font_covers: null };

export const UPLOADS: readonly Form[] = [
  {
    name: 'the index of waiting uploads of an earlier version is dropped, and others stay',
    used_by: ['platform/read-store/create-indexes.ts'],
    operation: async ({ store }) => {
      await createIndexes(store.db, UPLOAD_INDEXES);
      const [collection = ''] = OBSOLETE_INDEXES.keys();
      const uploads = store.db.collection(collection);
      await uploads.createIndex({ state: 1, queued_at: 1 });
      const before = await uploads.indexes();
      await dropIndexes(store.db, OBSOLETE_INDEXES);
      await dropIndexes(store.db, OBSOLETE_INDEXES);
      const left = new Set((await uploads.indexes()).map(({ name }) => name));
      return before.flatMap(({ name }) => (left.has(name) ? [] : [name]));
    },
    expected: ['state_1_queued_at_1'],
  },
  {
    name: 'uploads of one account are summed by their state',
    used_by,
    operation: async ({ store }) => {
      await createIndexes(store.db, UPLOAD_INDEXES);
      const uploads = openUploads(store.db);
      for (const n of [1, 2]) await uploads.insert(upload('sums', n));
      await uploads.insert(upload('sums', 3, { state: 'ready', size_bytes: 7 }));
      await uploads.insert(upload('others', 4));
      const again = await uploads.insert(upload('sums', 1));
      const totals = await uploads.totals('sums');
      await uploads.removeAllOf('sums');
      return [again, totals.toSorted((a, b) => a.bytes - b.bytes), await uploads.totals('sums')];
    },
    expected: [
      false,
      [
        { state: 'ready', count: 1, bytes: 7 },
        { state: 'open', count: 2, bytes: 20 },
      ],
      [],
    ],
  },
  {
    name: 'a ready upload is found by the hash of its team, and kept only while it is ready',
    used_by,
    operation: async ({ store }) => {
      const uploads = openUploads(store.db);
      const ready = upload('hashes', 1, { state: 'ready', result: RESULT });
      await uploads.insert(ready);
      const wanted = { account_id: 'hashes', team_id: 'team_1', sha256: 'hash', size_bytes: 10 };
      const found = (await uploads.findReady(wanted))?.id;
      const others = [{ team_id: 'team_2' }, { account_id: 'b' }, { size_bytes: 11 }, { sha256: 'other' }];
      const absent = [];
      for (const change of others) absent.push(await uploads.findReady({ ...wanted, ...change }));
      const kept = [await uploads.keep(ready.id, 'open', 900), await uploads.keep(ready.id, 'ready', 900)];
      await uploads.keep(ready.id, 'ready', 800);
      return [found, absent, kept, (await uploads.find(ready.id))?.expires_at];
    },
    expected: ['upload_hashes_1', [null, null, null, null], [false, true], 900],
  },
  {
    name: 'one of several processes claims a queued upload, and only its holder decides',
    used_by,
    operation: async ({ store }) => {
      const uploads = openUploads(store.db);
      const { id } = upload('claims', 1);
      await uploads.insert(upload('claims', 1));
      const queued = [await uploads.queue(id, 5, 50), await uploads.queue(id, 6, 60)];
      const waiting = (await uploads.waiting('claim', 1_000)).filter((one) => one.id === id);
      const claimed = [await uploads.claim(id, null, 'a'), await uploads.claim(id, null, 'b')];
      const beats = [await uploads.beat(id, 'a'), await uploads.beat(id, 'b')];
      const stale = await uploads.claim(id, { holder: 'a', beat: 0 }, 'b');
      const taken = await uploads.claim(id, { holder: 'a', beat: 1 }, 'b');
      const outcome = { result: RESULT, faults: [] };
      const decided = [await uploads.decide(id, 'a', outcome, 7), await uploads.decide(id, 'b', outcome, 7)];
      const { claimed: in_progress } = await uploads.counts();
      const ended = [await uploads.finish(id, 'a', 'ready', 70), await uploads.finish(id, 'b', 'ready', 70)];
      const { state, result } = (await uploads.find(id)) ?? {};
      return [
        ...[queued, waiting, claimed.map((one) => one?.tries ?? null), beats, stale, taken?.tries, decided],
        ...[in_progress > 0, ended, state, result?.sha256],
      ];
    },
    expected: [
      [true, false],
      [{ id: 'upload_claims_1', account_id: 'claims', claim: null, state: 'queued' }],
      ...[[1, null], [true, false], null, 2, [false, true], true, [false, true], 'ready', 'hash'],
    ],
  },
  {
    name: 'waiting uploads come by account, the longest waiting of each first',
    used_by,
    operation: async ({ store }) => {
      const uploads = openUploads(store.db);
      const waiting = (account_id: string, n: number, queued_at: number, state: Upload['state'] = 'queued') =>
        uploads.insert(upload(account_id, n, { state, queued_at }));
      await waiting('turns b', 1, 1, 'fetching');
      for (const n of [3, 1, 2]) await waiting('turns a', n, n);
      await waiting('turns a', 4, 4, 'ready');
      await waiting('turns c', 1, 1, 'inspected');
      await waiting('turns b', 2, 2);
      const first = await uploads.waiting('turns', 4);
      const second = await uploads.waiting('turns a', 2);
      const last = (await uploads.waiting('turns b', 10)).filter(({ account_id }) => account_id.startsWith('turns'));
      for (const account_id of ['turns a', 'turns b', 'turns c']) await uploads.removeAllOf(account_id);
      return [first, second, last].map((page) => page.map(({ id }) => id));
    },
    expected: [
      ['upload_turns a_1', 'upload_turns a_2', 'upload_turns a_3', 'upload_turns b_1'],
      ['upload_turns b_1', 'upload_turns b_2'],
      ['upload_turns c_1'],
    ],
  },
  {
    name: 'an upload from a URL is fetched by its holder, and again after it is refused for some time',
    used_by,
    operation: async ({ store }) => {
      const uploads = openUploads(store.db);
      const { id } = upload('urls', 1);
      const fetch = { url: 'https://example.com/', url_hash: 'hash', path: null };
      await uploads.insert(upload('urls', 1, { state: 'fetching', queued_at: 1, fetch }));
      await uploads.claim(id, null, 'a');
      const facts = { path: 'p', size_bytes: 3, content_type: 'image/gif' };
      const fetched = [await uploads.fetched(id, 'b', facts, 5), await uploads.fetched(id, 'a', facts, 5)];
      const queued = await uploads.find(id);
      const claimed = await uploads.claim(id, null, 'a');
      await uploads.decide(id, 'a', { result: null, faults: ['no'] }, 7);
      await uploads.finish(id, 'a', 'refused', 70);
      const change = { size_bytes: 50, fetch, updated_at: 9, expires_at: 90 };
      const again = [await uploads.refetch(id, 7, change), await uploads.refetch(id, 8, change)];
      const { state, faults, size_bytes, fetch: source } = (await uploads.find(id)) ?? {};
      return [
        ...[fetched, queued?.state, queued?.size_bytes, queued?.fetch, claimed?.tries],
        ...[again, state, faults, size_bytes, source?.url],
      ];
    },
    expected: [
      ...[[false, true], 'queued', 3, { url: null, url_hash: 'hash', path: 'p' }, 1],
      ...[[false, true], 'fetching', [], 50, 'https://example.com/'],
    ],
  },
  {
    name: 'a released upload waits again, and its inspection counts as a try or does not',
    used_by,
    operation: async ({ store }) => {
      const uploads = openUploads(store.db);
      const { id } = upload('released', 1);
      await uploads.insert(upload('released', 1, { state: 'queued', queued_at: 1 }));
      const tries: (number | undefined)[] = [];
      for (const counts of [true, false, true]) {
        tries.push((await uploads.claim(id, null, 'a'))?.tries);
        await uploads.release(id, 'a', counts);
      }
      return tries;
    },
    expected: [1, 2, 2],
  },
  {
    name: 'expired uploads are removed, unless they are kept meanwhile',
    used_by,
    operation: async ({ store }) => {
      const uploads = openUploads(store.db);
      await uploads.insert(upload('expired', 1, { expires_at: 3 }));
      await uploads.insert(upload('expired', 2, { expires_at: 4 }));
      const found = await uploads.expired(5, 10);
      await uploads.keep('upload_expired_2', 'open', 9);
      const removed = [
        await uploads.removeExpired('upload_expired_1', 5),
        await uploads.removeExpired('upload_expired_2', 5),
      ];
      const states = await uploads.states(['upload_expired_1', 'upload_expired_2']);
      await uploads.remove('upload_expired_2');
      return [found.length, removed, [...states]];
    },
    expected: [2, [true, false], [['upload_expired_2', 'open']]],
  },
];
