import * as t from 'io-ts';

const Region = t.readonly(t.strict({ x: t.number, y: t.number, width: t.number, height: t.number }));

export const TextSetting = t.readonly(
  t.strict({
    text: t.string,
    font_family: t.string,
    /** Pixels. */
    font_size: t.number,
    font_weight: t.number,
    color: t.string,
    align: t.keyof({ left: null, center: null, right: null }),
    vertical_align: t.keyof({ top: null, middle: null, bottom: null }),
    /** A factor of the font size. */
    line_height: t.number,
    shrink_to_fit: t.boolean,
  }),
);
export type TextSetting = t.TypeOf<typeof TextSetting>;

/** Of every drawing: its box in pixels of the frame; `field` names the layer in messages: `layers[2]`. */
const common = { field: t.string, box: Region, opacity: t.number };

export const Drawing = t.union([
  t.readonly(t.strict({ kind: t.literal('fill'), ...common, color: t.string })),
  t.readonly(t.strict({ kind: t.literal('ellipse'), ...common, color: t.string })),
  t.readonly(t.strict({ kind: t.literal('rectangle'), ...common, color: t.string, radius: t.number })),
  t.readonly(
    t.strict({
      kind: t.literal('image'),
      ...common,
      asset: t.string,
      fit: t.keyof({ cover: null, contain: null, fill: null }),
    }),
  ),
  t.readonly(t.strict({ kind: t.literal('text'), ...common, setting: TextSetting })),
]);
export type Drawing = t.TypeOf<typeof Drawing>;

/** Drawings flattened into one picture of `region`, in their order. */
export const Still = t.readonly(t.strict({ id: t.string, region: Region, drawings: t.readonlyArray(Drawing) }));
export type Still = t.TypeOf<typeof Still>;

/** A still in a file: raw RGBA of `region`, straight alpha, sRGB. */
export const DrawnStill = t.readonly(t.strict({ id: t.string, file: t.string, region: Region }));
export type DrawnStill = t.TypeOf<typeof DrawnStill>;

/** What the drawing process is asked, on its standard input, as JSON. */
export const StillsJob = t.strict({
  stills: t.readonlyArray(Still),
  /** Paths by asset id. */
  assets: t.record(t.string, t.string),
  folder: t.string,
});
export type StillsJob = t.TypeOf<typeof StillsJob>;

/** What it answers on its standard output: the stills that drew something, or why one cannot be drawn. */
export const StillsAnswer = t.union([
  t.strict({ tag: t.literal('drawn'), stills: t.readonlyArray(DrawnStill) }),
  t.strict({ tag: t.literal('composition'), code: t.string, message: t.string, field: t.string }),
]);
export type StillsAnswer = t.TypeOf<typeof StillsAnswer>;
