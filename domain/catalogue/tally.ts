import {
  type AccountMember,
  type AccountUsage,
  type ApiKey,
  accountMemberId,
  type Entity,
  type EntityKind,
  type EntityOf,
  isOfKind,
  type MemberKeys,
  type Membership,
  membershipId,
  type Project,
  type TeamRoster,
} from './entities.ts';
import { emptyUsage, exceededLimit } from './limits.ts';
import {
  acceptedVerdict,
  type CatalogueReason,
  type CatalogueVerdict,
  type CatalogueView,
  ignoredVerdict,
} from './verdict.ts';

type Overlay = {
  readonly get: CatalogueView;
  readonly put: (entity: Entity) => void;
  readonly changes: () => readonly Entity[];
};

const overlayOf = (view: CatalogueView, changes: readonly Entity[]): Overlay => {
  const put = new Map(changes.map((entity) => [`${entity.kind} ${entity.id}`, entity]));
  return {
    get: <K extends EntityKind>(kind: K, id: string): EntityOf<K> | null => {
      const changed = put.get(`${kind} ${id}`);
      return changed === undefined ? view(kind, id) : isOfKind(kind)(changed) ? changed : null;
    },
    put: (entity) => put.set(`${entity.kind} ${entity.id}`, entity),
    changes: () => [...put.values()],
  };
};

const isOfAccount = (member: AccountMember | null): boolean => member !== null && (member.owner || member.teams > 0);

const delta = (before: boolean, after: boolean): number => Number(after) - Number(before);

const inOrder = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);

const without = (times: readonly number[], time: number | null): readonly number[] => {
  const at = time === null ? -1 : times.indexOf(time);
  return at < 0 ? times : times.toSpliced(at, 1);
};

// Undefined in documents older than key rotation.
const isRotated = ({ replaced_by }: ApiKey): boolean => (replaced_by ?? null) !== null;

const isInForce = ({ revoked_at, expires_at }: ApiKey, at: number): boolean =>
  revoked_at === null && (expires_at === null || expires_at > at);

type KeyCounts = Pick<AccountUsage, 'lasting_keys' | 'ending_keys' | 'rotated_keys'>;

const withoutKey = (counts: KeyCounts, key: ApiKey): KeyCounts => {
  if (key.revoked_at !== null) return counts;
  if (isRotated(key)) return { ...counts, rotated_keys: without(counts.rotated_keys, key.expires_at) };
  if (key.expires_at === null) return { ...counts, lasting_keys: counts.lasting_keys - 1 };
  return { ...counts, ending_keys: without(counts.ending_keys, key.expires_at) };
};

const withKey = (counts: KeyCounts, key: ApiKey, at: number): KeyCounts => {
  if (!isInForce(key, at)) return counts;
  if (key.expires_at === null) return { ...counts, lasting_keys: counts.lasting_keys + 1 };
  return isRotated(key)
    ? { ...counts, rotated_keys: inOrder([...counts.rotated_keys, key.expires_at]) }
    : { ...counts, ending_keys: inOrder([...counts.ending_keys, key.expires_at]) };
};

const withProjects =
  ({ inline }: Project, difference: number) =>
  ({ projects, inline_projects = 0 }: AccountUsage): Partial<AccountUsage> =>
    inline === true ? { inline_projects: inline_projects + difference } : { projects: projects + difference };

