import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { draftOf } from '../../domain/composition/draft.ts';
import { composeFinal, type FinalComposition, type ValueLengths } from '../../domain/composition/final-composition.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import { followsLengths } from '../../domain/composition/layer-times.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { isUpload, type RemoteMedia, remoteMediaOf } from '../../domain/composition/remote-media.ts';
import type { Values } from '../../domain/composition/values.ts';
import { priceCredits } from '../../domain/pricing.ts';
import type { PreparedRender } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import { type CheckOptions, checkMedia, mediaLengths } from '../../engine/check-composition.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import {
  BlobFault,
  type BlobStore,
  isBlobStoreUnavailable,
  isUnavailableOrRefused,
} from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { abortWithGracePeriod } from '../../platform/process/abortable.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry, SHORT_RETRY_POLICY } from '../../platform/process/retry.ts';
import { isSystemError } from '../../platform/process/system-error.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { compositionPath, mediaPath } from '../../schemas/blobs/paths.ts';
import { attemptLossInFolder } from '../environment/infrastructure-fault.ts';
import type { AssetCache } from '../local-files/asset-cache.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import { DeadlinePassed, STAGES, withinDeadline } from '../metering/stage-deadline.ts';
import { type WorkClock, workClock } from '../metering/work-clock.ts';
import type { WorkMeter } from '../metering/work-meter.ts';
import type { AccountSlots } from '../queue/account-slots.ts';
import type { DiskBudget, DiskReservation } from './disk-budget.ts';
import { type FetchedAssets, fetchedAssets, nameFieldInFault } from './fetched-assets.ts';
import { type MediaFetcher, maxFetchedBytes } from './media-fetcher.ts';
import {
  environmentFault,
  faultOfComposition,
  faultOfEngine,
  infrastructureFailure,
  type PreparationFault,
  TransientFault,
} from './preparation-fault.ts';
import type { FindVersion } from './project-versions.ts';
import { REQUEST_MISSING, type RenderInput, type RequestReader } from './request-reader.ts';
import { type UploadedMediaDependencies, uploadedFiles } from './uploaded-media.ts';

export type PrepareDependencies = {
  readonly versions: FindVersion;
  readonly readRequest: RequestReader;
  readonly blobs: BlobStore;
  readonly assets: Pick<AssetCache, 'provide' | 'sizeOf'>;
  readonly fetcher: MediaFetcher;
  readonly uploads: UploadedMediaDependencies['uploads'];
  readonly folder: WorkFolder;
  readonly disk: DiskBudget;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  /** Separate slots for inspections, so that complex files of one account do not block other accounts. */
  readonly looks: Pick<AccountSlots, 'inSlot'>;
  /**
   * Time limit of a preparation after its project is loaded. Storing has the same limit separately. Waiting for slots
   * or disk space does not count.
   */
  readonly limit_ms: number;
  /** Time limit for downloading the values, and separately for the project's files. Retries count. */
  readonly download_ms: number;
  readonly logger: Logger;
  readonly clock: Clock;
};

type Outcome<A> = E.Either<PreparationFault, A>;

const mayPass = (fault: unknown): boolean =>
  isBlobStoreUnavailable(fault) || fault instanceof TransientFault || isSystemError(fault);

/** A missing or corrupt blob is permanent, so the render fails without a retry. */
const ofBlob = (fault: BlobFault, render: Render): PreparationFault => {
  if (fault.path === render.request?.path) return REQUEST_MISSING;
  return {
    code: `media_${fault.tag}`,
    message: 'assets: a file of the project is missing or damaged',
    field: 'assets',
    ours: true,
  };
};

type Work = {
  readonly render: Render;
  readonly project: ProjectDocument;
  readonly input: RenderInput;
  readonly own: string;
  readonly clock: WorkClock;
  readonly meter: WorkMeter;
  readonly signal: AbortSignal;
};

type Media = { readonly remote: readonly RemoteMedia[]; readonly stored: FinalComposition['assets'] };

