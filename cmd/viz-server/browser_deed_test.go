package main

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// counter is a simulated cluster that counts its runs.
type counter struct{ runs atomic.Int32 }

func (c *counter) Place(s run.Scenario) run.Scenario { return s }

func (c *counter) Header(s run.Scenario) event.Header { return s.Header(event.Cluster) }

func (c *counter) Run(ctx context.Context, s run.Scenario, sink event.Sink, _ <-chan fault.Fault) error {
	c.runs.Add(1)
	return run.Sim(ctx, s, sink)
}

func (c *counter) Observed(path string) event.Header {
	return event.Header{Host: event.Observed, Root: path}
}

func (c *counter) AskWatches(context.Context) error { return nil }

func (c *counter) Observe(ctx context.Context, _ event.Header, _ event.Sink) error {
	<-ctx.Done()
	return ctx.Err()
}

func (c *counter) Sweep(context.Context) error { return nil }

// liveByDeed opens addresses that ask for a run on a real ZooKeeper. It may run only once the button is pressed.
func liveByDeed(t *testing.T, b *browser) {
	zk := new(counter)
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: []string{"zk1.school:2181"}, Cluster: zk}), desktop)
	v.open("/lessons/" + b.book.Lessons[0].Slug)
	v.wait("host", "sim")
	v.says(`delete document.documentElement.dataset.host`)
	v.says(`document.getElementById("stage").src = "/stage?lesson=` + b.book.Lessons[0].Slug + `&host=live"`)
	v.wait("host", "sim")
	v.open("/lab/compare?recipe=unique-lock&recipe=predecessor-lock&clients=2,10,50&live=1")
	v.wait("runs", "6")
	v.shoot("lab/live-asked")
	if n := zk.runs.Load(); n != 0 {
		t.Errorf("%d runs on the cluster before the reader did anything", n)
	}
	v.click("button[formmethod=post]")
	v.wait("runs", "12")
	v.until("12 rows that say where they come from", func() bool { return v.count("td.host") == 12 })
	v.shoot("lab/live")
	v.says("location.reload()")
	v.until("the page to be loaded again",
		func() bool { return v.says("performance.getEntriesByType('navigation')[0].type") == "reload" })
	v.wait("runs", "12")
	if n := zk.runs.Load(); n != 6 {
		t.Errorf("%d runs on the cluster, want 6", n)
	}
	v.resize(upright)
	if over := v.integer("document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("on a phone the page is %d px too wide", over)
	}
	v.says("document.querySelector('button[formmethod=post]').scrollIntoView()")
	v.shoot("lab/live-phone")
}
