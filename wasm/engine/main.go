//go:build js && wasm

package main

import (
	"context"
	"runtime/debug"
	"syscall/js"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/run/room"
	_ "github.com/zkviz/zkviz/recipes"
	"github.com/zkviz/zkviz/wasm/worker"
)

// Limits of what is computed in a page, in bytes. With more than memory, garbage is collected as often as needed, and
// otherwise when the heap has grown by growth percent, since a program's memory never shrinks. A herd of a thousand
// takes a third.
const (
	memory = 192 << 20
	logs   = 64 << 20
	growth = 25
)

func main() {
	debug.SetGCPercent(growth)
	debug.SetMemoryLimit(memory)
	e := &engine{connections: map[int]*connection{}, files: map[string][]byte{}, yield: newTurns().yield}
	e.runs = room.New(room.Config{File: e.take, Page: true, Memory: logs, Yield: e.yield})
	worker.Serve(e.receive)
}

// engine serves the connections of a page. Its goroutines share one thread, and none gives it up while it changes a
// map.
type engine struct {
	runs        *room.Runs
	connections map[int]*connection
	files       map[string][]byte // handed over and not opened yet
	yield       func()            // gives the worker's event loop a turn
}

// receive handles a message of the page.
func (e *engine) receive(m js.Value) {
	if kind := m.Get("kind").String(); kind == "file" {
		e.files[m.Get("name").String()] = worker.Bytes(m.Get("data"))
		return
	} else if id := m.Get("id").Int(); kind == "open" {
		e.open(id)
	} else if about := questions[kind]; about != nil {
		e.answer(id, m, about)
	} else if c := e.connections[id]; c != nil {
		c.receive(kind, m.Get("data"))
	}
}

// open serves a connection until it ends.
func (e *engine) open(id int) {
	ctx, cut := context.WithCancel(context.Background())
	c := &connection{id: id, cut: cut, requests: make(chan []byte, protocol.RequestBurst),
		underWay: make(chan struct{}, framesUnderWay)}
	c.save = func(query string) { e.save(ctx, c, query) }
	e.connections[id] = c
	go func() {
		if place, err := e.runs.Connect("page", cut); err == nil {
			e.runs.Serve(ctx, context.Background(), place, c)
			place.Leave()
		}
		cut()
		delete(e.connections, id)
		worker.Post("close", id, js.Undefined())
	}()
}

// take returns a file, and forgets it.
func (e *engine) take(name string) (text []byte, ok bool) {
	text, ok = e.files[name]
	delete(e.files, name)
	return text, ok
}
