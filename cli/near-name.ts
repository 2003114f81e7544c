import { nearName } from '../platform/names/near-name.ts';

/** `; did you mean "headline"?` for a mistyped name; empty where no name is near. */
export const didYouMean = (name: string, names: readonly string[]): string => {
  const near = nearName(name, names);
  return near === null ? '' : `; did you mean "${near}"?`;
};
