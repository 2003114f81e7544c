import type { Db } from 'mongodb';
import type { Render } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import type { RenderDocument } from './documents.ts';
import { servingRenders } from './model.ts';

/** `name_in_log`: the log has the render's name, so an erasure cannot remove it. */
export type ErasableRender = { readonly render: Render; readonly name_in_log: boolean };

export type ErasableRenders = (render_id: string) => Promise<ErasableRender | null>;

type Row = Pick<RenderDocument, 'render' | 'facts'>;

/** True if the request has neither a hash of the name nor a seal, as before fold version 3: then the log has the name. */
const isNamedInLog = ({ facts }: Row): boolean =>
  facts.some(
    (stored) =>
      stored.verdict === 'accepted' &&
      stored.fact.type === 'RenderRequested' &&
      typeof stored.fact.name_sha256 !== 'string' &&
      sealedRequest(stored.fact) === null,
  );

const rowFinder = (db: Db): ((render_id: string) => Promise<Row | null>) => {
  const serving = servingRenders(db);
  return async (_id) =>
    await (await serving()).renders.findOne<Row>({ _id }, { projection: { render: 1, facts: 1 }, ...queryTimeout() });
};

export const erasableRenders = (db: Db): ErasableRenders => {
  const findRow = rowFinder(db);
  return async (render_id) => {
    const found = await findRow(render_id);
    return found === null || found.render === null ? null : { render: found.render, name_in_log: isNamedInLog(found) };
  };
};

/** `offset`: of the accepted erasure in `render-events`; null if the read model does not show an erasure. */
export type FoldedErasure = { readonly render: Render; readonly offset: number | null };

export type FoldedErasures = (render_id: string) => Promise<FoldedErasure | null>;

export const foldedErasures = (db: Db): FoldedErasures => {
  const findRow = rowFinder(db);
  return async (render_id) => {
    const found = await findRow(render_id);
    if (found === null || found.render === null) return null;
    const erasure = found.facts.find((stored) => stored.verdict === 'accepted' && stored.fact.type === 'RenderErased');
    return { render: found.render, offset: erasure?.offset ?? null };
  };
};
