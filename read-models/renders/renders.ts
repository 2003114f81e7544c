import type { Db } from 'mongodb';
import pLimit from 'p-limit';
import type { Render, RenderStatus } from '../../domain/render/render.ts';
import { readOncePerInterval } from '../../platform/read-store/fresh-read.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ListPosition } from '../../schemas/http/cursor.ts';
import type { RenderListRequest } from '../../schemas/http/public/renders.ts';
import type { Period } from '../../schemas/http/query.ts';
import { listReaderForServer } from '../embedded/lists-for-server.ts';
import { FIRST_MODEL_VERSION, LISTS_OF_TEAMS_SINCE, readServingGeneration } from '../generations.ts';
import { partInPeriod } from '../list-part.ts';
import {
  type ListRequest,
  newestFirstTier,
  type PositionedElement,
  type ReadListTier,
  readByQuery,
  readList,
  searchLimits,
} from '../lists.ts';
import { listPosition } from '../position.ts';
import { type LiveProgressDocument, type RenderDocument, renderWithName, upgradeRender } from './documents.ts';
import { type FoldedUntil, foldedUntil } from './folded-until.ts';
import { liveProgress } from './live-progress.ts';
import { type RenderCollections, renderCollectionsIn, servingRenders } from './model.ts';
import { pendingIdsAmong, readNamed } from './pending-names.ts';
import { projectRenders, type RenderFilter, teamRenders } from './query-fields.ts';

/** A render with its name. `render` is also null if the render was erased or if its name is pending. */
export type VisibleRender = Pick<RenderDocument, '_id' | 'render' | 'facts' | 'partition' | 'ignored_count'> & {
  readonly erased_in?: string;
  readonly pending_in?: string;
};

/** All functions reject on store outage. */
export type Renders = {
  readonly find: (render_id: string) => Promise<VisibleRender | null>;
  readonly findAll: (render_ids: readonly string[]) => Promise<readonly VisibleRender[]>;
  /** At most a second old. An older value only makes readers wait longer. */
  readonly foldedUntil: () => Promise<FoldedUntil>;
  readonly progress: (render_id: string) => Promise<LiveProgressDocument | null>;
  /** By render id, of those renders that have a report. */
  readonly progressOfAll: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LiveProgressDocument>>;
  /** False while an upgrade folds search tokens. */
  readonly areSearchable: () => Promise<boolean>;
  readonly page: (
    wanted: Pick<RenderListRequest, 'project_id' | 'status' | 'template_id'> & ListRequest,
    from: ListPosition | null,
    count: number,
  ) => Promise<readonly PositionedElement<Render>[]>;
  /** False while an upgrade folds the lists of teams, which are empty until then. */
  readonly areListedByTeam: () => Promise<boolean>;
  /**
   * Newest first.
   *
   * @param from null for the beginning
   */
  readonly teamPage: (
    wanted: { readonly team_id: string; readonly status: RenderStatus | null } & Period,
    from: ListPosition | null,
    count: number,
  ) => Promise<readonly PositionedElement<Render>[]>;
  /**
   * The renders of several projects whose names have all words of a text, or words that begin with them. Newest first.
   * Without a text, all renders of the filter.
   *
   * @param from null for the beginning
   */
  readonly pageOfProjects: (
    wanted: { readonly project_ids: readonly string[]; readonly search: string | null } & RenderFilter & Period,
    from: ListPosition | null,
    count: number,
  ) => Promise<readonly PositionedElement<Render>[]>;
};

/** Projects that are read at once. */
const PROJECTS_AT_ONCE = 8;

/** Without search tokens, which are long. */
const SHOWN = { projection: { render: 1, name: 1, facts: 1, partition: 1, ignored_count: 1 } } as const;
type Read = VisibleRender & Pick<RenderDocument, 'name'>;

const shown = ({ name, ...document }: Read): VisibleRender => {
  const render = renderWithName(name === undefined ? document : { ...document, name });
  return render === null && document.render !== null
    ? { ...document, render, erased_in: document.render.team_id }
    : { ...document, render };
};

