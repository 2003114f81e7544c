import TinyQueue from 'tinyqueue';
import { createRoundRobin, type RoundRobin } from './ring.ts';

export type QueuedRender = {
  readonly render_id: string;
  readonly account_id: string;
  readonly team_id: string;
  readonly created_at: number;
};

/**
 * Accounts take turns, and so do the teams of an account. The least recently served account and team come first, with
 * their oldest render. Add, remove and take have logarithmic cost.
 */
export type DispatchQueue = {
  readonly add: (waiting: QueuedRender) => void;
  readonly remove: (render_id: string) => void;
  readonly has: (render_id: string) => boolean;
  /**
   * Removes and returns the next render; null if the queue is empty. An account without room is skipped until `resume`,
   * and its renders keep their places.
   */
  readonly take: (hasRoom: (account_id: string) => boolean) => QueuedRender | null;
  readonly recordTurn: (waiting: QueuedRender) => void;
  readonly resume: (account_id: string) => void;
};

const byAge = (a: QueuedRender, b: QueuedRender): number =>
  a.created_at - b.created_at || (a.render_id < b.render_id ? -1 : a.render_id > b.render_id ? 1 : 0);

type Account = {
  readonly ring: RoundRobin;
  /** May contain renders that no longer wait; `oldestOf` drops them. */
  readonly teams: Map<string, TinyQueue<QueuedRender>>;
  size: number;
};

export const createDispatchQueue = (): DispatchQueue => {
  const waiting = new Map<string, QueuedRender>();
  const accounts = new Map<string, Account>();
  const passed_over = new Set<string>();
  const ring = createRoundRobin();

  const accountOf = (account_id: string): Account => {
    const known = accounts.get(account_id);
    if (known !== undefined) return known;
    const account: Account = { ring: createRoundRobin(), teams: new Map(), size: 0 };
    accounts.set(account_id, account);
    return account;
  };

  const forget = (gone: QueuedRender): void => {
    const account = accounts.get(gone.account_id);
    waiting.delete(gone.render_id);
    if (account === undefined) return;
    account.size -= 1;
    if (account.size > 0) return;
    ring.remove(gone.account_id);
    accounts.delete(gone.account_id);
    passed_over.delete(gone.account_id);
  };

  const oldestOf = (team: TinyQueue<QueuedRender>): QueuedRender | null => {
    for (let first = team.peek(); first !== undefined; first = team.peek()) {
      if (waiting.get(first.render_id) === first) return first;
      team.pop();
    }
    return null;
  };

  const takeOldest = ({ ring: teamRing, teams }: Account): QueuedRender | null => {
    for (let team_id = teamRing.next(); team_id !== null; team_id = teamRing.next()) {
      const team = teams.get(team_id);
      const oldest = team === undefined ? null : oldestOf(team);
      if (oldest !== null) {
        team?.pop();
        forget(oldest);
        return oldest;
      }
      teamRing.remove(team_id);
      teams.delete(team_id);
    }
    return null;
  };

  return {
    add: (one) => {
      if (waiting.has(one.render_id)) return;
      waiting.set(one.render_id, one);
      const account = accountOf(one.account_id);
      account.size += 1;
      const team = account.teams.get(one.team_id) ?? new TinyQueue<QueuedRender>([], byAge);
      account.teams.set(one.team_id, team);
      team.push(one);
      account.ring.add(one.team_id);
      if (!passed_over.has(one.account_id)) ring.add(one.account_id);
    },
    remove: (render_id) => {
      const gone = waiting.get(render_id);
      if (gone !== undefined) forget(gone);
    },
    has: (render_id) => waiting.has(render_id),
    take: (hasRoom) => {
      for (let account_id = ring.next(); account_id !== null; account_id = ring.next()) {
        const account = accounts.get(account_id);
        if (account !== undefined && hasRoom(account_id)) return takeOldest(account);
        ring.remove(account_id);
        if (account !== undefined) passed_over.add(account_id);
      }
      return null;
    },
    recordTurn: ({ account_id, team_id }) => {
      ring.recordTurn(account_id);
      accounts.get(account_id)?.ring.recordTurn(team_id);
    },
    resume: (account_id) => {
      if (passed_over.delete(account_id) && accounts.has(account_id)) ring.add(account_id);
    },
  };
};
