import { basename, join } from 'node:path';
import { type BenchCase, CASE_TEMPLATE_ID, finalCompositionOf, nameField } from '../cases.ts';
import { type Film, FPS } from './film.ts';
import { filmCommand } from './translator.ts';

const kindOf = (id: string, film: Film) => {
  const layer = film.layers.find((one) => 'asset' in one && one.asset === id);
  return layer?.type === 'video' || layer?.type === 'audio' ? layer.type : 'image';
};

/** @param files all sources by asset id */
export const filmCase = async (what: string, film: Film, files: ReadonlyMap<string, string>): Promise<BenchCase> => {
  const { width, height, duration, layers } = film;
  const used = new Set(layers.flatMap((layer) => ('asset' in layer ? [layer.asset] : [])));
  const assets = new Map([...files].filter(([id]) => used.has(id)));
  const project = {
    name: 'Bench',
    main_composition_id: 'comp_main',
    compositions: [{ id: 'comp_main', fps: FPS, width, height, duration, layers }],
    templates: [{ id: CASE_TEMPLATE_ID, name: 'Name', target_composition_id: 'comp_main', fields: [nameField] }],
    assets: [...assets].map(([id, file]) => ({ id, kind: kindOf(id, film), file: basename(file) })),
  };
  return {
    ...{ name: what, project, assets, final: await finalCompositionOf(project, assets) },
    command: (name, folder) => filmCommand(film, files, name, join(folder, 'master.mp4')),
  };
};
