package cluster

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// The page of a lock's last hour and that of transaction logs show holds in the same way.

func filterProps(f holds.Filter, given url.Values) page.HoldFilter {
	p := page.HoldFilter{Since: given.Get("since"), Who: given.Get("who")}
	for _, e := range holds.Endings() {
		p.Endings = append(p.Endings, page.HoldEnding{Name: string(e), Said: e.Said(), Chosen: e == f.Why})
	}
	return p
}

// holdsOnPage is the number of rows on a page.
const holdsOnPage = 50

// holdPages are the addresses of a hold's moment, and of another page of the holds by its number.
type holdPages struct {
	moment func(h *holds.Hold) string
	page   func(number string) string
}

// fillHolds fills one page with the holds that a filter selects.
func fillHolds(p *page.HoldersProps, h *holds.History, f *holds.Filter, number int, to holdPages) {
	all := h.Select(f)
	p.Holds, p.Zone = holdsProps(h, all), zone()
	p.Pages = max((len(all)+holdsOnPage-1)/holdsOnPage, 1)
	p.Page = min(max(number, 1), p.Pages)
	for _, one := range all[(p.Page-1)*holdsOnPage : min(p.Page*holdsOnPage, len(all))] {
		row := holdRow(&one, h)
		row.Moment = to.moment(&one)
		p.Holds.Rows = append(p.Holds.Rows, row)
	}
	if p.Page > 1 {
		p.Newer = to.page(strconv.Itoa(p.Page - 1))
	}
	if p.Page < p.Pages {
		p.Older = to.page(strconv.Itoa(p.Page + 1))
	}
}

// withFilter adds the filter's parameters, as given, to others.
func withFilter(v, given url.Values) url.Values {
	maps.Copy(v, given)
	return v
}

// holdsProps returns a history without its rows, with those holds in its picture.
func holdsProps(h *holds.History, all []holds.Hold) page.HoldsProps {
	at := timesOf(h)
	p := page.HoldsProps{Said: append([]sentence.Sentence{h.Says(at)}, h.Usual.Said()...), Found: len(all),
		All: len(h.Now) + len(h.Ended)}
	strip := h.Strip(all)
	for i := range strip.Bars {
		b := &strip.Bars[i]
		title := at(b.Hold.GotMS) + "–"
		if b.Hold.LostMS != 0 {
			title += at(b.Hold.LostMS)
		}
		if title += " " + handover.SessionText(b.Hold.Session); b.N > 1 {
			title = fmt.Sprintf("%s–%s: %d", at(b.Hold.GotMS), at(b.Hold.LostMS), b.N)
		}
		p.Bars = append(p.Bars, page.PastBar{Class: fmt.Sprint("client-", b.Client%clientColours+1), X: unit(b.X),
			Y: unit(float64(b.Lane * laneHeight)), Width: unit(b.Width), Height: unit(laneHeight - 4), Title: title})
	}
	lanes := float64(strip.Lanes * laneHeight)
	for _, x := range strip.Expired { // below the bars, since no colour would stand out from all clients' colours
		x = min(max(x-markWidth/2, 0), holds.StripWidth-markWidth)
		p.Bars = append(p.Bars, page.PastBar{Class: "expired", X: unit(x), Y: unit(lanes), Width: unit(markWidth),
			Height: unit(markHeight)})
	}
	if strip.LeftOut > 0 {
		p.Bars = append(p.Bars, page.PastBar{Class: "left-out", X: "0", Y: "0", Width: unit(strip.LeftOut),
			Height: unit(lanes)})
	}
	if strip.More > 0 {
		p.Said = append(p.Said, sentence.Of("holds.strip.more", sentence.Number(strip.More)))
	}
	p.Width, p.Height = unit(holds.StripWidth), unit(lanes+markHeight)
	for i := range int64(labels + 1) {
		p.Labels = append(p.Labels, label(h.SinceMS+(h.UntilMS-h.SinceMS)*i/labels, h.UntilMS-h.SinceMS))
	}
	return p
}

// The size of the strip, in its own units.
const (
	laneHeight    = 32
	markWidth     = 4 // of an expired session's mark
	markHeight    = 10
	clientColours = 6
)

// holdRow returns the row of a hold of a history. The caller adds where its moment is.
func holdRow(one *holds.Hold, of *holds.History) page.HoldRow {
	at := timesOf(of)
	row := page.HoldRow{Got: at(one.GotMS), GotAt: preciseTime(one.GotMS), Had: one.Had,
		LockClient: lockClient(one.Session, locks.Client{Addr: one.Addr}), Data: escape.Line(one.Data),
		Waited: one.Waited(), Held: one.Lasted(of.UntilMS), Why: one.Because(), Expired: one.Why() == handover.Expired}
	if one.LostMS != 0 {
		row.Lost, row.LostAt = at(one.LostMS), preciseTime(one.LostMS)
	} else if ms, _ := one.HeldMS(of.UntilMS); ms > 0 {
		row.Far = of.Usual.Says(ms)
	}
	return row
}

// timesOf returns a function that writes times of a history: without the date if it is of a few hours.
func timesOf(h *holds.History) func(ms int64) string {
	if h.UntilMS-h.SinceMS > dated.Milliseconds() {
		return pastTime
	}
	return func(ms int64) string { return time.UnixMilli(ms).Format("15:04:05.000") }
}

// dated is the length of a history from which on its times have dates.
const dated = 12 * time.Hour

// preciseTime writes a time for <time>.
func preciseTime(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
