import { pendingWrite } from '../../../../projectors/pending-texts/pending-write.ts';
import { catalogueCollectionsIn } from '../../../../read-models/catalogue/model.ts';
import { pendingVersions } from '../../../../read-models/catalogue/pending-versions.ts';
import type { RenderDocument } from '../../../../read-models/renders/documents.ts';
import { renderCollectionsIn } from '../../../../read-models/renders/model.ts';
import { isNamePending, pendingIdsAmong } from '../../../../read-models/renders/pending-names.ts';
import { findUnlistedIn } from '../../../../read-models/renders/project-renders.ts';
import { all, type Form, idsOf, type Stored } from './form.ts';

const payload = { path: 'renders/rend_1/request', sha256: 'a' };
const row = (_id: string, partition: number, offset: number) => ({
  ...{ _id, partition, offset, payload, fault: 'unavailable' as const },
});
const stored = (_id: string, partition: number, offset: number, tries: number): Stored => ({
  ...row(_id, partition, offset),
  tries,
});
const ROWS = [
  stored('rend_1', 1, 5, 3),
  stored('rend_2', 2, 9, 0),
  stored('rend_3', 1, 2, 1),
  stored('rend_4', 3, 1, 0),
];

const filler = 'projectors/pending-texts/fill-pending.ts';
const report = 'projectors/pending-texts/report-pending.ts';

export const PENDING_TEXTS: readonly Form[] = [
  {
    name: 'a pending text replaces its own older row',
    used_by: ['projectors/pending-texts/pending-write.ts'],
    documents: [stored('rend_1', 1, 5, 3)],
    operation: async ({ things }) => {
      await things.bulkWrite([
        pendingWrite(row('rend_1', 1, 7), 1_000),
        pendingWrite(row('rend_2', 2, 1), 1_000),
      ] as never);
      return (await all(things)).map(({ _id, offset, tries, since }) => [_id, offset, tries, since.getTime()]);
    },
    expected: [
      ['rend_1', 7, 0, 1_000],
      ['rend_2', 1, 0, 1_000],
    ],
  },
  {
    name: 'rows with the fewest attempts come first, and attempts are counted',
    used_by: [filler, report],
    documents: ROWS,
    indexes: [{ key: { tries: 1, _id: 1 } }],
    operation: async ({ things }) => {
      const here = { partition: { $in: [1, 2] } };
      const due = await things.find(here).sort({ tries: 1, _id: 1 }).limit(2).toArray();
      const lasting = { partition: 1, tries: { $gt: 0 } };
      const oldest = await things.find(lasting).sort({ offset: 1 }).limit(1).toArray();
      return [idsOf(due), await things.countDocuments(here), idsOf(oldest), await things.countDocuments(lasting)];
    },
    expected: [['rend_2', 'rend_3'], 3, ['rend_3'], 2],
  },
  {
    name: 'the transaction that fills a document deletes its row if the event still matches',
    used_by: [filler, 'projectors/catalogue/fill-texts.ts', 'projectors/render/fill-names.ts'],
    documents: ROWS,
    operation: async ({ store, things, others }) => {
      await others.insertMany([
        { _id: 'rend_1', name: null },
        { _id: 'proj_1', name: null, version: 1 },
      ]);
      const filled = async (offset: number) =>
        await store.transaction(async (session) => {
          const { deletedCount } = await things.deleteOne({ _id: 'rend_1', offset }, { session });
          if (deletedCount !== 1) return 0;
          const found = await others.findOne({ _id: 'proj_1' }, { session });
          await others.replaceOne({ _id: 'proj_1' }, { name: 'Film', version: found?.version }, { session });
          const { matchedCount } = await others.updateOne({ _id: 'rend_1' }, { $set: { name: 'Ada' } }, { session });
          return matchedCount;
        });
      await things.updateOne({ _id: 'rend_3' }, { $set: { fault: 'refused', tries: 2 } });
      const counts = [await filled(4), await filled(5), await filled(5)];
      return [counts, await all(others), (await things.findOne({ _id: 'rend_3' }))?.tries];
    },
    expected: [
      [0, 1, 0],
      [
        { _id: 'proj_1', name: 'Film', version: 1 },
        { _id: 'rend_1', name: 'Ada' },
      ],
      2,
    ],
  },
  {
    name: 'pending names and versions are found by their subject',
    used_by: ['read-models/renders/pending-names.ts', 'read-models/catalogue/pending-versions.ts'],
    operation: async ({ store }) => {
      const { pending: names } = renderCollectionsIn(store.db, 901);
      const model = catalogueCollectionsIn(store.db, 901);
      await names.insertOne({ ...row('rend_1', 1, 5), name_sha256: 'b', since: new Date(0), tries: 0 });
      const version = { project_id: 'proj_1', version: 2, since: new Date(0), tries: 0 };
      await model.pending.insertOne({ ...row('proj_1:2', 0, 5), ...version });
      return [
        [...(await pendingIdsAmong(names, ['rend_1', 'rend_2']))],
        await isNamePending(names, 'rend_2'),
        [await pendingVersions(model, 'proj_1'), await pendingVersions(model, 'proj_2')],
      ];
    },
    expected: [['rend_1'], false, [[2], []]],
  },
  {
    name: 'renders of a project with pending names are found in pages',
    used_by: ['read-models/renders/project-renders.ts'],
    operation: async ({ store }) => {
      const model = renderCollectionsIn(store.db, 907);
      for (const id of ['rend_1', 'rend_2', 'rend_3'])
        await model.pending.insertOne({ ...row(id, 1, 5), name_sha256: 'b', since: new Date(0), tries: 0 });
      await model.renders.insertOne({ _id: 'rend_3', project_id: 'proj_1', status: 'ready' } as RenderDocument);
      return [
        await findUnlistedIn(model, 'proj_1', 2),
        await findUnlistedIn(model, 'proj_1', 3),
        await findUnlistedIn(model, 'proj_2', 2),
      ];
    },
    expected: [[{ id: 'rend_3', has_ended: false }], [{ id: 'rend_3', has_ended: false }], []],
  },
];
