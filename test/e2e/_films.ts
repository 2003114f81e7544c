import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_PROJECT } from '../../demo/seed.ts';

/** A project of one composition; omitted members are those of the demo's film. */
type Film = {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Seconds. */
  readonly duration: number;
  readonly layers: readonly unknown[];
  readonly assets?: readonly { readonly id: string; readonly kind: string; readonly file: string }[];
  readonly variants?: readonly unknown[];
  readonly preview?: unknown;
  readonly poster_time?: number;
  readonly fields?: readonly unknown[];
};

const field = (key: string, kind: string, widget: string, default_value: string, layer: string, property: string) => ({
  key,
  label: key,
  description: null,
  kind,
  widget,
  default_value,
  target: { layer, property },
});

const LOGO = { id: 'logo-fjell', kind: 'image', file: 'logo-fjell.png' };

/** Renders in a second or two; its texts, colour and picture are fields. */
export const SHORT: Film = {
  width: 320,
  height: 180,
  fps: 15,
  duration: 4,
  layers: [
    { id: 'band', type: 'shape', color: '#00FF00', x: 0, y: 0, width: 320, height: 60 },
    { id: 'title', type: 'text', text: 'Hello', x: 20, y: 80, width: 280, height: 40, font_size: 28, fade_in: 0.5 },
    { id: 'logo', type: 'image', asset: 'logo-fjell', fit: 'contain', x: 20, y: 130, width: 120, height: 40 },
    { id: 'music', type: 'audio', asset: 'music', volume: 0.5 },
  ],
  assets: [
    LOGO,
    { id: 'logo-ember', kind: 'image', file: 'logo-ember.png' },
    { id: 'music', kind: 'audio', file: 'music.m4a' },
  ],
  variants: [{ name: 'small', height: 90 }],
  fields: [
    field('title', 'text', 'text', 'Hello', 'title', 'text'),
    field('band', 'color', 'color', '#00FF00', 'band', 'color'),
    field('logo', 'image', 'file', 'logo-fjell', 'logo', 'asset'),
    field('font', 'text', 'text', 'Noto Sans', 'title', 'font_family'),
  ],
};

/** Renders at once, for tests of many films. */
export const TINY: Film = {
  ...SHORT,
  ...{ fps: 10, duration: 1, variants: [], assets: [LOGO] },
  layers: SHORT.layers.slice(0, 3),
  fields: SHORT.fields?.slice(0, 3) ?? [],
};

/** Renders for several seconds on any machine, so that a process can be killed meanwhile. */
export const LONG: Film = {
  width: 640,
  height: 360,
  fps: 30,
  duration: 40,
  layers: [
    { id: 'mountains', type: 'video', asset: 'mountains', loop: true },
    { id: 'title', type: 'text', text: 'Hello', x: 20, y: 20, width: 400, height: 60, font_size: 40 },
  ],
  assets: [{ id: 'mountains', kind: 'video', file: 'mountains.mp4' }],
  fields: [field('title', 'text', 'text', 'Hello', 'title', 'text')],
};

const MINUTES = 10;

/**
 * Renders for longer than several requests take on a busy machine: its title moves, so that no part is cached for
 * another.
 */
export const LASTING: Film = {
  ...LONG,
  duration: 60 * MINUTES,
  layers: [
    { id: 'mountains', type: 'video', asset: 'mountains', loop: true },
    {
      ...{ id: 'title', type: 'text', text: 'Hello', width: 400, height: 60, font_size: 40 },
      keyframes: {
        position: [
          { time: 0, x: 20, y: 20 },
          { time: 60 * MINUTES, x: 220, y: 220 },
        ],
      },
    },
  ],
};

const PICTURE = { id: 'logo', type: 'image', asset: 'logo-fjell', x: 0, y: 0, width: 100, height: 60 };

export const DAMAGED_PICTURE: Film = { ...SHORT, layers: [PICTURE], assets: [LOGO], fields: [] };

export const TEMPLATE = 'tpl_film';

/** Writes the project into the folder, with the demo's assets or with `bytes` for each of them. */
export const writeFilm = async (folder: string, name: string, film: Film, bytes?: Buffer): Promise<void> => {
  const { layers, assets = [], variants = [], preview = null, fields = [], ...picture } = film;
  await mkdir(folder, { recursive: true });
  for (const { file } of assets) {
    if (bytes === undefined) await copyFile(join(DEMO_PROJECT, 'assets', file), join(folder, file));
    else await writeFile(join(folder, file), bytes);
  }
  const project = {
    name,
    main_composition_id: 'comp_film',
    compositions: [{ id: 'comp_film', background: '#101020', ...picture, layers }],
    assets,
    variants,
    preview,
    templates: [{ id: TEMPLATE, name: 'Film', description: null, target_composition_id: 'comp_film', fields }],
  };
  await writeFile(join(folder, 'project.json'), JSON.stringify(project));
};
