// SPDX-License-Identifier: Apache-2.0
// What waterfalls have in common: the stretch of time that is seen, how keys, wheel and pointer change it, kinds and their colours.
import { h } from './dom.js';
import { percent, time } from './units.js';

// Kinds of stages, in the groups that have colours.
export const groups = [
  ['software', 'software and polls', ['step', 'core', 'poll', 'work']],
  ['chip', 'chips and memory', ['pipeline', 'memory', 'clock', 'datapath']],
  ['message', 'messages between ranks', ['message']],
  ['wire', 'bytes on wires, and cables', ['serialise', 'flight']],
  ['wait', 'waiting', ['wait', 'leaving', 'room', 'late', 'tag', 'tag_wait', 'buffer', 'buffer_wait', 'credit', 'credit_wait', 'replay_space', 'arbitration', 'queue', 'wire_busy', 'replay']],
];
export const groupOf = (kind) => (groups.find(([, , kinds]) => kinds.includes(kind)) || ['other'])[0];

export const hint = 'Choose a stage: with the pointer, or Tab and the arrow keys. + and − zoom, 0 shows all.';
export const stageText = (b, total) => `${b.lane}, ${b.name}: ${time(b.duration)}, ${percent(b.duration / total)}, from ${time(b.start)}`;

const shortest = 1000; // femtoseconds that are seen at least

/** The stretch `range` of [0, total] that is seen; `changed` is called when it is another. */
export class View {
  constructor(total, changed) {
    this.total = total;
    this.range = [0, total];
    this.changed = changed;
    this.at = null; // what was looked at last: keys zoom there
  }

  get span() { return this.range[1] - this.range[0]; }

  set(start, span) {
    const kept = Math.min(this.total, Math.max(shortest, span));
    const from = Math.max(0, Math.min(this.total - kept, start));
    this.range = [from, from + kept];
    this.changed();
  }

  zoom(factor, centre = (this.range[0] + this.range[1]) / 2) {
    const span = Math.min(this.total, Math.max(shortest, this.span * factor));
    this.set(centre - (centre - this.range[0]) / this.span * span, span);
  }

  shift(by) { this.set(this.range[0] + by, this.span); }
  reset() { this.set(0, this.total); }

  /** Looks at a time, and brings it into view. */
  show(at) {
    this.at = at;
    if (at < this.range[0] || at > this.range[1]) this.shift(at - (this.range[0] + this.range[1]) / 2);
  }

  /** What an element, of whose width the parts from `left` to `right` show time, is told changes the view. */
  listen(element, left = 0, right = 1) {
    const partAt = (e) => {
      const box = element.getBoundingClientRect();
      return ((e.clientX - box.left) / box.width - left) / (right - left);
    };
    element.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.altKey || e.metaKey) return;
      if (e.key === '+' || e.key === '=') this.zoom(0.5, this.at ?? undefined);
      else if (e.key === '-') this.zoom(2, this.at ?? undefined);
      else if (e.key === '0') this.reset();
      else if (e.shiftKey && e.key === 'ArrowRight') this.shift(0.25 * this.span);
      else if (e.shiftKey && e.key === 'ArrowLeft') this.shift(-0.25 * this.span);
      else return;
      e.preventDefault();
    });
    element.addEventListener('wheel', (e) => { // with Ctrl, as browsers zoom: a page must still scroll
      if (!e.ctrlKey) return;
      e.preventDefault();
      this.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.range[0] + Math.max(0, Math.min(1, partAt(e))) * this.span);
    }, { passive: false });
    let from = null; // where a drag began: [pointer's part, range's start]
    element.addEventListener('pointerdown', (e) => {
      if (e.button !== 0 || e.pointerType === 'touch') return; // a finger scrolls the page
      from = [partAt(e), this.range[0]];
      element.setPointerCapture(e.pointerId);
    });
    element.addEventListener('pointermove', (e) => { if (from) this.set(from[1] - (partAt(e) - from[0]) * this.span, this.span); });
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, () => { from = null; });
  }
}

/** The figure of a waterfall: buttons for what keys do, a legend of the kinds that `bars` have, the drawing, what is told of it. */
export function figure(label, view, bars, drawing, told) {
  const button = (text, name, click) => h('button', { type: 'button', 'aria-label': name, title: name, click }, text);
  const there = new Set(bars.map((b) => groupOf(b.kind)));
  return h('figure', { class: 'waterfall' }, h('figcaption', {}, label),
    h('div', { class: 'controls' }, button('+', 'zoom in', () => view.zoom(0.5)), button('−', 'zoom out', () => view.zoom(2)),
      button('←', 'earlier', () => view.shift(-0.25 * view.span)), button('→', 'later', () => view.shift(0.25 * view.span)), button('all', 'show all', () => view.reset()),
      h('ul', { class: 'legend' }, [...groups, ['other', 'no event tells']].filter(([g]) => there.has(g))
        .map(([g, name]) => h('li', {}, h('span', { class: `sample ${g}` }), ' ', name)))), drawing, told);
}
