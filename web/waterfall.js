// SPDX-License-Identifier: Apache-2.0
// Where a message's time went: its stages as bars over time, a lane for each device or wire that it visits.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { h, rove } from './dom.js';
import { sortableTable } from './table.js';
import { timeline } from './timeline.js';
import { bytes, percent, rate, time, words } from './units.js';
import { View, figure, groupOf, hint, stageText } from './view.js';

const width = 1260;
const left = 270;
const laneHeight = 22;
const mostElements = 600; // each an element of the page; more are drawn on a canvas
const shortText = (text, most) => text.length <= most ? text : `${text.slice(0, most - 14)}…${text.slice(-13)}`;

/** Bars [{lane, name, kind, start, duration}] with zoom; times in femtoseconds. */
export function waterfall(label, bars, total) {
  return bars.length > mostElements ? timeline(label, bars, total) : drawnOfElements(label, bars, total);
}

function drawnOfElements(label, bars, total) {
  const lanes = [...new Set(bars.map((b) => b.lane))];
  const height = 30 + lanes.length * laneHeight + 6;
  const svg = h('svg', { viewBox: `0 0 ${width} ${height}`, class: 'waterfall', role: 'group', 'aria-label': `${label}: ${bars.length} stages` });
  const told = h('p', { class: 'told', role: 'status' }, hint);
  const axis = h('g', { class: 'axis', transform: 'translate(0,26)' });
  const inner = h('svg', { x: left, y: 28, width: width - left - 10, height: height - 28, viewBox: `0 0 ${width - left - 10} ${height - 28}`, preserveAspectRatio: 'none', role: 'none' });
  svg.append(axis, ...lanes.map((lane, i) => h('g', {},
    i % 2 ? null : h('rect', { class: 'lane', x: 0, y: 28 + i * laneHeight, width, height: laneHeight }),
    h('text', { x: left - 8, y: 28 + i * laneHeight + 15, 'text-anchor': 'end', class: 'lane-name' }, shortText(lane, 42), h('title', {}, lane)))), inner);
  const view = new View(total, () => draw());
  const rects = bars.map((b) => h('rect', {
    class: `stage ${groupOf(b.kind)}`, y: lanes.indexOf(b.lane) * laneHeight + 3, height: laneHeight - 6, role: 'img',
    'aria-label': stageText(b, total),
  }, h('title', {}, `${b.name}: ${time(b.duration)} (${percent(b.duration / total)})`)));
  inner.append(...rects);
  const draw = () => {
    const scale = scaleLinear().domain(view.range).range([0, width - left - 10]);
    bars.forEach((b, i) => {
      const x = scale(b.start);
      rects[i].setAttribute('x', x);
      rects[i].setAttribute('width', Math.max(1.2, scale(b.start + b.duration) - x));
    });
    const shown = scaleLinear().domain(view.range).range([left, width - 10]);
    select(axis).call(axisTop(shown).ticks(6).tickSizeOuter(0).tickFormat((v) => time(Math.round(v))));
  };
  rects.forEach((rect, i) => {
    const tell = () => {
      told.textContent = rect.getAttribute('aria-label');
      view.show(bars[i].start + bars[i].duration / 2);
    };
    rect.addEventListener('focus', tell);
    rect.addEventListener('pointerenter', () => { told.textContent = rect.getAttribute('aria-label'); });
  });
  rove(rects);
  view.listen(svg, left / width, (width - 10) / width);
  draw();
  return figure(label, view, bars, h('div', { class: 'scroll' }, svg), told);
}

function sumsOf(segments) {
  const out = new Map();
  for (const s of segments) {
    const key = JSON.stringify([s.device, s.stage]);
    const sum = out.get(key) || { device: s.device, stage: s.stage, kind: s.kind, times: 0, duration_fs: 0 };
    sum.times += 1;
    sum.duration_fs += s.duration_fs;
    out.set(key, sum);
  }
  return [...out.values()];
}

