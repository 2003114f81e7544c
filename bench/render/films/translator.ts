/*
 * A film as a user would write it for ffmpeg, in one command. It shares no code with the engine
 * (dependency-rules.json), so that a fault of one is not a fault of both. It takes more care than every user would, so
 * that its pictures match the engine's and the engine is compared with a good command:
 * - Colours are converted to BT.709 and not to ffmpeg's default 601.
 * - Moving layers are placed between pixels.
 * - A still is decoded once.
 * - Films in sequence are joined and not laid over black.
 */
import { MASTER_ENCODER_OPTIONS, MP4_OUTPUT_OPTIONS, NOTO_SANS_BOLD_FILE } from '../cases.ts';
import {
  type Film,
  type FilmLayer,
  FPS,
  NAME_LAYER,
  type ShapeLayer,
  type SoundLayer,
  type StillLayer,
  type TextLayer,
  type VideoLayer,
} from './film.ts';

/**
 * Pixels of transparent margin around a moving still, which `perspective` reads. Even, because chroma has half the
 * resolution.
 */
const EDGE = 2;
const TO_709 = 'out_color_matrix=bt709:out_range=tv';

type Layered = Exclude<FilmLayer, SoundLayer>;

/** An ffmpeg expression that interpolates linearly over `time` in seconds. */
const along = (time: string, [from, until]: readonly [readonly [number, number], readonly [number, number]]): string =>
  `(${from[1]}+(${until[1] - from[1]})*clip((${time}-${from[0]})/${until[0] - from[0]},0,1))`;

const shownFrom = ({ start, duration }: Layered): string => `enable='gte(t,${start})*lt(t,${start + duration})'`;

const cover = (width: number, height: number): string =>
  `scale=${width}:${height}:force_original_aspect_ratio=increase:${TO_709},crop=${width}:${height},setsar=1`;

/**
 * A frame shows the source's frame at its time, not the nearest one. Times are rounded up from a tenth of a frame
 * earlier, because they are inexact after a seek. If the source is too short, the last frame repeats.
 */
const clipChain = ({ width, height, duration }: VideoLayer): string =>
  `setpts=PTS-${0.1 / FPS}/TB,fps=${FPS}:round=up,${cover(width, height)},tpad=stop=9:stop_mode=clone,trim=duration=${duration},setpts=PTS-STARTPTS`;

const fades = ({ fade_in = 0, fade_out = 0, duration }: Layered): readonly string[] => [
  ...(fade_in > 0 ? [`fade=t=in:st=0:d=${fade_in}:alpha=1`] : []),
  ...(fade_out > 0 ? [`fade=t=out:st=${duration - fade_out}:d=${fade_out}:alpha=1`] : []),
];

const PERSPECTIVE_TIME = `((on-1)/${FPS})`;
const perspective = (x0: string, x1: string, y0: string, y1: string): string =>
  `perspective=x0='${x0}':y0='${y0}':x1='${x1}':y1='${y0}':x2='${x0}':y2='${y1}':x3='${x1}':y3='${y1}':` +
  'sense=source:eval=frame:interpolation=linear';

type Chain = { readonly filters: readonly string[]; readonly x: string; readonly y: string };

/** The still at its largest size; `perspective` reads the visible part of it. */
const grown = (
  { width, height }: StillLayer,
  ways: readonly [{ time: number; value: number }, { time: number; value: number }],
) => {
  const [from, until] = ways;
  const largest = Math.max(from.value, until.value);
  const scale = along(PERSPECTIVE_TIME, [
    [from.time, from.value],
    [until.time, until.value],
  ]);
  const [w, h] = [2 * Math.ceil((width * largest) / 2), 2 * Math.ceil((height * largest) / 2)];
  const read = (side: number, drawn: number) =>
    [
      `${drawn / side}*(${side / 2}-${side / 2}/${scale})`,
      `${drawn / side}*(${side / 2}+${drawn - side / 2}/${scale})`,
    ] as const;
  const moves = [perspective(...read(width, w), ...read(height, h)), `crop=${width}:${height}:0:0`];
  return { first: cover(w, h), moves };
};

/**
 * `overlay` places whole pixels, and even ones because chroma has half the resolution. `perspective` adds the fraction.
 */
