import type { Request, Response, Server } from 'restify';
import { type FixedAnswer, sendFixed } from '../../platform/http-server/fixed-answer.ts';
import { sendError } from '../../platform/http-server/replies.ts';
import { readDocumentation } from './files.ts';

/** The OpenAPI document and its page: what needs no key. */
export const addDocumentationRoutes = (server: Server): void => {
  const { document, page, files } = readDocumentation();
  const add = (path: string, fileOf: (request: Request) => FixedAnswer | undefined): void => {
    const answer = async (request: Request, response: Response): Promise<void> => {
      const file = fileOf(request);
      if (file === undefined) sendError(response, { tag: 'not_found', message: 'there is no such file' });
      else await sendFixed(request, response, file);
    };
    server.get(path, answer);
    server.head(path, answer);
  };
  add('/v1/openapi.json', () => document);
  add('/v1/docs', () => page);
  add('/v1/docs/:file', ({ params }) => files.get(params.file));
};
