package tapped

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/taps"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/tap"
)

// row is a path or a client, with the figures that the reader has chosen.
type row struct {
	page.TapRow
	tally *tap.Tally
	span  time.Duration // what they cover
}

// rowsOf returns all rows, and fills in what others do.
func rowsOf(p *page.TapProps, b *tap.Breakdown) (rows []row) {
	take := func(of page.TapRow, r *tap.Row) row {
		if p.InAll {
			since := cmp.Or(r.Since, b.Began)
			if b.Total.All.Requests > 0 && since.Sub(b.Began) > time.Minute {
				of.Notes = append(of.Notes, sentence.Of("tap.row.since", sentence.Text(htmlTime(since))))
			}
			return row{of, &r.All, b.At.Sub(since)}
		}
		return row{of, &r.Recent, b.Span}
	}
	others, key := &b.OtherPaths, "tap.others.path"
	if p.Client {
		others, key = &b.OtherClients, "tap.others.client"
		for i := range b.Clients {
			rows = append(rows, take(clientRow(&b.Clients[i], b.At), &b.Clients[i].Row))
		}
	} else {
		for i := range b.Paths {
			rows = append(rows, take(pathRow(&b.Paths[i]), &b.Paths[i].Row))
		}
	}
	if others.All.Requests+others.All.Wakeups > 0 {
		rest := take(page.TapRow{Key: key}, others)
		props := rest.props(0, 0)
		p.Others = &props
	}
	return rows
}

func pathRow(r *tap.PathRow) page.TapRow {
	if r.Path == "" {
		return page.TapRow{Key: "tap.no-path"}
	}
	one := page.TapRow{Name: r.Path, Picture: picture(r.Path)}
	if r.Sequences {
		one.Notes = append(one.Notes, sentence.Of("tap.sequences"))
	}
	if r.MostWoken > 1 {
		one.Notes = append(one.Notes, sentence.Of("tap.change", sentence.Number(r.Woken), sentence.Number(r.MostWoken)))
	}
	return one
}

// picture returns the address of the picture of a znode and what is below it.
func picture(path string) string { return "/zoo?path=" + url.QueryEscape(path) }

func clientRow(r *tap.ClientRow, at time.Time) page.TapRow {
	one := page.TapRow{Name: handover.SessionText(r.Session)}
	switch {
	case r.Over:
		one.Notes = append(one.Notes, sentence.Of("tap.client.over", sentence.Text(r.Client), sentence.Text(r.Server)))
	case r.Open:
		one.Notes = append(one.Notes, sentence.Of("tap.client.at", sentence.Text(r.Client), sentence.Text(r.Server)))
	default:
		one.Notes = append(one.Notes, sentence.Of("tap.client.away", sentence.Text(r.Client), sentence.Text(r.Server)))
	}
	if !r.Told.At.IsZero() {
		one.Notes = append(one.Notes, taps.LastTold(r.Told.Type, r.Told.Path, at.Sub(r.Told.At), !r.Told.Asked.IsZero()))
	}
	return one
}

// chosen returns the rows whose name or client has the text, sorted.
func chosen(rows []row, text, by string) []row {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		return !strings.Contains(r.Name, text) && !slices.ContainsFunc(r.Notes, func(s sentence.Sentence) bool {
			return strings.Contains(s.String(), text)
		})
	})
	slices.SortStableFunc(rows, func(a, b row) int { return sorts[by](&a, &b) })
	return rows
}

// sorts orders rows by the columns that page.TapSorts names.
var sorts = map[string]func(a, b *row) int{
	"name":     func(a, b *row) int { return cmp.Compare(a.Name, b.Name) },
	"requests": most(func(t *tap.Tally) int { return t.Requests }),
	"writes":   most(func(t *tap.Tally) int { return t.Writes }),
	"failed":   most(func(t *tap.Tally) int { return t.Errors }),
	"half":     most(func(t *tap.Tally) int { return int(t.Latency.P50) }),
	"most":     most(func(t *tap.Tally) int { return int(t.Latency.P99) }),
	"longest":  most(func(t *tap.Tally) int { return int(t.Latency.Max) }),
	"watches":  most(func(t *tap.Tally) int { return t.WatchesSet }),
	"woken":    most(func(t *tap.Tally) int { return t.Wakeups }),
}

func most(of func(*tap.Tally) int) func(a, b *row) int {
	return func(a, b *row) int { return cmp.Compare(of(b.tally), of(a.tally)) }
}

// props returns the row as text. The bars compare it with the longest latency and the most wakeups of all rows.
func (r *row) props(longest time.Duration, woken int) page.TapRow {
	one := r.TapRow
	one.TapCells = cells(r.tally, r.span)
	one.Half, one.Most = width(int(r.tally.Latency.P50), int(longest)), width(int(r.tally.Latency.P99), int(longest))
	one.Woken = width(r.tally.Wakeups, woken)
	for _, c := range r.tally.Codes {
		one.Failed = append(one.Failed, page.TapCode{Code: codeKey(c.Code), N: sentence.Grouped(c.N)})
	}
	return one
}

func codeKey(c zoo.Code) string {
	if c == zoo.OK || c.Error() == zoo.Code(1).Error() { // unknown numbers have no words
		return "tap.code.other"
	}
	return "code." + strconv.Itoa(int(c))
}

// cells returns figures as text.
func cells(t *tap.Tally, span time.Duration) (c page.TapCells) {
	rate := 0.0
	if span > 0 {
		rate = float64(t.Requests) / span.Seconds()
	}
	c.Text = [...]string{sentence.Tenths(rate), sentence.Grouped(t.Requests), sentence.Grouped(t.Reads()),
		sentence.Grouped(t.Writes), sentence.Grouped(t.Errors), latency(t, t.Latency.P50), latency(t, t.Latency.P99),
		latency(t, t.Latency.Max), sentence.Grouped(t.WatchesSet), sentence.Grouped(t.Wakeups)}
	return c
}

// latency writes a latency; empty without requests.
func latency(t *tap.Tally, d time.Duration) string {
	if t.Requests == 0 {
		return ""
	}
	return taps.LatencyText(d)
}

// width returns the width of a bar in per cent; empty if there is nothing to compare.
func width(n, of int) string {
	if n <= 0 || of <= 0 {
		return ""
	}
	return strconv.FormatFloat(max(100*float64(min(n, of))/float64(of), 0.5), 'f', 1, 64)
}

// failures counts all errors by code.
func failures(r *tap.Row) (all []page.TapCode) {
	for _, c := range r.All.Codes {
		recent := 0
		for _, x := range r.Recent.Codes {
			if x.Code == c.Code {
				recent = x.N
			}
		}
		all = append(all, page.TapCode{Code: codeKey(c.Code), N: sentence.Grouped(c.N), Recent: sentence.Grouped(recent),
			Width: width(c.N, r.All.Codes[0].N)})
	}
	return all
}

func herds(all []tap.Herd) (list []page.TapHerd) {
	for _, h := range all {
		says := sentence.Of("tap.herd."+taps.Did(h.Change), sentence.Number(h.Wakeups))
		if h.Session != 0 {
			says = sentence.Of("tap.by-session", sentence.Sentences(says), handover.Session(h.Session))
		}
		list = append(list, page.TapHerd{At: htmlTime(h.At), Path: h.Path, Picture: picture(tap.Group(h.Path)), Says: says,
			Width: width(h.Wakeups, all[0].Wakeups)})
	}
	return list
}
