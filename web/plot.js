// SPDX-License-Identifier: Apache-2.0
// Curves of rows: scales, axes and lines are d3's.
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLinear, scaleLog, scalePoint } from 'd3-scale';
import { select } from 'd3-selection';
import { line } from 'd3-shape';
import { cut, h, picker } from './dom.js';
import { cellText, unitOf } from './units.js';

const width = 620;
const height = 380;
const margin = { left: 84, right: 20, top: 16, bottom: 54 };
const longest = 100; // characters that are seen of a curve's name
const marks = 8; // colours and dashes in the style sheet
const markOf = (i) => `c${i % marks}${Math.floor(i / marks) % 2 ? ' second' : ''}`; // the next eight are thin, with hollow points

const distinct = (rows, key) => new Set(rows.map((r) => r[key]));
const numbers = (rows, key) => rows.every((r) => r[key] === undefined || r[key] === null || typeof r[key] === 'number') && rows.some((r) => typeof r[key] === 'number');
const isMeasure = (key) => ['time', 'rate'].includes(unitOf(key).kind);

/** What of these rows is worth drawing: x, the ys, and what tells curves apart. Nothing varies: null. */
export function choose(rows, axes = []) {
  const keys = [...new Set(rows.flatMap((r) => Object.keys(r)))];
  const varies = keys.filter((k) => distinct(rows, k).size > 1);
  const ys = keys.filter((k) => isMeasure(k) && numbers(rows, k) && !axes.includes(k));
  const xs = varies.filter((k) => numbers(rows, k) && !ys.includes(k)).sort((a, b) =>
    (b === 'size_bytes') - (a === 'size_bytes') || axes.includes(b) - axes.includes(a) || distinct(rows, b).size - distinct(rows, a).size);
  if (ys.length === 0 || rows.length < 2) return null;
  const texts = varies.filter((k) => rows.some((r) => typeof r[k] === 'string'));
  const x = xs[0] || texts[0] || null;
  if (x === null) return null;
  return { xs: xs.length ? xs : [x], x, ys, series: texts.filter((k) => k !== x) };
}

function curves(rows, x, y, by) {
  const out = new Map();
  for (const row of rows) {
    if (row[x] === undefined || row[x] === null || typeof row[y] !== 'number') continue;
    const name = by.map((k) => typeof row[k] === 'number' ? `${unitOf(k).name} ${cellText(k, row[k])}` : cellText(k, row[k])).filter(Boolean).join(', ') || unitOf(y).name;
    if (!out.has(name)) out.set(name, []);
    out.get(name).push({ x: row[x], y: row[y] });
  }
  if (!by.length || typeof rows[0][x] === 'number') for (const points of out.values()) points.sort((a, b) => a.x - b.x);
  return [...out];
}

/** Powers of two for bytes, else what d3 finds. */
function ticks(scale, kind, domain) {
  if (kind !== 'bytes' || !scale.base) return scale.ticks(6);
  const out = [];
  const steps = Math.max(1, Math.ceil(Math.log2(domain[1] / domain[0]) / 7));
  for (let v = 2 ** Math.ceil(Math.log2(domain[0])); v <= domain[1]; v *= 2 ** steps) out.push(v);
  return out;
}

function scaleFor(values, range, log) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (log && low > 0 && high / low >= 30) return scaleLog().domain([low, high]).range(range).nice(2);
  return scaleLinear().domain([Math.min(0, low), high || 1]).range(range).nice();
}

/**
 * A panel: `y` over `x`, a curve for each combination of what columns `by` say. `own`: the panel's caption, and the name of x, its ticks
 * and how they are written, where the column does not tell.
 */
