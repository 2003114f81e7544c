import { ANYWHERE, led, pageRefusal } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';

/** Nobody needs a session to get one. */
const OPEN = [] as const;

export const signIn: ManagementOperation = {
  operationId: 'signIn',
  tags: ['Sessions'],
  summary: 'Sign in',
  description:
    'To be opened as a page: leads to the provider, and from there back to `return_to` with a session. Works in the browser that began it, once, within ten minutes.',
  security: OPEN,
  parameters: [
    {
      ...{ name: 'return_to', in: 'query', required: false, example: '/renders' },
      description: 'Where to go then: a path of this service, with a query or without; `/` if left out.',
      schema: { type: 'string', maxLength: 512, pattern: '^/' },
    },
    {
      ...{ name: 'fresh', in: 'query', required: false, example: 'true' },
      description: 'Whether the person is to show anew who they are, as keys and secrets ask for.',
      schema: { type: 'string', const: 'true' },
    },
  ],
  responses: {
    '303': led('To the provider.'),
    ...ANYWHERE,
    '400': pageRefusal(
      'A parameter is not valid.',
      'return_to: must be a path of this service, like /renders?status=failed',
    ),
  },
};

export const finishSignIn: ManagementOperation = {
  operationId: 'finishSignIn',
  tags: ['Sessions'],
  summary: 'Come back from the provider',
  description: 'Where the provider leads to, with `code` and `state`. Begins a session, and ends the one before.',
  security: OPEN,
  parameters: [
    {
      ...{ name: 'state', in: 'query', required: true, schema: { type: 'string' } },
      description: 'As it was sent to the provider.',
    },
    {
      ...{ name: 'code', in: 'query', required: false, schema: { type: 'string' } },
      description: 'What the service trades for who it is.',
    },
  ],
  responses: {
    '303': led('To where the person wanted to go.'),
    ...ANYWHERE,
    '400': pageRefusal(
      'It is no answer to a sign-in of this browser, or not for the second time.',
      'the answer of the provider is not valid for this sign-in: sign in again',
    ),
    '403': pageRefusal(
      'The provider did not sign the person in.',
      'the provider did not sign you in, or you cancelled: sign in again',
    ),
  },
};
