package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// formReader posts forms as a page of a server does, and follows where they lead.
type formReader struct {
	t      *testing.T
	server string
}

// post sends a form from a page of that origin, and returns the answer's status, address and text.
func (b *formReader) post(from, to string, form url.Values) (status int, at, text string) {
	b.t.Helper()
	return b.ask(http.MethodPost, to, form.Encode(), "Origin", from)
}

func (b *formReader) get(at string) (status int, to, text string) {
	b.t.Helper()
	return b.ask(http.MethodGet, at, "")
}

// ask sends a request, and follows a redirect.
func (b *formReader) ask(method, to, body string, headers ...string) (status int, at, text string) {
	b.t.Helper()
	status, header, text := webtest.Ask(b.t, http.DefaultClient, method, b.server+to, body, headers...)
	if next := header.Get("Location"); next != "" {
		return b.get(next)
	}
	return status, to, text
}

// startReader starts a server, and a reader of its pages.
func startReader(t *testing.T, args ...string) (b *formReader, stop func() (int, string)) {
	t.Helper()
	address, stop := served(t, args...)
	return &formReader{t: t, server: strings.TrimSuffix(address, "/")}, stop
}

// TestTyped types an address on the page of a server that has none: it leads to the locks there, stays in the list of
// recent ones, and can be forgotten. Neither a page nor the log has the credentials, and other pages can't do it.
func TestTyped(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeLocks(t, conn)
	b, stop := startReader(t)
	form := url.Values{"zk": {addr + "/jobs"}, "auth": {"digest:ann:" + planted}}
	where := url.Values{"cluster": {addr + "/jobs"}}.Encode()

	if status, _, text := b.get("/live"); status != http.StatusOK || !strings.Contains(text, `action="/live/connect"`) {
		t.Errorf("%d, and the page has no form:\n%s", status, text)
	}
	for _, from := range []string{"http://evil.example", "null", b.server + "0"} {
		if status, _, _ := b.post(from, "/live/connect", form); status != http.StatusForbidden {
			t.Errorf("a page of %s gets %d", from, status)
		}
	}
	if status, _, text := b.get("/live/locks?" + where); status != http.StatusBadRequest ||
		strings.Contains(text, "lock-") {
		t.Errorf("before it is typed: %d", status)
	}
	wrong := url.Values{"zk": {"http://a/<b>"}, "auth": {planted}}
	if status, _, text := b.post(b.server, "/live/connect", wrong); status != http.StatusBadRequest || !strings.Contains(text, `value="http://a/&lt;b&gt;"`) || strings.Contains(text, planted) {
		t.Errorf("of a wrong address it says %d:\n%s", status, text)
	}
	if status, _, text := b.post(b.server, "/live/connect", url.Values{"zk": {addr}, "auth": {planted}}); status !=
		http.StatusBadRequest || strings.Contains(text, planted) {
		t.Errorf("of wrong credentials it says %d:\n%s", status, text)
	}
	status, at, text := b.post(b.server, "/live/connect", form)
	for end := time.Now().Add(time.Minute); !strings.Contains(text, "/l0") && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
		_, _, text = b.get(at)
	}
	if status != http.StatusOK || at != "/live/locks?"+where || !strings.Contains(text, "/l0") {
		t.Errorf("it leads to %s: %d\n%s", at, status, text)
	}
	for page, want := range map[string]bool{"/live": true, "/live?path=/l0&" + where: false} {
		if status, _, text = b.get(page); status != http.StatusOK || strings.Contains(text, "Connected before") != want ||
			!strings.Contains(text, addr+"/jobs") {
			t.Errorf("%s: %d\n%s", page, status, text)
		}
	}
	status, at, text = b.post(b.server, "/live/forget", url.Values{"cluster": {addr + "/jobs"}})
	if status != http.StatusOK || at != "/live" || strings.Contains(text, addr) {
		t.Errorf("forgotten, it is at %s: %d\n%s", at, status, text)
	}
	if status, _, _ = b.get("/live/locks?" + where); status != http.StatusBadRequest {
		t.Errorf("forgotten, its locks are there: %d", status)
	}
	if code, log := stop(); code != exitOK || strings.Contains(log, planted) {
		t.Errorf("exit code %d\n%s", code, log)
	}
}

// TestTypedByOthers checks that a server that others can reach keeps to the list of its operator.
func TestTypedByOthers(t *testing.T) {
	t.Parallel()
	b, stop := startReader(t, "--allow-host", "viz.example.com")
	if _, _, text := b.get("/live"); strings.Contains(text, "/live/connect") {
		t.Error("the page has a form")
	}
	for _, at := range []string{"/live/connect", "/live/forget"} {
		if status, _, text := b.post(b.server, at, url.Values{"zk": {"127.0.0.1:1"}}); status != http.StatusForbidden ||
			!strings.Contains(text, "operator") {
			t.Errorf("%s: %d, %s", at, status, text)
		}
	}
	if code, log := stop(); code != exitOK {
		t.Errorf("exit code %d\n%s", code, log)
	}
}
