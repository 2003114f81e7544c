import { Role } from '../../../../domain/catalogue/events.ts';
import { STATUSES } from '../../../../domain/render/render.ts';
import type { Schema } from '../form.ts';

// Strings of a fixed set, each a schema of its own: a generated client then has one type for each, under its name.

/** As the codecs of projects have them: a test compares. */
export const KINDS = ['text', 'number', 'color', 'image', 'video', 'audio', 'toggle'];
export const WIDGETS = ['text', 'textarea', 'number', 'slider', 'color', 'file', 'switch'];
export const EVENTS = ['render.status_changed', 'render.complete', 'render.failed'] as const;

const oneOf = (words: readonly string[], description: string): Schema => ({ type: 'string', enum: words, description });

export const RENDER_STATUS = oneOf(
  STATUSES,
  'Moves forward only: `initializing`, `ready`, `queued`, `processing`, `finalizing`, `complete`; `failed` can follow any of the first five. `complete` and `failed` are final.',
);

export const RENDER_TYPE = oneOf(
  ['local', 'cloud'],
  '`cloud`: rendered by a fleet that stores in the cloud; `local`: by a service that runs on one machine.',
);

export const ROLE = oneOf(Object.keys(Role.keys), 'What a user is in a team.');

export const FIELD_KIND = oneOf(KINDS, 'What a field drives.');

export const FIELD_WIDGET = oneOf(WIDGETS, 'How an editor renders an input.');

export const EVENT_KIND = oneOf(EVENTS, 'What happened to a render.');

export const ORDER = oneOf(['asc', 'desc'], 'By the time of creation: `desc` newest first, `asc` oldest first.');