const glided = (
  { width, height, start }: StillLayer,
  ways: NonNullable<NonNullable<StillLayer['keyframes']>['position']>,
) => {
  const [from, until] = ways;
  const at = (axis: 'x' | 'y', time: string): string =>
    along(time, [
      [from.time, from[axis]],
      [until.time, until[axis]],
    ]);
  const rest = (axis: 'x' | 'y'): string => `mod(${at(axis, PERSPECTIVE_TIME)}+8192,2)`;
  const [w, h] = [width + 2 * EDGE, height + 2 * EDGE];
  const whole = (axis: 'x' | 'y'): string => `'2*floor(${at(axis, `(t-${start})`)}/2)-${EDGE}'`;
  return {
    first: `${cover(width, height)},pad=${w}:${h}:${EDGE}:${EDGE}:color=black@0`,
    moves: [perspective(`0-${rest('x')}`, `${w}-${rest('x')}`, `0-${rest('y')}`, `${h}-${rest('y')}`)],
    x: whole('x'),
    y: whole('y'),
  };
};

/** A picture or a colour: one frame if it does not change, otherwise scaled and then repeated. */
const stillChain = (layer: StillLayer, pixels: 'yuva420p' | 'yuv420p'): Chain => {
  const { keyframes: { scale, position } = {}, opacity = 1, width, height } = layer;
  const placed = { first: cover(width, height), moves: [], x: String(layer.x), y: String(layer.y) };
  const { first, moves, x, y } = {
    ...placed,
    ...(scale === undefined ? {} : grown(layer, scale)),
    ...(position === undefined ? {} : glided(layer, position)),
  };
  const drawn = ['format=rgba', ...(opacity < 1 ? [`colorchannelmixer=aa=${opacity}`] : []), first, `format=${pixels}`];
  const changing = [...moves, ...fades(layer)];
  if (changing.length === 0) return { filters: drawn, x, y };
  const repeated = ['loop=-1:1:0', `setpts=N/(${FPS}*TB)`, `trim=duration=${layer.duration}`];
  return { filters: [...drawn, ...repeated, ...changing, `setpts=PTS+${layer.start}/TB`], x, y };
};

const drawtext = ({
  text,
  font_size,
  x,
  y,
  start,
  duration,
  padding = 0,
  fade_in = 0,
  fade_out = 0,
  ...layer
}: TextLayer) => {
  const alpha = [
    ...(fade_in > 0 ? [`(t-${start})/${fade_in}`] : []),
    ...(fade_out > 0 ? [`(${start + duration}-t)/${fade_out}`] : []),
  ].reduce((least, share) => `min(${least},${share})`, '1');
  const at = { ...layer, start, duration };
  return (
    `drawtext=fontfile=${NOTO_SANS_BOLD_FILE}:text='${text}':fontsize=${font_size}:fontcolor=white:x=${x + padding}:y=${y + padding}:` +
    `${shownFrom({ ...at, type: 'text', text, font_size, x, y })}${alpha === '1' ? '' : `:alpha='max(0,${alpha})'`}`
  );
};

const backgroundOf = ({ id, background = '', x, y, width, height, start, duration }: TextLayer): ShapeLayer => ({
  ...{ type: 'shape', id: `${id}-background`, color: background, x, y, width, height, start, duration },
});

const isWhole = ({ width, height }: Film, layer: Layered): boolean => layer.width === width && layer.height === height;

/** The videos that fill the frame one after the other, from the beginning. */
const joinedFilms = (film: Film): readonly VideoLayer[] => {
  const joined: VideoLayer[] = [];
  for (const layer of film.layers) {
    const end = joined.reduce((sum, { duration }) => sum + duration, 0);
    if (layer.type !== 'video' || !isWhole(film, layer) || layer.start !== end) break;
    joined.push(layer);
  }
  return joined;
};

export type FfmpegGraph = {
  readonly inputs: readonly string[];
  /** Its outputs are [v] and [a]. */
  readonly graph: string;
};

/**
 * @param files by asset id
 * @param name the text of the name's layer
 */
