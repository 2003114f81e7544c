import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openFindAssets } from '../../../catalogue/documents/find-assets.ts';
import { type DocumentFault, type FindAssets, resolveDocument } from '../../../catalogue/documents/resolve-document.ts';
import type { FetchedUrls } from '../../../catalogue/uploads/document-urls.ts';
import type { UrlSource } from '../../../catalogue/uploads/fetch-upload.ts';
import { assetKeysOf } from '../../../domain/catalogue/asset-keys.ts';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { versionList } from '../../../read-models/catalogue/version-list.ts';
import { storedJson } from '../composition/_project.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

test('a version has one key for each hash of its assets', (t) => {
  const document = canonicalJson({
    assets: [{ sha256: A }, { sha256: B }, { sha256: A }],
    text: `"sha256":"${'c'.repeat(64)}"`,
  });
  t.deepEqual(assetKeysOf('team_1', document), [`team_1/${A}`, `team_1/${B}`]);
  t.deepEqual(assetKeysOf('team_1', null), []);
});

const DOCUMENT = {
  name: 'Logo',
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2 },
      layers: [{ id: 'mark', type: 'image', asset: 'logo' }],
    },
  ],
};

const STORED = { ...storedJson('other', 'image'), sha256: A, font_family: null, font_covers: null } as const;
const SOURCE = { project_id: 'proj_1', asset: { ...STORED, kind: 'image' as const } };
const find = async () => new Map([[A, [SOURCE]]]);
const NO_URLS = async () => E.right({ files: new Map(), faults: new Map(), pending: 0 });
const faultsOf = (fault: DocumentFault) => (fault.tag === 'document_refused' ? fault.faults : []);

test('the facts of an asset come from the stored file, not from the document', async (t) => {
  const logo = {
    id: 'logo',
    kind: 'image',
    sha256: A,
    content_type: 'text/html',
    size_bytes: -1,
    file_name: 'mine.png',
  };
  const resolved = await resolveDocument({ ...DOCUMENT, assets: [logo] }, 'Own name', find, NO_URLS);
  t.like(resolved, {
    _tag: 'Right',
    right: {
      document: {
        name: 'Own name',
        assets: { 0: { ...SOURCE.asset, id: 'logo', file_name: 'mine.png' } },
      },
      sources: { 0: SOURCE },
    },
  });
});

test('a document is refused with every fault of its assets', async (t) => {
  const assets = [
    { id: 'logo', kind: 'image', sha256: B },
    { id: 'song', kind: 'audio', sha256: A },
    { id: 'film', kind: 'video', sha256: 'A'.repeat(64) },
    { id: 'face', kind: 'font', file: 'face.ttf' },
    { id: 'clip', kind: 'video', url: 'http://example.com/clip.mp4', file_name: '' },
    { id: 'none', kind: 'image', colour: 1 },
    7,
  ];
  const refused = await resolveDocument({ ...DOCUMENT, assets }, null, find, NO_URLS);
  const faults = refused._tag === 'Left' ? faultsOf(refused.left).map(({ path }) => path) : [];
  for (const path of ['[0].sha256', '[1].kind', '[2].sha256', '[3].file', '[4].url', '[4].file_name', '[5].colour'])
    t.true(faults.includes(`assets${path}`), `${path} of ${faults.join(' ')}`);
  t.true(faults.some((path) => path.startsWith('assets[6]')));
});

test('an asset names a ready upload of its kind, and no hash beside it', async (t) => {
  const upload = { project_id: null, asset: { ...SOURCE.asset, id: 'file', sha256: A }, blob: 'path' };
  const find: FindAssets = async (_hashes, ids) => new Map(ids.includes('upload_a') ? [['upload_a', [upload]]] : []);
  const logo = { id: 'logo', kind: 'image' };
  const found = await resolveDocument({ ...DOCUMENT, assets: [{ ...logo, upload: 'upload_a' }] }, null, find, NO_URLS);
  t.like(found, { right: { document: { assets: [{ id: 'logo', sha256: A }] }, sources: [{ blob: 'path' }] } });
  const wrong = [
    { ...logo, upload: 'upload_b' },
    { ...logo, id: 'both', upload: 'upload_a', sha256: A },
    { ...logo, id: 'number', upload: 7 },
    { id: 'song', kind: 'audio', upload: 'upload_a' },
  ];
  const refused = await resolveDocument({ ...DOCUMENT, assets: wrong }, null, find, NO_URLS);
  const faults = refused._tag === 'Left' ? faultsOf(refused.left).map(({ path }) => path) : [];
  for (const path of ['[0].upload', '[1].upload', '[2].upload', '[3].kind'])
    t.true(faults.includes(`assets${path}`), `${path} of ${faults.join(' ')}`);
});

const URL = 'https://example.com/logo.png';

const resolveUrls = async (fetched: Partial<FetchedUrls>, assets: readonly unknown[]) => {
  const asked: UrlSource[] = [];
  const resolved = await resolveDocument({ ...DOCUMENT, assets }, null, find, async (sources) => {
    asked.push(...sources);
    return E.right({ files: new Map(), faults: new Map(), pending: 0, ...fetched });
  });
  return { asked, resolved };
};

test('an asset names a URL, which is fetched once for each kind', async (t) => {
  const file = { project_id: null, asset: { ...SOURCE.asset, id: 'file', sha256: B }, blob: 'path' };
  const logo = { id: 'logo', kind: 'image', url: URL };
  const files = new Map([[`image ${URL}`, [file]]]);
  const { asked, resolved } = await resolveUrls({ files }, [logo, { ...logo, id: 'again' }]);
  t.deepEqual(asked, [{ kind: 'image', url: URL, name: null }]);
  t.like(resolved, { right: { document: { assets: [{ id: 'logo', sha256: B }, { id: 'again' }] } } });
  const text = JSON.stringify(resolved);
  t.false(text.includes(URL), 'a URL can be secret, so no version has it');
});

