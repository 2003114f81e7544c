import type { Schemas } from '../api/client.ts';

/** The price of a render: its version of the project and its draft setting determine it. */
export type RenderCost = { readonly credits: number | null; readonly project_version: number };

/** The price is null if the render ended without a charge, because its reservation is then released. */
export const costOf = ({
  charged_credits,
  reserved_credits,
  project_version,
}: Pick<Schemas['RenderWithTransitions'], 'charged_credits' | 'reserved_credits' | 'project_version'>): RenderCost => ({
  credits: Math.max(charged_credits, reserved_credits) || null,
  project_version,
});

/** @param price of the earlier render, if the same version is rendered again; null if it is not known */
export const costText = (props: {
  readonly price: number | null;
  readonly asked_draft: boolean;
  readonly draft: boolean;
}): string => {
  const { price, asked_draft, draft } = props;
  if (draft !== asked_draft) return draft ? 'A draft costs less.' : 'Costs more than the draft.';
  return price === null ? '' : `Costs ${price.toLocaleString()} ${price === 1 ? 'credit' : 'credits'}.`;
};
