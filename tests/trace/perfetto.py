#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Perfetto trace says what the Chrome trace of the same run says: usage perfetto.py PROGRAM RUN MOST [option ...]

Traces the run in both formats, with the options, decodes the Perfetto trace by Google's protobuf library and a
description of its messages that stands here, puts its slices together as Perfetto's own trace processor does (events
sorted by time, equal ones as they stand in the file; an end closes what was opened last on its track), and compares
every span and every counter. MOST: bytes that the trace may have for each hop of a packet. Exit 77: there is no
python3-protobuf.
"""
import collections
import decimal
import json
import os
import subprocess
import sys
import tempfile

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    debians = "/usr/bin/python3"  # whose module the package is
    if os.path.realpath(sys.executable) != os.path.realpath(debians) and os.path.exists(debians):
        os.execv(debians, [debians, *sys.argv])
    print("SKIPPED: needs python3-protobuf (tools/packages.sh installs it)")
    sys.exit(77)

# MESSAGE: NAME NUMBER TYPE [repeated], as perfetto.dev/docs/reference/trace-packet-proto has them.
SCHEMA = """
Trace: packet 1 TracePacket repeated
TracePacket: timestamp 8 uint64; sequence 10 uint32; track_event 11 TrackEvent; interned 12 InternedData; flags 13 uint32; track 60 TrackDescriptor
TrackDescriptor: uuid 1 uint64; name 2 string; parent 5 uint64; counter 8 CounterDescriptor; child_ordering 11 int32; rank 12 int32; description 14 string
CounterDescriptor: unit 3 int32
InternedData: event_names 2 Interned repeated; annotation_names 3 Interned repeated; texts 29 Interned repeated
Interned: iid 1 uint64; name 2 string
TrackEvent: annotations 4 DebugAnnotation repeated; type 9 int32; name_iid 10 uint64; track 11 uint64; extra_values 12 int64 repeated; value 30 int64; extra_tracks 31 uint64 repeated
DebugAnnotation: name_iid 1 uint64; number 4 int64; text_iid 17 uint64
"""
CLEARED, NEEDS = 1, 2
BEGIN, END, COUNTER = 1, 2, 4


def trace_class():
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="t", syntax="proto2")
    for line in SCHEMA.strip().splitlines():
        name, fields = line.split(": ", 1)
        message = file.message_type.add(name=name)
        for field in fields.split("; "):
            words = field.split()
            added = message.field.add(name=words[0], number=int(words[1]),
                                      label=kinds.LABEL_REPEATED if "repeated" in words else kinds.LABEL_OPTIONAL)
            if words[2][0].isupper():
                added.type, added.type_name = kinds.TYPE_MESSAGE, ".t." + words[2]
            else:
                added.type = getattr(kinds, "TYPE_" + words[2].upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("t.Trace"))


def fail(why):
    sys.exit("perfetto.py: " + why)


class Decoded:
    """Slices and counters of a Perfetto trace, by the names of their tracks."""

    def __init__(self, data):
        self.tracks, self.names, self.notes, self.texts = {}, {}, {}, {}
        self.spans, self.counters = collections.Counter(), collections.Counter()
        self.hops = 0
        events = []
        trace = trace_class().FromString(data)
        if trace.ByteSize() != len(data):
            fail("bytes that no known field accounts for")
        if trace.packet[0].flags != CLEARED:
            fail("the first packet does not begin the sequence")
        for packet in trace.packet:
            if packet.sequence != 1:
                fail("a packet of another sequence")
            if packet.HasField("interned"):
                self.learn(packet.interned)
            if packet.HasField("track"):
                self.add_track(packet.track)
            if packet.HasField("track_event"):
                if packet.track_event.name_iid and packet.flags != NEEDS:
                    fail("an interned name without SEQ_NEEDS_INCREMENTAL_STATE")
                self.check(packet.track_event)
                events.append((packet.timestamp, packet.track_event))
        events.sort(key=lambda e: e[0])  # stable
        self.replay(events)

    def learn(self, interned):
        for known, new in ((self.names, interned.event_names), (self.notes, interned.annotation_names),
                           (self.texts, interned.texts)):
            for entry in new:
                if entry.iid == 0 or entry.iid in known:
                    fail("a number of a name that is 0 or taken")
                known[entry.iid] = entry.name

    def add_track(self, track):
        if track.uuid in self.tracks or track.parent not in self.tracks and track.uuid != 0:
            fail(f"track {track.uuid} is described twice, or before its parent")
        self.tracks[track.uuid] = track

    def check(self, event):
        """All that an event refers to has been described before."""
        if event.track == 0 or any(t not in self.tracks for t in [event.track, *event.extra_tracks]):
            fail("an event on a track that is not described yet")
        if self.tracks[event.track].HasField("counter") != (event.type == COUNTER):
            fail("a value on a track of spans, or a span on one of values")

    def path(self, uuid):
        names = []
        while uuid != 0:
            names.insert(0, self.tracks[uuid].name)
            uuid = self.tracks[uuid].parent
        return names

    def replay(self, events):
        stacks = collections.defaultdict(list)
        for when, event in events:
            path = self.path(event.track)
            if event.type == COUNTER:
                values = [(event.track, event.value), *zip(event.extra_tracks, event.extra_values)]
                for track, value in values:
                    self.counters[(*self.path(track), when, value)] += 1
            elif event.type == BEGIN:
                notes = {self.notes[a.name_iid]: self.texts[a.text_iid] if a.text_iid else a.number
                         for a in event.annotations}
                stacks[event.track].append((self.names[event.name_iid], when, notes))
                if len(stacks[event.track]) > 1:
                    fail(f"spans of {path} overlap at {when} ns")
            elif event.type == END:
                name, begin, notes = stacks[event.track].pop()
                self.hops += path[-1] == "hops"
                self.spans[(place(path), name, begin, when, said(notes))] += 1
        if any(stacks.values()):
            fail("a span without an end")


def place(path):
    """The device, the channel or the rank: rows within them are the viewer's."""
    return " / ".join(path[:2]) if path[0] == "ranks" else path[0]