const findIn = async ({ renders, pending }: RenderCollections, _id: string): Promise<VisibleRender | null> => {
  const read = async (): Promise<readonly (Read & Pick<RenderDocument, '_id'>)[]> => {
    const found = await renders.findOne<Read & Pick<RenderDocument, '_id'>>({ _id }, { ...SHOWN, ...queryTimeout() });
    return found === null ? [] : [found];
  };
  const named = await readNamed([_id], read, (ids) => pendingIdsAmong(pending, ids));
  const [found] = named.found;
  if (found === undefined) return null;
  const { erased_in, ...document } = shown(found);
  if (erased_in === undefined) return document;
  return named.pending.has(_id) ? { ...document, pending_in: erased_in } : { ...document, erased_in };
};

export const openRenders = (db: Db): Renders => {
  const serving = servingRenders(db);
  const forServer = listReaderForServer(db, 'renders');
  const live = liveProgress(db);

  const tierReader = async (): Promise<ReadListTier<Render>> => {
    const model = await serving();
    const { renders } = model;
    const plain = readByQuery<Render>(async (pipeline, time) => {
      const found = await renders.aggregate<Pick<RenderDocument, 'render' | 'name'>>(pipeline, time).toArray();
      return found.flatMap((document) => {
        const render = renderWithName(document);
        return render === null ? [] : [{ position: listPosition(render.created_at, render.id), element: render }];
      });
    });
    return await forServer(model, renders, plain);
  };

  return {
    find: async (_id) => {
      const model = await serving();
      const { generation } = model;
      // After a recent cutover, another process may have read the render in the new generation. The pointer is always
      // read, so that the time of an answer does not reveal that a hidden render exists.
      const [found, now] = await Promise.all([findIn(model, _id), readServingGeneration(db, 'renders')]);
      if (found !== null) return found;
      return now === null || now.generation === generation
        ? null
        : await findIn(renderCollectionsIn(db, now.generation), _id);
    },

    findAll: async (ids) => {
      const { renders } = await serving();
      const found = await renders.find<Read>({ _id: { $in: [...ids] } }, { ...SHOWN, ...queryTimeout() }).toArray();
      return found.map(shown);
    },

    foldedUntil: readOncePerInterval(async () => {
      const marks = await (await serving()).caught_up.find({}, queryTimeout()).toArray();
      return foldedUntil(marks, marks.length);
    }),

    progress: live.find,

    progressOfAll: live.findAll,

    areSearchable: async () => (await serving()).model_version > FIRST_MODEL_VERSION,

    page: async ({ project_id, status, template_id, ...request }, from, count) =>
      await readList<Render>(
        projectRenders(project_id, { status, template_id }),
        request,
        from,
        count,
        await tierReader(),
      ),

    areListedByTeam: async () => (await serving()).model_version >= LISTS_OF_TEAMS_SINCE,

    teamPage: async ({ team_id, status, ...period }, from, count) => {
      const part = partInPeriod(period, 'desc', from?.position ?? null);
      const readTier = await tierReader();
      const found = await readTier(teamRenders(team_id, status), part, count, queryTimeout());
      return found.map((one) => ({ ...one, tier: 0 }));
    },

    pageOfProjects: async ({ project_ids, search, status, template_id, ...period }, from, count) => {
      const part = partInPeriod(period, 'desc', from?.position ?? null);
      const readTier = await tierReader();
      const limits = searchLimits();
      const tiers = project_ids.flatMap(
        (id) => newestFirstTier(projectRenders(id, { status, template_id }), search) ?? [],
      );
      const found = await pLimit(PROJECTS_AT_ONCE).map(tiers, (tier) => readTier(tier, part, count, limits));
      return found
        .flat()
        .toSorted((a, b) => (a.position < b.position ? 1 : -1))
        .slice(0, count)
        .map((one) => ({ ...one, tier: 0 }));
    },
  };
};

export const renderDocument = async (db: Db, _id: string): Promise<RenderDocument | null> => {
  const found = await (await servingRenders(db)()).renders.findOne({ _id });
  return found === null ? null : upgradeRender(found);
};