export function drawn(rows, x, y, by, ceilings, own = {}) {
  const data = curves(rows, x, y, by);
  const unitX = own.write ? { name: own.name, kind: 'number', write: own.write } : unitOf(x);
  const textX = (v) => own.write ? own.write(v) : cellText(x, v);
  const unitY = unitOf(y);
  const points = data.flatMap(([, ps]) => ps);
  const lines = unitY.kind === 'rate' ? ceilings : [];
  const xs = points.map((p) => p.x);
  const isText = xs.some((v) => typeof v !== 'number');
  const range = [margin.left, width - margin.right];
  const inset = [range[0] + 8, range[1] - 8];
  let sx;
  if (isText) sx = scalePoint().domain([...new Set(xs)]).range(range).padding(0.5);
  else {
    const ratio = Math.min(...xs) > 0 ? Math.max(...xs) / Math.min(...xs) : 0;
    const log = unitX.kind !== 'ppm' && ratio >= (unitX.kind === 'bytes' && xs.every((v) => Number.isInteger(Math.log2(v))) ? 4 : 30);
    sx = log ? scaleLog().base(unitX.kind === 'time' || unitX.kind === 'rate' ? 10 : 2).domain([Math.min(...xs), Math.max(...xs)]).range(inset) : scaleFor(xs, inset, false);
  }
  const sy = scaleFor([...points.map((p) => p.y), ...lines.map((c) => c.bytes_per_second)], [height - margin.bottom, margin.top], true);
  const caption = own.caption || `${unitY.name} over ${unitX.name}`;
  const spoken = `${caption}: ${data.map(([n]) => cut(n, longest)).join('; ')}. The table holds the same values.`;
  const svg = h('svg', { viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'img', 'aria-label': spoken });
  const bottom = axisBottom(sx).tickSizeOuter(0).tickFormat((v) => isText ? cut(String(v), 24) : textX(v));
  if (!isText) bottom.tickValues(own.ticks ? own.ticks.filter((v) => v >= sx.domain()[0] && v <= sx.domain()[1] * 1.001) : ticks(sx, unitX.kind, sx.domain()));
  select(svg).append('g').attr('class', 'axis').attr('transform', `translate(0,${height - margin.bottom})`).call(bottom);
  const left = axisLeft(sy).ticks(6).tickSizeOuter(0).tickSizeInner(-(range[1] - range[0])).tickFormat((v) => cellText(y, v));
  if (sy.base) {
    const tens = sy.ticks(10).filter((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
    left.tickValues(tens.length > 2 ? tens : sy.ticks(4));
  }
  select(svg).append('g').attr('class', 'axis grid').attr('transform', `translate(${margin.left},0)`).call(left);
  svg.append(h('text', { x: (range[0] + range[1]) / 2, y: height - 10, class: 'name', 'text-anchor': 'middle' }, unitX.name),
    h('text', { class: 'name y', 'text-anchor': 'middle', transform: `translate(16,${(height - margin.bottom) / 2}) rotate(-90)` }, unitY.name));
  const ofMethod = (c) => data.findIndex(([name]) => name === c.method); // a ceiling has its curve's colour
  const ceilingClass = (c) => `ceiling ${ofMethod(c) < 0 ? 'none' : `c${ofMethod(c) % marks}`}`;
  const ceilingText = (c) => `ceiling${c.method ? ` of ${c.method}` : ''}: ${c.name}, ${cellText(y, c.bytes_per_second)}`;
  for (const c of lines) {
    const at = sy(c.bytes_per_second);
    svg.append(h('line', { class: ceilingClass(c), x1: range[0], x2: range[1], y1: at, y2: at }, h('title', {}, ceilingText(c))));
  }
  const path = line().x((p) => sx(p.x)).y((p) => sy(p.y));
  data.forEach(([name, ps], i) => {
    svg.append(h('path', { class: `curve ${markOf(i)}`, d: isText && !by.length ? '' : path(ps), fill: 'none' }));
    for (const p of ps)
      svg.append(h('circle', { class: `point ${markOf(i)}`, cx: sx(p.x), cy: sy(p.y), r: 3.5 },
        h('title', {}, `${cut(name, longest)}: ${textX(p.x)}, ${cellText(y, p.y)}`)));
  });
  const sample = (names) => h('svg', { viewBox: '0 0 28 10', width: 28, height: 10, 'aria-hidden': 'true' }, names.map((n) => n.startsWith('point')
    ? h('circle', { class: n, cx: 14, cy: 5, r: 3 }) : h('line', { class: n, x1: 1, x2: 27, y1: 5, y2: 5 })));
  const legend = h('ul', { class: 'legend plot' }, data.map(([name], i) => h('li', {}, sample([`curve ${markOf(i)}`, `point ${markOf(i)}`]), ' ', cut(name, longest))),
    lines.map((c) => h('li', {}, sample([ceilingClass(c)]), ' ', ceilingText(c))));
  return h('figure', {}, h('figcaption', {}, caption), svg, legend);
}

/** The columns that tell curves apart: texts, then numbers, as long as there are still several rows at one x. */
export function tellingApart(rows, { x, xs, series }) {
  const out = [];
  const collide = () => new Set(rows.map((r) => JSON.stringify([r[x], ...out.map((k) => r[k])]))).size < rows.length;
  for (const k of [...series, ...xs]) {
    if (!collide()) break;
    if (k !== x && (series.includes(k) || distinct(rows, k).size <= marks)) out.push(k);
  }
  return out;
}

/** Lowest ceiling of each method. */
function lowest(ceilings) {
  const out = new Map();
  for (const c of ceilings) {
    const known = out.get(c.method || '');
    if (!known || c.bytes_per_second < known.bytes_per_second) out.set(c.method || '', c);
  }
  return [...out.values()];
}

/** A panel of times and one of rates, and pickers of other columns. Nothing to draw: null. */
export function plots(rows, ceilings, axes) {
  const chosen = choose(rows, axes);
  if (!chosen) return null;
  const first = (kind) => {
    const ys = chosen.ys.filter((k) => unitOf(k).kind === kind);
    return ys.find((k) => /^(latency|bandwidth|accepted)/.test(k) && distinct(rows, k).size > 1) || ys.find((k) => distinct(rows, k).size > 1) || ys[0];
  };
  const wanted = [first('time'), first('rate')].filter(Boolean);
  const panels = h('div', { class: 'panels' });
  const near = lowest(ceilings);
  const draw = () => panels.replaceChildren(...wanted.map((y) => {
    const series = tellingApart(rows, chosen);
    const top = Math.max(...rows.map((r) => r[y] || 0));
    return drawn(rows, chosen.x, y, series, near.filter((c) => c.bytes_per_second < 8 * top));
  }));
  const pick = (label, keys, value, set) => keys.length < 2 ? null
    : picker(label, keys.map((k) => [k, unitOf(k).name]), value, (v) => { set(v); draw(); });
  const controls = h('div', { class: 'controls' }, pick('x', chosen.xs, chosen.x, (v) => { chosen.x = v; }),
    wanted.map((y, i) => pick(i ? 'right plot' : 'left plot', chosen.ys, y, (v) => { wanted[i] = v; })));
  draw();
  return h('div', {}, controls, panels);
}
