import { type Canary, filesOf, type HostileFile, REFUSED } from './hostile-file.ts';

const hls = ({ canary_file, canary_url }: Canary): string =>
  `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI="${canary_url}key"\n#EXT-X-MAP:URI="file://${canary_file}"\n#EXTINF:2,\nfile://${canary_file}\n#EXTINF:2,\n${canary_url}a.ts\n#EXTINF:2,\nconcat:${canary_file}|${canary_url}b\n#EXT-X-ENDLIST\n`;

const LISTS: readonly (readonly [name: string, attacks: string, make: (canary: Canary) => string])[] = [
  ['hls', 'a playlist of HLS, with a key and a map', hls],
  [
    'hls-master',
    'a playlist of playlists',
    ({ canary_file, canary_url }) =>
      `#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="${canary_url}audio.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\n${canary_url}video.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\nfile://${canary_file}\n`,
  ],
  ['hls-late', 'a playlist behind 5,000 letters of nothing', (canary) => `${' '.repeat(5000)}\n${hls(canary)}`],
  ['hls-marked', 'a playlist behind a byte order mark', (canary) => `\ufeff${hls(canary)}`],
  [
    'concat',
    'a list of files',
    ({ canary_file, canary_url }) =>
      `ffconcat version 1.0\nfile '${canary_file}'\nfile '${canary_url}b.mp4'\nfile 'subfile,,start,0,end,99,,:${canary_file}'\noption safe 0\n`,
  ],
  [
    'concat-marked',
    'a list of files behind a byte order mark and a comment',
    ({ canary_file }) => `\ufeff# x\nffconcat version 1.0\nfile ${canary_file}\n`,
  ],
  [
    'dash',
    'a manifest of DASH',
    ({ canary_file, canary_url }) =>
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S"><BaseURL>${canary_url}</BaseURL><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>file://${canary_file}</BaseURL><SegmentList duration="1"><Initialization sourceURL="${canary_url}init"/><SegmentURL media="${canary_url}1"/></SegmentList></Representation></AdaptationSet></Period></MPD>`,
  ],
  [
    'dash-entity',
    'a manifest of DASH with an external entity',
    ({ canary_file }) =>
      `<?xml version="1.0"?><!DOCTYPE MPD [<!ENTITY a SYSTEM "file://${canary_file}">]><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>&a;</BaseURL></Representation></AdaptationSet></Period></MPD>`,
  ],
  [
    'smooth',
    'a manifest of Smooth Streaming',
    ({ canary_url }) =>
      `<SmoothStreamingMedia MajorVersion="2"><StreamIndex Type="video" Url="${canary_url}q({bitrate})/f({start time})" Chunks="1"><QualityLevel Bitrate="1" FourCC="H264"/><c d="1"/></StreamIndex></SmoothStreamingMedia>`,
  ],
  [
    'asx',
    'a playlist of Windows Media',
    ({ canary_file, canary_url }) =>
      `<ASX version="3.0"><ENTRYREF HREF="${canary_url}asx"/><ENTRY><REF HREF="file://${canary_file}"/></ENTRY></ASX>`,
  ],
  [
    'pls',
    'a playlist of Winamp',
    ({ canary_file, canary_url }) =>
      `[playlist]\nFile1=${canary_url}pls\nFile2=${canary_file}\nNumberOfEntries=2\nVersion=2\n`,
  ],
  [
    'xspf',
    'a playlist of XSPF',
    ({ canary_file, canary_url }) =>
      `<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track><location>${canary_url}x</location></track><track><location>file://${canary_file}</location></track></trackList></playlist>`,
  ],
  [
    'smil',
    'a presentation of SMIL',
    ({ canary_file, canary_url }) =>
      `<smil xmlns="http://www.w3.org/ns/SMIL"><body><video src="${canary_url}x"/><audio src="file://${canary_file}"/></body></smil>`,
  ],
  [
    'sdp',
    'a description of a stream',
    ({ canary_url }) =>
      `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video ${new URL(canary_url).port || 80} RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:${canary_url}\r\n`,
  ],
  [
    'quicktime-text',
    'a link of QuickTime',
    ({ canary_url }) =>
      `RTSPtextRTSP${canary_url.slice(4)}x\n<?xml version="1.0"?><?quicktime type="application/x-quicktime-media-link"?><embed src="${canary_url}link" autoplay="true"/>`,
  ],
  ['real', 'a link of RealMedia', ({ canary_file, canary_url }) => `${canary_url}real.rm\nfile://${canary_file}\n`],
  [
    'avisynth',
    'a script of AviSynth',
    ({ canary_file }) => `DirectShowSource("${canary_file}")\nImport("${canary_file}")\n`,
  ],
  [
    'vapoursynth',
    'a script of VapourSynth',
    ({ canary_file }) => `import vapoursynth\nopen('${canary_file}').read()\n`,
  ],
  [
    'metadata',
    'metadata of FFmpeg',
    ({ canary_file }) => `;FFMETADATA1\ntitle=${canary_file}\n[CHAPTER]\nSTART=0\nEND=9223372036854775807\n`,
  ],
  [
    'subtitles',
    'subtitles that name files',
    ({ canary_file, canary_url }) =>
      `[Script Info]\nScriptType: v4.00+\nAudio URI: ${canary_url}a\n[Fonts]\nfontname: ${canary_file}\n[Events]\nDialogue: 0,0:00:00.00,0:00:09.00,x,,0,0,0,,{\\img(${canary_file})}a\n`,
  ],
  [
    'index',
    'an index of pictured subtitles',
    ({ canary_file }) =>
      `# VobSub index file, v7\nsize: 64x48\nid: en, index: 0\ntimestamp: 00:00:00:000, filepos: 000000000\ncustom colors: ON\n# ${canary_file}\n`,
  ],
  ['cue', 'a cue sheet', ({ canary_file }) => `FILE "${canary_file}" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n`],
  ['image-sequence', 'a pattern of file names', ({ canary_file }) => `${canary_file}%d.png\n${canary_file}*\n`],
];

const video = filesOf('playlist', 'video', '.mp4');

/** Lists of other files, each sent as a film, and the common formats as every other kind too. */
export const PLAYLIST: readonly HostileFile[] = [
  ...LISTS.map(([name, attacks, make]) => video('reach', name, attacks, make, REFUSED)),
  ...LISTS.filter(([name]) => ['hls', 'concat', 'dash', 'asx', 'hls-late'].includes(name)).flatMap(
    ([name, attacks, make]) => [
      video('reach', `${name}-as-sound`, attacks, make, { kind: 'audio', ending: '.mp3', expects: 'refused' }),
      video('reach', `${name}-as-a-picture`, attacks, make, { kind: 'image', ending: '.png', expects: 'refused' }),
      video('reach', `${name}-as-a-font`, attacks, make, { kind: 'font', ending: '.ttf', expects: 'refused' }),
      video('reach', `${name}-as-matroska`, attacks, make, { ending: '.mkv', expects: 'refused' }),
    ],
  ),
];
