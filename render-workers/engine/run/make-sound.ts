import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { SegmentCache } from '../cache/segment-cache.ts';
import { type SoundRun, soundRun } from '../encode/sound-run.ts';
import { type EngineFault, surroundingsFault } from '../engine-fault.ts';
import { soundFileFault } from './check-part.ts';
import type { Keeping } from './keeping.ts';
import type { ProcessLimits } from './process.ts';
import { stopping } from './unless-stopped.ts';

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
  const file = join(sounding.folder, 'sound.m4a');
  const fetched = await stopping((signal) => cache.fetch(sound_key, file, signal), limits);
  if (E.isLeft(fetched)) return fetched;
  const { samples } = sounding.scene;
  if (fetched.right && (await soundFileFault(file, samples)) === null) return E.right(file);
  // It may be another name of what the cache holds: nothing is to be written into it.
  await rm(file, { force: true });
  const made = await soundRun({ ...sounding, file }, limits);
  if (E.isLeft(made)) return made;
  const fault = await soundFileFault(file, samples);
  if (fault !== null) return E.left(surroundingsFault(`the sound that was made is not right: ${fault}`));
  keeping.keep(sound_key, file);
  return E.right(file);
};
