// SPDX-License-Identifier: Apache-2.0
// Tens of thousands of spans, found by time: what is narrower than a pixel is summed up, not drawn one by one.

/** The first index in [from, to) of a sorted array whose value is above `value`, else `to`. */
function above(array, value, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (array[middle] > value) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * An index of one lane's spans: [{start, duration, group, bar}] by start, none beginning before the one before has ended; `group`: 0 ..
 * groups - 1. It has the sums of each group's time up to each span, so that what a stretch of time holds of the groups takes two look-ups,
 * however many spans lie in it.
 */
export class LaneIndex {
  constructor(spans, groups) {
    this.spans = spans;
    this.starts = Float64Array.from(spans, (s) => s.start);
    this.ends = Float64Array.from(spans, (s) => s.start + s.duration);
    this.groups = groups;
    this.sums = new Float64Array((spans.length + 1) * groups);
    spans.forEach((s, i) => {
      for (let g = 0; g < groups; ++g) this.sums[(i + 1) * groups + g] = this.sums[i * groups + g];
      this.sums[(i + 1) * groups + s.group] += s.duration;
    });
  }

  /** The first span that ends after `time`. */
  firstAfter(time, from = 0) { return above(this.ends, time, from, this.ends.length); }

  /** Adds `factor` times the time of each group in [0, time) to `out`; `from`: a span before which all have ended by then. */
  addUpTo(time, factor, out, from = 0) {
    const i = this.firstAfter(time, from); // all before it have ended
    for (let g = 0; g < this.groups; ++g) out[g] += factor * this.sums[i * this.groups + g];
    if (i < this.spans.length && this.starts[i] < time) out[this.spans[i].group] += factor * (time - this.starts[i]);
  }

  /** The part of [from, to) that each group has. */
  parts(from, to, hint = 0) {
    const out = new Float64Array(this.groups);
    this.addUpTo(to, 1 / (to - from), out, hint);
    this.addUpTo(from, -1 / (to - from), out);
    return out;
  }

  /**
   * What is seen of [from, to) in columns of a pixel: calls span(x0, x1, index) for each span of at least a pixel, and
   * bin(x, parts of the groups) for each column that holds narrower ones.
   */
  visit(from, to, pixels, { span, bin }) {
    const { starts, ends } = this;
    const count = starts.length;
    const scale = pixels / (to - from);
    for (let i = this.firstAfter(from); i < count && starts[i] < to;) {
      const x0 = (starts[i] - from) * scale;
      const x1 = (ends[i] - from) * scale;
      if (x1 - x0 >= 1) {
        span(Math.max(0, x0), Math.min(pixels, x1), i);
        i += 1;
        continue;
      }
      const column = Math.floor(Math.max(0, x0));
      const end = from + (column + 1) / scale;
      let next = above(starts, end, i + 1, count); // behind those that begin in this column
      if (next - 1 > i && (ends[next - 1] - starts[next - 1]) * scale >= 1) next -= 1; // it is wide, and drawn itself
      bin(column, this.parts(from + column / scale, end, i));
      i = next;
    }
  }
}

/** Spans of bars [{lane, kind, start, duration}] by lane: {lanes: [name], indices: [LaneIndex]}; a span's `bar` is its number in bars. */
export function lanesOf(bars, groups, groupOf) {
  const byLane = new Map();
  bars.forEach((b, i) => {
    if (!byLane.has(b.lane)) byLane.set(b.lane, []);
    byLane.get(b.lane).push({ start: b.start, duration: b.duration, group: groups.indexOf(groupOf(b.kind)), bar: i });
  });
  const lanes = [...byLane.keys()];
  return { lanes, indices: lanes.map((lane) => new LaneIndex(byLane.get(lane).sort((a, b) => a.start - b.start), groups.length)) };
}
