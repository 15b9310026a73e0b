package lessons_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// TestLessonNamesTheZoo checks that the lesson about the reader's own client names this server's ZooKeeper, or says how
// to start one, and never another.
func TestLessonNamesTheZoo(t *testing.T) {
	found, err := filepath.Glob("../../../../../lessons/your-own-client")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	lesson := "/lessons/" + filepath.Base(found[0])
	elsewhere := webtest.NewZoo()
	elsewhere.Addr.Port = 32183
	status, _, on := webtest.Get(t, webtest.Serve(t, web.Config{Zoo: elsewhere}).URL+lesson)
	if status != 200 || !strings.Contains(on, "PATH=$PATH:/usr/share/zookeeper/bin\nzkCli.sh -server 127.0.0.1:32183\n") ||
		strings.Contains(on, "-server 127.0.0.1:2181") {
		t.Errorf("%d: the lesson does not name the address at which the server listens, or another", status)
	}
	status, _, off := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+lesson)
	if status != 200 || strings.Contains(off, "zkCli.sh -server") || !strings.Contains(off, "--zk-listen 127.0.0.1:2181") {
		t.Errorf("%d: without a ZooKeeper inside, the lesson does not say how to start one", status)
	}
}

// TestStepsHaveNamesOfTheirOwn checks that no two elements of a lesson's page have one ID: a step's anchor is among
// those of the player, the search and all else that stands there.
func TestStepsHaveNamesOfTheirOwn(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	if len(book.Lessons) < 40 {
		t.Errorf("there are only %d lessons", len(book.Lessons))
	}
	id := regexp.MustCompile(`<[^>]* id="([^"]*)"`)
	for _, l := range book.Lessons {
		at := "/lessons/" + l.Slug
		_, _, body := webtest.Get(t, srv.URL+at)
		seen := map[string]bool{}
		for _, m := range id.FindAllStringSubmatch(body, -1) {
			if seen[m[1]] {
				t.Errorf("%s: two elements have the ID %q", at, m[1])
			}
			seen[m[1]] = true
		}
		if len(seen) < 10 {
			t.Errorf("%s has %d IDs", at, len(seen))
		}
	}
}

// TestWhatIsBrokenIsInOnePicture checks that a line below a step's picture says what is broken in it, and that there is
// none where two runs stand beside each other: one of them may be the cure.
func TestWhatIsBrokenIsInOnePicture(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	l, _ := book.Find("no-second-look")
	_, _, body := webtest.Get(t, srv.URL+"/lessons/"+l.Slug)
	lines := map[bool]int{}
	for _, s := range l.Steps {
		_, step, _ := strings.Cut(body, `id="`+s.Anchor+`"`)
		step, _, _ = strings.Cut(step, "</figure>")
		lines[s.Beside != nil] += strings.Count(step, `class="rule" data-state="broken"`)
	}
	if lines[true] > 0 || lines[false] == 0 {
		t.Errorf("%d lines say what is broken in one of two runs, %d in one alone", lines[true], lines[false])
	}
}
