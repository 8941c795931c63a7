// SPDX-License-Identifier: Apache-2.0
// Numbers of results for people. A column's name ends in its unit: latency_fs, size_bytes, ...

function digits(x, n = 4) {
  if (x === 0) return '0';
  if (!Number.isFinite(x)) return String(x);
  const whole = Math.floor(Math.log10(Math.abs(x))) + 1;
  return whole >= n ? Math.round(x).toLocaleString('en', { useGrouping: whole > 4 })
    : String(Number(x.toPrecision(n)));
}

function scaled(x, steps) {
  const [size, name] = steps.find(([s]) => Math.abs(x) >= s) || steps[steps.length - 1];
  return `${digits(x / size)} ${name}`;
}

export const time = (fs) => fs === 0 ? '0 ns' : scaled(fs, [[1e15, 's'], [1e12, 'ms'], [1e9, 'µs'], [1e6, 'ns'], [1e3, 'ps'], [1, 'fs']]);
export const rate = (bps) => scaled(bps, [[1e9, 'GB/s'], [1e6, 'MB/s'], [1e3, 'kB/s'], [1, 'B/s']]);
export const percent = (part) => part === 0 ? '0 %' : `${(100 * part).toFixed(part < 0.0995 ? 2 : 1)} %`;
export function bytes(n) {
  for (const [size, name] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
    if (Math.abs(n) >= size && n % size === 0) return `${n / size} ${name}`;
  return `${n.toLocaleString('en', { useGrouping: Math.abs(n) >= 1e4 })} B`;
}

const endings = [['bytes_per_second', 'rate', rate], ['_fs', 'time', time], ['_bytes', 'bytes', bytes], ['_ppm', 'ppm', (x) => percent(x / 1e6)]];

/** What a column holds: its name without the unit, the unit's kind, and how a value of it is written. */
export function unitOf(column) {
  for (const [ending, kind, write] of endings)
    if (column.endsWith(ending)) return { name: words(column.slice(0, -ending.length).replace(/_$/, '')) || kind, kind, write };
  return { name: words(column), kind: column === 'bytes' ? 'bytes' : 'number', write: column === 'bytes' ? bytes : (x) => digits(x, 6) };
}

export const words = (name) => name.replace(/_/g, ' ');

/** A cell for people. */
export function cellText(column, value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return unitOf(column).write(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}
