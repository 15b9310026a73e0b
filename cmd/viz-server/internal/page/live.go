package page

import (
	"cmp"
	"net/url"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// LiveProps is the view of a subtree of the operator's ZooKeeper.
type LiveProps struct {
	Frame
	Path string // the subtree, as given
	// Cluster names the cluster; empty for the unnamed one. Clusters lists all names.
	Cluster  string
	Clusters []string
	Error    sentence.Sentence // why Path can't be shown
	Away     sentence.Sentence // why the ZooKeeper is out of reach now
	Moment   int64             // the moment to show if the log reaches back to it, in ms since 1970; 0 for the present
	Znode    string            // the znode to select at that moment
	Turn     *LockTurn         // the latest handover in the list of locks; nil if none
	Seen     *LockRow          // the latest row in the list of locks if nothing can be seen now; nil if none
	SeenAt   string            // the row's time, in the format of <time>
	// MayType tells that readers may type an address: Recent are those that were, the last first. Typed is what was typed
	// now if it is Wrong, which says why.
	MayType bool
	Recent  []string
	Typed   string
	Wrong   sentence.Sentence
	// Joined tells that zkviz has joined the ensemble as an observer. Otherwise it reads with a session.
	Joined bool
}

// named reports whether there is a ZooKeeper to show.
func (p LiveProps) named() bool { return p.Servers != "" || p.Cluster != "" }

// at returns the query of the page's address.
func (p LiveProps) at() string {
	q := url.Values{"path": {p.Path}}
	if p.Cluster != "" {
		q.Set("cluster", p.Cluster)
	}
	return q.Encode()
}

// where returns the name of the ZooKeeper on the page.
func (p LiveProps) where() string { return cmp.Or(p.Cluster, p.Servers) }
