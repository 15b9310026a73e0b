package lessons_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/lessons"
)

// TestSearch searches for words and for hostile markup.
func TestSearch(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Pseudo: true})
	for query, want := range map[string]string{
		"q=herd":                        `<a href="/glossary#herd">Herd</a>`, // a title that equals the query comes first
		"q=HERD":                        `<a href="/glossary#herd">Herd</a>`,
		"q=fencing+number":              `<a href="/glossary#fencing">Fencing number</a>`,
		"q=predecessor-lock":            `<a href="/recipes#predecessor-lock">predecessor-lock</a>`,
		"q=the+first+order":             `<a href="/lessons/a-queue">A queue</a>`,
		"q=nosuchword+herd":             "Nothing here mentions “nosuchword herd”.",
		"q=%3Ciframe%3E":                "Nothing here mentions “&lt;iframe&gt;”.",
		"q=" + strings.Repeat("é", 200): "Nothing here mentions “" + strings.Repeat("é", 50) + "”.",
		"q=%ff%fe":                      "",
		"q=+++":                         "",
		"":                              "",
	} {
		status, _, body := webtest.Get(t, srv.URL+"/search?"+query)
		_, first, _ := strings.Cut(body, `<ol class="hits">`)
		first, _, _ = strings.Cut(first, "</li>")
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %s", query, status, want)
		}
		if strings.HasPrefix(want, "<a") && !strings.Contains(first, want) {
			t.Errorf("%s: first comes %s", query, first)
		}
		if want == "" && (first != "</ol></main>" && strings.Contains(first, "<a ")) {
			t.Errorf("%s finds %s", query, first)
		}
	}
	_, _, body := webtest.Get(t, srv.URL+"/search?q=woken")
	if !strings.Contains(body, "<mark>woken</mark>") {
		t.Error("what was looked for is not marked")
	}
	status, _, body := webtest.Get(t, srv.URL+"/en-XA/search?q=predecessor-lock")
	if status != http.StatusOK || !strings.Contains(body, `<a href="/en-XA/recipes#predecessor-lock">`) {
		t.Errorf("in another language: %d, %s", status, html.UnescapeString(body))
	}
}

// TestPeoplesWords checks that words which people bring, and the lessons don't use, find the right lesson first.
func TestPeoplesWords(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Pseudo: true})
	for query, want := range map[string]string{
		"deadlock":                  "the-same-client-twice",
		"Race condition":            "whose-lock-is-it",
		"split brain":               "cut-in-two",
		"split-brain":               "cut-in-two",
		"zombies":                   "two-believe",
		"stampede":                  "the-herd",
		"thundering herd":           "the-herd",
		"livelock":                  "counting-together",
		"fencing token":             "fencing",
		"leader election":           "one-leader",
		"stale reads":               "read-here-written-there",
		"lost update":               "do-you-need-a-lock",
		"double booking":            "do-you-need-a-lock",
		"GC pause":                  "two-believe",
		"lease":                     "whose-lock-is-it",
		"Redlock":                   "three-of-five",
		"SELECT ... FOR UPDATE":     "the-sleeper-in-the-database",
		"how to avoid a deadlock?":  "the-same-client-twice",
		"is redlock safe":           "three-of-five",
		"what's a thundering herd?": "the-herd",
	} {
		for _, lang := range []string{"", "/en-XA"} {
			_, _, body := webtest.Get(t, srv.URL+lang+"/search?q="+url.QueryEscape(query))
			_, first, _ := strings.Cut(body, `<ol class="hits"><li>`)
			if !strings.HasPrefix(first, `<a href="`+lang+"/lessons/"+want+`">`) {
				t.Errorf("%s%q finds first %.80s, want %s", lang, query, first, want)
			}
		}
	}
	for _, query := range []string{"undeadlock", "redlocked"} {
		_, _, body := webtest.Get(t, srv.URL+"/search?q="+query)
		if strings.Contains(body, `<ol class="hits"><li>`) {
			t.Errorf("%q, which only contains such a word, finds something", query)
		}
	}
}

