// SPDX-License-Identifier: Apache-2.0
// The page of published figures beside simulated ones.
import { deviations } from './deviations.js';
import { h, section } from './dom.js';
import { contentsList, facts } from './report.js';
import { sortableTable } from './table.js';
import { words } from './units.js';

const shown = (x) => x === null || x === undefined ? '' : Math.abs(x) >= 1e4 ? String(Math.round(x)) : String(Number(x.toPrecision(4)));
const isMiss = (f) => f.status === 'miss' || f.status === 'known_miss';
const signs = { at_least: '≥ ', at_most: '≤ ' };

function published(f) {
  if (f.compare === 'between') return `${shown(f.value)} … ${shown(f.upper)} ${f.unit}`;
  return `${signs[f.compare] || ''}${shown(f.value)} ${f.unit}${f.compare === 'near' && f.tolerance ? ` ± ${Number((100 * f.tolerance).toPrecision(3))} %` : ''}`;
}

const sentence = (text) => /[.!?]$/.test(text) ? text : `${text}.`;

/** What the paper measured, where it says so, and what else is known of the figure. */
function measureElement(f) {
  const more = [f.note, f.reason && `Why it is ${f.role}: ${f.reason}`, f.fitted && f.fitted.length && `Parameters fitted to it: ${f.fitted.join(', ')}`,
    Object.keys(f.digests || {}).length && `Digests of its runs: ${Object.values(f.digests).join(', ')}`].filter(Boolean);
  return [f.measure, f.section ? h('div', { class: 'where' }, `in the paper: ${f.section}`) : null,
    more.length ? h('details', {}, h('summary', { 'aria-label': `more of ${f.id}` }, 'more'), more.map((text) => h('p', {}, text))) : null];
}

/** Markdown of one paragraph: code, bold words and links' texts; all else as it is. */
function plain(text) {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\*\*/g, '').split('`').map((part, i) => i % 2 ? h('code', {}, part) : part);
}

const roles = [['fitted', 'a parameter of its runs was chosen for it, or was to be: it is no evidence'], ['derived', 'an identity, a quotient of fitted figures, or true by construction: no evidence either way'],
  ['predicted: unseen', 'what it turns on stood before its first run'], ['predicted: mechanism added after', 'no value was chosen for it, but something was modelled after it had been seen'],
  ['predicted: loose bound', 'the paper gives words, the bound is wide']];

function guide(hasIntervals) {
  return h('details', { class: 'guide', open: true }, h('summary', {}, 'How to read this page'),
    h('p', {}, 'A figure passes if what was simulated lies within what stands in the column “paper”. What misses, and is listed, was expected to, at that value; what it lacks stands below.',
      hasIntervals ? ' The interval is from the lowest to the highest value that the figure takes when each assumed or fitted parameter, one at a time, goes to the ends of the range that its source commits it to.' : '',
      ' The first run is the day of the first commit in which the figure had a run.'),
    h('dl', { class: 'facts' }, roles.map(([name, meaning]) => h('div', {}, h('dt', {}, name), h('dd', {}, meaning)))));
}

function missElement(f) {
  return h('article', { id: `miss-${f.id}` }, h('h3', {}, f.id), h('p', {}, `${f.measure}: published ${published(f)}, simulated ${shown(f.simulated)} ${f.unit}.`),
    f.missed ? [h('p', {}, h('strong', {}, 'Missing mechanism: '), sentence(f.missed.missing_mechanism)), h('p', {}, h('strong', {}, 'What was tried: '), sentence(f.missed.tried))]
      : h('p', {}, 'It is not listed as a known miss.'));
}

/** All that documents say is left out, by the document. */
function unmodelled(contents, places) {
  const pages = [...new Set(places.map((p) => p.page))];
  return section(contents, 'not-modelled', 'What is not modelled', h('p', {}, 'From these pages of the program’s documentation, in their words.'),
    pages.map((page) => [h('h3', {}, page), places.filter((p) => p.page === page).map((p) => [h('p', { class: 'where' }, p.section), p.texts.length > 1
      ? h('ul', {}, p.texts.map((t) => h('li', {}, plain(t)))) : h('p', {}, plain(p.texts[0] || ''))])]));
}

export function checkPage(main, data) {
  const contents = [];
  const systems = [...new Set(data.figures.map((f) => f.system))];
  const statusWords = { pass: 'passes', miss: 'misses', known_miss: 'misses, as listed', no_run: 'no run' };
  const has = (key) => data.figures.some((f) => f[key] !== undefined && f[key] !== null);
  const columns = [
    { key: 'id', name: 'figure' }, { key: 'measure', name: 'what was published', element: measureElement },
    { key: 'value', name: 'paper', text: published }, { key: 'simulated', name: 'simulated', text: (f) => f.simulated === null ? '–' : `${shown(f.simulated)} ${f.unit}` },
    { key: 'deviation', name: 'deviation', text: (f) => f.deviation === null ? '' : `${(100 * f.deviation).toFixed(2).replace(/^-(0\.00)$/, '$1')} %` },
    ...(has('interval') ? [{ key: 'interval', name: 'interval', value: (f) => f.interval ? f.interval[0] : null, text: (f) => f.interval ? `${shown(f.interval[0])} … ${shown(f.interval[1])} ${f.unit}` : '' }] : []),
    { key: 'role', name: 'role', value: (f) => `${f.role}${f.basis ? `: ${words(f.basis)}` : ''}` },
    { key: 'first_run', name: 'first run', element: (f) => h('span', { class: 'day' }, f.first_run || '') },
    { key: 'status', name: 'status', element: (f) => {
      const status = h('span', { class: `status-${f.status}` }, statusWords[f.status] || f.status);
      return isMiss(f) ? h('a', { href: `#miss-${f.id}` }, status) : status;
    } }];
  const sections = systems.map((s) => section(contents, `system-${contents.length}`, words(s),
    (data.papers || {})[s] ? h('p', {}, data.papers[s]) : null,
    deviations('Simulated beside published: how far off', data.figures.filter((f) => f.system === s)),
    sortableTable(`Figures of ${words(s)}`, data.figures.filter((f) => f.system === s), columns)));
  const count = (status) => data.figures.filter((f) => f.status === status).length;
  const ofRole = (role, basis) => data.figures.filter((f) => f.status !== 'no_run' && f.role === role && (!basis || f.basis === basis)).length;
  const missed = data.figures.filter(isMiss);
  const misses = missed.length ? section(contents, 'misses', 'What misses', missed.map(missElement)) : null;
  const left = (data.not_modelled || []).length ? unmodelled(contents, data.not_modelled) : null;
  main.append(h('h1', {}, data.title), facts([['again', h('code', {}, data.command)], ['tsunagi', data.version],
    ['figures', `${data.figures.length}: ${count('pass')} pass, ${count('miss')} miss, ${count('known_miss')} known to miss, ${count('no_run')} without a run`],
    ['they prove', `${ofRole('fitted')} fitted, ${ofRole('derived')} derived, ${ofRole('predicted')} predicted (${ofRole('predicted', 'unseen')} unseen, ${ofRole('predicted', 'mechanism_added_after')} mechanism added after, ${ofRole('predicted', 'loose_bound')} loose bound)`]]),
  data.incomplete ? h('p', { class: 'note' }, 'The check was interrupted: figures whose runs had not ended are without a run here.') : '',
  contentsList(contents), guide(has('interval')), ...[...sections, misses, left].filter(Boolean));
}
