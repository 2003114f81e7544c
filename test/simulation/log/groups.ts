import { assignTo } from '../../../platform/consumer/capable-assigner.ts';
import type { TopicPartition } from '../../../platform/consumer/topic-partition.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import type { Brokers } from './brokers.ts';

export type Member = {
  readonly life: Life;
  readonly topics: readonly string[];
  readonly unreadable: ReadonlySet<string>;
  /** Changes after the member was expelled. */
  id: string;
  readonly assigned: (partitions: readonly TopicPartition[], member_id: string) => void;
};

type Group = { readonly members: Set<Member>; is_rebalancing: boolean; readonly committed: Map<string, number> };

export type Groups = {
  readonly join: (group: string, member: Member) => void;
  readonly leave: (group: string, member: Member) => void;
  /** Called when the metadata of a member has changed, or when it checks its membership. */
  readonly rejoin: (group: string, member: Member) => void;
  /** False for an expelled member, which so learns of its expulsion with its next request. */
  readonly isMember: (group: string, member: Member) => boolean;
  readonly commit: (group: string, topic: string, partition: number, next: number) => void;
  readonly committed: (group: string, topic: string) => ReadonlyMap<number, number>;
  readonly rebalance: (group: string) => void;
  readonly names: () => readonly string[];
};

const SESSION_TIMEOUT_MS = 6_000;

export const createGroups = (world: World, brokers: Brokers): Groups => {
  const { scheduler, random } = world;
  const groups = new Map<string, Group>();
  let ids = 0;
  let generation = 0;
  const heard = new WeakMap<Member, number>();

  const groupOf = (name: string): Group => {
    const known = groups.get(name) ?? { members: new Set(), is_rebalancing: false, committed: new Map() };
    groups.set(name, known);
    return known;
  };

  const rebalance = (name: string): void => {
    const group = groupOf(name);
    if (group.is_rebalancing) return;
    group.is_rebalancing = true;
    scheduler.after(random.between(20, 200), () => {
      group.is_rebalancing = false;
      const members = [...group.members];
      const topics = [...new Set(members.flatMap((member) => member.topics))];
      const all = topics.flatMap((topic) => brokers.of(topic).map(({ partition }) => ({ topic, partition })));
      const assigned = assignTo(members, all);
      generation += 1;
      const its = generation;
      for (const member of members) {
        const own = assigned.get(member.id) ?? [];
        const { id } = member;
        // Each member learns of the assignment at another time.
        member.life.after(random.between(1, 150), () => {
          // A late assignment of an earlier generation is ignored, because members compare generation numbers.
          if ((heard.get(member) ?? 0) > its) return;
          heard.set(member, its);
          member.assigned(own, id);
        });
      }
    });
  };

  const watch = (name: string, member: Member): void => {
    const expel = (): void => {
      if (groupOf(name).members.delete(member)) rebalance(name);
    };
    member.life.onEnd(() => scheduler.after(SESSION_TIMEOUT_MS, expel));
  };

  const join = (name: string, member: Member): void => {
    ids += 1;
    member.id = `member-${ids}`;
    groupOf(name).members.add(member);
    rebalance(name);
  };

  return {
    rebalance,
    join: (name, member) => {
      join(name, member);
      watch(name, member);
    },
    leave: (name, member) => {
      if (groupOf(name).members.delete(member)) rebalance(name);
    },
    rejoin: (name, member) => {
      if (groupOf(name).members.has(member)) rebalance(name);
      else if (member.life.isAlive()) join(name, member);
    },
    isMember: (name, member) => groupOf(name).members.has(member),
    commit: (name, topic, partition, next) => {
      groupOf(name).committed.set(`${topic}/${partition}`, next);
    },
    committed: (name, topic) =>
      new Map(
        [...(groups.get(name)?.committed ?? [])].flatMap(([key, next]) => {
          const [its, partition] = key.split('/');
          return its === topic ? [[Number(partition), next] as const] : [];
        }),
      ),
    names: () => [...groups.keys()],
  };
};

/** Assigns all partitions to each reader, without a group. */
export const withoutGroup = (world: World, brokers: Brokers): Groups => {
  const assignAll = (_group: string, member: Member): void => {
    const all = member.topics.flatMap((topic) => brokers.of(topic).map(({ partition }) => ({ topic, partition })));
    member.id = 'alone';
    member.life.after(world.random.between(1, 20), () => member.assigned(all, member.id));
  };
  return {
    join: assignAll,
    leave: () => undefined,
    rejoin: () => undefined,
    isMember: () => true,
    commit: () => undefined,
    committed: () => new Map(),
    rebalance: () => undefined,
    names: () => [],
  };
};

/** Expels the members of a process that is frozen for longer than a session; they join again once it resumes. */
export const expelFrozen = (world: World, groups: Groups, members: ReadonlyMap<Member, string>, life: Life): void => {
  world.scheduler.after(SESSION_TIMEOUT_MS, () => {
    if (!life.isFrozen() || !life.isAlive()) return;
    for (const [member, group] of members) {
      if (member.life !== life) continue;
      groups.leave(group, member);
      life.after(0, () => groups.rejoin(group, member));
    }
  });
};
