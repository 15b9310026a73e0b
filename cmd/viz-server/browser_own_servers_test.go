package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// ourOwnServers looks at which of two servers decides about a class, and how the other one takes over when that is
// killed.
func ourOwnServers(t *testing.T, b *browser) {
	n := natstest.Start(t)
	serves := func() started {
		s := startServer(t, "--nats", n.URL())
		s.linked(t)
		return s
	}
	first, second := serves(), serves()
	name, _ := webtest.BeginClass(t, first.Server, "/lab")
	webtest.Enter(t, second.Server, name, learner("ann")).Until(tells("you"))
	w := desktop
	w.still = false
	v := visit(t, b.ctx, second.URL, w)
	v.open("/zoo/servers")
	v.wait("stage", "ready")
	v.wait("host", "zoo")
	logged := func(text string, times int) {
		t.Helper()
		v.search(text) // it stays, whatever else happens
		v.until(text, func() bool { return strings.Count(v.text("#log"), text) == times })
		v.search("")
	}
	logged("entry.set", 1)
	v.shoot("zoo/servers")
	first.signal(t, syscall.SIGKILL)
	logged("client.started", 2)
	logged("entry.gone", 1)
	logged("entry.set", 2)
	v.until("the verdict", func() bool { return strings.Contains(v.text("main"), "No late write is taken") })
	if text := v.text("main"); strings.Contains(text, name) {
		t.Errorf("the page tells the class's name: %s", text)
	}
	v.shoot("zoo/servers-after")
	phone := visit(t, b.ctx, second.URL, upright)
	phone.open("/zoo/servers")
	phone.wait("stage", "ready")
	phone.shoot("zoo/servers phone")
}
