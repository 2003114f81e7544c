import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { compose, type FinalComposition } from '../../domain/composition/final-composition.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { remoteMediaOf } from '../../domain/composition/remote-media.ts';
import type { Values } from '../../domain/composition/values.ts';
import { priceCredits } from '../../domain/pricing.ts';
import type { Prepared, Render } from '../../domain/render/render.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { unlessGivenUp } from '../../platform/process/given-up.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { compositionPath, mediaPath } from '../../schemas/blobs/paths.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { checkMedia } from '../engine/media/check-media.ts';
import type { AssetCache } from '../files/asset-cache.ts';
import { isBlobAway } from '../files/blob-faults.ts';
import { retried } from '../files/retried.ts';
import type { WorkFolder } from '../files/work-folder.ts';
import { type FetchedAssets, fetchedAssets, namingValue } from './fetched-assets.ts';
import type { MediaFetcher } from './media-fetcher.ts';
import { ofComposition, ofEngine, type PreparationFault, Surroundings, surroundings } from './preparation-fault.ts';
import type { FindVersion } from './project-versions.ts';

export type PrepareParts = {
  readonly versions: FindVersion;
  readonly blobs: BlobStore;
  readonly assets: AssetCache;
  readonly fetcher: MediaFetcher;
  readonly folder: WorkFolder;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  /** For each render, once its project is at hand. */
  readonly limit_ms: number;
};

type Outcome<A> = E.Either<PreparationFault, A>;

const mayPass = (fault: unknown): boolean => isBlobAway(fault) || fault instanceof Surroundings;

const valuesOf = async ({ request }: Render, blobs: BlobStore): Promise<Outcome<Values>> => {
  if (request === null) return E.right({});
  const bytes = await blobs.getPayload(request);
  const payload = RequestPayload.decode(JSON.parse(bytes.toString()));
  return E.isRight(payload)
    ? E.right(payload.right.values)
    : E.left({ code: 'request_unreadable', message: 'values: cannot be read any more', field: 'values' });
};

/** A blob that is missing or altered stays so: the render cannot be made. */
const ofBlob = (fault: BlobFault, render: Render): PreparationFault => {
  if (fault.path === render.request?.path) {
    return { code: 'request_missing', message: 'values: are not in the store any more', field: 'values' };
  }
  return {
    code: `media_${fault.tag}`,
    message: 'assets: a file of the project is missing or damaged',
    field: 'assets',
  };
};

type Whole = { readonly final: FinalComposition; readonly fetched: FetchedAssets };

/** The final composition with what its values point to, of which the files lie in `own`. */
const composeFetched = async (
  render: Render,
  project: ProjectDocument,
  values: Values,
  own: string,
  { fetcher }: PrepareParts,
  signal: AbortSignal,
): Promise<Outcome<Whole>> => {
  const { template_id } = render;
  // Whatever needs no network is looked at before any file comes: also where the request was taken by an older version.
  const formed = compose(project, template_id, values, 'to_be_fetched');
  if (E.isLeft(formed)) return E.left(ofComposition(formed.left));
  const remote = remoteMediaOf(project, template_id, values);
  const files = await fetcher.fetch(remote, await mkdtemp(join(own, 'fetched-')), signal);
  if (E.isLeft(files)) return files;
  const others = project.assets.map(({ id }) => id);
  const fetched = fetchedAssets(files.right, others);
  const final = compose(project, template_id, values, fetched.of_field);
  return E.isLeft(final) ? E.left(ofComposition(final.left)) : E.right({ final: final.right, fetched });
};

const mediaFault = async (
  render: Render,
  { final, fetched }: Whole,
  own: string,
  { assets, ffprobe_path, sandbox }: PrepareParts,
  signal: AbortSignal,
): Promise<PreparationFault | null> => {
  const owner = { project_id: render.project_id, render_id: render.id };
  const stored = final.assets.filter(({ of_render }) => !of_render);
  const files = new Map([
    ...(await assets.provide(owner, stored, await mkdtemp(join(own, 'assets-')))),
    ...fetched.files,
  ]);
  const checked = await checkMedia(final, files, { ffprobe_path, sandbox, signal });
  return E.isLeft(checked) ? namingValue(ofEngine(checked.left), fetched) : null;
};

/** What was fetched first: a composition that can be read has all that it needs. */
const store = async (render: Render, { final, fetched }: Whole, blobs: BlobStore): Promise<Prepared> => {
  const content_type = 'application/octet-stream';
  for (const [sha256, file] of fetched.blobs) await blobs.upload(mediaPath(render.id, sha256), file, { content_type });
  const { width, height, fps, duration } = final.composition;
  const frames = framesOf(duration, fps);
  const size = { width, height, frames, fps_num: fps.num, fps_den: fps.den };
  const bytes = Buffer.from(canonicalJson(final));
  const composition = await blobs.putPayload(compositionPath(render.id), bytes, 'application/json');
  return { composition, price_credits: priceCredits(size), ...size };
};

/**
 * Resolves the pinned version, the template and the values into the final composition, fetches what values point to,
 * looks at its media, and stores it. Left with a message for the user where it cannot be made. Rejects only when `stop` aborts: then nothing is known.
 */
export const prepare = async (render: Render, parts: PrepareParts, stop: AbortSignal): Promise<Outcome<Prepared>> => {
  const project = await parts.versions(render.project_id, render.project_version, stop);
  if (E.isLeft(project)) return project;

  const late = AbortSignal.timeout(parts.limit_ms);
  const signal = AbortSignal.any([stop, late]);
  const again = <A>(work: () => Promise<A>): Promise<A> => unlessGivenUp(signal, retried(work, mayPass, signal));
  let own: string | null = null;
  try {
    const values = await again(() => valuesOf(render, parts.blobs));
    if (E.isLeft(values)) return values;
    own = await parts.folder.render(render.id);
    const folder = own;
    const whole = await again(() => composeFetched(render, project.right, values.right, folder, parts, signal));
    if (E.isLeft(whole)) return whole;
    const fault = await again(() => mediaFault(render, whole.right, folder, parts, signal));
    if (fault !== null) return E.left(fault);
    return E.right(await again(() => store(render, whole.right, parts.blobs)));
  } catch (fault) {
    if (stop.aborted) throw fault;
    if (late.aborted) return E.left(surroundings(`could not be prepared within ${parts.limit_ms / 1000} s`));
    if (fault instanceof BlobFault && fault.tag !== 'unavailable') return E.left(ofBlob(fault, render));
    if (mayPass(fault)) return E.left(surroundings('could not be prepared: the storage or a program did not answer'));
    throw fault;
  } finally {
    if (own !== null) await rm(own, { recursive: true, force: true });
  }
};
