/** Whole pixels; x and y from the upper left corner of the frame. */
export type Region = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type Size = { readonly width: number; readonly height: number };
export type Fit = 'cover' | 'contain' | 'fill';

/** Rounds both edges, so that adjacent boxes stay adjacent; at least one pixel. */
export const roundToPixels = (box: Region): Region => {
  const x = Math.round(box.x);
  const y = Math.round(box.y);
  return {
    x,
    y,
    width: Math.max(1, Math.round(box.x + box.width) - x),
    height: Math.max(1, Math.round(box.y + box.height) - y),
  };
};

export const intersection = (a: Region, b: Region): Region | null => {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
};

export const union = (a: Region, b: Region): Region => {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
};

export const contains = (outer: Region, inner: Region): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

export const expandRegion = ({ x, y, width, height }: Region, margin: number): Region => ({
  x: x - margin,
  y: y - margin,
  width: width + 2 * margin,
  height: height + 2 * margin,
});

/**
 * A picture at subpixel positions gets extra pixels around it, so that its edge blends with them. All values are even.
 */
export type EdgePadding = {
  /** Width of the surround. Its pixels have the colours of the picture's edge, but are transparent. */
  readonly margin: number;
  /** Width of the surround's innermost part, which is as opaque as the edge. */
  readonly opaque: number;
};
export const NO_EDGE_PADDING: EdgePadding = { margin: 0, opaque: 0 };

export const centerOf = ({ x, y, width, height }: Region) => ({ x: x + width / 2, y: y + height / 2 });

export const scaledBox = ({ x, y, width, height }: Region, density: number): Region =>
  roundToPixels({ x: x * density, y: y * density, width: width * density, height: height * density });

export const area = ({ width, height }: Size): number => width * height;
export const frameRegion = ({ width, height }: Size): Region => ({ x: 0, y: 0, width, height });

/** Centred in the box; under `cover` it exceeds the box. Its sides and distances are multiples of `step` pixels. */
export const fitInto = (source: Size, box: Region, fit: Fit, step = 1): Region => {
  if (fit === 'fill') return box;
  const across = box.width / source.width;
  const down = box.height / source.height;
  const scale = fit === 'cover' ? Math.max(across, down) : Math.min(across, down);
  const inSteps = (length: number, whole: number): number => {
    const side = Math.max(step, step * Math.round((length * scale) / step));
    return fit === 'cover' ? Math.max(whole, side) : Math.min(whole, side);
  };
  const width = inSteps(source.width, box.width);
  const height = inSteps(source.height, box.height);
  const before = (whole: number, side: number): number => step * Math.round((whole - side) / 2 / step);
  return { x: box.x + before(box.width, width), y: box.y + before(box.height, height), width, height };
};

export const evenLength = (length: number): number => 2 * Math.ceil(length / 2);

/** The smallest region with even edges, as 4:2:0 needs, that contains this one. */
export const expandToEven = ({ x, y, width, height }: Region): Region => {
  const left = 2 * Math.floor(x / 2);
  const top = 2 * Math.floor(y / 2);
  return {
    x: left,
    y: top,
    width: evenLength(x + width) - left,
    height: evenLength(y + height) - top,
  };
};
