package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// locksOfACluster watches the list of locks change without losing the focus, walks through it by keyboard, and opens
// a handover on the stage. The stage says when a lock's past is gone. There it also asks for watchers.
func locksOfACluster(t *testing.T, b *browser) {
	server, conn := inside(t)
	addr := []string{server}
	create := func(path string, flags int32) string {
		t.Helper()
		made, err := conn.Create(path, nil, flags, zk.WorldACL(zk.PermAll))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	const own = zk.FlagEphemeral | zk.FlagSequence
	create("/app", 0)
	v := visit(t, b.ctx, b.serve(t, web.Config{ZK: addr,
		Sessions: sessions.New(sessions.Config{Servers: addr}),
		Ensemble: ensemble.New(inquiry.Servers(addr, access.Dialer{}, nil), access.Dialer{}, 0)}), desktop)
	hidden := func() bool { return v.says("String(document.querySelector('.held-table').hidden)") == "true" }
	v.open("/live/locks?path=/app")
	if !hidden() {
		t.Error("there is a table of nothing")
	}
	create("/app/a", 0)
	first, second := create("/app/a/lock-", own), create("/app/a/lock-", own)
	row := func(path, what string) string { return `tr[data-path="` + path + `"] ` + what }
	said := func(path, what string) {
		t.Helper()
		v.until(path+" with "+what, func() bool { return strings.Contains(v.text(row(path, "")), what) })
	}
	v.until("the table", func() bool { return !hidden() })
	said("/app/a", "a lock")

	// The line about the servers unfolds, and stays so while what it shows changes.
	v.click("#ensemble-line")
	const zxid = `.server-table td[data-column="Last zxid"]`
	was := v.text(zxid)
	create("/other", 0)
	v.until("another zxid", func() bool { return v.text(zxid) != was })
	if got := v.says("String(document.querySelector('.servers').open)"); got != "true" {
		t.Errorf("the servers are open: %s", got)
	}
	// A row unfolds by keyboard to those that wait, and stays unfolded while the list changes.
	v.says("document.querySelector('" + row("/app/a", "summary") + "').focus(), ''")
	v.press(kb.Enter)
	unfolded := func(what string) string {
		return v.says("String(document.querySelectorAll('" + row("/app/a", "details[open] "+what) + "').length)")
	}
	third := create("/app/a/lock-", own)
	v.until("both that wait", func() bool { return unfolded("ol li") == "2" })
	v.shoot("live/queue")
	if err := conn.Delete(third, -1); err != nil {
		t.Fatal(err)
	}
	v.until("the one that left", func() bool { return unfolded("ol li") == "1" && unfolded("ul li") == "1" })
	if got := v.says("document.activeElement.tagName"); got != "SUMMARY" {
		t.Errorf("the focus is at %s, not at what unfolds the row", got)
	}
	v.press(kb.Enter)
	v.until("the folded row", func() bool { return unfolded("ol li") == "0" })

	// Changes must not disturb a reader who is about to search.
	v.says("window.stayed = document.querySelector('" + row("/app/a", "a") + "'), ''")
	v.click("[name=text]")
	v.press("b")
	if err := conn.Delete(first, -1); err != nil {
		t.Fatal(err)
	}
	v.until("the handover to the second", func() bool {
		return v.says("String(!!document.querySelector(`"+row("/app/a", `[href*="lock-0000000001"]`)+"`))") == "true"
	})
	said("/app/a", "got it") // reading doesn't show who released it
	create("/app/b", 0)
	create("/app/b/lock-", own)
	said("/app/b", "a lock")
	if got := v.says("[document.activeElement.name, document.activeElement.value, " +
		"stayed === document.querySelector('" + row("/app/a", "a") + "')].join()"); got != "text,b,true" {
		t.Errorf("a list that has changed has %s", got)
	}

	// Moving between rows and handovers keeps the focus across updates.
	v.says("document.activeElement.blur(), ''")
	at := func(path, href string) {
		t.Helper()
		got := v.says("((a) => (a.closest('tr')?.dataset.path ?? '') + ' ' + (a.getAttribute('href') ?? ''))(" +
			"document.activeElement)")
		if !strings.HasPrefix(got, path+" "+href) {
			t.Errorf("the keys lead to %s, not to %s of %s", got, href, path)
		}
	}
	v.press(kb.ArrowDown)
	at("/app/a", "/live?")
	v.press(kb.ArrowDown)
	at("/app/b", "/live?")
	v.press(kb.ArrowUp, kb.ArrowRight)
	at("/app/a", "/live/moment?")
	v.press(kb.ArrowLeft)
	at("/app/a", "/live?")
	v.press(kb.ArrowRight)
	before := v.says("document.activeElement.href")
	if err := conn.Delete(second, -1); err != nil {
		t.Fatal(err)
	}
	v.until("the next handover", func() bool { return v.says("document.activeElement.href") != before })
	at("/app/a", "/live/moment?")
	v.shoot("live/locks")

	// When updates fail, the list must not look current.
	v.says("window.asks = window.fetch, window.fetch = async () => new Response('', { status: 500 }), ''")
	v.until("that the list is old", func() bool { return strings.Contains(v.text("#lock-state"), "the state at") })
	v.says("window.fetch = async () => new Response('<p>sign in</p>'), ''")
	v.says("document.getElementById('lock-state').textContent = '', ''")
	v.until("that the list is old, where another page is", func() bool {
		return strings.Contains(v.text("#lock-state"), "the state at")
	})
	v.says("window.fetch = window.asks, ''")
	v.until("that it isn't any more", func() bool { return strings.Contains(v.text("#lock-state"), "shown;") })
	at("/app/a", "/live/moment?")

	// One more key opens that moment on the stage.
	v.press(kb.Enter)
	v.wait("stage", "ready")
	v.wait("file", "other")
	v.wait("selected", second)
	v.wait("playing", "false")
	v.until("the moment of the second handover, not of the first", func() bool {
		return strings.Contains(v.text("#log [aria-current]"), "lock-001") && v.number("atMs") > 0
	})
	v.until("the answers of then", func() bool {
		return v.text("#holding-where") == "/app/a" && strings.Contains(v.text("#holding-now"), "nobody")
	})
	v.shoot("live/moment")

	v.open("/live/moment?path=/app/a&moment=1")
	v.wait("stage", "ready")
	v.until("that it is kept no more", func() bool {
		return strings.Contains(v.text("#link:not([hidden])"), "begins after that moment")
	})
	v.wait("playing", "true") // at the live edge
	if _, _, _, err := conn.GetW("/app/b/lock-0000000000"); err != nil {
		t.Fatal(err)
	}
	v.open("/live?path=/app/b")
	v.wait("stage", "ready")
	v.until("the lock", func() bool { return strings.Contains(v.text("#log"), "lock-000") })
	v.click("[data-command=watches]")
	v.until("who watches", func() bool { return strings.Contains(v.text("#log"), "watch") })
	lastHour(t, v, func() { create("/app/a/lock-", own) })
}

// lastHour opens the last hour of a lock by keyboard from the list, which keeps the focus while turn makes it change
// hands.
func lastHour(t *testing.T, v *visitor, turn func()) {
	v.open("/live/locks?path=/app")
	const link = `tr[data-path="/app/a"] [href*="/live/locks/hour"]`
	v.until("the link to the last hour", func() bool { return v.count(link) == 1 })
	v.says("document.querySelector('" + link + "').focus(), ''")
	moment := func() string {
		return v.says("document.querySelector('tr[data-path=\"/app/a\"] [href*=\"/live/moment\"]')?.href")
	}
	was := moment()
	turn()
	v.until("another handover", func() bool { return moment() != was })
	v.press(kb.Enter)
	v.until("the page of the last hour", func() bool { return strings.Contains(v.text("h1"), "The last hour of /app/a") })
	if n := v.count(".hold-table tbody tr"); n < 3 || v.count(".hold-strip rect") < 1 {
		t.Errorf("it has %d holds", n)
	}
	v.shoot("live/hour")
	v.says("document.querySelector('[name=why]').value = 'expired', ''")
	v.click("form .primary")
	v.until("those that expired: none", func() bool { return strings.Contains(v.text("main"), "No hold like that.") })
}