export const translateFilm = (film: Film, files: ReadonlyMap<string, string>, name: string): FfmpegGraph => {
  const inputs: string[] = [];
  const graph: string[] = [];
  const voices: string[] = [];
  let count = 0;
  const input = (...args: readonly string[]): number => {
    inputs.push(...args);
    count += 1;
    return count - 1;
  };
  const fileOf = (asset: string): string => files.get(asset) ?? '';
  const voice = (index: number, volume: number, start: number): void => {
    if (volume === 0) return;
    const late = start > 0 ? `,adelay=${Math.round(start * 1_000)}:all=1` : '';
    graph.push(`[${index}:a]aresample=48000,volume=${volume}${late}[voice${index}]`);
    voices.push(`[voice${index}]`);
  };
  const clip = (layer: VideoLayer): number => {
    const index = input('-ss', String(layer.trim_start), '-t', String(layer.duration), '-i', fileOf(layer.asset));
    voice(index, layer.volume, layer.start);
    return index;
  };
  const still = (layer: StillLayer): number =>
    layer.type === 'image'
      ? input('-framerate', String(FPS), '-i', fileOf(layer.asset))
      : input(
          '-f',
          'lavfi',
          '-i',
          `color=c=${layer.color.replace('#', '0x')}:s=${layer.width}x${layer.height}:r=${FPS}:d=${1 / FPS},format=rgba`,
        );

  const joined = joinedFilms(film);
  const [first] = film.layers;
  if (first === undefined || first.type === 'audio' || first.type === 'text') throw new Error('no picture below');
  if (joined.length > 0) {
    const parts = joined.map((layer, n) => {
      graph.push(`[${clip(layer)}:v]${clipChain(layer)}[part${n}]`);
      return `[part${n}]`;
    });
    graph.push(parts.length === 1 ? `${parts[0]}null[below0]` : `${parts.join('')}concat=n=${parts.length}[below0]`);
  } else if (first.type === 'video')
    graph.push(`[${clip(first)}:v]${clipChain(first)},pad=${film.width}:${film.height}:${first.x}:${first.y}[below0]`);
  else {
    const { filters } = stillChain(first, 'yuv420p');
    const lasting = filters.some((filter) => filter.startsWith('loop'))
      ? 'tpad=stop=-1:stop_mode=clone'
      : `loop=-1:1:0,setpts=N/(${FPS}*TB)`;
    graph.push(`[${still(first)}:v]${filters.join(',')},${lasting}[below0]`);
  }

  let below = 0;
  const over = (filter: (below: string) => string): void => {
    graph.push(`${filter(`[below${below}]`)}[below${below + 1}]`);
    below += 1;
  };
  const layStill = (layer: StillLayer): void => {
    const index = still(layer);
    const { filters, x, y } = stillChain(layer, 'yuva420p');
    graph.push(`[${index}:v]${filters.join(',')}[over${index}]`);
    over((under) => `${under}[over${index}]overlay=x=${x}:y=${y}:${shownFrom(layer)}`);
  };
  for (const layer of film.layers.slice(Math.max(1, joined.length))) {
    if (layer.type === 'audio') {
      voice(input('-t', String(layer.duration), '-i', fileOf(layer.asset)), layer.volume, layer.start);
    } else if (layer.type === 'text') {
      if (layer.background !== undefined) layStill(backgroundOf(layer));
      const shown = layer.id === NAME_LAYER ? { ...layer, text: name } : layer;
      over((under) => `${under}${drawtext(shown)}`);
    } else if (layer.type === 'video') {
      const index = clip(layer);
      graph.push(`[${index}:v]${clipChain(layer)},setpts=PTS+${layer.start}/TB[over${index}]`);
      over((under) => `${under}[over${index}]overlay=x=${layer.x}:y=${layer.y}:${shownFrom(layer)}`);
    } else layStill(layer);
  }
  graph.push(`[below${below}]trim=duration=${film.duration}[v]`);
  graph.push(
    voices.length === 0
      ? 'anullsrc=r=48000:cl=stereo[a]'
      : `${voices.join('')}amix=inputs=${voices.length}:normalize=0:duration=longest,apad=whole_dur=${film.duration}[a]`,
  );
  return { inputs, graph: graph.join(';') };
};

/** The film as delivered, with the engine's encoder settings. */
export const filmCommand = (
  film: Film,
  files: ReadonlyMap<string, string>,
  name: string,
  file: string,
): readonly string[] => {
  const { inputs, graph } = translateFilm(film, files, name);
  const mapped = ['-map', '[v]', '-map', '[a]', '-t', String(film.duration)];
  return [...inputs, '-filter_complex', graph, ...mapped, ...MASTER_ENCODER_OPTIONS, ...MP4_OUTPUT_OPTIONS, file];
};
