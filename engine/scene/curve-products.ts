import { type Curve, type CurvePiece, constantWithin, pieceValueAt } from './curve.ts';

export const mapCurve = (curve: Curve, of: (value: number) => number): Curve =>
  curve.map((piece) => ({ ...piece, first: of(piece.first), last: of(piece.last) }));

/** The same values on the same frames, with frames counted from `origin`. */
export const rebasedCurve = (curve: Curve, origin: number): Curve => {
  if (origin === 0) return curve;
  const moved = curve.map((piece) => ({
    ...piece,
    from: piece.from - origin,
    begin: piece.begin - origin,
    end: piece.end - origin,
  }));
  const first = moved.findLastIndex(({ from }) => from <= 0);
  return moved.slice(Math.max(0, first)).map((piece, index) => (index === 0 ? { ...piece, from: 0 } : piece));
};

/** The most pieces that stand for a product of two changing values. Up to this many frames, each frame is exact. */
const MAX_SAMPLES = 64;

/** Linear pieces. Their ends are exact, as frames are whole. */
const sampledPieces = (valueAt: (frame: number) => number, from: number, until: number): readonly CurvePiece[] => {
  const step = Math.ceil((until - from) / MAX_SAMPLES);
  return Array.from({ length: Math.ceil((until - from) / step) }, (_, index) => {
    const begin = from + index * step;
    const end = Math.min(until, begin + step);
    return { from: begin, begin, end, first: valueAt(begin), last: valueAt(end), easing: 'linear' };
  });
};

/** The product of two curves on frames [0, length). */
export const productOf = (a: Curve, b: Curve, length: number): Curve => {
  const [only_a, only_b] = [constantWithin(a, 0, length), constantWithin(b, 0, length)];
  if (only_a !== null) return only_a === 1 ? b : mapCurve(b, (value) => value * only_a);
  if (only_b !== null) return only_b === 1 ? a : mapCurve(a, (value) => value * only_b);
  const edges = [...new Set([...a, ...b].map(({ from }) => from))]
    .filter((from) => from < length)
    .sort((one, other) => one - other);
  return edges.flatMap((from, index): readonly CurvePiece[] => {
    const until = edges[index + 1] ?? length;
    const piece_a = a.findLast((piece) => piece.from <= from);
    const piece_b = b.findLast((piece) => piece.from <= from);
    if (piece_a === undefined || piece_b === undefined) return [];
    const scaled = (piece: CurvePiece, by: number): readonly CurvePiece[] => [
      { ...piece, from, first: piece.first * by, last: piece.last * by },
    ];
    if (piece_a.first === piece_a.last) return scaled(piece_b, piece_a.first);
    if (piece_b.first === piece_b.last) return scaled(piece_a, piece_b.first);
    return sampledPieces((frame) => pieceValueAt(piece_a, frame) * pieceValueAt(piece_b, frame), from, until);
  });
};
