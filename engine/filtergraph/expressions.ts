import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { type Curve, type CurvePiece, constantWithin, piecesWithin } from '../scene/curve.ts';

/** A number in the syntax of ffmpeg, never with an exponent. */
export const decimal = (value: number): string =>
  value
    .toFixed(9)
    .replace(/(?:\.|(?<!0))0+$/, '')
    .replace(/^-0$/, '0');

/** A negative number after an operator needs parentheses. */
export const parenthesizedOperand = (value: number): string => (value < 0 ? `(${decimal(value)})` : decimal(value));

/** ffmpeg's variable 0 contains the layer's frame number while a curve is evaluated. */
const FRAME = 'ld(0)';

/**
 * Precedes an expression with a statement that stores in variable 0 the frame number at `time` (seconds), plus
 * `offset`.
 */
export const withFrameVariable = (time: string, { num, den }: FrameRate, offset: number, expression: string): string =>
  `st(0,floor(${time}*${num}/${den}+0.5)${offset < 0 ? '' : '+'}${offset});${expression}`;

/**
 * Applies a function to the last statement of a sequence (`a;b;c`), because this statement gives the value of the
 * sequence.
 */
export const mapLastStatement = (expression: string, apply: (value: string) => string): string => {
  const at = expression.lastIndexOf(';') + 1;
  return `${expression.slice(0, at)}${apply(expression.slice(at))}`;
};

const easeExpression = ({ begin, end, easing }: CurvePiece): string => {
  const part = `((${FRAME}-${parenthesizedOperand(begin)})/${decimal(end - begin)})`;
  switch (easing) {
    case 'hold':
      return '0';
    case 'linear':
      return part;
    case 'ease_in':
      return `${part}^2`;
    case 'ease_out':
      return `(1-(1-${part})^2)`;
    case 'ease_in_out':
      return `(${part}^2*(3-2*${part}))`;
  }
};

const pieceExpression = (piece: CurvePiece, next: CurvePiece | undefined, index: number): string => {
  const { first, last } = piece;
  const value =
    first === last
      ? parenthesizedOperand(first)
      : `(${decimal(first)}${last < first ? '' : '+'}${decimal(last - first)}*${easeExpression(piece)})`;
  const conditions = [
    ...(index === 0 ? [] : [`gte(${FRAME},${piece.from})`]),
    ...(next === undefined ? [] : [`lt(${FRAME},${next.from})`]),
  ];
  return [...conditions, value].join('*');
};

/** Use it inside `withFrameVariable`. It contains only the pieces that affect the layer's frames [from, until). */
export const curveExpression = (curve: Curve, from: number, until: number): string => {
  const value = constantWithin(curve, from, until);
  if (value !== null) return parenthesizedOperand(value);
  const pieces = piecesWithin(curve, from, until);
  return `(${pieces.map((piece, index) => pieceExpression(piece, pieces[index + 1], index)).join('+')})`;
};
