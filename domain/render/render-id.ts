import { decodeTime } from 'ulid';

const FORM = /^rend_([0-7][0-9A-HJKMNP-TV-Z]{25})$/;

/** @param ulid carries the time of minting; time 0 marks ids that were derived from an Idempotency-Key */
export const renderId = (ulid: string): string => `rend_${ulid}`;

/** When the id was minted, ms since the epoch; null when this is no render id. */
export const mintedAt = (id: string): number | null => {
  const ulid = FORM.exec(id)?.[1];
  return ulid === undefined ? null : decodeTime(ulid);
};
