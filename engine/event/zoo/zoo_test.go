package zoo_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestCodes checks ZooKeeper's numbers (KeeperException.Code) and their words.
func TestCodes(t *testing.T) {
	words := map[zoo.Code]string{
		0: "ok", -1: "system error", -2: "runtime inconsistency", -3: "data inconsistency", -4: "connection loss",
		-5: "marshalling error", -6: "unimplemented", -7: "operation timed out", -8: "bad arguments", -12: "unknown session",
		-13: "no quorum of the new configuration is connected", -14: "another reconfiguration is in progress",
		-100: "API error", -101: "no node", -102: "not authorised", -103: "bad version", -108: "no children for ephemerals",
		-110: "node exists", -111: "not empty", -112: "session expired", -113: "invalid callback", -114: "invalid ACL",
		-115: "authentication failed", -118: "session moved to another server", -119: "the server is read-only",
		-120: "ephemeral on a local session", -121: "no such watcher", -122: "request timed out",
		-123: "reconfiguration is disabled", -124: "the server requires SASL authentication", -125: "quota exceeded",
		-127: "throttled", -1001: "timed out", -1002: "stopped", -1003: "refused: a greater fencing number has been here",
		-1004: "connection lost",
	}
	for c := zoo.Code(-1100); c <= 10; c++ {
		want, ok := words[c]
		if !ok {
			want = "unknown error"
		}
		if got := c.Error(); got != want {
			t.Errorf("code %d is %q, not %q", c, got, want)
		}
	}
	for name, c := range map[string]zoo.Code{
		"no node": zoo.ErrNoNode, "node exists": zoo.ErrNodeExists, "session expired": zoo.ErrSessionExpired,
		"bad version":     zoo.ErrBadVersion,
		"connection loss": zoo.ErrConnectionLoss, "timed out": zoo.ErrTimeout, "stopped": zoo.ErrStopped,
		"not empty": zoo.ErrNotEmpty,
	} {
		if c.Error() != name {
			t.Errorf("%q is code %d, %q", name, c, c)
		}
	}
}

func TestErrors(t *testing.T) {
	err := fmt.Errorf("round 2: %w", &zoo.Error{Op: "create", Path: "/locks/a", Code: zoo.ErrNodeExists})
	if err.Error() != "round 2: create /locks/a: node exists" || !errors.Is(err, zoo.ErrNodeExists) ||
		errors.Is(err, zoo.ErrNoNode) {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		err  error
		want zoo.Code
	}{
		{nil, zoo.OK}, {err, zoo.ErrNodeExists}, {zoo.ErrStopped, zoo.ErrStopped}, {errors.New("else"), zoo.ErrSystem},
		{zoo.OK, zoo.OK},
	} {
		if got := zoo.CodeOf(c.err); got != c.want {
			t.Errorf("the code of %v is %d, not %d", c.err, got, c.want)
		}
	}
}

func TestModes(t *testing.T) {
	var got strings.Builder
	for m := zoo.CreateMode(0); m <= 8; m++ {
		fmt.Fprint(&got, m)
		if m.IsEphemeral() {
			got.WriteString("E")
		}
		if m.IsSequential() {
			got.WriteString("S")
		}
		if m.HasTTL() {
			got.WriteString("T")
		}
	}
	if want := "01E2S3ES45T6ST78"; got.String() != want {
		t.Errorf("the modes that are ephemeral, sequential and with a TTL: %s, not %s", &got, want)
	}
	modes := []zoo.CreateMode{zoo.Persistent, zoo.Ephemeral, zoo.PersistentSequential, zoo.EphemeralSequential,
		zoo.Container,
		zoo.PersistentTTL, zoo.PersistentSequentialTTL}
	if !slices.Equal(modes, []zoo.CreateMode{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("the modes' numbers are %d", modes)
	}
}

func TestEventTypes(t *testing.T) {
	var got []string
	for e := zoo.EventType(0); e <= 5; e++ {
		got = append(got, e.String())
	}
	if want := []string{"None", "NodeCreated", "NodeDeleted", "NodeDataChanged", "NodeChildrenChanged",
		"None"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOps(t *testing.T) {
	ops := []zoo.Op{
		zoo.CreateOp("/a", []byte("x"), zoo.Ephemeral), zoo.DeleteOp("/b", 2), zoo.SetOp("/c", []byte("y"), 3),
		zoo.CheckOp("/d", 4),
	}
	const want = "[{1 /a [120] 1 0} {2 /b [] 0 2} {3 /c [121] 0 3} {4 /d [] 0 4}]"
	if got := fmt.Sprint(ops); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestACLs(t *testing.T) {
	if got, want := fmt.Sprint(zoo.OpenACL(), zoo.ReadACL()), "[{31 world anyone}] [{1 world anyone}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if all := zoo.PermRead | zoo.PermWrite | zoo.PermCreate | zoo.PermDelete | zoo.PermAdmin; all != zoo.PermAll {
		t.Errorf("all permissions are %d", all)
	}
}
