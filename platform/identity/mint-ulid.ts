import { randomInt } from 'node:crypto';
import { ulid } from 'ulid';

const STEPS = 2 ** 32;

/** node takes these from a pool; the library's own source asks the system for each of its 16 characters. */
const random = (): number => randomInt(STEPS) / STEPS;

/** @param time_ms of minting, since the epoch; now if left out */
export const mintUlid = (time_ms: number = Date.now()): string => ulid(time_ms, random);
