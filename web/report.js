// SPDX-License-Identifier: Apache-2.0
// The page of a run.
import { cut, h, section } from './dom.js';
import { machinePicture } from './picture.js';
import { percentilePlots } from './percentiles.js';
import { plots } from './plot.js';
import { columnsOf, sortableTable } from './table.js';
import { bytes, cellText, time } from './units.js';
import { explanation, whyNot } from './waterfall.js';

const longest = 300; // characters of a title that are seen at once

export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

export function contentsList(contents) {
  return h('nav', { 'aria-label': 'Contents' }, h('ul', {}, contents.map(([id, name]) => h('li', {}, h('a', { href: `#${id}` }, name)))));
}

function head(data) {
  const { result } = data;
  const version = [result.tsunagi, result.models && `models ${result.models}`].filter(Boolean).join(', ');
  const cost = result.cost || {};
  return [h('h1', {}, cut(data.title, longest)), data.title.length > longest ? h('details', {}, h('summary', {}, 'The whole title'), h('p', { class: 'whole' }, data.title)) : null, facts([
    ['again', data.command && h('code', {}, data.command)], ['digest', result.digest && h('code', {}, result.digest)], ['tsunagi', version],
    ['simulated', cost.simulated_s !== undefined && `${time(cost.simulated_s * 1e15)} in ${Number(cost.wall_s || 0).toFixed(1)} s; ${(cost.packet_hops || 0).toLocaleString('en')} packets over a wire`]]),
  (data.missing || []).map((text) => h('p', { class: 'note' }, text)),
  result.incomplete ? h('p', { class: 'note' }, 'This run did not come to its end: rows are missing, and there is no digest.') : null];
}

function accounts(data) {
  const a = data.result.accounts;
  const steps = (list, caption) => sortableTable(caption, list, [{ key: 'step', name: 'step' }, { key: 'calls', name: 'calls' }, { key: 'mean_fs', name: 'mean' }, { key: 'total_fs', name: 'in sum' }]);
  const out = [];
  if (a.steps && a.steps.length) out.push(steps(a.steps, 'How long each step of the library took, in the whole run'));
  const c = a.copies;
  if (c) out.push(h('p', {}, `${(c.messages || 0).toLocaleString('en')} messages of ${bytes(c.payload_bytes || 0)} in sum. Copies by cores: ${bytes((c.by_core || {}).bytes || 0)} in ${((c.by_core || {}).copies || 0).toLocaleString('en')}; by DMA: ${bytes((c.by_dma || {}).bytes || 0)} in ${((c.by_dma || {}).copies || 0).toLocaleString('en')}.`));
  const rows = (a.rows || []).map((r, i) => ({ r, i })).filter(({ r }) => r && r.steps && r.steps.length);
  if (rows.length > 1) {
    out.push(h('details', {}, h('summary', {}, `The same of each of ${rows.length} rows`), rows.map(({ r, i }) => {
      const of = Object.entries(data.result.rows[i] || {}).slice(0, 2).map(([k, v]) => cellText(k, v)).join(', ');
      return h('details', {}, h('summary', {}, `Row ${i + 1}: ${of}`), steps(r.steps, `Steps of row ${i + 1}`));
    })));
  }
  return out;
}

const parameterColumns = [{ key: 'parameter', name: 'parameter' }, { key: 'value', name: 'value', text: (p) => cellText('', p.value) }, { key: 'class', name: 'class' },
  { key: 'range', name: 'range', text: (p) => (p.range || []).join(' – ') }, { key: 'source', name: 'source' },
  { key: 'fitted_to', name: 'fitted to', text: (p) => (p.fitted_to || []).join(', ') }, { key: 'places', name: 'places' }];

/** Whose a ceiling is: its rank stands in "from". */
const ceilingColumns = (rows) => columnsOf(rows).map((c) => c.key === 'from' ? { ...c, name: 'from rank' } : c);

export function reportPage(main, data) {
  const { result } = data;
  const contents = [];
  const parts = [];
  const add = (id, heading, ...children) => parts.push(section(contents, id, heading, ...children));
  const holder = document.getElementById('picture');
  if (holder && data.machine) {
    const svg = holder.querySelector('svg');
    holder.remove();
    add('machine', 'Machine', machinePicture(svg, data.machine, result.counters || []));
  } else if (data.no_picture) add('machine', 'Machine', h('p', { class: 'note' }, `There is no picture: ${data.no_picture}.`));
  if (result.rows.length) add('rows', 'What was measured', plots(result.rows, result.ceilings || [], data.axes || []),
    percentilePlots(result.rows, (result.accounts || {}).rows || [], data.axes || []), sortableTable(result.run ? 'Rows of the run' : 'Rows of the sweep', result.rows));
  const explained = (data.explanations || []).map(explanation).filter(Boolean);
  if (explained.length) add('time', 'Where the time goes', explained);
  if (data.why_not_faster) add('limits', 'Why not faster', whyNot(data.why_not_faster));
  if (result.ceilings && result.ceilings.length)
    add('ceilings', 'Ceilings', h('p', {}, 'Bounds in closed form, which no row may beat.'), sortableTable('Ceilings', result.ceilings, ceilingColumns(result.ceilings), 20));
  if (result.accounts) add('accounts', 'Steps and copies', accounts(data));
  if (data.protocols && data.protocols.length) add('protocols', 'Protocols', sortableTable('Which protocol carries which message', data.protocols));
  if (result.counters && result.counters.length)
    add('counters', 'Wires', h('details', {}, h('summary', {}, `What each of ${result.counters.length} directions of wires counted`), sortableTable('Counters', result.counters)));
  if (data.parameters && data.parameters.length)
    add('parameters', 'Parameters', h('p', {}, 'Where the values of the parts are from; the rest are the run’s own settings.'), sortableTable('Parameters and their sources', data.parameters, parameterColumns, 25));
  if (result.run) add('config', 'Config', h('details', {}, h('summary', {}, 'The whole config, every value resolved'), h('pre', { tabindex: '0' }, JSON.stringify(result.run, null, 1))),
    h('p', {}, 'Kept in a file, ', h('code', {}, 'tsunagi run FILE'), ' simulates this run again.'));
  if (data.not_modelled && data.not_modelled.length)
    add('not-modelled', 'What is not modelled', h('p', {}, 'Of what this run is made of, these pages of the program’s documentation say what is left out:'),
      h('ul', {}, data.not_modelled.map((n) => h('li', {}, `${n.of}: `, h('code', {}, n.page), `, “${n.section}”`))));
  main.append(...head(data).flat().filter(Boolean), contentsList(contents), ...parts);
}

export { columnsOf };
