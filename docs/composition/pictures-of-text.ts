import { type DocumentationFigure, mountainsLayer, panelPerValue, TEAL, textLayers, YELLOW } from './picture.ts';

const LONG = 'Small groups, old paths, and a hut with a fire at the end of every day.';
const BLOCK = { align: 'center', vertical_align: 'middle', font_size: 30, font_weight: 700 };

const inScript = (font_family: string, text: string) => ({
  caption: font_family,
  layers: textLayers({ font_family, vertical_align: 'middle', align: 'center' }, text),
});

const lines = (...texts: readonly string[]) => ({
  caption: '',
  layers: textLayers({ font_size: 15, line_height: 1.15, align: 'center', vertical_align: 'middle' }, texts.join('\n')),
});

/** The text's background box lets the clip show through. */
const overClip = (parts: object) => [
  mountainsLayer(),
  ...textLayers({ ...BLOCK, background: '#E30613', ...parts }).slice(1),
];
const withShadow = (parts: object) =>
  textLayers({ ...BLOCK, background: TEAL, shadow_opacity: 0.9, shadow_x: 6, shadow_y: 6, shadow_blur: 3, ...parts });

export const TEXT_FIGURES: Readonly<Record<string, DocumentationFigure>> = {
  text: {
    shows: ['text'],
    panels: [
      { caption: 'one line', layers: textLayers() },
      { caption: 'wrapped to the width', layers: textLayers({ font_size: 18 }, LONG) },
      { caption: 'with a newline', layers: textLayers({}, 'Quiet\nevening') },
    ],
  },
  'font-family': {
    shows: ['font_family'],
    panels: [
      inScript('Noto Sans', 'Soirée à Ørsta'),
      inScript('Noto Sans Arabic', 'مساء هادئ'),
      inScript('Noto Sans Devanagari', 'शांत शाम'),
      inScript('Noto Sans Hebrew', 'ערב שקט'),
      inScript('Noto Sans SC', '宁静的夜晚'),
      inScript('Noto Color Emoji', '🏔️🔥🌙'),
    ],
  },
  scripts: {
    shows: [],
    panels: [
      lines('Καλησπέρα', 'Добрый вечер', 'Բարի երեկո', 'საღამო', 'ᎤᏒ ᏧᏓᎴᏅᏓ'),
      lines('مساء الخير', 'ערב טוב', 'ދިވެހި', 'ܪܡܫܐ ܛܒܐ', 'ߒߞߏ ⵜⵉⴼⵉⵏⴰⵖ'),
      lines('शुभ संध्या', 'শুভ সন্ধ্যা', 'ਸ਼ੁਭ ਸ਼ਾਮ', 'શુભ સંધ્યા', 'ଶୁଭ ସନ୍ଧ୍ୟା'),
      lines('மாலை வணக்கம்', 'శుభ సాయంత్రం', 'ಶುಭ ಸಂಜೆ', 'ശുഭ സായാഹ്നം', 'සුභ සැන්දෑවක්'),
      lines('สวัสดีตอนเย็น', 'ສະບາຍດີຕອນແລງ', 'សាយ័ណ្ហសួស្តី', 'မင်္ဂလာညနေခင်းပါ', 'དགོང་དྲོ་བདེ་ལེགས།'),
      lines('晚上好 · 晚安', 'こんばんは', '안녕하세요', 'ᠮᠣᠩᠭᠣᠯ ꆈꌠ', 'አማርኛ ᐃᓄᒃᑎᑐᑦ'),
    ],
  },
  symbols: {
    shows: [],
    panels: [
      lines('➜ → ⇒ ↔ ↯ ⟶ ⬇', '∑ ∫ √ ∂ ≠ ≤ ∞ 𝔸', '♪ ♫ ♭ ♯ ♮'),
      lines('✂ ✦ ❖ ✓ ★ ♞ ⚄', '⌘ ⏎ ⌫ ⎋ ⌥', '€ £ ₹ ₿ № ½ ①'),
    ],
  },
  'other-scripts': {
    shows: ['font_family'],
    panels: [
      { caption: 'one script', layers: textLayers({ font_size: 22 }, 'Hope\nHope\nHope') },
      { caption: 'several', layers: textLayers({ font_size: 22 }, 'Hope\nHope 希望 أمل 🔥\nHope') },
    ],
  },
  language: {
    shows: ['language'],
    panels: panelPerValue('language', ['zh-Hans', 'zh-Hant', 'ja', 'ko'], (parts) =>
      textLayers({ font_size: 72, align: 'center', vertical_align: 'middle', ...parts }, '直骨'),
    ),
  },
  hyphenate: {
    shows: ['hyphenate'],
    panels: panelPerValue('hyphenate', [false, true], (parts) =>
      textLayers(
        { font_size: 18, language: 'de', ...parts },
        'Donaudampfschifffahrtsgesellschaft mit Kapitänspatenten',
      ),
    ),
  },
  'font-size': { shows: ['font_size'], panels: panelPerValue('font_size', [18, 34], textLayers) },
  'font-weight': { shows: ['font_weight'], panels: panelPerValue('font_weight', [300, 400, 800], textLayers) },
  color: { shows: ['color'], panels: panelPerValue('color', ['#FFFFFF', YELLOW], textLayers) },
  align: {
    shows: ['align'],
    panels: panelPerValue('align', ['left', 'center', 'right', 'start', 'end'], (parts) =>
      textLayers({ font_size: 26, ...parts }, 'Quiet evening\nערב שקט'),
    ),
  },
  'vertical-align': {
    shows: ['vertical_align'],
    panels: panelPerValue('vertical_align', ['top', 'middle', 'bottom'], textLayers),
  },
  'line-height': {
    shows: ['line_height'],
    panels: panelPerValue('line_height', [1, 1.6], (parts) => textLayers(parts, 'Quiet\nevening')),
  },
  'shrink-to-fit': {
    shows: ['shrink_to_fit'],
    panels: [
      ...panelPerValue('shrink_to_fit', [false, true], (parts) => textLayers(parts, LONG)),
      ...panelPerValue('shrink_to_fit', [false, true], (parts) =>
        textLayers({ ...BLOCK, font_size: 90, ...parts }, 'puppy'),
      ),
    ],
  },
  'text-background': {
    shows: ['background'],
    panels: panelPerValue('background', [null, TEAL], (parts) => textLayers({ ...BLOCK, ...parts })),
  },
  'background-opacity': {
    shows: ['background_opacity'],
    panels: panelPerValue('background_opacity', [1, 0.4], overClip),
  },
  'background-radius': {
    shows: ['background_radius'],
    panels: panelPerValue('background_radius', [0, 20], overClip),
  },
  padding: {
    shows: ['padding'],
    panels: panelPerValue('padding', [0, 20], (parts) => textLayers({ background: TEAL, font_size: 20, ...parts })),
  },
  'outline-width': {
    shows: ['outline_width'],
    panels: panelPerValue('outline_width', [0, 3], (parts) =>
      textLayers({ ...BLOCK, outline_color: '#E30613', ...parts }),
    ),
  },
  'outline-color': {
    shows: ['outline_color'],
    panels: panelPerValue('outline_color', ['#000000', '#E30613'], (parts) =>
      textLayers({ ...BLOCK, outline_width: 3, ...parts }),
    ),
  },
  'shadow-opacity': { shows: ['shadow_opacity'], panels: panelPerValue('shadow_opacity', [0, 0.4, 0.9], withShadow) },
  'shadow-color': {
    shows: ['shadow_color'],
    panels: panelPerValue('shadow_color', ['#000000', '#E30613'], withShadow),
  },
  'shadow-x': { shows: ['shadow_x'], panels: panelPerValue('shadow_x', [-8, 8], withShadow) },
  'shadow-y': { shows: ['shadow_y'], panels: panelPerValue('shadow_y', [-8, 8], withShadow) },
  'shadow-blur': { shows: ['shadow_blur'], panels: panelPerValue('shadow_blur', [0, 6], withShadow) },
};
