import TinyQueue from 'tinyqueue';

/** A round-robin order: the member whose last turn is the longest ago is next. Members without a turn come first. */
export type RoundRobin = {
  readonly add: (member: string) => void;
  readonly remove: (member: string) => void;
  readonly next: () => string | null;
  readonly recordTurn: (member: string) => void;
};

const MAX_REMEMBERED = 10_000;

type Turn = { readonly member: string; readonly turn: number; readonly order: number };

const byTurn = (a: Turn, b: Turn): number => a.turn - b.turn || a.order - b.order;

export const createRoundRobin = (): RoundRobin => {
  const members = new Map<string, Turn>();
  const last_turn = new Map<string, number>();
  /** May contain outdated entries, and entries of removed members; `next` skips both. */
  const queue = new TinyQueue<Turn>([], byTurn);
  let turns = 0;

  const enter = (member: string): void => {
    turns += 1;
    const entry: Turn = { member, turn: last_turn.get(member) ?? -1, order: turns };
    members.set(member, entry);
    queue.push(entry);
  };

  return {
    add: (member) => {
      if (!members.has(member)) enter(member);
    },
    remove: (member) => {
      members.delete(member);
    },
    next: () => {
      for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
        if (members.get(first.member) === first) return first.member;
        queue.pop();
      }
      return null;
    },
    recordTurn: (member) => {
      turns += 1;
      last_turn.delete(member);
      last_turn.set(member, turns);
      const [oldest] = last_turn.keys();
      if (oldest !== undefined && last_turn.size > MAX_REMEMBERED + members.size) last_turn.delete(oldest);
      if (members.has(member)) enter(member);
    },
  };
};
