/** A result of the quick search. `key` is unique among all results. */
export type Hit = {
  readonly key: string;
  readonly label: string;
  /** Tells results of the same name apart; null without. */
  readonly hint: string | null;
  readonly to: string;
};

const comparable = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The elements whose label has every typed word, or a word that begins with it; all if nothing is typed. */
export const matching = <A extends { readonly label: string }>(elements: readonly A[], typed: string): readonly A[] => {
  const wanted = comparable(typed).split(/\s+/u).filter(Boolean);
  return elements.filter(({ label }) => {
    const words = comparable(label).split(/[^\p{L}\p{N}]+/u);
    return wanted.every((one) => words.some((word) => word.startsWith(one)));
  });
};

const RENDER_ID = /^rend_[0-9A-Za-z]{1,64}$/;

export const isRenderId = (typed: string): boolean => RENDER_ID.test(typed.trim());
