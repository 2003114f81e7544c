import { durationText } from '../life.ts';
import { type HorizontalExtent, packIntoRows } from './packed.ts';
import { BREAK_WIDTH, type TimeScale, ticksOf, timeScale } from './time-scale.ts';
import { truncate, xmlText } from './xml.ts';

/** The meaning of a colour. `plain` has none. */
export type ColorRole = 'wait' | 'work' | 'store' | 'good' | 'bad' | 'over' | 'plain';

export type TimelineSpan = {
  readonly from: number;
  readonly to: number | null;
  readonly label: string;
  readonly tone: ColorRole;
  readonly title: string;
};

/** Drawn hollow if the event had no effect. */
export type EventMark = {
  readonly at: number;
  readonly label: string;
  readonly tone: ColorRole;
  readonly hollow: boolean;
  readonly title: string;
};

export type TimelineLane = {
  readonly name: string;
  readonly spans: readonly TimelineSpan[];
  readonly marks: readonly EventMark[];
};

/** A table below the lanes. `faint` rows had no effect. */
export type TimelineTable = {
  readonly headings: readonly string[];
  readonly rows: readonly { readonly cells: readonly (string | null)[]; readonly faint: boolean }[];
};

export type Timeline = {
  readonly title: string;
  readonly notes: readonly string[];
  readonly lanes: readonly TimelineLane[];
  readonly listings: readonly TimelineTable[];
};

/** The assumed width of a character. It is generous, because the reader's font is unknown. */
const CHARACTER = 6.7;
const MARGIN = 24;
const NAMES = 176;
const MIN_WIDTH = 1_180;
/** The width after the last event, where spans that have not ended continue. */
const TAIL = 110;
const ROW = 20;
const MAX_ROWS = 6;
/** Lanes with many rows use thin rows without labels, so that concurrent spans remain distinct. */
const THIN_ROW = 7;
const MAX_THIN_ROWS = 250;
const MAX_LABELLED_ROWS = 10;
/** The events of a lane get labels only up to this number. */
const MAX_LABELLED = 60;
const MAX_CELL = 56;
const MAX_LAST_CELL = 100;
const LINE = 17;
/** Each lane and each list shows only this many of the newest events. */
const MAX_LISTED = 2_000;
const TICK_ROOM = 92;

const widthOf = (text: string): number => [...text].length * CHARACTER;

const STYLE = `
text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: var(--ink); white-space: pre }
.title { font-size: 17px; font-weight: 600 } .note, .tick, .head { fill: var(--faint) } .faint { fill: var(--faint) }
.label { paint-order: stroke; stroke: var(--page); stroke-width: 3px }
.page { fill: var(--page) } .grid { stroke: var(--grid); stroke-width: 1 } .stripe { fill: var(--stripe) }
.break { stroke: var(--faint); stroke-width: 1; fill: none; stroke-dasharray: 2 3 }
.span { stroke-width: 1; fill-opacity: .22 } .mark { stroke-width: 1.6 } .hollow { fill: var(--page) }
svg { --page: #fff; --ink: #1c2128; --faint: #5d6673; --grid: #dfe3e8; --stripe: #f6f7f9; --wait: #9a6700; --work: #0969da; --store: #0a7c86; --good: #1a7f37; --bad: #cf222e; --over: #6e7781; --plain: #5b4bc4 }
@media (prefers-color-scheme: dark) { svg { --page: #0f1318; --ink: #e4e8ee; --faint: #9aa4b1; --grid: #2a313a; --stripe: #161b22; --wait: #d6a032; --work: #58a6ff; --store: #39c5cf; --good: #3fb950; --bad: #ff7b72; --over: #8b949e; --plain: #a99bff } }
.wait { fill: var(--wait); stroke: var(--wait) } .work { fill: var(--work); stroke: var(--work) } .store { fill: var(--store); stroke: var(--store) }
.good { fill: var(--good); stroke: var(--good) } .bad { fill: var(--bad); stroke: var(--bad) } .over { fill: var(--over); stroke: var(--over) }
.plain { fill: var(--plain); stroke: var(--plain) } .mark.hollow { fill: var(--page) }
`;

const n = (value: number): string => String(Number(value.toFixed(1)));

const text = (x: number, y: number, content: string, cls = ''): string =>
  `<text x="${n(x)}" y="${n(y)}"${cls === '' ? '' : ` class="${cls}"`}>${xmlText(content)}</text>`;

const titled = (element: string, title: string): string => `<g><title>${xmlText(title)}</title>${element}</g>`;

const highest = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0);

type Drawn = { readonly height: number; readonly elements: readonly string[] };

type Rows = { readonly row_of: readonly number[]; readonly row_height: number };