/** Checks everything that needs no network first. An older version may have accepted the request by other rules. */
const mediaOf = (
  { template_id }: Render,
  project: ProjectDocument,
  values: Values,
): E.Either<PreparationFault, Media> => {
  const formed = composeFinal(project, template_id, values, 'to_be_fetched');
  if (E.isLeft(formed)) return E.left(faultOfComposition(formed.left));
  const stored = formed.right.assets.filter(({ of_render }) => !of_render);
  return E.right({ remote: remoteMediaOf(project, template_id, values), stored });
};

type Room = { readonly of_project: number; readonly reservation: DiskReservation };

type Whole = { readonly final: FinalComposition; readonly fetched: FetchedAssets };

const fetchFiles = async (
  { render, project, own, clock, meter, signal }: Work,
  { remote }: Media,
  { fetcher, uploads, blobs }: PrepareDependencies,
): Promise<Outcome<FetchedAssets>> => {
  const [uploaded, linked] = [remote.filter(({ url }) => isUpload(url)), remote.filter(({ url }) => !isUpload(url))];
  const { account_id } = render;
  const folder = await mkdtemp(join(own, 'fetched-'));
  const own_files = await uploadedFiles({ uploads, blobs }, render, uploaded, { folder, meter, signal });
  if (E.isLeft(own_files)) return own_files;
  const files = await fetcher.fetch(linked, { account_id, folder, clock, meter, signal });
  if (E.isLeft(files)) return files;
  const others = project.assets.map(({ id }) => id);
  return E.right(fetchedAssets([...own_files.right, ...files.right], others));
};

const storedFiles = async (
  { render, own }: Work,
  stored: FinalComposition['assets'],
  { assets }: PrepareDependencies,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const owner = { project_id: render.project_id, render_id: render.id };
  return await assets.provide(owner, stored, await mkdtemp(join(own, 'assets-')), signal);
};

/** Runs in a slot of the account. The wait for the slot does not count. */
const inspect = <A>(
  { render: { account_id }, clock, meter, signal }: Work,
  { ffprobe_path, sandbox, looks }: PrepareDependencies,
  look: (options: CheckOptions) => Promise<E.Either<EngineFault, A>>,
): Promise<E.Either<EngineFault, A>> => {
  const options = { ffprobe_path, owner: account_id, sandbox, signal, on_cpu: meter.addCpu };
  const looking = () => clock.work(() => look(options));
  return clock.wait(() => looks.inSlot(account_id, signal, looking, () => E.left<EngineFault>({ tag: 'cancelled' })));
};

type Timed = { readonly project: ProjectDocument; readonly lengths: ValueLengths };

const isTimed = ({ kind }: Pick<FinalComposition['assets'][number], 'kind'>): boolean =>
  kind === 'video' || kind === 'audio';

/**
 * The lengths of the fetched files, if times of the composition follow from lengths. A former release did not store the
 * lengths of the project's own files: these are added here.
 */
const withLengths = async (
  work: Work,
  { stored }: Media,
  fetched: FetchedAssets,
  parts: PrepareDependencies,
): Promise<Outcome<Timed>> => {
  const { project, render, signal } = work;
  if (!followsLengths(project, render.template_id)) return E.right({ project, lengths: new Map() });
  const known = new Set(project.assets.flatMap(({ id, duration_s }) => (duration_s === undefined ? [] : [id])));
  const own = stored.filter((asset) => isTimed(asset) && !known.has(asset.id));
  const remote = [...fetched.of_field.values()].filter(isTimed);
  const own_files = own.length === 0 ? new Map<string, string>() : await storedFiles(work, own, parts, signal);
  const found = await inspect(work, parts, (options) =>
    mediaLengths([...own, ...remote], new Map([...own_files, ...fetched.files]), options),
  );
  if (E.isLeft(found)) return E.left(nameFieldInFault(faultOfEngine(found.left), fetched));
  const lengthOf = (id: string) => found.right.get(id);
  const assets = project.assets.map((asset) => ({ ...asset, duration_s: asset.duration_s ?? lengthOf(asset.id) }));
  const lengths = Array.from(fetched.of_field).flatMap(([field, { id }]) => {
    const length_s = lengthOf(id);
    return length_s === undefined ? [] : [[field, length_s] as const];
  });
  return E.right({ project: { ...project, assets }, lengths: new Map(lengths) });
};

