import type * as t from 'io-ts';
import { number, oneOf, orElse } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LocalId } from './names.ts';

/**
 * How a layer takes the place of the one that it names, from its own start on, for `duration` seconds: that one stays
 * until then, whatever its own end, and is gone afterwards. `slide`: both move, the new one comes in towards `direction`.
 * `sound`: how their sounds go over into each other: two of equal power keep their loudness, or two equal ones do.
 */
export const Transition = strictObject({
  type: oneOf('cross_fade', 'slide'),
  from: LocalId,
  duration: number({ above: 0, max: 60 }),
  direction: orElse(oneOf('left', 'right', 'up', 'down'), 'left'),
  sound: orElse(oneOf('equal_power', 'equal_gain'), 'equal_power'),
});
export type Transition = t.TypeOf<typeof Transition>;
