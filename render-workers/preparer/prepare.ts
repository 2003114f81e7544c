import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { compose, type FinalComposition } from '../../domain/composition/final-composition.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import type { Values } from '../../domain/composition/values.ts';
import { priceCredits } from '../../domain/pricing.ts';
import type { Prepared, Render } from '../../domain/render/render.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { unlessGivenUp } from '../../platform/process/given-up.ts';
import { compositionPath } from '../../schemas/blobs/paths.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import { checkMedia } from '../engine/check-media.ts';
import type { AssetCache } from '../files/asset-cache.ts';
import { isBlobAway } from '../files/blob-faults.ts';
import { retried } from '../files/retried.ts';
import type { WorkFolder } from '../files/work-folder.ts';
import { ofComposition, ofEngine, type PreparationFault, Surroundings, surroundings } from './preparation-fault.ts';
import type { FindVersion } from './project-versions.ts';

export type PrepareParts = {
  readonly versions: FindVersion;
  readonly blobs: BlobStore;
  readonly assets: AssetCache;
  readonly folder: WorkFolder;
  readonly ffprobe_path: string;
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

const mediaFault = async (
  render: Render,
  final: FinalComposition,
  { assets, folder, ffprobe_path }: PrepareParts,
  signal: AbortSignal,
): Promise<PreparationFault | null> => {
  const own = await folder.render(render.id);
  try {
    const files = await assets.provide(render.project_id, final.assets, own);
    const checked = await checkMedia(final, files, { ffprobe_path, signal });
    return E.isLeft(checked) ? ofEngine(checked.left) : null;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
};

const store = async (render: Render, final: FinalComposition, blobs: BlobStore): Promise<Prepared> => {
  const { width, height, fps, duration } = final.composition;
  const frames = framesOf(duration, fps);
  const size = { width, height, frames, fps_num: fps.num, fps_den: fps.den };
  const bytes = Buffer.from(canonicalJson(final));
  const composition = await blobs.putPayload(compositionPath(render.id), bytes, 'application/json');
  return { composition, price_credits: priceCredits(size), ...size };
};

/**
 * Resolves the pinned version, the template and the values into the final composition, looks at its media, and stores
 * it. Left with a message for the user where it cannot be made. Rejects only when `stop` aborts: then nothing is known.
 */
export const prepare = async (render: Render, parts: PrepareParts, stop: AbortSignal): Promise<Outcome<Prepared>> => {
  const project = await parts.versions(render.project_id, render.project_version, stop);
  if (E.isLeft(project)) return project;

  const late = AbortSignal.timeout(parts.limit_ms);
  const signal = AbortSignal.any([stop, late]);
  const again = <A>(work: () => Promise<A>): Promise<A> => unlessGivenUp(signal, retried(work, mayPass, signal));
  try {
    const values = await again(() => valuesOf(render, parts.blobs));
    if (E.isLeft(values)) return values;
    const final = compose(project.right, render.template_id, values.right);
    if (E.isLeft(final)) return E.left(ofComposition(final.left));
    const fault = await again(() => mediaFault(render, final.right, parts, signal));
    if (fault !== null) return E.left(fault);
    return E.right(await again(() => store(render, final.right, parts.blobs)));
  } catch (fault) {
    if (stop.aborted) throw fault;
    if (late.aborted) return E.left(surroundings(`could not be prepared within ${parts.limit_ms / 1000} s`));
    if (fault instanceof BlobFault && fault.tag !== 'unavailable') return E.left(ofBlob(fault, render));
    if (mayPass(fault)) return E.left(surroundings('could not be prepared: the storage or a program did not answer'));
    throw fault;
  }
};
