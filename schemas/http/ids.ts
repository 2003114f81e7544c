import { prefixedId } from './shapes.ts';

export const RENDER_ID = prefixedId('rend_', 'a render');
export const PROJECT_ID = prefixedId('proj_', 'a project');
export const TEAM_ID = prefixedId('team_', 'a team');
export const USER_ID = prefixedId('user_', 'a user');
export const TEMPLATE_ID = prefixedId('tpl_', 'a template');
export const COMPOSITION_ID = prefixedId('comp_', 'a composition');
export const ACCOUNT_ID = prefixedId('acc_', 'an account');
export const DELIVERY_ID = prefixedId('hook_', 'a webhook delivery');
export const UPLOAD_ID = prefixedId('upload_', 'an upload');
