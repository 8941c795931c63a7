// SPDX-License-Identifier: Apache-2.0
// Tables that sort by any column.
import { folded, h } from './dom.js';
import { cellText, unitOf } from './units.js';

const shownAtFirst = 100; // rows
const longest = 400; // characters of a cell that are always seen

function compare(a, b) {
  const empty = (v) => v === null || v === undefined || v === '';
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/**
 * A table of `rows` (objects). `columns`: [{key, name, text(row) or none, value(row) or none, element(row) or none}]; without it, all keys
 * that rows have. A click on a heading sorts, a second one the other way round. `atFirst`: how many rows are shown before one asks for all;
 * on paper all are.
 */
export function sortableTable(caption, rows, columns = columnsOf(rows), atFirst = shownAtFirst) {
  const valueOf = (c, row) => c.value ? c.value(row) : row[c.key];
  const numeric = columns.map((c) => rows.some((r) => typeof valueOf(c, r) === 'number'));
  const body = h('tbody');
  const status = h('p', { class: 'status', role: 'status' });
  let order = [...rows];
  let all = rows.length <= atFirst;
  let sorted = null;
  let down = false;

  const cell = (c, i, row) => {
    const value = valueOf(c, row);
    const text = c.text ? c.text(row) : cellText(c.key, value);
    const exact = typeof value === 'number' && text !== String(value) ? String(value) : null;
    return h(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: numeric[i] ? 'number' : null, title: exact },
      c.element ? c.element(row) : folded(text, longest));
  };
  const draw = () => {
    body.replaceChildren(...(all ? order : order.slice(0, atFirst)).map((row) => h('tr', {}, columns.map((c, i) => cell(c, i, row)))));
    more.hidden = all;
  };
  const heads = columns.map((c, i) => h('th', { scope: 'col', class: numeric[i] ? 'number' : null },
    h('button', { type: 'button', class: 'sort', click: () => sortBy(i) }, c.name)));
  const sortBy = (i) => {
    down = sorted === i && !down;
    sorted = i;
    const c = columns[i];
    order = [...rows].sort((a, b) => (down ? -1 : 1) * compare(valueOf(c, a), valueOf(c, b)));
    heads.forEach((head, k) => k === i ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
    draw();
    status.textContent = `Sorted by ${c.name}, ${down ? 'largest' : 'smallest'} first.`;
  };
  const more = h('button', { type: 'button', class: 'more', click: () => { all = true; draw(); } }, `Show all ${rows.length} rows`);
  draw();
  window.addEventListener('beforeprint', () => { if (!all) { all = true; draw(); } });
  return h('div', {}, h('div', { class: 'scroll', role: 'region', 'aria-label': caption, tabindex: '0' },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body)), more, status);
}

/** The columns that rows have, in the order in which they have them first. */
export function columnsOf(rows) {
  const keys = new Set();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return [...keys].map((key) => ({ key, name: unitOf(key).name }));
}
