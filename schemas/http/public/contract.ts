import { PROJECT_CHANGES } from './project-changes.ts';
import { PROJECTS } from './projects.ts';
import { RENDERS } from './renders.ts';
import { TEAMS } from './teams.ts';
import { TEMPLATES } from './templates.ts';
import { USERS } from './users.ts';

export const PUBLIC = { ...RENDERS, ...TEMPLATES, ...PROJECTS, ...PROJECT_CHANGES, ...TEAMS, ...USERS };
