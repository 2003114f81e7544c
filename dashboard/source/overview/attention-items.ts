import { creditsText } from '../account/credits-query.ts';
import type { Schemas } from '../api/client.ts';
import { codeText } from '../renders/failure-text.ts';
import { duration } from '../shown/time-text.ts';
import { DAY_MS } from './statistics-days.ts';

/** A state that a person should look at. `action` names the link. */
export type AttentionItem = {
  readonly key: string;
  readonly is_urgent: boolean;
  readonly text: string;
  readonly to: string;
  readonly action: string;
};

const KEYS_EXPIRE_WITHIN_MS = 7 * DAY_MS;

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Endpoints that a person disabled need no attention. */
export const endpointItems = (
  team_id: string,
  endpoints: readonly Pick<Schemas['Endpoint'], 'id' | 'url' | 'disabled' | 'failing'>[],
  now: number,
): readonly AttentionItem[] =>
  endpoints.flatMap(({ id, url, disabled, failing }) => {
    const item = { key: id, is_urgent: true, to: `/teams/${team_id}/webhooks/${id}`, action: 'Open endpoint' };
    if (disabled !== null)
      return disabled.reason === 'by_hand'
        ? []
        : [
            {
              ...item,
              text:
                disabled.reason === 'gone'
                  ? `The endpoint at ${hostOf(url)} is disabled: it returned status 410.`
                  : `The endpoint at ${hostOf(url)} is disabled: too many deliveries failed.`,
            },
          ];
    if (failing === null) return [];
    const since = duration(Math.max(0, now - failing.since));
    const text = `The endpoint at ${hostOf(url)} is failing: ${failing.exhausted === 1 ? '1 delivery' : `${failing.exhausted.toLocaleString()} deliveries`} failed, the first ${since} ago.`;
    return [{ ...item, text }];
  });

/** @param failed failed renders of the last day, without cancelled ones @param list the address of their list */
export const failedItems = (
  team_id: string,
  failed: readonly Pick<Schemas['ListedRender'], 'id' | 'name' | 'failed_as'>[],
  has_more: boolean,
  list: string,
): readonly AttentionItem[] => {
  const [first] = failed;
  if (first === undefined) return [];
  const item = { key: 'failed', is_urgent: true };
  if (failed.length === 1 && !has_more)
    return [
      {
        ...item,
        text: `“${first.name}” failed. ${codeText(first.failed_as ?? 'internal_error')}.`,
        to: `/teams/${team_id}/renders/${first.id}`,
        action: 'See why',
      },
    ];
  const count = has_more ? `More than ${failed.length}` : String(failed.length);
  return [{ ...item, text: `${count} renders failed in the last 24 hours.`, to: list, action: 'See them' }];
};

type Key = Pick<Schemas['ApiKey'], 'id' | 'name' | 'state' | 'expires_at' | 'replaced_by' | 'last_used_at'>;

const lastUse = (last_used_at: number | null, now: number): string =>
  last_used_at === null ? 'It was never used.' : `Last used ${duration(Math.max(0, now - last_used_at))} ago.`;

/** Active keys that expire soon; first the soonest. */
export const keyItems = (team_id: string, keys: readonly Key[], now: number): readonly AttentionItem[] =>
  keys
    .flatMap(({ expires_at, ...key }) =>
      expires_at !== null && key.state === 'active' && expires_at > now && expires_at - now < KEYS_EXPIRE_WITHIN_MS
        ? [{ ...key, expires_at }]
        : [],
    )
    .toSorted((a, b) => a.expires_at - b.expires_at)
    .map(({ id, name, expires_at, replaced_by, last_used_at }) => {
      const left = duration(expires_at - now);
      const text =
        replaced_by === null
          ? `The key “${name}” expires in ${left}. ${lastUse(last_used_at, now)}`
          : `The rotated key “${name}” stops working in ${left}. ${lastUse(last_used_at, now)}`;
      return { key: id, is_urgent: false, text, to: `/teams/${team_id}/keys`, action: 'Open API keys' };
    });

/** @param used credits that the team used in the last 7 days */
export const creditItems = (
  { unlimited, balance }: Pick<Schemas['AccountCredits'], 'unlimited' | 'balance'>,
  used: number,
  to: string,
): readonly AttentionItem[] => {
  if (unlimited || balance === null) return [];
  const item = { key: 'credits', to, action: 'Open account' };
  if (balance <= 0) return [{ ...item, is_urgent: true, text: 'No credits left. New renders are refused.' }];
  if (balance >= used) return [];
  const text = `${creditsText(balance)} left. The team used ${creditsText(used)} in the last 7 days.`;
  return [{ ...item, is_urgent: false, text }];
};

export const invitationItems = (
  team_id: string,
  invitations: readonly Pick<Schemas['Invitation'], 'expires_at'>[],
  now: number,
): readonly AttentionItem[] => {
  const open = invitations.map(({ expires_at }) => expires_at).filter((at) => at > now);
  if (open.length === 0) return [];
  const left = duration(Math.min(...open) - now);
  const text =
    open.length === 1
      ? `1 invitation is not accepted yet. It expires in ${left}.`
      : `${open.length} invitations are not accepted yet. The first expires in ${left}.`;
  return [{ key: 'invitations', is_urgent: false, text, to: `/teams/${team_id}/people`, action: 'Open people' }];
};
