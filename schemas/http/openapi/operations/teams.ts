import { example, MEMBER, TEAM, USER } from '../examples.ts';
import { type Operation, parameterRef } from '../form.ts';
import { ANYWHERE, answer, keyedRefusal } from '../responses.ts';
import { getSamples } from '../samples/code-samples.ts';

const NO_TEAM = keyedRefusal('There is no such team, or it is not in reach of the key.', {
  absent: ['No such team', 'there is no such team'],
});

export const listTeams: Operation = {
  operationId: 'listTeams',
  tags: ['Teams'],
  summary: 'List the teams of the key',
  description: 'Every team that the key reaches.',
  responses: { '200': answer('All of them.', 'TeamList', example('One team', { data: [TEAM] })), ...ANYWHERE },
  'x-codeSamples': getSamples('/v1/teams'),
};

export const getTeam: Operation = {
  operationId: 'getTeam',
  tags: ['Teams'],
  summary: 'Read a team',
  description: 'The team, with the role that the user of the key has in it.',
  parameters: [parameterRef('TeamId')],
  responses: { '200': answer('The team.', 'Team', example('A team', TEAM)), ...ANYWHERE, '404': NO_TEAM },
  'x-codeSamples': getSamples('/v1/teams/{TEAM_ID}'),
};

export const listMembers: Operation = {
  operationId: 'listMembers',
  tags: ['Users'],
  summary: 'List the members of a team',
  description: 'All of them; who joined first comes first.',
  parameters: [parameterRef('OfTeam')],
  responses: {
    '200': answer('All of them.', 'MemberList', example('One member', { data: [MEMBER] })),
    ...ANYWHERE,
    '404': NO_TEAM,
  },
  'x-codeSamples': getSamples('/v1/users?team_id={TEAM_ID}'),
};

export const getUser: Operation = {
  operationId: 'getUser',
  tags: ['Users'],
  summary: 'Read a user',
  description: 'Somebody who is a member of a team that the key reaches.',
  parameters: [parameterRef('UserId')],
  responses: {
    '200': answer('The user.', 'User', example('A user', USER)),
    ...ANYWHERE,
    '404': keyedRefusal('There is no such user, or none that shares a team with the key.', {
      absent: ['No such user', 'there is no such user'],
    }),
  },
  'x-codeSamples': getSamples('/v1/users/{USER_ID}'),
};
