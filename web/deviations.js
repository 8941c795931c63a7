// SPDX-License-Identifier: Apache-2.0
// All figures of a system at one look: what was simulated as a part of what was published.
import { axisTop } from 'd3-axis';
import { scaleLog } from 'd3-scale';
import { select } from 'd3-selection';
import { h } from './dom.js';

const width = 900;
const left = 290; // of names
const row = 17;
const top = 30;
const ends = [0.2, 5]; // what lies beyond stands at the edge
const fine = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 1.8];
const coarse = [0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5];

const centre = (f) => f.compare === 'between' ? (f.value + f.upper) / 2 : f.value;
const drawable = (f) => typeof f.simulated === 'number' && f.simulated > 0 && centre(f) > 0;

/** Within which parts of the published value a figure passes; an end that is not there is the edge. */
function band(f) {
  if (f.compare === 'between') return [f.value / centre(f), f.upper / centre(f)];
  if (f.compare === 'at_least') return [1, Infinity];
  if (f.compare === 'at_most') return [0, 1];
  return [1 - (f.tolerance || 0), 1 + (f.tolerance || 0)];
}

const signed = (ratio) => `${ratio > 1 ? '+' : ratio < 1 ? '−' : ''}${Math.round(Math.abs(100 * (ratio - 1)))} %`;

/** A line for each figure whose values are above zero: the band in which it passes, its interval, and a point; none: null. */
export function deviations(caption, figures) {
  const shown = figures.filter(drawable);
  if (!shown.length) return null;
  const reach = Math.max(1.3, ...shown.flatMap((f) => [f.simulated / centre(f), ...band(f)]).filter((r) => r > 0 && r < Infinity).map((r) => Math.max(r, 1 / r)));
  const domain = [Math.max(ends[0], 1 / (1.1 * reach)), Math.min(ends[1], 1.1 * reach)];
  const x = scaleLog().domain(domain).range([left, width - 20]).clamp(true);
  const height = top + shown.length * row + 6;
  const svg = h('svg', { viewBox: `0 0 ${width} ${height}`, class: 'plot deviations', role: 'img',
    'aria-label': `${caption}: ${shown.length} figures, from ${signed(Math.min(...shown.map((f) => f.simulated / centre(f))))} to ${signed(Math.max(...shown.map((f) => f.simulated / centre(f))))}. The table holds the same values.` });
  const axis = axisTop(x).tickValues((reach < 1.8 ? fine : coarse).filter((m) => m >= domain[0] && m <= domain[1])).tickSizeOuter(0).tickSizeInner(-(height - top)).tickFormat(signed);
  select(svg).append('g').attr('class', 'axis').attr('transform', `translate(0,${top - 6})`).call(axis);
  shown.forEach((f, i) => {
    const y = top + (i + 0.5) * row;
    const at = f.simulated / centre(f);
    const [low, high] = band(f).map((r) => x(Math.max(r, domain[0])));
    svg.append(h('g', { class: `figure ${f.status}` }, h('title', {}, `${f.id}: ${signed(at)}, ${f.role}`),
      h('text', { x: left - 10, y: y + 4, 'text-anchor': 'end' }, f.id),
      h('rect', { class: 'band', x: low, y: y - row / 2 + 2, width: Math.max(1, high - low), height: row - 4 }),
      f.interval ? h('line', { class: 'interval', x1: x(Math.max(f.interval[0] / centre(f), domain[0])), x2: x(Math.max(f.interval[1] / centre(f), domain[0])), y1: y, y2: y }) : null,
      h('circle', { class: `verdict ${f.role}`, cx: x(at), cy: y, r: 4.5 })));
  });
  select(svg).append('line').attr('class', 'published').attr('x1', x(1)).attr('x2', x(1)).attr('y1', top - 6).attr('y2', height);
  const sample = (...inside) => h('svg', { viewBox: '0 0 28 12', width: 28, height: 12, 'aria-hidden': 'true', class: 'plot deviations' }, inside);
  const point = (status, role) => h('g', { class: `figure ${status}` }, h('circle', { class: `verdict ${role}`, cx: 14, cy: 6, r: 4.5 }));
  const there = (status) => shown.some((f) => f.status === status);
  const legend = h('ul', { class: 'legend' },
    [['pass', 'passes'], ['known_miss', 'misses, as listed'], ['miss', 'misses']].filter(([s]) => there(s)).map(([s, name]) => h('li', {}, sample(point(s, 'predicted')), ' ', name)),
    h('li', {}, sample(point('pass', 'fitted')), ' hollow: fitted or derived'), h('li', {}, sample(h('rect', { class: 'band', width: 28, height: 12 })), ' where it passes'),
    shown.some((f) => f.interval) ? h('li', {}, sample(h('line', { class: 'interval', x1: 0, x2: 28, y1: 6, y2: 6 })), ' over the ranges of what is assumed') : null);
  return h('figure', {}, h('figcaption', {}, caption), h('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': caption }, svg), legend);
}
