import type { Matrix } from './chromaticities.ts';
import type { ImageColors, Primaries, Transfer } from './image-colors.ts';

/** Converts linear light of these primaries to BT.709, row-major; from the chromaticities in ITU-T H.273. */
const TO_BT709: Readonly<Record<Primaries, Matrix>> = {
  bt709: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  bt470bg: [1.044043, -0.044043, 0, 0, 1, 0, 0, 0.011793, 0.988207],
  smpte170m: [0.939542, 0.050181, 0.010277, 0.017772, 0.965793, 0.016435, -0.001622, -0.00437, 1.005991],
  bt2020: [1.660491, -0.587641, -0.07285, -0.12455, 1.1329, -0.008349, -0.018151, -0.100579, 1.11873],
  p3: [1.22494, -0.22494, 0, -0.042057, 1.042057, 0, -0.019638, -0.078636, 1.098274],
  ebu3213: [1.025252, -0.026548, 0.001295, 0.019394, 0.948028, 0.032578, -0.00177, -0.001442, 1.003212],
};

/** Reference white of high dynamic range, in nits (ITU-R BT.2408). It maps to the white of sRGB. */
const WHITE_NITS = 203;
/** Light up to this value is unchanged. Light above it is compressed, so that the peak of PQ becomes white. */
const KNEE = 0.6;
const PEAK = 10_000 / WHITE_NITS;

/** The Möbius curve of ffmpeg's `tonemap`: linear below the knee, smooth above it. */
const A = (-KNEE * KNEE * (PEAK - 1)) / (KNEE * KNEE - 2 * KNEE + PEAK);
const B = (KNEE * KNEE - 2 * KNEE * PEAK + PEAK) / (PEAK - 1);
const SCALE = (B * B + 2 * B * KNEE + KNEE * KNEE) / (B - A);
const compress = (light: number): number => (light <= KNEE ? light : (SCALE * (light + A)) / (light + B));

const srgbToLinear = (signal: number): number =>
  signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4;
const linearToSrgb = (light: number): number =>
  light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;

/** The constants are those of SMPTE ST 2084. */
const pqToLinear = (signal: number): number => {
  const root = signal ** (1 / 78.84375);
  return PEAK * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (1 / 0.1593017578125);
};

/** Scene light from 0 to 1 (ITU-R BT.2100). */
const hlgToLinear = (signal: number): number =>
  signal <= 0.5 ? (signal * signal) / 3 : (Math.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12;

/** A display of 1,000 nits shows the scene's light times its luminance to the power of this. */
const HLG_EXPONENT = 0.2;
const HLG_PEAK = 1_000 / WHITE_NITS;

const lightOf = (transfer: Transfer, signal: number): number => {
  if (transfer === 'srgb') return srgbToLinear(signal);
  if (transfer === 'pq') return pqToLinear(signal);
  return transfer === 'hlg' ? hlgToLinear(signal) : signal ** transfer.exponent;
};

const LEVELS = 2 ** 16 - 1;
const SRGB_LEVELS = Uint8Array.from({ length: LEVELS + 1 }, (_, light) =>
  Math.round(255 * linearToSrgb(light / LEVELS)),
);

/** NaN becomes 0. */
const levelOf = (light: number): number =>
  SRGB_LEVELS[light >= 1 ? LEVELS : light > 0 ? Math.round(light * LEVELS) : 0] ?? 0;

const toneMapFactor = (transfer: Transfer, red: number, green: number, blue: number): number => {
  if (transfer !== 'pq' && transfer !== 'hlg') return 1;
  const luminance = Math.max(0, 0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const display = transfer === 'hlg' ? HLG_PEAK * luminance ** HLG_EXPONENT : 1;
  const brightest = display * Math.max(red, green, blue);
  return brightest > 0 ? (display * compress(brightest)) / brightest : 0;
};

/** Tone-maps high dynamic range. Input: straight RGBA of 8 or 16 bits. Output: straight RGBA of 8 bits. */
export const convertedToSrgb = (pixels: Uint8Array | Uint16Array, { primaries, transfer }: ImageColors): Buffer => {
  const max_level = pixels.BYTES_PER_ELEMENT === 1 ? 255 : LEVELS;
  const light = Float64Array.from({ length: max_level + 1 }, (_, signal) => lightOf(transfer, signal / max_level));
  const [rr, rg, rb, gr, gg, gb, br, bg, bb] = typeof primaries === 'string' ? TO_BT709[primaries] : primaries;
  const converted = Buffer.alloc(pixels.length);
  for (let at = 0; at < pixels.length; at += 4) {
    const r = light[pixels[at] ?? 0] ?? 0;
    const g = light[pixels[at + 1] ?? 0] ?? 0;
    const b = light[pixels[at + 2] ?? 0] ?? 0;
    const [red, green, blue] = [rr * r + rg * g + rb * b, gr * r + gg * g + gb * b, br * r + bg * g + bb * b];
    const factor = toneMapFactor(transfer, red, green, blue);
    converted[at] = levelOf(factor * red);
    converted[at + 1] = levelOf(factor * green);
    converted[at + 2] = levelOf(factor * blue);
    converted[at + 3] = Math.round((255 * (pixels[at + 3] ?? 0)) / max_level);
  }
  return converted;
};
