import { PROJECTS } from './projects.ts';
import { RENDERS } from './renders.ts';
import { TEAMS } from './teams.ts';
import { TEMPLATES } from './templates.ts';
import { USERS } from './users.ts';

export const PUBLIC = { ...RENDERS, ...TEMPLATES, ...PROJECTS, ...TEAMS, ...USERS };
