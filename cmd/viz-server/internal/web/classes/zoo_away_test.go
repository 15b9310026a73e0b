package classes_test

import (
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/class/across"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// among serves with a ZooKeeper inside, among others with the same NATS.
func among(t *testing.T, url string) *httptest.Server {
	t.Helper()
	lines, err := across.New(across.Config{Shared: shared.Config{URL: url, Lease: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lines.Close)
	inside, err := embed.Listen(embed.Config{Tick: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inside.Close() })
	return webtest.Serve(t, web.Config{Zoo: inside, Classes: lines,
		Live: relay.New(lines.Bus, slog.New(slog.DiscardHandler))})
}

// TestZooAway checks that a class's clients are seen at each server, by those who name the class, and that nobody does
// anything to them from there.
func TestZooAway(t *testing.T) {
	n := natstest.Start(t)
	first, second := among(t, n.URL()), among(t, n.URL())
	name, secret := webtest.BeginClass(t, first, "/zoo")
	page := webtest.Dial(t, second)
	open := `{"do":"zoo","path":"/zkviz/queue","class":"` + name + `"}`
	page.Send(open)
	if v := page.Until(webtest.OfKind("error")); !strings.Contains(v.Text, "doesn't know the class") || v.AgainMS == 0 {
		t.Errorf("of a class that the server doesn't know, it says %+v", v)
	}
	teacher := webtest.Enter(t, first, name, hello(secret))
	teacher.Send(herd)
	there, here := webtest.Enter(t, second, name, join(1)), webtest.Enter(t, first, name, join(2))
	is := func(p *webtest.Pupil, is string) {
		t.Helper()
		p.Until(func(v webtest.View) bool { return v.Is == is })
	}
	is(there, "none")
	there.Send(`{"do":"take"}`)
	is(there, "holds")
	sees := func(p *webtest.Client, kind event.Kind, text string) {
		t.Helper()
		for !slices.ContainsFunc(p.Logs[0], func(e event.Event) bool { return e.Kind == kind && e.Text == text }) {
			p.Next()
		}
	}
	page.Send(open)
	away := page.Until(webtest.OfKind("run"))
	sees(page, event.RecipeNote, "L1")
	sees(page, event.RecipePhase, "holding")
	is(here, "none")
	here.Send(`{"do":"take"}`)
	is(here, "waits")
	sees(page, event.RecipeNote, "L2")
	if v := there.Until(func(v webtest.View) bool { return v.Client != "" }); v.Client != "client-1" {
		t.Errorf("the first client's name is %s in the log that all see", v.Client)
	}
	for send, want := range map[string]string{
		`{"do":"contend","clients":1}`:                                               "inside another server",
		`{"do":"fault","branch":0,"fault":"crash client-1 at 1s"}`:                   "not ours",
		`{"do":"fault","branch":0,"fault":"restart server at 1s for 2s"}`:            "inside another server",
		`{"do":"zoo","path":"/zkviz/queue","system":"redis","class":"` + name + `"}`: "no \"redis\" runs inside",
	} {
		page.Send(send)
		if v := page.Until(webtest.OfKind("error")); !strings.Contains(v.Text, want) {
			t.Errorf("%s: %q, want %q", send, v.Text, want)
		}
	}
	both := webtest.Dial(t, second)
	both.Send(open)
	if again := both.Until(webtest.OfKind("run")); again.Run != away.Run {
		t.Errorf("another page gets the run %s, want %s", again.Run, away.Run)
	}
	own := webtest.Dial(t, second)
	own.Send(`{"do":"zoo","path":"/zkviz/queue"}`)
	ownRun := own.Until(webtest.OfKind("run")).Run
	if ownRun == away.Run {
		t.Error("who names no class doesn't see this server's own ZooKeeper")
	}
	atOwner := webtest.Dial(t, first)
	atOwner.Send(open)
	was := atOwner.Until(webtest.OfKind("run"))
	atOwner.Send(`{"do":"zoo","path":"/zkviz/queue"}`)
	if v := atOwner.Until(webtest.OfKind("run")); v.Run != was.Run {
		t.Error("where the clients are, the class's run is another than that without it")
	}
	sees(atOwner, event.RecipeNote, "L2")
	teacher.Send(`{"do":"clients"}`)
	there.Until(func(v webtest.View) bool { return v.Say == "class" && v.Lock == nil })
	after := webtest.Dial(t, second)
	after.Send(open)
	if v := after.Until(webtest.OfKind("run")); v.Run != ownRun {
		t.Error("of a class without clients, another server's ZooKeeper is shown")
	}
}
