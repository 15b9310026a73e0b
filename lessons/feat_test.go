package lessons_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/lessons/challenge"
)

// What recipes do not promise is read from the log: each feat, and what comes next to it.
func TestFeats(t *testing.T) {
	for _, c := range []struct{ log, want string }{
		{"zk znode.deleted by=A /r/a session expired", "gone-alive 1 A"},
		{"zk znode.deleted by=A /r/a session closed", ""},
		{"zk znode.deleted by=A /r/a op", ""},
		{"A client.crashed\nzk znode.deleted by=A /r/a session expired", ""},
		{"A client.exited\nzk znode.deleted by=A /r/a session expired", ""},
		{"B client.crashed\nzk znode.deleted by=A /r/a session expired", "gone-alive 2 A"},
		{"A client.paused\nzk znode.deleted by=A /r/a session expired", "gone-alive 2 A"},

		{"A recipe.phase /r/a began\nB recipe.phase /r/a began", "begun-twice 2 A"},
		{"A recipe.phase /r/a began\nA recipe.phase /r/a began", ""},
		{"A recipe.phase /r/a began\nB recipe.phase /r/b began", ""},
		{"A recipe.phase /r/a began\nA recipe.phase /r/a done\nB recipe.phase /r/a began", ""},
		{"A recipe.phase /r/a began\nA client.crashed\nB recipe.phase /r/a began", ""},
		{"A recipe.phase /r/a began\nA client.exited\nB recipe.phase /r/a began", "begun-twice 3 A"},
		{"A recipe.phase /r/a began\nB recipe.phase /r/a began\nC recipe.phase /r/a began",
			"begun-twice 2 A, begun-twice 3 B"},

		{"A recipe.phase /r/a saw n=1\nA recipe.phase /r/a saw n=3", "skipped 2 A"},
		{"A recipe.phase /r/a saw n=1\nA recipe.phase /r/a saw n=2", ""},
		{"A recipe.phase /r/a saw n=3\nA recipe.phase /r/a saw n=1", ""},
		{"A recipe.phase /r/a saw n=3", ""},
		{"A recipe.phase /r/a saw n=1\nB recipe.phase /r/a saw n=3", ""},
		{"A recipe.phase /r/a saw n=1\nA recipe.phase /r/b saw n=3", ""},

		{"A recipe.phase waiting\nA recipe.phase gave-up", "gave-up 2 A"},
		{"A recipe.note gave-up", ""},
	} {
		var got []string
		for _, f := range challenge.Feats(logged{logOf(t, c.log)}) {
			if !challenge.IsFeat(f.Name) {
				t.Errorf("%q is no feat", f.Name)
			}
			got = append(got, fmt.Sprint(f.Name, " ", f.Seq, " ", f.Client.Letter()))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%q: it finds %q, not %q", c.log, s, c.want)
		}
	}
}
