import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';

const HEIGHT_PX = 190;
const AXIS_PX = 88;
const LABEL_GAP_PX = 32;

export type PlotProps = {
  /** Members are `label` and the names of the series. */
  readonly rows: readonly Readonly<Record<string, string | number>>[];
  readonly series: readonly { readonly name: string; readonly color: string }[];
  readonly format: (value: number) => string;
};

/** Stacked bars with a tooltip. A file of its own, because the library is larger than the rest of most pages. */
const Plot = ({ rows, series, format }: PlotProps) => (
  <BarChart
    h={HEIGHT_PX}
    data={rows.map((row) => ({ ...row }))}
    dataKey="label"
    type="stacked"
    series={series.map((one) => ({ ...one }))}
    valueFormatter={format}
    withLegend={series.length > 1}
    legendProps={{ verticalAlign: 'bottom', height: 28 }}
    tickLine="none"
    maxBarWidth={28}
    xAxisProps={{ minTickGap: LABEL_GAP_PX }}
    yAxisProps={{ width: AXIS_PX, allowDecimals: false, tickCount: 4 }}
    barProps={{ isAnimationActive: false }}
    tooltipAnimationDuration={0}
  />
);

export default Plot;
