import { Anchor, Button, type CSSVariablesResolver, createTheme, Modal, Paper, Select, Table } from '@mantine/core';

/** Inter has Latin, Cyrillic and Greek. Browsers load a file only for the scripts that a page shows. */
const FONT = "'Inter Variable', 'Noto Sans Devanagari Variable', system-ui, sans-serif";

export const THEME = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: FONT,
  headings: { fontFamily: FONT, fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: Anchor.extend({ defaultProps: { underline: 'always', inherit: true } }),
    Button: Button.extend({ defaultProps: { fw: 550 } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 650, overflowWrap: 'anywhere' } },
    }),
    Paper: Paper.extend({ defaultProps: { radius: 'lg' } }),
    Select: Select.extend({ styles: { input: { textOverflow: 'ellipsis' } } }),
    Table: Table.extend({ defaultProps: { fz: 'sm' } }),
  },
});

/** Replaces library colours that have too little contrast for small text. */
export const resolveCssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-orange-light-color': '#993300',
    '--danger-text': colors.red[9],
    '--shell': colors.gray[0],
  },
  dark: {
    '--mantine-color-dimmed': colors.gray[5],
    '--mantine-color-placeholder': colors.gray[5],
    '--mantine-color-anchor': colors.indigo[3],
    '--mantine-color-error': colors.red[3],
    '--danger-text': colors.red[3],
    '--shell': colors.dark[8],
  },
});
