import { chance } from '../world/process-globals.ts';

/** Replaces node:crypto for the creation of ids. */

export const randomInt = (steps: number): number => Math.floor(chance() * steps);

export const randomUUID = (): string => randomBytes(16).toString('hex');

export const randomBytes = (size: number): Buffer =>
  Buffer.from(Array.from({ length: size }, () => Math.floor(chance() * 256)));
