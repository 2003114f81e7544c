import { object } from './scalars.ts';

export const ERROR = object('What every error looks like.', {
  error: {
    type: 'string',
    minLength: 1,
    description: 'What is wrong, for a person: it names the field and the fault. Not for programs: use the status.',
  },
});
