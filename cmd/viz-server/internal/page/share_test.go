package page_test

import (
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/run/link"
	"github.com/zkviz/zkviz/static"
)

// TestShareKnowsLinks checks that share.js takes all parameters of a moment from a lesson's address, apart from the
// seed of a run beside, which only the Lab's links have.
func TestShareKnowsLinks(t *testing.T) {
	moment := link.Moment{
		Place: link.Place{Set: true, At: 1, Seq: 1, Sum: "1"}, Select: "a", Trace: "a",
		Beside: link.Beside{What: "a", InStep: "time", Seq: 1, Sum: "1"},
	}
	q, err := url.ParseQuery(moment.Query())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"fault"}
	for name := range q {
		want = append(want, name)
	}
	script, err := static.Files.ReadFile("share.js")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	list := regexp.MustCompile(`const own = page\.own = \[([^\]]*)\]`).FindSubmatch(script)
	if list == nil {
		t.Fatal("share.js has no list of parameters")
	}
	for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllSubmatch(list[1], -1) {
		known = append(known, string(m[1]))
	}
	slices.Sort(known)
	if slices.Sort(want); !slices.Equal(known, want) {
		t.Errorf("share.js knows %q, and a lesson's links have %q", known, want)
	}
}
