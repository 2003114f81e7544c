import type { Shape } from '../../domain/shape/shape.ts';
import type { ErrorCode } from './error-codes.ts';
import { conditionalMember, namedShape, oneOf, text } from './shapes.ts';

export const errorCodeShape = (codes: readonly ErrorCode[]) =>
  namedShape(
    'ErrorCode',
    oneOf(codes, 'The kind of error, for programs. A code never changes its meaning. More codes may follow.'),
  );

export const errorMembers = (code: Shape<ErrorCode>) => ({
  error: text('The error message, for people. It names the field at fault.', { minLength: 1 }),
  code,
  param: conditionalMember(
    text(
      'The part of the request at fault, the first of several: the path of a member of the body (`values.logo`), or the name of a parameter or a header. Absent if no part is at fault.',
      { minLength: 1 },
    ),
  ),
});