const count = (view: CatalogueView, overlay: Overlay, changes: readonly Entity[], at: number): void => {
  const { get, put } = overlay;
  const use = (account_id: string, change: (usage: AccountUsage) => Partial<AccountUsage>): void => {
    const usage = get('account_usage', account_id) ?? emptyUsage(account_id);
    put({ ...usage, ...change(usage) });
  };
  const accountOf = (team_id: string): string | null => get('team', team_id)?.account_id ?? null;

  const person = (before: AccountMember | null, after: AccountMember): void => {
    const owners = delta(before?.owner === true, after.owner);
    const members = delta(isOfAccount(before), isOfAccount(after));
    if (owners === 0 && members === 0) return;
    use(after.account_id, (usage) => ({ owners: usage.owners + owners, members: usage.members + members }));
  };

  const membership = (before: Membership | null, after: Membership): void => {
    const { team_id, user_id } = after;
    const members = delta(before?.removed === false, !after.removed);
    const isAdmin = (one: Membership | null) => one?.removed === false && one.role === 'admin';
    const admins = delta(isAdmin(before), isAdmin(after));
    if (members !== 0 || admins !== 0) {
      const roster: TeamRoster = get('team_roster', team_id) ?? {
        ...{ kind: 'team_roster', id: team_id, members: 0, admins: 0 },
      };
      put({ ...roster, members: roster.members + members, admins: roster.admins + admins });
    }
    const account_id = accountOf(team_id);
    if (account_id === null || members === 0) return;
    const id = accountMemberId(account_id, user_id);
    const known = get('account_member', id);
    const now: AccountMember = known ?? {
      ...{ kind: 'account_member', id, account_id, user_id, owner: false, owner_since: null, teams: 0 },
    };
    const counted = { ...now, teams: now.teams + members };
    put(counted);
    person(known, counted);
  };

  const key = (before: ApiKey | null, after: ApiKey): void =>
    use(after.account_id, (usage) => {
      const counts = withKey(before === null ? usage : withoutKey(usage, before), after, at);
      const isGoingOn = (end: number) => end > at;
      return {
        lasting_keys: counts.lasting_keys,
        ending_keys: counts.ending_keys.filter(isGoingOn),
        rotated_keys: counts.rotated_keys.filter(isGoingOn),
      };
    });

  for (const after of changes)
    switch (after.kind) {
      case 'team':
        if (view('team', after.id) === null) use(after.account_id, ({ teams }) => ({ teams: teams + 1 }));
        break;
      case 'project': {
        const before = view('project', after.id);
        const difference = delta(before !== null && before.erased === undefined, after.erased === undefined);
        const account_id = difference === 0 ? null : accountOf(after.team_id);
        if (account_id !== null) use(account_id, withProjects(after, difference));
        break;
      }
      case 'webhook_endpoint': {
        const before = view('webhook_endpoint', after.id);
        const difference = delta(before?.deleted_at === null, after.deleted_at === null);
        const account_id = difference === 0 ? null : accountOf(after.team_id);
        if (account_id !== null) use(account_id, ({ endpoints }) => ({ endpoints: endpoints + difference }));
        break;
      }
      case 'membership':
        membership(view('membership', after.id), after);
        break;
      case 'account_member':
        person(view('account_member', after.id), after);
        break;
      case 'api_key':
        key(view('api_key', after.id), after);
        break;
      case 'invitation': {
        const is_open = after.revoked_at === null && after.accepted_at === null;
        use(after.account_id, ({ invitations }) => ({
          invitations: [
            ...invitations.filter(({ id, expires_at }) => id !== after.id && expires_at > at),
            ...(is_open ? [{ id: after.id, expires_at: after.expires_at }] : []),
          ],
        }));
        break;
      }
      default:
        break;
    }
};

const list = (view: CatalogueView, overlay: Overlay, changes: readonly Entity[], at: number, is_personal: boolean) => {
  const keys = changes.filter(isOfKind('api_key'));
  const isListed = (key: ApiKey, team_id: string): boolean =>
    key.user_id !== null &&
    view('member_keys', membershipId(team_id, key.user_id))?.keys.some(({ id }) => id === key.id) === true;
  for (const key of keys) {
    if (key.user_id === null) continue;
    const before = view('api_key', key.id);
    const replaced = keys.find(({ replaced_by }) => replaced_by === key.id);
    for (const team_id of new Set([...(before?.team_ids ?? []), ...key.team_ids])) {
      const belongs =
        before === null
          ? is_personal || (replaced !== undefined && isListed(replaced, team_id))
          : isListed(key, team_id);
      if (!belongs) continue;
      const id = membershipId(team_id, key.user_id);
      const listed: MemberKeys = overlay.get('member_keys', id) ?? { kind: 'member_keys', id, keys: [] };
      const others = listed.keys.filter((one) => one.id !== key.id && (one.expires_at === null || one.expires_at > at));
      const stays = isInForce(key, at) && key.team_ids.includes(team_id);
      overlay.put({ ...listed, keys: stays ? [...others, { id: key.id, expires_at: key.expires_at }] : others });
    }
  }
};

const broken = (view: CatalogueView, changes: readonly Entity[], at: number): CatalogueReason | null => {
  for (const after of changes) {
    if (after.kind === 'team_roster') {
      const had = view('team_roster', after.id)?.admins ?? 0;
      if (had > 0 && after.admins === 0) return 'last_admin';
    }
    if (after.kind === 'account_usage') {
      const before = view('account_usage', after.id) ?? emptyUsage(after.id);
      if (before.owners > 0 && after.owners === 0) return 'last_owner';
      const passed = exceededLimit(view, before, after, at);
      if (passed !== null) return passed;
    }
  }
  return null;
};

/**
 * The changes of an event, together with the changed counts of the accounts and teams that they affect.
 *
 * @param changes the entities that the event changes, without counts
 * @param is_bound whether rules 1 apply: then limits hold, and the last owner and the last admin cannot leave
 */
export const addCountChanges = (
  view: CatalogueView,
  changes: readonly Entity[],
  at: number,
  is_bound: boolean,
): CatalogueVerdict => {
  const overlay = overlayOf(view, changes);
  count(view, overlay, changes, at);
  list(view, overlay, changes, at, is_bound);
  const all = overlay.changes();
  const reason = is_bound ? broken(view, all, at) : null;
  return reason === null ? acceptedVerdict(...all) : ignoredVerdict(reason);
};
