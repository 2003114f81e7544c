/** A stored document, of which only some members matter here. */
export type StoredDocument = { readonly [name: string]: unknown };

type Json = { readonly [name: string]: unknown };

const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];

/** The layers with those of groups, which nest at most four levels. */
const layersWithin = (layers: unknown, levels = 5): readonly Json[] =>
  levels === 0 ? [] : objects(layers).flatMap((layer) => [layer, ...layersWithin(layer.layers, levels - 1)]);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Where a document uses an asset: layers by their id, and fields of templates by their label.
 *
 * @param font_family the family of a font; null for other assets
 */
export const usesOf = (document: StoredDocument, asset_id: string, font_family: string | null): readonly string[] => {
  const compositions = objects(document.compositions);
  const layers = compositions.flatMap(({ id, layers: of_composition }) =>
    layersWithin(of_composition)
      .filter(({ asset, font_family: family }) =>
        font_family === null ? asset === asset_id : (family ?? null) === font_family,
      )
      .map((layer) =>
        compositions.length > 1 ? `${textOf(id)}, layer ${textOf(layer.id)}` : `layer ${textOf(layer.id)}`,
      ),
  );
  const fields = objects(document.templates).flatMap(({ name, fields: of_template }) =>
    objects(of_template)
      .filter(
        ({ kind, default_value }) => default_value === asset_id && ['image', 'video', 'audio'].includes(textOf(kind)),
      )
      .map(({ label, key }) => `${textOf(name)}, field ${textOf(label) || textOf(key)}`),
  );
  return [...layers, ...fields];
};

const STILL = { width: 320, height: 180 };

type Asset = {
  readonly id: string;
  readonly kind: 'image' | 'video' | 'audio' | 'font';
  readonly sha256: string;
  readonly font_family?: string | null;
};

/** A document that draws only this asset, so that its picture comes from the same engine as the film. Null for sounds. */
export const assetStill = ({ id, kind, sha256 }: Asset, font_family: string | null): StoredDocument | null => {
  if (kind === 'audio' || (kind === 'font' && font_family === null)) return null;
  const layer =
    kind === 'font'
      ? {
          ...{ type: 'text', text: 'Aa', font_family, font_size: 110, color: '#1F1A17' },
          ...{ align: 'center', vertical_align: 'middle' },
        }
      : { type: kind, asset: id, fit: 'contain' };
  const composition = { id: 'comp_asset', ...STILL, fps: 10, duration: 1, background: '#E9ECEF' };
  return {
    name: 'Asset',
    main_composition_id: 'comp_asset',
    compositions: [{ ...composition, layers: [{ id: 'asset', ...layer }] }],
    assets: [{ id, kind, sha256 }],
  };
};
