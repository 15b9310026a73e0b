package web_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/testing/redistest"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// addressed finds the addresses that a page makes the browser or our scripts open.
var addressed = regexp.MustCompile(
	`(?:href|src|action|formaction|data-address|data-from|data-to|data-program|data-words)="(/[^"]*)"`)

// TestBelowAPath checks one page of each kind in two languages: all its addresses are below the base path, and its
// files exist.
func TestBelowAPath(t *testing.T) {
	zk, _ := webtest.Counting()
	const base = "/team/zkviz"
	srv := webtest.Serve(t, web.Config{
		Base: base, Pseudo: true, Zoo: webtest.NewZoo(), Redis: redistest.Simulated(t, port.Config{}),
		ZK: []string{"127.0.0.1:1"}, Cluster: zk,
	})
	seen := map[string]bool{}
	for _, lang := range []page.Lang{uistrings.Source, uistrings.Pseudo} {
		for _, at := range []string{
			"/", "/nowhere", "/live", "/live?path=/a", "/zoo", "/zoo/redis", "/zoo/servers",
			"/lab", "/lab?recipe=children-lock&seed=2",
			"/lab/compare?clients=2", "/locks?clients=2", "/lessons/the-herd", "/lessons/the-fence", "/recipes",
			"/glossary", "/search?q=herd", "/stage",
		} {
			_, _, body := webtest.Get(t, srv.URL+base+lang.To(at))
			all := addressed.FindAllStringSubmatch(body, -1)
			if len(all) == 0 {
				t.Errorf("%s names nothing", lang.To(at))
			}
			for _, m := range all {
				address := strings.ReplaceAll(m[1], "&amp;", "&")
				if !strings.HasPrefix(address, base+"/") {
					t.Errorf("%s names %s", lang.To(at), address)
				}
				seen[address] = true
			}
		}
	}
	for address := range seen {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(u.Path, base+"/static/") || strings.HasPrefix(u.Path, base+"/static/built/") {
			continue // one page of each kind was opened already; files under built may be missing
		}
		if status, _, _ := webtest.Get(t, srv.URL+u.Path); status != http.StatusOK {
			t.Errorf("%s: %d", u.Path, status)
		}
	}
}

// TestRedirectsBelowAPath checks that redirects stay below the base path, and that outside there is only the way to it.
func TestRedirectsBelowAPath(t *testing.T) {
	zk, _ := webtest.Counting()
	srv := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true, ZK: []string{"127.0.0.1:1"}, Cluster: zk})
	for path, want := range map[string]string{
		"/":                               "/zkviz/",
		"/zkviz":                          "/zkviz/",
		"/zkviz/en-XA":                    "/zkviz/en-XA/",
		"/zkviz/lessons/99-the-herd":      "/zkviz/lessons/the-herd",
		"/zkviz/en-XA/lessons/4-the-herd": "/zkviz/en-XA/lessons/the-herd",
		"/zkviz/favicon.ico":              "/zkviz/static/icon.svg",
		"/zkviz//recipes":                 "/zkviz/recipes",
	} {
		status, h, _ := webtest.Ask(t, srv.Client(), "GET", srv.URL+path, "")
		if status/100 != 3 || h.Get("Location") != want {
			t.Errorf("%s: %d to %q, want %q", path, status, h.Get("Location"), want)
		}
	}
	for _, path := range []string{"/lab", "/static/app.css", "/ws", "/zkvizlab", "/en-XA/lab"} {
		if status, _, _ := webtest.Get(t, srv.URL+path); status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
	for path, query := range map[string]string{"/zkviz/lab/compare": comparing, "/zkviz/en-XA/lab/compare": comparing} {
		status, h, _ := webtest.Ask(t, srv.Client(), "POST", srv.URL+path, query, "Origin", srv.URL)
		if status != http.StatusSeeOther || !strings.HasPrefix(h.Get("Location"), path+"?") {
			t.Errorf("a post to %s: %d to %q", path, status, h.Get("Location"))
		}
	}
	for _, path := range []string{"/zkviz/ws", "/zkviz/en-XA/ws"} {
		ctx, cancel := context.WithCancel(t.Context())
		conn, _, err := websocket.Dial(ctx, srv.URL+path, &websocket.DialOptions{HTTPHeader: http.Header{
			"Origin": {srv.URL}}})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else {
			_ = conn.CloseNow()
		}
		cancel()
	}
}
