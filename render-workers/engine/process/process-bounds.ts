import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { FinalVariant } from '../../../domain/composition/final-composition.ts';
import type { ProcessBounds } from '../../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from './engine-fault.ts';
import { THREADS } from './ffmpeg-arguments.ts';

const MIB = 2 ** 20;
/** For programs, their threads and the sources, of up to 8K, that are decoded. */
const BASE_MEMORY_BYTES = 4 * 2 ** 30;
/** Frames of four bytes a pixel that a graph and each encoder may hold: twice what was ever seen. */
const FRAMES_HELD = 150;
const SMALL_FILE_BYTES = 64 * MIB;

type Size = { readonly width: number; readonly height: number };

const pixelsOf = ({ width, height }: Size): number => width * height;

/** A thread's stack counts whole, however little of it is used. */
const STACK_BYTES = 8 * MIB;
/** Those that read a file and decode it, and those of the few scalings of its pictures. */
const THREADS_PER_INPUT = 4 + 4 * THREADS;
/** An encoder takes as many as there are cores, or some times so many. */
const threadsOfEncoder = (): number => 32 + 4 * availableParallelism();

/**
 * Of an encoding process whose longest part has so many frames: no part is larger than its pictures are uncompressed.
 *
 * @param inputs its options up to the last input
 * @param all_frames of all its parts
 */
export const encodingBounds = (
  scene: Size,
  outputs: readonly Size[],
  frames: number,
  inputs: readonly string[],
  all_frames: number = frames,
): ProcessBounds => {
  const threads =
    THREADS_PER_INPUT * inputs.filter((option) => option === '-i').length + threadsOfEncoder() * outputs.length;
  return {
    memory_bytes:
      BASE_MEMORY_BYTES +
      FRAMES_HELD * 4 * [scene, ...outputs].reduce((sum, of) => sum + pixelsOf(of), 0) +
      STACK_BYTES * threads,
    file_bytes: SMALL_FILE_BYTES + 2 * frames * Math.max(0, ...outputs.map(pixelsOf)),
    folder_bytes: SMALL_FILE_BYTES + 2 * all_frames * outputs.reduce((sum, of) => sum + pixelsOf(of), 0),
    threads: 2 * threads + 64,
  };
};

/** Of a process that writes one file of which it is known how large it becomes. */
export const writingBounds = (file_bytes: number): ProcessBounds => ({
  memory_bytes: BASE_MEMORY_BYTES,
  file_bytes: SMALL_FILE_BYTES + 1.25 * file_bytes,
});

/** Of the process that draws: its largest canvases, some times over, and the largest animation. */
export const DRAWING_BOUNDS: ProcessBounds = {
  memory_bytes: 6 * 2 ** 30,
  file_bytes: SMALL_FILE_BYTES + 2 ** 30,
  // A composition's drawings are at most 8 GiB.
  folder_bytes: 9 * 2 ** 30,
  cpu_s: 600,
  threads: 128,
};

/** Of a process that looks at pictures without drawing them: the largest, of 100 million pixels, takes less. */
export const LOOKING_BOUNDS: ProcessBounds = {
  memory_bytes: 2 ** 30,
  file_bytes: SMALL_FILE_BYTES,
  cpu_s: 20,
  threads: 128,
};

/** Of ffprobe: the tables of two hours at 120 frames per second take a tenth of it. */
export const PROBING_BOUNDS: ProcessBounds = { memory_bytes: 2 ** 29, file_bytes: MIB, cpu_s: 20 };

/** Of a program that is asked what it is. */
export const ANSWERING_BOUNDS: ProcessBounds = { memory_bytes: 2 ** 30, file_bytes: MIB, cpu_s: 30 };

/** Bits of each pixel of each frame, of a calm film: less than that no honest film takes. */
const LEAST_BITS_PER_PIXEL = 0.01;

/** What stands against making these outputs in the folder, where its disk would fill for certain; or null. */
export const spaceFault = async (
  folder: string,
  outputs: readonly FinalVariant[],
  frames: number,
): Promise<EngineFault | null> => {
  const pixels = outputs.reduce((sum, of) => sum + pixelsOf(of), 0);
  return await diskFault(folder, (2 * frames * pixels * LEAST_BITS_PER_PIXEL) / 8);
};

/** What stands against writing so many bytes into the folder; or null. */
export const diskFault = async (folder: string, bytes: number): Promise<EngineFault | null> => {
  const least = SMALL_FILE_BYTES + bytes;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= least
    ? null
    : infrastructureFault(`the disk is too full: ${Math.round(least / MIB)} MiB are needed at least`);
};
