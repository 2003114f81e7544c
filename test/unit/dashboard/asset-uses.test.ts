import test from 'ava';
import { assetKindOf, newAssetId, withAsset } from '../../../dashboard/source/projects/assets/add-asset.ts';
import { assetStill, usesOf } from '../../../dashboard/source/projects/assets/asset-uses.ts';
import { sizeText } from '../../../dashboard/source/projects/assets/size-text.ts';

const DOCUMENT = {
  compositions: [
    {
      id: 'comp_main',
      layers: [
        { id: 'mark', type: 'image', asset: 'logo' },
        { id: 'title', type: 'text', font_family: 'Sora', text: 'logo' },
        { id: 'card', type: 'group', layers: [{ id: 'photo', type: 'image', asset: 'face' }] },
      ],
    },
  ],
  templates: [
    {
      name: 'Card',
      fields: [
        { key: 'logo', label: 'Logo', kind: 'image', default_value: 'logo' },
        { key: 'title', label: 'Title', kind: 'text', default_value: 'logo' },
      ],
    },
  ],
};

test('an asset says which layers and fields use it', (t) => {
  t.deepEqual(usesOf(DOCUMENT, 'logo', null), ['layer mark', 'Card, field Logo']);
  t.deepEqual(usesOf(DOCUMENT, 'sora', 'Sora'), ['layer title']);
  t.deepEqual(usesOf(DOCUMENT, 'face', null), ['layer photo']);
  t.deepEqual(usesOf(DOCUMENT, 'other', null), []);
});

test('a sound has no picture; a font shows letters of its family', (t) => {
  const asset = { id: 'a', sha256: 'a'.repeat(64) };
  t.is(assetStill({ ...asset, kind: 'audio' }, null), null);
  t.like(assetStill({ ...asset, kind: 'font' }, 'Sora'), {
    compositions: [{ layers: [{ type: 'text', font_family: 'Sora' }] }],
  });
  t.like(assetStill({ ...asset, kind: 'image' }, null), {
    compositions: [{ layers: [{ type: 'image', asset: 'a' }] }],
  });
});

test('a size is shown in its unit', (t) => {
  t.deepEqual([0, 999, 1_000, 12_345, 999_999, 1_250_000, 3_000_000_000].map(sizeText), [
    ...['0 bytes', '999 bytes', '1 KB', '12 KB', '1 MB', '1.3 MB', '3 GB'],
  ]);
});

test('an added file gets a free id from its name, and its kind', (t) => {
  t.is(newAssetId('Fjell logo (2).png', new Set()), 'Fjell-logo-2');
  t.is(newAssetId('Ölberg.tar.png', new Set(['Olberg-tar', 'Olberg-tar-2'])), 'Olberg-tar-3');
  t.is(newAssetId('\u4f60\u597d.png', new Set()), 'file');
  t.is(newAssetId(`${'x'.repeat(300)}.png`, new Set()).length, 60);
  t.deepEqual(['a.PNG', 'a.mov', 'a.opus', 'a.ttf', 'a.exe', 'png'].map(assetKindOf), [
    'image',
    'video',
    'audio',
    'font',
    null,
    null,
  ]);
  const added = { kind: 'image', file_name: 'logo.png', upload_id: 'upload_1' } as const;
  t.deepEqual(withAsset({ name: 'A', assets: [{ id: 'logo' }] }, added), {
    ...{ name: 'A', assets: [{ id: 'logo' }, { id: 'logo-2', kind: 'image', upload: 'upload_1' }] },
  });
  t.deepEqual(withAsset({}, added).assets, [{ id: 'logo', kind: 'image', upload: 'upload_1' }]);
});
