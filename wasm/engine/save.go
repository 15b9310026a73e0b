//go:build js && wasm

package main

import (
	"bytes"
	"context"
	"net/url"
	"strconv"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	"github.com/zkviz/zkviz/wasm/worker"
)

// save sends a page the log of a branch as a trace file, in pieces, and then its name. If the rooms don't have the run,
// it's computed again, should the query name its scenario.
func (e *engine) save(ctx context.Context, c *connection, query string) {
	q, _ := url.ParseQuery(query) // what can't be read isn't there
	run := q.Get("run")
	branch, err := strconv.Atoi(q.Get("branch"))
	if err != nil {
		branch = -1
	}
	whole := false
	write := func(log room.Log) {
		to := &pieces{ctx: ctx, c: c, yield: e.yield}
		whole = log.WriteTrace(ctx, to)
		to.post()
	}
	err = nil
	if log, _, found := e.runs.Log(run, branch); found {
		write(log)
	} else if scenario := q.Get("scenario"); scenario != "" {
		far := func(events int) { c.say(ctx, &protocol.Progress{Do: protocol.Open, Events: events}) }
		err = e.runs.Repeat(ctx, "page", scenario, q["fault"], far, write)
	}
	if ctx.Err() != nil {
		return
	}
	if err == nil && !whole {
		err = room.NotKept(run)
	}
	if err != nil {
		c.say(ctx, &protocol.Refusal{Do: protocol.Open, Why: sentence.From(err)})
		return
	}
	worker.Post("saved", c.id, js.ValueOf(room.TraceFile(run, branch)))
}

// pieces is a Writer that sends a page what is written.
type pieces struct {
	ctx   context.Context
	c     *connection
	yield func()
	next  bytes.Buffer
}

// pieceSize is the least size of a piece but the last, in bytes.
const pieceSize = 1 << 20

// Write adds to the next piece.
func (p *pieces) Write(b []byte) (int, error) {
	p.next.Write(b)
	if p.next.Len() >= pieceSize {
		p.post()
	}
	p.yield()
	return len(b), p.ctx.Err()
}

func (p *pieces) post() {
	if p.ctx.Err() == nil {
		worker.Post("piece", p.c.id, worker.Buffer(p.next.Bytes()))
	}
	p.next.Reset()
}
