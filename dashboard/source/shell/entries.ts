import {
  IconBuilding,
  IconChartBar,
  IconCoins,
  IconDevices,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconMovie,
  IconServer,
  IconTemplate,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { Me } from '../session/me.ts';

/** A page in the menu. */
export type Entry = { readonly label: string; readonly to: string; readonly icon: typeof IconKey };

export const teamEntries = ({ id, may }: Me['teams'][number]): readonly Entry[] => [
  { label: 'Overview', to: `/teams/${id}/overview`, icon: IconLayoutDashboard },
  { label: 'Renders', to: `/teams/${id}/renders`, icon: IconMovie },
  { label: 'Projects', to: `/teams/${id}/projects`, icon: IconTemplate },
  { label: 'API keys', to: `/teams/${id}/keys`, icon: IconKey },
  { label: 'Webhooks', to: `/teams/${id}/webhooks`, icon: IconWebhook },
  { label: 'People', to: `/teams/${id}/people`, icon: IconUsers },
  ...(may.includes('manage_members') ? [{ label: 'Audit', to: `/teams/${id}/audit`, icon: IconHistory }] : []),
];

export const accountEntries = ({ id, role }: Me['accounts'][number]): readonly Entry[] => [
  ...(role === 'owner'
    ? [
        { label: 'Account overview', to: `/accounts/${id}/overview`, icon: IconChartBar },
        { label: 'Usage', to: `/accounts/${id}/usage`, icon: IconCoins },
        { label: 'Account audit', to: `/accounts/${id}/audit`, icon: IconHistory },
      ]
    : []),
  { label: 'Account', to: `/accounts/${id}`, icon: IconBuilding },
];

export const OPERATORS: Entry = { label: 'Operators', to: '/operators', icon: IconServer };
export const SESSIONS: Entry = { label: 'Your sessions', to: '/sessions', icon: IconDevices };
