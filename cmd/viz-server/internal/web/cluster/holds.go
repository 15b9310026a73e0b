package cluster

import (
	"fmt"
	"net/url"
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

// holdsProps returns a history without its rows, with those holds in its picture.
func holdsProps(h *holds.History, all []holds.Hold) page.HoldsProps {
	p := page.HoldsProps{Said: append([]sentence.Sentence{h.Says(shortTime)}, h.Usual.Said()...), Found: len(all),
		All: len(h.Now) + len(h.Ended)}
	strip := h.Strip(all)
	for i := range strip.Bars {
		b := &strip.Bars[i]
		title := shortTime(b.Hold.GotMS) + "–"
		if b.Hold.LostMS != 0 {
			title += shortTime(b.Hold.LostMS)
		}
		if title += " " + handover.SessionText(b.Hold.Session); b.N > 1 {
			title = fmt.Sprintf("%s–%s: %d", shortTime(b.Hold.GotMS), shortTime(b.Hold.LostMS), b.N)
		}
		p.Bars = append(p.Bars, page.PastBar{Class: fmt.Sprint("client-", b.Client%clientColours+1), X: unit(b.X),
			Y: unit(float64(b.Lane * laneHeight)), Width: unit(b.Width), Height: unit(laneHeight - 4), Title: title})
	}
	for _, x := range strip.Expired {
		p.Bars = append(p.Bars, page.PastBar{Class: "expired", X: unit(max(x-1, 0)), Y: "0", Width: "2",
			Height: unit(float64(strip.Lanes * laneHeight))})
	}
	if strip.LeftOut > 0 {
		p.Bars = append(p.Bars, page.PastBar{Class: "left-out", X: "0", Y: "0", Width: unit(strip.LeftOut),
			Height: unit(float64(strip.Lanes * laneHeight))})
	}
	if strip.More > 0 {
		p.Said = append(p.Said, sentence.Of("holds.strip.more", sentence.Number(strip.More)))
	}
	p.Width, p.Height = unit(holds.StripWidth), unit(float64(strip.Lanes*laneHeight))
	for i := range int64(labels + 1) {
		p.Labels = append(p.Labels, label(h.SinceMS+(h.UntilMS-h.SinceMS)*i/labels, h.UntilMS-h.SinceMS))
	}
	return p
}

// The size of the strip, in its own units.
const (
	laneHeight    = 32
	clientColours = 6
)

// holdRow returns the row of a hold, by nowMS if it lasts. The caller adds where its moment is.
func holdRow(h *holds.Hold, usual *holds.Usual, nowMS int64) page.HoldRow {
	row := page.HoldRow{Got: shortTime(h.GotMS), GotAt: preciseTime(h.GotMS), Had: h.Had,
		LockClient: lockClient(h.Session, locks.Client{Addr: h.Addr}), Data: escape.Line(h.Data),
		Waited: h.Waited(), Held: h.Lasted(nowMS), Why: h.Because(), Expired: h.Why() == handover.Expired}
	if h.LostMS != 0 {
		row.Lost, row.LostAt = shortTime(h.LostMS), preciseTime(h.LostMS)
	} else if ms, known := h.HeldMS(nowMS); known || h.Had {
		row.Far = usual.Says(ms)
	}
	return row
}

// shortTime writes a time of the last hours.
func shortTime(ms int64) string { return time.UnixMilli(ms).Format("15:04:05.000") }

// preciseTime writes a time for <time>.
func preciseTime(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
