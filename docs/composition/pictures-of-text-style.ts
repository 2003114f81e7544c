import { type DocumentationFigure, panelPerValue, TEAL, textLayers } from './picture.ts';

const LONG = 'Small groups, old paths, and a hut with a fire at the end of every day.';

const over = (parts: object) =>
  textLayers(
    { background: TEAL, font_size: 22, padding: 6, background_radius: 8, ...parts },
    'Quiet\nevening by the sea',
  );

export const TEXT_STYLE_FIGURES: Readonly<Record<string, DocumentationFigure>> = {
  'text-transform': {
    shows: ['text_transform'],
    panels: panelPerValue('text_transform', ['uppercase', 'lowercase', 'capitalize'], (parts) =>
      textLayers({ font_size: 24, ...parts }, 'A quiet Evening'),
    ),
  },
  'text-lines': {
    shows: ['italic', 'underline', 'strike'],
    panels: ['italic', 'underline', 'strike'].flatMap((name) => panelPerValue(name, [true], textLayers)),
  },
  'letter-spacing': {
    shows: ['letter_spacing'],
    panels: panelPerValue('letter_spacing', [-2, 0, 6], (parts) => textLayers({ font_size: 22, ...parts })),
  },
  'font-features': {
    shows: ['font_features', 'tabular_figures'],
    panels: [
      ...panelPerValue('font_features', ['smcp', 'frac'], (parts) =>
        textLayers({ font_size: 24, ...parts }, 'Quiet 1/2'),
      ),
      ...panelPerValue('tabular_figures', [true], (parts) => textLayers({ font_size: 24, ...parts }, '10:11\n58:39')),
    ],
  },
  justify: {
    shows: ['align'],
    panels: panelPerValue('align', ['start', 'justify'], (parts) => textLayers({ font_size: 17, ...parts }, LONG)),
  },
  'max-lines': {
    shows: ['max_lines', 'ellipsis'],
    panels: [
      ...panelPerValue('max_lines', [2], (parts) => textLayers({ font_size: 18, ...parts }, LONG)),
      ...panelPerValue('ellipsis', [' [more]'], (parts) => textLayers({ font_size: 26, ...parts }, LONG)),
    ],
  },
  'background-fit': {
    shows: ['background_fit'],
    panels: panelPerValue('background_fit', ['box', 'text', 'lines'], over),
  },
};
