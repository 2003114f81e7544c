import type { FinalComposition } from '../../../domain/composition/final-composition.ts';

/** Families of the fonts that the project brings, by asset id. */
export const familiesOf = ({ assets }: Pick<FinalComposition, 'assets'>): ReadonlyMap<string, string> =>
  new Map(
    assets.flatMap(({ id, kind, font_family }) => (kind === 'font' && font_family !== null ? [[id, font_family]] : [])),
  );
