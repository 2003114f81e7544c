type Way<Value> = readonly [{ readonly time: number } & Value, { readonly time: number } & Value];

export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

type Timed = { readonly id: string; readonly start: number; readonly duration: number };

type Seen = Timed &
  Box & {
    readonly opacity?: number;
    readonly fade_in?: number;
    readonly fade_out?: number;
    readonly keyframes?: {
      readonly position?: Way<{ readonly x: number; readonly y: number }>;
      /** Only for layers as large as the frame. */
      readonly scale?: Way<{ readonly value: number }>;
    };
  };

export type VideoLayer = Seen & {
  readonly type: 'video';
  readonly asset: string;
  readonly trim_start: number;
  readonly volume: number;
};
export type ImageLayer = Seen & { readonly type: 'image'; readonly asset: string };
export type ShapeLayer = Seen & { readonly type: 'shape'; readonly color: string };
export type TextLayer = Seen & {
  readonly type: 'text';
  readonly text: string;
  readonly font_size: number;
  readonly font_weight: 700;
  readonly background?: string;
  readonly padding?: number;
};
export type SoundLayer = Timed & { readonly type: 'audio'; readonly asset: string; readonly volume: number };
export type StillLayer = ImageLayer | ShapeLayer;
export type FilmLayer = VideoLayer | StillLayer | TextLayer | SoundLayer;

/** The subset of a composition (docs/composition.md) that the films use. The project gets the layers unchanged. */
export type Film = {
  readonly kind: string;
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  readonly layers: readonly FilmLayer[];
};

export const FPS = 30;
export const NAME_LAYER = 'name';
