package classes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/run/class"
)

// post posts a form from a page of the server, or from another.
func post(t *testing.T, srv *httptest.Server, at, origin string, form url.Values) (int, http.Header, string) {
	t.Helper()
	return webtest.Ask(t, http.DefaultClient, http.MethodPost, srv.URL+at, form.Encode(), "Origin", origin,
		"Accept", "text/html")
}

// TestBegin checks how a class begins: at a page of this server, from a page of this server, and so many times.
func TestBegin(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	at := url.Values{"page": {"/lessons/the-herd"}, "step": {"release"}, "query": {"at=2s&select=client-3"}}
	if status, _, _ := post(t, srv, "/class/begin", "http://evil.example", at); status != http.StatusForbidden {
		t.Errorf("a foreign page begins a class: %d", status)
	}
	for _, where := range []string{"https://evil.example/", "//evil.example/", "/../other", "nowhere", ""} {
		if status, _, body := post(t, srv, "/class/begin", srv.URL, url.Values{"page": {where}}); status != 400 ||
			!strings.Contains(body, "is no page of this server") {
			t.Errorf("a class at %q: %d", where, status)
		}
	}
	status, h, _ := post(t, srv, "/class/begin", srv.URL, at)
	to := regexp.MustCompile(`^/class/([a-z0-9]{6})#teach=[-_A-Za-z0-9]{27}$`).FindStringSubmatch(h.Get("Location"))
	if status != http.StatusSeeOther || to == nil || h.Get("Cache-Control") != "no-store" {
		t.Fatalf("the class is %d at %q", status, h.Get("Location"))
	}
	_, _, door := webtest.Get(t, srv.URL+"/class/"+to[1])
	for _, want := range []string{
		"Join class " + to[1], `href="/lessons/the-herd?at=2s&amp;select=client-3#release"`,
		strings.TrimPrefix(srv.URL, "http://") + "<wbr>/class/" + to[1] + "<", `src="/class/` + to[1] + `/qr.svg"`,
		"Only this machine can open this address", "--addr 0.0.0.0:8080", `action="/class/` + to[1] + `/results"`,
	} {
		if !strings.Contains(door, want) {
			t.Errorf("the door has no %q", want)
		}
	}
	for range class.MaxClassesOfOne - 1 {
		webtest.BeginClass(t, srv, "/lab")
	}
	if status, _, body := post(t, srv, "/class/begin", srv.URL, at); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "10 classes were started from your address") {
		t.Errorf("one class too many: %d", status)
	}
}

// TestPages checks the pages about classes, and those of a class that isn't there.
func TestPages(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, secret := webtest.BeginClass(t, srv, "/lab")
	if _, _, all := webtest.Get(t, srv.URL+"/class"); !strings.Contains(all, `action="/class/begin"`) {
		t.Error("the page begins no class")
	}
	for given, want := range map[string]string{name: name, strings.ToUpper(name[:3]) + "-" + name[3:]: name} {
		status, h, _ := webtest.Ask(t, http.DefaultClient, "GET", srv.URL+"/class?name="+url.QueryEscape(given), "")
		if status != http.StatusSeeOther || h.Get("Location") != "/class/"+want {
			t.Errorf("%q leads to %q, %d", given, h.Get("Location"), status)
		}
	}
	if status, _, body := webtest.Get(t, srv.URL+`/class?name="><script>`); status != 400 ||
		!strings.Contains(body, "has 6 letters and digits") || strings.Contains(body, `"><script>`) {
		t.Errorf("a name that is none: %d", status)
	}
	for _, none := range []string{"zzzzzz", "%22%3E%3Cscript%3E", strings.Repeat("x", 5000)} {
		status, _, body := webtest.Get(t, srv.URL+"/class/"+none)
		if status != 404 || !strings.Contains(body, "There is no class") || strings.Contains(body, `"><script>`) ||
			len(body) > 40_000 {
			t.Errorf("class %.40s: %d", none, status)
		}
		if status, _, _ := webtest.Get(t, srv.URL+"/class/"+none+"/qr.svg"); status != 404 {
			t.Errorf("it has a code: %d", status)
		}
	}
	if _, _, bar := webtest.Get(t, srv.URL+"/class/bar"); !strings.HasPrefix(bar, `<div class="class-row">`) {
		t.Errorf("the bar is %.100s", bar)
	}
	for _, at := range []string{"/lessons/the-herd", "/lab", "/class"} {
		_, _, body := webtest.Get(t, srv.URL+at)
		if n := strings.Count(body, ` id="class"`); n != 1 {
			t.Errorf("%s has %d bars", at, n)
		}
		if has := strings.Contains(body, `class="class-start"`); has != (at != "/class") {
			t.Errorf("%s starts a class: %v", at, has)
		}
	}
	p := webtest.Enter(t, srv, name, fmt.Sprintf(`{"do":"hello","secret":%q}`, secret))
	p.Send(`{"do":"end"}`)
	p.Until(func(v webtest.View) bool { return v.Ended })
	if status, _, body := webtest.Get(t, srv.URL+"/class/"+name); status != 404 ||
		!strings.Contains(body, "Class "+name+" is over") || !strings.Contains(body, `id="class-results"`) {
		t.Errorf("a class that is over: %d", status)
	}
}

