import type { Collection } from 'mongodb';
import { catalogueCollectionsIn } from '../../../../read-models/catalogue/model.ts';
import { openInactiveCatalogueCleaner } from '../../../../read-models/left/left-catalogue.ts';
import { openInactiveRenderCleaner } from '../../../../read-models/left/left-renders.ts';
import { renderCollectionsIn, servingRenders } from '../../../../read-models/renders/model.ts';
import type { Form, Stored } from './form.ts';

const LEFT = 902;
const left = async () => [LEFT];

const plain = (collection: unknown): Collection<Stored> => collection as Collection<Stored>;

const render = (_id: string, name: string): Stored => ({
  ...{ _id, offset: 4, partition: 1, name, name_salt: 'salt', search: ['p:a'], facts: [] },
  render: {
    id: _id,
    name: '',
    erased_at: null,
    project_id: 'proj_1',
    account_id: 'acc_1',
    team_id: 'team_1',
    status: 'complete',
  },
});

export const LEFT_GENERATIONS: readonly Form[] = [
  {
    name: 'names of erased renders are removed from an unused generation in pages',
    used_by: ['read-models/left/left-renders.ts'],
    operation: async ({ store }) => {
      const renders = plain(renderCollectionsIn(store.db, LEFT).renders);
      await renders.insertMany([render('rend_1', 'Ada'), render('rend_2', 'Bob'), render('rend_3', 'Eve')]);
      const { clear, clearPage } = openInactiveRenderCleaner(store.db, left);
      await clear(['rend_1']);
      const serving = plain((await servingRenders(store.db)()).renders);
      const erased = { ...render('rend_2', ''), render: { ...render('rend_2', '').render, erased_at: 5 } };
      await serving.insertOne(erased);
      const page = await clearPage(null);
      await serving.deleteOne({ _id: 'rend_2' });
      const names = (await renders.find({}).sort({ _id: 1 }).toArray()).map(({ name, search }) => [name, search]);
      return [page, names];
    },
    expected: [
      { next: `${LEFT + 1}/`, cleared: 1 },
      [
        [null, []],
        [null, []],
        ['Eve', ['p:a']],
      ],
    ],
  },
  {
    name: 'the box of an erased render is removed from an unused generation, and its key stays',
    used_by: ['read-models/left/left-renders.ts'],
    operation: async ({ store }) => {
      const renders = plain(renderCollectionsIn(store.db, LEFT).renders);
      const seal = (box: string) => ({ tree: '01JDTREE', leaf: 7, box });
      const requested = (box: string) => [
        { verdict: 'accepted', offset: 4, fact: { type: 'RenderRequested', name: '', sealed: seal(box) } },
      ];
      // The name is pending, so only the box has it.
      await renders.insertOne({ ...render('rend_4', ''), name: null, facts: requested('secret') });
      const { clear } = openInactiveRenderCleaner(store.db, left);
      await clear(['rend_4']);
      const found = await renders.findOne({ _id: 'rend_4' });
      await renders.deleteOne({ _id: 'rend_4' });
      return found?.facts;
    },
    expected: [
      {
        ...{ verdict: 'accepted', offset: 4 },
        fact: { type: 'RenderRequested', name: '', sealed: { tree: '01JDTREE', leaf: 7, box: '' } },
      },
    ],
  },
  {
    name: 'texts of erased subjects are removed from an unused catalogue and its older versions',
    used_by: ['read-models/left/left-catalogue.ts'],
    operation: async ({ store }) => {
      const { entities } = catalogueCollectionsIn(store.db, LEFT);
      const ofKind = (kind: Parameters<typeof entities>[0]) => plain(entities(kind));
      await ofKind('project').insertMany([
        { _id: 'proj_1', name: 'Ada', version: 2, search: ['p:a'], position: '1' },
        { _id: 'proj_2', name: 'Bob', version: 1, search: [] },
      ]);
      await ofKind('project_version').insertMany([{ _id: 'proj_1:1' }, { _id: 'proj_1:2' }, { _id: 'proj_2:1' }]);
      await ofKind('project_thumbnail').insertOne({ _id: 'proj_1' });
      await ofKind('user').insertOne({ _id: 'user_1', email: 'ada@example.com' });
      await ofKind('account').insertOne({ _id: 'acc_1', name: 'Ada' });
      const clear = openInactiveCatalogueCleaner(store.db, left);
      const counts = [
        await clear('project', ['proj_1', 'proj_3']),
        await clear('project', ['proj_1']),
        await clear('user', ['user_1']),
        await clear('account', ['acc_1']),
      ];
      const found = await Promise.all(
        (['project', 'project_version', 'project_thumbnail', 'user', 'account'] as const).map((kind) =>
          ofKind(kind).find({}).sort({ _id: 1 }).toArray(),
        ),
      );
      return [counts, ...found];
    },
    expected: [
      [1, 0, 1, 1],
      [
        { _id: 'proj_1', name: null, version: 2, search: [] },
        { _id: 'proj_2', name: 'Bob', version: 1, search: [] },
      ],
      [{ _id: 'proj_2:1' }],
      [],
      [{ _id: 'user_1', email: null }],
      [{ _id: 'acc_1', name: '' }],
    ],
  },
];