/** Stages that stand as numbers: which sum each belongs to, the gap before it, its duration. */
function unpacked(spans, sums) {
  let end = 0;
  return spans.sum.map((number, i) => {
    const { device, stage, kind } = sums[number];
    const start = end + spans.gap_fs[i];
    end = start + spans.duration_fs[i];
    return { lane: device, name: stage, kind, start, duration: spans.duration_fs[i] };
  });
}

/** A message's path, and the sums of its stages. */
function messagePath(m) {
  const name = `${bytes(m.size_bytes)} from rank ${m.from} to rank ${m.to}${m.method ? ` by ${m.method}` : ''}: ${time(m.latency_fs)}`;
  const sums = [...(m.sums || sumsOf(m.segments))].sort((a, b) => b.duration_fs - a.duration_fs);
  const bars = m.spans ? unpacked(m.spans, m.sums) : m.segments.map((s) => ({ lane: s.device, name: s.stage, kind: s.kind, start: s.start_fs, duration: s.duration_fs }));
  return [bars.length ? waterfall(name, bars, m.latency_fs)
    : h('p', {}, `${name}. Its path has too many stages to be drawn; these are their sums.`),
  h('details', { open: !bars.length }, h('summary', {}, 'Stages in sum'), sortableTable(`Stages of ${name}`, sums, [
    { key: 'device', name: 'device or wire' }, { key: 'stage', name: 'stage' }, { key: 'kind', name: 'kind', text: (s) => words(s.kind) },
    { key: 'times', name: 'times' }, { key: 'duration_fs', name: 'time' },
    { key: 'share', name: 'share', value: (s) => s.duration_fs / m.latency_fs, text: (s) => percent(s.duration_fs / m.latency_fs) }]))];
}

function criticalPath(e) {
  const bars = e.critical_path.map((p) => ({ lane: p.kind === 'message' ? `message rank ${p.from} > rank ${p.rank}` : `rank ${p.rank}`,
    name: Object.entries(p.parts_fs || {}).map(([part, t]) => `${part} ${time(t)}`).join(', ') || p.kind, kind: p.kind, start: p.start_fs, duration: p.duration_fs }));
  const name = `${e.name}${e.algorithm ? ` (${e.algorithm})` : ''} of ${bytes(e.size_bytes)} among ${e.ranks} ranks: critical path, ${time(e.duration_fs)}`;
  return waterfall(name, bars, e.duration_fs);
}

/** What the ranks of a message did from its begin to its end: steps of their calls. */
function ranksOfMessage(e) {
  const waits = (s) => (s.waits || []).map((w) => `${w.wait} ${time(w.duration_fs)}`).join(', ');
  const bars = (e.ranks || []).flatMap((r) => (r.calls || []).flatMap((c) => (c.steps || []).map((s) => ({ lane: `rank ${r.rank}`, kind: 'step',
    name: `${words(c.call)}: ${s.step}${waits(s) ? ` (${waits(s)})` : ''}`, start: Math.max(0, s.start_fs),
    duration: Math.min(e.latency_fs, s.start_fs + s.duration_fs) - Math.max(0, s.start_fs) })))).filter((b) => b.duration > 0);
  return bars.length ? waterfall('What the ranks did meanwhile', bars, e.latency_fs) : null;
}

/** What all ranks did while they did something together; those on the critical path are named so. */
function rankTimeline(e) {
  const onPath = new Set(e.critical_path.map((p) => p.rank));
  const bars = (e.rank_timeline || []).flatMap((r) => r.stages.map((s) => ({ lane: `rank ${r.rank}${onPath.has(r.rank) ? ', on the path' : ''}`, name: s.what, kind: s.kind,
    start: s.start_fs, duration: s.duration_fs })));
  if (!bars.length) return null;
  return waterfall(`What ${e.ranks_left_out ? `${e.rank_timeline.length} of ${e.rank_timeline.length + e.ranks_left_out}` : 'all'} ranks did meanwhile; gaps: their own program`, bars, e.duration_fs);
}

