import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { SourceFrames } from '../cache/source-frames.ts';
import { type FrameRange, type GraphSources, type VideoGraph, videoGraph } from '../filtergraph/video-graph.ts';
import type { Run } from '../plan/render-plan.ts';
import { splitRunAt } from '../plan/runs.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import type { DrawnRasters } from '../raster/draw-rasters.ts';
import { visibleSteps } from '../scene/hiding.ts';
import { MAX_GRAPH_BYTES, tooManyKeyframesFault } from '../scene/peak-load.ts';
import type { Scene } from '../scene/scene.ts';

export type RunSources = Omit<GraphSources, 'folder' | 'drawn' | 'frames'> & {
  readonly drawn: DrawnRasters;
  readonly frames?: SourceFrames;
};

const graphOf = (scene: Scene, run: FrameRange, { drawn, ...sources }: RunSources, folder: string): VideoGraph =>
  videoGraph(scene, run, { ...sources, drawn: new Map([...drawn.rasters, ...drawn.animations]), folder });

/** Halves runs until each filter graph fits in `MAX_GRAPH_BYTES`. Fault: the graph of one part does not fit. */
export const splitOversizedRuns = (
  scene: Scene,
  runs: readonly Run[],
  { drawn, assets }: RunSources,
): E.Either<EngineFault, readonly Run[]> => {
  const split: Run[] = [];
  const queue = [...runs];
  for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
    const bytes = graphOf(scene, run, { drawn, assets }, '').graph.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= MAX_GRAPH_BYTES) {
      split.push(run);
      continue;
    }
    const middle = run.segments[Math.floor(run.segments.length / 2)];
    if (middle === undefined || middle.from === run.from)
      return E.left(tooManyKeyframesFault(visibleSteps(scene, run.from, run.until)));
    queue.unshift(...splitRunAt(run, middle.from));
  }
  return E.right(split);
};

/** Returns ffmpeg's options up to the last input, and the graph's file, with the outputs `[v0]`, `[v1]` and so on. */
export const writeGraphFiles = async (
  scene: Scene,
  run: FrameRange,
  sources: RunSources,
  folder: string,
  further: readonly string[] = [],
): Promise<
  Pick<VideoGraph, 'inputs' | 'parts' | 'frames'> & { readonly graph: string; readonly reads: readonly string[] }
> => {
  const { inputs, graph, lists, parts, frames } = graphOf(scene, run, sources, folder);
  for (const { path, text } of lists) await writeFile(path, text);
  const script = join(folder, 'graph.txt');
  await writeFile(script, [...graph, ...further].join(';\n'));
  const drawn = [...sources.drawn.rasters.values(), ...sources.drawn.animations.values()].map(({ file }) =>
    dirname(file),
  );
  const kept = sources.frames === undefined ? [] : [sources.frames.folder];
  return { inputs, parts, frames, graph: script, reads: [...new Set([...drawn, ...sources.assets.values(), ...kept])] };
};
