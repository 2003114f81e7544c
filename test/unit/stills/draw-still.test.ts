import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import type { ApiError } from '../../../platform/http-server/api-error.ts';
import { drawStill, type StillDependencies } from '../../../render-commands/stills/draw-still.ts';
import type { ComposedStill } from '../../../schemas/http/composed-still.ts';

const decoded = decodeProjectDocument({
  ...{ name: 'Two seconds', main_composition_id: 'comp_main' },
  compositions: [
    {
      ...{ id: 'comp_main', width: 320, height: 180, fps: 30, duration: 2, poster_time: 1 },
      layers: [{ id: 'box', type: 'shape', color: '#FF0000', width: 10, height: 10 }],
    },
  ],
  templates: [
    {
      ...{ id: 'tpl_box', name: 'Box', target_composition_id: 'comp_main' },
      fields: [{ key: 'box', kind: 'color', default_value: '#FF0000', target: { layer: 'box', property: 'color' } }],
    },
  ],
});
if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
const document = decoded.right;

const rate = (allowed: boolean) => async () => ({ allowed, headers: {}, retry_after_s: 3 });

const world = (parts: Partial<StillDependencies> = {}) => {
  const asked: ComposedStill[] = [];
  const dependencies: StillDependencies = {
    documents: async () => document,
    stills: rate(true),
    stillsService: async (still) => {
      asked.push(still);
      return E.right(Buffer.from('picture'));
    },
    ...parts,
  };
  const unused = () => {
    throw new Error('not used in this test');
  };
  const reader = {
    account_id: 'acc_1',
    writer: {
      catalogue: Object.create(null),
      blobs: Object.create(null),
      ...{
        findVersionWithAsset: unused,
        findUploads: unused,
        fetchUrls: unused,
        account_files: Object.create(null),
        team_ids: ['team_1'],
        user_id: null,
      },
    },
    find: async (id: string) => E.right({ id, version: id === 'proj_empty' ? 0 : 1 }),
  };
  const draw = (body: unknown, accept?: string) =>
    drawStill(
      dependencies,
      reader,
      { headers: accept === undefined ? {} : { accept }, gone: () => new AbortController().signal },
      body,
    );
  return { draw, asked };
};

const OF = { project_id: 'proj_1' };

const faultOf = async (answer: ReturnType<ReturnType<typeof world>['draw']>): Promise<ApiError | null> => {
  const drawn = await answer;
  return E.isLeft(drawn) ? drawn.left : null;
};

test('the service gets a checked composition of the account', async (t) => {
  const { draw, asked } = world();
  const body = { ...OF, template_id: 'tpl_box', values: { box: '#00FF00', bix: 1 }, time_s: 1.51, width: 100 };
  t.deepEqual(
    await draw(body),
    E.right({ bytes: Buffer.from('picture'), format: 'jpeg', ignored: '"bix";did-you-mean="box"' }),
  );
  t.like(asked[0], { account_id: 'acc_1', width: 100, format: 'jpeg', paths: {} });
  t.like(asked[0]?.final.composition.layers[0], { color: '#00FF00' });
});

test('the time is that of the poster by default, and within the video', async (t) => {
  const { draw, asked } = world();
  await draw(OF);
  t.is(asked[0]?.at_s, 1);
  t.is(await faultOf(draw({ ...OF, time_s: 1.999 })), null);
  for (const time_s of [2, 3, 3600]) t.like(await faultOf(draw({ ...OF, time_s })), { param: 'time_s' });
  t.is(asked.length, 2, 'faults are not drawn');
});

test('a picture is WebP if the client names it, and format decides before', async (t) => {
  const { draw } = world();
  t.like(await draw(OF, 'image/avif,image/webp,*/*'), { right: { format: 'webp' } });
  t.like(await draw(OF, '*/*'), { right: { format: 'jpeg' } });
  t.like(await draw({ ...OF, format: 'jpeg' }, 'image/webp'), { right: { format: 'jpeg' } });
});

test('each fault of a request names its member', async (t) => {
  const { draw, asked } = world();
  const faults: readonly (readonly [object, string])[] = [
    [{}, 'project_id'],
    [{ ...OF, project: {} }, 'project'],
    [{ ...OF, width: 1 }, 'width'],
    [{ ...OF, time_s: -1 }, 'time_s'],
    [{ ...OF, format: 'png' }, 'format'],
    [{ ...OF, values: { box: '#00FF00' } }, 'values'],
    [{ ...OF, template_id: 'tpl_other' }, 'template_id'],
    [{ ...OF, template_id: 'tpl_box', values: { box: 'green' } }, 'values.box'],
    [{ project_id: 'proj_empty' }, 'project_id'],
  ];
  for (const [body, param] of faults) t.is((await faultOf(draw(body)))?.param, param, JSON.stringify(body));
  t.is(asked.length, 0);
});

test('a lost file of an asset is a conflict that names the asset', async (t) => {
  const stillsService = async () => E.left({ tag: 'asset_lost', asset_id: 'logo' } as const);
  const { draw } = world({ stillsService });
  t.like(await faultOf(draw(OF)), { tag: 'conflict', code: 'asset_lost', param: 'project_id' });
  t.regex((await faultOf(draw(OF)))?.message ?? '', /^project_id: the file of the asset "logo"/);
});

test('an account beyond its rate gets the time to wait', async (t) => {
  const { draw, asked } = world({ stills: rate(false) });
  t.like(await faultOf(draw(OF)), { tag: 'rate_limited', retry_after_s: 3 });
  t.is(asked.length, 0);
});