def said(notes):
    return tuple(sorted((k, v) for k, v in notes.items()))


def ns_of(us):
    return int(us * 1000)  # of a decimal: rounded down


def of_chrome(text):
    """The same of a Chrome trace."""
    events = json.loads(text, parse_float=decimal.Decimal)["traceEvents"]
    processes, threads, open_spans = {}, {}, {}
    spans, counters = collections.Counter(), collections.Counter()
    for e in events:
        if e["name"] == "process_name":
            processes[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            threads[e["pid"], e["tid"]] = e["args"]["name"]
        elif e["ph"] == "X":
            path = [processes[e["pid"]], threads[e["pid"], e["tid"]]]
            spans[(place(path), e["name"], ns_of(e["ts"]), ns_of(e["ts"] + e["dur"]), notes_of(e["args"], path))] += 1
        elif e["ph"] == "b":
            open_spans[e["id"]] = e
        elif e["ph"] == "e":
            b = open_spans.pop(e["id"])
            path = [processes[b["pid"]]]
            spans[(place(path), b["name"], ns_of(b["ts"]), ns_of(e["ts"]), notes_of(b["args"], path))] += 1
        elif e["ph"] == "C":
            for key, value in e["args"].items():
                name = e["name"] if e["name"] == "waiting" else e["name"] + " " + key
                counters[(processes[e["pid"]], name, ns_of(e["ts"]), value)] += 1
    return spans, counters


def notes_of(args, path):
    """As the Perfetto trace has them: a wait in femtoseconds, without what is not there."""
    out = {k: v for k, v in args.items() if k not in ("stage", "waited_us")}
    if args.get("waited_us", 0) != 0:
        out["waited_fs"] = int(args["waited_us"] * 10**9)
    for key, nothing in (("parent", 0), ("source", 0), ("lacked", "nothing"), ("payload_bytes", 0), ("method", ""),
                         ("algorithm", ""), ("root", -1)):
        if out.get(key) == nothing:
            del out[key]
    if path[0] == "ranks" and "number" in out and out.get("bytes") == 0:
        del out["bytes"]
    if path[-1] == "packets":
        out.pop("parent", None)  # which the hop says
    return said(out)


def differences(kind, perfetto, chrome):
    if not chrome:
        fail(f"there are no {kind} to compare")
    for name, more in (("Perfetto", perfetto - chrome), ("Chrome", chrome - perfetto)):
        for item in list(more)[:5]:
            print(f"only in the {name} trace: {item}", file=sys.stderr)
    if perfetto != chrome:
        fail(f"{kind} differ: {sum(perfetto.values())} in the Perfetto trace, {sum(chrome.values())} in the Chrome one")


def main():
    program, run, most, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/t.{e}" for e in ("pftrace", "json")]
        for file in files:
            subprocess.run([program, "trace", run, "--out", file, *options], check=True)
        with open(files[0], "rb") as f:
            data = f.read()
        with open(files[1], encoding="utf-8") as f:
            spans, counters = of_chrome(f.read())
    decoded = Decoded(data)
    differences("spans", decoded.spans, spans)
    differences("counters", decoded.counters, counters)
    each = len(data) / decoded.hops
    print(f"{sum(spans.values())} spans, {sum(counters.values())} values, {decoded.hops} hops, {each:.0f} bytes a hop")
    if each > float(most):
        fail(f"{each:.1f} bytes a hop are more than {most}")


main()
