import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import { changeCatalogue } from '../../../catalogue/change.ts';
import { waitUntilEffective } from '../../../catalogue/in-force.ts';
import { cancelRender } from '../../../command-api/renders/cancel-render.ts';
import { postRender } from '../../../command-api/renders/post-render.ts';
import type { CatalogueCommand } from '../../../domain/catalogue/commands.ts';
import { openApiKeyCache } from '../../../platform/access/api-key-cache.ts';
import { authenticated } from '../../../platform/access/authenticated.ts';
import { openAuthenticator } from '../../../platform/access/authenticator.ts';
import { openKeyUseRecorder } from '../../../platform/access/last-used.ts';
import { openRateLimits, type TakeFromSharedBucket } from '../../../platform/access/rate-limits.ts';
import type { Appended } from '../../../platform/event-log/event-log.ts';
import { STATUS_OF } from '../../../platform/http-server/api-error.ts';
import type { ApiRequest, Handler } from '../../../platform/http-server/route.ts';
import { isStoreUnavailable } from '../../../platform/read-store/store-away.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { openCatalogue } from '../../../read-models/catalogue/catalogue.ts';
import { saveKeyUses } from '../../../read-models/catalogue/key-last-used.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { isAnyBehind } from '../../../read-models/catch-up.ts';
import { generationPointers, pointerId } from '../../../read-models/generations.ts';
import { type Rebuild, rebuildProgress, requestRebuild } from '../../../read-models/rebuilds.ts';
import { erasableRenders } from '../../../read-models/renders/erasable-renders.ts';
import { openRenders } from '../../../read-models/renders/renders.ts';
import { type EraseRefusal, eraseRender } from '../../../render-commands/erase-render.ts';
import { openRequesting, type RequestSettings } from '../../../render-commands/requesting/open-requesting.ts';
import { within } from '../world/life.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, type Context, contextOf } from './cluster.ts';

export type Post = {
  readonly id: string;
  readonly key: string;
  readonly idempotency_key: string | null;
  readonly body: unknown;
};
export type Answer = { readonly status: number; readonly body: unknown };

export type Cancel = { readonly id: string; readonly key: string; readonly render_id: string };

export type Erase = { readonly id: string; readonly render_id: string };

/** POST /v1/renders and POST /v1/renders/{id}/cancel, as the HTTP server calls them. */
export type Commands = {
  readonly post: (post: Post) => Promise<Answer>;
  readonly cancel: (cancel: Cancel) => Promise<Answer>;
  /** An erasure by people or operators: 200 once it is appended, 409 while the render has not ended. */
  readonly erase: (erase: Erase) => Promise<Answer>;
  /** A change of the catalogue by people or operators: 200 once it is in effect, 409 if it is refused. */
  readonly manage: (command: CatalogueCommand) => Promise<Answer>;
  /** A rebuild of the renders as by `renderctl rebuild`: 200 once it serves, 409 if it is refused or cancelled. */
  readonly rebuild: () => Promise<Answer>;
};

const STATUS_OF_REFUSAL: Readonly<Record<EraseRefusal['tag'], number>> = {
  ...{ absent: 404, not_final: 409, unknown_version: 500, not_appended: 503, outcome_unknown: 503, not_folded: 503 },
};

const SETTINGS: Omit<RequestSettings, 'renders'> = {
  failed_work: { cpu_s_per_hour: 3_600, bytes_per_hour: 2 ** 40 },
  waiting_renders: { per_account: 10_000 },
  // The service allows a minute; the simulation scales times down.
  credits: { ledger_lag_s: 20 },
};
const RATE = { per_s: 1_000, burst: 1_000 };
/** The simulation has no rate limits, because clients stay far below them. */
const takesAll: TakeFromSharedBucket = async (_key_id, { wanted }) => ({ taken: wanted, level: RATE.burst });

/** Replaces the offset by -1, so that every append looks as if it were folded already. */
const withoutPlaces = (records: RecordLog): RecordLog => ({
  ...records,
  append: async (...asked) => E.map((place: Appended) => ({ ...place, offset: -1 }))(await records.append(...asked)),
});

const manageCatalogue = async ({ store, records, clock }: Context, command: CatalogueCommand): Promise<Answer> => {
  const management = { records, read_model: catalogueReadModel(store.db), actor: 'operator:simulation', clock };
  try {
    const change = await waitUntilEffective(management, changeCatalogue(management, command));
    if (E.isRight(change)) return { status: 200, body: null };
    return { status: change.left.tag === 'illegal' ? 409 : 503, body: JSON.stringify(change.left) };
  } catch (error) {
    return {
      status: isStoreUnavailable(error) ? 503 : 500,
      body: error instanceof Error ? error.stack : String(error),
    };
  }
};

const REBUILD_LOOK_MS = 1_000;

const isUnavailable = (error: unknown): boolean =>
  isStoreUnavailable(error) || (error instanceof Error && error.name.startsWith('KafkaJS'));

