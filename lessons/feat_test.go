package lessons_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
)

// What recipes don't promise is read from the log: each feat, and what nearly is one.
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

		{"S3 leader.activated", "leads-server-3 1 S3"},
		{"S3 leader.activated\nS3 leader.lost no-quorum\nS2 leader.activated",
			"leads-server-3 1 S3, no-quorum 2 S3, leads-server-2 3 S2"},
		{"S3 leader.activated\nS2 leader.activated",
			"leads-server-3 1 S3, leads-server-2 2 S2, two-leaders 2 S2"},
		{"S3 leader.activated\nS3 server.stopped\nS2 leader.activated", "leads-server-3 1 S3, leads-server-2 3 S2"},
		{"S2 leader.lost leader-closed", ""},
		{"S2 log.truncated\nS1 snapshot.loaded", "cut-off 1 S2, copied 2 S1"},

		// The outcome of a write: done before its client lost its connection, after that, and never.
		{write + "zk txn.applied zxid=7 op=create by=A\nA op.done op=create code=-4", "doubt-kept 4 A"},
		{write + "A op.done op=create code=-4\nzk txn.applied zxid=7 op=create by=A", "doubt-kept 4 A"},
		{write + "A op.done op=create code=-4\nzk txn.applied zxid=9 op=create by=B", "doubt-lost 4 A"},
		{write + "A op.done op=create code=-4\nzk txn.applied zxid=6 op=create by=B", ""},
		{write + "A op.done op=create code=-4\nzk txn.applied zxid=7 code=-110", ""},
		{write + "zk txn.applied zxid=7 op=create by=A\nA op.done op=create", ""},
		{forwarded + "A op.done op=create code=-4\nzk txn.applied zxid=9", "doubt-lost 6 A"},
		{"A op.sent op=create\nA op.done op=create code=-4\nzk txn.applied zxid=9", ""}, // nobody has proposed it
		{"A op.sent op=create\nA op.done op=create code=-4\nS2 leader.activated", "doubt-lost 3 A, leads-server-2 3 S2"},
		{"A op.sent op=children\nA op.done op=children code=-4\nzk txn.applied zxid=9", ""},
	} {
		var got []string
		for _, f := range challenge.Feats(logged{logOf(t, c.log)}) {
			if !challenge.IsFeat(f.Name) {
				t.Errorf("%q is no feat", f.Name)
			}
			got = append(got, fmt.Sprint(f.Name, " ", f.Seq, " ", nameOf(f.Client)))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%q: it finds %q, not %q", c.log, s, c.want)
		}
	}
}

// Writes of A, proposed as zxid 7 by the server that was asked, and by that server's leader.
const (
	write     = "A op.sent op=create\nS3 txn.proposed zxid=7 cause=1\n"
	forwarded = "A op.sent op=create\nS1 msg.sent op=REQUEST cause=1\nS3 msg.received op=REQUEST cause=2\n" +
		"S3 txn.proposed zxid=7 cause=3\n"
)

func nameOf(a event.Actor) string {
	if a.Kind() == event.AServer {
		return fmt.Sprint("S", a.Number())
	}
	return a.Letter()
}
