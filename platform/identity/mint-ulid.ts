import { randomInt } from 'node:crypto';
import { ulid } from 'ulid';

const STEPS = 2 ** 32;

/** Node takes random numbers from a pool. The library's default asks the system for each of its 16 characters. */
const random = (): number => randomInt(STEPS) / STEPS;

/** @param time_ms time since the epoch; now by default */
export const mintUlid = (time_ms: number = Date.now()): string => ulid(time_ms, random);
