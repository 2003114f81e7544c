/** Why the engine fails with a form at present, by the form's name. */
export const KNOWN: ReadonlyMap<string, string> = new Map<string, string>([
  ['MPEG-4 in AVI at 25, looped', 'a turn is a frame too long: 31 frames, not 30'],
  ['Ogg Opus 24000 mono, looped', 'a turn is 13.5 ms shorter than what ffmpeg decodes of the file'],
]);
