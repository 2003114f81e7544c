/** A small project as a person writes it, with replacements for a test. */
export const projectJson = (parts: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Summer sale',
  main_composition_id: 'comp_main',
  compositions: [compositionJson()],
  assets: [
    { id: 'clip', kind: 'video', file: 'assets/clip.mp4' },
    storedJson('logo', 'image'),
    storedJson('other-logo', 'image'),
  ],
  variants: [{ name: 'small', height: 360 }],
  templates: [templateJson()],
  ...parts,
});

export const storedJson = (id: string, kind: string) => ({
  id,
  kind,
  sha256: 'a'.repeat(64),
  size_bytes: 10,
  content_type: 'image/png',
  file_name: `${id}.png`,
});

export const compositionJson = (parts: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'comp_main',
  width: 1280,
  height: 720,
  fps: 30,
  duration: 10,
  layers: [
    { id: 'back', type: 'video', asset: 'clip' },
    { id: 'mark', type: 'image', asset: 'logo', x: 40, y: 40, width: 200, height: 80, fit: 'contain' },
    { id: 'title', type: 'text', text: 'Hello', x: 40, y: 200, width: 800, start: 1, duration: 5 },
    { id: 'bar', type: 'shape', color: '#E30613', x: 0, y: 700, height: 20 },
  ],
  ...parts,
});

export const templateJson = (parts: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'tpl_sale',
  name: 'Sale',
  target_composition_id: 'comp_main',
  fields: [
    {
      key: 'headline',
      kind: 'text',
      widget: 'text',
      default_value: 'Hi',
      target: { layer: 'title', property: 'text' },
    },
    {
      key: 'accent',
      kind: 'color',
      widget: 'color',
      default_value: '#E30613',
      target: { layer: 'bar', property: 'color' },
    },
    { key: 'logo', kind: 'image', widget: 'file', default_value: 'logo', target: { layer: 'mark', property: 'asset' } },
    { key: 'size', kind: 'number', default_value: '48', target: { layer: 'title', property: 'font_size' } },
    {
      key: 'show',
      kind: 'toggle',
      widget: 'switch',
      default_value: 'true',
      target: { layer: 'bar', property: 'visible' },
    },
  ],
  ...parts,
});
