package live

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// A run works below the path that the operator has given (BASE):
//
//	BASE/run-ID            the recipe's root, and all that the recipe creates
//	BASE/run-ID-clients    the holder: one ephemeral znode for each session of the run: client-1, …, and server
//
// The znode "server" tells other servers on the same path that the run is alive. It goes with the session of a
// server that crashes, and then Sweep may remove the rest. Marks tell what belongs to the run; see ownership.

// madeByUs is the data of the znodes above a run's root that were created for it and may go when empty.
const madeByUs = "made by zkviz"

var (
	rootName   = regexp.MustCompile("^run-" + real.IDPattern + "$")
	holderName = regexp.MustCompile("^run-" + real.IDPattern + "-clients$")
)

// NewRoot returns the root of a new run under base.
func NewRoot(base string) string { return strings.TrimSuffix(base, "/") + "/run-" + real.NewID() }

func isRoot(root string) bool {
	return rootName.MatchString(path.Base(root)) && path.Clean(root) == root && root[0] == '/'
}

func holder(root string) string { return root + "-clients" }

// marker returns the path of the znode that stands for a session of the run.
func marker(root, name string) string { return holder(root) + "/" + name }

const serverMark = "server"

// ErrNotOurs reports that the znode under which runs should work existed before and wasn't created for runs.
var ErrNotOurs = errors.New("exists and was not made by zkviz")

// checkBase refuses a znode that wasn't created for runs, unless foreign allows it. It accepts a missing one.
func checkBase(conn *zk.Conn, base string, foreign bool) error {
	if foreign || base == "/" {
		return nil
	}
	data, _, err := conn.Get(base)
	switch code := admin.CodeOf(err); {
	case code == zoo.ErrNoNode, err == nil && string(data) == madeByUs:
		return nil
	case err == nil, code == zoo.ErrNoAuth:
		return sentence.Wrap(ErrNotOurs, "refused.foreign", sentence.Text(base))
	}
	return fmt.Errorf("look at %s: %w", base, err)
}
