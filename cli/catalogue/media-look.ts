import { chmod } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { LocalAsset } from '../../catalogue/asset-files.ts';
import type { StoredAsset } from '../../domain/composition/assets.ts';
import { withFullDecoding } from '../../engine/media/inspection.ts';
import type { MediaProperties } from '../../engine/media/media-properties.ts';
import { probe } from '../../engine/media/probe.ts';
import { sampleDecode } from '../../engine/media/sample-decode.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import type { ProcessLimits } from '../../engine/process/run-process.ts';
import { openRasterProcess } from '../../engine/raster/raster-process.ts';
import type { CliFault } from '../fault.ts';
import type { Programs } from '../programs.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { isReadable, withReadableCopy } from './readable-copy.ts';

export type InspectedMedia = E.Either<string, MediaProperties>;

export type InspectionOptions = {
  readonly programs: Programs;
  readonly stop: AbortSignal;
  readonly on_inspected: () => void;
};

const AT_ONCE = Math.max(2, Math.min(4, availableParallelism()));
/** Each raster process inspects about this many pictures, one at a time: starting a process takes half a second. */
const PICTURES_PER_PROCESS = 25;
/** The time limit for all files together. Each file also has its own limit of at most one minute. */
const BUDGET_MS = 4 * 3_600_000;

/** Returns the fault if the machine causes it, and null if the file does. */
const machineFault = (fault: EngineFault): CliFault | null => {
  switch (fault.tag) {
    case 'composition':
      return null;
    case 'cancelled':
      return { tag: 'interrupted' };
    case 'infrastructure':
    case 'decoder_died':
    case 'over_budget':
      return { tag: 'media_not_read', message: fault.message };
  }
};

/** Removes the prefix `the image "logo" `, because the caller prints the asset's path instead. */
const messageAfterPath = (fault: EngineFault, { kind, id }: StoredAsset): string => {
  const message = 'message' in fault ? fault.message : '';
  const name = `the ${kind} "${id}" `;
  return message.startsWith(name) ? message.slice(name.length) : message;
};

const rasterProcesses = (
  media: readonly LocalAsset[],
  folder: string,
  reads: readonly string[],
  limits: ProcessLimits,
) => {
  const pictures = media.filter(({ stored: { kind } }) => kind === 'image').length;
  const count = Math.max(1, Math.min(AT_ONCE, Math.ceil(pictures / PICTURES_PER_PROCESS)));
  const assets = new Map([folder, ...reads].map((path) => [path, path]));
  return Array.from({ length: count }, () =>
    openRasterProcess({ assets, families: new Map(), folder: null, decodes: true }, () => limits),
  );
};

const lookFrom = async (
  folder: string,
  media: readonly LocalAsset[],
  { programs: { ffmpeg_path, ffprobe_path, sandbox }, stop, on_inspected }: InspectionOptions,
): Promise<E.Either<CliFault, ReadonlyMap<LocalAsset, InspectedMedia>>> => {
  const found = new Map<LocalAsset, InspectedMedia>();
  const halt = new AbortController();
  const limits = { signal: AbortSignal.any([stop, halt.signal]), budget_ms: BUDGET_MS, sandbox };
  const within_reach = await Promise.all(media.map(({ path }) => isReadable(path, sandbox)));
  const reads = media.flatMap(({ path }, index) => (within_reach[index] === true ? [path] : []));
  const processes = rasterProcesses(media, folder, reads, limits);
  const faults: CliFault[] = [];

  const look = async (asset: LocalAsset, index: number): Promise<void> => {
    const { path, stored } = asset;
    const { id, kind } = stored;
    const inspector = processes[index % processes.length];
    if (faults.length > 0 || inspector === undefined) return;
    const probes = { ffprobe_path, inspector: withFullDecoding(inspector) };
    const read = async (readable: string): Promise<E.Either<EngineFault, MediaProperties>> => {
      const media = { id, kind, path: readable };
      const probed = await probe(media, probes, limits);
      if (E.isLeft(probed)) return probed;
      const decoded = await sampleDecode(media, probed.right, ffmpeg_path, limits);
      return E.isLeft(decoded) ? decoded : probed;
    };
    const properties = await (within_reach[index] === true ? read(path) : withReadableCopy(path, folder, read));
    const fault = E.isLeft(properties) ? machineFault(properties.left) : null;
    if (fault !== null) {
      faults.push(fault);
      halt.abort();
      return;
    }
    found.set(asset, E.mapLeft((of_file: EngineFault) => messageAfterPath(of_file, stored))(properties));
    on_inspected();
  };

  try {
    await chmod(folder, 0o711);
    const slots = pLimit(AT_ONCE);
    await Promise.all(media.map((asset, index) => slots(() => look(asset, index))));
    const [fault] = faults;
    return fault === undefined ? E.right(found) : E.left(stop.aborted ? { tag: 'interrupted' } : fault);
  } finally {
    await Promise.all(processes.map((one) => one.close()));
  }
};

/**
 * Inspects pictures, videos and sounds in the sandbox, as the engine does before a render. It decodes whole pictures,
 * and of videos and sounds the first second, one in the middle and the last one.
 *
 * @returns the properties in the order of the files, null for fonts; on the left a fault of this machine
 */
export const inspectMedia = async (
  assets: readonly LocalAsset[],
  options: InspectionOptions,
): Promise<E.Either<CliFault, readonly (InspectedMedia | null)[]>> => {
  const media = assets.filter(({ stored: { kind } }) => kind !== 'font');
  if (media.length === 0) return E.right(assets.map(() => null));
  const found = await withTemporaryFolder('media', (folder) => lookFrom(folder, media, options));
  return E.isLeft(found) ? found : E.right(assets.map((asset) => found.right.get(asset) ?? null));
};
