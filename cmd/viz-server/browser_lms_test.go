package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// anLMS is a page of an LMS: it has SCORM 1.2's API for the page in its frame, and keeps what that says for each
// learner, and all calls.
const anLMS = `<!DOCTYPE html><meta charset="utf-8"><title>An LMS</title><body style="margin: 0">
<script>
  const asked = new URLSearchParams(location.search), key = "cmi-" + asked.get("learner");
  const cmi = JSON.parse(localStorage.getItem(key) || "{}");
  const calls = JSON.parse(localStorage.getItem("calls") || "[]");
  function called(text) {
    calls.push(text);
    localStorage.setItem("calls", JSON.stringify(calls));
    localStorage.setItem(key, JSON.stringify(cmi));
    return "true";
  }
  const given = { "cmi.core.lesson_mode": asked.get("mode") || "normal", "cmi.core.lesson_status": "not attempted" };
  window.API = {
    LMSInitialize: (no) => called("LMSInitialize(" + no + ")"),
    LMSGetValue: (name) => cmi[name] ?? given[name] ?? "",
    LMSSetValue(name, value) {
      if (typeof value !== "string") return called("a bad value of " + name), "false";
      cmi[name] = value;
      return called(name + "=" + value);
    },
    LMSCommit: (no) => called("LMSCommit(" + no + ")"),
    LMSFinish: (no) => called("LMSFinish(" + no + ")"),
    LMSGetLastError: () => "0", LMSGetErrorString: () => "", LMSGetDiagnostic: () => "",
  };
</script>
<iframe src="/package/index.html" width="800" height="600" style="border: 0"></iframe>`

// inAnLMS uploads a lesson to an LMS on another site. The LMS hears what a learner does, in two visits; the next
// learner at the machine begins anew; a teacher who looks at it changes nothing. A site that isn't allowed hears
// nothing.
func inAnLMS(t *testing.T, b *browser) {
	files := map[string][]byte{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name, ok := strings.CutPrefix(q.URL.Path, "/package/")
		if !ok {
			io.WriteString(w, anLMS)
			return
		}
		http.ServeContent(w, q, name, time.Time{}, bytes.NewReader(files[name]))
	}))
	defer server.Close()
	host := strings.Replace(server.URL, "127.0.0.1", "localhost", 1) // another site, not only another port
	tab := launch(t, chromedp.Flag("disable-site-isolation-trials", true))
	r := &reader{zkviz: b.serve(t, web.Config{Embed: []string{host}}), depth: 1}
	unpackFrom(t, r.zkviz+"/lessons/the-herd/scorm.zip", files)

	r.visitor = visit(t, tab, host, window{width: 800, height: 600, still: true})
	r.open("/?learner=1")
	r.told("cmi.core.lesson_status", "incomplete")
	const choose = "document.querySelector('#%s .choice%s input').click()"
	wrong, right := ":not([data-right])", "[data-right]"
	r.inside(fmt.Sprintf(choose, "fan", wrong), "undefined")
	r.told("cmi.core.score.raw", "0")
	r.inside(fmt.Sprintf(choose, "fan", right), "undefined") // too late
	r.inside(fmt.Sprintf(choose, "release", right), "undefined")
	r.told("cmi.core.score.raw", "25")
	r.inside("document.querySelector('.progress a[href=\"#release\"]').click()", "undefined")
	r.told("cmi.core.lesson_location", "release")
	r.shoot("lms/first visit")
	r.open("/?learner=1")
	r.told("cmi.core.exit", "suspend")
	r.inside("document.querySelector('.step[data-here]').id", "release")
	r.inside(fmt.Sprintf(choose, "look", right), "undefined")
	r.told("cmi.core.score.raw", "50")
	r.told("cmi.core.lesson_status", "incomplete")
	r.inside("document.querySelector('.progress a[href=\"#next\"]').click()", "undefined")
	r.told("cmi.core.lesson_status", "completed")

	r.open("/?learner=2")
	r.told("cmi.core.lesson_status", "incomplete")
	r.inside("document.querySelectorAll('.ask input:checked').length", "0")
	r.inside(fmt.Sprintf(choose, "fan", right), "undefined")
	r.told("cmi.core.score.raw", "25")
	before := r.says("localStorage.getItem('cmi-1')")
	if !strings.Contains(before, `"cmi.core.exit":""`) {
		t.Errorf("of the first learner, who has finished, the LMS has %s", before)
	}
	r.open("/?learner=1&mode=review")
	r.inside("document.querySelector('.progress a[href=\"#fan\"]').click()", "undefined")
	r.inside("document.querySelector('.step[data-here]').id", "fan")
	r.open("/?learner=3")
	r.told("cmi.core.lesson_status", "incomplete")
	if after := r.says("localStorage.getItem('cmi-1')"); after != before {
		t.Errorf("a look at it changes what the LMS has from %s to %s", before, after)
	}
	r.checkCalls()

	r.visitor = visit(t, tab, server.URL, window{width: 800, height: 600, still: true, noisy: true})
	r.open("/?learner=1")
	r.until("the note", func() bool {
		return strings.Contains(r.says("frames[0].document.getElementById('note').textContent"), "--embed-origin "+server.URL)
	})
	r.shoot("lms/not allowed")
	if calls := r.says("calls.join()"); calls != "LMSInitialize()" {
		t.Errorf("the LMS of a site that isn't allowed hears %s", calls)
	}
}

// told waits until the LMS has been told a value.
func (r *reader) told(name, want string) {
	r.t.Helper()
	r.until(name+" to be "+want, func() bool { return r.says("cmi['"+name+"']") == want })
}

// forms are what SCORM 1.2 wants of values.
var forms = map[string]string{
	"cmi.core.lesson_status":   `completed|incomplete`,
	"cmi.core.lesson_location": `[a-z-]{1,255}`,
	"cmi.core.score.raw":       `\d\d?|100`, "cmi.core.score.min": `0`, "cmi.core.score.max": `100`,
	"cmi.core.session_time": `\d\d\d?\d?:[0-5]\d:[0-5]\d`,
	"cmi.core.exit":         `suspend|`,
	"cmi.suspend_data":      `\{"v":1,.{1,1000}\}`,
}

// checkCalls checks that each visit is one session, in which the LMS gets values of the right form.
func (r *reader) checkCalls() {
	r.t.Helper()
	running, sessions := false, 0
	for _, call := range strings.Split(r.says("calls.join('\\n')"), "\n") {
		name, value, sets := strings.Cut(call, "=")
		switch {
		case call == "LMSInitialize()" && !running:
			running = true
			sessions++
		case call == "LMSFinish()" && running:
			running = false
		case call == "LMSCommit()" && running:
		case !running || !sets || !regexp.MustCompile("^(?:"+formOf(name)+")$").MatchString(value):
			r.t.Errorf("the LMS is told %q", call)
		}
	}
	if sessions != 5 || !running {
		r.t.Errorf("there are %d sessions, and the last goes on: %t", sessions, running)
	}
}

// formOf returns the form of a value, and one that nothing has for a name that isn't known.
func formOf(name string) string {
	if form, ok := forms[name]; ok {
		return form
	}
	return "no such name"
}

// unpackFrom reads the files of a package.
func unpackFrom(t *testing.T, url string, files map[string][]byte) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
