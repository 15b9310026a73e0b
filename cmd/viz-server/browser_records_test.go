package main

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/record"
)

// aRecording opens a recording from the list on the stage. It plays, allows no faults, and is read again after a
// reload. Then it opens one moment of it.
func aRecording(t *testing.T, b *browser) {
	const began = 1_790_000_000_000
	folder, err := record.Open(record.Config{Dir: t.TempDir(), Max: record.MinBytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() }) // after the server
	h := event.Header{Host: event.Observed, Root: "/app"}
	err = folder.Recorded("", h, func(_ context.Context, sink event.Sink) error {
		for i, e := range []event.Event{{Kind: event.RunStarted, Path: "/app", N: began},
			{Kind: event.ZnodeFound, Path: "/app", Zxid: 1}, {Kind: event.ClientStarted, Actor: 1},
			{Kind: event.SessionSeen, Peer: 1, Session: 0x17},
			{Kind: event.ZnodeCreated, Path: "/app/lock-0000000001", Zxid: 2, Peer: 1, Session: 0x17, At: 2 * time.Second},
			{Kind: event.ZnodeChanged, Path: "/app", Zxid: 3, At: 5 * time.Second, Text: "much later"}} {
			e.Seq = event.Seq(i + 1)
			sink.Append(e)
		}
		return nil
	})(t.Context(), &event.Log{})
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t, b.ctx, b.serve(t, web.Config{Record: folder}), desktop)
	v.open("/live/records")
	v.click("tbody th a")
	shown := func() {
		t.Helper()
		v.wait("stage", "ready")
		v.wait("file", "other")
		v.until("all of it", func() bool { return strings.Contains(v.text("#log"), "much later") })
	}
	shown()
	if note := v.text("#open-note"); note != "" {
		t.Errorf("when it is shown the page says %q", note)
	}
	if n := v.count("[data-fault]"); n != 0 {
		t.Errorf("%d faults can be done to it", n)
	}
	at := v.says("location.pathname")
	v.open(at + "?moment=" + strconv.Itoa(began+2000) + "&znode=/app/lock-0000000001")
	shown()
	v.wait("selected", "/app/lock-0000000001")
	v.wait("atMs", "2000")
	v.wait("playing", "false")
	v.until("that znode", func() bool { return strings.Contains(v.text("#log [aria-current]"), "lock-001") })
	v.shoot("live/recording")

	// If the recording is gone when the stage asks for it, the page says so and follows its own link.
	v = visit(t, b.ctx, v.url, window{width: desktop.width, height: desktop.height, still: true, noisy: true})
	v.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `document.addEventListener("DOMContentLoaded", () => {
			document.getElementById("open-note")?.setAttribute("data-url", "/api/record/gone");
		});`}))
	v.open(at)
	v.wait("stage", "empty")
	for _, where := range []string{"#stage-note", "#open-note"} {
		if text := v.text(where); !strings.HasPrefix(text, "/app cannot be shown: ") {
			t.Errorf("%s says %q of a recording that has gone", where, text)
		}
	}
	v.shoot("live/recording gone")
	v.says("(history.replaceState(null, '', '/live/records/gone'), document.dispatchEvent(new Event('zkviz-wanted')), '')")
	v.until("the page of what isn't there", func() bool { return strings.Contains(v.text("h1"), "no such page") })
}
