import * as t from 'io-ts';

export const Integer = new t.Type<number>(
  'Integer',
  (value): value is number => Number.isSafeInteger(value),
  (value, context) =>
    Number.isSafeInteger(value) && typeof value === 'number' ? t.success(value) : t.failure(value, context),
  t.identity,
);
