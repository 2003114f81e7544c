import type { Example } from './form.ts';

/** Resources as they look on the wire. */

const CREATED_AT = 1_763_740_800_000;

export const RENDER_CREATED = {
  id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C',
  name: 'Spring sale, Vienna',
  status: 'initializing',
  type: 'cloud',
  project: { id: 'proj_01KAJWZK3H', team: 'team_01KAJWY8QD' },
  created_by: 'user_01KAJWYH5M',
  created_at: CREATED_AT,
  updated_at: null,
};

const signed = (variant: string): string =>
  `https://media.example.com/renders/rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C/${variant}.mp4?se=2025-11-22T16%3A00%3A00Z&sp=r&sig=…`.replace(
    '…',
    'Zm9v',
  );

export const RENDER_COMPLETE = {
  ...RENDER_CREATED,
  status: 'complete',
  output: { master: signed('master'), '720p': signed('720p') },
  updated_at: CREATED_AT + 94_000,
};

export const RENDER_FAILED = { ...RENDER_CREATED, status: 'failed', updated_at: CREATED_AT + 2_100 };

export const TRANSITIONS = {
  data: [
    { seq: 1, status: 'initializing', at: CREATED_AT, attempt: null },
    { seq: 2, status: 'ready', at: CREATED_AT + 800, attempt: null },
    { seq: 3, status: 'queued', at: CREATED_AT + 900, attempt: 1 },
    { seq: 4, status: 'processing', at: CREATED_AT + 1_400, attempt: 1, progress: 0.42 },
  ],
};

export const TRANSITIONS_FAILED = {
  data: [
    { seq: 1, status: 'initializing', at: CREATED_AT, attempt: null },
    {
      seq: 2,
      status: 'failed',
      at: CREATED_AT + 2_100,
      attempt: null,
      failure: {
        stage: 'preparation',
        code: 'unreadable_media',
        message: 'logo: what the address points to is no image',
        field: 'logo',
      },
    },
  ],
};

export const TRANSITIONS_CANCELLED = {
  data: [
    ...TRANSITIONS.data.slice(0, 3),
    { seq: 4, status: 'processing', at: CREATED_AT + 1_400, attempt: 1 },
    {
      seq: 5,
      status: 'failed',
      at: CREATED_AT + 9_700,
      attempt: null,
      failure: { stage: 'rendering', code: 'cancelled', message: 'the render was cancelled' },
    },
  ],
};

export const PROJECT = {
  id: 'proj_01KAJWZK3H',
  name: 'Spring sale',
  team: { id: 'team_01KAJWY8QD', name: 'Studio' },
  created_by: 'user_01KAJWYH5M',
  thumbnail_url: 'https://media.example.com/renders/rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C/poster.jpg?sp=r&sig=Zm9v',
  created_at: CREATED_AT - 86_400_000,
  updated_at: null,
};

export const TEMPLATE_SUMMARY = {
  id: 'tpl_sale',
  name: 'Sale',
  description: 'A headline over a picture.',
  project_id: PROJECT.id,
  target_composition_id: 'comp_main',
  field_count: 2,
};

export const TEMPLATE = {
  ...TEMPLATE_SUMMARY,
  fields: [
    {
      key: 'headline',
      label: 'Headline',
      description: null,
      kind: 'text',
      widget: 'textarea',
      default_value: 'Everything must go',
    },
    { key: 'accent', label: 'Accent', description: null, kind: 'color', widget: 'color', default_value: '#E30613' },
  ],
};

export const TEAM = {
  id: 'team_01KAJWY8QD',
  name: 'Studio',
  account_id: 'acc_01KAJWXV2P',
  role: 'admin',
  created_at: CREATED_AT - 172_800_000,
};

export const USER = { id: 'user_01KAJWYH5M', email: 'ada@example.com', created_at: CREATED_AT - 172_000_000 };

export const MEMBER = { ...USER, role: 'admin', joined_at: CREATED_AT - 171_000_000 };

const CURSOR = 'AQAxNzYzNzQwODAwMDAwcmVuZF8wMUtBSlgzWjVROFc5VjJUN1I0TjZNMUIwQ9qT1mXbq7w4c1kZ5xkq3A';

export const RENDER_PAGE = { data: [RENDER_COMPLETE, RENDER_FAILED], has_more: true, next_cursor: CURSOR };
export const PROJECT_PAGE = { data: [PROJECT], has_more: false, next_cursor: null };

export const delivery = (event: string) => ({
  id: 'hook_5f0c9d7be6a94b0c8f2d1a3e4b5c6d7e',
  event,
  data: event === 'render.failed' ? RENDER_FAILED : RENDER_COMPLETE,
  timestamp: CREATED_AT + 94_200,
});

export const example = (summary: string, value: unknown): { readonly example: Example } => ({
  example: { summary, value },
});
