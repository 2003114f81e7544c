import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js';
import type { Part } from './parts.ts';
import type { Variable } from './variable.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Values<P extends Part> = {
  readonly [V in keyof P['variables']]: P['variables'][V] extends Variable<infer A> ? A : never;
};

export type Parts = Readonly<Record<string, Part>>;

export type Configuration<P extends Parts> = { readonly [K in keyof P]: Values<P[K]> };

const MAX_SHOWN = 80;

const shown = (variable: Variable<unknown>, value: string): string =>
  !variable.quoted ? '' : `, not ${JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)}`;

/** An empty value counts as not set. */
const decodeVariable = <A>(environment: Environment, variable: Variable<A>): Either<string, A> => {
  const value = environment[variable.name];
  if (value === undefined || value === '') {
    const absent = variable.absent();
    return isLeft(absent)
      ? left(`${variable.name} ${absent.left}: ${variable.description} Example: ${variable.example}`)
      : absent;
  }
  const decoded = variable.codec.decode(value);
  return isRight(decoded) ? decoded : left(`${variable.name} must be ${variable.form}${shown(variable, value)}`);
};

const decodePart = (environment: Environment, part: Part, faults: string[]): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(part.variables)) {
    const decoded = decodeVariable(environment, variable);
    if (isLeft(decoded)) faults.push(decoded.left);
    else values[key] = decoded.right;
  }
  return values;
};

/** Left: all faults, one line each, naming the variable. */
export const decodeConfiguration = <P extends Parts>(
  environment: Environment,
  parts: P,
): Either<readonly string[], Configuration<P>> => {
  const faults: string[] = [];
  const values = Object.fromEntries(
    Object.entries(parts).map(([key, part]) => [key, decodePart(environment, part, faults)]),
  );
  // The compiler cannot follow the types of the parts; the loop above builds exactly this shape.
  return faults.length > 0 ? left(faults) : right(values as Configuration<P>);
};