/** @param roomy, thin the width of each item in a row of full height, and in a thin row */
const inRows = (roomy: readonly HorizontalExtent[], thin: readonly HorizontalExtent[]): Rows => {
  const row_of = packIntoRows(roomy, MAX_ROWS, false);
  if (row_of !== null) return { row_of, row_height: ROW };
  return { row_of: packIntoRows(thin, MAX_THIN_ROWS, true) ?? [], row_height: THIN_ROW };
};

const heightOf = ({ row_of, row_height }: Rows): number =>
  row_of.length === 0 ? 0 : Math.max(ROW, (1 + highest(row_of)) * row_height);

const drawnSpans = (spans: readonly TimelineSpan[], x: (at: number) => number, end: number, top: number): Drawn => {
  const reaches = spans.map(({ from, to }): HorizontalExtent => {
    const left = x(from);
    return { left, right: Math.max(left + 2, to === null ? end : x(to)) };
  });
  // A short span is drawn up to 2 units wider than it lasted. Without these units, the next span fits into the same
  // row.
  const lasted = reaches.map(({ left, right }) => ({ left, right: right - 2 }));
  const rows = inRows(lasted, lasted);
  const { row_of, row_height } = rows;
  const gap = row_height / 10;
  const elements = spans.map(({ label, tone, title }, i) => {
    const { left, right } = reaches[i] ?? { left: 0, right: 0 };
    const y = top + (row_of[i] ?? 0) * row_height;
    const bar = `<rect class="span ${tone}" x="${n(left)}" y="${n(y + gap)}" width="${n(right - left)}" height="${n(row_height - 2 * gap)}" rx="2"/>`;
    const fits = row_height === ROW && widthOf(label) + 10 <= right - left;
    return titled(fits ? `${bar}${text(left + 5, y + 14, label)}` : bar, title);
  });
  return { height: heightOf(rows), elements };
};

const DOT = 5;
const THIN_DOT = 3;

const around = (at: number, half: number): HorizontalExtent => ({ left: at - half, right: at + half });

const drawnMarks = (marks: readonly EventMark[], x: (at: number) => number, end: number, top: number): Drawn => {
  const places = marks.map(({ at }) => x(at));
  const isLeft = (i: number): boolean => (places[i] ?? 0) + DOT + 8 + widthOf(marks[i]?.label ?? '') > end;
  const withLabels = marks.map(({ label }, i): HorizontalExtent => {
    const at = places[i] ?? 0;
    const room = widthOf(label) + 12;
    return isLeft(i) ? { left: at - DOT - room, right: at + DOT + 1 } : { left: at - DOT - 1, right: at + DOT + room };
  });
  const labelled = marks.length <= MAX_LABELLED ? packIntoRows(withLabels, MAX_LABELLED_ROWS, false) : null;
  const rows: Rows =
    labelled === null
      ? inRows(
          places.map((at) => around(at, DOT + 1)),
          places.map((at) => around(at, THIN_DOT)),
        )
      : { row_of: labelled, row_height: ROW };
  const { row_of, row_height } = rows;
  const radius = row_height === ROW ? DOT - 0.8 : THIN_DOT - 0.8;
  const elements = marks.map(({ label, tone, hollow, title }, i) => {
    const at = places[i] ?? 0;
    const y = top + (row_of[i] ?? 0) * row_height + row_height / 2;
    const dot = `<circle class="mark ${tone}${hollow ? ' hollow' : ''}" cx="${n(at)}" cy="${n(y)}" r="${n(radius)}"/>`;
    if (labelled === null) return titled(dot, title);
    const begin = isLeft(i) ? at - DOT - 4 - widthOf(label) : at + DOT + 4;
    return titled(`${dot}${text(begin, y + 4, label, hollow ? 'label faint' : 'label')}`, title);
  });
  return { height: heightOf(rows), elements };
};

const drawnAxis = (scale: TimeScale, left: number, top: number, bottom: number): readonly string[] => [
  ...ticksOf(scale, TICK_ROOM).flatMap(({ x, label }) => [
    `<line class="grid" x1="${n(left + x)}" y1="${n(top + 4)}" x2="${n(left + x)}" y2="${n(bottom)}"/>`,
    text(left + x + 3, top, label, 'tick'),
  ]),
  ...scale.breaks.map(({ from, to, x0, x1 }) => {
    const label = truncate(durationText(to - from), Math.floor(BREAK_WIDTH / CHARACTER));
    const middle = left + (x0 + x1) / 2;
    const zigzag = `M${n(middle - 4)} ${n(top + 6)} V${n(bottom)} M${n(middle + 4)} ${n(top + 6)} V${n(bottom)}`;
    return titled(
      `<path class="break" d="${zigzag}"/>${text(middle - widthOf(label) / 2, top - 16, label, 'tick')}`,
      `${durationText(to - from)} without an event, not to scale`,
    );
  }),
];

