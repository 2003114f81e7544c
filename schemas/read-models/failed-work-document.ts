/** `failed_work`: what the failed renders of one account have cost in one hour; `_id` is `<account>/<hour>`. Expires. */
export type FailedWorkDocument = {
  readonly _id: string;
  readonly cpu_ms: number;
  readonly fetched_bytes: number;
  /** Renders and attempts that were counted last: one that is reported again counts once. */
  readonly counted: readonly string[];
  /** The end of the hour. */
  readonly until: Date;
};

export const failedWorkId = (account_id: string, hour: number): string => `${account_id}/${hour}`;
