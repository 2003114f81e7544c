type Entry = {
  readonly at: number;
  readonly actor: string;
  readonly kind: string;
  readonly refused: string | null;
  readonly account_id: string | null;
  readonly team_ids: readonly string[];
  readonly ids: Readonly<Record<string, string | readonly string[]>>;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly event_id: string;
};

/** A record of a key names all teams that it reaches. */
const seenIds = (ids: Entry['ids'], sees: (team_id: string) => boolean): Entry['ids'] =>
  Array.isArray(ids.team_ids) ? { ...ids, team_ids: ids.team_ids.filter(sees) } : ids;

/** Who changed what. @param sees whether the reader may know of a team; others are counted */
export const auditEntryResource = (entry: Entry, sees: (team_id: string) => boolean) => {
  const { at, actor, kind, refused, account_id, details, topic, partition, offset, event_id } = entry;
  const team_ids = entry.team_ids.filter(sees);
  const ids = seenIds(entry.ids, sees);
  return {
    ...{ at, actor, kind, refused, account_id, team_ids, other_teams: entry.team_ids.length - team_ids.length },
    ...{ ids, details, topic, partition, offset, event_id },
  };
};
