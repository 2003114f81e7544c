import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openAccountFiles } from '../../../catalogue/documents/hold-files.ts';
import { DEFAULT_UPLOAD_LIMITS, DOCUMENT_RESERVE_BYTES } from '../../../domain/uploads/limits.ts';
import { documentName, type StoredFile, type StoredFiles } from '../../../read-models/stored-files/stored-files.ts';
import { storedFileSweep } from '../../../retention/projects/stored-file-sweep.ts';

const HASHES = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
const file = (project_id: string, n = 0, size_bytes = 10): StoredFile => ({
  ...{ project_id, name: HASHES[n] ?? '', size_bytes },
});
const keyOf = ({ project_id, name }: StoredFile): string => `${project_id}/${name}`;

/** Files in memory. Each function waits for a turn of the event loop, so that concurrent calls interleave. */
const storedInMemory = () => {
  const rows = new Map<string, { readonly account_id: string; readonly file: StoredFile }>();
  const recounted: string[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const stored: StoredFiles = {
    uncounted: async (files) => {
      await turn();
      return files.filter((one) => !rows.has(keyOf(one)));
    },
    add: async (account_id, files) => {
      await turn();
      for (const one of files) if (!rows.has(keyOf(one))) rows.set(keyOf(one), { account_id, file: one });
    },
    remove: async (_account_id, files) => {
      await turn();
      for (const one of files) rows.delete(keyOf(one));
    },
    bytesOf: async (account_id) => {
      await turn();
      const own = [...rows.values()].filter((row) => row.account_id === account_id);
      return own.reduce((sum, row) => sum + row.file.size_bytes, 0);
    },
    removeAllOfProject: async () => undefined,
    removeAllOf: async () => undefined,
    accounts: async (after) => ['acc_1', 'acc_2'].filter((id) => id > (after ?? '')),
    recount: async (account_id) => void recounted.push(account_id),
  };
  return { stored, rows, recounted };
};

const accountWith = (bytes: number, upload_bytes: number) => {
  const { stored, rows } = storedInMemory();
  const parts = {
    stored_files: stored,
    uploads: { totals: async () => [{ state: 'ready', count: 1, bytes: upload_bytes }] as const },
    limits: { ...DEFAULT_UPLOAD_LIMITS, bytes },
  };
  return { files: openAccountFiles(parts, 'acc_1'), others: openAccountFiles(parts, 'acc_2'), stored, rows };
};

test('files of projects count with the uploads, each project by itself', async (t) => {
  const { files, others, rows } = accountWith(35, 5);
  t.deepEqual(await files.hold([file('proj_1'), file('proj_1', 1)]), E.right([file('proj_1'), file('proj_1', 1)]));
  t.deepEqual(await files.hold([file('proj_1')]), E.right([]), 'the project has the file already');
  t.deepEqual(await files.hold([file('proj_2')]), E.right([file('proj_2')]));
  const refused = await files.hold([file('proj_3'), file('proj_1')]);
  t.like(refused, { _tag: 'Left', left: { tag: 'too_many' } });
  t.is(rows.size, 3, 'a refusal counts nothing');
  t.like(await others.hold([file('proj_9')]), { _tag: 'Right' });
  await files.release([file('proj_2')]);
  t.like(await files.hold([file('proj_3')]), { _tag: 'Right' });
});

test('a full account may still change documents, up to a reserve', async (t) => {
  const { files, stored } = accountWith(30, 0);
  const version = (n: number, size_bytes: number): StoredFile => ({
    ...{ project_id: 'proj_1', name: documentName(n), size_bytes },
  });
  await files.hold([file('proj_1', 0, 30)]);
  t.like(await files.hold([file('proj_1', 1)]), { _tag: 'Left', left: { tag: 'too_many' } });
  t.like(await files.hold([version(1, 10)]), { _tag: 'Right' });
  t.like(await files.hold([version(2, 10), file('proj_1', 1)]), { _tag: 'Left' }, 'a version with a new file');
  t.like(await files.hold([version(2, DOCUMENT_RESERVE_BYTES)]), { _tag: 'Left' });
  t.is(await stored.bytesOf('acc_1'), 40);
});

test('concurrent requests do not exceed the limit of stored bytes together', async (t) => {
  const { files, stored } = accountWith(30, 0);
  const held = await Promise.all(Array.from({ length: 8 }, (_, n) => files.hold([file(`proj_${n}`)])));
  t.true(held.filter(E.isRight).length <= 3);
  t.true((await stored.bytesOf('acc_1')) <= 30);
});

test('the sweep counts files and documents of existing projects that are not counted yet', async (t) => {
  const { stored, rows, recounted } = storedInMemory();
  await stored.add('acc_1', [file('proj_1', 0)]);
  const PATHS = ['proj_2', 'proj_erased', 'proj_none', 'proj_inline_1'].map((id) => `${id}/assets/${HASHES[0]}`);
  const pages = new Map([
    [null, { paths: ['proj_1/name.json', `proj_1/assets/${HASHES[0]}`, `proj_1/assets/${HASHES[1]}`], next: 'more' }],
    [
      'more',
      {
        paths: [
          ...PATHS,
          'proj_2/documents/3-01.json',
          'proj_2/documents/3-02.json',
          'proj_inline_1/documents/1-01.json',
        ],
        next: null,
      },
    ],
  ]);
  const entities: Readonly<Record<string, unknown>> = {
    proj_1: { id: 'proj_1', team_id: 'team_1' },
    proj_2: { id: 'proj_2', team_id: 'team_2' },
    proj_inline_1: { id: 'proj_inline_1', team_id: 'team_2' },
    team_1: { id: 'team_1', account_id: 'acc_1' },
    team_2: { id: 'team_2', account_id: 'acc_2' },
  };
  const sweep = storedFileSweep({
    blobs: {
      list: async (prefix, from) => {
        const { paths, next } = pages.get(from) ?? { paths: [], next: null };
        return { found: paths.map((path) => ({ path: `${prefix}${path}`, size_bytes: 7, stored_at: 0 })), next };
      },
    },
    read_model: Object.assign(Object.create(null), {
      project: async (id: string) => entities[id] ?? null,
      find: async (_kind: string, id: string) => entities[id] ?? null,
    }),
    stored_files: stored,
  });
  const { signal } = new AbortController();
  const first = await sweep.page(null, signal);
  t.deepEqual(first, { next: 'more', removed: {} });
  const second = await sweep.page(first.next, signal);
  t.deepEqual(recounted, []);
  t.deepEqual(await sweep.page(second.next, signal), { next: null, removed: {} });
  t.deepEqual(recounted, ['acc_1', 'acc_2'], 'after all files');
  t.deepEqual(
    Array.from(
      rows,
      ([
        key,
        {
          account_id,
          file: { size_bytes },
        },
      ]) => [key.replace(/(.)\1{9,}$/, '$1'), account_id, size_bytes],
    ),
    [
      ['proj_1/a', 'acc_1', 10],
      ['proj_1/b', 'acc_1', 7],
      ['proj_2/a', 'acc_2', 7],
      ['proj_2/v3', 'acc_2', 7],
      ['proj_inline_1/a', 'acc_2', 7],
    ],
  );
});
