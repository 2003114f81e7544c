/** `key_last_used`: written by whoever checks keys, outside the generations, as no event says it. */
export type KeyLastUsedDocument = {
  /** Key id. */
  readonly _id: string;
  readonly at: Date;
};
