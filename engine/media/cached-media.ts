import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import type { MediaProperties } from './media-properties.ts';
import { type ProbeTools, probe } from './probe.ts';

type Asset = FinalComposition['assets'][number];
type Read = (asset: Asset, path: string) => Promise<E.Either<EngineFault, MediaProperties>>;

/** @param at_once number of files that are read concurrently */
export const probeAll = async (
  final: Pick<FinalComposition, 'assets'>,
  assets: ReadonlyMap<string, string>,
  read: Read,
  at_once: number,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaProperties>>> => {
  const slots = pLimit(at_once);
  const found = await Promise.all(
    final.assets.map((asset) =>
      slots(async () => {
        const { id } = asset;
        const path = assets.get(id);
        if (path === undefined) return E.left(infrastructureFault(`the file of the asset "${id}" is missing`));
        const properties = await read(asset, path);
        return E.isLeft(properties) ? properties : E.right([id, properties.right] as const);
      }),
    ),
  );
  const properties = new Map<string, MediaProperties>();
  for (const one of found) {
    if (E.isLeft(one)) return one;
    properties.set(...one.right);
  }
  return E.right(properties);
};

const MAX_CACHED = 2000;
const cached = new LRUCache<string, MediaProperties>({ max: MAX_CACHED });

/**
 * Each video or sound has its own ffprobe, so a compromised ffprobe can falsify only that file. One process inspects
 * all images and fonts of a render and could falsify any of them, so their keys contain the account.
 */
const keyOf = ({ kind, sha256 }: Asset, owner: string | undefined): string | null => {
  if (kind === 'video' || kind === 'audio') return `${kind} ${sha256}`;
  return owner === undefined ? null : `${kind} ${sha256} ${owner}`;
};

/** Returns properties by asset id. The files must match their hashes. */
export const probeMedia = async (
  final: Pick<FinalComposition, 'assets'>,
  assets: ReadonlyMap<string, string>,
  probes: ProbeTools,
  { cores, owner }: { readonly cores: number; readonly owner?: string | undefined },
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, ReadonlyMap<string, MediaProperties>>> => {
  const read = async (asset: Asset, path: string) => {
    const { id, kind } = asset;
    const key = keyOf(asset, owner);
    const hit = key === null ? undefined : cached.get(key);
    if (hit !== undefined) return E.right(hit);
    const found = await probe({ id, kind, path }, probes, limits);
    if (key !== null && E.isRight(found)) cached.set(key, found.right);
    return found;
  };
  return await probeAll(final, assets, read, cores);
};
