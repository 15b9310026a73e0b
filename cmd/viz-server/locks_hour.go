package main

import (
	"context"
	"encoding/json"

	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// hour returns how the lock at PATH was held in the last hour, by its path; nothing if no hold of it has ended.
func (c *locksCmd) hour(ctx context.Context, l *follow.Locks, rows []locks.Row) map[string]*holds.Object {
	for i := range rows {
		if rows[i].Path != c.Path {
			continue
		}
		if h, err := l.Hour(ctx, c.Path); err == nil && len(h.Ended) > 0 {
			o := h.Object(&holds.Filter{}, wallTime)
			return map[string]*holds.Object{c.Path: &o}
		}
	}
	return nil
}

// tallyObject is what --follow has learnt of a lock by its end, as a JSON object.
type tallyObject struct {
	Path  string             `json:"path"`
	Usual *holds.UsualObject `json:"usual,omitempty"`
	Hour  *holds.Object      `json:"hour,omitempty"`
}

// conclude prints, when --follow ends, what went through each queue and what is usual.
func (c *locksCmd) conclude(term *terminal, l *follow.Locks, rows []locks.Row) error {
	if !c.JSON {
		printTally(term.out, rows)
		return nil
	}
	hours := c.hour(context.WithoutCancel(term.ctx), l, rows)
	enc := json.NewEncoder(term.out)
	for i := range rows {
		o := tallyObject{rows[i].Path, rows[i].Usual.Object(), hours[rows[i].Path]}
		if o.Usual == nil && o.Hour == nil {
			continue
		}
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return nil
}
