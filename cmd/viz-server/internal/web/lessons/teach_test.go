package lessons_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/static"
)

// TestTeachersLinks checks that every link of the pages for teachers leads to a page, and to a step that is there.
func TestTeachersLinks(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Embed: []string{"https://lms.example"}})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{"/teach", "/teach/answers"}
	for i := range book.Lessons {
		at := "/lessons/" + book.Lessons[i].Slug
		pages = append(pages, at+"/plan", at+"/answers")
	}
	got, seen := map[string]int{}, 0
	for _, at := range pages {
		status, _, body := webtest.Get(t, srv.URL+at)
		if status != http.StatusOK {
			t.Errorf("%s: %d", at, status)
		}
		for _, to := range valuesOf(t, body, "href") {
			if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "/static/") {
				continue
			}
			seen++
			u, err := url.Parse(to)
			if err != nil {
				t.Fatal(err)
			}
			if got[u.Path] == 0 {
				got[u.Path], _, _ = webtest.Get(t, srv.URL+u.Path)
			}
			slug, isLesson := strings.CutPrefix(u.Path, "/lessons/")
			if l, ok := book.Find(slug); isLesson && ok && u.Fragment != "" && l.Step(u.Fragment) == nil {
				t.Errorf("%s leads to %s, and there is no such step", at, to)
			}
			if got[u.Path] != http.StatusOK {
				t.Errorf("%s leads to %s: %d", at, to, got[u.Path])
			}
		}
	}
	if seen < 1000 {
		t.Errorf("there are only %d links", seen)
	}
	for _, at := range []string{"/class", "/", "/lessons/the-herd/print"} {
		if _, _, body := webtest.Get(t, srv.URL+at); !strings.Contains(body, `href="/teach"`) {
			t.Errorf("%s doesn't lead to the page for teachers", at)
		}
	}
	for _, none := range []string{"/lessons/none/plan", "/lessons/none/answers", "/lessons/none/scorm.zip"} {
		if status, _, _ := webtest.Get(t, srv.URL+none); status != http.StatusNotFound {
			t.Errorf("%s: %d", none, status)
		}
	}
}

// TestPlanBeginsAClass checks that each plan begins a class at the first step of its lesson.
func TestPlanBeginsAClass(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for _, at := range []string{"/teach", "/lessons/the-herd/plan"} {
		_, _, body := webtest.Get(t, srv.URL+at)
		form := url.Values{"page": {"/lessons/the-herd"}, "step": {"number"}}
		for name := range form {
			want := `name="` + name + `" value="` + form.Get(name) + `"`
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s", at, want)
			}
		}
		status, h, _ := webtest.Ask(t, &http.Client{CheckRedirect: stays}, "POST", srv.URL+"/class/begin", form.Encode(),
			"Content-Type", "application/x-www-form-urlencoded", "Origin", srv.URL)
		if status != http.StatusSeeOther || !strings.Contains(h.Get("Location"), "#teach=") {
			t.Errorf("%s: %d, %s", at, status, h.Get("Location"))
		}
	}
}

func stays(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// TestAnswers checks that the answers of a lesson have each choice with its reason, and a link to each task with its
// solution done, and that the answers of the course have the same.
func TestAnswers(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	_, _, whole := webtest.Get(t, srv.URL+"/teach/answers")
	whole = html.UnescapeString(whole)
	for i := range book.Lessons {
		l, _ := book.Page(book.Lessons[i].Slug, "en")
		_, _, body := webtest.Get(t, srv.URL+"/lessons/"+l.Slug+"/answers")
		var want []string
		tasks := 0
		for _, s := range l.Steps {
			for _, c := range choicesOf(s) {
				want = append(want, c.Label, c.Why)
			}
			if s.Repair != nil {
				for _, c := range s.Repair.Choices {
					want = append(want, c.Label, c.Why)
				}
			}
			if s.Order != nil {
				for _, line := range s.Order.Answer {
					want = append(want, line.Label, line.Why)
				}
			}
			if s.Challenge != nil {
				tasks++
				want = append(want, s.Challenge.Goal, s.Challenge.Won)
			}
		}
		for _, text := range want {
			if !strings.Contains(html.UnescapeString(body), text) || !strings.Contains(whole, text) {
				t.Errorf("%s: its answers, or those of the course, lack %q", l.Slug, text)
			}
		}
		for _, to := range valuesOf(t, body, "href") {
			if strings.Contains(to, "fault=") {
				tasks--
				checkSolved(t, l.Slug, to, book.Lessons[i].Step(to[strings.Index(to, "#")+1:]).Challenge.Solution)
			}
		}
		if tasks != 0 {
			t.Errorf("%s: %d tasks have no solution", l.Slug, tasks)
		}
	}
}

// checkSolved checks that a link does what a task's solution does, and shows the moment of the last.
func checkSolved(t *testing.T, slug, to string, solution []string) {
	t.Helper()
	a, err := link.ParseAddress(to)
	if err != nil {
		t.Fatalf("%s: %v", to, err)
	}
	m, err := link.Take(a.Query)
	if err != nil || a.Lesson != slug {
		t.Fatalf("%s: %v", to, err)
	}
	var want []string
	for _, text := range solution {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, f.String())
		if f.At > m.At {
			t.Errorf("%s: it shows %v, before %s", to, m.At, text)
		}
	}
	if !slices.Equal(a.Query["fault"], want) {
		t.Errorf("%s: it does %v, not %v", to, a.Query["fault"], want)
	}
}

