import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from './engine-fault.ts';
import { DECODER_THREADS } from './ffmpeg-arguments.ts';

const MIB = 2 ** 20;
/** Memory for the program, its threads and decoded sources of up to 8K. */
const BASE_MEMORY_BYTES = 4 * 2 ** 30;
/** Frames that a filter graph and each encoder may buffer, of four bytes per pixel: twice the measured maximum. */
const BUFFERED_FRAMES = 150;
const SMALL_FILE_BYTES = 64 * MIB;

type Size = { readonly width: number; readonly height: number };

const pixelsOf = ({ width, height }: Size): number => width * height;

/** The address-space limit counts a thread's whole stack, even the unused part. */
const STACK_BYTES = 8 * MIB;
const THREADS_PER_INPUT = 4 + 4 * DECODER_THREADS;
/** The thread count of an encoder is a small multiple of the number of cores. */
const threadsOfEncoder = (): number => 32 + 4 * availableParallelism();

/**
 * A part is never larger than its uncompressed frames.
 * @param frames of the longest part
 * @param inputs ffmpeg options up to the last input
 * @param all_frames of all parts
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
      BUFFERED_FRAMES * 4 * [scene, ...outputs].reduce((sum, of) => sum + pixelsOf(of), 0) +
      STACK_BYTES * threads,
    file_bytes: SMALL_FILE_BYTES + 2 * frames * Math.max(0, ...outputs.map(pixelsOf)),
    folder_bytes: SMALL_FILE_BYTES + 2 * all_frames * outputs.reduce((sum, of) => sum + pixelsOf(of), 0),
    threads: 2 * threads + 64,
  };
};

export const withExtraFiles = (bounds: ProcessBounds, files: readonly { readonly bytes: number }[]): ProcessBounds => ({
  ...bounds,
  file_bytes: Math.max(bounds.file_bytes, ...files.map(({ bytes }) => bytes + MIB)),
  folder_bytes: files.reduce((sum, { bytes }) => sum + bytes, bounds.folder_bytes ?? bounds.file_bytes),
});

export const singleFileBounds = (file_bytes: number): ProcessBounds => ({
  memory_bytes: BASE_MEMORY_BYTES,
  file_bytes: SMALL_FILE_BYTES + 1.25 * file_bytes,
});

/** Enough for a few of the largest canvases, and the largest animation. */
export const DRAWING_BOUNDS: ProcessBounds = {
  memory_bytes: 6 * 2 ** 30,
  file_bytes: SMALL_FILE_BYTES + 2 ** 30,
  // The drawings of a composition take at most 8 GiB.
  folder_bytes: 9 * 2 ** 30,
  cpu_s: 600,
  threads: 128,
};

/** Enough for the 500 images that a project may have, one at a time. */
export const DECODING_BOUNDS: ProcessBounds = {
  memory_bytes: 3 * 2 ** 30,
  file_bytes: SMALL_FILE_BYTES,
  cpu_s: 3600,
  threads: 128,
};

/** The largest image has 100 million pixels and needs less. */
export const INSPECTION_BOUNDS: ProcessBounds = {
  memory_bytes: 2 ** 30,
  file_bytes: SMALL_FILE_BYTES,
  cpu_s: 20,
  threads: 128,
};

/** The packet tables of two hours at 120 frames per second need a tenth of these bounds. */
export const PROBING_BOUNDS: ProcessBounds = { memory_bytes: 2 ** 29, file_bytes: MIB, cpu_s: 20 };

export const STREAM_DECODING_BOUNDS: ProcessBounds = {
  memory_bytes: BASE_MEMORY_BYTES,
  file_bytes: MIB,
  threads: 2 * THREADS_PER_INPUT + 64,
};

export const VERSION_BOUNDS: ProcessBounds = { memory_bytes: 2 ** 30, file_bytes: MIB, cpu_s: 30 };

/** Bits per pixel and frame of a static video. Every encoded video needs more. */
const MIN_BITS_PER_PIXEL = 0.01;

/** Null unless encoding these outputs certainly fills the folder's disk. */
export const spaceFault = async (
  folder: string,
  outputs: readonly FinalVariant[],
  frames: number,
): Promise<EngineFault | null> => {
  const pixels = outputs.reduce((sum, of) => sum + pixelsOf(of), 0);
  return await diskFault(folder, (2 * frames * pixels * MIN_BITS_PER_PIXEL) / 8);
};

export const diskFault = async (folder: string, bytes: number): Promise<EngineFault | null> => {
  const min_bytes = SMALL_FILE_BYTES + bytes;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= min_bytes
    ? null
    : infrastructureFault(`not enough disk space: at least ${Math.round(min_bytes / MIB)} MiB must be free`);
};
