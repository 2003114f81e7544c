import type * as t from 'io-ts';
import { number, oneOf, orElse } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LocalId } from './names.ts';

/**
 * How a layer replaces the layer `from`, during `duration` seconds from its own start. The old layer stays until then,
 * whatever its own end, and then disappears. A `slide` moves both layers, and the new one comes in towards `direction`.
 * The member `sound` is the cross-fade of their sounds. The curve `equal_power` keeps the loudness of unrelated sounds,
 * and `equal_gain` that of identical sounds.
 */
export const Transition = strictObject({
  type: oneOf('cross_fade', 'slide'),
  from: LocalId,
  duration: number({ above: 0, max: 60 }),
  direction: orElse(oneOf('left', 'right', 'up', 'down'), 'left'),
  sound: orElse(oneOf('equal_power', 'equal_gain'), 'equal_power'),
});
export type Transition = t.TypeOf<typeof Transition>;
