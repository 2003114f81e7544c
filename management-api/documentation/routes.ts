import type { Request, Response, Server } from 'restify';
import { sendStatic, staticResponse } from '../../platform/http-server/fixed-answer.ts';
import { MANAGEMENT_OPENAPI } from '../../schemas/http/management/document.ts';

export const addDocumentationRoutes = (server: Server): void => {
  const document = staticResponse(Buffer.from(JSON.stringify(MANAGEMENT_OPENAPI)), 'application/json');
  const answer = async (request: Request, response: Response): Promise<void> =>
    await sendStatic(request, response, document);
  server.get('/manage/v1/openapi.json', answer);
  server.head('/manage/v1/openapi.json', answer);
};
