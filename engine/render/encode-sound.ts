import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { CacheWriter } from '../cache/cache-writer.ts';
import { fetchOrMakeFile } from '../cache/cached-file.ts';
import type { SegmentCache } from '../cache/segment-cache.ts';
import { mixSound, type SoundMixOptions } from '../encode/sound-run.ts';
import { soundFileFault } from '../encode/verify-output.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';

type SoundEncoding = Omit<SoundMixOptions, 'file'> & {
  readonly sound_key: string;
  readonly cache: SegmentCache;
  readonly cacheWriter: CacheWriter;
};

export const encodeSound = async (
  { sound_key, cache, cacheWriter, ...encoding }: SoundEncoding,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, string>> => {
  const folder = join(encoding.folder, 'sound');
  await mkdir(folder);
  const file = join(folder, 'sound.m4a');
  const faultOf = () => soundFileFault(file, encoding.scene.samples);
  const make = async (): Promise<E.Either<EngineFault, void>> => {
    const result = await mixSound({ ...encoding, folder, file }, limits);
    if (E.isLeft(result)) return result;
    const fault = await faultOf();
    if (fault !== null) return E.left(infrastructureFault(`the encoder produced an invalid audio mix: ${fault}`));
    return E.right(undefined);
  };
  const isWhole = async () => (await faultOf()) === null;
  return await fetchOrMakeFile({ key: sound_key, file, isWhole, make, cache, cacheWriter }, limits);
};
