import { execa } from 'execa';
import type { Film } from './film.ts';
import { translateFilm } from './translator.ts';

/** Compares every 13th frame: enough to show faults. No motion has a period of 13 frames. */
const SELECTED = "select='not(mod(n,13))'";

/**
 * Excludes the boxes of texts. The engine sets text with Pango, the command with FreeType, so correct pictures may
 * differ by a pixel.
 */
const withoutTexts = ({ layers }: Film): string =>
  layers
    .flatMap((layer) => (layer.type === 'text' ? [layer] : []))
    .map(({ x, y, width, height }) => `,drawbox=x=${x}:y=${y}:w=${width}:h=${height}:color=black:t=fill`)
    .join('');

/** Some or all frames of the film, rendered without loss by the translator's graph. */
export const makeReference = async (
  film: Film,
  files: ReadonlyMap<string, string>,
  name: string,
  file: string,
  which: 'some' | 'all' = 'some',
): Promise<void> => {
  const { inputs, graph } = translateFilm(film, files, name);
  const frames = `${graph};[v]trim=duration=${film.duration}${which === 'some' ? `,${SELECTED}` : ''}[frames];[a]atrim=duration=0.1,anullsink`;
  await execa('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-y', ...inputs, '-filter_complex', frames, '-map', '[frames]'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-fps_mode', 'passthrough', file],
  ]);
};

/** SSIM against the reference, over all planes, 0 to 1. */
export const ssimOf = async (film: Film, file: string, reference: string): Promise<number> => {
  const hidden = withoutTexts(film);
  const graph = [
    `[0:v]${SELECTED},setpts=N/TB${hidden}[film]`,
    `[1:v]setpts=N/TB${hidden}[reference]`,
    '[film][reference]ssim',
  ].join(';');
  const { stderr } = await execa('ffmpeg', [
    ...['-v', 'info', '-nostats', '-nostdin', '-i', file, '-i', reference, '-filter_complex', graph, '-f', 'null', '-'],
  ]);
  return Number(/SSIM .* All:([\d.]+)/.exec(stderr)?.[1] ?? Number.NaN);
};
