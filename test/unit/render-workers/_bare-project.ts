import { projectJson } from '../composition/_project.ts';

const picture = { id: 'comp_main', width: 320, height: 180, fps: 30, duration: 2, layers: [] };

export const BARE_PROJECT = projectJson({ compositions: [picture], assets: [], templates: [], variants: [] });
