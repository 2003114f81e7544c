import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { FrameSpan } from '../../../../domain/composition/extents.ts';
import type { FinalComposition } from '../../../../domain/composition/final-composition.ts';
import { videoGraph } from '../../../../engine/filtergraph/video-graph.ts';
import { probeAll } from '../../../../engine/media/cached-media.ts';
import { probe } from '../../../../engine/media/probe.ts';
import { sceneCutFrames } from '../../../../engine/plan/describe-segment.ts';
import { drawRasters } from '../../../../engine/raster/draw-rasters.ts';
import { openRasterProcess } from '../../../../engine/raster/raster-process.ts';
import { composeScene } from '../../../../engine/scene/compose-scene.ts';
import type { Scene } from '../../../../engine/scene/scene.ts';
import { limitsOf } from '../../../helpers/sandbox.ts';
import { ffmpeg } from '../_measuring.ts';

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

/** The maximum of parts of one process: each part has its own inputs and decoders. */
const MAX_AT_ONCE = 16;

export type Golden = {
  readonly scene: Scene;
  readonly rgb: (from: number, until: number) => Promise<readonly Buffer[]>;
  /** MD5 of each frame; each part has its own inputs and graph. */
  readonly hashes: (parts: readonly FrameSpan[]) => Promise<readonly string[]>;
};

export const goldenOf = async (
  folder: string,
  final: FinalComposition,
  paths: Readonly<Record<string, string>>,
): Promise<Golden> => {
  const assets = new Map(Object.entries(paths));
  const drawing = join(folder, `drawn-${createHash('md5').update(JSON.stringify(final)).digest('hex')}`);
  const process = openRasterProcess({ assets, families: new Map(), folder: drawing }, () => limitsOf());
  const probes = { ffprobe_path: 'ffprobe', inspector: process };
  const read: Parameters<typeof probeAll>[2] = ({ id, kind }, path) => probe({ id, kind, path }, probes, limitsOf());
  const scene = right(composeScene(final, right(await probeAll(final, assets, read, 4))));
  await mkdir(drawing, { recursive: true });
  const drawn = right(await drawRasters(scene, process, limitsOf()));
  await process.close();
  const outputs = scene.outputs.slice(0, 1);

  let made = 0;
  const inputsOf = async (parts: readonly FrameSpan[], end: string): Promise<readonly string[]> => {
    const options: string[] = [];
    let before = 0;
    for (const [index, { from, until }] of parts.entries()) {
      made += 1;
      const own = join(drawing, `part-${made}`);
      await mkdir(own);
      const files = { drawn: new Map([...drawn.rasters, ...drawn.animations]), assets, folder: own };
      const { inputs, graph, lists } = videoGraph(scene, { from, until, outputs }, files);
      for (const { path, text } of lists) await writeFile(path, text);
      const script = join(own, 'graph.txt');
      const lines = [...graph, `[v0]${end}[end${index}]`].join(';\n');
      await writeFile(
        script,
        lines.replace(/\[(\d+)(?=:(?:v:)?\d+\])/g, (_, input) => `[${Number(input) + before}`),
      );
      options.push(...inputs, '-filter_complex_script', script);
      before += inputs.filter((option) => option === '-i').length;
    }
    return options;
  };

  const rgb = async (from: number, until: number): Promise<readonly Buffer[]> => {
    const toRgb = 'scale=in_color_matrix=bt709:in_range=tv:out_range=pc:flags=accurate_rnd+full_chroma_int+bicubic';
    const inputs = await inputsOf([{ from, until }], `${toRgb},format=rgb24`);
    const pixels = await ffmpeg(...inputs, '-map', '[end0]', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-');
    const size = scene.width * scene.height * 3;
    return Array.from({ length: pixels.length / size }, (_, n) => pixels.subarray(n * size, (n + 1) * size));
  };

  const hashes = async (parts: readonly FrameSpan[]): Promise<readonly string[]> => {
    const all: string[] = [];
    for (let first = 0; first < parts.length; first += MAX_AT_ONCE) {
      const some = parts.slice(first, first + MAX_AT_ONCE);
      const maps = some.flatMap((_, index) => ['-map', `[end${index}]`]);
      const inputs = await inputsOf(some, 'null');
      const text = (await ffmpeg(...inputs, ...maps, '-fps_mode', 'passthrough', '-f', 'framemd5', '-')).toString();
      const lines = text.split('\n').filter((line) => /^\d+,/.test(line));
      const of_parts = some.map((_, index) => lines.filter((line) => line.startsWith(`${index},`)));
      all.push(...of_parts.flat().map((line) => line.split(',').at(-1)?.trim() ?? ''));
    }
    return all;
  };
  return { scene, rgb, hashes };
};

/** Parts that end at every boundary and after every 7 frames. */
const shortParts = (scene: Scene): readonly FrameSpan[] => {
  const edges = sceneCutFrames(scene);
  const cuts = edges.slice(0, -1).flatMap((from, index) => {
    const until = edges[index + 1] ?? scene.frames;
    return Array.from({ length: Math.ceil((until - from) / 7) }, (_, n) => from + 7 * n);
  });
  return cuts.map((from, index) => ({ from, until: cuts[index + 1] ?? scene.frames }));
};

export const sameWhateverTheCuts = async (t: ExecutionContext, { scene, hashes }: Golden): Promise<void> => {
  const found = await hashes([{ from: 0, until: scene.frames }, ...shortParts(scene)]);
  t.is(found.length, 2 * scene.frames, 'each frame once, and once in its part');
  const [whole, cut] = [found.slice(0, scene.frames), found.slice(scene.frames)];
  t.deepEqual(
    cut.flatMap((hash, n) => (hash === whole[n] ? [] : [n])),
    [],
    'frames that differ',
  );
};
