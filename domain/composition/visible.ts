import * as t from 'io-ts';
import { boolean, multilineText, optional, Shape } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LIMITS } from './limits.ts';
import { LocalId } from './names.ts';

/** True if the value of the field equals a string, or is empty or not. It has either `equals` or `is_empty`. */
export const VisibleIf = strictObject({
  field: LocalId,
  equals: optional(multilineText({ max: LIMITS.choice })),
  is_empty: optional(boolean),
});
export type VisibleIf = t.TypeOf<typeof VisibleIf>;

export type Visible = boolean | VisibleIf;

export const Visible = new Shape<Visible>(
  'true, false or {"field": …}',
  (u): u is Visible => t.boolean.is(u) || VisibleIf.is(u),
  (u, context) => {
    if (t.boolean.is(u)) return t.success(u);
    return t.UnknownRecord.is(u) ? VisibleIf.validate(u, context) : t.failure(u, context);
  },
  { anyOf: [boolean.schema, VisibleIf.schema] },
);
