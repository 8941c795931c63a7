// SPDX-License-Identifier: Apache-2.0
// The picture of a machine, whose wires and devices tell what is known of them.
import { h, rove } from './dom.js';
import { sortableTable } from './table.js';
import { bytes, cellText, percent, unitOf, words } from './units.js';

const numbersIn = (text) => text.split(' ').filter(Boolean).map(Number);

/** A value of a config as nested lists; deep ones folded. */
export function valueTree(value, depth = 0) {
  if (value === null || typeof value !== 'object') return h('code', {}, String(value));
  if (Array.isArray(value) && value.every((v) => v === null || typeof v !== 'object')) return h('code', {}, value.join(', ') || 'none');
  const items = Object.entries(value).filter(([key]) => key !== 'kind').map(([key, part]) => {
    const isDeep = part !== null && typeof part === 'object' && !(Array.isArray(part) && part.every((v) => typeof v !== 'object'));
    return isDeep ? h('li', {}, h('details', { open: depth < 1 && Object.keys(part).length < 8 }, h('summary', {}, words(key)), valueTree(part, depth + 1)))
      : h('li', {}, `${words(key)} `, valueTree(part, depth + 1));
  });
  return h('ul', { class: 'tree' }, items);
}

export function machinePicture(svg, machine, counters) {
  const byPort = new Map(counters.map((row) => [row.from, row]));
  const account = h('div', { class: 'account', id: 'account', role: 'region', 'aria-live': 'polite', 'aria-label': 'What was chosen in the picture' },
    h('p', {}, 'Choose a wire or a device in the picture: by a click, or with Tab, arrow keys and Enter.'));
  const config = (number) => typeof number === 'number' ? valueTree(machine.configs[number]) : null;
  const useText = (wire) => wire.use ? `${percent(Math.max(...wire.use))} in its busier direction` : 'not known';

  const directions = (wire) => {
    const rows = [[wire.from, wire.to, 0], [wire.to, wire.from, 1]].map(([from, to, way]) => {
      const { from: _f, to: _t, ...counted } = byPort.get(from) || {};
      return { from, to, ...(wire.use ? { use: wire.use[way] } : {}), ...counted };
    });
    const keys = [...new Set(rows.flatMap((r) => Object.keys(r)))];
    return h('div', { class: 'scroll' }, h('table', {}, h('caption', {}, 'What each direction carried in the whole run'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'counter'), rows.map((r) => h('th', { scope: 'col', class: 'number' }, `from ${r.from}`)))),
      h('tbody', {}, keys.filter((k) => k !== 'from' && k !== 'to').map((k) => h('tr', {}, h('th', { scope: 'row' }, unitOf(k).name),
        rows.map((r) => h('td', { class: 'number' }, k === 'use' ? percent(r.use) : cellText(k, r[k]))))))));
  };
  const showWires = (numbers) => {
    const wires = numbers.map((n) => machine.wires[n]).filter(Boolean);
    if (wires.length === 1) {
      const [wire] = wires;
      account.replaceChildren(h('h3', {}, `${wire.from} – ${wire.to}`),
        h('p', {}, `A wire of kind ${words(wire.kind)}${wire.rate ? `, ${wire.rate}` : ''}${wire.flight ? `, ${wire.flight} long` : ''}. In use: ${useText(wire)}.`),
        counters.length ? directions(wire) : '', h('details', {}, h('summary', {}, 'How the wire is configured'), config(wire.config) || 'Nothing is.'));
      return;
    }
    account.replaceChildren(h('h3', {}, `${wires.length} wires`), wireTable('The wires that this line stands for', wires));
  };
  const wireTable = (caption, wires) => sortableTable(caption, wires, [
    { key: 'from', name: 'from' }, { key: 'to', name: 'to' },
    { key: 'use', name: 'use', value: (w) => w.use ? Math.max(...w.use) : null, text: (w) => w.use ? percent(Math.max(...w.use)) : '' },
    { key: 'sent', name: 'sent, both ways', value: (w) => sent(w), text: (w) => sent(w) === null ? '' : bytes(sent(w)) }]);
  const sent = (wire) => {
    const rows = [byPort.get(wire.from), byPort.get(wire.to)].filter(Boolean);
    return rows.length ? rows.reduce((sum, r) => sum + (r.payload_bytes || 0) + (r.header_bytes || 0) + (r.framing_bytes || 0), 0) : null;
  };
  const wiresOf = (name) => machine.wires.filter((w) => w.from.startsWith(`${name}.`) || w.to.startsWith(`${name}.`));
  const showDevices = (numbers) => {
    const devices = numbers.map((n) => machine.devices[n]).filter(Boolean);
    const one = (d) => [h('p', {}, `A device of kind ${words(d.kind)}, with ${wiresOf(d.name).length} wires.`), config(d.config) || ''];
    const names = new Set(devices.map((d) => d.name));
    const inner = machine.wires.filter((w) => [w.from, w.to].every((end) => names.has(end.slice(0, end.lastIndexOf('.')))));
    if (devices.length === 1) account.replaceChildren(h('h3', {}, devices[0].name), ...one(devices[0]));
    else account.replaceChildren(h('h3', {}, `${devices.length} devices`), h('p', {}, 'What stands inside:'),
      ...devices.slice(0, 40).map((d) => h('details', {}, h('summary', {}, `${d.name}: ${words(d.kind)}`), one(d))),
      devices.length > 40 ? h('p', {}, `and ${devices.length - 40} others`) : '',
      inner.length ? wireTable(`The ${inner.length} wires between them`, inner) : '');
  };

  svg.setAttribute('role', 'group');
  svg.setAttribute('aria-label', 'The machine');
  const parts = [];
  let chosen = null;
  const active = (element, label, show) => {
    element.setAttribute('role', 'button');
    element.setAttribute('aria-label', label);
    element.setAttribute('aria-controls', 'account');
    const pick = () => {
      if (chosen) { chosen.removeAttribute('aria-pressed'); }
      chosen = element;
      element.setAttribute('aria-pressed', 'true');
      show();
    };
    element.addEventListener('click', pick);
    element.addEventListener('focus', pick);
    element.addEventListener('keydown', (e) => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); pick(); } });
    parts.push(element);
  };
  for (const g of svg.querySelectorAll('g.device')) {
    const numbers = numbersIn(g.dataset.devices);
    if (numbers.length) active(g, numbers.length === 1 ? `device ${machine.devices[numbers[0]].name}` : `${numbers.length} devices, ${machine.devices[numbers[0]].name} and others`, () => showDevices(numbers));
  }
  for (const g of svg.querySelectorAll('g.wire')) {
    const numbers = numbersIn(g.dataset.wires);
    const path = g.querySelector('path');
    const wide = path.cloneNode(false); // a line is too thin to be hit
    for (const name of ['stroke-dasharray', 'stroke-opacity']) wide.removeAttribute(name);
    wide.setAttribute('class', 'hit');
    wide.setAttribute('stroke-width', '14');
    g.append(wide);
    const wire = machine.wires[numbers[0]];
    if (wire) active(g, numbers.length === 1 ? `wire ${wire.from} to ${wire.to}, in use ${useText(wire)}` : `${numbers.length} wires, ${wire.from} to ${wire.to} and others`, () => showWires(numbers));
  }
  rove(parts);
  return h('div', { class: `machine${Number(svg.getAttribute('width')) > 1000 ? ' wide' : ''}` }, h('figure', { class: 'picture' }, svg), account);
}
