import { type DocumentationFigure, each, mountains, TEAL, words, YELLOW } from './picture.ts';

const LONG = 'Small groups, old paths, and a hut with a fire at the end of every day.';
const BLOCK = { align: 'center', vertical_align: 'middle', font_size: 30, font_weight: 700 };

const inScript = (font_family: string, text: string) => ({
  caption: font_family,
  layers: words({ font_family, vertical_align: 'middle', align: 'center' }, text),
});

const lines = (...texts: readonly string[]) => ({
  caption: '',
  layers: words({ font_size: 15, line_height: 1.15, align: 'center', vertical_align: 'middle' }, texts.join('\n')),
});

/** The text's background box lets the clip show through. */
const overClip = (parts: object) => [mountains(), ...words({ ...BLOCK, background: '#E30613', ...parts }).slice(1)];
const withShadow = (parts: object) =>
  words({ ...BLOCK, background: TEAL, shadow_opacity: 0.9, shadow_x: 6, shadow_y: 6, shadow_blur: 3, ...parts });

export const SET: Readonly<Record<string, DocumentationFigure>> = {
  text: {
    shows: ['text'],
    panels: [
      { caption: 'one line', layers: words() },
      { caption: 'wrapped to the width', layers: words({ font_size: 18 }, LONG) },
      { caption: 'with a newline', layers: words({}, 'Quiet\nevening') },
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
      { caption: 'one script', layers: words({ font_size: 22 }, 'Hope\nHope\nHope') },
      { caption: 'several', layers: words({ font_size: 22 }, 'Hope\nHope 希望 أمل 🔥\nHope') },
    ],
  },
  language: {
    shows: ['language'],
    panels: each('language', ['zh-Hans', 'zh-Hant', 'ja', 'ko'], (parts) =>
      words({ font_size: 72, align: 'center', vertical_align: 'middle', ...parts }, '直骨'),
    ),
  },
  hyphenate: {
    shows: ['hyphenate'],
    panels: each('hyphenate', [false, true], (parts) =>
      words({ font_size: 18, language: 'de', ...parts }, 'Donaudampfschifffahrtsgesellschaft mit Kapitänspatenten'),
    ),
  },
  'font-size': { shows: ['font_size'], panels: each('font_size', [18, 34], words) },
  'font-weight': { shows: ['font_weight'], panels: each('font_weight', [300, 400, 800], words) },
  color: { shows: ['color'], panels: each('color', ['#FFFFFF', YELLOW], words) },
  align: {
    shows: ['align'],
    panels: each('align', ['left', 'center', 'right', 'start', 'end'], (parts) =>
      words({ font_size: 26, ...parts }, 'Quiet evening\nערב שקט'),
    ),
  },
  'vertical-align': { shows: ['vertical_align'], panels: each('vertical_align', ['top', 'middle', 'bottom'], words) },
  'line-height': {
    shows: ['line_height'],
    panels: each('line_height', [1, 1.6], (parts) => words(parts, 'Quiet\nevening')),
  },
  'shrink-to-fit': {
    shows: ['shrink_to_fit'],
    panels: [
      ...each('shrink_to_fit', [false, true], (parts) => words(parts, LONG)),
      ...each('shrink_to_fit', [false, true], (parts) => words({ ...BLOCK, font_size: 90, ...parts }, 'puppy')),
    ],
  },
  'text-background': {
    shows: ['background'],
    panels: each('background', [null, TEAL], (parts) => words({ ...BLOCK, ...parts })),
  },
  'background-opacity': {
    shows: ['background_opacity'],
    panels: each('background_opacity', [1, 0.4], overClip),
  },
  'background-radius': {
    shows: ['background_radius'],
    panels: each('background_radius', [0, 20], overClip),
  },
  padding: {
    shows: ['padding'],
    panels: each('padding', [0, 20], (parts) => words({ background: TEAL, font_size: 20, ...parts })),
  },
  'outline-width': {
    shows: ['outline_width'],
    panels: each('outline_width', [0, 3], (parts) => words({ ...BLOCK, outline_color: '#E30613', ...parts })),
  },
  'outline-color': {
    shows: ['outline_color'],
    panels: each('outline_color', ['#000000', '#E30613'], (parts) => words({ ...BLOCK, outline_width: 3, ...parts })),
  },
  'shadow-opacity': { shows: ['shadow_opacity'], panels: each('shadow_opacity', [0, 0.4, 0.9], withShadow) },
  'shadow-color': { shows: ['shadow_color'], panels: each('shadow_color', ['#000000', '#E30613'], withShadow) },
  'shadow-x': { shows: ['shadow_x'], panels: each('shadow_x', [-8, 8], withShadow) },
  'shadow-y': { shows: ['shadow_y'], panels: each('shadow_y', [-8, 8], withShadow) },
  'shadow-blur': { shows: ['shadow_blur'], panels: each('shadow_blur', [0, 6], withShadow) },
};
