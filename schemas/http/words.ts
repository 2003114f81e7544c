import { STATUSES } from '../../domain/render/render.ts';
import { EVENT_KINDS } from '../../domain/webhooks/event-kinds.ts';
import { namedShape, oneOf, text, withSchema } from './shapes.ts';

// Each set is a named schema of the document, so that a generated client has one type for it.

/** A test compares these with the codecs of projects. */
export const ASSET_KINDS = ['image', 'video', 'audio', 'font'] as const;
export const FIELD_KINDS = ['text', 'number', 'color', 'image', 'video', 'audio', 'toggle', 'date'] as const;
export const FIELD_WIDGETS = ['text', 'textarea', 'number', 'slider', 'color', 'file', 'switch', 'date'] as const;

export const RenderStatus = namedShape(
  'RenderStatus',
  oneOf(
    STATUSES,
    'Moves forward only: `initializing`, `ready`, `queued`, `processing`, `finalizing`, `complete`. `failed` can follow any of the first five. `complete` and `failed` are final.',
  ),
);

const LOCAL_OR_CLOUD = oneOf(
  ['local', 'cloud'],
  '`cloud`: rendered by workers that store in the cloud; `local`: by a service that runs on one machine.',
);

/** Any text is possible, because the log does not restrict the type. The schema names only the two known types. */
export const RenderType = namedShape('RenderType', withSchema(text(''), LOCAL_OR_CLOUD.schema));

export const Role = namedShape('Role', oneOf(['admin', 'member'], 'The role of a user in a team.'));

export const AssetKind = namedShape('AssetKind', oneOf(ASSET_KINDS, 'The kind of a file.'));

export const FieldKind = namedShape('FieldKind', oneOf(FIELD_KINDS, 'The kind of property that a field drives.'));

export const FieldWidget = namedShape('FieldWidget', oneOf(FIELD_WIDGETS, 'How an editor renders an input.'));

export const EventKind = namedShape('EventKind', oneOf(EVENT_KINDS, 'An event of a render.'));

export const Order = namedShape(
  'Order',
  oneOf(['asc', 'desc'], 'By the time of creation: `desc` newest first, `asc` oldest first.'),
);
