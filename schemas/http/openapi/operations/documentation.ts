import { type Operation, parameterRef } from '../form.ts';
import { ANYWHERE, headers, refusal } from '../responses.ts';

const CACHED = {
  description: 'Not changed since the answer whose `ETag` was sent as `If-None-Match`.',
  headers: headers(),
};

export const getOpenApi: Operation = {
  operationId: 'getOpenApi',
  tags: ['Documentation'],
  summary: 'Read this document',
  description: 'The document that you are reading, as OpenAPI 3.1 in JSON. No key is needed.',
  security: [],
  responses: {
    '200': {
      description: 'This document.',
      headers: headers('Cache-Control'),
      content: {
        'application/json': {
          schema: { type: 'object', required: ['openapi'], properties: { openapi: { const: '3.1.1' } } },
          examples: { document: { summary: 'Its beginning', value: { openapi: '3.1.1' } } },
        },
      },
    },
    '304': CACHED,
    ...ANYWHERE,
  },
};

const page = (media: string): Operation['responses'][string] => ({
  description: 'For a browser.',
  headers: headers('Cache-Control'),
  content: { [media]: { schema: { type: 'string' } } },
});

export const getDocs: Operation = {
  operationId: 'getDocs',
  tags: ['Documentation'],
  summary: 'Read this document as a page',
  description: 'The same, for people. No key is needed.',
  security: [],
  responses: { '200': page('text/html'), '304': CACHED, ...ANYWHERE },
};

export const getDocsFile: Operation = {
  operationId: 'getDocsFile',
  tags: ['Documentation'],
  summary: 'Read a file of that page',
  description: 'A script or a style sheet that the page needs. No key is needed.',
  security: [],
  parameters: [parameterRef('File')],
  responses: {
    '200': page('*/*'),
    '304': CACHED,
    ...ANYWHERE,
    '404': refusal('There is no such file.', { absent: ['No such file', 'there is no such file'] }),
  },
};
