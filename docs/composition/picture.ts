/** A layer as in a project file. */
export type LayerJson = Readonly<Record<string, unknown>>;

export const PANEL_SIZE = { width: 240, height: 136 } as const;

/** A still of a small composition (four seconds, ten frames per second), or the waveform of its sound. */
export type Panel = {
  readonly caption: string;
  readonly layers: readonly LayerJson[];
  readonly at_s?: number;
  readonly background?: string;
  readonly sound?: true;
};

/** Stills side by side that show the effect of some properties. */
export type DocumentationFigure = { readonly shows: readonly string[]; readonly panels: readonly Panel[] };

export const INK = '#14132E';
export const CORAL = '#FF7A59';
export const YELLOW = '#FFC857';
export const TEAL = '#3BB3A6';
const DIM = '#2F2E5C';

export const plateLayer = (parts: LayerJson = {}): LayerJson => ({
  ...{ id: 'plate', type: 'shape', color: CORAL, x: 70, y: 38, width: 100, height: 60, radius: 8 },
  ...parts,
});

/** A clip that counts its seconds. */
export const counterLayer = (parts: LayerJson = {}): LayerJson => ({
  id: 'counter',
  type: 'video',
  asset: 'counter',
  ...parts,
});

export const mountainsLayer = (parts: LayerJson = {}): LayerJson => ({
  ...{ id: 'mountains', type: 'video', asset: 'mountains', trim_start: 2 },
  ...parts,
});

export const musicLayer = (parts: LayerJson = {}): LayerJson => ({
  id: 'music',
  type: 'audio',
  asset: 'music',
  ...parts,
});

const BOX = { x: 20, y: 24, width: 200, height: 88 };

export const textLayers = (parts: LayerJson = {}, text = 'Quiet evening'): readonly LayerJson[] => [
  { id: 'box', type: 'shape', color: DIM, ...BOX },
  { id: 'words', type: 'text', text, font_size: 26, ...BOX, ...parts },
];

/** One panel for each value of a property. */
export const panelPerValue = (
  property: string,
  values: readonly (string | number | boolean | null)[],
  layersOf: (parts: LayerJson) => readonly LayerJson[],
  panel: Partial<Panel> = {},
): readonly Panel[] =>
  values.map((value) => ({
    caption: `${property}: ${JSON.stringify(value)}`,
    layers: layersOf({ [property]: value }),
    ...panel,
  }));

/** One panel for each time. */
export const panelPerTime = (times_s: readonly number[], layers: readonly LayerJson[]): readonly Panel[] =>
  times_s.map((at_s) => ({ caption: `${at_s} s`, layers, at_s }));
