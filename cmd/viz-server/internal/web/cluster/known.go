package cluster

import (
	"slices"
	"sync"

	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// observedCluster is a cluster with what pages share about it.
type observedCluster struct {
	on     cluster.Cluster
	prober *prober
	locks  *follow.Locks
}

func newObserved(on cluster.Cluster) observedCluster {
	return observedCluster{on, newProber(on.Access, on.Servers), follow.New(on)}
}

// known holds the clusters by name: those of the operator, the one without a name among them, and those whose
// addresses a reader has typed.
type known struct {
	mu    sync.Mutex
	all   map[string]observedCluster
	names []string // of the operator's, without the one that has none
	typed []string // the one typed last is first

	ending sync.WaitGroup // of those that were forgotten
}

// close ends all connections.
func (k *known) close() {
	for _, c := range k.list() {
		c.locks.Close()
	}
	k.ending.Wait()
}

// of returns the cluster of that name.
func (k *known) of(name string) (observedCluster, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.all[name]
	return c, ok
}

// list returns all of them.
func (k *known) list() (all []observedCluster) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.all {
		all = append(all, c)
	}
	return all
}

// choices returns the names to choose from: all, and those that were typed.
func (k *known) choices() (all, typed []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Concat(k.names, k.typed), slices.Clone(k.typed)
}

// maxTyped is how many clusters are known that were typed. Beyond that, the one that was typed first is forgotten.
const maxTyped = 10

// put adds a cluster that was typed, in place of one with the same name. It returns the names of those that are now
// forgotten, and whether the cluster was added: the operator's own stay as they are.
func (k *known) put(n Named) (forgotten []string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.all[n.Name]; there && !slices.Contains(k.typed, n.Name) {
		return nil, false
	}
	if k.drop(n.Name) {
		forgotten = append(forgotten, n.Name)
	}
	k.all[n.Name] = newObserved(n.On)
	k.typed = slices.Insert(k.typed, 0, n.Name)
	for len(k.typed) > maxTyped {
		last := k.typed[len(k.typed)-1]
		k.drop(last)
		forgotten = append(forgotten, last)
	}
	return forgotten, true
}

// forget forgets a cluster that was typed, and reports whether there was one.
func (k *known) forget(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.drop(name)
}

func (k *known) drop(name string) bool {
	i := slices.Index(k.typed, name)
	if i < 0 {
		return false
	}
	k.typed = slices.Delete(k.typed, i, i+1)
	k.ending.Go(k.all[name].locks.Close) // it waits for answers
	delete(k.all, name)
	return true
}
