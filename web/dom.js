// SPDX-License-Identifier: Apache-2.0
// Elements. Whatever a page shows of others' words becomes text, never markup.

const svgNames = new Set(['svg', 'g', 'rect', 'path', 'line', 'text', 'title', 'circle', 'desc']);

/** A text in which no mark that turns the order of what follows hides anything: each is shown as what it is. */
const seen = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase()}⟩`);

/** An element with attributes (functions become listeners, null and false are left out) and children (texts, elements, lists). */
export function h(name, attributes = {}, ...children) {
  const element = svgNames.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false).map((c) => typeof c === 'string' ? seen(c) : c));
  return element;
}

/** The first `most` characters of a text, with an ellipsis if there are more. */
export function cut(text, most) {
  if (text.length <= most) return text;
  const whole = /[\ud800-\udbff]$/.test(text.slice(0, most)) ? most - 1 : most; // no half of a character
  return `${text.slice(0, whole)}…`;
}

/** A text; of one of more than `most` characters the first ones, and the rest on demand. */
export function folded(text, most) {
  return text.length <= most ? text : h('details', {}, h('summary', {}, cut(text, most)), h('p', {}, text));
}

/** A section with a heading; listed in `contents` so that links lead there. */
export function section(contents, id, heading, ...children) {
  contents.push([id, heading]);
  return h('section', { id, 'aria-labelledby': `${id}-h` }, h('h2', { id: `${id}-h` }, heading), ...children);
}

let unique = 0;
export function newId(stem) { return `${stem}-${++unique}`; }

/** Arrow keys, Home and End move among `elements`, of which one is in the order of Tab: the one visited last. */
export function rove(elements, next = ['ArrowRight', 'ArrowDown'], previous = ['ArrowLeft', 'ArrowUp']) {
  elements.forEach((e, i) => {
    e.setAttribute('tabindex', i === 0 ? '0' : '-1');
    e.addEventListener('focus', () => {
      for (const other of elements) other.setAttribute('tabindex', other === e ? '0' : '-1');
    });
    e.addEventListener('keydown', (event) => {
      if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      const to = next.includes(event.key) ? i + 1 : previous.includes(event.key) ? i - 1
        : event.key === 'Home' ? 0 : event.key === 'End' ? elements.length - 1 : null;
      if (to === null) return;
      event.preventDefault();
      elements[Math.max(0, Math.min(elements.length - 1, to))].focus();
    });
  });
}

/** A picker with a label; `choose` is told of each choice. */
export function picker(label, options, value, choose) {
  const select = h('select', { change: () => choose(select.value) },
    options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)));
  return h('label', { class: 'picker' }, label, ' ', select);
}
