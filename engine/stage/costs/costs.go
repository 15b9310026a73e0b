// Package costs shows what runs cost for each release, as HTML: a chart of each figure, a table with the same numbers,
// and how they are counted.
//
// It measures nothing (engine/run/compare does), and knows neither the page around it nor its form. The Lab of
// viz-server calls it; on a site of files wasm/engine does, in the page's worker. So both show the same.
package costs

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// Say returns the page's words for a key.
type Say func(key string, args ...string) string

// HTML shows runs, each recipe's in ascending order of their clients. If live is set, it says where each one ran.
func HTML(rows []compare.Row, live bool, say Say) string {
	d := document{say: say}
	among := slices.ContainsFunc(rows, hasEnsemble)
	d.charts(rows)
	if len(rows) > 0 {
		d.table(rows, columns(live, among, say))
	}
	d.remark("compare.how")
	if among {
		d.remark("compare.between.how")
	}
	d.remark("compare.bytes")
	d.remark("compare.time.how")
	return d.String()
}

// document is HTML that is being written.
type document struct {
	strings.Builder
	say Say
}

// put writes markup. The texts, escaped, take the places of each %s in it.
func (d *document) put(markup string, texts ...string) {
	for _, text := range texts {
		before, after, _ := strings.Cut(markup, "%s")
		d.WriteString(before)
		d.WriteString(html.EscapeString(text))
		markup = after
	}
	d.WriteString(markup)
}

func (d *document) remark(key string) { d.put(`<p class="small">%s</p>`, d.say(key)) }

// column is a column of the table. The head's tip is a key, too, or empty.
type column struct {
	head, tip, class string
	text             func(compare.Row) string
}

// columns returns the table's columns, with the host's only if live, and that of messages between servers if among.
func columns(live, among bool, say Say) []column {
	return slices.DeleteFunc([]column{
		{head: "compare.waiters", text: func(r compare.Row) string { return strconv.Itoa(r.Waiters) }},
		{head: "compare.host", class: "host", text: func(r compare.Row) string {
			return say("compare.on." + string(r.Host))
		}},
		{head: "compare.wakeups", text: func(r compare.Row) string { return sentence.Tenths(r.PerRelease.Wakeups) }},
		{head: "compare.most", text: func(r compare.Row) string { return strconv.Itoa(r.Wakeups.MaxPerRelease) }},
		{head: "compare.requests", text: func(r compare.Row) string { return sentence.Tenths(r.PerRelease.Requests) }},
		{head: "compare.size", tip: "compare.bytes", text: sizeOf},
		{head: "compare.between", tip: "compare.between.how", text: betweenOf},
		{head: "compare.time", tip: "compare.time.how", text: timeOf},
	}, func(c column) bool { return c.head == "compare.host" && !live || c.head == "compare.between" && !among })
}

// none stands for a missing figure.
const none = "–"

// sizeOf returns the bytes, unless the encoding is unknown.
func sizeOf(r compare.Row) string {
	if r.Bytes == 0 {
		return none
	}
	return strconv.FormatFloat(r.PerRelease.Bytes, 'f', 0, 64)
}

func betweenOf(r compare.Row) string {
	if !hasEnsemble(r) {
		return none
	}
	return sentence.Tenths(r.PerRelease.Between)
}

func timeOf(r compare.Row) string {
	if r.PerRelease.TimeMS == 0 {
		return none
	}
	return strconv.FormatFloat(r.PerRelease.TimeMS, 'f', 2, 64)
}

// hasEnsemble reports whether a run had several servers, which send messages to each other.
func hasEnsemble(r compare.Row) bool { return r.Servers > 1 }

// table has a part for each recipe, so that a row is short enough for a phone.
func (d *document) table(rows []compare.Row, columns []column) {
	title := d.say("compare.table")
	d.put(`<div class="scrolled" tabindex="0" role="region" aria-label="%s"><table class="costs"><caption>%s</caption>`+
		`<thead><tr>`, title, title)
	for _, c := range columns {
		d.put(`<th scope="col"`)
		if c.class != "" {
			d.put(` class="%s"`, c.class)
		}
		if c.tip != "" {
			d.put(` title="%s"`, d.say(c.tip))
		}
		d.put(`>%s</th>`, d.say(c.head))
	}
	d.put(`</tr></thead>`)
	for _, recipe := range recipesOf(rows) {
		d.put(`<tbody><tr><th scope="rowgroup" colspan="%s">%s</th></tr>`, strconv.Itoa(len(columns)), recipe)
		for _, r := range rows {
			if r.Recipe == recipe {
				d.row(r, columns)
			}
		}
		d.put(`</tbody>`)
	}
	d.put(`</table></div>`)
}

func (d *document) row(r compare.Row, columns []column) {
	d.put(`<tr><th scope="row">%s</th>`, columns[0].text(r))
	for _, c := range columns[1:] {
		d.put(`<td`)
		if c.class != "" {
			d.put(` class="%s"`, c.class)
		}
		d.put(`>%s</td>`, c.text(r))
	}
	d.put(`</tr>`)
}