const composeWhole = async (
  work: Work,
  media: Media,
  fetched: FetchedAssets,
  parts: PrepareDependencies,
): Promise<Outcome<Whole>> => {
  const { template_id } = work.render;
  const { values, draft } = work.input;
  const timed = await withLengths(work, media, fetched, parts);
  if (E.isLeft(timed)) return timed;
  const { project, lengths } = timed.right;
  const final = composeFinal(project, template_id, values, fetched.of_field, lengths);
  if (E.isLeft(final)) return E.left(faultOfComposition(final.left));
  return E.right({ final: draft ? draftOf(final.right) : final.right, fetched });
};

const mediaFault = async (
  work: Work,
  { final, fetched }: Whole,
  stored: ReadonlyMap<string, string>,
  parts: PrepareDependencies,
): Promise<PreparationFault | null> => {
  const files = new Map([...stored, ...fetched.files]);
  const checked = await inspect(work, parts, (options) => checkMedia(final, files, options));
  return E.isLeft(checked) ? nameFieldInFault(faultOfEngine(checked.left), fetched) : null;
};

const DOING = { ...STAGES, fetching: 'fetching the media', looking: 'inspecting the media' } as const;
type Doing = keyof typeof DOING;

/** Media are at fault only if programs were inspecting them, the store during downloads and uploads. */
const outOfTime = (doing: Doing, limit_ms: number): PreparationFault => {
  const message = `could not be prepared within ${limit_ms / 1000} s: ${DOING[doing]} took too long`;
  switch (doing) {
    case 'looking':
      return {
        code: 'over_budget',
        message: `inspecting the media took longer than ${limit_ms / 1000} s`,
        field: null,
      };
    case 'fetching':
      return infrastructureFailure(message);
    default:
      return environmentFault(message, 'blob_store');
  }
};

const NO_ANSWER = 'could not be prepared: the storage, the disk or a program did not answer';

/**
 * The fault of a dependency after half a minute of retries. @param folder null if the work folder does not exist yet
 */
const ofTransient = async (fault: unknown, folder: string | null): Promise<PreparationFault> => {
  const named = fault instanceof TransientFault ? fault.waits_for : undefined;
  const waits_for = named ?? (await attemptLossInFolder(folder, fault, false)).impediment;
  if (waits_for !== null) return environmentFault(NO_ANSWER, waits_for);
  return isSystemError(fault) ? environmentFault(NO_ANSWER, 'machine') : infrastructureFailure(NO_ANSWER);
};

/** Store media first, so that a stored composition has all its files. */
const store = async (
  render: Render,
  { final, fetched }: Whole,
  blobs: BlobStore,
  signal: AbortSignal,
): Promise<PreparedRender> => {
  const content_type = 'application/octet-stream';
  for (const [sha256, file] of fetched.blobs) {
    await blobs.upload(mediaPath(render.id, sha256), file, { content_type, signal });
  }
  const { width, height, fps, duration } = final.composition;
  const frames = framesOf(duration, fps);
  const size = { width, height, frames, fps_num: fps.num, fps_den: fps.den };
  const bytes = Buffer.from(canonicalJson(final));
  const composition = await blobs.putPayload(compositionPath(render.id), bytes, 'application/json', signal);
  return { composition, price_credits: priceCredits(size), ...size };
};

/**
 * Left: a message for the user, or the dependency to wait for. Rejects when `stop` aborts, with an unknown outcome, and
 * on a bug.
 * @param meter also counts failed preparations
 */
