import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { Keeping } from '../cache/cache-writer.ts';
import { keptFile } from '../cache/cached-file.ts';
import type { SegmentCache } from '../cache/segment-cache.ts';
import { type SoundRun, soundRun } from '../encode/sound-run.ts';
import { soundFileFault } from '../encode/verify-output.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';

type Sounding = Omit<SoundRun, 'file'> & {
  readonly sound_key: string;
  readonly cache: SegmentCache;
  readonly keeping: Keeping;
};

/** The composition's whole sound, from the cache or made now. Its file. */
export const makeSound = async (
  { sound_key, cache, keeping, ...sounding }: Sounding,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, string>> => {
  const folder = join(sounding.folder, 'sound');
  await mkdir(folder);
  const file = join(folder, 'sound.m4a');
  const faultOf = () => soundFileFault(file, sounding.scene.samples);
  const make = async (): Promise<E.Either<EngineFault, void>> => {
    const made = await soundRun({ ...sounding, folder, file }, limits);
    if (E.isLeft(made)) return made;
    const fault = await faultOf();
    if (fault !== null) return E.left(infrastructureFault(`the sound that was made is not right: ${fault}`));
    return E.right(undefined);
  };
  const isWhole = async () => (await faultOf()) === null;
  return await keptFile({ key: sound_key, file, isWhole, make, cache, keeping }, limits);
};
