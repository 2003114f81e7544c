/** Why the engine fails with a form at present, by the form's name. */
export const KNOWN: ReadonlyMap<string, string> = new Map<string, string>([
  ['TS with its clock near its end', 'where the clock of a TS begins again in mid-file, the sound is lost'],
  ['DV of PAL in AVI', 'ffprobe does not know the field order of DV, so its fields are not taken apart'],
  ['DV of NTSC in AVI', 'ffprobe does not know the field order of DV, so its fields are not taken apart'],
  ['H.264 in TS at 50, looped', 'a turn of a looped TS lacks its first frame'],
  ['MPEG-2 in TS at 29.97, looped', 'a turn of a looped TS lacks its first frame'],
  ['MPEG-4 in AVI at 25, looped', 'a turn is a frame too long: 31 frames, not 30'],
  ['Ogg Opus 24000 mono, looped', 'a turn is 13.5 ms shorter than what ffmpeg decodes of the file'],
]);
