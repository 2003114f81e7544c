import type { ProjectCreated } from './events.ts';
import { SCOPE_RULES_VERSION } from './rules.ts';

/** The ids of projects that the service creates for documents in requests of renders. */
export const INLINE_PREFIX = 'proj_inline_';

/** Under older rules, an id may begin with the prefix by chance. */
export const isInline = ({ project_id, rules }: Pick<ProjectCreated, 'project_id' | 'rules'>): boolean =>
  rules >= SCOPE_RULES_VERSION && project_id.startsWith(INLINE_PREFIX);
