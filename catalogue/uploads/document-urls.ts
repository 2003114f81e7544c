import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { UploadState } from '../../domain/uploads/upload.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import type { AssetSource } from '../documents/asset-source.ts';
import type { CreateUploadDependencies, UploadFault } from './create-upload.ts';
import { fetchUrl, type UrlSource, urlUploadId } from './fetch-upload.ts';
import { openReadyUploads } from './ready-uploads.ts';

/** By the key of a URL: its file, or why it has none. `pending` counts the others, whose fetch continues. */
export type FetchedUrls = {
  readonly files: ReadonlyMap<string, readonly AssetSource[]>;
  readonly faults: ReadonlyMap<string, string>;
  readonly pending: number;
};

/** Fetches each URL once for the team, and waits for some seconds. Rejects on outage. */
export type FetchUrls = (team_id: string, sources: readonly UrlSource[]) => Promise<E.Either<UploadFault, FetchedUrls>>;

export type FetchUrlsDependencies = CreateUploadDependencies & {
  readonly uploads: Pick<Uploads, 'states'>;
  readonly clock: Pick<Clock, 'sleep'>;
};

export const urlKey = ({ kind, url }: Pick<UrlSource, 'kind' | 'url'>): string => `${kind} ${url}`;

const STARTED_AT_ONCE = 8;
/** Together some seconds: shorter than the gateway's timeout for an answer, also with the changes that follow. */
const PAUSES_MS = [100, 200, 300, 400, 500, 750, 1_000, 1_000, 1_000];

const hasEnded = (state: UploadState | undefined): boolean => state === 'ready' || state === 'refused';

export const openFetchUrls =
  (parts: FetchUrlsDependencies, account_id: string): FetchUrls =>
  async (team_id, sources) => {
    const ids = new Map(sources.map((source) => [urlKey(source), urlUploadId(parts, account_id, team_id, source)]));
    const started = await pLimit(STARTED_AT_ONCE).map([...sources], (source) =>
      fetchUrl(parts, { id: ids.get(urlKey(source)) ?? '', account_id, team_id, source }, true),
    );
    const refused = started.find(E.isLeft);
    if (refused !== undefined) return refused;
    const all = [...ids.values()];
    let states = await parts.uploads.states(all);
    for (const pause_ms of PAUSES_MS) {
      if (all.every((id) => hasEnded(states.get(id)))) break;
      await parts.clock.sleep(pause_ms);
      states = await parts.uploads.states(all);
    }
    const ready = await openReadyUploads(parts, account_id)(
      all.filter((id) => states.get(id) === 'ready'),
      [team_id],
    );
    const files = new Map(
      [...ids].flatMap(([key, id]) => [...(ready.has(id) ? [[key, ready.get(id) ?? []] as const] : [])]),
    );
    const faults = new Map<string, string>();
    for (const [key, id] of ids) {
      if (states.get(id) !== 'refused') continue;
      faults.set(key, (await parts.uploads.find(id))?.faults.join('; ') ?? '');
    }
    return E.right({ files, faults, pending: ids.size - files.size - faults.size });
  };
