// SPDX-License-Identifier: Apache-2.0
// A waterfall of so many stages that they are drawn on a canvas. Where a pixel holds several, its column is filled from below by the part of
// its time that each kind has.
import { axisTop } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { h } from './dom.js';
import { lanesOf } from './spans.js';
import { percent, time } from './units.js';
import { View, figure, groupOf, groups, hint, stageText } from './view.js';

const kinds = [...groups.map(([g]) => g), 'other'];
const colourOf = { message: 'chip' }; // as the style sheet has it
const tallest = 2400; // pixels
const padding = 0.14; // of a lane's height, above and below what is drawn

/** What a place is told to hold: a stage, or how many there are in a pixel and what kinds they are of. */
function told(lane, index, from, to, bars, total) {
  const first = index.firstAfter(from);
  const spans = index.spans;
  if (first >= spans.length || spans[first].start >= to) return `${lane}: nothing`;
  let last = first;
  while (last + 1 < spans.length && spans[last + 1].start < to && last - first < 1e4) last += 1;
  if (last === first) return stageText(bars[spans[first].bar], total);
  const parts = [...index.parts(from, to)].map((part, g) => [groups[g] ? groups[g][1] : 'no event tells', part])
    .filter(([, part]) => part > 0.0005).sort((a, b) => b[1] - a[1]).map(([name, part]) => `${name} ${percent(part)}`);
  return `${lane}: ${last - first + 1} stages in ${time(to - from)} from ${time(from)}: ${parts.join(', ')}`;
}

/** A colour of the style sheet as a pixel of ImageData seen as 32-bit numbers. */
function pixelOf(context, colour) {
  context.fillStyle = '#000';
  context.fillStyle = colour; // which reads back as #rrggbb
  const number = Number.parseInt(context.fillStyle.slice(1), 16);
  return new Uint32Array(new Uint8Array([number >> 16, number >> 8 & 255, number & 255, 255]).buffer)[0];
}

/** Draws what `range` shows into an image as wide as the canvas: tens of thousands of pixels are set faster than rectangles are filled. */
function paint(image, indices, range, laneHeight, colours) {
  const pixels = new Uint32Array(image.data.buffer);
  const { width } = image;
  pixels.fill(0);
  const fill = (x0, x1, top, bottom, colour) => {
    for (let y = top; y < bottom; ++y) pixels.fill(colour, y * width + x0, y * width + x1);
  };
  indices.forEach((index, lane) => {
    const top = Math.round(laneHeight * (lane + padding));
    const bottom = Math.max(top + 1, Math.round(laneHeight * (lane + 1 - padding)));
    index.visit(range[0], range[1], width, {
      span: (x0, x1, i) => {
        const from = Math.min(width - 1, Math.round(x0));
        fill(from, Math.max(from + 1, Math.min(width, Math.round(x1))), top, bottom, colours[index.spans[i].group]);
      },
      bin: (x, parts) => {
        let to = bottom;
        for (let g = 0; g < parts.length && x < width; ++g) {
          if (parts[g] < 1e-9) continue; // nothing, but for rounding
          const from = Math.max(top, to - Math.max(1, Math.round((bottom - top) * parts[g])));
          for (let y = from; y < to; ++y) pixels[y * width + x] = colours[g];
          to = from;
        }
      },
    });
  });
}

/** Bars [{lane, name, kind, start, duration}], tens of thousands of them, one after another; times in femtoseconds. */
export function timeline(label, bars, total) {
  const { lanes, indices } = lanesOf(bars, kinds, groupOf);
  const laneHeight = Math.max(3, Math.min(22, Math.floor(tallest / lanes.length)));
  const size = { width: 960, height: lanes.length * laneHeight };
  const canvas = h('canvas', { tabindex: '0', role: 'application', 'aria-roledescription': 'timeline', 'aria-label': `${label}: ${bars.length} stages` });
  const axis = h('svg', { class: 'axis', height: 28, 'aria-hidden': 'true' }, h('g', { class: 'axis', transform: 'translate(0,26)' }));
  const status = h('p', { class: 'told', role: 'status' }, `${hint} Where a pixel holds several stages, its column shows which part of its time each kind has.`);
  const context = canvas.getContext('2d');
  let colours = [];
  let outline = '';
  let image = null;
  let chosen = null; // the number of a bar
  let waiting = false;
  const draw = () => {
    waiting = false;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(size.width * ratio) || canvas.height !== Math.round(size.height * ratio)) {
      canvas.width = Math.round(size.width * ratio);
      canvas.height = Math.round(size.height * ratio);
    }
    if (!image || image.width !== canvas.width || image.height !== canvas.height) image = context.createImageData(canvas.width, canvas.height);
    paint(image, indices, view.range, laneHeight * ratio, colours);
    context.putImageData(image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (chosen !== null) {
      const b = bars[chosen];
      const x = (b.start - view.range[0]) / view.span * size.width;
      context.strokeStyle = outline;
      context.lineWidth = 2;
      context.strokeRect(x - 1, lanes.indexOf(b.lane) * laneHeight + 1, Math.max(3, b.duration / view.span * size.width) + 2, laneHeight - 2);
    }
    const shown = scaleLinear().domain(view.range).range([0, size.width]);
    select(axis.firstChild).call(axisTop(shown).ticks(6).tickSizeOuter(0).tickFormat((v) => time(Math.round(v))));
  };
  const soon = () => { // at most once a frame, however many events there are
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  };
  const view = new View(total, soon);
  const choose = (bar) => {
    chosen = bar;
    view.show(bars[bar].start + bars[bar].duration / 2);
    status.textContent = stageText(bars[bar], total);
    soon();
  };
  canvas.addEventListener('keydown', (e) => {
    if (e.shiftKey || e.ctrlKey || e.altKey || e.metaKey) return;
    const at = chosen ?? -1;
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: bars.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    choose(Math.max(0, Math.min(bars.length - 1, to)));
  });
  canvas.addEventListener('focus', () => { if (chosen === null && canvas.matches(':focus-visible')) choose(0); });
  canvas.addEventListener('pointermove', (e) => {
    const lane = Math.min(lanes.length - 1, Math.max(0, Math.floor(e.offsetY / laneHeight)));
    const from = view.range[0] + Math.floor(e.offsetX) / size.width * view.span;
    status.textContent = told(lanes[lane], indices[lane], from, from + view.span / size.width, bars, total);
  });
  view.listen(canvas);
  const restyle = () => {
    const style = getComputedStyle(canvas);
    colours = kinds.map((k) => pixelOf(context, style.getPropertyValue(`--${colourOf[k] || k}`).trim()));
    outline = style.getPropertyValue('--text').trim();
    soon();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
  new ResizeObserver(() => {
    size.width = Math.max(100, Math.floor(canvas.clientWidth));
    restyle();
  }).observe(canvas);
  const names = h('ol', { class: 'lanes', 'aria-label': 'Lanes' }, lanes.map((lane) => h('li', { title: lane }, laneHeight < 12 ? '' : lane)));
  const drawing = h('div', { class: 'timeline' }, names, h('div', {}, axis, canvas));
  names.style.setProperty('--lane-height', `${laneHeight}px`);
  canvas.style.setProperty('height', `${size.height}px`);
  return figure(label, view, bars, drawing, status);
}
