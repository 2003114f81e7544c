import { decimal, pictureGraph, SCALING } from './picture-graph.ts';
import type { RenderPlan, Source } from './render-plan.ts';
import { soundGraph } from './sound-graph.ts';
import type { DrawnStill } from './stills/still.ts';

/** Containers that may be read; the file alone, so that no playlist or reference leads anywhere else. */
export const ALLOWED_FORMATS = 'mov,mp4,matroska,webm,avi,mpegts,mp3,wav,flac,ogg,aac';
export const ONLY_FILES = ['-protocol_whitelist', 'file', '-format_whitelist', ALLOWED_FORMATS] as const;

/** Where things lie: assets by id, stills by id (those that drew something), outputs by variant. */
export type RenderFiles = {
  readonly assets: ReadonlyMap<string, string>;
  readonly stills: ReadonlyMap<string, DrawnStill>;
  readonly outputs: ReadonlyMap<string, string>;
  readonly graph: string;
};

/** A path that begins with "-" would be read as an option. */
export const asPath = (path: string): string => (path.startsWith('/') ? path : `./${path}`);

const sourceInput = (source: Source, files: RenderFiles): readonly string[] => [
  ...(source.looped ? ['-stream_loop', '-1'] : []),
  ...(source.seek_s > 0 ? ['-ss', source.seek_s.toFixed(6)] : []),
  ...(source.decoder === null ? [] : ['-c:v', source.decoder]),
  ...ONLY_FILES,
  '-i',
  asPath(files.assets.get(source.asset) ?? ''),
];

const stillInput = (still: DrawnStill, { fps }: RenderPlan): readonly string[] => [
  ...['-f', 'rawvideo', '-pixel_format', 'rgba', '-video_size', `${still.region.width}x${still.region.height}`],
  ...['-framerate', `${fps.num}/${fps.den}`, '-protocol_whitelist', 'file', '-i', asPath(still.file)],
];

/** A timescale of at least 10,000 in which every frame lasts a whole number of units. */
const timescaleOf = (num: number): number => num * Math.ceil(10_000 / num);

const KEY_FRAMES_S = 2;

/** The whole graph, as ffmpeg reads it from a file. No text of a user is ever part of it. */
export const filterGraph = (plan: RenderPlan, stills: ReadonlyMap<string, DrawnStill>): string =>
  [...pictureGraph(plan, stills), ...soundGraph(plan)].join(';\n');

/** The one run of ffmpeg that makes every output, progress written to standard output. */
export const ffmpegArguments = (plan: RenderPlan, files: RenderFiles): readonly string[] => {
  const { num, den } = plan.fps;
  const timescale = String(timescaleOf(num));
  return [
    ...[
      '-hide_banner',
      '-nostdin',
      '-loglevel',
      'warning',
      '-y',
      '-progress',
      'pipe:1',
      '-stats_period',
      '0.5',
      '-nostats',
    ],
    ...['-copyts', '-start_at_zero'],
    ...plan.sources.flatMap((source) => sourceInput(source, files)),
    ...[...files.stills.values()].flatMap((still) => stillInput(still, plan)),
    ...['-filter_complex_script', asPath(files.graph)],
    ...plan.outputs.flatMap((output, index) => [
      ...['-map', `[v${index}]`, '-map', `[a${index}]`, '-map_metadata', '-1', '-map_chapters', '-1', '-sn', '-dn'],
      ...['-fps_mode:v', 'passthrough', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(output.crf)],
      ...['-profile:v', 'high', '-pix_fmt', 'yuv420p', '-g', String(Math.round((KEY_FRAMES_S * num) / den))],
      ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', '-color_range', 'tv'],
      ...['-c:a', 'aac', '-b:a', '192k', '-ar', '48000', '-ac', '2'],
      ...['-video_track_timescale', timescale, '-movie_timescale', timescale, '-movflags', '+faststart'],
      ...['-f', 'mp4', asPath(files.outputs.get(output.name) ?? '')],
    ]),
  ];
};

/**
 * The run that takes the poster out of the finished master. (As one more output of the first run it would make ffmpeg
 * wait for that frame and hold every frame before it in memory.)
 */
export const posterArguments = (plan: RenderPlan, master: string, poster: string): readonly string[] => {
  const at_s = ((plan.poster_frame - 0.5) * plan.fps.den) / plan.fps.num;
  const asJpeg = `scale=${SCALING}:in_color_matrix=bt709:in_range=tv:out_color_matrix=bt601:out_range=pc,format=yuvj444p`;
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...(at_s > 0 ? ['-ss', decimal(at_s)] : [])],
    ...[...ONLY_FILES, '-i', asPath(master), '-an', '-vf', asJpeg, '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '2'],
    ...['-f', 'image2', '-update', '1', asPath(poster)],
  ];
};
