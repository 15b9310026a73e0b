package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
)

// topRows is how many paths, clients and herds the summary of a tap has.
const topRows = 10

// printBreakdown prints the errors, and the busiest paths and clients since a tap's start.
func printBreakdown(out io.Writer, b *tap.Breakdown) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(b.Total.All.Codes) > 0 {
		fmt.Fprintf(w, "\n  errors\t%s\n", codesText(&b.Total.All))
	}
	if len(b.Paths) > 0 {
		fmt.Fprintf(w, "\n  by path%s\n", topText(len(b.Paths), b.OtherPaths.All.Requests))
	}
	for i := range min(len(b.Paths), topRows) {
		r := &b.Paths[i]
		name := escape.Line(r.Path)
		switch {
		case r.Path == "":
			name = voice().Say("tap.no-path")
		case r.Sequences:
			name += ", " + voice().Say("tap.sequences")
		}
		fmt.Fprintf(w, "    %s\t%s", name, tallyText(&r.All))
		if r.MostWoken > 1 {
			fmt.Fprintf(w, "; %s", voice().Say("tap.change", sentence.Grouped(r.Woken), sentence.Grouped(r.MostWoken)))
		}
		fmt.Fprintln(w)
	}
	if len(b.Clients) > 0 {
		fmt.Fprintf(w, "\n  by client%s\n", topText(len(b.Clients), b.OtherClients.All.Requests))
	}
	for i := range min(len(b.Clients), topRows) {
		r := &b.Clients[i]
		fmt.Fprintf(w, "    %s %s\t%s\n", sessionJSON(r.Session), r.Client, tallyText(&r.All))
	}
	if len(b.Herds) > 0 {
		fmt.Fprintf(w, "\n  changes that woke most\n")
	}
	for _, h := range b.Herds[:min(len(b.Herds), topRows)] {
		fmt.Fprintf(w, "    %s  %s\t%s\n", h.At.Format("15:04:05.000"), escape.Line(h.Path),
			voice().Say("tap.herd."+taps.Did(h.Change), sentence.Grouped(h.Wakeups)))
	}
	_ = w.Flush()
}

// topText says that not all rows are printed.
func topText(rows, others int) string {
	switch {
	case others > 0:
		return ", the busiest ones; --json has more"
	case rows > topRows:
		return fmt.Sprintf(", the busiest %d of %d; --json has all", topRows, rows)
	}
	return ""
}

func tallyText(t *tap.Tally) string {
	text := count(t.Reads(), "read") + ", " + count(t.Writes, "write") + ", " + sentence.Grouped(t.Wakeups) + " told"
	if t.Errors > 0 {
		text += ", failed: " + codesText(t)
	}
	return text + "\t" + percentiles(t.Latency)
}

// codesText lists errors, the most frequent first.
func codesText(t *tap.Tally) string {
	var all []string
	for _, c := range t.Codes {
		word := c.Code.Error()
		if c.Code == zoo.OK {
			word = "others"
		}
		all = append(all, word+" "+sentence.Grouped(c.N))
	}
	return strings.Join(all, ", ")
}
