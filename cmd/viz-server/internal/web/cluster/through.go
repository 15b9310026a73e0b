package cluster

import (
	"context"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// fillThrough adds what the tap tells about a page's rows, or why it tells nothing. outer converts their paths to those
// of the servers.
func (s *Pages) fillThrough(
	ctx context.Context, p *page.LiveLocksProps, rows []locks.Row, outer func(string) (string, error),
) {
	if s.through == nil || p.Cluster != "" {
		return
	}
	f, err := s.through.Figures(ctx)
	if err != nil {
		p.Untold = append(p.Untold[:len(p.Untold):len(p.Untold)], sentence.Of("taps.away", sentence.Text(err.Error())))
		return
	}
	for i := range rows {
		path, err := outer(rows[i].Path)
		if err != nil {
			continue
		}
		row, seen := &p.Rows[i], f.Of(&rows[i], path)
		if row.Tap = seen.Says(); len(row.Tap) == 0 {
			continue
		}
		for j := range row.Holders {
			row.Holders[j].Tap = seen.Client(rows[i].Holding[j].Session)
		}
		if row.Queue == nil {
			continue
		}
		for j := range row.Queue.Waiters {
			row.Queue.Waiters[j].Tap = seen.Client(rows[i].Waiters[j].Session)
		}
	}
}