/** The bandwidth account: what each of these wires did with its time. */
function account(wires) {
  if (!wires || !wires.length) return null;
  const of = (w) => w.to_fs - w.from_fs;
  const names = (way) => [...new Set(wires.flatMap((w) => Object.keys(w[way])))].filter((n) => wires.some((w) => w[way][n] > 0));
  const line = (way, n) => h('tr', { class: 'part' }, h('th', { scope: 'row' }, n), wires.map((w) => cell((w[way][n] || 0) / of(w))));
  const cell = (part) => h('td', { class: 'number' }, part === 0 ? '–' : percent(part));
  const sum = (way, w) => Object.values(w[way]).reduce((a, b) => a + b, 0) / of(w);
  const bar = (w) => h('td', {}, h('svg', { viewBox: '0 0 100 10', class: 'use', preserveAspectRatio: 'none', role: 'img', 'aria-label': `busy ${percent(w.busy_fs / of(w))}` },
    h('rect', { class: 'idle', width: 100, height: 10 }), h('rect', { class: 'busy', width: 100 * w.busy_fs / of(w), height: 10 }),
    h('rect', { class: 'payload', width: 100 * (w.busy.payload || 0) / of(w), height: 10 })));
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'bandwidth account' }, h('table', { class: 'bandwidth' },
    h('caption', {}, `Bandwidth account: the busiest wires during ${time(of(wires[0]))}`,
      h('ul', { class: 'legend' }, [['payload', 'payload'], ['busy', 'headers, framing, coding and so on'], ['idle', 'idle']].map(([c, name]) => h('li', {}, h('span', { class: `sample of-use ${c}` }), ' ', name)))),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, ''), wires.map((w) => h('th', { scope: 'col', class: 'number' }, w.wire.split(' > ').flatMap((end, i) => i ? [' > ', h('wbr'), end] : [end]))))),
    h('tbody', {}, h('tr', { 'aria-hidden': 'true' }, h('th'), wires.map(bar)),
      h('tr', {}, h('th', { scope: 'row' }, 'busy'), wires.map((w) => cell(w.busy_fs / of(w)))), names('busy').map((n) => line('busy', n)),
      h('tr', {}, h('th', { scope: 'row' }, 'idle'), wires.map((w) => cell(sum('idle', w)))), names('idle').map((n) => line('idle', n)),
      h('tr', {}, h('th', { scope: 'row' }, 'payload rate'), wires.map((w) => h('td', { class: 'number' }, rate(w.payload_bytes_per_second)))),
      h('tr', {}, h('th', { scope: 'row' }, 'its ceiling'), wires.map((w) => h('td', { class: 'number' }, w.payload_ceiling_bytes_per_second ? rate(w.payload_ceiling_bytes_per_second) : '–'))))));
}

/** One explanation as `explain --format json` writes it. */
export function explanation(e) {
  if (!e) return null;
  if (e.problem) return h('p', { class: 'note' }, `This run has nothing to explain: ${e.problem}`);
  return h('div', { class: 'explanation' }, e.critical_path ? [criticalPath(e), rankTimeline(e)] : null,
    e.longest_message ? [h('h3', {}, 'The longest message on that path'), messagePath(e.longest_message)] : null,
    e.segments ? [messagePath(e), ranksOfMessage(e)] : null, account(e.wires));
}

/** What each limit costs. */
export function whyNot(w) {
  const value = w.unit === 'fs' ? time : rate;
  return h('div', {}, h('p', {}, w.sentence), h('p', {}, `Each line is a run of its own with one limit gone; now ${words(w.column)} is ${value(w.now)}.`),
    sortableTable('What a limit costs', w.limits, [{ key: 'limit', name: 'limit' }, { key: 'doc', name: 'what it is' }, { key: 'now', name: 'now' },
      { key: 'ideal', name: 'ideal' }, { key: 'result', name: words(w.column), text: (l) => l.result === undefined || l.result === null ? (l.problem || '') : value(l.result) },
      { key: 'gain', name: 'gain', text: (l) => typeof l.gain === 'number' ? `× ${l.gain.toFixed(3)}` : '' }]));
}
