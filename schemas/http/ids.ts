import { idOf } from './shapes.ts';

export const RENDER_ID = idOf('rend_', 'a render');
export const PROJECT_ID = idOf('proj_', 'a project');
export const TEAM_ID = idOf('team_', 'a team');
export const USER_ID = idOf('user_', 'a user');
export const TEMPLATE_ID = idOf('tpl_', 'a template');
export const COMPOSITION_ID = idOf('comp_', 'a composition');
export const ACCOUNT_ID = idOf('acc_', 'an account');
export const DELIVERY_ID = idOf('hook_', 'a webhook delivery');