// TestScorm checks a package for an LMS against what SCORM 1.2 wants of it: identifiers that differ, references to
// what is there, a SCO, and the files that the manifest names and no others.
func TestScorm(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true, Embed: []string{"https://lms.example"}})
	for _, c := range []struct{ at, address string }{
		{"/zkviz/lessons/the-herd", srv.URL + "/zkviz/lessons/the-herd?embed=words%2Csteps%2Cplay%2Cfaults"},
		{"/zkviz/en-XA/lessons/the-herd", srv.URL + "/zkviz/en-XA/lessons/the-herd?embed=words%2Csteps%2Cplay%2Cfaults"},
	} {
		status, h, packed := webtest.Get(t, srv.URL+c.at+"/scorm.zip")
		if status != http.StatusOK || h.Get("Content-Type") != "application/zip" {
			t.Fatalf("%s: %d, %s", c.at, status, h.Get("Content-Type"))
		}
		_, _, again := webtest.Get(t, srv.URL+c.at+"/scorm.zip")
		if packed != again {
			t.Errorf("%s: another time the package differs", c.at)
		}
		files := unzip(t, packed)
		checkManifest(t, files)
		if address := valuesOf(t, files["index.html"], "data-address"); !slices.Equal(address, []string{c.address}) {
			t.Errorf("%s: the page shows %v", c.at, address)
		}
		if script, err := static.Files.ReadFile("scorm.js"); err != nil || files["scorm.js"] != string(script) {
			t.Errorf("%s: scorm.js is another one: %v", c.at, err)
		}
	}
	closed := webtest.Serve(t, web.Config{})
	if status, _, _ := webtest.Get(t, closed.URL+"/lessons/the-herd/scorm.zip"); status != http.StatusNotFound {
		t.Errorf("no site may show lessons, and a package is %d", status)
	}
	_, _, body := webtest.Get(t, closed.URL+"/teach")
	if strings.Contains(body, "scorm.zip") || !strings.Contains(body, "--embed-origin") {
		t.Error("no site may show lessons, and the page for teachers doesn't say what to do")
	}
}

// unzip returns the files of a package.
func unzip(t *testing.T, packed string) map[string]string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := io.Copy(&b, r); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.String()
	}
	return files
}

// checkManifest checks imsmanifest.xml: the namespaces, the order of the elements, and how they refer to each other.
func checkManifest(t *testing.T, files map[string]string) {
	t.Helper()
	const (
		ims = "http://www.imsproject.org/xsd/imscp_rootv1p1p2"
		adl = "http://www.adlnet.org/xsd/adlcp_rootv1p2"
	)
	var elements, texts, hrefs []string
	attributes, ids := map[string]string{}, map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(files["imsmanifest.xml"]))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Space != ims {
				t.Errorf("%s is in the namespace %q", e.Name.Local, e.Name.Space)
			}
			elements = append(elements, e.Name.Local)
			for _, a := range e.Attr {
				attributes[a.Name.Space+" "+e.Name.Local+" "+a.Name.Local] = a.Value
				if a.Name.Local == "identifier" {
					if ids[a.Value] {
						t.Errorf("two elements are %s", a.Value)
					}
					ids[a.Value] = true
				}
				if e.Name.Local == "file" {
					hrefs = append(hrefs, a.Value)
				}
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(e)); text != "" {
				texts = append(texts, text)
			}
		}
	}
	if got := strings.Join(elements, " "); got != "manifest metadata schema schemaversion organizations organization "+
		"title item title resources resource file file file" {
		t.Errorf("the manifest has %s", got)
	}
	if len(texts) != 4 || texts[0] != "ADL SCORM" || texts[1] != "1.2" || texts[2] != texts[3] || len(texts[2]) > 200 {
		t.Errorf("the manifest says %q", texts)
	}
	for attribute, want := range map[string]string{
		" organizations default":    attributes[" organization identifier"],
		" item identifierref":       attributes[" resource identifier"],
		" resource type":            "webcontent",
		adl + " resource scormtype": "sco",
		" resource href":            hrefs[0],
	} {
		if got := attributes[attribute]; got == "" || got != want {
			t.Errorf("%s is %q, not %q", attribute, got, want)
		}
	}
	for _, name := range hrefs {
		if files[name] == "" {
			t.Errorf("the package lacks %s", name)
		}
	}
	if len(files) != len(hrefs)+1 {
		t.Errorf("the package has %d files, and the manifest names %v", len(files), hrefs)
	}
}
