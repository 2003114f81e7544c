import type { Fault } from './fault.ts';
import type { Preview } from './project-shape.ts';
import type { ProjectSketch } from './sketch.ts';
import { CRF, type VideoCodec } from './video-codecs.ts';

type Frame = { readonly height?: number; readonly duration?: number };

const crfFaults = (path: string, codec: VideoCodec | undefined, crf: number | null | undefined): readonly Fault[] =>
  codec !== undefined && typeof crf === 'number' && crf > CRF[codec].most
    ? [{ path: `${path}.crf`, message: `must be <= ${CRF[codec].most} with ${codec}` }]
    : [];

const heightFaults = (path: string, height: number | undefined, master: number | undefined): readonly Fault[] =>
  height === undefined
    ? []
    : [
        ...(height % 2 === 0 ? [] : [{ path, message: `must be even, is ${height}` }]),
        ...(master !== undefined && height > master
          ? [{ path, message: `must be at most the main composition's height (${master})` }]
          : []),
      ];

/** Names of what is made beside the encodes of a project that has a preview. */
const RESERVED = ['preview', 'poster'];

/** @param main the main composition, as far as it can be read */
export const encodeFaults = (project: ProjectSketch, main: Frame | undefined): readonly Fault[] => {
  const { master, variants = [], preview = null } = project;
  const previewStart = preview?.start;
  return [
    ...(master === undefined ? [] : crfFaults('master', master.codec, master.crf)),
    ...variants.flatMap(({ name, height, codec, crf }, index) => [
      ...heightFaults(`variants[${index}].height`, height, main?.height),
      ...crfFaults(`variants[${index}]`, codec, crf),
      ...(preview !== null && name !== undefined && RESERVED.includes(name)
        ? [{ path: `variants[${index}].name`, message: `must not be "${name}" in a project with a preview` }]
        : []),
    ]),
    ...(previewStart !== undefined && main?.duration !== undefined && previewStart >= main.duration
      ? [{ path: 'preview.start', message: `must be before the end of the main composition (${main.duration} s)` }]
      : []),
  ];
};

/**
 * The preview of one film: what the film has less of is cut to it, and where it begins after the film's end it begins
 * with it. (The project is only checked against its main composition.)
 */
export const previewOf = (
  preview: Preview,
  film: {
    readonly height: number;
    readonly duration: number;
    readonly fps: { readonly num: number; readonly den: number };
  },
): Preview => {
  const start = preview.start < film.duration ? preview.start : 0;
  return {
    height: Math.min(preview.height, film.height),
    start,
    duration: Math.min(preview.duration, film.duration - start),
    fps: Math.min(preview.fps, Math.floor(film.fps.num / film.fps.den)),
  };
};
