import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalAsset } from '../../../domain/composition/final-asset.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../../domain/composition/project-document.ts';
import { type FetchedMedia, remoteMediaOf } from '../../../domain/composition/remote-media.ts';
import { projectJson, storedJson } from './_project.ts';

const FIELDS = ['first', 'second'].map((key) => ({
  key,
  kind: 'image',
  default_value: 'logo',
  target: { layer: key, property: 'asset' },
}));
const SIZE = { width: 320, height: 180 };
const LAYERS = ['first', 'second'].map((id) => ({ ...SIZE, type: 'image', id, asset: 'logo' }));

const decoded = decodeProjectDocument(
  projectJson({
    compositions: [{ ...SIZE, id: 'comp_main', fps: 30, duration: 2, layers: LAYERS }],
    templates: [{ id: 'tpl_two', name: 'Two', target_composition_id: 'comp_main', fields: FIELDS }],
    variants: [],
    assets: [storedJson('logo', 'image')],
  }),
);
const document: ProjectDocument = E.getOrElse<unknown, ProjectDocument>((faults) => {
  throw new Error(JSON.stringify(faults));
})(decoded);

const composed = (values: Record<string, string>, fetched?: FetchedMedia) =>
  composeFinal(document, 'tpl_two', values, fetched);
const faultOf = (values: Record<string, string>, fetched?: FetchedMedia) => {
  const final = composed(values, fetched);
  return E.isLeft(final) ? final.left.message : null;
};
const fetchedAs = (id: string, kind: FinalAsset['kind'] = 'image'): FinalAsset => ({
  ...{ id, kind, sha256: 'a'.repeat(64), content_type: 'image/png', font_family: null },
  of_render: true,
});

const URL_OF = (path: string) => `https://example.com/${path}?w=100&sig=a%2Fb`;

test('a media value can be a URL and is checked without the network', (t) => {
  t.is(faultOf({ first: URL_OF('a.png') }, 'to_be_fetched'), null);
  const REFUSED = {
    'http://example.com/a.png': 'must be the id of an asset of the project, or a URL that begins with https://',
    'file:///etc/passwd': 'must be the id of an asset of the project, or a URL that begins with https://',
    'HTTPS://example.com/a.png': 'must be the id of an asset of the project, or a URL that begins with https://',
    'https://': 'the URL is malformed',
    'https:///a.png': 'the URL is malformed',
    'https://key:secret@example.com/a.png': 'the URL must not contain a user name or password',
    'https://example.com/a b.png': 'the URL must not contain spaces, control characters or backslashes',
    'https://example.com/a.png#x': 'the URL must not have a fragment (#…), because it is not sent',
    [`https://example.com/${'a'.repeat(2000)}`]: 'the URL must have at most 2000 characters',
  };
  for (const [first, message] of Object.entries(REFUSED)) {
    t.is(faultOf({ first }, 'to_be_fetched'), `values.first: ${message}`, first);
    t.is(faultOf({ first }), `values.first: ${message}`, first);
  }
});

test('a render lists the URLs to fetch by field', (t) => {
  const values = { first: URL_OF('a.png'), second: URL_OF('a.png'), third: URL_OF('b.png') };
  t.deepEqual(remoteMediaOf(document, 'tpl_two', values), [
    { field: 'first', url: URL_OF('a.png'), kind: 'image' },
    { field: 'second', url: URL_OF('a.png'), kind: 'image' },
  ]);
  t.deepEqual(remoteMediaOf(document, 'tpl_two', { first: 'logo' }), []);
  t.deepEqual(remoteMediaOf(document, null, values), []);
});