export const prepare = async (
  render: Render,
  parts: PrepareDependencies,
  meter: WorkMeter,
  stop: AbortSignal,
): Promise<Outcome<PreparedRender>> => {
  const project = await parts.versions(render.project_id, render.project_version, stop);
  if (E.isLeft(project)) return project;

  const clock = workClock(parts.limit_ms, parts.clock);
  // A separate limit for storing, so that slow fetches do not shorten it.
  const storing = workClock(parts.limit_ms, parts.clock);
  const late = AbortSignal.any([clock.signal, storing.signal]);
  const signal = AbortSignal.any([stop, late]);
  const again = <A>(work: (signal: AbortSignal) => Promise<A>, until: AbortSignal = signal): Promise<A> => {
    const policy = { clock: parts.clock, signal: until, policy: SHORT_RETRY_POLICY, isTransient: mayPass };
    return abortWithGracePeriod(until, parts.clock, (given_up) => retry(() => work(given_up), policy));
  };
  const download = <A>(stage: 'values' | 'download', work: (signal: AbortSignal) => Promise<A>): Promise<A> =>
    withinDeadline(stage, { limit_ms: parts.download_ms, signal, clock: parts.clock }, (until) => again(work, until));
  let own: string | null = null;
  const rooms: Room[] = [];
  let doing: Doing = 'values';
  /** Stops the clock while it waits for disk space. */
  const makeRoom = async ({ remote, stored }: Media): Promise<void> => {
    const owner = { project_id: render.project_id, render_id: render.id };
    const of_project = await parts.assets.sizeOf(owner, stored, signal);
    const bytes = of_project + maxFetchedBytes(remote);
    if (bytes === 0) return;
    const reservation = await clock.wait(() => parts.disk.reserve(render.account_id, bytes, signal));
    if (signal.aborted) reservation.release();
    else rooms.push({ of_project, reservation });
  };
  const prepared = async (): Promise<Outcome<PreparedRender>> => {
    const input = await download('values', (until) => parts.readRequest(render, until));
    if (E.isLeft(input)) return input;
    const media = mediaOf(render, project.right, input.right.values);
    if (E.isLeft(media)) return media;
    doing = 'download';
    await again(() => makeRoom(media.right));
    const folder = await again(async () => {
      // Set as soon as the folder exists, so that it is removed even after the time limit.
      own = await parts.folder.render(render.id);
      return own;
    });
    const work: Work = {
      render,
      project: project.right,
      input: input.right,
      own: folder,
      clock,
      meter,
      signal,
    };
    doing = 'fetching';
    const fetched = await again(() => fetchFiles(work, media.right, parts));
    if (E.isLeft(fetched)) return fetched;
    doing = 'looking';
    const whole = await again(() => composeWhole(work, media.right, fetched.right, parts));
    if (E.isLeft(whole)) return whole;
    for (const room of rooms) room.reservation.shrink(room.of_project + meter.cost().fetched_bytes);
    doing = 'download';
    const in_project = whole.right.final.assets.filter(({ of_render }) => !of_render);
    const stored = await download('download', (until) => storedFiles(work, in_project, parts, until));
    doing = 'looking';
    const fault = await again(() => mediaFault(work, whole.right, stored, parts));
    if (fault !== null) return E.left(fault);
    doing = 'upload';
    const kept = () => again((until) => store(render, whole.right, parts.blobs, until));
    return E.right(await clock.wait(() => storing.work(kept)));
  };
  const removeOwn = async (folder: string): Promise<void> => {
    // Retries, because abandoned work may still write into the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
      parts.logger.warn({ render_id: render.id, error }, 'the work folder of a preparation could not be removed'),
    );
  };
  try {
    return await clock.work(prepared);
  } catch (fault) {
    if (stop.aborted) throw fault;
    if (late.aborted) return E.left(outOfTime(doing, parts.limit_ms));
    if (fault instanceof DeadlinePassed)
      return E.left(environmentFault(`could not be prepared: ${fault.message}`, 'blob_store'));
    if (fault instanceof BlobFault && !isUnavailableOrRefused(fault)) return E.left(ofBlob(fault, render));
    if (mayPass(fault)) return E.left(await ofTransient(fault, own));
    throw fault;
  } finally {
    if (own !== null) await removeOwn(own);
    for (const room of rooms) room.reservation.release();
  }
};
