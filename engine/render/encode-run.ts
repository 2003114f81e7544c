import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { EncodingOptions } from '../encode/encoder-options.ts';
import { partName } from '../encode/parts.ts';
import { partFault } from '../encode/verify-output.ts';
import { sourceFrameOutputs } from '../filtergraph/kept-frames.ts';
import { findRunFault, findSourceFault } from '../media/decode-alone.ts';
import type { Run, Segment } from '../plan/render-plan.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { hasSucceeded } from '../process/ffmpeg-faults.ts';
import { encodingBounds, withExtraFiles } from '../process/process-bounds.ts';
import { type ProcessLimits, remainingLimits, runProcess } from '../process/run-process.ts';
import type { Scene } from '../scene/scene.ts';
import { encoderArguments } from './encoder-arguments.ts';
import { type RunSources, writeGraphFiles } from './graph-files.ts';

export type EncodeRunDependencies = {
  readonly scene: Scene;
  readonly sources: RunSources;
  readonly ffmpeg_path: string;
  readonly encoding: EncodingOptions;
  /** Called for each part as soon as it is complete and verified. */
  readonly on_part: (segment: Segment, output: FinalVariant, file: string) => void;
  readonly on_frames: (frames: number) => void;
};

/** Reports the parts of one output, in order, once they are closed. Fault: a part is invalid. */
const partReporter = (run: Run, output: FinalVariant, folder: string, { scene, on_part }: EncodeRunDependencies) => {
  let next = 0;
  /** A part is closed when the file of the next part exists. */
  return async (has_ended: boolean): Promise<EngineFault | null> => {
    for (; next < run.segments.length; next += 1) {
      const file = join(folder, partName(output.name, next));
      const segment = run.segments[next];
      if (segment === undefined || (!has_ended && !existsSync(join(folder, partName(output.name, next + 1)))))
        return null;
      const frames = segment.until - segment.from;
      const fault = await partFault(file, { width: output.width, height: output.height, frames, fps: scene.fps });
      if (fault !== null) return infrastructureFault(`the encoder produced an invalid part: ${fault}`);
      on_part(segment, output, file);
    }
    return null;
  };
};

/** Creates `folder`. Parts reported before a fault are valid. */
export const encodeRun = async (
  run: Run,
  folder: string,
  parts: EncodeRunDependencies,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, void>> => {
  const { scene, sources, ffmpeg_path, encoding } = parts;
  await mkdir(folder);
  const files = await writeGraphFiles(scene, run, sources, folder);
  const reporters = run.outputs.map((output) => partReporter(run, output, folder, parts));
  let reporting = Promise.resolve<EngineFault | null>(null);
  const reportParts = (has_ended: boolean): void => {
    reporting = reporting.then(async (before) => {
      if (before !== null) return before;
      for (const reportClosed of reporters) {
        const fault = await reportClosed(has_ended);
        if (fault !== null) return fault;
      }
      return null;
    });
  };
  const on_line = (line: string): void => {
    const frame = /^frame=\s*(\d+)/.exec(line)?.[1];
    if (frame !== undefined) parts.on_frames(Math.min(Number(frame), run.until - run.from));
    if (line.startsWith('progress=')) reportParts(false);
  };
  const longest = Math.max(...run.segments.map(({ from, until }) => until - from));
  const args = [
    ...encoderArguments(run, { ...files, folder }, scene.fps, encoding),
    ...sourceFrameOutputs(files.frames),
  ];
  const bounds = withExtraFiles(
    encodingBounds(scene, run.outputs, longest, files.inputs, run.until - run.from),
    files.frames,
  );
  const limitsNow = remainingLimits(limits);
  const run_result = await runProcess(
    { program: ffmpeg_path, args, reads: files.reads, writes: resolve(folder), bounds, on_line },
    limits,
  );
  const is_complete = E.isRight(run_result) && run_result.right.exit_code === 0;
  reportParts(is_complete);
  const fault = await reporting;
  if (E.isLeft(run_result)) return run_result;
  const decoding = { ffmpeg_path, limits: limitsNow() };
  if (!is_complete) return E.left(await findRunFault(run_result.right.stderr, files.parts, decoding));
  // ffmpeg succeeded and has written all frames that it had. If frames are missing, a source may have delivered none.
  if (fault?.tag === 'infrastructure' && hasSucceeded(run_result.right))
    return E.left(await findSourceFault(files.parts, fault, 'first_frame', decoding));
  if (fault !== null) return E.left(fault);
  parts.on_frames(run.until - run.from);
  for (const frames of files.frames) await sources.frames?.keep(frames);
  return E.right(undefined);
};
