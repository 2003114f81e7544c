import type * as t from 'io-ts';
import { number, oneOf, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LocalId } from './names.ts';

/**
 * The transition lasts `duration` seconds from the layer's own start. The layer `from` stays until its end. A `slide`
 * moves both layers towards `direction`. The `sound` is a cross-fade: `equal_power` keeps the loudness of unrelated
 * sounds, `equal_gain` that of identical sounds.
 */
export const Transition = strictObject({
  type: oneOf('cross_fade', 'slide'),
  from: LocalId,
  duration: number({ above: 0, max: 60 }),
  direction: withDefault(oneOf('left', 'right', 'up', 'down'), 'left'),
  sound: withDefault(oneOf('equal_power', 'equal_gain'), 'equal_power'),
});
export type Transition = t.TypeOf<typeof Transition>;
