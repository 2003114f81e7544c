import { pattern } from './shapes.ts';

export const LocalId = pattern(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, "-" or "_"');
export const Color = pattern(/^#[0-9A-Fa-f]{6}$/, 'a colour like #E30613');
