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

export const erasableRenders = (db: Db): ErasableRenders => {
  const serving = servingRenders(db);
  return async (_id) => {
    const { renders } = await serving();
    const found = await renders.findOne<Row>({ _id }, { projection: { render: 1, facts: 1 }, ...queryTimeout() });
    return found === null || found.render === null ? null : { render: found.render, name_in_log: isNamedInLog(found) };
  };
};
