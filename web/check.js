// SPDX-License-Identifier: Apache-2.0
// The page of published figures beside simulated ones.
import { h, section } from './dom.js';
import { contentsList, facts } from './report.js';
import { sortableTable } from './table.js';
import { words } from './units.js';

const shown = (x) => x === null || x === undefined ? '' : Math.abs(x) >= 1e4 ? String(Math.round(x)) : String(Number(x.toPrecision(4)));
const signs = { at_least: '≥ ', at_most: '≤ ' };

function published(f) {
  if (f.compare === 'between') return `${shown(f.value)} … ${shown(f.upper)} ${f.unit}`;
  return `${signs[f.compare] || ''}${shown(f.value)}${f.compare === 'near' && f.tolerance ? ` ± ${Number((100 * f.tolerance).toPrecision(3))} %` : ''} ${f.unit}`;
}

function figureElement(f) {
  const m = f.missed;
  return h('details', {}, h('summary', {}, f.id), h('p', {}, f.measure), f.section ? h('p', {}, `In the paper: ${f.section}`) : null, f.note ? h('p', {}, f.note) : null,
    f.reason ? h('p', {}, `Why it is ${f.role}: ${f.reason}`) : null, f.first_run ? h('p', {}, `First run: ${f.first_run}`) : null,
    f.fitted && f.fitted.length ? h('p', {}, `Parameters fitted to it: ${f.fitted.join(', ')}`) : null,
    m ? h('p', { class: 'note' }, `Missing: ${m.missing_mechanism}. Tried: ${m.tried}.`) : null);
}

export function checkPage(main, data) {
  const contents = [];
  const systems = [...new Set(data.figures.map((f) => f.system))];
  const statusWords = { pass: 'passes', miss: 'misses', known_miss: 'misses, as listed', no_run: 'no run' };
  const has = (key) => data.figures.some((f) => f[key] !== undefined && f[key] !== null);
  const columns = [
    { key: 'id', name: 'figure', element: figureElement }, { key: 'measure', name: 'what was published' },
    { key: 'value', name: 'paper', text: published }, { key: 'simulated', name: 'simulated', text: (f) => f.simulated === null ? '–' : `${shown(f.simulated)} ${f.unit}` },
    { key: 'deviation', name: 'deviation', text: (f) => f.deviation === null ? '' : `${(100 * f.deviation).toFixed(2).replace(/^-(0\.00)$/, '$1')} %` },
    ...(has('interval') ? [{ key: 'interval', name: 'interval', value: (f) => f.interval ? f.interval[0] : null, text: (f) => f.interval ? `${shown(f.interval[0])} … ${shown(f.interval[1])}` : '' }] : []),
    { key: 'role', name: 'role', value: (f) => `${f.role}${f.basis ? `: ${words(f.basis)}` : ''}` },
    { key: 'status', name: 'status', element: (f) => h('span', { class: `status-${f.status}` }, statusWords[f.status] || f.status) }];
  const sections = systems.map((s) => section(contents, `system-${contents.length}`, words(s),
    (data.papers || {})[s] ? h('p', {}, data.papers[s]) : null,
    sortableTable(`Figures of ${words(s)}`, data.figures.filter((f) => f.system === s), columns)));
  const count = (status) => data.figures.filter((f) => f.status === status).length;
  const roles = (role, basis) => data.figures.filter((f) => f.status !== 'no_run' && f.role === role && (!basis || f.basis === basis)).length;
  const missed = data.figures.filter((f) => f.status === 'miss' || f.status === 'known_miss');
  const misses = missed.length ? section(contents, 'misses', 'What misses', missed.map((f) => h('article', {}, h('h3', {}, f.id),
    h('p', {}, `${f.measure}: published ${published(f)}, simulated ${shown(f.simulated)} ${f.unit}.`),
    f.missed ? [h('p', {}, `Missing mechanism: ${f.missed.missing_mechanism}.`), h('p', {}, `What was tried: ${f.missed.tried}.`)] : h('p', {}, 'It is not listed as a known miss.')))) : null;
  main.append(h('h1', {}, data.title), facts([['again', h('code', {}, data.command)], ['tsunagi', data.version],
    ['figures', `${data.figures.length}: ${count('pass')} pass, ${count('miss')} miss, ${count('known_miss')} known to miss, ${count('no_run')} without a run`],
    ['they prove', `${roles('fitted')} fitted, ${roles('derived')} derived, ${roles('predicted')} predicted (${roles('predicted', 'unseen')} unseen, ${roles('predicted', 'mechanism_added_after')} mechanism added after, ${roles('predicted', 'loose_bound')} loose bound)`]]),
  data.incomplete ? h('p', { class: 'note' }, 'The check was interrupted: figures whose runs had not ended are without a run here.') : '',
  contentsList(contents), ...sections, ...(misses ? [misses] : []));
}