// TestExportedHasNoClass checks that a site of files has nothing of classes.
func TestExportedHasNoClass(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Exported: "/"})
	if status, _, _ := webtest.Get(t, srv.URL+"/class"); status != 404 {
		t.Errorf("a site of files has classes: %d", status)
	}
	for _, at := range []string{"/lessons/the-herd", "/lab"} {
		if _, _, body := webtest.Get(t, srv.URL+at); strings.Contains(body, `id="class"`) ||
			strings.Contains(body, "class-start") {
			t.Errorf("%s of a site of files has a class", at)
		}
	}
}

// TestResults checks who gets a class's results, and as what.
func TestResults(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, secret := webtest.BeginClass(t, srv, "/lab")
	p := webtest.Enter(t, srv, name, `{"do":"join","key":"0123456789abcdef","name":"=cmd|' /C calc'!A0","follows":true}`)
	p.Until(func(v webtest.View) bool { return v.Say == "you" })
	at := "/class/" + name + "/results"
	status, h, body := post(t, srv, at, srv.URL, url.Values{"secret": {secret}, "form": {"csv"}})
	if status != 200 || h.Get("Content-Disposition") != `attachment; filename="class-`+name+`.csv"` ||
		!strings.HasPrefix(body, "\ufeffnumber,name,joined\n1,'=cmd|' /C calc'!A0,") {
		t.Errorf("the table is %d %v\n%s", status, h, body)
	}
	status, h, body = post(t, srv, at, srv.URL, url.Values{"secret": {secret}, "form": {"json"}})
	if status != 200 || h.Get("Content-Type") != "application/json" || !strings.Contains(body, `"class": "`+name+`"`) {
		t.Errorf("the JSON is %d %v\n%s", status, h, body)
	}
	if status, _, _ := post(t, srv, at, "http://evil.example", url.Values{"secret": {secret}}); status != 403 {
		t.Errorf("a foreign page gets results: %d", status)
	}
	for i := range 12 {
		status, _, body := post(t, srv, at, srv.URL, url.Values{"secret": {"guess"}, "form": {"csv"}})
		if want := map[bool]int{true: 403, false: 429}[i < 10]; status != want || strings.Contains(body, "joined") {
			t.Errorf("guess %d: %d, want %d", i+1, status, want)
		}
	}
	if status, _, _ := post(t, srv, at, srv.URL, url.Values{"secret": {secret}}); status != 200 {
		t.Errorf("guesses have locked the teacher out: %d", status)
	}
	if status, h, _ := webtest.Ask(t, http.DefaultClient, "GET", srv.URL+at, ""); status != 303 ||
		h.Get("Location") != "/class/"+name {
		t.Errorf("without a form: %d, to %q", status, h.Get("Location"))
	}
}
