import { Anchor, type CSSVariablesResolver, createTheme, Modal } from '@mantine/core';

export const THEME = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Modal: Modal.extend({ defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } }),
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
  },
  dark: {
    '--mantine-color-dimmed': colors.gray[5],
    '--mantine-color-placeholder': colors.gray[5],
    '--mantine-color-anchor': colors.indigo[3],
    '--danger-text': colors.red[3],
  },
});
