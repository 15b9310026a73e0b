package real

import (
	"context"
	"crypto/rand"
	"net"
	"strings"
)

// What a run makes has names that begin with its root, or with what the root ends in, so that it can be told from what
// others have there, and from other runs.

// Roots is how the roots of runs begin that have no ZooKeeper.
const Roots = "/zkviz/run-"

// IDPattern is what an ID looks like, as a regular expression.
const IDPattern = "[a-z2-7]{10}"

// NewRoot is a new run's root.
func NewRoot() string { return Roots + strings.ToLower(rand.Text()[:10]) }

// ID is what a root has that no other has.
func ID(root string) string { return root[strings.LastIndexByte(root, '-')+1:] }

// Base is how the roots begin of those runs that are made where this one is.
func Base(root string) string { return strings.TrimSuffix(root, ID(root)) }

// Network opens a connection that is no process's.
func Network(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{Timeout: reach}).DialContext(ctx, network, addr)
}
