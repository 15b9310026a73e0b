package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// middle stands between a browser and a server, and spoils some of what the server answers. Browsers keep none of it.
type middle struct {
	url string

	mu   sync.Mutex
	file string // a part of the paths whose answers are spoiled; nothing is if it's empty
	how  spoiling
	many int // how many answers have been spoiled so far
}

// spoiling writes something else than a server's answer. It may end by a panic with http.ErrAbortHandler.
type spoiling func(to http.ResponseWriter, answer *httptest.ResponseRecorder)

func newMiddle(t *testing.T, server string) *middle {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	m := &middle{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	proxy.ModifyResponse = func(answer *http.Response) error {
		answer.Header.Set("Cache-Control", "no-store")
		return nil
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		how, spoils := m.how, m.file != "" && strings.Contains(r.URL.Path, m.file)
		if spoils {
			m.many++
		}
		m.mu.Unlock()
		if !spoils {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r)
		how(w, answer)
	}))
	m.url = s.URL
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return m
}

// spoil spoils from now on the answers for paths with this part.
func (m *middle) spoil(file string, how spoiling) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.file, m.how, m.many = file, how, 0
}

func (m *middle) spoiled() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.many
}

// instead answers with a status, a type and a text.
func instead(status int, kind, text string) spoiling {
	return func(to http.ResponseWriter, _ *httptest.ResponseRecorder) {
		to.Header().Set("Content-Type", kind)
		to.WriteHeader(status)
		fmt.Fprint(to, text)
	}
}

// header answers as the server does, with another value of a header.
func header(name string, change func(string) string) spoiling {
	return func(to http.ResponseWriter, answer *httptest.ResponseRecorder) {
		for key, values := range answer.Header() {
			to.Header()[key] = values
		}
		to.Header().Set(name, change(answer.Header().Get(name)))
		to.WriteHeader(answer.Code)
		_, _ = to.Write(answer.Body.Bytes())
	}
}

// half answers with half of the file. If it's honest, it has announced the whole.
func half(honest bool) spoiling {
	return func(to http.ResponseWriter, answer *httptest.ResponseRecorder) {
		all := answer.Body.Bytes()
		to.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		if honest {
			to.Header().Set("Content-Length", fmt.Sprint(len(all)))
		}
		_, _ = to.Write(all[:len(all)/2])
		if honest {
			panic(http.ErrAbortHandler)
		}
	}
}

// without takes a word out of a text.
func without(word string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, word, "") }
}

// badLuck opens a lesson of which one part doesn't come, or not as it should. The lesson can be read and its pictures
// seen. One sentence says why, and what to do.
func badLuck(t *testing.T, b *browser) {
	m := newMiddle(t, b.url)
	w := desktop
	w.noisy = true // the browser says what is missing
	v := visit(t, b.ctx, m.url, w)
	l, _ := b.book.Find("the-herd")
	const again = "Then try again."
	missing, trouble := instead(404, "text/plain", "not here"), instead(500, "text/plain", "oh")
	signIn := instead(200, "text/html", "<h1>Welcome to our hotel")
	for _, c := range []struct {
		name, file string
		how        spoiling
		says       []string // none if the stage shows all the same
	}{
		{"no program", "stage.", missing, []string{"didn't arrive (stage.", "wasm: 404)", again}},
		{"a server in trouble", "stage.", trouble, []string{"didn't arrive (stage.", "wasm: 500)", again}},
		{"a lost connection", ".wasm", half(true), []string{"didn't arrive (stage.", again}},
		{"half of the program", ".wasm", half(false), []string{"isn't the moving picture, or it's damaged", "Try again."}},
		{"a page to sign in", ".wasm", signIn, []string{"isn't the moving picture"}},
		{"another program", ".wasm", instead(200, "application/wasm", "\x00asm\x01\x00\x00\x00"),
			[]string{"has stopped (", "Try again."}},
		{"another type", ".wasm", header("Content-Type", func(string) string { return "text/plain" }), nil},
		{"a policy", "/lessons/the-herd", header("Content-Security-Policy", without(" 'wasm-unsafe-eval'")),
			[]string{"Content-Security-Policy forbids it", "'wasm-unsafe-eval' in script-src"}},
		{"no words", "/words.", missing, []string{"didn't arrive (words.", "json: 404)", again}},
		{"no frame", "/stage", trouble, []string{"didn't arrive (/stage)", again}},
		{"no script in the frame", "/frame.", missing, []string{"didn't arrive (/stage)", again}},
		{"half a script in the frame", "/frame.", half(false), []string{"didn't arrive (/stage)", again}},
	} {
		m.spoil(c.file, c.how)
		v.open("/lessons/" + l.Slug)
		if len(c.says) == 0 {
			v.wait("stage", "ready")
			continue
		}
		v.wait("stage", "failed")
		v.saysWhatWorks(c.says[0])
		for _, part := range c.says[1:] {
			if said := v.text("#stage-note"); !strings.Contains(said, part) {
				t.Errorf("%s: the page says %q, without %q", c.name, said, part)
			}
		}
		if v.count("#stage-again") != 1 {
			t.Errorf("%s: there is no way to try again", c.name)
		}
		v.press(kb.ArrowRight)
		v.stands(b, l, 1)
		v.inBothSizes("bad/" + c.name)
	}
}

