import { parameterRef } from '../openapi.ts';
import { ACCOUNT } from './account.ts';
import type { PublicOperation } from './operation.ts';
import { PARAMETERS } from './parameters.ts';
import { PROJECT_CHANGES } from './project-changes.ts';
import { PROJECT_CHECK } from './project-check.ts';
import { PROJECTS } from './projects.ts';
import { RENDERS } from './renders.ts';
import { STARTERS } from './starters.ts';
import { STILLS } from './stills.ts';
import { TEAMS } from './teams.ts';
import { TEMPLATES } from './templates.ts';
import { UPLOADS } from './uploads.ts';
import { USERS } from './users.ts';

export const PUBLIC = {
  ...RENDERS,
  ...STILLS,
  ...TEMPLATES,
  ...PROJECTS,
  ...PROJECT_CHANGES,
  ...PROJECT_CHECK,
  ...STARTERS,
  ...TEAMS,
  ...USERS,
  ...ACCOUNT,
  ...UPLOADS,
};

export type PublicRoute = keyof typeof PUBLIC;

const BY_REFERENCE = new Map(
  Object.entries(PARAMETERS).map(([name, parameter]) => [parameterRef(name).$ref, parameter] as const),
);

/** The names of the query parameters of a route. */
export const queryNamesOf = (route: PublicRoute): readonly string[] => {
  const { parameters = [] }: PublicOperation = PUBLIC[route];
  return parameters.flatMap(({ $ref }) => {
    const parameter = BY_REFERENCE.get($ref);
    return parameter?.in === 'query' ? [parameter.name] : [];
  });
};
