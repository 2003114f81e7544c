import type { Fault } from './fault.ts';
import type { LenientProject } from './lenient-decode.ts';
import type { Preview } from './project-shape.ts';
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

const RESERVED = ['preview', 'poster'];

export const outputFaults = (project: LenientProject, main: Frame | undefined): readonly Fault[] => {
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
 * The import checks the preview only against the main composition. Other compositions limit its height, frame rate and
 * duration here; a start after their end becomes 0.
 */
export const previewOf = (
  preview: Preview,
  composition: {
    readonly height: number;
    readonly duration: number;
    readonly fps: { readonly num: number; readonly den: number };
  },
): Preview => {
  const start = preview.start < composition.duration ? preview.start : 0;
  return {
    height: Math.min(preview.height, composition.height),
    start,
    duration: Math.min(preview.duration, composition.duration - start),
    fps: Math.min(preview.fps, Math.floor(composition.fps.num / composition.fps.den)),
  };
};