// withoutAPart opens a lesson and the Lab without a script or a style that the whole page needs. They are what they are
// without scripts, and say so.
func withoutAPart(t *testing.T, b *browser) {
	m := newMiddle(t, b.url)
	w := desktop
	w.noisy = true
	v := visit(t, b.ctx, m.url, w)
	for _, part := range []string{"page.js", "page.css", "head.js"} {
		base, ext, _ := strings.Cut(part, ".")
		m.spoil("/"+base+".", func(to http.ResponseWriter, answer *httptest.ResponseRecorder) {
			is := strings.Replace(ext, "js", "javascript", 1)
			if kind := answer.Header().Get("Content-Type"); !strings.Contains(kind, is) {
				header("X", strings.ToLower)(to, answer)
				return
			}
			to.WriteHeader(http.StatusNotFound)
		})
		v.open("/lab")
		v.saysWhatIsMissing(base)
		v.readArticle(b, "bad/"+part)
		v.saysWhatIsMissing(base)
		if text := v.text("main"); strings.Contains(text, "Starting") {
			t.Errorf("without %s the page is still starting", part)
		}
		v.says("scrollTo(0, 0)")
		v.inBothSizes("bad/" + part)
	}
}

// strangers are scripts and styles that a host or an extension puts into a page. Some throw, and some don't come.
const strangers = `<script src="/stats.js"></script><link rel="stylesheet" href="/stats.css">
	<script>
		addEventListener("load", () => { throw new Error("no consent"); });
		document.addEventListener("zkviz", () => { throw new Error("unknown event"); });
		Promise.reject(new Error("blocked"));
		noSuchFunction();
	</script>`

// strangersFail opens a lesson into which its host puts what fails. The page says nothing of it, and works.
func strangersFail(t *testing.T, b *browser) {
	m := newMiddle(t, b.export(t, filepath.Join(t.TempDir(), "site")).url)
	w := desktop
	w.noisy = true
	v := visit(t, b.ctx, m.url, w)
	v.ends = ".html"
	m.spoil(v.ends, func(to http.ResponseWriter, answer *httptest.ResponseRecorder) {
		to.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		page := strings.Replace(answer.Body.String(), "<head>", "<head>"+strangers, 1)
		fmt.Fprint(to, strings.Replace(page, "</body>", strangers+"</body>", 1))
	})
	l, _ := b.book.Find("the-herd")
	v.enter(l)
	v.turn(kb.ArrowRight)
	v.wait("step", l.Steps[1].Anchor)
	if note := v.text("#incomplete") + v.text("#stage-note"); note != "" {
		t.Errorf("the page says %q of what isn't its own", note)
	}
}

func (v *visitor) saysWhatIsMissing(file string) {
	v.t.Helper()
	v.until("what is missing", func() bool {
		said := v.text("#incomplete")
		return strings.Contains(said, "didn't arrive: "+file+".") && strings.Contains(said, "load the page again")
	})
}

// inBothSizes takes a screenshot on a wide screen and on a phone.
func (v *visitor) inBothSizes(name string) {
	v.t.Helper()
	v.shoot(name)
	v.resize(upright)
	v.shoot(name + " on a phone")
	v.resize(desktop)
}
