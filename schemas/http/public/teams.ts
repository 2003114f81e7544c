import type * as t from 'io-ts';
import { ACCOUNT_ID, TEAM_ID } from '../ids.ts';
import { definitionsOf, orNull, resource, text, time, wholeList, withDescription } from '../shapes.ts';
import { Role } from '../words.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { NO_TEAM } from './responses.ts';
import { getSamples } from './samples/code-samples.ts';

export const Team = resource('Team', 'Owns projects.', {
  id: TEAM_ID,
  name: text('Its name.'),
  account_id: withDescription(ACCOUNT_ID, 'The account that it belongs to.'),
  role: orNull(Role, "The role of the key's user in it; null if the key belongs to no user."),
  created_at: time('When it was created'),
});
type Team = t.TypeOf<typeof Team>;

const TeamList = wholeList('TeamList', Team, 'The teams that a key reaches.');

export const TEAM_SCHEMAS = definitionsOf([Team, TeamList]);

export const TEAM_EXAMPLE: Team = {
  id: 'team_01KAJWY8QD',
  name: 'Studio',
  account_id: 'acc_01KAJWXV2P',
  role: 'admin',
  created_at: 1_763_568_000_000,
};

const tag = 'Teams';

export const TEAMS = {
  'GET /v1/teams': {
    ...{ id: 'listTeams', tag, summary: 'List the teams of the key', description: 'Every team that the key reaches.' },
    answers: { 200: jsonResponse('All of them.', TeamList, { example: ['One team', { data: [TEAM_EXAMPLE] }] }) },
    samples: getSamples('/v1/teams'),
  },
  'GET /v1/teams/{id}': {
    ...{ id: 'getTeam', tag, summary: 'Read a team' },
    description: 'The team, with the role that the user of the key has in it.',
    parameters: parameterRefs('TeamId'),
    answers: { 200: jsonResponse('The team.', Team, { example: ['A team', TEAM_EXAMPLE] }), 404: NO_TEAM },
    samples: getSamples('/v1/teams/{TEAM_ID}'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
