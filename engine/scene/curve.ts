import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { frameAt } from '../../domain/composition/frame-rate.ts';
import type { Easing } from '../../domain/composition/keyframes.ts';

/** Frames count from the layer's first one. Keyframes may lie between two frames, so only `from` is whole. */
export type CurvePiece = {
  readonly from: number;
  readonly begin: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  readonly easing: Easing;
};

/** A number for each frame of a layer. The first piece begins at frame 0, and each lasts until the next one begins. */
export type Curve = readonly CurvePiece[];

const hold = (from: number, value: number): CurvePiece => ({
  from,
  begin: from,
  end: from,
  first: value,
  last: value,
  easing: 'hold',
});

export const constantCurve = (value: number): Curve => [hold(0, value)];

type Keyframe = { readonly time: number; readonly easing: Easing };

/** Times are in seconds after the layer's start. Without keyframes, the value is always `rest`. */
export const curveOf = <K extends Keyframe>(
  keyframes: readonly K[],
  numberOf: (keyframe: K) => number,
  rest: number,
  fps: FrameRate,
): Curve => {
  const pieces = keyframes.map((keyframe, index): CurvePiece => {
    const next = keyframes[index + 1];
    const from = frameAt(keyframe.time, fps);
    const value = numberOf(keyframe);
    if (next === undefined || keyframe.easing === 'hold') return hold(from, value);
    const [begin, end] = [keyframe, next].map(({ time }) => (time * fps.num) / fps.den);
    return { from, begin: begin ?? 0, end: end ?? 0, first: value, last: numberOf(next), easing: keyframe.easing };
  });
  const [first] = keyframes;
  const all = [hold(0, first === undefined ? rest : numberOf(first)), ...pieces];
  // If several keyframes lie within one frame, the last one counts.
  return all.filter(({ from }, index) => from !== all[index + 1]?.from);
};

export const linearRamp = (at: number, frames: number, first: number, last: number): Curve => [
  ...(at > 0 ? [hold(0, first)] : []),
  { from: at, begin: at, end: at + frames, first, last, easing: 'linear' },
  hold(at + frames, last),
];

const ease = (easing: Easing, part: number): number => {
  switch (easing) {
    case 'hold':
      return 0;
    case 'linear':
      return part;
    case 'ease_in':
      return part ** 2;
    case 'ease_out':
      return 1 - (1 - part) ** 2;
    case 'ease_in_out':
      return part ** 2 * (3 - 2 * part);
  }
};

export const maxOfCurve = (curve: Curve): number => Math.max(...curve.flatMap(({ first, last }) => [first, last]));
export const minOfCurve = (curve: Curve): number => Math.min(...curve.flatMap(({ first, last }) => [first, last]));

const isConstant = ({ first, last }: CurvePiece): boolean => first === last;

/** Whether the value changes within a piece. Jumps between pieces do not count. */
export const changesContinuously = (curve: Curve): boolean => curve.some((piece) => !isConstant(piece));

/** Rounds constant values, so that a layer at rest lies on whole pixels. */
export const roundConstantPieces = (curve: Curve): Curve => {
  const roundIfResting = (value: number, rests: boolean): number => (rests ? Math.floor(value + 0.5) : value);
  const rests = (index: number): boolean => {
    const piece = curve[index];
    return piece !== undefined && isConstant(piece);
  };
  return curve.map((piece, index) => ({
    ...piece,
    first: roundIfResting(piece.first, rests(index) || rests(index - 1)),
    last: roundIfResting(piece.last, rests(index) || rests(index + 1)),
  }));
};

export const pieceValueAt = (piece: CurvePiece, frame: number): number => {
  if (isConstant(piece)) return piece.first;
  const part = Math.min(1, Math.max(0, (frame - piece.begin) / (piece.end - piece.begin)));
  return piece.first + (piece.last - piece.first) * ease(piece.easing, part);
};

export const curveValueAt = (curve: Curve, frame: number): number => {
  const piece = curve.findLast(({ from }) => from <= frame) ?? curve[0];
  return piece === undefined ? 0 : pieceValueAt(piece, frame);
};

export const piecesWithin = (curve: Curve, from: number, until: number): Curve =>
  curve.filter((piece, index) => piece.from < until && (curve[index + 1]?.from ?? Number.POSITIVE_INFINITY) > from);

/** Null if the value changes on these frames. */
export const constantWithin = (curve: Curve, from: number, until: number): number | null => {
  const pieces = piecesWithin(curve, from, until);
  const value = pieces[0]?.first ?? 0;
  return pieces.every((piece) => isConstant(piece) && piece.first === value) ? value : null;
};

export const changingFrames = (curve: Curve): { readonly from: number; readonly until: number } | null => {
  const moving = curve.filter((piece) => !isConstant(piece));
  const jumps = curve.slice(1).filter((piece, index) => piece.first !== curve[index]?.last);
  const edges = [...moving.flatMap(({ from, end }) => [from, Math.ceil(end - 1e-6)]), ...jumps.map(({ from }) => from)];
  return edges.length === 0 ? null : { from: Math.min(...edges), until: Math.max(...edges) };
};

/** Equal for equal values on `until - from` frames, wherever they are in the layer. */
export const describeCurve = (curve: Curve, from: number, until: number): unknown => {
  const value = constantWithin(curve, from, until);
  if (value !== null) return value;
  return piecesWithin(curve, from, until).map((piece) => ({
    from: Math.max(0, piece.from - from),
    ...(isConstant(piece)
      ? { value: piece.first }
      : { begin: piece.begin - from, end: piece.end - from, way: [piece.first, piece.last], easing: piece.easing }),
  }));
};
