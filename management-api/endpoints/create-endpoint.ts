import * as E from 'fp-ts/lib/Either.js';
import { endpointView } from '../../catalogue/answers.ts';
import { catalogueError, isIdTaken } from '../../catalogue/api-errors/catalogue-error.ts';
import { createEndpoint } from '../../catalogue/endpoints.ts';
import { Endpoint, EndpointRequest } from '../../schemas/http/management/endpoints.ts';
import { catalogueWriterFor } from '../access/commands.ts';
import { IDEMPOTENCY_CONFLICT, idempotentCreationId } from '../access/creation-id.ts';
import { decodeBody } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import type { EndpointRouteDependencies } from './parts.ts';

const spelled = (url: string): string => URL.parse(url)?.href ?? url;

export const createTeamEndpoint =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const { read_model, seal, checkAddress, clock } = parts;
    const body = await decodeBody(request, EndpointRequest);
    if (E.isLeft(body)) return body;
    const id = idempotentCreationId(request, 'whe', person.user_id, team.id);
    if (E.isLeft(id)) return id;
    if (E.isLeft(seal))
      return E.left({ tag: 'conflict', message: `the service cannot create endpoints: ${seal.left}` });

    /**
     * The answer to a repeated request; null for a first one. The endpoint's events may have changed since, so they are
     * not compared.
     */
    const before = async () => {
      const found = id.right === null ? null : await read_model.find('webhook_endpoint', id.right);
      if (found === null) return null;
      if (found.team_id !== team.id || found.url !== spelled(body.right.url)) return E.left(IDEMPOTENCY_CONFLICT);
      const endpoint = Endpoint.encode({
        ...endpointView(found, clock.now()),
        failing: await read_model.failing(found.id),
      });
      return E.right({ status: 200, body: { ...endpoint, secret: null, repeated: true } });
    };

    const known = await before();
    if (known !== null) return known;
    const wanted = { team_id: team.id, ...body.right, ...(id.right !== null && { id: id.right }) };
    const catalogue = { ...catalogueWriterFor(parts, person), seal: seal.right };
    const created = await createEndpoint(catalogue, checkAddress, wanted);
    if (E.isRight(created)) {
      const { secret, repeated } = created.right;
      const shown = { ...Endpoint.encode({ ...created.right, failing: null }), secret, repeated: repeated === true };
      return E.right({ status: repeated === true ? 200 : 201, body: shown });
    }
    return (isIdTaken(created.left) ? await before() : null) ?? E.left(catalogueError(created.left));
  };
