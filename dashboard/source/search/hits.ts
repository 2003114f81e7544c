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

/** People by a part of their address, like `grace` or `example.org`. */
export const matchingPeople = (
  people: ReadonlyMap<string, string | null>,
  typed: string,
  most: number,
): readonly { readonly user_id: string; readonly email: string }[] => {
  const text = typed.trim().toLowerCase();
  if (text === '') return [];
  return [...people]
    .flatMap(([user_id, email]) => (email?.toLowerCase().includes(text) ? [{ user_id, email }] : []))
    .slice(0, most);
};

const RENDER_ID = /^rend_[0-9A-Za-z]{1,64}$/;

export const isRenderId = (typed: string): boolean => RENDER_ID.test(typed.trim());