const instantsOf = (lanes: readonly TimelineLane[]): readonly number[] =>
  lanes.flatMap(({ spans, marks }) => [
    ...spans.flatMap(({ from, to }) => (to === null ? [from] : [from, to])),
    ...marks.map(({ at }) => at),
  ]);

const columnsOf = ({ headings, rows }: TimelineTable): readonly number[] =>
  headings.map((heading, i) => {
    const most = i === headings.length - 1 ? MAX_LAST_CELL : MAX_CELL;
    const longest = rows.reduce((all, { cells }) => Math.max(all, [...(cells[i] ?? '-')].length), heading.length);
    return Math.min(most, longest);
  });

const drawnListing = (listing: TimelineTable, top: number, width: number): Drawn => {
  const columns = columnsOf(listing);
  const xs = columns.map((_, i) => MARGIN + columns.slice(0, i).reduce((sum, one) => sum + (one + 2) * CHARACTER, 0));
  const left_out = Math.max(0, listing.rows.length - MAX_LISTED);
  const elements = listing.headings.map((heading, i) => text(xs[i] ?? 0, top + 12, heading, 'head'));
  let y = top + LINE;
  if (left_out > 0) {
    elements.push(text(MARGIN, y + 12, `The first ${left_out} are omitted; --json has all.`, 'note'));
    y += LINE;
  }
  for (const [row, { cells, faint }] of listing.rows.slice(left_out).entries()) {
    if (row % 2 === 0)
      elements.push(
        `<rect class="stripe" x="${MARGIN - 6}" y="${n(y)}" width="${n(width - 2 * MARGIN + 12)}" height="${LINE}"/>`,
      );
    for (const [i, cell] of cells.entries()) {
      const content = (cell ?? '-').replace(/\p{Cc}/gu, ' ');
      const shown = text(xs[i] ?? 0, y + 12, truncate(content, columns[i] ?? 1), faint ? 'faint' : '');
      elements.push([...content].length > (columns[i] ?? 1) ? titled(shown, content) : shown);
    }
    y += LINE;
  }
  return { height: y - top, elements };
};

const listingWidth = (listing: TimelineTable): number =>
  columnsOf(listing).reduce((sum, one) => sum + (one + 2) * CHARACTER, 0) + 2 * MARGIN;

const KEY = '● accepted   ○ ignored   ┊┊ no event for the time above';

/** A self-contained SVG for light and dark mode: lanes over time, and a list of the events below. */
export const timelineSvg = ({ title, notes, lanes: all, listings }: Timeline): string => {
  const lanes = all.map((lane) => ({ ...lane, marks: lane.marks.slice(-MAX_LISTED) }));
  const width = Math.ceil(
    Math.max(MIN_WIDTH, 2 * MARGIN + Math.max(...notes.map(widthOf)), ...listings.map(listingWidth)),
  );
  const left = MARGIN + NAMES;
  const end = width - MARGIN;
  const scale = timeScale(instantsOf(lanes), end - left - TAIL);
  const x = (at: number): number => left + scale.x(at);
  const head = [text(MARGIN, 36, title, 'title'), ...notes.map((note, i) => text(MARGIN, 60 + i * LINE, note, 'note'))];
  const axis_y = 60 + notes.length * LINE + (scale.breaks.length === 0 ? 14 : 32);
  let y = axis_y + 10;
  const body = lanes.flatMap(({ name, spans, marks }) => {
    const bars = drawnSpans(spans, x, end, y);
    const dots = drawnMarks(marks, x, end, y + bars.height);
    const line = `<line class="grid" x1="${MARGIN}" y1="${n(y)}" x2="${end}" y2="${n(y)}"/>`;
    const label = titled(text(MARGIN, y + 16, truncate(name, Math.floor(NAMES / CHARACTER) - 1)), name);
    y += bars.height + dots.height + 6;
    return [line, label, ...bars.elements, ...dots.elements];
  });
  const axis = drawnAxis(scale, left, axis_y, y);
  const key = text(MARGIN, y + 18, KEY, 'note');
  y += 34;
  const tables = listings.flatMap((listing) => {
    const drawn = drawnListing(listing, y, width);
    y += drawn.height + 16;
    return drawn.elements;
  });
  const height = Math.ceil(y + 8);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${xmlText(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...head,
    ...axis,
    ...body,
    key,
    ...tables,
    '</svg>',
    '',
  ].join('\n');
};