// TestFactsAreFound checks that people who look for a fact find the page that states it among the first three.
func TestFactsAreFound(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	for query, want := range map[string][2]string{
		"mutex":                        {"/glossary#mutex", "Two processes have one each"},
		"in-process lock":              {"/lessons/counting-together", "lock in one program"},
		"ten machines":                 {"/lessons/the-herd", "Up to about ten clients"},
		"weighted quorum":              {"/lessons/cut-in-two", "unless servers have weights"},
		"QuorumHierarchical":           {"/glossary#weighted-quorum", "more than half of the weight"},
		"PBFT":                         {"/glossary#quorum", "2n/3 + 1"},
		"2n/3+1":                       {"/glossary#quorum", "2n/3 + 1"},
		"Paxos":                        {"/glossary#zab", "Paxos"},
		"Raft":                         {"/glossary#zab", "Raft"},
		"two-phase commit":             {"/glossary#zab", "without abort"},
		"NEW_LEADER":                   {"/glossary#zab", "is the proposal"},
		"old proposal":                 {"/lessons/neither-yes-nor-no", "Old acknowledgements don"},
		"SNAP":                         {"/lessons/catching-up", "a SNAP"},
		"ACL":                          {"/glossary#acl", "its children"},
		"getACL":                       {"/glossary#acl", "setACL"},
		"access control":               {"/lessons/whose-lock-is-it", "if you may delete one child"},
		"2^31":                         {"/lessons/names-that-come-once", "2,147,483,647"},
		"overflow":                     {"/glossary#sequential", "overflow, to -2147483648"},
		"Chubby":                       {"/glossary#chubby", "sequencer"},
		"Menagerie":                    {"/glossary#menagerie", "reentrant"},
		"ReentrantZkLock":              {"/lessons/the-same-client-twice", "ReentrantZkLock"},
		"checkMinPath":                 {"/lessons/watch-the-one-ahead", "If its own weren"},
		"fastest lock":                 {"/glossary#fsync", "less than a tenth"},
		"performance":                  {"/lessons/do-you-need-a-lock", "waiting for the disk"},
		"updated_at":                   {"/glossary#version", "the time of the last change"},
		"standby database":             {"/glossary#replica", "standby"},
		"autocommit":                   {"/glossary#transaction", "each statement is a transaction"},
		"row must exist":               {"/glossary#row", "lets everybody through"},
		"host and thread":              {"/glossary#row", "the owner can take it twice"},
		"exponential backoff":          {"/glossary#curator", "waits longer each time"},
		"EX":                           {"/glossary#key", "XX"},
		"release script":               {"/glossary#token", "redis.call"},
		"ephemerals have no children":  {"/glossary#ephemeral", "have children"},
		"two halves of a zxid, 32 bit": {"/glossary#zxid", "two halves of 32 bits"},
	} {
		_, _, body := webtest.Get(t, srv.URL+"/search?q="+url.QueryEscape(query))
		hits := strings.Split(body, "<li>")
		hits = hits[min(1, len(hits)):min(4, len(hits))]
		if !strings.Contains(strings.Join(hits, ""), `href="`+want[0]+`"`) {
			t.Errorf("%q doesn't find %s among its first: %.700s", query, want[0], hits)
		}
		path, term, _ := strings.Cut(want[0], "#")
		_, _, body = webtest.Get(t, srv.URL+path)
		if _, after, ok := strings.Cut(body, `<div id="`+term+`"`); ok {
			body, _, _ = strings.Cut(after, `<div id="`)
		}
		if !strings.Contains(body, want[1]) {
			t.Errorf("%s doesn't say %q", want[0], want[1])
		}
	}
}

// TestCoursePages checks the reviews of the parts, the glossary, and that old addresses of lessons redirect.
func TestCoursePages(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Pseudo: true})
	for path, want := range map[string]string{
		"/review/line":       "Do you still know?",
		"/review/operation":  "Back to the course",
		"/en-XA/review/line": `href="/en-XA/lessons/`,
		"/glossary":          `<div id="ephemeral">`,
		"/":                  `href="/review/failures"`,
	} {
		if status, _, body := webtest.Get(t, srv.URL+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, without %s", path, status, want)
		}
	}
	if status, _, _ := webtest.Get(t, srv.URL+"/review/none"); status != http.StatusNotFound {
		t.Errorf("a part that is not there: %d", status)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for path, want := range map[string]string{
		"/lessons/05-two-believe":       "/lessons/two-believe",
		"/en-XA/lessons/05-two-believe": "/en-XA/lessons/two-believe",
	} {
		res, err := client.Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusMovedPermanently || got != want {
			t.Errorf("%s: %d to %q, not to %s", path, res.StatusCode, got, want)
		}
	}
}

// TestSheets checks that every lesson has a sheet to print, with its point, its last picture and its questions, and
// another one with the answers.
func TestSheets(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	for i := range book.Lessons {
		l, _ := book.Page(book.Lessons[i].Slug, "en")
		at := "/lessons/" + l.Slug + "/print"
		status, _, body := webtest.Get(t, srv.URL+at)
		last := "/lessons/" + l.Slug + "/" + l.Steps[len(l.Steps)-1].Anchor + ".svg?theme=light"
		text := html.UnescapeString(body)
		if status != http.StatusOK || l.Point == "" || !strings.Contains(text, l.Point) || !strings.Contains(text, last) ||
			strings.Contains(l.Point, "What ran here") {
			t.Errorf("%s: %d, with the point %q, or without %s", at, status, l.Point, last)
		}
		if _, _, lesson := webtest.Get(t, srv.URL+"/lessons/"+l.Slug); !strings.Contains(lesson, `href="`+at+`"`) {
			t.Errorf("%s isn't linked from its lesson", at)
		}
		for _, s := range l.Steps {
			for _, c := range choicesOf(s) {
				if !strings.Contains(text, c.Label) || strings.Contains(text, c.Why) {
					t.Errorf("%s: %s lacks the choice %s, or says why it's right or wrong", at, s.Anchor, c.ID)
				}
			}
		}
		if !strings.Contains(body, `href="/lessons/`+l.Slug+`/answers"`) {
			t.Errorf("%s leads to no answers", at)
		}
	}
	if status, _, _ := webtest.Get(t, srv.URL+"/lessons/none/print"); status != http.StatusNotFound {
		t.Errorf("a sheet of no lesson: %d", status)
	}
}

func choicesOf(s lessons.PageStep) []lessons.PageChoice {
	if s.Question == nil {
		return nil
	}
	return s.Question.Choices
}
