package room

import "sync"

// NamedClusters are clusters that viewers choose by name, only to observe them.
type NamedClusters struct {
	rooms *rooms

	mu  sync.Mutex
	all map[string]*Cluster
}

// Add adds a cluster, in place of one with the same name.
func (n *NamedClusters) Add(name string, zk ZooKeeper) {
	c := newCluster(n.rooms, Config{ZooKeeper: zk, Servers: name, ReadOnly: true})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[name] = c
}

// Remove removes a cluster. Rooms that observe it go on until their viewers leave.
func (n *NamedClusters) Remove(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, name)
}

func (n *NamedClusters) of(name string) (*Cluster, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.all[name]
	return c, ok
}
