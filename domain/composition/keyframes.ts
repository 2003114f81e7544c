import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { listOf, number, oneOf, Shape, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LIMITS } from './limits.ts';

/** `hold` keeps the value and jumps at the next keyframe. */
export const Easing = oneOf('linear', 'ease_in', 'ease_out', 'ease_in_out', 'hold');
export type Easing = t.TypeOf<typeof Easing>;

/** `time` is in seconds from the layer's start; `easing` applies from this keyframe to the next. */
const moment = {
  time: number({ min: 0, max: LIMITS.duration_s }),
  easing: withDefault(Easing, 'linear'),
};
const place = number({ min: -2 * LIMITS.side, max: 2 * LIMITS.side });

export const PositionKeyframe = strictObject({ ...moment, x: place, y: place });
export type PositionKeyframe = t.TypeOf<typeof PositionKeyframe>;

export const OpacityKeyframe = strictObject({ ...moment, value: number({ min: 0, max: 1 }) });
export type OpacityKeyframe = t.TypeOf<typeof OpacityKeyframe>;

/** A factor of the layer's own size, around the middle of its box. */
export const ScaleKeyframe = strictObject({ ...moment, value: number({ min: 0.01, max: 16 }) });
export type ScaleKeyframe = t.TypeOf<typeof ScaleKeyframe>;

/** The lists of keyframes, with the codec of their entries. */
export const KEYFRAME_CODECS = { position: PositionKeyframe, opacity: OpacityKeyframe, scale: ScaleKeyframe };
type KeyframeList = keyof typeof KEYFRAME_CODECS;

export type KeyframeMember = {
  readonly list: KeyframeList;
  readonly index: number;
  readonly member: 'x' | 'y' | 'value';
};

const KEYFRAME_MEMBER = /^keyframes\.(position|opacity|scale)\.(\d{1,2})\.(x|y|value)$/;

/**
 * The member that a property like `keyframes.scale.0.value` names; null if it names none. Times and easings are not
 * members, because keyframes must stay in order.
 */
export const keyframeMember = (property: string): KeyframeMember | null => {
  const [, list, index, member] = KEYFRAME_MEMBER.exec(property) ?? [];
  if (list !== 'position' && list !== 'opacity' && list !== 'scale') return null;
  if (member !== 'x' && member !== 'y' && member !== 'value') return null;
  return (list === 'position') === (member !== 'value') ? { list, index: Number(index), member } : null;
};

const timeOf = (u: unknown): number | null =>
  typeof u === 'object' && u !== null && 'time' in u && typeof u.time === 'number' ? u.time : null;

/** Checks that times strictly increase. It reports these faults together with those of the keyframes themselves. */
const inOrder = <K extends { readonly time: number }>(keyframe: Shape<K>) => {
  const list = listOf(keyframe, { max: LIMITS.keyframes });
  const faultsOf = (u: unknown, context: t.Context): t.Errors => {
    if (!Array.isArray(u) || u.length > LIMITS.keyframes) return [];
    const times = u.map(timeOf);
    return times.flatMap((time, index) => {
      const before = times[index - 1] ?? null;
      if (time === null || before === null || time > before) return [];
      const entry = t.appendContext(context, String(index), keyframe, u[index]);
      const at = t.appendContext(entry, 'time', t.number, time);
      return [{ value: time, context: at, message: `must be after ${before} s, the time of the previous keyframe` }];
    });
  };
  return new Shape<readonly K[]>(
    list.name,
    list.is,
    (u, context) => {
      const decoded = list.validate(u, context);
      const faults = faultsOf(u, context);
      if (faults.length === 0) return decoded;
      return t.failures([...(E.isLeft(decoded) ? decoded.left : []), ...faults]);
    },
    list.schema,
  );
};

/** Before the first keyframe, the layer has the first value; after the last keyframe, it has the last value. */
export const Keyframes = withDefault(
  strictObject({
    position: withDefault(inOrder(PositionKeyframe), []),
    opacity: withDefault(inOrder(OpacityKeyframe), []),
    scale: withDefault(inOrder(ScaleKeyframe), []),
  }),
  { position: [], opacity: [], scale: [] },
);
export type Keyframes = t.TypeOf<typeof Keyframes>;

/** The keyframes with another value of one member. A list without that entry stays the same. */
export const withKeyframeMember = (
  keyframes: Keyframes,
  { list, index, member }: KeyframeMember,
  value: unknown,
): { readonly [L in KeyframeList]: readonly unknown[] } => ({
  ...keyframes,
  [list]: keyframes[list].map((keyframe, n) => (n === index ? { ...keyframe, [member]: value } : keyframe)),
});