test('a fetched file replaces the asset, once for two fields', (t) => {
  const values = { first: URL_OF('a.png') };
  const one = composed(values, new Map([['first', fetchedAs('value-first')]]));
  if (E.isLeft(one)) return t.fail(one.left.message);
  t.deepEqual(
    one.right.composition.layers.map((layer) => ('asset' in layer ? layer.asset : null)),
    ['value-first', 'logo'],
  );
  t.deepEqual(
    one.right.assets.map(({ id, of_render }) => ({ id, of_render })),
    [
      { id: 'logo', of_render: false },
      { id: 'value-first', of_render: true },
    ],
  );

  const shared = fetchedAs('value-first');
  const both = composed(
    { first: URL_OF('a.png'), second: URL_OF('a.png') },
    new Map([
      ['first', shared],
      ['second', shared],
    ]),
  );
  if (E.isLeft(both)) return t.fail(both.left.message);
  t.deepEqual(both.right.assets, [shared]);
});

test('an unfetched URL, or one of another kind, is refused', (t) => {
  t.is(
    faultOf({ second: URL_OF('a.png') }),
    'values.second: is a URL or an upload whose file was not fetched',
    'no other picture replaces it',
  );
  t.is(
    faultOf({ first: URL_OF('a.mp4') }, new Map([['first', fetchedAs('value-first', 'video')]])),
    'values.first: must be an asset of kind image; this one is of kind video',
  );
});

test('the default of a field is an asset of the project, never a URL', (t) => {
  const [first, ...others] = FIELDS;
  const fields = [{ ...first, default_value: URL_OF('a.png') }, ...others];
  const made = decodeProjectDocument({ ...document, templates: [{ ...document.templates[0], fields }] });
  t.like(made, {
    left: [
      {
        path: 'templates[0].fields[0].default_value',
        message: 'must be the id of an asset of the project that is of kind image',
      },
    ],
  });
});

test('a render has a limit of URLs', (t) => {
  const keys = Array.from({ length: 51 }, (_, index) => `photo-${index}`);
  const fields = keys.map((key) => ({ ...FIELDS[0], key, target: { layer: key, property: 'asset' } }));
  const layers = keys.map((id) => ({ type: 'image', id, asset: 'logo', width: 10, height: 10 }));
  const many = decodeProjectDocument({
    ...document,
    compositions: [{ ...SIZE, id: 'comp_main', fps: 30, duration: 2, layers }],
    templates: [{ ...document.templates[0], fields }],
  });
  if (E.isLeft(many)) return t.fail(JSON.stringify(many.left));
  const valuesOf = (count: number) => Object.fromEntries(keys.slice(0, count).map((key) => [key, URL_OF(key)]));
  t.true(E.isRight(composeFinal(many.right, 'tpl_two', valuesOf(50), 'to_be_fetched')));
  t.like(composeFinal(many.right, 'tpl_two', valuesOf(51), 'to_be_fetched'), {
    left: { message: 'values: must have at most 50 URLs and uploads', field: 'values' },
  });
});

const UPLOAD = `upload_${'5f'.repeat(16)}`;

test('a media value can be an upload, which is fetched as a URL is', (t) => {
  t.is(faultOf({ first: UPLOAD }, 'to_be_fetched'), null);
  t.is(faultOf({ first: UPLOAD }), 'values.first: is a URL or an upload whose file was not fetched');
  t.deepEqual(remoteMediaOf(document, 'tpl_two', { first: UPLOAD }), [{ field: 'first', url: UPLOAD, kind: 'image' }]);
  t.is(faultOf({ first: UPLOAD }, new Map([['first', fetchedAs('value-first')]])), null);
  for (const first of [`${UPLOAD}0`, UPLOAD.slice(0, -1), UPLOAD.toUpperCase(), 'upload_'])
    t.regex(faultOf({ first }, 'to_be_fetched') ?? '', /must be the id of an asset/, first);
});

test('an asset of the project wins over an upload with its ID', (t) => {
  const own = { ...document, assets: document.assets.map((asset) => ({ ...asset, id: UPLOAD })) };
  t.deepEqual(remoteMediaOf(own, 'tpl_two', { first: UPLOAD }), []);
});