const serveAtOnce = async (db: Db, { _id, generation, replaces, ends, ...rebuild }: Rebuild, now: Date) => {
  const pointers = generationPointers(db);
  const pointer = pointerId(rebuild.read_model, rebuild.model_version);
  await pointers.updateOne(
    { _id: pointer },
    { $set: { generation, ends, replaced: { generation: replaces, at: now } } },
  );
  await pointers.deleteOne({ _id });
};

const rebuildRenders = async ({ store, records, clock }: Context, serves_early: boolean): Promise<Answer> => {
  const { db } = store;
  try {
    const ends = (await records.log.bounds('render-events')).map(({ end }) => end);
    const by = { by: 'operator:simulation', at: new Date(clock.now()) };
    const asked = await requestRebuild(db, 'renders', ends, by);
    if (asked.tag === 'refused') return { status: asked.reason === 'nothing_serves' ? 503 : 409, body: asked.reason };
    if (serves_early) await serveAtOnce(db, asked.rebuild, new Date(clock.now()));
    for (;;) {
      const { tag } = await rebuildProgress(db, asked.rebuild);
      if (tag !== 'folding') return { status: tag === 'serves' ? 200 : 409, body: tag };
      await clock.sleep(REBUILD_LOOK_MS);
    }
  } catch (error) {
    return isUnavailable(error)
      ? { status: 503, body: null }
      : { status: 500, body: error instanceof Error ? error.stack : String(error) };
  }
};

/**
 * @param fold_version of its new renders
 * @param serves gets the handlers once the API listens
 */
export const commandApi =
  (cluster: Cluster, fold_version: number, serves: (commands: Commands) => void): Program =>
  async (life) => {
    const context = contextOf(cluster, life);
    const { clock, logger, records: own_records, store, blobs, cached_blobs, catchUp } = context;
    const records = cluster.mutants.has('holds_end_early') ? withoutPlaces(own_records) : own_records;
    const { db } = store;
    const catalogue = openCatalogue(db);
    const use = openKeyUseRecorder(saveKeyUses(db), logger, clock);
    const authenticator = openAuthenticator(
      openApiKeyCache(catalogue, cluster.mutants.has('revoked_key_opens') ? { ...clock, monotonic: () => 0 } : clock),
      openRateLimits(RATE, takesAll, logger, clock),
      use,
      clock,
      isAnyBehind(catchUp),
    );
    const requesting = openRequesting({
      ...{ db, records, blobs, key_blobs: cached_blobs, logger, clock },
      settings: { ...SETTINGS, renders: { type: 'cloud', fold_version } },
      idempotency_secret: 'of the simulation',
    });
    const postHandler = authenticated(
      authenticator,
      postRender(requesting.requestRender, async (_access, body) => E.right(body)),
    );
    const cancelHandler = authenticated(authenticator, cancelRender({ renders: openRenders(db), records, clock }));
    const answer = async (
      handler: Handler,
      asked: Pick<ApiRequest, 'id' | 'params' | 'headers'>,
      body: unknown,
    ): Promise<Answer> => {
      const request: ApiRequest = {
        ...asked,
        query: new URLSearchParams(),
        json: async () => E.right(body),
        log: () => logger,
        answerWith: () => undefined,
        gone: () => new AbortController().signal,
      };
      try {
        const made = await handler(request);
        return E.isLeft(made)
          ? { status: STATUS_OF[made.left.tag], body: made.left.message }
          : { status: made.right.status, body: made.right.body };
      } catch (error) {
        // Answers an unexpected error as the HTTP server does.
        return { status: 500, body: error instanceof Error ? error.stack : String(error) };
      }
    };
    const here = (work: () => Promise<Answer>): Promise<Answer> =>
      new Promise((resolve, reject) => within(life, () => void work().then(resolve, reject)));
    serves({
      post: ({ id, key, idempotency_key, body }) => {
        const authorization = `Bearer ${key}`;
        const keyed = idempotency_key === null ? {} : { 'idempotency-key': idempotency_key };
        return here(() => answer(postHandler, { id, params: {}, headers: { authorization, ...keyed } }, body));
      },
      cancel: ({ id, key, render_id }) => {
        const headers = { authorization: `Bearer ${key}` };
        return here(() => answer(cancelHandler, { id, params: { id: render_id }, headers }, null));
      },
      manage: (command) => here(() => manageCatalogue(context, command)),
      rebuild: () => here(() => rebuildRenders(context, cluster.mutants.has('rebuild_serves_early'))),
      erase: ({ id, render_id }) =>
        here(async () => {
          const wanted = { render_id, team_id: null, actor: 'operator:simulation', correlation_id: id };
          try {
            const erased = await eraseRender({ renders: erasableRenders(db), records, clock }, wanted);
            if (E.isLeft(erased)) return { status: STATUS_OF_REFUSAL[erased.left.tag], body: erased.left.tag };
            return { status: 200, body: null };
          } catch (error) {
            return {
              status: isStoreUnavailable(error) ? 503 : 500,
              body: error instanceof Error ? error.stack : String(error),
            };
          }
        }),
    });
    return {
      stop: async () => {
        await use.stop();
        await requesting.stop();
      },
    };
  };
