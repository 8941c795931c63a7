// SPDX-License-Identifier: Apache-2.0
// Percentiles of latencies: each over what rows differ in, and each row's latency over the percentile.
import { h } from './dom.js';
import { choose, drawn, tellingApart } from './plot.js';
import { cellText, unitOf } from './units.js';

const most = 8; // curves of a panel, panels of a run
const named = /^(min|least|median|mean|p\d+(\.\d+)?|max)_fs$/;
const apart = 1.2; // times the lowest percentile: what lies closer together is one line
const drawnOver = ['p50', 'median', 'p90', 'p95', 'p99', 'p99.9', 'p99.99', 'max'];

/** The part of messages that are no later than what `name` stands for, of `messages`; null: none can be told. */
function partOf(name, messages) {
  if (name === 'min') return 0;
  if (name === 'max') return messages ? 1 - 1 / messages : null;
  if (name === 'median') return 0.5;
  return /^p/.test(name) ? Number(name.slice(1)) / 100 : null;
}

/** Each row's latencies by name, from its own columns or from the account of its window. */
function quantiles(rows, accounts) {
  return rows.map((row, i) => {
    const of = { ...((accounts[i] || {}).latency || {}), ...row };
    return { row, messages: of.messages, values: Object.entries(of).filter(([k, v]) => named.test(k) && typeof v === 'number').map(([k, v]) => [k.slice(0, -3), v]) };
  });
}

function every(list, count) {
  return list.length <= count ? list : Array.from({ length: count }, (_, i) => list[Math.round(i * (list.length - 1) / (count - 1))]);
}

const shown = (part) => `${Number((100 * part).toPrecision(6))} %`;

/** Whether a row's percentiles are worth a panel. */
function areApart(values) {
  const known = values.filter(([name]) => drawnOver.includes(name)).map(([, v]) => v);
  return known.length > 1 && Math.max(...known) > apart * Math.min(...known);
}

/** Panels, if rows have at least two percentiles, which differ; else null. */
export function percentilePlots(rows, accounts, axes) {
  const all = quantiles(rows, accounts);
  const names = drawnOver.filter((n) => all.some(({ values }) => values.some(([name]) => name === n)));
  if (names.filter((n) => n !== 'max').length < 2 || !all.some(({ values }) => areApart(values))) return null;
  const panels = [];
  const chosen = choose(rows, axes);
  const by = chosen ? tellingApart(rows, chosen) : [];
  const label = (row) => [...(chosen ? [chosen.x] : []), ...by].map((k) => `${unitOf(k).name} ${cellText(k, row[k])}`).join(', ') || 'latency';
  if (chosen) {
    const groups = new Map();
    for (const one of all) {
      const key = by.map((k) => cellText(k, one.row[k])).join(', ');
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(...names.flatMap((n) => one.values.filter(([name]) => name === n).map(([, v]) => ({ [chosen.x]: one.row[chosen.x], percentile: n, latency_fs: v }))));
    }
    for (const [key, list] of [...groups].slice(0, most / 2))
      panels.push(drawn(list, chosen.x, 'latency_fs', ['percentile'], [], { caption: `Percentiles of latency over ${unitOf(chosen.x).name}${key ? `: ${key}` : ''}` }));
  }
  const tails = every(all.filter(({ values }) => values.length > 1), most).flatMap(({ row, messages, values }) => values
    .map(([name, v]) => ({ part: partOf(name, messages), row: label(row), latency_fs: v }))
    .filter(({ part }) => part !== null && (!messages || part <= 1 - 1 / messages)).map(({ part, ...rest }) => ({ later: 1 / (1 - part), ...rest })));
  if (tails.length) {
    const ends = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];
    panels.push(drawn(tails, 'later', 'latency_fs', ['row'], [], {
      caption: `Latency over the part of messages that are no later${all.length > most ? `, of ${most} of ${all.length} rows` : ''}`, name: 'messages that are no later',
      ticks: ends.map((p) => 1 / (1 - p)), write: (v) => shown(1 - 1 / v) }));
  }
  return panels.length ? h('div', {}, h('h3', {}, 'Percentiles'), h('div', { class: 'panels' }, panels)) : null;
}
