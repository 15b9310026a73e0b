package real

import (
	"crypto/rand"
	"strings"
)

// The names of what a run creates begin with its root, or with the end of its root, which tells them from those of
// other users and of other runs.

// Roots is the prefix of the roots of runs without ZooKeeper.
const Roots = "/zkviz/run-"

// IDPattern is a regular expression for IDs.
const IDPattern = "[a-z2-7]{10}"

// NewRoot returns the root of a new run.
func NewRoot() string { return Roots + NewID() }

// NewID returns ten random letters and digits, which nobody else has.
func NewID() string { return strings.ToLower(rand.Text()[:10]) }

// ID returns the unique part of a root.
func ID(root string) string { return root[strings.LastIndexByte(root, '-')+1:] }

// Base returns the prefix that a root has in common with those of other runs of its kind.
func Base(root string) string { return strings.TrimSuffix(root, ID(root)) }
