import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { compositionJson, templateJson } from '../../unit/composition/_project.ts';
import { appendToCatalogue, issued, meta, newKey, versionOf } from './_catalogue.ts';
import { get, type World } from './_world.ts';

export type ShowcaseKeys = Readonly<Record<'member' | 'removed' | 'stranger', string>>;

const TEXT_FIELD = {
  key: 'text',
  kind: 'text',
  default_value: 'By default',
  target: { layer: 'title', property: 'text' },
};

/** Text and shapes only, so that no media are needed to prepare it. */
const COMPOSITIONS = [
  compositionJson({
    layers: [
      { id: 'title', type: 'text', text: 'As it stands', x: 40, y: 200, width: 800, font_size: 48 },
      { id: 'bar', type: 'shape', color: '#000000', x: 0, y: 700, height: 20 },
    ],
  }),
  compositionJson({ id: 'comp_teaser', duration: 2, layers: [{ id: 'title', type: 'text', text: 'Soon' }] }),
];

const FIELDS = [
  {
    ...TEXT_FIELD,
    key: 'headline',
    label: 'Headline',
    description: 'Two lines at most',
    widget: 'textarea',
  },
  {
    key: 'size',
    kind: 'number',
    widget: 'slider',
    default_value: '64',
    target: { layer: 'title', property: 'font_size' },
  },
  { key: 'accent', kind: 'color', default_value: '#FF0000', target: { layer: 'bar', property: 'color' } },
  {
    key: 'bar',
    kind: 'toggle',
    widget: 'switch',
    default_value: 'true',
    target: { layer: 'bar', property: 'visible' },
  },
];

/** The order is neither that of the ids nor that of the names, so that a sorted answer would differ. */
export const TEMPLATES = [
  templateJson({ id: 'tpl_m', name: 'Main', description: 'All of it', fields: FIELDS }),
  templateJson({ id: 'tpl_z', name: 'Zebra', target_composition_id: 'comp_teaser', fields: [TEXT_FIELD] }),
  templateJson({ id: 'tpl_a', name: 'Alpha', target_composition_id: 'comp_teaser', fields: [] }),
];

const PARTS = { compositions: COMPOSITIONS, templates: TEMPLATES, assets: [] };

/**
 * Entities for the rows of the contract. The project proj_card of team_1 has three templates. The user user_plain is a
 * member of team_1 without an address, user_gone is a former member, and user_stranger never was a member.
 */
export const addShowcase = async (world: World): Promise<ShowcaseKeys> => {
  const [member, removed, stranger] = [newKey(), newKey(), newKey()];
  const events: readonly CatalogueEvent[] = [
    ...['user_plain', 'user_gone', 'user_stranger'].map(
      (user_id): CatalogueEvent => ({ type: 'UserRegistered', rules: 0, meta, user_id, email: null }),
    ),
    { type: 'MemberAdded', rules: 0, meta, team_id: 'team_1', user_id: 'user_plain', role: 'member' },
    { type: 'MemberAdded', rules: 0, meta, team_id: 'team_1', user_id: 'user_gone', role: 'admin' },
    { type: 'MemberRemoved', rules: 0, meta, team_id: 'team_1', user_id: 'user_gone' },
    issued('key_member', member, { user_id: 'user_plain' }),
    issued('key_removed', removed, { user_id: 'user_gone' }),
    issued('key_stranger', stranger, { user_id: 'user_stranger' }),
    {
      type: 'ProjectCreated',
      rules: 0,
      meta,
      project_id: 'proj_card',
      team_id: 'team_1',
      name: 'Card',
      created_by: null,
      payload: null,
    },
    versionOf('proj_card', 1, 'Card', PARTS),
  ];
  await appendToCatalogue(world.clients.records, events);
  await pollUntil('the showcase is folded', async () => {
    const { data } = Object((await get(world, 'templates?project_id=proj_card')).body);
    return Array.isArray(data) && data.length > 0;
  });
  return { member: member.key, removed: removed.key, stranger: stranger.key };
};
