import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from './engine-fault.ts';
import { THREADS } from './ffmpeg-arguments.ts';

const MIB = 2 ** 20;
/** For the program, its threads and the decoded sources of up to 8K. */
const BASE_MEMORY_BYTES = 4 * 2 ** 30;
/** Frames of four bytes a pixel that a graph and each encoder may hold: twice the largest measured. */
const FRAMES_HELD = 150;
const SMALL_FILE_BYTES = 64 * MIB;

type Size = { readonly width: number; readonly height: number };

const pixelsOf = ({ width, height }: Size): number => width * height;

/** A thread's whole stack counts, even if unused. */
const STACK_BYTES = 8 * MIB;
/** Threads that demux, decode and scale one input. */
const THREADS_PER_INPUT = 4 + 4 * THREADS;
/** An encoder uses a small multiple of the number of cores. */
const threadsOfEncoder = (): number => 32 + 4 * availableParallelism();

/**
 * Bounds of an encoding process; `frames` are those of its longest part. No part exceeds its uncompressed frames.
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

/** The same for a process that writes these files besides. */
export const alsoWriting = (bounds: ProcessBounds, files: readonly { readonly bytes: number }[]): ProcessBounds => ({
  ...bounds,
  file_bytes: Math.max(bounds.file_bytes, ...files.map(({ bytes }) => bytes + MIB)),
  folder_bytes: files.reduce((sum, { bytes }) => sum + bytes, bounds.folder_bytes ?? bounds.file_bytes),
});

/** Bounds of a process that writes one file of a known size. */
export const writingBounds = (file_bytes: number): ProcessBounds => ({
  memory_bytes: BASE_MEMORY_BYTES,
  file_bytes: SMALL_FILE_BYTES + 1.25 * file_bytes,
});

/** Bounds of the raster process when it draws: a few of the largest canvases, and the largest animation. */
export const DRAWING_BOUNDS: ProcessBounds = {
  memory_bytes: 6 * 2 ** 30,
  file_bytes: SMALL_FILE_BYTES + 2 ** 30,
  // A composition's drawings are at most 8 GiB.
  folder_bytes: 9 * 2 ** 30,
  cpu_s: 600,
  threads: 128,
};

/** Bounds of the raster process when it decodes pictures, up to a project's 500, one at a time, and keeps none. */
export const DECODING_BOUNDS: ProcessBounds = {
  memory_bytes: 3 * 2 ** 30,
  file_bytes: SMALL_FILE_BYTES,
  cpu_s: 3600,
  threads: 128,
};

/** Bounds of the raster process when it only inspects: the largest image, 100 million pixels, needs less. */
export const LOOKING_BOUNDS: ProcessBounds = {
  memory_bytes: 2 ** 30,
  file_bytes: SMALL_FILE_BYTES,
  cpu_s: 20,
  threads: 128,
};

/** Bounds of ffprobe: the tables of two hours at 120 frames per second take a tenth of it. */
export const PROBING_BOUNDS: ProcessBounds = { memory_bytes: 2 ** 29, file_bytes: MIB, cpu_s: 20 };

/** Bounds of ffmpeg when it decodes one stream and keeps nothing. */
export const DECODING_ALONE_BOUNDS: ProcessBounds = {
  memory_bytes: BASE_MEMORY_BYTES,
  file_bytes: MIB,
  threads: 2 * THREADS_PER_INPUT + 64,
};

/** Bounds of a program that is asked for its version. */
export const ANSWERING_BOUNDS: ProcessBounds = { memory_bytes: 2 ** 30, file_bytes: MIB, cpu_s: 30 };

/** Bits per pixel and frame of a static video: no encoded video takes less. */
const LEAST_BITS_PER_PIXEL = 0.01;

/** A fault if the folder's disk is certain to fill while these outputs are encoded; or null. */
export const spaceFault = async (
  folder: string,
  outputs: readonly FinalVariant[],
  frames: number,
): Promise<EngineFault | null> => {
  const pixels = outputs.reduce((sum, of) => sum + pixelsOf(of), 0);
  return await diskFault(folder, (2 * frames * pixels * LEAST_BITS_PER_PIXEL) / 8);
};

/** A fault if the folder's disk has no room for so many bytes; or null. */
export const diskFault = async (folder: string, bytes: number): Promise<EngineFault | null> => {
  const least = SMALL_FILE_BYTES + bytes;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= least
    ? null
    : infrastructureFault(`the disk is too full: ${Math.round(least / MIB)} MiB are needed at least`);
};