test('URLs that are not fetched yet, or cannot be, refuse a document', async (t) => {
  const logo = { id: 'logo', kind: 'image', url: URL };
  t.like((await resolveUrls({ pending: 1 }, [logo])).resolved, { left: { tag: 'assets_pending', pending: 1 } });
  const faults = new Map([[`image ${URL}`, 'could not be fetched. The server answered 404.']]);
  const { resolved } = await resolveUrls({ faults }, [logo]);
  t.like(resolved, { left: { faults: [{ path: 'assets[0].url', message: faults.get(`image ${URL}`) }] } });
});

test('URLs of a document with another fault are not fetched', async (t) => {
  const logo = { id: 'logo', kind: 'image', url: URL };
  const broken = [
    [logo, { id: 'lost', kind: 'image', sha256: B }],
    [{ ...logo, sha256: A }],
    [{ ...logo, url: 'https://user@example.com/' }],
    [{ ...logo, id: 'other' }],
    Array.from({ length: 51 }, (_, n) => ({ ...logo, id: n === 0 ? 'logo' : `logo${n}`, url: `${URL}?${n}` })),
  ];
  for (const assets of broken) {
    const { asked, resolved } = await resolveUrls({}, assets);
    t.deepEqual(asked, []);
    t.is(resolved._tag, 'Left');
  }
});

test('at most twenty unknown hashes are looked up; missing files are not found', async (t) => {
  const looked: string[] = [];
  const hashes = Array.from({ length: 30 }, (_, n) => n.toString(16).padStart(64, '0'));
  const find_all = openFindAssets(
    {
      read_model: { find: async () => null },
      findVersionWithAsset: async (_teams, sha256) => {
        looked.push(sha256);
        if (sha256 !== A && sha256 !== B) return null;
        const document = JSON.stringify({ ...DOCUMENT, assets: [{ ...STORED, id: 'logo', sha256 }] });
        return {
          ...({ kind: 'project_version', id: 'proj_1:1', project_id: 'proj_1', version: 1 } as const),
          ...{ document, document_sha256: null, created_at: 1 },
        };
      },
      blobs: { exists: async (path) => path.endsWith(A) },
      findUploads: async () => new Map(),
    },
    ['team_1'],
    null,
  );
  const found = await find_all([A, B, ...hashes], []);
  t.is(looked.length, 22);
  t.like(found.get(A), { 0: { project_id: 'proj_1' } });
  t.is(found.get(B), undefined, 'its blob is gone');
  t.is(found.get(hashes[19] ?? ''), undefined);
  t.is(found.get(hashes[20] ?? ''), 'skipped');
});

test('about twenty unknown uploads are looked up, and known ones do not count', async (t) => {
  const looked: string[] = [];
  const find_all = openFindAssets(
    {
      read_model: { find: async () => null },
      findVersionWithAsset: async () => null,
      blobs: { exists: async () => true },
      findUploads: async (ids) => {
        looked.push(...ids);
        return new Map(ids.flatMap((id) => (id.startsWith('known') ? [[id, [SOURCE]] as const] : [])));
      },
    },
    ['team_1'],
    null,
  );
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`);
  t.is((await find_all([], ids('known', 500))).size, 500);
  looked.length = 0;
  const found = await find_all([], [...ids('known', 10), ...ids('unknown', 490)]);
  t.is(looked.length, 40);
  t.deepEqual(found.get('known 9'), [SOURCE]);
  t.is(found.get('unknown 29'), undefined);
  t.is(found.get('unknown 30'), 'skipped');
});

test('files of at most fifty other versions are looked up', async (t) => {
  const looked: string[] = [];
  const hashes = Array.from({ length: 60 }, (_, n) => n.toString(16).padStart(64, '0'));
  const find_all = openFindAssets(
    {
      read_model: { find: async () => null },
      findVersionWithAsset: async (_teams, sha256) => {
        looked.push(sha256);
        const document = JSON.stringify({ ...DOCUMENT, assets: [{ ...STORED, id: 'logo', sha256 }] });
        return {
          ...({ kind: 'project_version', id: `${sha256}:1`, project_id: sha256, version: 1 } as const),
          ...{ document, document_sha256: null, created_at: 1 },
        };
      },
      blobs: { exists: async () => true },
      findUploads: async () => new Map(),
    },
    ['team_1'],
    null,
  );
  const found = await find_all(hashes, []);
  t.is(looked.length, 50);
  t.like(found.get(hashes[49] ?? ''), { 0: { project_id: hashes[49] } });
  t.is(found.get(hashes[50] ?? ''), 'skipped');
});

test('the list of versions has the newest first, and continues after a position', async (t) => {
  const rows = (numbers: readonly number[]) =>
    numbers.map((version) => ({
      ...{
        kind: 'project_version',
        id: `p:${version}`,
        project_id: 'p',
        version,
        document_sha256: null,
        created_at: 1,
      },
    })) as never;
  const list = versionList(async (_id, numbers) => rows(numbers), { id: 'p', version: 12 });
  const first = await list.read(null, 3);
  t.deepEqual(
    first.map(({ element }) => element.version),
    [12, 11, 10],
  );
  const next = await list.read({ tier: 0, position: first[2]?.position ?? '' }, 20);
  t.deepEqual(
    next.map(({ element }) => element.version),
    [9, 8, 7, 6, 5, 4, 3, 2, 1],
  );
  t.deepEqual(await versionList(async () => [], { id: 'p', version: 0 }).read(null, 5), []);
});
